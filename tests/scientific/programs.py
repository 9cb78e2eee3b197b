"""How a program of a scientist is kept: what is called, with what."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import optree


class Program(NamedTuple):
    """``make()(start, *data, **keywords)`` is a number, differentiated by ``start``.

    What is made is new each time, for objects that change as they are called.
    """

    make: Callable[[], Callable[..., Any]]
    start: Any
    data: tuple[Any, ...]
    keywords: dict[str, Any]

    def call(self, function, start):
        return function(start, *self.data, **self.keywords)


PROGRAMS: dict[str, Program] = {}


def program(start, *data, **keywords):
    """Keep a function, with the arguments it is called with; a list is an array."""

    def keep(function):
        made(function.__name__, lambda: function, start, *data, **keywords)
        return function

    return keep


def made(name, make, start, *data, **keywords):
    """Keep what ``make`` makes: a method, or an object that is called."""
    if isinstance(start, list):
        start = np.array(start)
    assert name not in PROGRAMS
    PROGRAMS[name] = Program(make, start, data, keywords)


def scaled(start, factor):
    return optree.tree_map(lambda leaf: factor * leaf, start)
