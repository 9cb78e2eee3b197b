"""Compare times within one process: on one thread, in turns, by medians.

Times on a shared machine wander by tens of per cent, ratios of neighbours do not: the
functions take turns, and each turn gives one ratio (or difference); the median counts.
"""

import argparse
import gc
import statistics
import sys
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter

from threadpoolctl import threadpool_limits

ROUNDS = 101
TURN_SECONDS = 0.002  # long against the clock's resolution, short against the noise


@dataclass(frozen=True)
class Row:
    """A measured value and what it may be; a floor is a budget from below."""

    name: str
    value: float
    budget: float
    unit: str
    is_floor: bool = False

    @property
    def ok(self) -> bool:
        if self.is_floor:
            return self.value >= self.budget
        return self.value <= self.budget


@contextmanager
def quiet():
    """Keep one thread for BLAS, and keep the garbage collector out of the turns."""
    gc.collect()
    gc.disable()
    try:
        with threadpool_limits(1):
            yield
    finally:
        gc.enable()


def seconds(function: Callable[[], object], repeat: int) -> float:
    """Return the time of one call, measured over a few."""
    start = perf_counter()
    for _ in range(repeat):
        function()
    return (perf_counter() - start) / repeat


def turns(function: Callable, baseline: Callable) -> list[tuple[float, float]]:
    """Return the times of both per round."""
    with quiet():
        repeats = []
        for each in (function, baseline):
            seconds(each, 3)  # caches warm, traces compiled
            repeats.append(max(1, int(TURN_SECONDS / seconds(each, 3))))
        return [
            (seconds(function, repeats[0]), seconds(baseline, repeats[1]))
            for _ in range(ROUNDS)
        ]


def ratio(function: Callable, baseline: Callable) -> float:
    """Return how many times as long a function takes."""
    return statistics.median(a / b for a, b in turns(function, baseline))


def difference(function: Callable, baseline: Callable) -> float:
    """Return how many seconds more a function takes."""
    return statistics.median(a - b for a, b in turns(function, baseline))


def report(title: str, rows: list[Row]) -> None:
    """Print the table; with --check, exit with 1 if a budget is exceeded."""
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("--check", action="store_true", help="fail over budget")
    arguments = parser.parse_args()

    width = max(len(row.name) for row in rows)
    print(f"\n{title}")
    print(f"  {'':{width}}  {'measured':>12}  {'budget':>12}")
    for row in rows:
        measured = f"{row.value:,.2f} {row.unit}"
        budget = f"{'>=' if row.is_floor else '<='} {row.budget:,.2f}"
        verdict = "" if row.ok else "  over budget"
        print(f"  {row.name:{width}}  {measured:>12}  {budget:>12}{verdict}")
    if arguments.check and not all(row.ok for row in rows):
        sys.exit(1)
