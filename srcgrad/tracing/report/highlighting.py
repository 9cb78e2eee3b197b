"""``highlighted``: Python source as HTML, line by line, coloured by Pygments.

>>> highlighted("x = '<b>'")
['x <i class=o>=</i> <i class=s>&#x27;&lt;b&gt;&#x27;</i>']
"""

import functools
from collections.abc import Iterator
from html import escape
from itertools import groupby
from typing import Any

try:
    from pygments.lexers.python import PythonLexer
    from pygments.token import Comment, Keyword, Name, Number, Operator, String
except ImportError as error:
    raise ImportError(
        "reports are coloured by Pygments, which is not installed: "
        "pip install 'srcgrad[report]'"
    ) from error

# The classes of `report.css`, by the kind of a token: the first that it is part of.
CLASSES = {
    Comment: "c",
    Keyword.Constant: "m",
    Keyword: "k",
    String: "s",
    Number: "m",
    Operator.Word: "k",
    Operator: "o",
    Name.Builtin: "b",
    Name.Function: "f",
    Name.Decorator: "f",
}


def highlighted(text: str) -> list[str]:
    """The lines of a text as HTML; as many as there are between its line breaks."""
    lines = [""]
    for name, group in groupby(_tokens(text), key=lambda token: token[0]):
        first, *others = "".join(value for _, value in group).split("\n")
        lines[-1] += _marked(first, name)
        lines += [_marked(other, name) for other in others]
    return lines


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    """The parts of a text, each after its class."""
    # Pygments would read the one as the end of a line, and leave out the other.
    if "\r" in text or text.startswith("\ufeff"):
        yield "", text
        return
    for kind, value in PythonLexer(stripnl=False, ensurenl=False).get_tokens(text):
        yield _class_of(kind) if value.strip() else "", value


@functools.cache
def _class_of(kind: Any) -> str:
    return next((own for each, own in CLASSES.items() if kind in each), "")


def _marked(text: str, name: str) -> str:
    shown = escape(text)
    return f"<i class={name}>{shown}</i>" if name and text else shown
