"""``Walked``: the way back of a run, as it was walked, or by what its loops do."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from srcgrad.deadline import compiles
from srcgrad.graph import Joint
from srcgrad.steps import Value
from srcgrad.tape.engine import ExecutionEngine
from srcgrad.tape.function import Edge, has_edge
from srcgrad.tape.variable import Variable, restore
from srcgrad.tracing.capture.captured_reads import CapturedReads
from srcgrad.tracing.capture.closing import check_writes
from srcgrad.tracing.containment import stage
from srcgrad.tracing.graphs.joints import marking
from srcgrad.tracing.graphs.recorder import Recorder
from srcgrad.tracing.refusal import give_up
from srcgrad.tracing.runs.ends import Ends, ends_of
from srcgrad.tracing.runs.ran import Ran
from srcgrad.tracing.runs.rolled_runs import rolled_as_it_ran
from srcgrad.tracing.runs.with_loops import StartAgain, WithLoops, with_loops
from srcgrad.transforms.partition.stages import without_marks
from srcgrad.updates import moved


class Walked(NamedTuple):
    """Where a run has ended, with its loops, or its walk back without them.

    ``derived`` is what a transform on arrays has derived.
    """

    ends: Ends
    loops: WithLoops | None
    cotangents: Sequence[Value]
    gradients: Sequence[Any]
    derived: Any

    def graphs(self, recorder: Recorder, ran: Ran) -> tuple[Joint, Joint]:
        """The graph as the tape has it, and as it is compiled."""
        ends, loops = self.ends, self.loops
        if loops is not None:
            graph = loops.graph_with(ends.residuals)
            return loops.tape, replace(graph, derives=ran.is_whole)
        joint = recorder.joint(
            ends.values, self.cotangents, self.gradients, ends.inner, ends.residuals
        )
        joint = replace(joint, derives=ran.is_whole)
        if ran.is_whole and ran.line is None:
            return joint, rolled_as_it_ran(recorder.writer, joint)
        return joint, without_marks(joint, mark=moved)

    def copied(self, recorder: Recorder) -> tuple[Value, ...]:
        """What a second derivative needs copies of: it may be changed unnoticed."""
        if self.loops is not None:
            return self.loops.copied
        # A user's function may run again, on copies of what has no version.
        return self.ends.residuals.unversioned if recorder.has_user_backward else ()


def walked(recorder: Recorder, reads: CapturedReads, ran: Ran) -> Walked:
    """Roll the loops of a run, and walk back through it where that cannot be."""
    compiles()
    counted = ran.have_versions()
    may_have_loops = ran.line is None and (not ran.is_whole or recorder.walks_once)
    with stage("the recording of results"):
        ends = ends_of(recorder, ran.out_leaves, ran.inputs, counted, ran.is_whole)
    _check_writes(recorder, reads, ran, ends)
    loops = None
    if may_have_loops:
        loops = with_loops(recorder, ends, ran.inputs, ran.derived)
    elif recorder.has_left_out_a_walk:
        raise StartAgain
    if loops is not None:
        ends = ends._replace(reach=ends.reach.with_ends(loops.by_arm_bits))
        return Walked(ends, loops, (), (), ran.derived)
    cotangents, gradients = _backward(
        recorder, ends.roots, ran.inputs, set(filter(None, ends.inner))
    )
    if ran.line is not None:
        cotangents, derived = _along(recorder, ran.line)
        return Walked(ends, None, cotangents, derived, derived)
    if ran.is_whole:
        gradients = ran.derived
    return Walked(ends, None, cotangents, gradients, ran.derived)


def _check_writes(
    recorder: Recorder, reads: CapturedReads, ran: Ran, ends: Ends
) -> None:
    """Refuse writes into arrays of the environment that a way back needs."""
    if not reads.effects.written:
        return
    if ran.is_whole:
        check_writes(reads, recorder.walked_from())
    elif any(map(has_edge, ran.inputs)):
        check_writes(reads, map(recorder.writer.value_of, ends.roots))


def _along(recorder: Recorder, line: Any) -> tuple[list[Value], list[Any]]:
    """Record what tangents become: they are inputs of the backward graph."""
    pairs = [recorder.add_cotangent(v, "{}_dot") for v in line.variables]
    with np.errstate(all="ignore"):  # the tangents are not the user's
        derived = line.tangents([tangent for tangent, _ in pairs], True)
    return [value for _, value in pairs], derived


def _backward(
    recorder: Recorder,
    roots: Sequence[Any],
    inputs: Sequence[Variable],
    inner: Collection[Edge],
) -> tuple[list[Value], list[Any]]:
    """Run the engine under the recorder; the gradient of each input, or None.

    ``inner`` are the results that others are computed from.
    """
    if not roots or not any(map(has_edge, inputs)):
        return [], [None] * len(inputs)
    if len(roots) > 1 and recorder.has_user_backward:
        # What a user's `backward` gives need not depend on what it gets: without some
        # of the cotangents it could not be told whether it runs at all.
        give_up("returns several results, and calls a Function of the user's")
    cotangents = [recorder.add_cotangent(leaf) for leaf in roots]
    targets = list(dict.fromkeys(v.edge for v in inputs if v.edge and has_edge(v)))

    engine = ExecutionEngine(True, restore, is_inner=True, passing=marking(inner))
    with np.errstate(all="ignore"):  # the cotangent is not the user's
        found = dict(
            engine.run_backward(
                [
                    (leaf.edge, g)
                    for leaf, (g, _) in zip(roots, cotangents, strict=True)
                ],
                targets,
            )
        )
    gradients = []
    for variable in inputs:
        # An argument that is given twice has one gradient.
        g = found.pop(variable.edge, None) if variable.edge is not None else None
        gradients.append(g)
    return [value for _, value in cotangents], gradients
