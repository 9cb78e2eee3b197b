"""The end of a run: the objects that it changes are where they were found."""

import functools
from collections.abc import Iterable
from typing import Any

from srcgrad.protocols import ArrayProtocol
from srcgrad.steps import Node, Step, Value, values_in
from srcgrad.tracing.capture.captured_reads import CapturedReads
from srcgrad.tracing.environment import conditions
from srcgrad.tracing.environment.containers import Followed
from srcgrad.tracing.environment.environment_array import EnvironmentArray, are_apart
from srcgrad.tracing.environment.references import Reference
from srcgrad.tracing.environment.symbolic import Symbolic
from srcgrad.tracing.environment.texts import Text
from srcgrad.tracing.refusal import InFull, give_up, give_up_write
from srcgrad.transforms.reading import nodes_needed
from srcgrad.updates import assign


def is_made_again(reads: CapturedReads, leaf: Any) -> bool:
    """Whether a leaf of the result is made, or found, or told at each call."""
    return (
        reads.twins.is_own(leaf)
        or isinstance(leaf, (Followed, Symbolic, Text, EnvironmentArray))
        or (
            reads.reference_of(leaf) is not None and not isinstance(leaf, ArrayProtocol)
        )
    )


def close_effects(reads: CapturedReads) -> None:
    """The run is over: no two changed objects may be one object under two names."""
    reads.acting.check_told()
    for item, reference in reads.acting.changed.values():
        for other in reads.seen.alive:
            if other is not item and type(other) is type(item):
                pair = reference, reads.found_at(other)
                first, second = sorted(pair, key=lambda each: each.text)
                reads.environment.require(conditions.are_two(first, second))
    _close_writes(reads)
    found = functools.partial(_found, reads)
    reads.effects.close(found, reads.environment.hold, reads.twins)


def _close_writes(reads: CapturedReads) -> None:
    """What was written into is in no memory of another array's."""
    written = {own.reference.text: own for own in reads.effects.written}
    if not written:
        return
    if reads.recorder.copies:
        raise InFull  # in which nobody sees what is written
    references = [own.reference for own in written.values()]
    arrays = [own.array for own in written.values()]
    others = [each for each in reads.seen.arrays if each[0].text not in written]
    for other, leaf in others:
        if any(leaf is array for array in arrays):
            give_up_write(other.text, f"writes into `{other.text}` by two names")
    if not are_apart(arrays, [leaf for _, leaf in others]):
        give_up(f"writes into `{references[0].text}`, which shares memory with another")
    for reference in references:
        reads.environment.require(conditions.is_writeable(reference))
    reads.environment.require(conditions.are_apart(references, [p for p, _ in others]))


def check_writes(reads: CapturedReads, roots: Iterable[Value]) -> None:
    """Refuse writes into what a gradient may need, which begins at these."""
    writer = reads.recorder.writer
    steps = writer.steps_from(0)
    needed = nodes_needed(steps, roots)
    read = {value for node in needed for value in _read_by(node)}
    for own in reads.effects.written:
        if writer.value_of(own.start) in read:
            give_up(f"writes into `{own.reference.text}`, of which a result is made")


def _read_by(step: Step) -> Iterable[Value]:
    """What a step reads; to fill all of an array it reads nothing of that."""
    if type(step) is not Node or step.function is not assign:
        return step.inputs
    _, index, value = step.args
    parts = index if type(index) is tuple else (index,)
    is_all = all(part is ... or part == slice(None) for part in parts)
    return values_in(value) if is_all else step.inputs


def _found(reads: CapturedReads, item: Any) -> tuple[Reference, Any] | None:
    """What object of the environment an argument of an effect stands for, and where."""
    if isinstance(item, Followed):
        return item.reference, item.item
    if isinstance(item, Symbolic):
        return item.reference, item.concrete
    reference = reads.reference_of(item)
    if isinstance(item, ArrayProtocol) and type(item) is not EnvironmentArray:
        return None
    if reference is None:
        return None
    return reference, reads.seen.users_own(item)
