"""Exponentials of what is shifted by its maximum: at most one, their sum at least one.

>>> import numpy as np
>>> z, t, e = (Value((3,), np.dtype(float), name) for name in "zte")
>>> m, s, w = (Value((), np.dtype(float), name, "scalar") for name in "msw")
>>> nodes = (
...     Node(np.max, (z,), out=m),
...     Node(np.subtract, (z, m), out=t),
...     Node(np.exp, (t,), out=e),
...     Node(np.sum, (e,), out=s),
...     Node(np.log, (m,), out=w),
... )
>>> shifts = Shifts({node.out: node for node in nodes}.get)
>>> [shifts.may_divide(value) for value in (s, w, 2.0)]
[True, False, True]
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.steps import Node, Value
from srcgrad.transforms.algebra.formula_patterns import is_number
from srcgrad.transforms.algebra.polynomial_forms import (
    Factor,
    LengthError,
    Polynomial,
    Polynomials,
)
from srcgrad.transforms.reading import arguments

# The formula of this analysis: what a shift of the argument is a factor of.
EXPONENTIALS = frozenset({np.exp, np.exp2})
# Of numbers that are not large at all these may be infinite.
STEEP = EXPONENTIALS | {np.expm1, np.sinh, np.cosh, np.power, np.float_power}


class Shifts:
    """What is known of exponentials.

    ``maker`` gives the node that makes a Value, if it is one of the forward graph.
    """

    def __init__(self, maker: Callable[[Any], Node | None]) -> None:
        self._maker = maker
        self._known: dict[Value, frozenset[int] | None] = {}

    def may_be_infinite(self, value: Value) -> bool:
        """Whether one of the forward graph may be so, though its arguments are not."""
        node = self._maker(value)
        if node is None or node.function not in STEEP:
            return False
        return self.ones_along(value) is None and not self._is_share(node)

    def may_divide(self, item: Any) -> bool:
        """Whether a quotient by it is a number: it is at least one, or an exponential.

        Of an exponential that is zero, there is no logarithm either.
        """
        if type(item) is not Value:
            return is_number(item) and math.isfinite(item) and item != 0
        terms = self._terms(item)
        return len(terms) == 1 and all(
            self.ones_along(factor[0]) is not None
            if type(factor[0]) is Value
            else self._is_sum_of_shifted(factor)
            for monomial in terms
            for factor, _ in monomial
        )

    def ones_along(self, value: Value) -> frozenset[int] | None:
        """For an exponential of at most one, the axes along which one is just that."""
        if value not in self._known:
            node = self._maker(value)
            is_one = node is not None and node.function in EXPONENTIALS
            is_precise = value.dtype.kind == "f" and value.dtype.itemsize > 2
            self._known[value] = (
                self._zero_along(node.args[0], 1)
                if node is not None and is_one and is_precise and not node.kwargs
                else None
            )
        return self._known[value]

    def _is_share(self, node: Node) -> bool:
        """Whether it is a share of a sum: ``exp(t - log(sum(exp(t))))``."""
        difference = self._maker(node.args[0])
        if node.function is not np.exp or difference is None:
            return False
        if difference.function is not np.subtract or difference.kwargs:
            return False
        shifted, logarithm = difference.args
        if self._zero_along(shifted, 1) is None or type(logarithm) is not Value:
            return False
        found = self._maker(_only_factor(self._terms(logarithm))[0])
        if found is None or found.function is not np.log:
            return False
        terms = self._terms(found.args[0])
        return all(
            number >= 1 and power > 0 and self._is_sum_of_shifted(factor)
            for monomial, number in terms.items()
            for factor, power in monomial
        )

    def _is_sum_of_shifted(self, factor: Factor) -> bool:
        """Whether it is a sum of exponentials one of which is one."""
        along = set()
        while type(factor[0]) is not Value:
            subscript, inner = factor
            along.add(subscript)
            if len(inner) != 1:
                return False
            ((factor, power),) = inner
            if power < 1:
                return False
        value, subscripts = factor
        axes = self.ones_along(value)
        return axes is not None and along >= {subscripts[axis] for axis in axes} - {
            None
        }

    def _zero_along(self, item: Any, sign: int) -> frozenset[int] | None:
        """For what is at most zero (or at least, by sign), where some of it is zero."""
        node = self._maker(item)
        if node is None or node.kwargs:
            return None
        if node.function is np.negative:
            return self._zero_along(node.args[0], -sign)
        if node.function in (np.multiply, np.divide):
            x, number = node.args
            if node.function is np.multiply and is_number(x):
                x, number = number, x
            if not is_number(number) or not math.isfinite(number) or number == 0:
                return None
            return self._zero_along(x, sign if number > 0 else -sign)
        if node.function is not np.subtract:
            return None
        low, high = node.args[::sign]
        shape = node.results[0].shape
        found = self._extreme_along(np.max, high, low, shape)
        return self._extreme_along(np.min, low, high, shape) if found is None else found

    def _extreme_along(
        self, function: Any, extreme: Any, x: Any, shape: tuple[int, ...]
    ) -> frozenset[int] | None:
        """Along which axes of x another Value is its maximum (or minimum), if it is."""
        if type(x) is not Value or type(extreme) is not Value:
            return None
        value, subscripts = _only_factor(self._terms(extreme, shape))
        node = self._maker(value)
        if node is None or node.function is not function or x.shape != shape:
            return None
        given = arguments(node)
        if given["a"] is not x or given["where"] is not True:
            return None
        if given["initial"] is not None:
            return None
        count = len(shape)
        axis = given["axis"]
        axes = range(count) if axis is None else np.atleast_1d(axis).tolist()
        along = frozenset(each % count for each in axes)
        kept = [n for n in range(count) if given["keepdims"] is True or n not in along]
        is_aligned = all(
            subscript == n or n in along or shape[n] == 1
            for n, subscript in zip(kept, subscripts, strict=True)
        )
        return along if is_aligned else None

    def _terms(self, value: Value, shape: tuple[int, ...] | None = None) -> Polynomial:
        shape = value.shape if shape is None else shape
        try:
            return Polynomials(self._maker, self.may_divide).of(
                value, tuple(range(len(shape)))
            )
        except LengthError:
            return {}


def _only_factor(terms: Polynomial) -> Factor:
    """The Value that a polynomial is, and its subscripts, if it is just that."""
    if len(terms) == 1:
        ((monomial, number),) = terms.items()
        if number == 1 and len(monomial) == 1:
            ((factor, power),) = monomial
            if power == 1 and type(factor[0]) is Value:
                return factor
    return None, ()
