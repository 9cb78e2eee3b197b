"""``Trace``: a recording as generated source, and when that holds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from srcgrad import emit
from srcgrad.config import config
from srcgrad.emit.names import one_line
from srcgrad.graph import Graph, Halves, Joint, walk
from srcgrad.modes import override
from srcgrad.selections import selections_in
from srcgrad.steps import Location, Node, Value
from srcgrad.tracing.containment import stage
from srcgrad.tracing.graphs.interface import Interface
from srcgrad.tracing.graphs.reach import Buffer, Reach, Walk, bits_of
from srcgrad.tracing.outside.assumptions import GONE, Assumptions
from srcgrad.tracing.outside.draws import State
from srcgrad.tracing.outside.error_states import KINDS, Quiet, settings_now
from srcgrad.tracing.outside.reader import Outside
from srcgrad.tracing.runs.arm_reach import Flow, with_places
from srcgrad.tracing.runs.opening import opened as lengths_opened
from srcgrad.tracing.runs.opening import shapes_of
from srcgrad.tracing.runs.recording import Recording, Whole
from srcgrad.tracing.runs.replay import Replay
from srcgrad.tracing.serving.direct import Direct, direct_call, usual_way
from srcgrad.tracing.serving.packing import with_floats
from srcgrad.tracing.serving.partial_backwards import PartialBackwards
from srcgrad.tracing.serving.unpacking import Unpacking
from srcgrad.tracing.watching.effects import Effects
from srcgrad.transforms import (
    fused,
    in_floats,
    linear,
    optimize,
    split,
    whole,
    with_writes,
)
from srcgrad.transforms.branches.own_arguments import without_copies
from srcgrad.transforms.halves.memory import shared_memory
from srcgrad.transforms.halves.stages import without_marks
from srcgrad.updates import again


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
    variables : tuple of int
        The leaves that are Variables with an array, and so have a version.
    maybe : tuple of (int, Flow)
        The numbers of the gradients that are None after some arms, and after which.
    saved_variables : tuple of int
        Numbers of those among them whose memory is saved: to change one in place
        before the backward pass is an error.
    saved_outputs : frozenset of int
        The graph's outputs of which the same is true.
    buffers : tuple of frozenset of Buffer
        For each of those arrays, inputs first, what the tape has saved there.
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
    variables: tuple[int, ...]
    maybe: tuple[tuple[int, Flow], ...]
    saved_variables: tuple[int, ...]
    saved_outputs: frozenset[int]
    buffers: tuple[frozenset[Buffer], ...]
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
        halves: Halves,
        backwards: PartialBackwards,
        kept: Sequence[Value],
    ) -> "Gradients":
        """Those of a recording; ``kept`` is what became of what that has kept."""
        memory = shared_memory(halves)
        positions, variables = recording.interface.positions, recording.variables
        found = [i for i, g in enumerate(halves.gradients) if g is not None]
        # On the tape a walk comes by here on its way there, though nothing flows.
        reach = recording.reach
        led_to = reach.ends_from(bits_of(range(len(reach.ends)))) & ~reach.again
        dead = [i for i in range(len(positions)) if led_to >> i & 1 and i not in found]
        edges = [*found, *dead]
        leaves = tuple(positions[i] for i in edges)
        outputs = recording.interface.with_grad
        values = [halves.forward.outputs[i] for i in outputs]
        saved_variables = tuple(
            k
            for k, i in enumerate(variables)
            if positions.index(i) in memory.saved_inputs
        )
        saved_leaves = [
            len(positions) + leaf
            for leaf, output in enumerate(recording.interface.outputs)
            if output.kind == "variable"
            and output.source in memory.saved_outputs
            and halves.forward.outputs[output.source].kind == "array"
        ]
        saved_inputs = [positions.index(variables[k]) for k in saved_variables]
        return cls(
            leaves=leaves,
            outputs=outputs,
            metas=tuple((value.shape, value.dtype) for value in values),
            variables=variables,
            maybe=_maybe(recording, found, recording.at_hand(kept, halves.saved)),
            saved_variables=saved_variables,
            saved_outputs=memory.saved_outputs,
            buffers=tuple(recording.buffers[i] for i in (*saved_inputs, *saved_leaves)),
            reach=reach,
            on_the_way=frozenset(range(len(outputs)) if len(outputs) > 1 else ()),
            ends=tuple(1 << i for i in edges),
            dead=(None,) * len(dead),
            nothing_saved=(None,) * len(halves.saved),
            all=Walk(bits_of(range(len(outputs))), bits_of(edges)),
            backwards=backwards,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """One way through a function, as source.

    Attributes
    ----------
    module : Module
        The generated source, and the functions in it.
    outside : Outside
        What is read of the outside world, and what must be as it was there.
    interface : Interface
        How a call meets the graph.
    gradients : Gradients
        The same for the backward half.
    replay : Replay
        How a call is run again on the tape.
    own : tuple of int
        The arguments with a version of which branches read copies.
    replayed : tuple of int
        The arguments with a version that may be read later though the tape does not.
    assumptions : Assumptions
        The conditions that the module does not spell out.
    looked_into : tuple of int
        The leaves of the arguments that ``module.outside`` takes.
    effects : Effects or None
        What is done when the generated code has run; it gets the objects that
        ``outside`` finds after the graph's inputs.
    draws : bool
        Whether random numbers are drawn.
    quiet : Quiet or None
        Which floating-point errors are none, if the function uses ``np.errstate``.
    fills : bool
        Whether a nan may come of zeros for cotangents that the tape would not have.
    report : callable
        To be told if the generated code fails where the tape does not.
    ran : Mapping
        How often the arms ran in the call that was recorded (``Recording.ran``).
    notes : tuple of str
        What else there is to say of it.
    optimised : Graph or None
        What was written as source.
    lengths : tuple of str
        The arguments that may be of any length.
    whole : Whole or None
        How a transform gives back what it derives.
    along : Graph or None
        What it does with tangents, to be put on the tape where these are.
    direct : callable
        A shorter way through it, where there is one (``tracing.direct``).
    seconds : float
        How long it took to record the call and to make the trace.
    """

    module: emit.Module
    outside: Outside
    interface: Interface
    gradients: Gradients
    replay: Replay
    own: tuple[int, ...]
    replayed: tuple[int, ...]
    assumptions: Assumptions
    looked_into: tuple[int, ...]
    effects: Effects | None
    draws: bool
    quiet: Quiet | None
    fills: bool
    report: Callable[[Exception], None]
    whole: Whole | None = None
    along: Graph | None = None
    direct: Direct = usual_way
    notes: tuple[str, ...] = ()
    ran: Mapping[tuple[Location, bool], int] = field(default_factory=dict)
    optimised: Graph | None = None
    lengths: tuple[str, ...] = ()
    seconds: float = 0.0

    def read_outside(
        self, leaves: Sequence[Any], drawn: list[State]
    ) -> Sequence[Any] | str:
        """What the graph takes beside the arguments; or what does not fit any more.

        ``drawn`` gets the states of the generators that are drawn from.
        """
        broken = self.assumptions.broken()
        if broken is not None:
            return broken
        outside = self.module.outside
        if outside is None:
            return ()
        try:
            given = [leaves[i] for i in self.looked_into]
            if self.draws:
                given.append(drawn)
            found: Sequence[Any] | str = outside(*given)
        except GONE as error:
            return f"what was read outside is gone: {error}"
        return found

    def run_masked(self, inputs: Sequence[Any]) -> Any:
        """Run ``forward`` of a function that uses ``np.errstate``.

        What is to become of a division by zero that is not just ignored, the generated
        code does not tell: the tape does.
        """
        assert self.quiet is not None
        around, quiet, met = settings_now(), self.quiet, list[str]()

        def note(kind: str, flag: int) -> None:
            line = self.module.users_line_now()
            if not quiet.has(KINDS[kind], line, around):
                met.append(f"{kind} ({line})")

        with np.errstate(all="call", call=note):
            found = self.module.call_forward(inputs)
        return f"{MET}: {met[0]}" if met else found


# What is said if a function with `np.errstate` meets what that is for.
MET = "met a floating-point error, and the function uses `np.errstate`"


def _has_fills(halves: Halves) -> bool:
    graphs = (halves.forward, halves.backward)
    return any(
        getattr(step.function, "fills", False)
        for graph in graphs
        if graph is not None
        for step in walk(graph)
        if isinstance(step, Node)
    )


def compile_recording(
    recording: Recording,
    name: str,
    header: str,
    report: Callable[[Exception], None],
    unpacking: Unpacking | None = None,
) -> Trace:
    """Optimise a recording, write it as source, and load that.

    ``report`` is to be told if the source fails; ``unpacking`` takes apart the calls
    that may go the direct way.

    Raises
    ------
    CompilerError
        Naming the stage that failed.
    """
    graph, outside = recording.graph, recording.outside
    is_open = bool(recording.lengths or selections_in(graph.nodes))
    with stage("optimisation"), override(any_length=is_open):
        optimised = without_marks(optimize(graph, check=config.debug), mark=again)
        opened = lengths_opened(
            optimised, recording, lambda joint: with_writes(_halves(joint, recording))
        )
        optimised = opened.graph
        halves = _halves(optimised, recording)
        is_linear = recording.whole is not None and recording.whole.is_linear
        is_any = opened.open or opened.selected
        written = with_writes(halves if is_any else in_floats(halves))
        if config.debug:
            written.lint()
    with stage("emission"):
        assumptions = outside.assumptions()
        effects = recording.effects.told()
        docstring = _docstring(header, assumptions.mentions(), effects)
        module = emit.build(name, written, docstring, before=outside.written)
        if any(output.has_grad for output in recording.interface.outputs):
            module = replace(module, saved=())
    with stage("the analysis of memory"):
        backwards = PartialBackwards(name, written, recording.reach)
        fills = optimised.fills or _has_fills(halves)
        gradients = Gradients.of(recording, halves, backwards, optimised.kept)
        shapes = shapes_of(recording.tape, opened.open)
        replay = recording.replay(optimised.kept, halves.saved, shapes)
        return Trace(
            module=module,
            outside=outside,
            interface=recording.interface.sharing(shared_memory(halves)),
            gradients=gradients,
            replay=replay,
            own=_own(recording, replay),
            replayed=_replayed(gradients, replay),
            assumptions=assumptions,
            looked_into=tuple(outside.arguments),
            effects=recording.effects or None,
            draws=outside.has_draws,
            quiet=_quiet(recording),
            fills=fills,
            report=report,
            whole=recording.whole,
            along=halves.backward if is_linear else None,
            direct=usual_way
            if fills or unpacking is None
            else _direct(recording, module, assumptions, unpacking, written),
            notes=recording.notes,
            lengths=tuple(sorted(recording.lengths[v].text for v in opened.open)),
            ran=recording.ran,
            optimised=optimised,
        )


def _maybe(
    recording: Recording, found: Sequence[int], places: Mapping[Value, int]
) -> tuple[tuple[int, Flow], ...]:
    """The gradients, of those that are found, that are None after some arms."""
    inputs, maybe = recording.graph.inputs, recording.maybe
    return tuple(
        (number, with_places(maybe[inputs[i]], places))
        for number, i in enumerate(found)
        if inputs[i] in maybe
    )


def _own(recording: Recording, replay: Replay) -> tuple[int, ...]:
    counted = map(recording.interface.positions.index, recording.variables)
    return tuple(number for number, place in enumerate(counted) if place in replay.own)


def _replayed(gradients: Gradients, replay: Replay) -> tuple[int, ...]:
    if replay.has_user_backward:  # it gets what there is by then
        return ()
    pairs = zip(gradients.saved_variables, gradients.buffers, strict=False)
    read = (number for number, buffers in pairs if not buffers)
    return tuple({*replay.needed_versions, *read})


def _direct(
    recording: Recording,
    module: emit.Module,
    assumptions: Assumptions,
    unpacking: Unpacking,
    halves: Halves,
) -> Direct:
    """The shorter way, if nothing is done but to compute."""
    whole, interface = recording.whole, recording.interface
    if whole is None or recording.effects or recording.error_states:
        return usual_way
    outputs = halves.forward.outputs
    return direct_call(unpacking, module, assumptions, interface, whole, outputs)


def _quiet(recording: Recording) -> Quiet | None:
    states = recording.error_states
    is_whole = recording.whole is not None
    return None if states is None else states.quiet(recording.graph, is_whole)


def _halves(graph: Joint, recording: Recording) -> Halves:
    transform = recording.whole
    if transform is None:
        halves = split(graph)
        pairs = zip(recording.graph.kept, graph.kept, strict=False)
        own = {*recording.own.values()}
        copies = {new for old, new in pairs if old in own}.difference(halves.saved)
        return replace(halves, forward=without_copies(halves.forward, copies))
    if transform.is_linear:
        return linear(graph)
    halves = whole(fused(graph, check=config.debug))
    if not transform.are_all_there:
        return halves
    count = recording.interface.count
    return replace(halves, forward=with_floats(halves.forward, transform.pack, count))


def _docstring(header: str, mentions: Sequence[str], effects: Sequence[str]) -> str:
    """What a generated module says first: what it is for, and what it assumes."""
    parts = [header]
    if mentions:
        parts.append(f"Assumed unchanged: {', '.join(mentions)}.")
    if effects:
        lines = [f"    {one_line(text)}" for text in effects]
        parts.append("\n".join(["When forward is done, in this order:", *lines]))
    return "\n\n".join(parts)
