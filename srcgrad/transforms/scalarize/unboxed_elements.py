"""Scalars as Python's floats, and small arrays taken apart into such.

Each value of the graph is an array of numbers here, of which each is a float that a
node computes, or a constant; NumPy itself moves them about (``reshape``, ``x[1:]``) and
says what is multiplied by what (``R @ x``).


>>> from srcgrad.graph import Graph
>>> f8 = np.dtype(float)
>>> x, dx = Value((3,), f8, "x"), Value((3,), f8, "dx")
>>> a, t = Value((), f8, "a", "scalar"), Value((), f8, "t", "scalar")
>>> nodes = (
...     Node(operator.getitem, (x, 0), out=a),
...     Node(np.exp, (a,), out=t),
...     Node(scatter, (t, 0, (3,)), out=dx),
... )
>>> apart = Apart(Graph((x,), nodes, (dx,)))
>>> for node in nodes:
...     apart.take(node)
>>> dx = apart.give(dx)
>>> print(Graph((x,), tuple(map(apart.named, apart.nodes)), (dx,)))
a, x_1, x_2 = elements(x)
t = exp(a)
dx = array([t, 0.0, 0.0])
return dx
"""

import math
import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.facts import facts_of
from srcgrad.policy import MOST_APART, MOST_COMPUTED
from srcgrad.steps import Guard, Node, Step, Value, values_in
from srcgrad.transforms.scalarize.unboxed_numbers import (
    BOOL,
    FLOAT,
    NotApartError,
    Number,
    Numbers,
)
from srcgrad.unboxing import of_kind
from srcgrad.updates import add_at, assign, cast, scatter
from srcgrad.views import is_basic


