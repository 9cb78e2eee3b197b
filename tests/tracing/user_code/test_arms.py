"""Which `if` statements may be run both ways."""

import gast
import pytest

from srcgrad.tracing.user_code.arms import plain_ifs
from srcgrad.tracing.user_code.scopes import bound_names


def arms_of(*lines):
    text = "\n".join(["def f(x, y, items):", *(f"    {line}" for line in lines)])
    definition = gast.parse(text).body[0]
    found = plain_ifs(definition, bound_names(definition))
    return [found[node] for node in definition.body if node in found]


def test_names_that_are_bound_in_an_arm():
    (arms,) = arms_of("if x > 0:", "    x = y * 2", "else:", "    y += x", "return x")
    assert arms.names == ("x", "y")
    assert arms.augmented == (False, True)


def test_what_is_read_in_one_arm_alone_is_no_result():
    (arms,) = arms_of("if x > 0:", "    t = y * 2", "    x = t + t", "return x")
    assert arms.names == ("x",)


@pytest.mark.parametrize(
    "statement",
    [
        "items.append(x)",
        "x.a = 1.0",
        "return x",
        "z = x",  # which may be bound afterwards, or not
        "x = {y: x}",
        "x = np.add(x, y, out=x)",
        "x = (lambda: y)()",
        "x = x is y",
        "del x",
    ],
)
def test_what_may_do_more_than_bind_names(statement):
    assert not arms_of("if x > 0:", f"    {statement}", "return x + z")
