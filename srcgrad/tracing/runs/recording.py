"""``Recording``: one run of a function, as the tracer has seen it."""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import Any, NamedTuple

from srcgrad.graph import Graph, Joint
from srcgrad.steps import Guard, Location, Value
from srcgrad.tracing.graphs.gaps import Gap, filled
from srcgrad.tracing.graphs.interface import Interface
from srcgrad.tracing.graphs.reach import Buffer, Reach
from srcgrad.tracing.outside.error_states import ErrorStates
from srcgrad.tracing.outside.places import Place
from srcgrad.tracing.outside.reader import Outside
from srcgrad.tracing.runs.arm_reach import Flow
from srcgrad.tracing.runs.replay import Replay, UsersFunction
from srcgrad.tracing.watching.effects import Effects


@dataclass(frozen=True, slots=True)
class Recording:
    """One run of a function: the graph, how a call meets it, and when it holds.

    Attributes
    ----------
    graph : Joint
        Forward and backward.
    interface : Interface
        How a call's leaves become its inputs, and its outputs the result.
    variables : tuple of int
        Those of the leaves that are Variables with an array.
    outside : Outside
        What was read there, and what must stay.
    buffers : tuple of frozenset of Buffer
        What the tape has saved in the memory of each input, and then of each leaf of
        the result.
    tape : Graph
        The forward half as it was on the tape, marks included.
    read : tuple of Value
        What the tape has saved of it.
    same : tuple of pairs of Value
        Of that a function's result, and the argument that it has given back.
    copied : tuple of Value
        The inputs of which a copy is kept, for second derivatives.
    own : Mapping
        The copies that branches read of inputs with a version.
    maybe : Mapping
        The inputs that have a gradient after some arms, and after which.
    result
        What this very run has computed.
    ran : Mapping
        How often the arms of an ``if`` ran, of which both are known, by its line and
        whether its test was true.
    notes : tuple of str
        What else there is to say of it.
    gaps : tuple of Gap
        What ``tape`` leaves out.
    whole : Whole or None
        Of a transform of the function: what it derives, which is computed at once.
    lengths : dict
        The inputs that may be of any length, and where that is found.
    sources : tuple of (Value or None)
        The inputs that the gradients in ``graph`` are of, where that is known.
    structure : hashable
        Of the arguments.
    reach : Reach
        Which saved arrays and inputs a walk back from which result comes by.
    effects : Effects
        What else the function does.
    catches : bool
        Whether the function may catch an error that an operation raises.
    error_states : ErrorStates or None
        What it says that NumPy does where a result is no number: ``np.errstate``.
    values
        What this very run has computed for these.
    function : callable or None
        The user's own, if a gradient is one that a user has written: only on the tape
        is its own derivative the right one.
    transform : Transform or None
        What was called is this of the function.
    """

    graph: Joint
    interface: Interface
    variables: tuple[int, ...]
    outside: Outside
    buffers: tuple[frozenset[Buffer], ...]
    tape: Graph
    read: tuple[Value, ...]
    same: tuple[tuple[Value, Value], ...]
    copied: tuple[Value, ...]
    result: Any
    structure: Any
    reach: Reach
    effects: Effects
    catches: bool
    error_states: ErrorStates | None
    values: Sequence[Any] = ()
    function: FunctionType | None = None
    transform: Any = None
    whole: "Whole | None" = None
    notes: tuple[str, ...] = ()
    ran: Mapping[tuple[Location, bool], int] = field(default_factory=dict)
    gaps: tuple[Gap, ...] = ()
    own: Mapping[Value, Value] = field(default_factory=dict)
    maybe: Mapping[Value, Flow] = field(default_factory=dict)
    lengths: Mapping[Value, Place] = field(default_factory=dict)
    sources: tuple[Value | None, ...] = ()

    def finish(self) -> Any:
        """Do what the function does beside computing; then, its result."""
        if self.effects:
            return self.effects.finish(self.result, self.values, self.outside.objects)
        return self.result

    @property
    def has_lost_its_gradient(self) -> bool:
        """Whether the value depends on the arguments through plain numbers alone."""
        is_constant = not any(output.has_grad for output in self.interface.outputs)
        if self.whole is not None:
            is_constant = not any(self.whole.is_there)
        return is_constant and any(
            isinstance(step, Guard) and step.convert in (int, float, complex)
            for step in self.graph.nodes
        )

    @property
    def arguments(self) -> Sequence[Value]:
        """The graph's inputs that are arguments, and not read outside."""
        inputs = self.graph.inputs
        return inputs[: len(inputs) - len(self.outside.taken)]

    def at_hand(
        self, kept: Sequence[Value], saved: Sequence[Value]
    ) -> dict[Value, int]:
        """Where generated code has saved what was kept in the graph's own run."""
        places = {value: place for place, value in enumerate(saved)}
        return {
            before: places[after]
            for before, after in zip(self.graph.kept, kept, strict=False)
            if after in places and after not in self.graph.inputs
        }

    def replay(
        self,
        kept: Sequence[Value],
        saved: Sequence[Value],
        shapes: Mapping[Value, tuple[Any, ...]],
    ) -> Replay:
        """How a call is put on the tape again.

        ``kept`` is what became of the graph's own, ``saved`` what generated code has at
        hand, ``shapes`` those of arrays that may be of any length.
        """
        leaf = next((k for k, o in enumerate(self.interface.outputs) if o.has_grad), 0)
        at_hand = self.at_hand(kept, saved)
        copies = {
            self.tape.inputs.index(value): at_hand.pop(copy)
            for value, copy in self.own.items()
            if copy in at_hand
        }
        for result, given in self.same:  # one array, under two names
            if result in at_hand:
                at_hand.setdefault(given, at_hand[result])
        counted = [self.interface.positions.index(i) for i in self.variables]
        users = None
        if self.function is not None:
            own, structure = self.function, self.structure
            users = UsersFunction(own, structure, leaf, self.transform)
        of = functools.partial(
            Replay.of,
            positions=self.interface.positions,
            outputs=self.interface.with_grad,
            at_hand=at_hand,
            counted=counted,
            copied=[self.tape.inputs.index(value) for value in self.copied],
            own=copies,
            users=users,
            shapes=shapes,
        )
        tape, read, gaps = self.tape, self.read, self.gaps
        replay = of(tape, read=read)
        if not gaps:
            return replay
        if not all(gap.is_even(replay.computed) for gap in gaps):
            return _in_full(of, tape, read, gaps)
        # Most calls are never run again.
        make = functools.partial(_in_full, of, tape, read, gaps)
        return replace(replay, in_full=functools.cache(make))


def _in_full(
    of: Callable[..., Replay],
    tape: Graph,
    read: Sequence[Value],
    gaps: Sequence[Gap],
) -> Replay:
    """How a call is put on the tape with all iterations."""
    graph, all_read = filled(tape, read, gaps)
    return of(graph, read=all_read)


class Whole(NamedTuple):
    """What a transform derives: which are not None, and how it gives them back.

    ``is_linear``: it is derived of tangents, which come later.
    """

    is_there: tuple[bool, ...]
    are_all_there: bool
    pack: Callable[[Any, Any], Any]
    is_linear: bool = False