class Apart(Numbers):
    """A graph on its way into floats, step by step."""

    def take(self, step: Step) -> None:
        """Write a step down for floats.

        Raises
        ------
        NotApartError
            If it cannot be.
        """
        self.step = step
        if type(step) is Guard:
            self.nodes.append(self._guard(step))
            return
        out = step.out
        if type(out) is Value and out.is_index:
            self._take_index(step, out)
            return
        if type(out) is not Value or out.dtype not in (FLOAT, BOOL):
            raise NotApartError
        if facts_of(step.function).effect:
            raise NotApartError
        if step.function is np.zeros and not step.kwargs:
            self.zeros[out] = out.shape
            return
        result = np.asarray(self._done(step), object)
        if result.shape != out.shape:
            raise NotApartError
        self.held[out] = self.of_dtype(out.dtype, result)
        self.call(out, result)

    def _take_index(self, step: Node, out: Value) -> None:
        """An integer for an index, which is one here too."""
        if any(value.shape for value in step.inputs):
            raise NotApartError
        args = tuple(map(self._of_index, step.args))
        self.nodes.append(replace(step, args=args))
        self.given.add(out)

    def _of_index(self, item: Any) -> Any:
        is_float = type(item) is Value and not item.is_index
        return self.of(item)[()].item if is_float else item

    def _as_float(self, node: Node) -> Any:
        (item,) = node.args
        if type(item) is not Value or not item.is_index:
            return self._same(node)
        out = Value((), FLOAT, None, "float")
        self.add(float, (item,), out)
        return np.array(Number(self, out), object)

    def _guard(self, guard: Guard) -> Guard:
        if guard.convert not in (bool, float) or type(guard.value) is not Value:
            raise NotApartError
        numbers = self.of(guard.value)
        if numbers.shape or not isinstance(numbers[()].item, Value):
            raise NotApartError
        return replace(guard, value=numbers[()].item)

    def _done(self, node: Node) -> Any:
        handler = HANDLERS.get(node.function)
        if handler is not None:
            return handler(self, node)
        if facts_of(node.function).moves:
            return self._moved(node)
        if node.function in SUMS_OF_PRODUCTS:
            return self._product(node)
        return self._elementwise(node)

    def _elementwise(self, node: Node) -> Any:
        if node.kwargs:
            raise NotApartError
        of = [self.of(arg) for arg in node.args]
        if {each.shape for each in of} == {()}:
            number = self.number(node.function, *[each[()] for each in of])
            return self._filled((), number)
        try:
            operands = np.broadcast_arrays(*of)
        except ValueError:  # it is no function of single elements, such as np.convolve
            raise NotApartError from None
        if operands[0].size > MOST_COMPUTED:
            raise NotApartError
        result = np.empty(operands[0].shape, object)
        for index in np.ndindex(result.shape):
            result[index] = self.number(node.function, *(o[index] for o in operands))
        return result

    def _moved(self, node: Node) -> Any:
        """NumPy moves Numbers about like anything else."""
        first, *rest = node.args
        if any(True for _ in values_in((rest, dict(node.kwargs)))):
            raise NotApartError
        is_several = facts_of(node.function).sequence is not None
        moved = [self.of(each) for each in first] if is_several else self.of(first)
        found = np.asarray(node.function(moved, *rest, **node.kwargs), object)
        if any(type(number) is not Number for number in found.flat):
            raise NotApartError  # it has put in others
        return found

    def _product(self, node: Node) -> Any:
        """Sums of products, by NumPy's own order of operands."""
        is_exact = node.function in EXACT_PRODUCTS or _is_short_sum(node)
        if (node.out in self.exact and not is_exact) or any(
            math.prod(value.shape) > MOST_COMPUTED
            for value in (*node.inputs, *node.results)
        ):
            raise NotApartError
        first, *rest = node.args
        if type(first) is Value and 0 in first.shape:
            raise NotApartError  # Python's sum of nothing is an integer
        if not node.kwargs.keys() <= AXES or (
            node.function in REDUCING and len(rest) > 1
        ):
            raise NotApartError
        if node.function not in REDUCING:
            rest = [self.of(each) for each in rest]
        return node.function(self.of(first), *rest, **node.kwargs)

    def _of_kind(self, node: Node) -> Any:
        x, is_python = node.args
        self.kinds[node.results[0]] = self.of(is_python)[()].item
        return self.of(x)

    def _same(self, node: Node) -> Any:
        numbers = self.of(node.args[0])
        if any(getattr(n.item, "dtype", FLOAT) != FLOAT for n in numbers.flat):
            raise NotApartError
        return numbers

    def _item(self, node: Node) -> Any:
        x, index = node.args
        return self.of(x)[_plain(index)]

    def _scatter(self, node: Node) -> Any:
        g, index, shape = node.args
        if math.prod(shape) > MOST_APART:
            raise NotApartError
        zeros = self._filled(shape, Number(self, 0.0, is_blank=True))
        return self._with(zeros, index, self.of(g))

    def _assign(self, node: Node) -> Any:
        x, index, value = node.args
        return self._with(self.of(x).copy(), index, self.of(value))

    def _add_at(self, node: Node) -> Any:
        x, index, g = node.args
        array, new = self.of(x).copy(), self.of(g)
        old = array[_plain(index)]
        added = np.frompyfunc(operator.add, 2, 1)(np.asarray(old, object), new)
        return self._with(array, index, np.asarray(added, object))

    def _with(self, array: Any, index: Any, new: Any) -> Any:
        array[_plain(index)] = new if new.shape else new[()]
        return array

    def _array(self, node: Node) -> Any:
        def built(item: Any) -> Any:
            if isinstance(item, (list, tuple)):
                return np.stack([built(each) for each in item])
            return self.of(item)

        if node.kwargs or len(node.args) != 1:
            raise NotApartError
        return built(node.args[0])

    def _cast(self, node: Node) -> Any:
        if node.args[1] != FLOAT or node.kwargs:
            raise NotApartError
        return self._same(node)

    def _norm(self, node: Node) -> Any:
        """The length of a vector, without care for what overflows, as NumPy has it."""
        if len(node.args) != 1 or node.kwargs or node.out in self.exact:
            raise NotApartError
        x = self.of(node.args[0]).ravel()
        if not 0 < x.size <= MOST_COMPUTED:
            raise NotApartError
        return self._filled((), self.number(np.sqrt, sum(x[1:] * x[1:], x[0] * x[0])))


def _plain(index: Any) -> Any:
    """An index that is known, of a view."""
    if not is_basic(index) or any(True for _ in values_in(index)):
        raise NotApartError
    return index


def _is_short_sum(node: Node) -> bool:
    """Whether it adds so few numbers that NumPy adds one after the other."""
    shape, *rest = [value.shape for value in node.inputs] or [()]
    return node.function is np.sum and not rest and len(shape) == 1 and shape[0] < 8


# The formula of this pass: who takes which function apart.
HANDLERS: dict[Any, Callable[[Apart, Node], Any]] = {
    operator.getitem: Apart._item,
    float: Apart._as_float,
    scatter: Apart._scatter,
    assign: Apart._assign,
    add_at: Apart._add_at,
    np.array: Apart._array,
    cast: Apart._cast,
    np.linalg.norm: Apart._norm,
    of_kind: Apart._of_kind,
    np.double: Apart._same,
}

# The formula of this pass, sums of products, with the same operands in the same order;
# those without a sum, or with one of two terms, are the same to the bit.
EXACT_PRODUCTS = frozenset({np.outer, np.cross})
REDUCING = frozenset({np.sum, np.trace})
SUMS_OF_PRODUCTS = EXACT_PRODUCTS.union({np.matmul, np.dot, np.inner}, REDUCING)
AXES = frozenset({"axis", "keepdims", "axisa", "axisb", "axisc", "axis1", "axis2"})
