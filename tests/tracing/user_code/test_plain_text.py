"""Which texts only compute; and where statements may read names without a value."""

import gast
import pytest

from srcgrad.tracing.user_code.plain_text import (
    is_plain_definition,
    returned,
    returning_last,
    unbound_reads,
)


def definition(*lines):
    text = "\n".join(["def f(x, y):", *(f"    {line}" for line in lines)])
    return gast.parse(text).body[0]


@pytest.mark.parametrize(
    "lines",
    [
        ["return x"],
        ['"""A text."""', "z = x * y", "return np.exp(z), g(x)"],
        ["if x > 0:", "    return x", "y += 1", "return y if x < y else x"],
    ],
)
def test_what_only_computes(lines):
    assert is_plain_definition(definition(*lines))


@pytest.mark.parametrize(
    "lines",
    [
        ["x.sort()", "return x"],
        ["for i in x:", "    y = y + i", "return y"],
        ["while x > 0:", "    x = x - 1", "return x"],
        ["global n", "n = x", "return x"],
        ["return {x: y}"],
        ["yield x"],
        ["z = x"],
    ],
)
def test_what_may_do_more(lines):
    assert not is_plain_definition(definition(*lines))


def test_what_follows_an_early_return_is_the_other_arm():
    lines = ["if x > 0:", "    return x", "if y > 0:", "    return y", "return x + y"]
    (only,) = returning_last(definition(*lines).body)
    values = [gast.unparse(value) for value in returned([only])]
    assert values == ["x", "y", "x + y"]


def test_names_that_may_have_no_value():
    lines = ["if x > 0:", "    a = b = 1", "else:", "    b = a", "c = a + b"]
    assert set(unbound_reads(definition(*lines).body, {"x"})) == {"a"}
