"""Cotangents of which a choice lets only some elements through.

``np.where(x > 0, np.sqrt(x), 0.0)`` has a slope of 0 where 0.0 is chosen, infinite as
that of the square root may be. So the zeros are not put in at once, to be multiplied by
that, but after the functions that go element by element: the engine takes a ``Chosen``
through them, until it comes to another function, to another cotangent, or to an end.

>>> chosen = Chosen(np.array([2.0, 3.0]), np.array([True, False]))
>>> chosen.over(chosen.g * np.array([1.0, np.inf])).resolved()
array([2., 0.])
"""

from typing import Any

import numpy as np

from srcgrad.facts import Operation, facts_of
from srcgrad.operators import BINARY_OPERATORS, UNARY_OPERATORS
from srcgrad.rules.broadcasting import fit, unbroadcast
from srcgrad.updates import cast
from srcgrad.valued import valued

# Besides ufuncs and their like.
LIKE_UFUNCS = frozenset({cast, valued, np.real, np.imag})
OPERATORS = {own.python: own.ufunc for own in (*BINARY_OPERATORS, *UNARY_OPERATORS)}

# They put elements in other places, each in one.
MOVING = frozenset(
    {
        *(np.reshape, np.ravel, np.transpose, np.swapaxes, np.moveaxis),
        *(np.expand_dims, np.squeeze, np.matrix_transpose),
    }
)


def goes_by_elements(function: Operation) -> bool:
    """Whether an element of a result is made of those in its place alone."""
    function = OPERATORS.get(function, function)
    return (
        facts_of(function).elementwise
        or function in LIKE_UFUNCS
        or getattr(function, "__module__", None) == "math"  # of numbers
    )


class Chosen:
    """A cotangent ``g`` where a condition holds (or, not ``is_where``, does not)."""

    __slots__ = ("condition", "g", "is_where", "whole")

    def __init__(self, g: Any, condition: Any, is_where: bool = True) -> None:
        self.g = g
        self.condition = condition
        self.is_where = is_where
        self.whole: Any = None

    def resolved(self) -> Any:
        """With zeros elsewhere: one array, for whoever asks for it."""
        if self.whole is None:
            first, second = (self.g, 0.0) if self.is_where else (0.0, self.g)
            self.whole = np.where(self.condition, first, second)
        return self.whole

    def over(self, g: Any) -> "Chosen | None":
        """What a function makes of it, which may let less of it through."""
        if g is None or g is self.g:
            return None if g is None else self
        if type(g) is not Chosen:
            return Chosen(g, self.condition, self.is_where)
        return Chosen(g.g, np.logical_and(self.holds(), g.holds()))

    def plus(self, other: "Chosen") -> Any:
        """The sum of two: a Chosen, unless one is chosen where the other is not."""
        is_same = self.condition is other.condition
        if is_same and self.is_where is other.is_where:
            return Chosen(self.g + other.g, self.condition, self.is_where)
        if is_same:
            first, second = (self, other) if self.is_where else (other, self)
            return np.where(self.condition, first.g, second.g)
        either = np.logical_or(self.holds(), other.holds())
        return Chosen(self.resolved() + other.resolved(), either)

    def holds(self) -> Any:
        """Where something was chosen."""
        return self.condition if self.is_where else np.logical_not(self.condition)

    def narrowed(self, shape: tuple[int, ...]) -> "Chosen":
        """For an argument of some shape, which may have been broadcast.

        Where none of the places that an element went to was chosen, nor was that.
        """
        if self.g.shape == shape:
            return self
        reduce = np.any if self.is_where else np.all
        condition, leading = self.condition, np.ndim(self.condition) - len(shape)
        if leading > 0:
            condition = reduce(condition, axis=tuple(range(leading)))
        own = np.shape(condition)
        beside = shape[len(shape) - len(own) :]
        axes = tuple(i for i, n in enumerate(beside) if n == 1 and own[i] != 1)
        if axes:
            condition = reduce(condition, axis=axes, keepdims=True)
        return Chosen(unbroadcast(self.resolved(), shape), condition, self.is_where)

    def fitted(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> "Chosen":
        """Of the shape and dtype of the array that it belongs to."""
        whole = self.narrowed(shape)
        g = fit(whole.g, shape, dtype)
        return whole if g is whole.g else Chosen(g, whole.condition, whole.is_where)


def whole(g: Any) -> Any:
    """A cotangent with its zeros, if some have been put off."""
    return g.resolved() if type(g) is Chosen else g
