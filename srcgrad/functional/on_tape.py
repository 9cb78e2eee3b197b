"""What transforms do on the tape: put arguments on it, walk back, take results off.

A transform that runs inside another (or while a call is recorded) leaves what it gives
on the tape of that.
"""

from collections.abc import Sequence
from typing import Any

from srcgrad.modes import state
from srcgrad.protocols import raw_of
from srcgrad.pytree import flatten, unflatten
from srcgrad.tape.engine import ExecutionEngine, first_cotangent
from srcgrad.tape.function import Function, Leaf, has_edge
from srcgrad.tape.variable import Variable, restore
from srcgrad.tracing.traced_array import TracedArray


def walked_back(value: Variable, edges: Sequence[Any], is_nested: bool) -> Any:
    """The cotangents that reach some places, from a value's own of one."""
    one = first_cotangent(value.shape, value.dtype)
    engine = ExecutionEngine(is_nested, restore if is_nested else None, is_nested)
    root: Any = value.edge
    start = Variable.make(one, None) if is_nested else one
    return dict(engine.run_backward([(root, start)], edges))


class Alias(Function):
    """The same array under a node of its own: what one transform differentiates by."""

    __slots__ = ()

    def pull_back(self, g: Any, needed: Any, wrap: Any) -> Sequence[Any]:
        return (g,)


def fresh(leaf: Any) -> Variable:
    """A Variable for a leaf, on the tape by itself."""
    if isinstance(leaf, Variable):
        if not has_edge(leaf):
            return type(leaf).make(leaf.value, (Leaf.of(leaf), 0))
        node = Alias.link((leaf.edge,), leaf.value)
        return type(leaf).make(leaf.value, (node, 0), leaf.own_storage())
    return Variable.make(leaf, (Leaf.of(leaf), 0))


def unwrapped(result: Any, leaves: Any, is_nested: bool) -> Any:
    """The result without the Variables that this transform has put in."""
    out, structure = flatten(result)
    if is_nested:
        inputs = [v for v in leaves if isinstance(v, Variable)]
        back = [
            kept(leaf, inputs[0] if inputs else None)
            if isinstance(leaf, Variable)
            else leaf
            for leaf in out
        ]
    else:
        back = [raw_of(leaf) for leaf in out]
    return unflatten(structure, back)


def kept(g: Any, leaf: Any) -> Any:
    """A result of a nested transform: on the outer tape if it depends on that."""
    if not isinstance(g, Variable):
        return g
    if isinstance(leaf, Variable) and not leaf.stands_for_array:
        return g
    if state.recorder is not None:
        return TracedArray.make(g.value, g.edge)
    return g if has_edge(g) or isinstance(leaf, Variable) else g.value
