"""``joint_of``: the backward graph of a graph, recorded from a walk back on the tape.

The forward graph is put on the tape as it is, with the values of the run that it was
recorded in; nothing of it runs again. A loop in it is one node there (``loop_nodes``).
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from srcgrad.errors import where_of
from srcgrad.graph import Graph, Joint
from srcgrad.modes import override
from srcgrad.protocols import ArrayProtocol, truth
from srcgrad.steps import NESTED, Guard, Node, Value, map_values
from srcgrad.tape.apply import put_on_tape
from srcgrad.tape.engine import ExecutionEngine
from srcgrad.tape.function import Edge, Function, Leaf, has_edge
from srcgrad.tape.variable import Variable, restore
from srcgrad.tracing.containment import quietly
from srcgrad.tracing.graphs.recorder import Recorder
from srcgrad.tracing.graphs.same_numbers import anew
from srcgrad.tracing.refusal import give_up
from srcgrad.transforms.loops.checkpoints import computed_again
from srcgrad.updates import mark_complete

# Puts a loop on the tape: its results, for the node and what stands for its arguments.
LayLoop = Callable[["Linearized", Node, Any], Sequence[Any]]


class Linearized:
    """A graph on the tape: what stands for its Values.

    ``raws`` are the values that they had; ``active`` tells which inputs have a
    gradient.
    """

    def __init__(
        self,
        graph: Graph,
        raws: Mapping[Value, Any],
        active: Sequence[bool],
        linearize_loop: LayLoop,
    ) -> None:
        self.graph = graph
        self.raws = raws
        self.recorder = Recorder()
        self.writer = self.recorder.writer
        self.linearize_loop = linearize_loop
        # Whether the walk back is written down there too: it can be once.
        self.is_walked = False
        self._held: dict[Value, Any] = {}
        # The same as arguments: indices are plain integers to the tape.
        self._given: dict[Value, Any] = {}
        self.writer.go_on_with(graph)
        for value, is_active in zip(graph.inputs, active, strict=True):
            raw = distinct(self.raw_of(value))
            edge = (Leaf.inside(raw), 0) if is_active else None
            self._hold(value, Variable.make(raw, edge))
        for value, array in graph.constants.items():
            self._hold(value, Variable.make(array, None))
        with override(grad_enabled=True, recorder=None):
            for step in graph.nodes:
                if type(step) is Node:
                    self._lay(step)

    def __getitem__(self, value: Value) -> Any:
        return self._held[value]

    def is_active(self, value: Value) -> bool:
        """Whether a gradient flows back from a Value."""
        return has_edge(self._held[value])

    def raw_of(self, value: Value) -> Any:
        """What a Value was in the run."""
        if value not in self.raws:
            give_up("has a loop with numbers of which nothing is known")
        return self.raws[value]

    def _hold(self, value: Value, variable: Any) -> None:
        self._held[value] = variable
        self._given[value] = variable.value if value.is_index else variable
        self.recorder.stands_for(variable, value)

    def _lay(self, node: Node) -> None:
        args, kwargs = self._arguments(node)
        if node.bodies:
            results: Any = self.linearize_loop(self, node, args)
        else:
            raws = tuple([distinct(self.raw_of(value)) for value in node.results])
            is_one = type(node.out) is Value
            results = raw = raws[0] if is_one else raws
            variables = self._variables(node)
            if variables:
                results = put_on_tape(node.function, args, kwargs, variables, raw)
            results = (results,) if is_one else results
        for value, result in zip(node.results, results, strict=True):
            if not isinstance(result, Variable):
                result = Variable.make(result, None)
            self._hold(value, result)
            if result.edge is not None and node.where is not None:
                where = where_of(node.where.filename, node.where.line)
                result.edge[0].where = where

    def _arguments(self, node: Node) -> tuple[Any, dict[str, Any]]:
        given = self._given
        if node.kwargs or not NESTED.isdisjoint(map(type, node.args)):
            args = map_values(given.__getitem__, node.args)
            return args, map_values(given.__getitem__, dict(node.kwargs))
        return tuple([given[a] if type(a) is Value else a for a in node.args]), {}

    def _variables(self, node: Node) -> list[Any]:
        """Those among the arguments, in order."""
        given = self._given
        return [given[value] for value in node.inputs if not value.is_index]

    def stand_in(self, value: Value) -> Any:
        """Something on the tape that stands for a result of a way back."""
        variable = Variable.make(zeros_of(value), None)
        self.writer.stands_for(variable.value, value, None)
        return variable

    def joint(
        self,
        roots: Sequence[Value],
        inputs: Sequence[Value],
        inner: Collection[Value] = (),
    ) -> Joint:
        """Walk back from some Values with a gradient to some inputs, recorded.

        ``inner`` are those of the roots that others are computed from.
        """
        assert not self.is_walked
        self.is_walked = True
        recorder = self.recorder
        edges = [self._held[value].edge if value in inner else None for value in roots]
        steps = len(self.graph.nodes)
        leaves = [self._held[value] for value in roots]
        targets = [self._held[value].edge for value in inputs if self.is_active(value)]
        with override(recorder=recorder, grad_enabled=True):
            cotangents = [recorder.add_cotangent(leaf) for leaf in leaves]
            lines = (step.where for step in reversed(self.graph.nodes) if step.where)
            self.writer.where = next(lines, None)
            passing = marking({edge for edge in edges if edge is not None})
            engine = ExecutionEngine(True, _restored, is_inner=True, passing=passing)
            starts = [  # but for what is flat, whichever arm runs
                (leaf.edge, g)
                for leaf, (g, _) in zip(leaves, cotangents, strict=True)
                if leaf.edge is not None
            ]
            found = dict(quietly(engine.run_backward, starts, targets))
        gradients = [found.get(self._held[value].edge) for value in inputs]
        joint = recorder.joint(
            self.graph.outputs, [value for _, value in cotangents], gradients, edges
        )
        if any(type(step) is Guard for step in joint.nodes[steps:]):
            give_up("has a loop whose gradient looks at values")
        return computed_again(joint, steps)


def marking(inner: Collection[Edge]) -> Callable[[Function, Any], Any] | None:
    """For a walk back: it marks where the cotangents at some edges are complete."""

    def passing(node: Function, g: Any) -> Any:
        if node.metas is None:
            return mark_complete(g) if (node, 0) in inner else g
        return [
            mark_complete(each)
            if (node, number) in inner and each is not None
            else each
            for number, each in enumerate(g)
        ]

    return passing if inner else None


class BodyFunction(Function):
    """The node of a loop or branch in a graph that is on the tape to be derived."""

    __slots__ = ("called", "gradients")
    materializes = False

    called: str
    gradients: Any

    def name(self) -> str:
        """What its gradients are called after."""
        return self.called

    def pull_back(self, g: Any, needed: Any, wrap: Any) -> Sequence[Any]:
        found: Sequence[Any] = self.gradients(g)
        return found


def on_tape(
    called: str,
    gradients: Callable[[Sequence[Any]], Sequence[Any]],
    edges: Sequence[Any],
    raws: Sequence[Any],
    flows: Sequence[bool],
) -> list[Any]:
    """The results of such a node; ``flows`` tells through which a gradient comes."""
    if not any(edges) or not any(flows):
        return [*raws]
    function: BodyFunction = BodyFunction.link(tuple(edges), raws)
    function.called, function.gradients = called, gradients
    return [
        Variable.make(raw, (function, number) if flow else None)
        for number, (raw, flow) in enumerate(zip(raws, flows, strict=True))
    ]


def off_the_walk(item: Any, edge: Edge) -> Any:
    """Something at a place on the tape from which nothing flows back.

    In the other arm of a branch it depends on what is at ``edge``.
    """
    function: BodyFunction = BodyFunction.link((edge,), [item.value])
    function.called, function.gradients = "BranchBackward", lambda g: (None,)
    return type(item).make(item.value, (function, 0))


def edge_of(item: Any) -> Any:
    """Where a gradient of an argument goes; None if it has none."""
    is_live = isinstance(item, ArrayProtocol) and has_edge(item)
    return item.edge if is_live else None


def zeros_of(value: Value) -> Any:
    """Zeros of a Value's kind, shape and dtype: an array of its own each time."""
    zero = value.dtype.type(0)
    return zero if value.kind == "scalar" else np.zeros(value.shape, value.dtype)


def _restored(raw: Any, edge: Any, storage: Any) -> Any:
    """What a node has saved, as a Variable; but indices as they are."""
    return raw if type(raw) is np.int64 else restore(raw, edge, storage)


def distinct(raw: Any) -> Any:
    """The same as another object: on the tape a value is known by its identity."""
    kind = type(raw)
    if kind is np.float64 or kind is float:  # as most are
        return anew(raw)
    if isinstance(raw, np.ndarray):
        return raw.view()
    if isinstance(raw, np.bool_):
        return truth(raw)
    if kind is int:  # Python has one object for all small ones that are equal
        return np.int64(raw)
    return anew(raw) if isinstance(raw, (float, complex, np.generic)) else raw
