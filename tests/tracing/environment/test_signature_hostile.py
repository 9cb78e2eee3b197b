"""Static arguments whose own code raises, or lies, where it would be part of a key."""

import enum
import functools

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from tests.tracing.comparing import X, outcome


class Holder:
    def __init__(self, scale):
        self.scale = scale


def method(name, answer):
    """A class of holders with a method that answers so, or raises that."""

    def own(self, *args):
        if isinstance(answer, Exception):
            raise answer
        return answer

    if name == "__class__":
        own = property(own)
    members = {name: own, "__hash__": own if name == "__hash__" else lambda self: 1}
    return type("Made", (Holder,), members)


ERROR = ValueError("by its own code")


class Meta(type):
    def __eq__(cls, other):
        return True

    def __hash__(cls):
        return 1


class First(metaclass=Meta):
    scale = 2.0


class Second(metaclass=Meta):
    scale = 3.0


class Choice(enum.Enum):
    FIRST = 2.0
    SECOND = 3.0

    scale = property(lambda self: self.value)

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1


class Number(np.float64):
    scale = property(lambda self: self * 1.0)

    def __mul__(self, other):
        return 7.0

    __rmul__ = __mul__


class Text(str):
    scale = property(len)

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1


class Part(functools.partial):
    scale = property(lambda self: self.keywords["scale"])

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1


class OfALibrary(Holder):
    __module__ = "numpy"

    def __call__(self):
        return self.scale

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1


def both_of(cls):
    return [cls(2.0), cls(3.0)]


# Two arguments that are not the same, or one that raises.
ARGUMENTS = {
    **{
        f"{name} raises": both_of(method(name, ERROR))
        for name in ("__hash__", "__eq__", "__bool__", "__repr__", "__class__")
    },
    **{
        f"{name} lies": both_of(method(name, answer))
        for name, answer in (
            ("__eq__", True),
            ("__bool__", False),
            ("__repr__", "1"),
            ("__class__", type),
            ("__class__", int),
            ("__class__", np.float64),
            ("__class__", Variable),
            ("__class__", enum.Enum),
            ("__getattribute__", 2.0),
        )
    },
    "metaclass": [First, Second],
    "enum": [Choice.FIRST, Choice.SECOND],
    "number": [Number(2.0), Number(3.0)],
    "text": [Text("aa"), Text("aaa")],
    "partial": [Part(print, scale=2.0), Part(print, scale=3.0)],
    "of a library": both_of(OfALibrary),
}


# These are looked into, and none of their methods runs.
NEVER_ASKED = frozenset(
    {"__hash__ raises", "__eq__ raises", "__repr__ raises", "__eq__ lies"}
    | {"__repr__ lies"}
)


def scaled(x, item):
    return np.sum(x * item.scale)


def unused(x, item):
    return np.sum(x * 2.0)


def with_gradient(function):
    return srcgrad.value_and_grad(function)


@pytest.mark.parametrize("function", [scaled, unused])
@pytest.mark.parametrize("way", [lambda f: f, with_gradient], ids=["plain", "grad"])
@pytest.mark.parametrize("name", ARGUMENTS)
def test_nobody_is_taken_for_another(name, way, function):
    traced = srcgrad.trace(function)
    ours, theirs = way(traced), way(function)
    for _ in range(3):
        for item in ARGUMENTS[name]:
            given = functools.partial(ours, item=item)
            expected = functools.partial(theirs, item=item)
            assert outcome(given, X) == outcome(expected, X)
    if name in ("metaclass", "enum", "number", "text", "partial", "of a library"):
        assert traced.stats.compiled == 0
        assert "on the tape: " in traced.explain()


def test_what_changes_behind_a_false_class():
    holder = method("__class__", int)(2.0)
    traced = srcgrad.trace(scaled)
    for scale in (2.0, 2.0, 3.0, 3.0):
        holder.scale = scale
        assert traced(X, holder) == scaled(X, holder)


def nested(depth):
    items = []
    for _ in range(depth):
        items = [items]
    return items


def test_containers_that_have_no_end():
    loop = []
    loop.append(loop)
    for item in (loop, nested(100_000)):
        traced = srcgrad.trace(unused)
        for _ in range(3):
            assert traced(X, item) == unused(X, item)


def test_a_reason_can_be_told_whatever_its_text():
    class Untold(Exception):  # noqa: N818
        def __str__(self):
            raise ERROR

    class Unhashable(str):
        __slots__ = ()

        def __hash__(self):
            raise Untold

    traced = srcgrad.trace(unused)
    assert traced(X, Unhashable("a")) == 12.0
    assert "Untold: its text cannot be told" in traced.explain()
