"""``Path``: one way through a function that an algorithm calls, compiled.

Its graph takes what the algorithm gives, and what the function reads around it. The way
back is compiled when it is asked for; where that is to be differentiated itself, the
graph runs step by step on the tape.
"""

import functools
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad import emit
from srcgrad.graph import Partition
from srcgrad.modes import override, state
from srcgrad.protocols import raw_of
from srcgrad.pytree import unflatten
from srcgrad.steps import Guard
from srcgrad.tape.engine import ExecutionEngine
from srcgrad.tape.function import has_edge
from srcgrad.tape.variable import Variable, restore
from srcgrad.tracing.algorithms.callback_recordings import CallbackRecording
from srcgrad.tracing.graphs.joints import BodyFunction, Linearized, edge_of
from srcgrad.tracing.graphs.loop_gradients import linearize_loop
from srcgrad.tracing.graphs.segments import run_node
from srcgrad.transforms import optimize, scalarized, split, with_writes
from srcgrad.transforms.partition.stages import without_marks
from srcgrad.updates import again


class Path:
    """One way through a function, compiled."""

    def __init__(self, run: CallbackRecording, places: Sequence[int]) -> None:
        self.graph, self._raws = run.graph, run.raws
        self.name, self._structure = run.name, run.structure
        self._fixed, self._is_output = run.fixed, run.is_output
        self._given = len(run.inputs)
        self._places = places
        # As the user wrote it, to the bit: algorithms make much of a little rounding.
        self._module = emit.build(run.name, with_writes(Partition(run.graph)))
        self._is_single = len(run.graph.outputs) == 1
        self._pulls: dict[tuple[bool, ...], Pull | None] = {}
        # For some arguments of a call what the graph takes of these, and where to.
        self._plans: dict[tuple[int, tuple[int, ...]], Any] = {}

    def inputs(self, given: Sequence[Any], captured: Sequence[Any]) -> list[Any]:
        """What the graph takes."""
        return [*given, *[captured[place] for place in self._places]]

    def outputs(self, given: Sequence[Any], captured: Sequence[Any]) -> Any:
        """What the function computes; None if it would go another way."""
        forward: Any = self._module.forward
        result = forward(*self.inputs(given, captured))
        if type(result) is str:
            return None
        return (result,) if self._is_single else result

    def packed(self, outputs: Sequence[Any]) -> Any:
        """What the function gives."""
        found = iter(outputs)
        leaves = [
            next(found) if is_output else static
            for is_output, static in zip(self._is_output, self._fixed, strict=True)
        ]
        return unflatten(self._structure, leaves)

    def on_tape(
        self, count: int, args: Sequence[Any], raws: Sequence[Any]
    ) -> Sequence[Any]:
        """What the function has computed of Variables, with its node on the tape."""
        given = self.inputs(args[:count], args[count:])
        edges = tuple(map(edge_of, given))
        active = tuple([edge is not None for edge in edges])
        pull = self.pull_by(active)
        if pull is None:
            return raws
        node: PathFunction = PathFunction.link(edges, raws)
        node.path, node.pull, node.given = self, pull, given
        return [
            Variable.make(raw, (node, number) if flows else None)
            for number, (raw, flows) in enumerate(zip(raws, pull.flows, strict=True))
        ]

    def pulled(
        self, count: int, args: Sequence[Any], wanted: tuple[int, ...], g: Any
    ) -> Any:
        """What it computes, and its gradients, at once; see ``Callback.pull``.

        None if it would go another way.
        """
        plan = self._plans.get((count, wanted))
        if plan is None:
            numbers = [*range(self._given), *[count + place for place in self._places]]
            pull = self.pull_by(tuple([number in wanted for number in numbers]))
            at = [numbers.index(n) if n in numbers else None for n in wanted]
            plan = self._plans[count, wanted] = (numbers, pull, at)
        numbers, pull, at = plan
        inputs = [args[number] for number in numbers]
        found: list[Any] = [None] * len(inputs)
        if pull is None:
            outputs = self.outputs(args[:count], args[count:])
            if outputs is None:
                return None
            vector = as_vector(self.packed(outputs))
        else:
            result = pull.forward(inputs)
            if result is None:
                return None
            outputs, saved = result
            out = self.packed(outputs)
            vector = as_vector(out)
            g = g(vector) if callable(g) else g
            parts = (g,) if vector is out else itertools.compress(g, self._is_output)
            found = pull.back(saved, (*parts,))
        return vector, [
            np.zeros(np.shape(args[number]))
            if place is None or found[place] is None
            else found[place]
            for number, place in zip(wanted, at, strict=True)
        ]

    def pull_by(self, active: tuple[bool, ...]) -> "Pull | None":
        """The way back by some of the inputs; None if no gradient comes through."""
        if active not in self._pulls:
            self._pulls[active] = Pull.of(self, active)
        return self._pulls[active]

    def linearized(self, active: Sequence[bool]) -> Linearized:
        """The graph on the tape, where some of its inputs have a gradient."""
        return Linearized(
            self.graph, self._raws, active, functools.partial(linearize_loop, False)
        )

    def evaluated(self, given: Sequence[Any]) -> list[Any]:
        """What it computes of Variables, step by step on the tape."""
        held = dict(self.graph.constants) | dict(
            zip(self.graph.inputs, given, strict=True)
        )
        for step in self.graph.nodes:
            if type(step) is not Guard:  # they hold: it has run
                held.update(run_node(step, held))
        return [held[value] for value in self.graph.outputs]


