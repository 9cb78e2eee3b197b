"""Formulas taken apart, to find them in a graph, and the numbers that stand in these.

A formula is a lambda. A letter says what it stands for:

* ``x``, ``y``: any operand;
* ``w``: one as large as the result;
* ``s``: one that is 0-d where the result is not: work on it costs next to nothing;
* ``a``, ``b``: a number of moderate size in the program, see ``is_moderate``.

>>> pattern, _ = pattern_of(lambda x, y: x + -y)
>>> pattern.ufunc, pattern.args[0], pattern.args[1].args
(<ufunc 'add'>, 'x', ('y',))
"""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from srcgrad.facts import facts_of
from srcgrad.function_parameters import asked_by

Formula = Callable[..., Any]

LETTERS_FOR_NUMBERS = frozenset("ab")


class Pattern(NDArrayOperatorsMixin):
    """A formula taken apart: a ufunc on numbers, letters (as text) and such."""

    def __init__(self, ufunc: np.ufunc | None, args: tuple[Any, ...]) -> None:
        self.ufunc = ufunc
        self.args = args
        self.commutes = ufunc is not None and facts_of(ufunc).commutes

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any
    ) -> "Pattern":
        return Pattern(ufunc, tuple(map(_letter_or_self, inputs)))


def _letter_or_self(item: Any) -> Any:
    is_letter = isinstance(item, Pattern) and item.ufunc is None
    return item.args[0] if is_letter else item


def pattern_of(formula: Formula) -> tuple[Pattern, tuple[str, ...]]:
    """A formula, taken apart, and its letters."""
    letters = asked_by(formula)
    return formula(*(Pattern(None, (letter,)) for letter in letters)), letters


def is_number(item: Any) -> bool:
    """Whether an argument is a real number that stands in the program; not a bool."""
    return isinstance(item, (int, float, np.floating, np.integer)) and not isinstance(
        item, bool
    )


def number_in(item: Any, dtype: np.dtype[Any]) -> Any:
    """A number as the Python number that it is where a result has some dtype.

    NumPy's arithmetic on two constants would be that of their own dtypes.

    >>> number_in(np.uint8(200), np.dtype(float)) * 2
    400.0
    """
    return item if type(item) in (int, float) else dtype.type(item).item()


def is_moderate(number: Any, dtype: np.dtype[Any]) -> bool:
    """Whether a product with a number stays in range, but for the largest and smallest.

    Multiplying by two such numbers at once, or in another order, differs beyond
    rounding for results within that factor of the smallest of their dtype only; that
    none leaves the range at its other end, ``Magnitudes`` shows.

    >>> is_moderate(96, np.dtype(np.float32)), is_moderate(1e9, np.dtype(np.float32))
    (True, False)
    """
    limit = _moderate(dtype)
    return bool(1.0 / limit <= abs(number) <= limit)


@functools.lru_cache(maxsize=16)
def _moderate(dtype: np.dtype[Any]) -> float:
    return math.pow(np.finfo(dtype).max, 0.125)
