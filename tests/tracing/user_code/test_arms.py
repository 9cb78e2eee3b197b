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


READERS = ["read = lambda: t + x", "read = (t + x for _ in items)"]


@pytest.mark.parametrize("reader", READERS)
def test_what_others_read_is_bound_for_them_in_the_arms(reader):
    (arms,) = arms_of(reader, "t = y", "if x > 0:", "    t, y = x, read()", "return y")
    assert (arms.before, arms.shared) == (("t", "y"), ("t",))


@pytest.mark.parametrize("reader", READERS)
def test_what_others_read_may_be_unbound_only_if_an_arm_calls_nobody(reader):
    test = (reader, "if x > 0:", "    t = y", "else:", "    t = x")
    assert arms_of(*test, "    y = np.sin(y)", "return t")
    assert not arms_of(*test, "    y = call(y)", "return t")
