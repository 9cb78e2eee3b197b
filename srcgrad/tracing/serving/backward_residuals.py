"""``Gradients``, ``Versions``: what a compiled call keeps for its backward pass."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.graph import Partition
from srcgrad.steps import Value
from srcgrad.tracing.graphs.reach import Buffer, Reach, Walk, bits_of
from srcgrad.tracing.runs.arm_reach import Flow, with_places
from srcgrad.tracing.runs.recording import Recording
from srcgrad.tracing.runs.replay import Replay
from srcgrad.tracing.serving.partial_backwards import PartialBackwards
from srcgrad.transforms.partition.shared_memory import SharedMemory


@dataclass(frozen=True, slots=True, eq=False)
class Gradients:
    """What the generated backward takes, and gives.

    Attributes
    ----------
    leaves : tuple of int
        The leaf of the arguments that each gradient is of.
    outputs : tuple of int
        The graph's outputs that have a cotangent, in order.
    metas : tuple of (shape, dtype)
        Of these.
    by_arm : tuple of (int, Flow)
        The numbers of the gradients that are None after some arms, and after which.
    reach : Reach
        Which saved arrays and inputs a walk back from which output comes by.
    on_the_way : frozenset of int
        The numbers of the outputs, if there are several: see ``Function.on_the_way``.
    ends : tuple of int
        For each leaf its end in ``reach``, as a bit.
    dead : tuple of None
        The gradients of the last leaves: there the tape leads, and nothing flows.
    all : Walk
        A walk from all outputs to all leaves.
    nothing_saved : tuple of None
        In the place of what is saved, where nothing of it is read.
    backwards : PartialBackwards
        The backward functions for some of the outputs or gradients only.
    """

    leaves: tuple[int, ...]
    outputs: tuple[int, ...]
    metas: tuple[tuple[tuple[int, ...], np.dtype[Any]], ...]
    by_arm: tuple[tuple[int, Flow], ...]
    reach: Reach
    on_the_way: frozenset[int]
    ends: tuple[int, ...]
    dead: tuple[None, ...]
    all: Walk
    nothing_saved: tuple[None, ...]
    backwards: PartialBackwards

    @classmethod
    def of(
        cls,
        recording: Recording,
        partition: Partition,
        backwards: PartialBackwards,
        residuals: Sequence[Value],
    ) -> "Gradients":
        """The gradients of a recording; ``residuals``: those of the optimised graph."""
        positions, reach = recording.interface.positions, recording.back.reach
        found = [i for i, g in enumerate(partition.gradients) if g is not None]
        # On the tape a walk comes by here on its way there, though nothing flows.
        led_to = reach.ends_from(bits_of(range(len(reach.ends)))) & ~reach.again
        dead = [i for i in range(len(positions)) if led_to >> i & 1 and i not in found]
        edges = [*found, *dead]
        outputs = recording.interface.with_grad
        values = [partition.forward.outputs[i] for i in outputs]
        return cls(
            leaves=tuple(positions[i] for i in edges),
            outputs=outputs,
            metas=tuple((value.shape, value.dtype) for value in values),
            by_arm=_by_arm(
                recording, found, recording.at_hand(residuals, partition.saved)
            ),
            reach=reach,
            on_the_way=frozenset(range(len(outputs)) if len(outputs) > 1 else ()),
            ends=tuple(1 << i for i in edges),
            dead=(None,) * len(dead),
            nothing_saved=(None,) * len(partition.saved),
            all=Walk(bits_of(range(len(outputs))), bits_of(edges)),
            backwards=backwards,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Versions:
    """The arrays that are not to change between a call and its backward pass.

    Attributes
    ----------
    variables : tuple of int
        The leaves that are Variables with an array, and so have a version.
    saved : tuple of int
        Numbers of those among them whose memory is saved: to change one in place
        before the backward pass is an error.
    outputs : frozenset of int
        The graph's outputs of which the same is true.
    buffers : tuple of frozenset of Buffer
        For each of those arrays, inputs first, what the tape has saved there.
    own : tuple of int
        Numbers of the variables of which branches read copies.
    replayed : tuple of int
        Numbers of those that may be read later though the tape does not.
    """

    variables: tuple[int, ...]
    saved: tuple[int, ...]
    outputs: frozenset[int]
    buffers: tuple[frozenset[Buffer], ...]
    own: tuple[int, ...]
    replayed: tuple[int, ...]

    @classmethod
    def of(
        cls,
        recording: Recording,
        partition: Partition,
        memory: SharedMemory,
        replay: Replay,
    ) -> "Versions":
        """Those of the calls of a recording."""
        interface, variables = recording.interface, recording.back.variables
        places = [interface.positions.index(i) for i in variables]
        saved = [k for k, place in enumerate(places) if place in memory.saved_inputs]
        saved_leaves = [
            len(interface.positions) + leaf
            for leaf, output in enumerate(interface.outputs)
            if output.kind == "variable"
            and output.source in memory.saved_outputs
            and partition.forward.outputs[output.source].kind == "array"
        ]
        arrays = [*(places[k] for k in saved), *saved_leaves]
        buffers = tuple(recording.back.buffers[i] for i in arrays)
        read = (k for k, found in zip(saved, buffers, strict=False) if not found)
        replayed = {*replay.needed_versions, *read}
        return cls(
            variables=variables,
            saved=tuple(saved),
            outputs=memory.saved_outputs,
            buffers=buffers,
            own=tuple(k for k, place in enumerate(places) if place in replay.own),
            # A user's backward gets what there is by then.
            replayed=() if replay.has_user_backward else tuple(replayed),
        )


def _by_arm(
    recording: Recording, found: Sequence[int], places: Mapping[Value, int]
) -> tuple[tuple[int, Flow], ...]:
    """The gradients, of those that are found, that are None after some arms."""
    inputs, by_arm = recording.graph.inputs, recording.back.by_arm
    return tuple(
        (number, with_places(by_arm[inputs[i]], places))
        for number, i in enumerate(found)
        if inputs[i] in by_arm
    )
