"""``measured``: what the statements of a trace's module cost in a call."""

import copy
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from srcgrad.emit.module import FUNCTIONS_ON_FLOATS
from srcgrad.tape.engine import first_cotangent
from srcgrad.tape.variable import Variable
from srcgrad.tracing.environment.draws import State, restore
from srcgrad.tracing.export.editing import Edited
from srcgrad.tracing.report.stopwatch import (
    OVER,
    TELL,
    Scales,
    Stopwatch,
    instrumented,
    own_time,
)
from srcgrad.tracing.report.user_source import Statement
from srcgrad.tracing.serving.filled_zeros import unharmed
from srcgrad.tracing.serving.trace import Trace

Clock = Callable[[], int]
GENERATED = ("forward", "backward", "environment")

# Runs are repeated until they have taken so long, or are so many.
ENOUGH, MOST_RUNS = 250_000_000, 200


class Cost(NamedTuple):
    """What a line costs in a call.

    Attributes
    ----------
    runs : int
        How often it runs.
    seconds : float
        How long it takes, all runs together.
    taken : int
        The bytes that it takes: in each run at its most, all runs together.
    kept : int
        The bytes that are there after it, and were not before; below zero, if it lets
        go of some.
    """

    runs: int = 0
    seconds: float = 0.0
    taken: int = 0
    kept: int = 0

    def __add__(self, other: Any) -> "Cost":
        """The cost of both; they run as often as the one that runs more often."""
        sums = (a + b for a, b in zip(self[1:], other[1:], strict=True))
        return Cost(max(self.runs, other.runs), *sums)


class Costs(NamedTuple):
    """What is told of costs.

    By generated line, by the user's statement (None: for none), of all lines; and how
    long a call takes, and how much memory it holds at most.
    """

    lines: Mapping[int, Cost]
    statements: Mapping[Statement | None, Cost]
    total: Cost
    seconds: float
    most: int


@dataclass(frozen=True)
class Measured:
    """What a call costs.

    Attributes
    ----------
    seconds : float
        How long the generated code takes, without being instrumented.
    most : int
        The most bytes that there were at any time, on top of what there was before.
    lines : dict
        The cost of each statement, by its first line.
    runs : int
        How often it was run for that.
    """

    seconds: float
    most: int
    lines: Mapping[int, Cost]
    runs: int


def measured(
    trace: Trace,
    leaves: Sequence[Any],
    edited: Edited | None = None,
    function: Any = None,
    clock: Clock = time.perf_counter_ns,
) -> Measured:
    """Run a call's generated code again and again; nothing else comes of it.

    Parameters
    ----------
    trace : Trace
        What serves the call.
    leaves : sequence
        The leaves of its arguments.
    edited : Edited, optional
        The module that the trace runs, if a user has edited one.
    function : function
        The user's.
    clock : callable
        Gives nanoseconds.
    """
    call = Call(trace, leaves)
    instrumented_trace = Instrumented(trace, edited, function)
    whole: list[int] = []
    watches: list[Stopwatch] = []
    begin = clock()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the calls themselves have warned
        call.run(trace)
        while True:
            start = clock()
            call.run(trace)
            whole.append(clock() - start)
            watches.append(watch := Stopwatch(clock))
            instrumented_trace.run(call, watch.at)
            if clock() - begin > ENOUGH or len(whole) >= MOST_RUNS:
                break
        with _counting_memory():
            scales = Scales()
            instrumented_trace.run(call, scales.at)
    return Measured(
        sum(_undisturbed(whole)) / len(_undisturbed(whole)) / 1e9,
        scales.most,
        _costs(_undisturbed(watches, _total), scales, own_time(clock)),
        len(whole),
    )


def _total(watch: Stopwatch) -> int:
    return sum(spent for line, spent in watch.spent.items() if line != OVER)


