"""Compare times within one process: on one thread, in turns, by medians.

Times are the processor's, so that what other programs take does not count. Even so they
wander by tens of per cent on a shared machine, ratios of neighbours do not: the
functions take turns, and each turn gives one ratio (or difference); the median counts.
"""

import argparse
import gc
import importlib.util
import json
import os
import platform
import statistics
import sys
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from time import process_time

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
    start = process_time()
    for _ in range(repeat):
        function()
    return (process_time() - start) / repeat


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


def machine() -> dict[str, object]:
    """Return what the times depend on, beside the program."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    models = [
        line.partition(": ")[2] for line in lines if line.startswith("model name")
    ]
    return {
        "processor": models[0] if models else platform.processor(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "libraries": {
            name: version(name)
            for name in ("srcgrad", "numpy", "scipy", "autograd", "jax", "torch")
            if importlib.util.find_spec(name)
        },
    }


def write(path: Path, title: str, rows: list[Row]) -> None:
    """Write what was measured as JSON, for the page of benchmarks (`docs`)."""
    measured = [
        {"name": r.name, "value": round(r.value, 4), "unit": r.unit} for r in rows
    ]
    content = {"title": title, "machine": machine(), "rows": measured}
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def report(title: str, rows: list[Row]) -> None:
    """Print the table, and do what the command line asks for."""
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("--check", action="store_true", help="fail over budget")
    parser.add_argument("--json", type=Path, help="write the measured values there")
    arguments = parser.parse_args()
    if arguments.json:
        write(arguments.json, title, rows)

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
