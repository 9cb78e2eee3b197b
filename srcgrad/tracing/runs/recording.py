"""``Recording``: one run of a function, as the tracer has seen it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from srcgrad.graph import Graph, Joint
from srcgrad.steps import Guard, Location, Value
from srcgrad.tracing.capture.effects import Effects
from srcgrad.tracing.environment.error_states import ErrorStates
from srcgrad.tracing.environment.reader import Environment
from srcgrad.tracing.environment.references import Reference
from srcgrad.tracing.graphs.interface import Interface
from srcgrad.tracing.graphs.reach import Buffer, Reach
from srcgrad.tracing.runs.arm_reach import Flow
from srcgrad.tracing.runs.replay import Replay, UsersFunction


@dataclass(frozen=True, slots=True)
class Interaction:
    """How a run goes with what is beside its arguments: what it reads, what it does.

    Attributes
    ----------
    environment : Environment
        What was read there, and what must stay.
    effects : Effects
        What else the function does.
    catches : bool
        Whether the function may catch an error that an operation raises.
    error_states : ErrorStates or None
        What it says that NumPy does where a result is no number: ``np.errstate``.
    """

    environment: Environment
    effects: Effects
    catches: bool
    error_states: ErrorStates | None


@dataclass(frozen=True, slots=True)
class OnTape:
    """How a run was on the tape, to be put there again.

    Attributes
    ----------
    graph : Graph
        The forward graph as it was there, marks included.
    read : tuple of Value
        What the tape has saved of it.
    same : tuple of pairs of Value
        Of that a function's result, and the argument that it has given back.
    copied : tuple of Value
        The inputs of which a copy is kept, for second derivatives.
    own : Mapping
        The copies that branches read of inputs with a version.
    users : UsersFunction or None
        The user's function, if a gradient is one that a user has written: only on the
        tape is its own derivative the right one.
    """

    graph: Graph
    read: tuple[Value, ...]
    same: tuple[tuple[Value, Value], ...]
    copied: tuple[Value, ...]
    own: Mapping[Value, Value]
    users: UsersFunction | None


@dataclass(frozen=True, slots=True)
class WayBack:
    """Where the gradients of a run go.

    Attributes
    ----------
    variables : tuple of int
        Those of the leaves that are Variables with an array.
    buffers : tuple of frozenset of Buffer
        What the tape has saved in the memory of each input, and then of each leaf of
        the result.
    reach : Reach
        Which saved arrays and inputs a walk back from which result comes by.
    by_arm : Mapping
        The inputs that have a gradient after some arms, and after which.
    sources : tuple of (Value or None)
        The inputs that the gradients in the graph are of, where that is known.
    """

    variables: tuple[int, ...]
    buffers: tuple[frozenset[Buffer], ...]
    reach: Reach
    by_arm: Mapping[Value, Flow]
    sources: tuple[Value | None, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one very run has given.

    Attributes
    ----------
    result
        What it has computed, made of
    values
        these, if it has effects.
    ran : Mapping
        How often the arms of an ``if`` ran, of which both are known, by its line and
        whether its test was true.
    notes : tuple of str
        What else there is to say of it.
    """

    result: Any
    values: Sequence[Any]
    ran: Mapping[tuple[Location, bool], int]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Recording:
    """One run of a function: the graph, how a call meets it, and when it holds.

    Attributes
    ----------
    graph : Joint
        Forward and backward.
    interface : Interface
        How a call's leaves become its inputs, and its outputs the result.
    lengths : Mapping
        The inputs that may be of any length, and where that is found.
    whole : Whole or None
        Of a transform of the function: what it derives, which is computed at once.
    interaction : Interaction
    tape : OnTape
    back : WayBack
    outcome : Outcome
    """

    graph: Joint
    interface: Interface
    lengths: Mapping[Value, Reference]
    whole: "Whole | None"
    interaction: Interaction
    tape: OnTape
    back: WayBack
    outcome: Outcome

    def finish(self) -> Any:
        """Do what the function does beside computing; then, its result."""
        outcome, effects = self.outcome, self.interaction.effects
        if not effects:
            return outcome.result
        held = self.interaction.environment.objects
        return effects.finish(outcome.result, outcome.values, held)

    @property
    def has_lost_its_gradient(self) -> bool:
        """Whether the value depends on the arguments through plain numbers alone."""
        is_constant = not any(output.has_grad for output in self.interface.outputs)
        if self.whole is not None:
            is_constant = not any(self.whole.is_there)
        return is_constant and any(
            type(step) is Guard and step.convert in (int, float, complex)
            for step in self.graph.nodes
        )

    @property
    def arguments(self) -> Sequence[Value]:
        """The graph's inputs that are arguments, and not read of the environment."""
        inputs = self.graph.inputs
        return inputs[: len(inputs) - len(self.interaction.environment.taken)]

    def at_hand(
        self, residuals: Sequence[Value], saved: Sequence[Value]
    ) -> dict[Value, int]:
        """Where generated code has saved the residuals of the recorded run."""
        places = {value: place for place, value in enumerate(saved)}
        return {
            before: places[after]
            for before, after in zip(self.graph.residuals, residuals, strict=False)
            if after in places and after not in self.graph.inputs
        }

    def replay(
        self,
        residuals: Sequence[Value],
        saved: Sequence[Value],
        shapes: Mapping[Value, tuple[Any, ...]],
    ) -> Replay:
        """How a call is put on the tape again.

        ``residuals`` are those of the optimised graph, ``saved`` is what generated code
        has at hand, ``shapes`` are those of arrays that may be of any length.
        """
        tape, interface = self.tape, self.interface
        at_hand = self.at_hand(residuals, saved)
        copies = {
            tape.graph.inputs.index(value): at_hand.pop(copy)
            for value, copy in tape.own.items()
            if copy in at_hand
        }
        for result, given in tape.same:  # one array, under two names
            if result in at_hand:
                at_hand.setdefault(given, at_hand[result])
        return Replay.of(
            tape.graph,
            positions=interface.positions,
            outputs=interface.with_grad,
            at_hand=at_hand,
            read=tape.read,
            counted=[interface.positions.index(i) for i in self.back.variables],
            copied=[tape.graph.inputs.index(value) for value in tape.copied],
            own=copies,
            users=tape.users,
            shapes=shapes,
        )


class Whole(NamedTuple):
    """What a transform derives: which are not None, and how it gives them back.

    ``is_linear``: it is derived of tangents, which come later.
    """

    is_there: tuple[bool, ...]
    are_all_there: bool
    pack: Callable[[Any, Any], Any]
    is_linear: bool = False
