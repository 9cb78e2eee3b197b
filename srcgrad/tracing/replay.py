"""``Replay``: a call that ran as generated code, once more on the tape.

That is how its gradient is differentiated again: the generated backward knows numbers
only.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from srcgrad.errors import where_of
from srcgrad.graph import Graph, Node, Value, evaluate
from srcgrad.modes import override
from srcgrad.pytree import flatten, unflatten
from srcgrad.tape.function import Edge
from srcgrad.tape.variable import Variable, restore


@dataclass(frozen=True, slots=True)
class Replay:
    """What is run again: a graph, or where that is not enough the function itself.

    Attributes
    ----------
    graph : Graph
        The forward half.
    positions : tuple of int
        The leaves that are its inputs.
    outputs : tuple of int
        Those of its outputs that have a gradient.
    function : callable or None
        The user's own function, if it has a gradient that a user has written: the
        derivative of such a gradient is that of the user's ``backward``, of which the
        recorded operations of ``forward`` know nothing.
    structure : hashable
        Of the function's arguments.
    result : int
        The leaf of the function's result that has a gradient.
    """

    graph: Graph
    positions: tuple[int, ...]
    outputs: tuple[int, ...]
    function: Callable[..., Any] | None = None
    structure: Any = None
    result: int = 0

    @property
    def has_user_backward(self) -> bool:
        """Whether a gradient in it is one that a user has written."""
        return self.function is not None

    def run(
        self,
        leaves: Sequence[Any],
        edges: dict[int, Edge | None],
        inner: dict[int, Edge],
    ) -> list[Edge]:
        """Run it on the tape; where walks back from its results start.

        Parameters
        ----------
        leaves : sequence
            Those of the call's arguments.
        edges : dict
            For some of them, by number, the edge that it had at the call.
        inner : dict
            For some of the graph's outputs an edge that takes the place of their own:
            a walk back from what is computed from these ends there.
        """
        if self.function is not None:
            # What was read outside comes after the arguments, and is read again.
            own = leaves[: self.structure.num_leaves]
            again = [_again(leaf, edges.get(i)) for i, leaf in enumerate(own)]
            args, kwargs, bound = unflatten(self.structure, again)
            with override(grad_enabled=True):
                results, _ = flatten(self.function(*bound, *args, **kwargs))
            return [results[self.result].edge]
        inputs = tuple(_restored(leaves[i], edges.get(i)) for i in self.positions)
        starts: dict[int, Any] = {}
        numbers: dict[Value, list[int]] = {}
        for i in self.outputs:
            numbers.setdefault(self.graph.outputs[i], []).append(i)

        def seen(node: Node, result: Any) -> None:
            _note_line(node, result)
            results = result if isinstance(node.out, tuple) else (result,)
            for value, each in zip(node.results, results, strict=True):
                edge = getattr(each, "edge", None)
                for number in numbers.get(value, ()):
                    starts[number] = edge
                    each.edge = inner.get(number, edge)

        with override(grad_enabled=True):
            evaluate(self.graph, inputs, seen)
        return [starts[i] for i in self.outputs]


def _restored(leaf: Any, edge: Edge | None) -> Any:
    """An argument again, with the edge that it had."""
    if type(leaf) is not Variable:
        return leaf
    return leaf.value if edge is None else restore(leaf.value, edge, leaf.storage)


def _again(leaf: Any, edge: Edge | None) -> Any:
    """An argument again, for the user's own function."""
    if type(leaf) is not Variable:
        return leaf
    return Variable.make(leaf.value, leaf.edge if edge is None else edge, leaf.storage)


def _note_line(node: Node, result: Any) -> None:
    """Give what runs again its line in the user's file."""
    for each in result if isinstance(result, (tuple, list)) else (result,):
        edge = getattr(each, "edge", None)
        if edge is not None and node.where is not None:
            edge[0].where = where_of(node.where.filename, node.where.line)
