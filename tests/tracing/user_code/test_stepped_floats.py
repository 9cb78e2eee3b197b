"""Floats of Python's that a loop changes: one trace for any number of steps."""

import gast
import pytest

from srcgrad.tracing.user_code.stepped_floats import stepped_in


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("t += 0.1", ("t",)),
        ("t = t * c", ("t",)),
        ("if x > 1: t /= 2.0", ("t",)),
        ("t //= 2.0", ()),
        ("t = c - t", ()),
        ("t += 0.1\n    t = 0.0", ()),
        ("for t in c: t += 1.0", ()),
        ("u += 0.1", ()),
        ("t, u = t + 1.0, u", ()),
    ],
)
def test_which_names_are_stepped(body, names):
    text = f"def f(x, c):\n  t = 0.0\n  while x > t:\n    {body}\n    x = x * 0.5"
    loop = gast.parse(text).body[0].body[1]
    found = stepped_in(loop, {"t"})
    assert (() if found is None else found.names) == names


def test_a_loop_without_a_test_steps_nothing():
    loop = gast.parse("for k in x: t += 0.1").body[0]
    assert stepped_in(loop, {"t"}) is None
