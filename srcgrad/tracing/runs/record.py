"""The tracer: runs a function once on the tape, and returns the graph of that run."""

import itertools
from collections.abc import Callable, Collection
from dataclasses import replace
from types import FunctionType
from typing import Any

import numpy as np

from srcgrad.codes import PerCode
from srcgrad.graph import Joint, walk
from srcgrad.modes import override, state
from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.pytree import unflatten
from srcgrad.selections import held, selections_in
from srcgrad.steps import Node, Value
from srcgrad.tracing.branches.kept_arrays import ToldApart
from srcgrad.tracing.capture.captured_reads import CapturedReads
from srcgrad.tracing.capture.instrumentation import RunCapture
from srcgrad.tracing.capture.returned import given_back
from srcgrad.tracing.containment import stage
from srcgrad.tracing.environment.draws import State
from srcgrad.tracing.environment.draws import restore as restore_draws
from srcgrad.tracing.environment.signature import STEADY, Changes, Signature
from srcgrad.tracing.graphs.interface import Interface
from srcgrad.tracing.graphs.reach import buffers_on
from srcgrad.tracing.graphs.recorder import Recorder, WalkBack
from srcgrad.tracing.refusal import InFull, Refusal, SetsInArms, UserError, WritesInto
from srcgrad.tracing.runs.loop_runs import is_told_inside, leaves_loop, run_loop
from srcgrad.tracing.runs.ran import Ran, ran
from srcgrad.tracing.runs.received import check_arguments
from srcgrad.tracing.runs.recording import (
    Interaction,
    OnTape,
    Outcome,
    Recording,
    WayBack,
    Whole,
)
from srcgrad.tracing.runs.replay import UsersFunction
from srcgrad.tracing.runs.walked import Walked, walked
from srcgrad.tracing.runs.with_loops import StartAgain, walk_with_loops
from srcgrad.tracing.user_code.instrument import leave_in_arms
from srcgrad.transforms.algebra.raising import keep_what_signals
from srcgrad.transforms.partition.forward_backward import forward_of

# What another attempt knows how to go about.
AGAIN = StartAgain, ToldApart, SetsInArms, WritesInto
# The functions whose loops are recorded iteration by iteration.
IN_FULL: PerCode[bool] = PerCode()


def record_in_full(function: FunctionType, recording: Recording) -> bool:
    """Record all iterations of a function's loops from now on, if that is another way.

    ``recording`` is one that could not be compiled.
    """
    has_loops = any(type(s) is Node and s.bodies for s in recording.graph.nodes)
    if not has_loops or IN_FULL.get(function.__code__):
        return False
    return IN_FULL.put(function.__code__, True)


def record(
    function: FunctionType,
    signature: Signature,
    changing: set[str] | None = None,
    changes: Changes = STEADY,
    drawn: list[State] | None = None,
) -> Recording:
    """Run a function on the tape, and record it forward and backward.

    If something that it computes has a gradient, the backward pass runs too, from ones.
    Of a transform on arrays what it derives is a further result of the forward graph.

    Parameters
    ----------
    function : function
        The user's, as it is; an instrumented copy of it runs.
    signature : Signature
        The arguments.
    changing : set of str
        The places of integers of the environment that change from call to call, and of
        arrays that are written into; it gets those of more.
    changes : Changes
        What of the arguments does.
    drawn : list
        Gets the states of the generators that the function draws from.

    Raises
    ------
    Refusal
        If generated code would not do what the function does. Nothing of the
        environment has been changed then.
    """
    drawn = [] if drawn is None else drawn
    changing = set() if changing is None else changing
    options = function, signature, changing, changes, drawn
    walk_instead: Any = walk_with_loops
    may_keep = True
    carries = IN_FULL.get(function.__code__) is None
    while True:
        try:
            return _record(walk_instead, may_keep, carries, *options)
        except InFull:
            carries = False
        except StartAgain:  # a walk back was left out that has to be in
            walk_instead = None
        except ToldApart:
            may_keep = False
        except SetsInArms as met:
            leave_in_arms(met.code)
        except WritesInto as met:
            if met.reference in changing:
                raise
            changing.add(met.reference)
        restore_draws(drawn)
        drawn.clear()


def _record(
    walk_instead: Callable[..., WalkBack | None] | None,
    may_keep: bool,
    carries: bool,
    function: FunctionType,
    signature: Signature,
    changing: Collection[str],
    changes: Changes,
    drawn: list[State],
) -> Recording:
    """The same, with what stands for the recording of a walk back through loops.

    ``may_keep``: arms may keep arrays that the other arm makes.
    """
    recorder = Recorder()
    transform = signature.transform
    recorder.may_select = transform is None or transform.walks_once
    is_of_arrays = not any(isinstance(leaf, ArrayProtocol) for leaf in signature.leaves)
    if is_of_arrays and getattr(signature.transform, "walks_once", False):
        recorder.walks_once, recorder.walk_instead = True, walk_instead
    if carries and (transform is None or recorder.walks_once):
        recorder.run_loop, recorder.leaves_loop = run_loop, leaves_loop
    reads = CapturedReads(recorder, RunCapture, changing, drawn)
    reads.branching.results.may_keep = may_keep
    try:
        return _recorded(function, signature, recorder, reads, changes)
    except (*AGAIN, InFull, UserError):
        raise
    except (Refusal, Exception) as error:
        if recorder.has_carried or recorder.copies:
            raise InFull from error  # it may be of what loops carry alone
        raise
    finally:
        reads.let_go()


