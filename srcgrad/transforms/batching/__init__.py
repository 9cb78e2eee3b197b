"""Batching: the graph of one element becomes that of a whole batch.

``vmap`` is the pass. Its rules stand in a table, a file for each family of functions;
what has no rule runs once for each element, and the results are stacked.

>>> import numpy as np
>>> from srcgrad.graph import Graph
>>> from srcgrad.steps import Node, Value
>>> def array(*shape, name): return Value(shape, np.dtype(float), name)
>>> W, x, h = array(4, 3, name="W"), array(3, name="x"), array(4, name="h")
>>> graph = Graph((W, x), (Node(np.matmul, (W, x), out=h),), (h,))
>>> print(vmap(graph, {x}, 32))
t = transpose(W)
h = matmul(x, t)
return h
"""

from collections.abc import Callable, Collection
from dataclasses import replace
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from srcgrad.facts import facts_of
from srcgrad.graph import Graph
from srcgrad.policy import LONGEST_BATCH
from srcgrad.selections import selected_shape
from srcgrad.steps import Guard, Location, Node, Value, map_values
from srcgrad.transforms.batching import (
    batch_elementwise,
    batch_indexing,
    batch_joining,
    batch_matrices,
    batch_products,
    batch_reductions,
    batch_shapes,
    lines,
)
from srcgrad.transforms.batching.batcher import BATCH_RULES, Batcher, bound_arguments
from srcgrad.transforms.batching.looping import looped
from srcgrad.transforms.batching.owning import own_outputs

__all__ = [
    "BATCH_RULES",
    "RULE_FAMILIES",
    "BatchingError",
    "Looped",
    "own_outputs",
    "vmap",
]

RULE_FAMILIES: tuple[ModuleType, ...] = (
    *(
        batch_elementwise,
        batch_reductions,
        lines,
        batch_shapes,
        batch_joining,
        batch_indexing,
    ),
    *(batch_products, batch_matrices),
)


class BatchingError(Exception):
    """A graph that cannot be batched: it says why, and where that is."""

    def __init__(self, reason: str, where: Location | None) -> None:
        super().__init__(reason)
        self.where = where


class Looped(NamedTuple):
    """A function without a rule, and where it is called."""

    name: str
    where: Location | None


def vmap(
    graph: Graph,
    batched: Collection[Value],
    size: int,
    note: Callable[[Looped], Any] = lambda looped: None,
    begins: list[int] | None = None,
) -> Graph:
    """The graph that computes a batch of what a graph computes of one element.

    Parameters
    ----------
    graph : Graph
        That of one element.
    batched : collection of Value
        The inputs that there are a batch of; in the new graph the batch is their first
        axis, as it is of every output.
    size : int
        The length of the batch.
    note : callable
        Told of each call that runs once for each element, for want of a rule.
    begins : list, optional
        Gets, for each step and for the end, how many steps of the batch come before.

    Raises
    ------
    BatchingError
        If it depends on values of the batch which way the graph goes, or it has
        effects.
    """
    inputs = {
        value: replace(value, shape=(size, *value.shape), kind="array")
        for value in batched
    }
    batcher = Batcher(inputs, size)
    looped_results: set[Value] = set()
    begins = [] if begins is None else begins
    for step in graph.nodes:
        begins.append(len(batcher.steps))
        if type(step) is Guard:
            batcher.steps.append(_guard(batcher, step, looped_results))
        elif not batcher.is_batched((step.args, dict(step.kwargs))):
            _check_effect(step)
            batcher.steps.append(step)
        else:
            _check_effect(step)
            if _add(batcher, step, note):
                looped_results.update(step.results)
    begins.append(len(batcher.steps))
    outputs = [_as_output(batcher, value) for value in graph.outputs]
    named = batcher.names(graph.nodes)
    return Graph(
        tuple(inputs.get(value, value) for value in graph.inputs),
        tuple(step.renamed(named) for step in batcher.steps),
        tuple(named.get(value, value) for value in outputs),
        graph.constants,
    )


def _guard(batcher: Batcher, guard: Guard, looped_results: set[Value]) -> Guard:
    """A guard for the batch: the elements have one shape, if no loop gave it."""
    if not batcher.is_batched(guard.value):
        return guard
    if guard.convert not in SHAPE_FUNCTIONS or guard.value in looped_results:
        raise BatchingError("looks at values of a batch", guard.where)
    value, shape = batcher.of(guard.value), (batcher.size, *guard.observed)
    return replace(guard, value=value, convert=np.shape, observed=shape)


# What a guard may look at that all elements of a batch have.
SHAPE_FUNCTIONS = np.shape, selected_shape


def _check_effect(node: Node) -> None:
    # What is not known at all has a rule of the user's: it computes.
    if facts_of(node.function).effect in ("draws", "writes") or node.bodies:
        name = getattr(node.function, "__name__", repr(node.function))
        raise BatchingError(f"calls {name} for each element of a batch", node.where)


def _add(batcher: Batcher, node: Node, note: Callable[[Looped], Any]) -> bool:
    """Add what does for the batch what a node does for one element.

    Whether that is a loop.
    """
    batcher.begin(node)
    rule = BATCH_RULES.get(node.function) or batch_elementwise.rule_of(node.function)
    if hasattr(node.function, "of_batch"):
        rule = _of_batch
    found = NotImplemented
    if rule is not None:
        found = rule(batcher, node, bound_arguments(node))
    is_loop = found is NotImplemented
    if is_loop:
        name = getattr(node.function, "__name__", repr(node.function))
        if batcher.size > LONGEST_BATCH:
            raise BatchingError(f"calls {name}, which has no batching rule", node.where)
        known = facts_of(node.function)
        if known.shape_by_value and not known.raises_by:
            raise BatchingError(
                f"calls {name}, which may give each element another shape", node.where
            )
        note(Looped(name, node.where))
        found = looped(batcher, node)
    results = found if isinstance(found, tuple) else (found,)
    wanted = [(batcher.size, *value.shape) for value in node.results]
    made = [batcher.reshaped(*pair) for pair in zip(results, wanted, strict=True)]
    batcher.stands(dict(zip(node.results, made, strict=True)))
    return is_loop


def _of_batch(batcher: Batcher, node: Node, bound: Any) -> Any:
    """A step that knows itself what it is of a batch."""
    function: Any = node.function
    are_batched = [type(arg) is Value for arg in node.args]
    wide = [batcher.spread(arg) if type(arg) is Value else arg for arg in node.args]
    out = map_values(batcher.result, node.out)
    batcher.call_for(out, function.of_batch(are_batched), wide)
    return out


def _as_output(batcher: Batcher, value: Value) -> Value:
    """What stands for an output; each element has one of its own."""
    if batcher.is_batched(value):
        return batcher.of(value)  # type: ignore[no-any-return]
    batcher.begin(Node(np.copy, (value,)))
    wide = batcher.spread(value)
    return batcher.call(np.copy, wide, shape=wide.shape, dtype=wide.dtype)
