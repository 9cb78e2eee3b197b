"""Texts of what is computed: made when they are told, or looked at."""

import numpy as np
import pytest

from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.environment.texts import Text, is_live, of_parts
from srcgrad.tracing.refusal import Refusal

LOSS = Text("{:.2f} {}".format, (0.125, "end"))


@pytest.mark.parametrize(
    "look",
    [
        lambda text: str(text),
        lambda text: f"{text:>12}",
        lambda text: repr(text),
        lambda text: len(text),
        lambda text: text == "0.12 end",
        lambda text: text.upper(),
        lambda text: bool(text),
        lambda text: str("a" + text + "b"),
        lambda text: text.split(),
    ],
)
def test_who_looks_at_it_sees_a_str(look):
    assert look(LOSS) == look("0.12 end")


def test_a_text_of_an_array_is_refused_where_it_is_looked_at():
    text = Text(str, (TracedArray.make(np.zeros(2), None),))
    for look in (str, len, lambda t: t + "a" == "b", hash):
        with pytest.raises(Refusal):
            look(text)


def test_parts():
    assert of_parts("a", (2.5, "", ".2f"), ("x", "r", ">5"), ("é", "a", "")) == (
        "a2.50  'x''\\xe9'"
    )


def test_live():
    live = TracedArray.make(np.zeros(2), None)
    assert is_live(live)
    assert is_live([1, (live,)])
    assert is_live({"a": LOSS})
    assert not is_live([1, "a", (2.0, None), np.zeros(2)])


TWO = TracedArray.make(2.0, None)


@pytest.mark.parametrize(
    ("function", "args", "is_error"),
    [
        ("%s %s".__mod__, (TWO,), True),
        ("{:d}".format, (TWO,), True),
        ("{:.1f}".format, (TWO,), False),
        (of_parts, (("a", "", "d"),), True),
        # Nobody knows yet how NumPy prints, or what an object of the user's says.
        ("{:d}".format, (TracedArray.make(np.zeros(2), None),), False),
        ("{:d}".format, (object(),), False),
    ],
)
def test_whether_there_is_such_a_text(function, args, is_error):
    text = Text(function, args)
    assert text.is_error() == Text(str.upper, (text,)).is_error() == is_error
