"""Names for what generated code computes, and other text that is not its own.

Three things hold: an object has one name, a name is one object (``share``: or one after
another), and no name hides what the code around it needs.

>>> names = Namespace(["np"])
>>> names.name("first", "h"), names.name("second", "h"), names.name("first", "h")
('h', 'h_1', 'h')
>>> names.name("third", "np"), names.name("fourth", "self.layers[0].W")
('np_1', 'self_layers_0_W')
"""

import functools
import keyword
import unicodedata
from collections.abc import Hashable, Iterable
from typing import TypeGuard

# `__debug__` is no keyword, but assigning to it is a syntax error all the same.
RESERVED_WORDS = (*keyword.kwlist, "__debug__")
KEYWORDS = frozenset(RESERVED_WORDS)


class Namespace:
    """Gives names: the hint where it is free, else the hint with a number."""

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._taken = {*RESERVED_WORDS, *reserved}
        self._names: dict[Hashable, str] = {}
        # The last number that each hint got, so that a thousand `h` take linear time.
        self._counts: dict[str, int] = {}

    def name(self, thing: Hashable, hint: str) -> str:
        """Return the name of a thing; at its first mention, make one from the hint."""
        if thing not in self._names:
            self._names[thing] = self.fresh(hint)
        return self._names[thing]

    def share(self, thing: Hashable, name: str) -> None:
        """Give a thing the name of another, whose place it takes."""
        self._names[thing] = name

    def start_anew(self) -> None:
        """Let names go that things have: those of the next function are its own."""
        self._taken.difference_update(self._names.values())
        self._names.clear()
        self._counts.clear()

    def reserve(self, name: str) -> bool:
        """Keep a name out of use; whether that was in time."""
        if name in self._taken:
            return False
        self._taken.add(name)
        return True

    def fresh(self, hint: str) -> str:
        """Make a name that nothing else has."""
        hint = identifier(hint)
        name, count = hint, self._counts.get(hint, 0)
        while name in self._taken:
            count += 1
            name = f"{hint}_{count}"
        self._counts[hint] = count
        self._taken.add(name)
        return name


def is_name(text: object) -> TypeGuard[str]:
    """Whether a text, put into source, is one name, and read as just this name.

    >>> is_name("tanh"), is_name("a; b"), is_name("lambda"), is_name("\ufb01t")
    (True, False, False, False)
    """
    return type(text) is str and _is_name(text)


# One name comes up often: it is printed, bound, and read.
@functools.lru_cache(maxsize=1024)
def _is_name(text: str) -> bool:
    return (
        text.isidentifier()
        and text not in KEYWORDS
        and (text.isascii() or text == unicodedata.normalize("NFKC", text))
    )


def one_line(text: str) -> str:
    """Text from wherever it comes, as what may stand in a comment: printable, one line.

    >>> one_line("a file\\nname\\u2028"), one_line("h = x\\t* 2")
    ('a file\\\\nname\\\\u2028', 'h = x * 2')
    """
    text = text.replace("\t", " ")
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


@functools.lru_cache(maxsize=1024)
def identifier(hint: str) -> str:
    """Turn any text into an identifier; one that is an identifier stays.

    >>> identifier("params['b']"), identifier("<lambda>"), identifier("2x")
    ('params_b', 'lambda', 'x2x')
    """
    if not hint.isascii():
        hint = unicodedata.normalize("NFKC", hint)  # as Python reads names
    if hint.isidentifier():
        return hint
    kept = (c if f"x{c}".isidentifier() else " " for c in hint)
    hint = "_".join("".join(kept).split()).strip("_")
    if not hint.isidentifier():
        hint = f"x{hint}"
    return unicodedata.normalize("NFKC", hint)