def _recorded(
    function: FunctionType,
    signature: Signature,
    recorder: Recorder,
    reads: CapturedReads,
    changes: Changes,
) -> Recording:
    check_arguments(signature)
    # The mode is restored in any case; `ran` gives up if the function has changed it.
    modes = {"recorder": recorder, "grad_enabled": state.grad_enabled}
    with override(**modes, any_length=changes.lengths):
        run = ran(function, signature, recorder, reads, changes)
        if recorder.is_in_vain:
            raise InFull
        lengths = recorder.finish_lengths()
        back = walked(recorder, reads, run)
    with stage("the end of the recording"):
        return _written_down(function, signature, recorder, reads, run, back, lengths)


def _written_down(
    function: FunctionType,
    signature: Signature,
    recorder: Recorder,
    reads: CapturedReads,
    run: Ran,
    back: Walked,
    lengths: Any,
) -> Recording:
    """The recording of a run, when all is known of it."""
    stand_ins = [*run.leaves, *reads.inputs]
    leaves = [
        given_back(leaf, stand_ins, run.given, recorder) for leaf in run.out_leaves
    ]
    joint, graph = _graphs(recorder, reads, run, back)
    outputs, catching = back.ends.outputs, reads.catching
    users = None
    if recorder.has_user_backward:
        leaf = next((k for k, output in enumerate(outputs) if output.has_grad), 0)
        transform = signature.transform
        users = UsersFunction(function, signature.structure, leaf, transform)
    tape = _on_tape(recorder, joint, back, users)
    result = unflatten(run.structure, leaves)
    result, values = result if reads.effects else (result, ())
    whole, result = _packed(result, back.derived, run.pack, run.line)
    return Recording(
        graph=graph,
        interface=Interface.of(run.given, run.positions, outputs, run.structure),
        lengths=lengths,
        whole=whole,
        interaction=Interaction(
            reads.environment, reads.effects, catching.catches, catching.error_states
        ),
        tape=tape,
        back=_way_back(recorder, graph, run, back),
        outcome=Outcome(
            result, values, recorder.ran, notes=tuple(dict.fromkeys(recorder.notes))
        ),
    )


def _graphs(
    recorder: Recorder, reads: CapturedReads, run: Ran, back: Walked
) -> tuple[Joint, Joint]:
    """The graph of a run as the tape has it, and as it is compiled."""
    # Of what was selected Python may have seen the count after they were put together.
    selected = recorder.lengths.selected
    joint, graph = (
        replace(each, nodes=tuple(held(each.nodes, selected)))
        for each in back.graphs(recorder, run)
    )
    reads.acting.check_errors(walk(graph))
    if reads.catching.catches and reads.catching.error_states is not None:
        graph = keep_what_signals(graph)
    return joint, graph


def _on_tape(
    recorder: Recorder, joint: Joint, back: Walked, users: UsersFunction | None
) -> OnTape:
    # Values are named as the graph is made.
    ends, loops = back.ends, back.loops
    if loops is None and recorder.writer.has_known_loops:
        raise InFull
    edges = [] if recorder.walks_once else [root.edge for root in ends.roots]
    if recorder.has_carried and is_told_inside(edges, ends.nodes):
        raise InFull
    read = ends.residuals.read if loops is None else (*ends.residuals.read, *loops.read)
    tape = forward_of(joint)
    read = (*read, *selections_in(tape.nodes))  # they tell their lengths
    if any(node.runs_again for node in ends.nodes):  # it has kept nothing
        read = (*read, *(v for step in tape.nodes for v in step.results))
    return OnTape(
        tape,
        read,
        same=ends.residuals.same,
        copied=back.copied(recorder),
        own={} if loops is None else loops.own,
        users=users,
    )


def _way_back(recorder: Recorder, graph: Joint, run: Ran, back: Walked) -> WayBack:
    ends, loops = back.ends, back.loops
    return WayBack(
        tuple(itertools.compress(run.positions, run.have_versions())),
        buffers_on(map(raw_of, (*run.inputs, *run.out_leaves)), ends.nodes),
        ends.reach,
        by_arm={} if loops is None else loops.by_arm,
        sources=_sources(recorder, graph, back.derived),
    )


def _sources(
    recorder: Recorder, graph: Joint, derived: Any
) -> tuple[Value | None, ...]:
    """The inputs that the gradients in a graph are of, where that is known."""
    if derived is None or not graph.gradients:
        return graph.inputs[: len(graph.gradients)]
    places = {
        id(raw_of(back.found[edge])): place
        for back in recorder.walks
        for edge, place in back.targets.items()
        if edge in back.found
    }
    return tuple(None if g is None else places.get(id(raw_of(g))) for g in derived)


def _packed(
    result: Any, derived: Any, pack: Any, line: Any
) -> tuple[Whole | None, Any]:
    """What a transform gives, and how it gives that; the result alone without one."""
    if pack is None:
        return None, result
    is_there = tuple(g is not None for g in derived)
    whole = Whole(is_there, all(is_there), pack, line is not None)
    if line is not None:
        return whole, pack(result, line.tangents)
    found = [None if g is None else np.array(raw_of(g)) for g in derived]
    return whole, pack(result, found)
