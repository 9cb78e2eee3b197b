"""``with_loops``: a recording in which the loops are loops.

Where that cannot be, each iteration stays as it was recorded, which is always right.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from srcgrad.graph import Graph, Joint, Node, Step, Value, walk
from srcgrad.tape.function import has_edge
from srcgrad.tape.variable import Variable
from srcgrad.tracing.containment import stage
from srcgrad.tracing.loop_gradients import differentiated
from srcgrad.tracing.recorder import Recorder, WalkBack
from srcgrad.tracing.refusal import Refusal
from srcgrad.tracing.saves import Saves
from srcgrad.transforms.iterations import MARKS


@dataclass(frozen=True, slots=True)
class WithLoops:
    """What a recording comes to: ``tape`` is the run as it was, without loops."""

    tape: Joint
    graph: Joint

    def graph_with(self, recorder: Recorder, saves: Saves) -> Joint:
        """The graph, with what the tape has kept of what is in it."""
        made = {value for step in self.graph.nodes for value in step.results}

        def left(values: Sequence[Value]) -> tuple[Value, ...]:
            final = map(recorder.writer.final, values)
            return tuple(value for value in final if value in made)

        return replace(self.graph, kept=left(saves.kept), held=left(saves.held))


def with_loops(
    recorder: Recorder,
    values: Sequence[Value],
    roots: Sequence[Variable],
    inputs: Sequence[Variable],
    held: Collection[Value],
    derived: Sequence[Any] | None,
) -> WithLoops | None:
    """Roll the loops of a run, and differentiate it again; None if that cannot be.

    Parameters
    ----------
    recorder : Recorder
        What the run was recorded with.
    values : sequence of Value
        The outputs.
    roots : sequence of Variable
        Those of these that have a gradient, on the tape.
    inputs : sequence of Variable
        Those of the graph.
    held : collection of Value
        What has to be at hand on the way back.
    derived : sequence of (Variable or None), or None
        What a transform has derived.
    """
    count = len(roots) if derived is None else len(recorder.walks)
    if not recorder.writer.loops or recorder.has_user_backward or count > 1:
        return None
    with stage("the rolling of loops"):
        tape = recorder.joint(values, (), () if derived is None else derived)
        try:
            if derived is None and not recorder.walks:
                graph = _rolled(recorder, tape, roots, inputs, held)
            elif recorder.walks and derived is not None:
                graph = _Walked(recorder, tape, recorder.walks[0]).rolled()
            else:
                return None
        except Refusal:
            return None
        return None if graph is None else WithLoops(tape, graph)


def _rolled(
    recorder: Recorder,
    tape: Joint,
    roots: Sequence[Variable],
    inputs: Sequence[Variable],
    held: Collection[Value],
) -> Joint | None:
    """The graph of a call, the backward half included, if there is one."""
    writer = recorder.writer
    graph, raws = writer.rolled(tape, len(tape.nodes) - writer.count())
    if graph is tape or not _is_covered(graph, map(writer.final, held)):
        return None
    active = [has_edge(variable) for variable in inputs]
    if not roots or not any(active):
        return graph
    root = writer.final(writer.value_of(roots[0]))
    return differentiated(graph, raws, active, root)


class _Walked:
    """The run of a transform: forward, one walk back, and perhaps something more."""

    def __init__(self, recorder: Recorder, tape: Joint, back: WalkBack) -> None:
        self.recorder, self.tape, self.back = recorder, tape, back
        self.final = recorder.writer.final
        self.guards = guards = len(tape.nodes) - recorder.writer.count()
        start, end = back.start + guards, back.end + guards
        self.first = tape.nodes[:start]
        self.last = tape.nodes[end:]
        self.walked = {v for step in tape.nodes[start:end] for v in step.results}

    def rolled(self) -> Joint | None:
        """The same with loops, forward and backward."""
        tape, back = self.tape, self.back
        value_of = self.recorder.writer.value_of
        if len(back.starts) != 1:
            return None
        ((root, g),) = back.starts
        targets = {edge: self.final(back.places[edge]) for edge in back.places}
        if not set(tape.inputs).issuperset(targets.values()):
            return None
        out = self.final(self.recorder.value_at(root))
        made = {value for step in self.first for value in step.results}
        later = {value for step in self.last for value in step.inputs}
        later.update(tape.outputs, (v for v in tape.gradients if v is not None))
        outputs = (out, *(value for value in later if value in made))
        forward = Joint(tape.inputs, self.first, outputs, tape.constants)
        graph, raws = self.recorder.writer.rolled(forward, self.guards)
        if graph is forward or not _is_covered(graph, ()):
            return None
        active = [value in targets.values() for value in tape.inputs]
        joint = differentiated(graph, raws, active, out)
        found = dict(zip(joint.inputs, joint.gradients, strict=True))
        new: dict[Value, Value] = {}
        for edge, gradient in back.found.items():
            gradient_now = found[targets[edge]]
            if gradient_now is None:
                return None
            new[self.final(value_of(gradient))] = gradient_now
        if not later & self.walked <= new.keys():
            return None
        start = {joint.cotangents[0]: self.final(value_of(g))}
        return self._together(joint, start, new)

    def _together(
        self, joint: Joint, start: dict[Value, Value], new: dict[Value, Value]
    ) -> Joint:
        """Both halves, and what comes after them."""
        nodes: list[Step] = [step.with_values(start) for step in joint.nodes]
        nodes += [step.with_values(new) for step in self.last]
        gradients = (
            None if g is None else start.get(new.get(g, g), new.get(g, g))
            for g in self.tape.gradients
        )
        return replace(
            self.tape,
            nodes=tuple(nodes),
            constants={**self.tape.constants, **joint.constants},
            gradients=tuple(gradients),
        )


def _is_covered(graph: Graph, held: Iterable[Value]) -> bool:
    made = {value for step in graph.nodes for value in step.results}
    return made.issuperset(held) and not any(
        isinstance(step, Node) and step.function in MARKS for step in walk(graph)
    )