def _undisturbed(items: Sequence[Any], key: Any = None) -> Sequence[Any]:
    """Those that nothing else on the machine has slowed down."""
    return sorted(items, key=key)[: (len(items) + 1) // 2]


def _costs(
    watches: Sequence[Stopwatch], scales: Scales, overhead: float
) -> dict[int, Cost]:
    lines = sorted({line for watch in watches for line in watch.runs} - {OVER})
    costs = {}
    for line in lines:
        runs = max(watch.runs[line] for watch in watches)
        spent = sum(watch.spent[line] for watch in watches) / len(watches)
        seconds = max(0.0, spent - overhead * runs) / 1e9
        costs[line] = Cost(runs, seconds, scales.taken[line], scales.kept[line])
    return costs


@contextmanager
def _counting_memory() -> Iterator[None]:
    if tracemalloc.is_tracing():  # a user's, who goes on
        yield
        return
    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.stop()


class Call:
    """A call of generated code: way there and, where it is one, way back."""

    def __init__(self, trace: Trace, leaves: Sequence[Any]) -> None:
        self._leaves = leaves
        self._cotangents: Sequence[Any] | None = None

    def run(self, trace: Trace) -> tuple[Any, Any]:
        """Run it: what ``forward`` gives, and ``backward`` for cotangents of one.

        ``trace`` is that of the call, or an instrumented copy.
        """
        drawn: list[State] = []
        try:
            found = self._forward(trace, drawn)
        finally:
            restore(drawn)
        if type(found) is str:
            raise RuntimeError(f"the arguments have changed: {found}")
        return found, self._backward(trace, *found)

    def _forward(self, trace: Trace, drawn: list[State]) -> Any:
        read = trace.guards.read(self._leaves, drawn)
        if isinstance(read, str):
            return read
        leaves = [*self._leaves, *read[: len(trace.guards.environment.taken)]]
        inputs = [
            leaf.value if type(leaf := leaves[i]) is Variable else leaf
            for i in trace.interface.positions
        ]
        if trace.quiet is not None:
            return trace.run_masked(inputs)
        if trace.fills and trace.whole is not None:
            return unharmed(trace.module.call_forward, inputs) or "a nan"
        return trace.module.call_forward(inputs)

    def _backward(self, trace: Trace, outs: Sequence[Any], saved: Any) -> Any:
        if trace.whole is not None or saved is None or trace.module.backward is None:
            return ()
        if self._cotangents is None:
            results = [outs[number] for number in trace.gradients.outputs]
            self._cotangents = [
                first_cotangent(np.shape(result), np.result_type(result))
                for result in results
            ]
        given = saved, self._cotangents
        if trace.fills:
            return unharmed(trace.module.call_backward, *given)
        return trace.module.call_backward(*given)


class Instrumented:
    """A trace whose functions tell of each statement."""

    def __init__(self, trace: Trace, edited: Edited | None, function: Any) -> None:
        module = trace.module
        if edited is not None and not isinstance(module.forward, FunctionType):
            self._space = _instrumented_module(edited)
            self._trace = self._edited(trace, edited, function)
            return
        assert isinstance(module.forward, FunctionType)
        names = module.forward.__globals__
        self._space = instrumented(module.text, module.filename, names, print)
        defined: dict[str, Any] = {
            name: self._space.get(name) for name in (*GENERATED, *FUNCTIONS_ON_FLOATS)
        }
        self._trace = replace(
            trace,
            module=replace(module, **defined),
            guards=replace(trace.guards, function=defined["environment"]),
        )

    def _edited(self, trace: Trace, edited: Edited, function: Any) -> Trace:
        copied = copy.copy(edited)
        copied.module = ModuleType(Path(edited.path).stem)
        vars(copied.module).update(self._space)
        return copied.into(trace, function)

    def run(self, call: Call, at: Callable[[int], Any]) -> tuple[Any, Any]:
        """Run a call, and tell of each statement."""
        self._space[TELL] = at
        found = call.run(self._trace)
        at(OVER)
        return found


def _instrumented_module(edited: Edited) -> dict[str, Any]:
    names = {"__name__": edited.path.stem, "__file__": str(edited.path)}
    return instrumented(edited.text, str(edited.path), names, print)
