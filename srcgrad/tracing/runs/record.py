"""The tracer: runs a function once on the tape, and returns the graph of that run."""

import functools
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any

import numpy as np

from srcgrad.graph import Joint
from srcgrad.modes import override, state
from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.pytree import flatten, unflatten
from srcgrad.steps import Value
from srcgrad.tape.engine import ExecutionEngine
from srcgrad.tape.function import Edge, has_edge
from srcgrad.tape.variable import Variable, restore
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.branches.kept_arrays import ToldApart
from srcgrad.tracing.containment import stage
from srcgrad.tracing.counts.loop_counts import LoopCount
from srcgrad.tracing.following.leaving import left
from srcgrad.tracing.graphs.interface import Interface
from srcgrad.tracing.graphs.joints import marking
from srcgrad.tracing.graphs.reach import buffers_on
from srcgrad.tracing.graphs.recorder import Recorder, WalkBack
from srcgrad.tracing.outside.changing_ints import FollowedInt, as_seen
from srcgrad.tracing.outside.draws import State
from srcgrad.tracing.outside.draws import restore as restore_draws
from srcgrad.tracing.outside.signature import STEADY, Changes, Signature
from srcgrad.tracing.refusal import WritesInto, give_up
from srcgrad.tracing.runs.ends import ends_of
from srcgrad.tracing.runs.loops import StartAgain, walk_with_loops, with_loops
from srcgrad.tracing.runs.received import check_arguments, received
from srcgrad.tracing.runs.recording import Recording, Whole
from srcgrad.tracing.runs.rolled_runs import rolled_as_it_ran
from srcgrad.tracing.watching.attributes import Reads
from srcgrad.tracing.watching.reads import Watcher
from srcgrad.tracing.watching.results import (
    containers_in,
    given_back,
    has_made_keys,
    has_twice,
)
from srcgrad.transforms.halves.saving import forward_of
from srcgrad.transforms.halves.stages import without_marks
from srcgrad.updates import moved


def record(
    function: FunctionType,
    signature: Signature,
    changing: set[str] | None = None,
    changes: Changes = STEADY,
    drawn: list[State] | None = None,
) -> Recording:
    """Run a function on the tape, and record it forward and backward.

    If something that it computes has a gradient, the backward pass runs too, from ones.
    Of a transform on arrays what it derives is a further result of the forward half.

    Parameters
    ----------
    function : function
        The user's, as it is; an instrumented copy of it runs.
    signature : Signature
        The arguments.
    changing : set of str
        The places of integers from outside that change from call to call, and of arrays
        that are written into; it gets those of more.
    changes : Changes
        What of the arguments does.
    drawn : list
        Gets the states of the generators that the function draws from.

    Raises
    ------
    Refusal
        If generated code would not do what the function does. Nothing outside has been
        changed then.
    """
    drawn = [] if drawn is None else drawn
    changing = set() if changing is None else changing
    options = function, signature, changing, changes, drawn
    walk_instead: Any = walk_with_loops
    may_keep = True
    while True:
        try:
            return _record(walk_instead, may_keep, *options)
        except StartAgain:  # a walk back was left out that has to be in
            walk_instead = None
        except ToldApart:
            may_keep = False
        except WritesInto as met:
            if met.place in changing:
                raise
            changing.add(met.place)
        restore_draws(drawn)
        drawn.clear()


