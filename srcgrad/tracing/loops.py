"""``with_loops``: a recording in which the loops are loops.

Where that cannot be, each iteration stays as it was recorded, which is always right.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from srcgrad.graph import Joint, Node, Value, walk
from srcgrad.tape.function import has_edge
from srcgrad.tape.variable import Variable
from srcgrad.tracing.containment import stage
from srcgrad.tracing.loop_gradients import differentiated
from srcgrad.tracing.recorder import Recorder
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
) -> WithLoops | None:
    """Roll the loops of a run, and differentiate it again; None if that cannot be.

    ``values`` are the outputs, and ``roots`` those of these that have a gradient, on
    the tape. ``held`` is what has to be at hand on the way back.
    """
    writer = recorder.writer
    if not writer.loops or len(roots) > 1 or recorder.has_user_backward:
        return None
    tape = recorder.joint(values, [], [])
    with stage("the rolling of loops"):
        graph, raws = writer.rolled(tape)
        if graph is tape or not _is_covered(graph, map(writer.final, held)):
            return None
        active = [has_edge(variable) for variable in inputs]
        if not roots or not any(active):
            return WithLoops(tape, graph)
        root = writer.final(writer.value_of(roots[0]))
        try:
            return WithLoops(tape, differentiated(graph, raws, active, root))
        except Refusal:
            return None


def _is_covered(graph: Joint, held: Any) -> bool:
    made = {value for step in graph.nodes for value in step.results}
    return made.issuperset(held) and not any(
        isinstance(step, Node) and step.function in MARKS for step in walk(graph)
    )
