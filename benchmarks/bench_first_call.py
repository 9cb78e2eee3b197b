"""What a first traced call costs, in calls of functions: against the tape, by count.

Counts do not depend on the machine: `cProfile` counts the calls of Python's functions
and of C's. Run from the root of the repository, which has the programs:

    PYTHONPATH=. python benchmarks/bench_first_call.py [name ...]
"""

import cProfile
import importlib
import pstats
import sys
import warnings
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

import srcgrad
from tests.scientific.programs import PROGRAMS
from tests.test_scientific_programs import FIELDS

# A first call that makes so many times the calls of the tape's, or fewer than these,
# pays soon.
TIMES, FEW = 15, 40_000


def calls_of(function: Callable[[], Any]) -> int:
    """Return how many calls of functions a call makes."""
    profile = cProfile.Profile()
    profile.enable()
    try:
        function()
    finally:
        profile.disable()
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]


def counts(make: Callable[[], Any], args: tuple[Any, ...]) -> tuple[int, int, int]:
    """Return the calls on the tape, of the first traced call, and of a later one."""

    def gradient(function: Any, *options: Any, **named: Any) -> Callable[[], Any]:
        return lambda: srcgrad.value_and_grad(function, *options)(*args, **named)

    on_tape = gradient(srcgrad.trace(make()))
    with srcgrad.set_stance("tape"):
        on_tape()  # makes the followed copy
        tape = calls_of(on_tape)
    gradient(srcgrad.trace(make()))()  # what is loaded late is there
    traced = gradient(srcgrad.trace(make()))
    return tape, calls_of(traced), calls_of(traced)


def programs(names: list[str]) -> None:
    """Print a row a program, and how many pay soon."""
    for field in FIELDS:
        importlib.import_module(f"tests.scientific.{field}")
    found = []
    print(f"{'program':28} {'tape':>8} {'first':>9} {'later':>7} {'first/tape':>10}")
    for name in names or PROGRAMS:
        program = PROGRAMS[name]
        made, args = program.make, (program.start, *program.data)
        if program.keywords:
            continue
        tape, first, later = counts(made, args)
        found.append((tape, first))
        print(f"{name:28} {tape:8} {first:9} {later:7} {first / tape:10.1f}")
    soon = sum(first <= max(TIMES * tape, FEW) for tape, first in found)
    times = median(first / tape for tape, first in found)
    print(
        f"\n{soon} of {len(found)} pay soon; the median is {times:.1f} times the tape"
    )


def runge_kutta(p: Any, steps: int) -> Any:
    """Lotka and Volterra's equations on numbers."""
    x, y, h = 1.0, 0.5, 0.01

    def slopes(x: Any, y: Any) -> Any:
        return p[0] * x - p[1] * x * y, p[2] * x * y - p[3] * y

    for _ in range(steps):
        a, b = slopes(x, y)
        c, d = slopes(x + h / 2 * a, y + h / 2 * b)
        x, y = x + h * c, y + h * d
    return x + y


def pairs(p: Any, count: int) -> Any:
    """An energy of all pairs of so many points."""
    energy = 0.0
    for i, j in [(k, m) for k in range(count) for m in range(k)]:
        energy = energy + 1.0 / ((p[i] - p[j]) ** 2 + 0.1)
    return energy


def by_count() -> None:
    """Print what first calls cost beyond the tape's, and their sources, by count."""
    p = np.linspace(0.3, 1.1, 12)
    for function, few, many in ((runge_kutta, 20, 2000), (pairs, 6, 12)):
        rows = []
        for count in (few, many):
            tape, first, _ = counts(lambda f=function: f, (p, count))
            traced = srcgrad.trace(function)
            srcgrad.value_and_grad(traced)(p, count)
            lines = len(traced.source().splitlines())
            rows.append(first - tape)
            print(f"{function.__name__}, {count}: {first - tape} more, {lines} lines")
        print(f"  {rows[1] / rows[0]:.1f} times as much for {many} as for {few}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # programs that stay on the tape say so
    programs(sys.argv[1:])
    if not sys.argv[1:]:
        by_count()