def _record(
    walk_instead: Callable[..., WalkBack | None] | None,
    may_keep: bool,
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
    is_of_arrays = not any(isinstance(leaf, ArrayProtocol) for leaf in signature.leaves)
    if is_of_arrays and getattr(signature.transform, "walks_once", False):
        recorder.walks_once, recorder.walk_instead = True, walk_instead
    reads = Reads(recorder, Watcher, changing, drawn)
    reads.branching.results.may_keep = may_keep
    try:
        return _recorded(function, signature, recorder, reads, changes)
    finally:
        reads.let_go()


def _recorded(
    function: FunctionType,
    signature: Signature,
    recorder: Recorder,
    reads: Reads,
    changes: Changes,
) -> Recording:
    check_arguments(signature)
    # The mode is restored in any case; `_run` gives up if the function has changed it.
    modes = {"recorder": recorder, "grad_enabled": state.grad_enabled}
    with override(**modes, any_length=changes.lengths):
        arguments, leaves, inputs = received(
            function, signature, recorder, reads, changes
        )
        result, derived, pack, line = _run(function, signature, reads, *arguments)
        result = _with_counts(result)
        reads.branching.results.check()
        if reads.drawn and recorder.has_user_backward:
            give_up("draws random numbers, and calls a Function of the user's")
        effects = reads.effects
        if effects and recorder.has_user_backward and pack is None:
            # A second derivative runs the whole function again: see `replay`.
            give_up("has effects, and calls a Function of the user's")
        is_made = has_made_keys(result) or any(
            map(reads.is_made_again, flatten(result)[0])
        )
        if is_made and pack is None:
            effects.give(result)
            result = None
        result = _with_ints(result)
        if has_made_keys(result):
            give_up("returns a dict with a number that it has computed as a key")
        if effects:
            reads.close_effects()
            result = result, left([*effects.values])
        # What was read outside comes after the arguments.
        inputs += reads.inputs
        given = (*signature.leaves, *reads.outside.values)
        positions = [*signature.dynamic, *range(len(leaves), len(given))]
        counted = [_has_array(given[i]) for i in positions]
        out_leaves, structure = flatten(result)
        reads.branching.results.check_kept(out_leaves, inputs)
        # All that was done with these has to be seen, each iteration's.
        steps = recorder.writer.steps if recorder.lengths else ()
        lengths = recorder.lengths.finish(steps)
        may_have_loops = line is None and (pack is None or recorder.walks_once)
        if not may_have_loops:
            recorder.writer.write_out()
        is_short = recorder.writer.has_left_out
        with stage("the recording of results"):
            ends = ends_of(recorder, out_leaves, inputs, counted, pack is not None)
        if effects.written and pack is not None:
            reads.check_writes(recorder.walked_from())
        elif effects.written and any(map(has_edge, inputs)):
            reads.check_writes(map(recorder.writer.value_of, ends.roots))
        loops = None
        # A user's function may run again, on copies of what has no version.
        copied = ends.saves.unversioned if recorder.has_user_backward else ()
        if may_have_loops:
            loops = with_loops(recorder, ends, inputs, derived)
            if is_short and (loops is None or not recorder.writer.has_left_out):
                recorder.writer.write_out()
                ends = ends_of(recorder, out_leaves, inputs, counted, pack is not None)
                loops = with_loops(recorder, ends, inputs, derived)
        elif recorder.has_left_out_a_walk:
            raise StartAgain
        if loops is None:
            cotangents, gradients = _backward(
                recorder, ends.roots, inputs, set(filter(None, ends.inner))
            )
            if line is not None:
                cotangents, derived = _along(recorder, line)
            gradients = gradients if pack is None else derived
    with stage("the end of the recording"):
        stand_ins = [*leaves, *reads.inputs]
        back = [given_back(leaf, stand_ins, given, recorder) for leaf in out_leaves]
        if loops is None:
            joint = recorder.joint(
                ends.values, cotangents, gradients, ends.inner, ends.saves
            )
            joint = replace(joint, derives=pack is not None)
            if pack is not None and line is None:
                graph = rolled_as_it_ran(recorder.writer, joint)
            else:
                graph = without_marks(joint, mark=moved)
        else:
            joint, graph = loops.tape, loops.graph_with(ends.saves)
            graph = replace(graph, derives=pack is not None)
            copied = loops.copied
        # Values are named as the graph is made.
        read = ends.saves.read
        if loops is not None:
            read = (*read, *loops.read)
        tape = forward_of(joint)
        if any(node.runs_again for node in ends.nodes):  # it has kept nothing
            read = (*read, *(v for step in tape.nodes for v in step.results))
        result = unflatten(structure, back)
        result, found = result if effects else (result, ())
        whole, result = _packed(result, derived, pack, line)
        return Recording(
            graph=graph,
            interface=Interface.of(given, positions, ends.outputs, structure),
            variables=tuple(i for i in positions if _has_array(given[i])),
            outside=reads.outside,
            buffers=buffers_on(map(raw_of, (*inputs, *out_leaves)), ends.nodes),
            tape=tape,
            copied=copied,
            gaps=() if loops is None else loops.gaps,
            read=read,
            same=ends.saves.same,
            result=result,
            structure=signature.structure,
            reach=ends.reach,
            effects=effects,
            catches=reads.catches,
            error_states=reads.error_states,
            values=found,
            function=function if recorder.has_user_backward else None,
            transform=signature.transform,
            whole=whole,
            notes=tuple(dict.fromkeys(recorder.notes)),
            lengths=lengths,
            sources=_sources(recorder, graph, derived),
            ran=recorder.ran,
        )


def _sources(
    recorder: Recorder, graph: Joint, derived: Any
) -> tuple[Value | None, ...]:
    """The inputs that the gradients in a graph are of, where that is known."""
    if derived is None:
        return graph.inputs[: len(graph.gradients)]
    places = {
        id(raw_of(back.found[edge])): place
        for back in recorder.walks
        for edge, place in back.places.items()
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


def _run(
    function: FunctionType,
    signature: Signature,
    reads: Reads,
    args: Any,
    kwargs: Any,
    bound: Any,
) -> Any:
    """Run the instrumented copy of a function, or what is made of it.

    Its result, and what a transform on arrays has derived, with how that is packed.
    """
    mode = state.grad_enabled
    run: Any = reads.instrumented(function)
    if bound:
        run = functools.partial(run, *bound)
    derived, pack, line = None, None, None
    if signature.transform is None:
        result = left(run(*args, **kwargs))
    elif not signature.transform.derives or any(
        isinstance(leaf, ArrayProtocol) for leaf in signature.leaves
    ):
        result = signature.transform.over(run)(*args, **kwargs)
    else:
        found = signature.transform.over(run).on_tape(args, kwargs)
        result, derived, pack, line, is_closed_over = found
        _check_closure(reads)
        if is_closed_over:  # the results are Variables
            result = _on_tape(reads.recorder, found)
            derived, pack, line = None, None, None
    if state.grad_enabled is not mode:
        give_up(f"{function.__name__} leaves the grad mode changed")
    if any(id(c) in reads.containers for c in containers_in(result)):
        give_up(f"{function.__name__} returns a container that it was given")
    if has_twice(containers_in(result, tuple)):
        give_up(f"{function.__name__} returns one container in two places")
    return result, derived, pack, line


def _along(recorder: Recorder, line: Any) -> tuple[list[Value], list[Any]]:
    """Record what tangents become: they are inputs of the other half."""
    pairs = [recorder.add_cotangent(v, "{}_dot") for v in line.variables]
    with np.errstate(all="ignore"):  # the tangents are not the user's
        derived = line.tangents([tangent for tangent, _ in pairs], True)
    return [value for _, value in pairs], derived


def _with_counts(result: Any) -> Any:
    """A result with integers of the graph for those that count."""
    leaves, structure = flatten(result)
    if not any(type(leaf) is LoopCount for leaf in leaves):
        return result
    made = [
        TracedArray.make(leaf.as_index(), None) if type(leaf) is LoopCount else leaf
        for leaf in leaves
    ]
    return unflatten(structure, made)


def _with_ints(result: Any) -> Any:
    """A result with plain integers for those that stand for ones that change."""
    leaves, structure = flatten(result)
    if not any(isinstance(leaf, FollowedInt) for leaf in leaves):
        return result
    return unflatten(structure, list(map(as_seen, leaves)))


def _on_tape(recorder: Recorder, found: Any) -> Any:
    """What a transform gives where it depends on a Variable read outside.

    It has a gradient itself, which a walk that was left out would not have.
    """
    if recorder.has_left_out_a_walk:
        raise StartAgain
    if found.line is not None:
        give_up("linearizes what depends on a Variable outside that requires grad")
    recorder.walks_once = False
    return found.pack(found.result, found.derived)


def _check_closure(reads: Reads) -> None:
    """Refuse what an outer transform differentiates by: the results are arrays."""
    if state.depth and any(
        isinstance(value, Variable) and has_edge(value)
        for value in reads.outside.values
    ):
        give_up("reads what an outer transform differentiates by")


def _has_array(leaf: Any) -> bool:
    """Whether a leaf is a Variable with an ndarray, which has a version."""
    return isinstance(leaf, Variable) and type(leaf.value) is np.ndarray


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
