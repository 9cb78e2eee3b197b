"""The copy of a function, and what cannot be copied: that happens at each call."""

import operator

import gast
import numpy as np

from srcgrad.tracing.user_code.instrument import (
    bound_names,
    instrument,
    is_instrumented,
)
from srcgrad.tracing.user_code.list_operands import OPERATORS
from tests.tracing.comparing import X

counter = 0


# ----- The copy -----


class Noting:
    """A capture that does what the user wrote, and notes the reads."""

    def __init__(self):
        self.noted = []

    def environment(self, name, value):
        self.noted.append(("environment", name))
        return value

    def attribute(self, item, name):
        self.noted.append(("attribute", name))
        return getattr(item, name)

    def environment_attribute(self, name, value, attr):
        return self.attribute(self.environment(name, value), attr)

    def call(self, function, *args, **kwargs):
        self.noted.append(("call", getattr(function, "__name__", "")))
        return function(*args, **kwargs)

    def iterations(self, name, items):
        self.noted.append(("iterations", name))
        return items

    def made(self, value):
        self.noted.append(("made", type(value).__name__))
        return value

    def named(self, name, value):
        self.noted.append(("named", name))
        return value

    def operated(self, symbol, first, second):
        return OPERATORS[symbol](first, second)

    def store(self, value, item, index):
        self.noted.append(("store", index))
        item[index] = value

    def augmented(self, name, symbol, item, value):
        self.noted.append(("augmented", symbol))
        return operator.iadd(item, value)


def reads(x, k=3.0):
    h = np.tanh(x) * k
    h += counter
    h[0] = k
    return [-v for v in h]


def test_every_read_goes_through_the_capture():
    capture = Noting()
    copy = instrument(reads, capture)
    assert copy(X) == reads(X)
    assert capture.noted == [
        ("environment", "np"),
        ("attribute", "tanh"),
        ("call", "tanh"),
        ("made", "ndarray"),
        ("named", "h"),
        ("environment", "counter"),
        ("augmented", "Add"),
        ("store", 0),
        ("iterations", "v"),
    ]


def test_the_copy_has_the_originals_globals_cells_defaults_and_lines():
    factor = 2.0

    def original(x, y=5.0, *, z=7.0):
        return x * factor + y + z

    copy = instrument(original, Noting())
    assert copy(1.0) == original(1.0) == 14.0
    factor = 3.0
    assert copy(1.0) == 15.0
    assert copy.__globals__ is original.__globals__
    for name in ("__name__", "__qualname__", "__defaults__", "__kwdefaults__"):
        assert getattr(copy, name) == getattr(original, name)
    assert copy.__code__.co_filename == __file__
    lines = [
        {line for *_, line in f.__code__.co_lines() if line} for f in (copy, original)
    ]
    assert lines[0] == lines[1]


def test_a_copy_is_known_as_one():
    copy = instrument(reads, Noting())
    assert is_instrumented(copy)
    assert not is_instrumented(reads)
    assert instrument(reads, Noting()).__code__ is copy.__code__


def test_names_that_a_function_binds():
    (definition,) = gast.parse(
        "def f(a, /, b, *c, d=1, **e):\n"
        "    g = 1\n"
        "    for h, (i, *j) in a: pass\n"
        "    with a as k: l: int = 2\n"
        "    [m for m in a]\n"
        "    def n(o): p = 1\n"
        "    (q := 3)\n"
        "    r.s = t[0] = 1\n"
    ).body
    assert bound_names(definition) == set("abcdeghijklnq")