class Pull:
    """The way back of a path, compiled, by some of its inputs.

    ``flows`` tells through which of its outputs a gradient comes.
    """

    def __init__(
        self, path: Path, linearized: Linearized, flows: Sequence[bool]
    ) -> None:
        graph = path.graph
        self.flows = flows
        self._roots = {
            value: number for number, value in enumerate(graph.outputs) if flows[number]
        }
        self._same = [
            [number for number, each in enumerate(graph.outputs) if each is root]
            for root in self._roots
        ]
        joint = linearized.joint([*self._roots], graph.inputs)
        partition = split(without_marks(optimize(joint), mark=again))
        self._gradients = partition.gradients
        self._module = emit.build(f"{path.name}, back", _written(partition))

    @classmethod
    def of(cls, path: Path, active: Sequence[bool]) -> "Pull | None":
        """None if no gradient comes through."""
        linearized = path.linearized(active)
        flows = [linearized.is_active(value) for value in path.graph.outputs]
        return cls(path, linearized, flows) if any(flows) else None

    def forward(self, inputs: Sequence[Any]) -> tuple[Sequence[Any], Any] | None:
        """The outputs, and what is saved; None if the path is not the one."""
        found = self._module.call_forward(inputs)
        return None if isinstance(found, str) else found

    def back(self, saved: Any, g: Sequence[Any]) -> list[Any]:
        """The gradients of the inputs, for cotangents of the outputs."""
        cotangents = [
            g[same[0]] if len(same) == 1 else sum(g[number] for number in same)
            for same in self._same
        ]
        gradients = iter(self._module.call_backward(saved, cotangents))
        return [None if v is None else next(gradients) for v in self._gradients]


class PathFunction(BodyFunction):
    """The node of a path: it goes back at once, or, if that is to be recorded, not."""

    __slots__ = ("given", "path", "pull")
    materializes = True

    path: Path
    pull: Pull
    given: Sequence[Any]

    def name(self) -> str:
        """What its gradients are called after."""
        return "CallbackBackward"

    def pull_back(self, g: Any, needed: Any, wrap: Any) -> Sequence[Any]:
        cotangents = g if self.metas is not None else (g,)
        if wrap is None:
            found = self.pull.forward([raw_of(item) for item in self.given])
            assert found is not None
            return self.pull.back(found[1], cotangents)
        with override(grad_enabled=True):
            places = [
                np.positive(item) if edge is not None else item
                for item, edge in zip(self.given, self.edges, strict=True)
            ]
            outputs = self.path.evaluated(places)
        roots = [
            (each.edge, part)
            for each, part in zip(outputs, cotangents, strict=True)
            if has_edge(each) and part is not None
        ]
        engine = ExecutionEngine(True, restore, state.grad_enabled, is_inner=True)
        targets = [place.edge for place in places if edge_of(place) is not None]
        arrived = dict(engine.run_backward(roots, targets))
        return [arrived.get(edge_of(place)) for place in places]


def _written(partition: Partition) -> Partition:
    return with_writes(scalarized(partition))


def as_vector(out: Any) -> Any:
    """What a function gives, as algorithms read it: a list as a vector."""
    return np.stack(out) if isinstance(out, (list, tuple)) else out
