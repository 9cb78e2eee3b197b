"""``with_loops``: a recording in which the loops are loops.

Where that cannot be, each iteration stays as it was recorded, which is always right.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from srcgrad.branches import Branch
from srcgrad.deadline import compiles
from srcgrad.errors import InplaceError
from srcgrad.graph import Graph, Joint, walk
from srcgrad.loops import Loop
from srcgrad.modes import override, state
from srcgrad.policy import MOST_ROOTS
from srcgrad.protocols import raw_of
from srcgrad.steps import Node, Step, Value
from srcgrad.tape.engine import ExecutionEngine
from srcgrad.tape.function import Edge, Leaf, has_edge
from srcgrad.tape.variable import Variable
from srcgrad.tracing.containment import stage
from srcgrad.tracing.graphs.joints import distinct, zeros_of
from srcgrad.tracing.graphs.loop_gradients import differentiated
from srcgrad.tracing.graphs.reach import bits_of
from srcgrad.tracing.graphs.recorder import Recorder, WalkBack
from srcgrad.tracing.graphs.residuals import Residuals
from srcgrad.tracing.refusal import InFull, Refusal, give_up
from srcgrad.tracing.runs.arm_reach import Flow, asked_in, flows_to
from srcgrad.tracing.runs.ends import Ends
from srcgrad.tracing.runs.loop_reach import as_reached
from srcgrad.tracing.runs.rolled_runs import rolled_run, run_of_any_count, shortest_of
from srcgrad.transforms.branches.branching import settled
from srcgrad.transforms.branches.own_arguments import (
    reads_callers,
    with_own_arguments,
)
from srcgrad.transforms.branches.sharing import shared_with_arms
from srcgrad.transforms.branches.sinking import AbsentError, reached, sunk
from srcgrad.transforms.loops.iterations import MARKS
from srcgrad.transforms.loops.loop_bodies import read_as_made


@dataclass(frozen=True, slots=True)
class WithLoops:
    """What a recording comes to: ``tape`` is the run as it was on the tape.

    It has no loops, but for those that run as often as they have to. ``copied`` are the
    arguments of which a copy is kept for as long as the loops may be run again: what
    was computed of them is in the loops, and cannot be had one by one.
    ``own`` has the copies that branches read of arguments with a version.
    ``by_arm`` are the inputs that have a gradient after some arms (``arm_reach``).
    ``read`` is what branches read in it: of their arms nothing is at hand later.
    """

    tape: Joint
    graph: Joint
    copied: tuple[Value, ...] = ()
    own: Mapping[Value, Value] = field(default_factory=dict)
    by_arm: Mapping[Value, Flow] = field(default_factory=dict)
    read: tuple[Value, ...] = ()

    @property
    def by_arm_bits(self) -> int:
        """The numbers of the inputs that are ``by_arm`` reached, as bits."""
        return bits_of(k for k, v in enumerate(self.graph.inputs) if v in self.by_arm)

    def graph_with(self, residuals: Residuals) -> Joint:
        """The graph, with what the tape has kept of what is in it."""
        made = {value for step in self.graph.nodes for value in step.results}

        def left(values: Sequence[Value]) -> tuple[Value, ...]:
            return tuple(value for value in values if value in made)

        # With copies all can be computed again, but for what is read as it was made.
        held = read_as_made(self.graph) if self.copied else left(residuals.held)
        flows = self.by_arm.values()
        tests = dict.fromkeys(test for flow in flows for test in asked_in(flow))
        kept = (*left(residuals.kept), *self.own.values(), *tests)
        held = tuple(dict.fromkeys((*held, *tests)))
        return replace(self.graph, residuals=kept, held=held)


def with_loops(
    recorder: Recorder,
    ends: Ends,
    inputs: Sequence[Variable],
    derived: Sequence[Any] | None,
) -> WithLoops | None:
    """Roll the loops of a run, and differentiate it again; None if that cannot be.

    Parameters
    ----------
    recorder : Recorder
        What the run was recorded with.
    ends : Ends
        Where that has ended.
    inputs : sequence of Variable
        Those of the graph.
    derived : sequence of (Variable or None), or None
        What a transform has derived.
    """
    walks, writer = recorder.walks, recorder.writer
    if derived is None:
        is_long = len(ends.roots) > MOST_ROOTS
    else:
        # An inner walk alone: the outer one found nothing, which other arms may do.
        is_long = len(walks) > 1 or any(back.is_inner for back in walks)
    is_plain = not (writer.loops or writer.speculations)
    if is_plain or recorder.has_user_backward or is_long:
        _start_again_if_need_be(recorder)
        return None
    with stage("the rolling of loops", InplaceError):
        results = () if derived is None else derived
        tape, found = recorder.joint(ends.values, (), results), None
        try:
            if derived is None and not walks:
                found = _rolled(recorder, tape, ends, inputs)
            elif walks and recorder.walks_once and derived is not None:
                graph = _Walked(recorder, tape, walks[0]).rolled()
                found = None if graph is None else WithLoops(tape, graph)
            elif writer.has_known_loops and not walks:
                found = _rolled_forward(recorder, tape)
        except Refusal as reason:
            if writer.speculations:
                _keep_one_arm(recorder, reason)
                return with_loops(recorder, ends, inputs, derived)
    if found is not None:
        if derived is None:
            reach = ends.reach.with_ends(found.by_arm_bits)
            found = replace(found, graph=as_reached(found.graph, reach))
        return found
    _start_again_if_need_be(recorder)
    return None


def _keep_one_arm(recorder: Recorder, reason: Refusal) -> None:
    """Forget the other arms, and note why: loops may be loops without them.

    Raises
    ------
    InFull
        If loops have run with them.
    """
    if recorder.writer.has_known_loops:
        raise InFull from reason
    recorder.writer.speculations.clear()
    # The line that runs now is none of the traced function's.
    why = str(reason).rpartition(": ")[2]
    recorder.notes.append(f"has one arm of each `if`, and guards, for it {why}")


def _start_again_if_need_be(recorder: Recorder) -> None:
    if recorder.has_left_out_a_walk:
        raise StartAgain


def _rolled(
    recorder: Recorder,
    tape: Joint,
    ends: Ends,
    inputs: Sequence[Variable],
) -> WithLoops | None:
    """The graph of a call, the backward graph included, if there is one."""
    writer = recorder.writer
    guards = len(tape.nodes) - writer.count()
    # What others are computed from has to be seen when its cotangent is complete.
    shortest, but_last = shortest_of(writer, tape), any(ends.inner)
    outs = [writer.value_of(root) for root in ends.roots]
    active = [has_edge(variable) for variable in inputs]
    leaves = {v for v, is_active in zip(tape.inputs, active, strict=True) if is_active}
    before, graph, raws = run_of_any_count(
        writer, tape, guards, shortest, but_last, outs, leaves
    )
    if graph is tape or not _is_covered(graph):
        return None
    is_known = writer.has_known_loops
    opened = [
        step for step in graph.nodes if _is_open(step) or _is_loop(step, is_known)
    ]
    if is_known:
        before = graph
    run = graph if opened else before
    read = _read_again(before, ends.residuals)
    if not ends.roots or not any(active):
        return WithLoops(run, graph, read=read)
    made = {value for step in graph.nodes for value in step.results}
    held = set(ends.residuals.held)
    holds = not held <= made
    # What a loop of any count begins with has to be at hand, to run it again; what a
    # branch reads, too.
    again = {value for step in opened for value in step.inputs}.union(read)
    again |= held if holds else set()
    copied = _sources(before, again, ends.residuals.unversioned)
    # What the tape refuses, an array changed that was saved, it refuses here too.
    starts = [(v.edge, np.ones(v.shape, v.dtype)[()]) for v in ends.roots]
    _walked_back(starts, [v.edge for v in inputs if has_edge(v)])
    inner = {out for out, edge in zip(outs, ends.inner, strict=True) if edge}
    if any(step.bodies and inner.intersection(step.results) for step in graph.nodes):
        give_up(
            "returns what is computed in a loop, and what is computed from it there"
        )
    if not _has_branches(graph):
        graph = differentiated(graph, raws, active, outs, inner, holds)
        return WithLoops(run, graph if len(outs) == 1 else _filling(graph), copied)
    if len(outs) > 1:
        give_up("returns several results, and has a branch")
    (out,) = outs
    versioned = set(before.inputs).difference(ends.residuals.unversioned)
    if not is_known:
        _check_callers(with_own_arguments(before, versioned)[0])
    arms_do = _sunk(graph, raws, active, out)
    graph = arms_do or graph
    by_arm = flows_to(graph, out, _possible_ends(graph, out, active))
    # The copies come last, or else arms would make them.
    graph, own = with_own_arguments(graph, versioned)
    raws.update({copy: np.copy(raws[value]) for value, copy in own.items()})
    graph = _with_gradients(graph, raws, active, out, holds, arms_do is None)
    _check_callers(graph)
    return WithLoops(run, graph, copied, own, by_arm, read)


def _rolled_forward(recorder: Recorder, tape: Joint) -> WithLoops | None:
    """The graph of a call of which nothing has a gradient."""
    writer = recorder.writer
    guards = len(tape.nodes) - writer.count()
    _, graph, _ = rolled_run(writer, tape, guards, shortest_of(writer, tape))
    return WithLoops(graph, graph) if _is_covered(graph) else None


def _filling(graph: Joint) -> Joint:
    """The graph with loops back that may start from zeros, where no cotangent is."""
    nodes = (
        replace(step, function=replace(step.function, fills=True))
        if type(step) is Node and type(step.function) is Loop and step.in_backward
        else step
        for step in graph.nodes
    )
    return replace(graph, nodes=tuple(nodes))


def _differentiated(
    graph: Joint,
    raws: dict[Value, Any],
    active: Sequence[bool],
    root: Value,
) -> Joint:
    """The graph and its backward graph; of branches only what flows flows back.

    If that cannot be, zeros flow where nothing does: they have to do no harm.
    """
    if not _has_branches(graph):
        return differentiated(graph, raws, active, [root])
    own = _sunk(graph, raws, active, root)
    return _with_gradients(own or graph, raws, active, root, False, own is None)


def _with_gradients(
    graph: Joint,
    raws: dict[Value, Any],
    active: Sequence[bool],
    root: Value,
    holds: bool,
    fills: bool,
) -> Joint:
    """The same of a graph with branches whose arms do what they can."""
    joint = differentiated(settled(graph), raws, active, [root], holds=holds)
    return replace(shared_with_arms(joint), fills=fills)


def _sunk(
    graph: Joint, raws: dict[Value, Any], active: Sequence[bool], root: Value
) -> Joint | None:
    """The graph with arms that do what only they differentiate, if that can be."""
    pairs = zip(graph.inputs, active, strict=True)
    try:
        return sunk(graph, {root}, {v for v, is_active in pairs if is_active}, raws)
    except AbsentError:
        return None


def _possible_ends(graph: Graph, root: Value, active: Sequence[bool]) -> set[Value]:
    """The arguments of which the arms that run decide whether they have a gradient."""
    ends = {v for v, is_active in zip(graph.inputs, active, strict=True) if is_active}
    ever, always = (reached(graph, {root}, each) for each in (False, True))
    return ends & ever - always


def _read_again(graph: Graph, residuals: Residuals) -> tuple[Value, ...]:
    """What a call replayed on the tape must have computed, beside what that has saved.

    That is what branches read. If the tape has saved what has another kind by now (see
    `mixed_kinds`), that is all.
    """
    made = {value for step in graph.nodes for value in step.results}
    if not made.union(graph.inputs, graph.constants).issuperset(residuals.read):
        return tuple(made)
    return _read_by_branches(graph)


def _read_by_branches(graph: Graph) -> tuple[Value, ...]:
    nodes = [
        step
        for step in graph.nodes
        if type(step) is Node and type(step.function) is Branch
    ]
    return tuple(dict.fromkeys(value for node in nodes for value in node.inputs))


def _check_callers(graph: Graph) -> None:
    """Refuse arms that read what may have changed when they run again.

    Raises
    ------
    Refusal
        If there is one.
    """
    if reads_callers(graph, graph.inputs):
        give_up("has a branch that reads what its caller may change")


def _has_branches(graph: Graph) -> bool:
    return Branch in [type(step.function) for step in walk(graph)]


def _sources(
    graph: Graph, values: Collection[Value], inputs: Iterable[Value]
) -> tuple[Value, ...]:
    """Those of the inputs that some values are computed of, and of nothing unseen."""
    wanted = set(values)
    for step in reversed(graph.nodes):
        if type(step) is Node and not wanted.isdisjoint(step.results):
            inside = walk(Graph((), (step,), ())) if step.bodies else (step,)
            if any(s.has_effect and not s.bodies and type(s) is Node for s in inside):
                give_up("has a loop with something that cannot be computed again")
            wanted.update(step.inputs)
    return tuple(value for value in inputs if value in wanted)


def _is_loop(step: Step, is_known: bool) -> bool:
    return is_known and type(step) is Node and type(step.function) is Loop


def _is_open(step: Step) -> bool:
    loop = step.function if type(step) is Node else None
    exit_condition = loop.exit_condition if type(loop) is Loop else None
    return exit_condition is not None and not exit_condition.is_known


def _walked_back(
    starts: Sequence[tuple[Any, Any]], targets: Sequence[Any]
) -> dict[Edge, Any]:
    """What the tape finds, of arrays; nothing of it is recorded."""
    with override(recorder=None), np.errstate(all="ignore"):
        engine = ExecutionEngine(True, is_inner=True)
        return dict(engine.run_backward(starts, [*dict.fromkeys(targets)]))


class StartAgain(Exception):  # noqa: N818 (no fault)
    """The walk back was not recorded, and it turns out that it has to be."""


def walk_with_loops(
    recorder: Recorder, starts: Sequence[tuple[Edge, Any]], targets: Sequence[Edge]
) -> WalkBack | None:
    """Walk back through a run with its loops rolled, rather than step by step.

    None if that cannot be; what is found is what the tape finds.
    """
    writer = recorder.writer
    if not (writer.loops or writer.speculations):
        return None
    if writer.is_in_loop or recorder.has_user_backward:
        return None
    if state.depth != 1 or any(type(edge[0]) is not Leaf for edge in targets):
        return None
    if any(has_edge(g) for _, g in starts):
        return None  # it is walked back through the walk back
    compiles()
    with stage("the rolling of loops"):
        writer.names.give(recorder.value_at(starts[0][0]), "out")
        places = recorder.target_values(targets)
        back = WalkBack(writer.count(), starts, places)
        back.end = back.start
        back.joint = _joint_of_walk(recorder, back)
        if back.joint is None:
            return None
    joint = back.joint
    found = _walked_back([(edge, raw_of(g)) for edge, g in starts], targets)
    gradients = dict(zip(joint.inputs, joint.gradients, strict=False))
    for edge, place in back.targets.items():
        gradient = None if place is None else gradients.get(place)
        if gradient is not None and edge not in found:
            # Through another arm there is one.
            found[edge] = zeros_of(gradient)
    for edge, raw in found.items():
        variable = Variable.make(distinct(raw), None)
        writer.define(variable.value)
        back.found[edge] = variable
    return back


def _joint_of_walk(recorder: Recorder, back: WalkBack) -> Joint | None:
    """The run up to a walk back, with its loops rolled; None if that cannot be."""
    tape = recorder.joint((), (), ())
    recorder.writer.keep_names()
    # Where something is drawn, the run cannot start again.
    if any(type(step) is Node and step.has_effect for step in tape.nodes):
        return None
    try:
        return _Walked(recorder, tape, back).joint(())
    except Refusal as reason:
        if not recorder.writer.speculations:
            return None
        _keep_one_arm(recorder, reason)
    return _joint_of_walk(recorder, back)


class _Walked:
    """The run of a transform: forward, one walk back, and perhaps something more."""

    def __init__(self, recorder: Recorder, tape: Joint, back: WalkBack) -> None:
        self.recorder, self.tape, self.back = recorder, tape, back
        writer = recorder.writer
        self.guards = guards = len(tape.nodes) - writer.count()
        start, end = back.start + guards, back.end + guards
        self.first = tape.nodes[:start]
        self.last = tape.nodes[end:]
        self.walked = {v for step in tape.nodes[start:end] for v in step.results}

    def rolled(self) -> Joint | None:
        """All of it with loops, forward and backward."""
        later = {value for step in self.last for value in step.inputs}
        later.update(self.tape.outputs)
        later.update(value for value in self.tape.gradients if value is not None)
        made = {value for step in self.first for value in step.results}
        joint = self.back.joint
        if joint is None:
            joint = self.joint([value for value in later if value in made])
        if joint is None:
            return None
        new = self._gradients(joint)
        inside = {value for step in joint.nodes for value in step.results}
        if new is None or not later & made <= inside:
            return None
        if not later & self.walked <= new.keys():
            return None
        g = self.recorder.writer.value_of(self.back.starts[0][1])
        return self._together(joint, {joint.cotangents[0]: g}, new)

    def joint(self, wanted: Sequence[Value]) -> Joint | None:
        """The forward graph with loops, and the backward graph of that."""
        tape, back = self.tape, self.back
        places = [back.targets[edge] for edge in back.targets]
        if len(back.starts) != 1 or None in places:
            return None
        targets = {place for place in places if place is not None}
        if not targets.issubset(tape.inputs):
            return None
        out = self.recorder.value_at(back.starts[0][0])
        forward = Joint(tape.inputs, self.first, (out, *wanted), tape.constants)
        writer = self.recorder.writer
        shortest = shortest_of(writer, forward)
        _, graph, raws = rolled_run(writer, forward, self.guards, shortest)
        if graph is forward or not _is_covered(graph):
            return None
        active = [value in targets for value in tape.inputs]
        return _differentiated(graph, raws, active, out)

    def _gradients(self, joint: Joint) -> dict[Value, Value] | None:
        """For what was found on the tape, what is in the graph instead."""
        value_of = self.recorder.writer.value_of
        found = dict(zip(joint.inputs, joint.gradients, strict=False))
        new: dict[Value, Value] = {}
        for edge, place in self.back.targets.items():
            assert place is not None
            before = self.back.found.get(edge)
            gradient = found.get(place)
            if (gradient is None) != (before is None):
                return None
            if gradient is not None:
                new[value_of(before)] = gradient
        return new

    def _together(
        self, joint: Joint, start: dict[Value, Value], new: dict[Value, Value]
    ) -> Joint:
        """Forward and backward, and what comes after them."""
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
            fills=joint.fills,
        )


def _is_covered(graph: Graph) -> bool:
    return MARKS.isdisjoint([step.function for step in walk(graph)])
