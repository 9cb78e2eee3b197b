"""``Trace``: a recording as generated source, and when that holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad import emit
from srcgrad.config import config
from srcgrad.emit.names import one_line
from srcgrad.graph import Graph, Joint, Partition, walk
from srcgrad.late import LateNames
from srcgrad.modes import override, state
from srcgrad.selections import selections_in
from srcgrad.steps import Location, Node
from srcgrad.tracing.capture.effects import Effects
from srcgrad.tracing.containment import stage
from srcgrad.tracing.environment.assumptions import GONE, Assumptions
from srcgrad.tracing.environment.draws import State
from srcgrad.tracing.environment.error_states import ERROR_KINDS, Quiet, settings_now
from srcgrad.tracing.environment.reader import Environment
from srcgrad.tracing.graphs.interface import Interface
from srcgrad.tracing.runs.opening import opened as lengths_opened
from srcgrad.tracing.runs.opening import shapes_of
from srcgrad.tracing.runs.recording import Recording, Whole
from srcgrad.tracing.runs.replay import Replay
from srcgrad.tracing.serving.argument_kinds import ArgumentKinds
from srcgrad.tracing.serving.backward_residuals import Gradients, Versions
from srcgrad.tracing.serving.direct import Direct, direct_call, usual_way
from srcgrad.tracing.serving.packing import with_floats
from srcgrad.tracing.serving.partial_backwards import PartialBackwards
from srcgrad.tracing.serving.unpacking import Unpacking
from srcgrad.transforms import (
    fused,
    linear,
    optimize,
    scalarized,
    split,
    whole,
    with_writes,
)
from srcgrad.transforms.branches.own_arguments import without_copies
from srcgrad.transforms.loops.symbolic_lengths import Opened
from srcgrad.transforms.partition.shared_memory import shared_memory
from srcgrad.transforms.partition.stages import without_marks
from srcgrad.updates import again

if TYPE_CHECKING:
    from srcgrad.native.tier import tiered

_late = LateNames(globals(), {"srcgrad.native.tier": "tiered"})


@dataclass(frozen=True, slots=True, eq=False)
class Guards:
    """When a trace holds, and what it reads of the environment.

    Attributes
    ----------
    environment : Environment
        What is read of the environment, and what must be as it was there.
    assumptions : Assumptions
        The conditions that the module does not spell out.
    function : callable or None
        The module's ``environment``, which looks at all others;
    looked_into : tuple of int
        the leaves of the arguments that it takes.
    draws : bool
        Whether random numbers are drawn.
    """

    environment: Environment
    assumptions: Assumptions
    function: Callable[..., Any] | None
    looked_into: tuple[int, ...]
    draws: bool

    def read(self, leaves: Sequence[Any], drawn: list[State]) -> Sequence[Any] | str:
        """What the graph takes beside the arguments; or what does not fit any more.

        ``drawn`` gets the states of the generators that are drawn from.
        """
        broken = self.assumptions.broken()
        if broken is not None:
            return broken
        if self.function is None:
            return ()
        try:
            given = [leaves[i] for i in self.looked_into]
            if self.draws:
                given.append(drawn)
            found: Sequence[Any] | str = self.function(*given)
        except GONE as error:
            return f"what was read of the environment is gone: {error}"
        return found


@dataclass(frozen=True, slots=True, eq=False)
class About:
    """What a trace tells of itself.

    Attributes
    ----------
    notes : tuple of str
        What is to be said of it.
    ran : Mapping
        How often the arms ran in the call that was recorded (``Outcome.ran``).
    optimised : Graph
        What was written as source.
    lengths : tuple of str
        The arguments that may be of any length;
    open : frozenset of int
        their numbers among the inputs.
    seconds : float
        How long it took to record the call and to make the trace.
    arguments : ArgumentKinds or None
        Those of the call that was recorded.
    """

    notes: tuple[str, ...]
    ran: Mapping[tuple[Location, bool], int]
    optimised: Graph
    lengths: tuple[str, ...]
    open: frozenset[int] = frozenset()
    seconds: float = 0.0
    arguments: ArgumentKinds | None = None

    @classmethod
    def of(cls, recording: Recording, opened: Opened) -> About:
        """What there is to tell of a recording with these lengths open."""
        lengths = sorted(recording.lengths[value].text for value in opened.open)
        outcome = recording.outcome
        inputs = enumerate(opened.graph.inputs)
        numbers = frozenset(i for i, value in inputs if value in opened.open)
        return cls(outcome.notes, outcome.ran, opened.graph, tuple(lengths), numbers)


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """One way through a function, as source.

    Attributes
    ----------
    module : Module
        The generated source, and the functions in it.
    guards : Guards
        When it holds.
    interface : Interface
        How a call meets the graph.
    gradients : Gradients
        The same for the backward graph.
    versions : Versions
        Which arrays a call keeps an eye on until then.
    replay : Replay
        How a call is run again on the tape.
    effects : Effects or None
        What is done when the generated code has run; it gets the objects that
        ``environment`` finds after the graph's inputs.
    quiet : Quiet or None
        Which floating-point errors are none, if the function uses ``np.errstate``.
    fills : bool
        Whether a nan may come of zeros for cotangents that the tape would not have.
    report : callable
        To be told if the generated code fails where the tape does not.
    whole : Whole or None
        How a transform gives back what it derives.
    along : Graph or None
        What it does with tangents, to be put on the tape where these are.
    about : About
        What it tells of itself.
    direct : callable
        A shorter way through it, where there is one (``tracing.direct``).
    """

    module: emit.Module
    guards: Guards
    interface: Interface
    gradients: Gradients
    versions: Versions
    replay: Replay
    effects: Effects | None
    quiet: Quiet | None
    fills: bool
    report: Callable[[Exception], None]
    whole: Whole | None
    along: Graph | None
    about: About
    direct: Direct = usual_way

    def run_masked(self, inputs: Sequence[Any]) -> Any:
        """Run ``forward`` of a function that uses ``np.errstate``.

        What is to become of a division by zero that is not just ignored, the generated
        code does not tell: the tape does.
        """
        assert self.quiet is not None
        around, quiet, met = settings_now(), self.quiet, list[str]()

        def note(kind: str, flag: int) -> None:
            line = self.module.users_line_now()
            if not quiet.has(ERROR_KINDS[kind], line, around):
                met.append(f"{kind} ({line})")

        with np.errstate(all="call", call=note):
            found = self.module.call_forward(inputs)
        return f"{MET}: {met[0]}" if met else found


# What is said if a function with `np.errstate` meets what that is for.
MET = "met a floating-point error, and the function uses `np.errstate`"


def _has_fills(partition: Partition) -> bool:
    graphs = (partition.forward, partition.backward)
    functions = {
        step.function
        for graph in graphs
        if graph is not None
        for step in walk(graph)
        if type(step) is Node
    }
    return any(getattr(function, "fills", False) for function in functions)


def compile_recording(
    recording: Recording,
    name: str,
    header: str,
    report: Callable[[Exception], None],
    unpacking: Unpacking | None = None,
    native: Any = False,
) -> Trace:
    """Optimise a recording, write it as source, and load that.

    ``report`` is to be told if the source fails; ``unpacking`` takes apart the calls
    that may go the direct way; ``native`` is as for ``set_native``.

    Raises
    ------
    CompilerError
        Naming the stage that failed.
    """
    is_open = bool(recording.lengths or selections_in(recording.graph.nodes))
    with stage("optimisation"), override(any_length=is_open):
        opened, partition, written = _optimised(recording)
    with stage("emission"):
        in_place = with_writes(written)
        if config.debug:
            in_place.lint()
        is_any = bool(opened.open or opened.selected)
        module, guards = _emitted(recording, name, header, in_place, not is_any)
    if native:
        with stage("machine code"):
            _late.load()
            module = tiered(module, written, native, state.native_threads, is_any)
    with stage("the analysis of memory"):
        optimised, memory = opened.graph, shared_memory(partition)
        backwards = PartialBackwards(name, in_place, recording.back.reach)
        shapes = shapes_of(recording.tape.graph, opened.open)
        replay = recording.replay(optimised.residuals, partition.saved, shapes)
        trace = Trace(
            module=module,
            guards=guards,
            interface=recording.interface.sharing(memory),
            gradients=Gradients.of(
                recording, partition, backwards, optimised.residuals
            ),
            versions=Versions.of(recording, partition, memory, replay),
            replay=replay,
            effects=recording.interaction.effects or None,
            quiet=_quiet(recording),
            fills=optimised.fills or _has_fills(partition),
            report=report,
            whole=recording.whole,
            along=partition.backward if _is_linear(recording) else None,
            about=About.of(recording, opened),
        )
        return _with_direct(trace, recording, unpacking, in_place)


def _optimised(recording: Recording) -> tuple[Opened, Partition, Partition]:
    """The graph for any lengths, its partition, and that on floats where it pays."""
    graph = without_marks(optimize(recording.graph, check=config.debug), mark=again)
    to_write = lambda joint: with_writes(_partition(joint, recording))  # noqa: E731
    opened = lengths_opened(graph, recording, to_write)
    partition = _partition(opened.graph, recording)
    is_any = opened.open or opened.selected
    written = partition if is_any else scalarized(partition)
    return opened, partition, written


def _emitted(
    recording: Recording, name: str, header: str, written: Partition, has_spares: bool
) -> tuple[emit.Module, Guards]:
    """The module, and when it holds; ``has_spares``: each call has the same shapes."""
    environment = recording.interaction.environment
    assumptions = environment.assumptions()
    told = assumptions.mentions(), recording.interaction.effects.told()
    docstring = _docstring(header, *told)
    before = environment.written
    module = emit.build(name, written, docstring, before, has_spares)
    if any(output.has_grad for output in recording.interface.outputs):
        module = replace(module, saved=())
    looked_into, draws = tuple(environment.arguments), environment.has_draws
    return module, Guards(
        environment, assumptions, module.environment, looked_into, draws
    )


def _with_direct(
    trace: Trace,
    recording: Recording,
    unpacking: Unpacking | None,
    partition: Partition,
) -> Trace:
    """The same with the shorter way, if nothing is done but to compute."""
    whole, module, interface = trace.whole, trace.module, recording.interface
    is_more = trace.fills or trace.effects or recording.interaction.error_states
    if unpacking is None or whole is None or is_more:
        return trace
    assumptions, outputs = trace.guards.assumptions, partition.forward.outputs
    direct = direct_call(unpacking, module, assumptions, interface, whole, outputs)
    return replace(trace, direct=direct)


def _quiet(recording: Recording) -> Quiet | None:
    states = recording.interaction.error_states
    is_whole = recording.whole is not None
    return None if states is None else states.quiet(recording.graph, is_whole)


def _is_linear(recording: Recording) -> bool:
    return recording.whole is not None and recording.whole.is_linear


def _partition(graph: Joint, recording: Recording) -> Partition:
    transform = recording.whole
    if transform is None:
        partition = split(graph)
        pairs = zip(recording.graph.residuals, graph.residuals, strict=False)
        own = {*recording.tape.own.values()}
        copies = {new for old, new in pairs if old in own}.difference(partition.saved)
        return replace(partition, forward=without_copies(partition.forward, copies))
    if _is_linear(recording):
        return linear(graph)
    partition = whole(fused(graph, check=config.debug))
    if not transform.are_all_there:
        return partition
    count = recording.interface.count
    return replace(
        partition, forward=with_floats(partition.forward, transform.pack, count)
    )


def _docstring(header: str, mentions: Sequence[str], effects: Sequence[str]) -> str:
    """What a generated module says first: what it is for, and what it assumes."""
    parts = [header]
    if mentions:
        parts.append(f"Assumed unchanged: {', '.join(mentions)}.")
    if effects:
        lines = [f"    {one_line(text)}" for text in effects]
        parts.append("\n".join(["When forward is done, in this order:", *lines]))
    return "\n\n".join(parts)
