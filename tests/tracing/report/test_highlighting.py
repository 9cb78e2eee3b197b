"""Colours change nothing of a text, whatever is in it."""

import html
import re

import pytest

from srcgrad.tracing.report.highlighting import highlighted

TEXTS = [
    *("", "\n", "\n\n", "x", "x\n", "\n\nx = 1\n\n", "\tx\n    y\n"),
    *("'''a\nb\n\nc'''\n", "'unfinished\nx", "'''unfinished\n\n", "a \\\n  + b\n"),
    *("</script><b>&amp;]]>", "# <!-- -->\n", "f'{x!r:>{n}} {\"<\"}'\n"),
    *("\ufeffx = 1\n", "x = 1\r\ny = 2\r", "a\x0cb\x0b\x1c\u2028c\n", "é = 'ß∂ 😀'\n"),
    *("x = " + "1 + " * 200 + "1", "\x00\x07", "\u202e# right to left\n", "print x\n"),
    "def f(x, /, *, y: int = 3) -> None:\n    match x:\n        case [1, *_]: ...\n",
]


@pytest.mark.parametrize("text", TEXTS)
def test_the_lines_are_those_of_the_text(text):
    lines = highlighted(text)
    plain = [html.unescape(re.sub(r"</?i[^>]*>", "", line)) for line in lines]
    assert "\n".join(plain) == text


@pytest.mark.parametrize("text", TEXTS)
def test_each_line_is_closed_in_itself(text):
    for line in highlighted(text):
        marks = re.findall(r"<[^>]*>", line)
        assert marks[1::2] == ["</i>"] * (len(marks) // 2)
        assert all(re.fullmatch(r"<i class=[a-z]>", mark) for mark in marks[::2])


def test_words_have_their_colours():
    (line,) = highlighted("def f(x): return not len(x) == 3.5 or None  # '")
    found = re.findall(r"<i class=(\w)>([^<]*)</i>", line)
    assert found == [
        *(("k", "def"), ("f", "f"), ("k", "return"), ("k", "not"), ("b", "len")),
        *(("o", "=="), ("m", "3.5"), ("k", "or"), ("m", "None"), ("c", "# &#x27;")),
    ]
