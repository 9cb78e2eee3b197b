"""``measured``: what the statements of a trace's module cost in a call."""

import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from srcgrad.tracing.export.editing import Edited
from srcgrad.tracing.report.repeated_calls import Call, Instrumented, timed
from srcgrad.tracing.report.stopwatch import OVER, Scales, Stopwatch, own_time
from srcgrad.tracing.report.user_source import Statement
from srcgrad.tracing.serving.trace import Trace

Clock = Callable[[], int]

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
            whole.append(timed(call, trace, clock))
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
