"""``Ran``: what a run of the instrumented copy of a function has given."""

import functools
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from srcgrad.modes import state
from srcgrad.protocols import ArrayProtocol
from srcgrad.pytree import flatten, unflatten
from srcgrad.tape.function import has_edge
from srcgrad.tape.variable import Variable
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.capture.captured_reads import CapturedReads
from srcgrad.tracing.capture.closing import close_effects, is_made_again
from srcgrad.tracing.capture.returned import containers_in, has_made_keys, has_twice
from srcgrad.tracing.environment.signature import Changes, Signature
from srcgrad.tracing.environment.symbolic import Symbolic, as_seen, is_counted
from srcgrad.tracing.following.leaving import given_to_user, left
from srcgrad.tracing.graphs.recorder import Recorder
from srcgrad.tracing.refusal import give_up
from srcgrad.tracing.runs.received import received
from srcgrad.tracing.runs.with_loops import StartAgain


class Ran(NamedTuple):
    """The leaves of what a run has given, and what may be differentiated by.

    ``given`` has what was given to the function and what it has read of the
    environment, and ``positions`` say where in it ``inputs`` are; ``leaves`` stand for
    the arguments. What a transform on arrays has ``derived`` is packed by ``pack``; a
    ``line`` gives tangents.
    """

    leaves: Sequence[Any]
    inputs: Sequence[Variable]
    given: tuple[Any, ...]
    positions: Sequence[int]
    out_leaves: Sequence[Any]
    structure: Any
    derived: Any
    pack: Any
    line: Any

    @property
    def is_whole(self) -> bool:
        """Whether a transform on arrays has walked back already."""
        return self.pack is not None

    def have_versions(self) -> list[bool]:
        """Which of the inputs are Variables with an ndarray, which has a version."""
        return [_has_array(self.given[i]) for i in self.positions]


def ran(
    function: FunctionType,
    signature: Signature,
    recorder: Recorder,
    reads: CapturedReads,
    changes: Changes,
) -> Ran:
    """Run the instrumented copy of a function, or what a transform makes of it."""
    arguments, leaves, inputs = received(function, signature, recorder, reads, changes)
    result, derived, pack, line = _run(function, signature, reads, *arguments)
    result = _with_effects(_with_counts(result), reads, pack is not None)
    # What was read of the environment comes after the arguments.
    inputs += reads.inputs
    given = (*signature.leaves, *reads.environment.values)
    positions = [*signature.dynamic, *range(len(leaves), len(given))]
    out_leaves, structure = flatten(result)
    out_leaves = [*map(recorder.meant, out_leaves)]
    reads.branching.results.check_kept(out_leaves, inputs)
    return Ran(
        leaves, inputs, given, positions, out_leaves, structure, derived, pack, line
    )


def _with_effects(result: Any, reads: CapturedReads, is_whole: bool) -> Any:
    """A result with what the effects tell of; refuse what cannot be told with it."""
    recorder, effects = reads.recorder, reads.effects
    reads.branching.results.check()
    if reads.drawn and recorder.has_user_backward:
        give_up("draws random numbers, and calls a Function of the user's")
    if effects and recorder.has_user_backward and not is_whole:
        # A second derivative runs the whole function again: see `replay`.
        give_up("has effects, and calls a Function of the user's")
    is_made = has_made_keys(result) or any(
        is_made_again(reads, leaf) for leaf in flatten(result)[0]
    )
    if is_made and not is_whole:
        effects.give(result)
        result = None
    result = _with_ints(result)
    if has_made_keys(result):
        give_up("returns a dict with a number that it has computed as a key")
    if not effects:
        return result
    close_effects(reads)
    return result, left([*effects.values])


def _run(
    function: FunctionType,
    signature: Signature,
    reads: CapturedReads,
    args: Any,
    kwargs: Any,
    bound: Any,
) -> Any:
    """The result; what a transform on arrays has derived, and how that is packed."""
    mode = state.grad_enabled
    run: Any = reads.instrumented(function)
    if bound:
        run = functools.partial(run, *bound)
    derived, pack, line = None, None, None
    if signature.transform is None:
        result = left(run(*args, **kwargs), given_to_user)
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


def _with_counts(result: Any) -> Any:
    """A result with integers of the graph for those that count."""
    return _with_leaves(result, _counted)


def _with_ints(result: Any) -> Any:
    """A result with plain integers for those that stand for ones that change."""
    return _with_leaves(result, as_seen)


def _with_leaves(result: Any, made: Callable[[Any], Any]) -> Any:
    leaves, structure = flatten(result)
    is_plain = not any(isinstance(leaf, Symbolic) for leaf in leaves)
    return result if is_plain else unflatten(structure, [*map(made, leaves)])


def _counted(leaf: Any) -> Any:
    return TracedArray.make(leaf.as_index(), None) if is_counted(leaf) else leaf


def _on_tape(recorder: Recorder, found: Any) -> Any:
    """What a transform gives where it depends on a Variable read of the environment.

    It has a gradient itself, which a walk that was left out would not have.
    """
    if recorder.has_left_out_a_walk:
        raise StartAgain
    if found.line is not None:
        give_up(
            "linearizes what depends on a Variable of the environment that requires "
            "grad"
        )
    recorder.walks_once = False
    return found.pack(found.result, found.derived)


def _check_closure(reads: CapturedReads) -> None:
    """Refuse what an outer transform differentiates by: the results are arrays."""
    if state.depth and any(
        isinstance(value, Variable) and has_edge(value)
        for value in reads.environment.values
    ):
        give_up("reads what an outer transform differentiates by")


def _has_array(leaf: Any) -> bool:
    """Whether a leaf is a Variable with an ndarray, which has a version."""
    return isinstance(leaf, Variable) and type(leaf.value) is np.ndarray
