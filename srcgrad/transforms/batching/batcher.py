"""``Batcher``: what a batching rule is given, and the table of the rules.

A rule is a function ``rule(batcher, node, bound)``. It adds steps that do for a whole
batch at once what the node does for one element of it, and gives back what stands for
the node's result (for its results, a tuple), with the batch as the first axis; or
``NotImplemented``, and the node runs once for each element. ``bound`` has the node's
arguments by name, in terms of the graph of one element.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.facts import Operation
from srcgrad.function_parameters import REQUIRED, parameters_of
from srcgrad.steps import Node, Step, Value, map_values, values_in

# A call's arguments by name, as they are in the graph of one element.
Bound = dict[str, Any]
Rule = Callable[["Batcher", Node, Bound], Any]

BATCH_RULES: dict[Operation, Rule] = {}


def batches(*functions: Operation) -> Callable[[Rule], Rule]:
    """Put a rule into the table, for some functions."""

    def register(rule: Rule) -> Rule:
        for function in functions:
            BATCH_RULES[function] = rule
        return rule

    return register


def present(where: Any, names: str) -> list[Operation]:
    """Those of a module's functions that this NumPy has."""
    return [getattr(where, name) for name in names.split() if hasattr(where, name)]


class Batcher:
    """The steps of a batch so far, and what stands for the Values of one element.

    ``size`` is the length of the batch. A Value that does not depend on the element
    stands for itself.
    """

    def __init__(self, batched: Mapping[Value, Value], size: int) -> None:
        self.size = size
        self.steps: list[Step] = []
        self._batched = dict(batched)
        self._like: Node | None = None

    # ----- What there is -----

    def is_batched(self, item: Any) -> bool:
        """Whether something in an argument depends on the element."""
        return any(value in self._batched for value in values_in(item))

    def of(self, item: Any) -> Any:
        """An argument with what stands for the Values in it."""
        return map_values(lambda value: self._batched.get(value, value), item)

    def spread(self, value: Any) -> Value:
        """What stands for a Value, with the batch as first axis in any case."""
        if value in self._batched:
            return self._batched[value]
        shape = np.shape(value) if type(value) is not Value else value.shape
        dtype = value.dtype if type(value) is Value else np.result_type(value)
        wide = (self.size, *shape)
        return self.call(np.broadcast_to, value, wide, shape=wide, dtype=dtype)

    def aligned(self, item: Any, ndim: int) -> Any:
        """An argument whose elements have ``ndim`` axes, as far as they need it.

        NumPy broadcasts from the right, so only what is batched needs more of them.
        """

        def aligned(value: Value) -> Value:
            if value not in self._batched:
                return value
            missing = (1,) * (ndim - len(value.shape))
            shape = (self.size, *missing, *value.shape)
            return self.reshaped(self._batched[value], shape)

        return map_values(aligned, item)

    def names(self, steps: Iterable[Step]) -> dict[Value, Value]:
        """For what stands for a named result the same with its name."""
        found: dict[Value, Value] = {}
        own = {value for step in self.steps for value in step.results}
        for value in (value for step in steps for value in step.results):
            new = self._batched.get(value)
            if new in own and (value.name or value.hint) and not new.name:
                found.setdefault(new, replace(new, name=value.name, hint=value.hint))
        return found

    # ----- New steps -----

    def begin(self, node: Node) -> None:
        """The next steps belong to this node."""
        self._like = node

    def stands(self, made: Mapping[Value, Value]) -> None:
        """Note what stands for some Values."""
        self._batched.update(made)

    def call(
        self,
        function: Operation,
        *args: Any,
        shape: Iterable[int],
        dtype: Any,
        kwargs: Mapping[str, Any] | None = None,
    ) -> Value:
        """Add a call on Values of the batch's graph: its result."""
        out = Value(tuple(shape), np.dtype(dtype))
        self.call_for(out, function, args, kwargs)
        return out

    def call_for(
        self, out: Any, function: Operation, args: Any, kwargs: Any = None
    ) -> None:
        """Add a call that defines a Value, or a tuple of them."""
        like = self._like
        assert like is not None
        position = like.where, like.in_backward, like.must_run
        self.steps.append(Node(function, tuple(args), kwargs or {}, out, *position))

    def result(self, value: Value) -> Value:
        """A new Value for what stands for one of the element's graph."""
        return replace(value, shape=(self.size, *value.shape), kind="array")

    def same(self, node: Node, args: Any, kwargs: Any = None) -> Any:
        """Call the node's own function on other arguments: the batch's results."""
        out = map_values(self.result, node.out)
        self.call_for(out, node.function, args, kwargs)
        return out

    def reshaped(self, value: Value, shape: tuple[int, ...]) -> Value:
        """A Value of the batch's graph in another shape."""
        if value.shape == shape:
            return value
        return self.call(np.reshape, value, shape, shape=shape, dtype=value.dtype)

    def flattened(self, value: Value) -> Value:
        """What stands for a Value, each element of the batch in a row."""
        wide = self.spread(value)
        return self.reshaped(wide, (self.size, math.prod(value.shape)))

    def moved(self, value: Value, source: Any, destination: Any) -> Value:
        """``np.moveaxis``, unless that would change nothing."""
        if source == destination:
            return value
        lengths = _moved_shape(value.shape, source, destination)
        args = value, source, destination
        return self.call(np.moveaxis, *args, shape=lengths, dtype=value.dtype)


def _moved_shape(shape: Any, source: Any, destination: Any) -> tuple[int, ...]:
    strideless: Any = np.broadcast_to(np.empty(()), shape)
    moved: tuple[int, ...] = np.moveaxis(strideless, source, destination).shape
    return moved


def options_of(node: Node, bound: Bound, *without: str) -> dict[str, Any]:
    """The arguments that a call gives, by name, but for some of them."""
    given = [*bound][: len(node.args)]
    return {
        name: item
        for name, item in bound.items()
        if name not in without and (name in node.kwargs or name in given)
    }


def shifted(axis: Any, ndim: int) -> Any:
    """An axis of one element, or a tuple of them, as it is counted in the batch.

    >>> shifted(1, 3), shifted(-1, 3), shifted((0, -1), 2)
    (2, -1, (1, -1))
    """
    if isinstance(axis, (tuple, list)):
        return tuple(shifted(each, ndim) for each in axis)
    return axis + 1 if axis >= 0 else axis


def bound_arguments(node: Node) -> Bound:
    """The arguments of a call by name, defaults included."""
    parameters, variadic = parameters_of(node.function)
    names = [*parameters]
    if variadic is not None:
        names = [name for name, d in parameters.items() if d is REQUIRED]
    given = dict(zip(names, node.args, strict=False)) | dict(node.kwargs)
    if variadic is not None:
        given[variadic] = tuple(node.args[len(names) :])
    bound = parameters | given
    return {name: item for name, item in bound.items() if item is not REQUIRED}
