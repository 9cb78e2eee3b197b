"""Compare times within one process: on one thread, in turns, by medians.

Times are the processor's, so that what other programs take does not count. Even so they
wander by tens of per cent on a shared machine, ratios of neighbours do not: the
functions take turns, and each turn gives one ratio (or difference); the median counts.
"""

import argparse
import ctypes
import gc
import importlib.util
import json
import math
import os
import platform
import re
import statistics
import sys
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path
from time import process_time

from threadpoolctl import threadpool_limits

ROUNDS = 101
FEWEST_ROUNDS = 11
LONGEST = 30.0  # seconds for the rounds of one row, as long as that many are left
TURN_SECONDS = 0.002  # long against the clock's resolution, short against the noise
LIBRARIES = "srcgrad numpy scipy numba autograd jax torch casadi".split()


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


def turns(*functions: Callable) -> list[tuple[float, ...]]:
    """Return the times of all per round."""
    with quiet():
        repeats, whole = [], 0.0
        for each in functions:
            seconds(each, 3)  # caches warm, traces compiled
            once = seconds(each, 3)
            repeats.append(max(1, int(TURN_SECONDS / once)))
            whole += once * repeats[-1]
        rounds = min(ROUNDS, max(FEWEST_ROUNDS, int(LONGEST / whole)))
        return [tuple(map(seconds, functions, repeats)) for _ in range(rounds)]


def by_last(times: list[tuple[float, ...]]) -> list[float]:
    """Return how many times as long as the last function each of the others takes."""
    return [
        statistics.median(a / b for a, b in zip(each, last, strict=True))
        for *others, last in [zip(*times, strict=True)]
        for each in others
    ]


def ratio(function: Callable, baseline: Callable) -> float:
    """Return how many times as long a function takes."""
    return by_last(turns(function, baseline))[0]


def difference(function: Callable, baseline: Callable) -> float:
    """Return how many seconds more a function takes."""
    return statistics.median(a - b for a, b in turns(function, baseline))


def resident(name: str) -> float:
    """Return a size of this process in megabytes, as Linux knows it."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(re.search(rf"{name}:\s+(\d+)", status)[1]) / 1024


def memory(function: Callable) -> float:
    """Return the megabytes that a call needs at most beyond what is there before it.

    It is resident memory, whoever asks for it: NumPy, a peer's library, machine code.
    What earlier calls have given back leaves the process first. Pages that are shared
    with something else, and less than some tens of kilobytes, are not seen.
    """
    peaks = []
    for _ in range(3):
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # peak = now
        before = resident("VmRSS")
        function()
        peaks.append(resident("VmHWM") - before)
    return max(0.0, statistics.median(peaks))


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
            name: version(name) for name in LIBRARIES if importlib.util.find_spec(name)
        },
    }


def write(path: Path, title: str, rows: list[Row]) -> None:
    """Write what was measured as JSON, for the page of benchmarks (`docs`)."""
    measured = [
        {"name": r.name, "value": round(r.value, 4), "unit": r.unit} for r in rows
    ]
    content = {
        "title": title,
        "date": date.today().isoformat(),
        "machine": machine(),
        "rows": measured,
    }
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def in_lines(title: str, rows: list[Row]) -> None:
    """Print a line for each value, with its budget."""
    width = max(len(row.name) for row in rows)
    print(f"\n{title}")
    print(f"  {'':{width}}  {'measured':>12}  {'budget':>12}")
    for row in rows:
        measured = f"{row.value:,.2f} {row.unit}"
        budget = f"{'>=' if row.is_floor else '<='} {row.budget:,.2f}"
        verdict = "" if row.ok else "  over budget"
        print(f"  {row.name:{width}}  {measured:>12}  {budget:>12}{verdict}")


def shown(value: float) -> str:
    return f"{value:,.3f}" if 0.0 < value < 0.1 else f"{value:,.2f}"


def in_columns(title: str, rows: list[Row], empty: dict[str, str]) -> None:
    """Print a line for each program, with a column for each library.

    Rows are called ``program: library``; ``empty`` is what stands where none is.
    """
    values = {tuple(row.name.rsplit(": ", 1)): row for row in rows}
    programs = list(dict.fromkeys(program for program, _ in values))
    columns = list(dict.fromkeys([*(column for _, column in values), *empty]))
    budgets = {name: row for (name, _), row in values.items() if row.budget < math.inf}
    widths = {each: max(10, len(each), len(empty.get(each, ""))) for each in columns}
    width = max(map(len, programs))
    print(f"\n{title}")
    head = "".join(f"  {each:>{widths[each]}}" for each in columns)
    print(f"  {'':{width}}{head}{'      must' if budgets else ''}")
    for program in programs:
        line = f"  {program:{width}}"
        for column in columns:
            row = values.get((program, column))
            cell = empty.get(column, "-") if row is None else shown(row.value)
            line += f"  {cell:>{widths[column]}}"
        if row := budgets.get(program):
            line += f"  {row.budget:8.2f}{'' if row.ok else '  over budget'}"
        print(line)


def report(title: str, rows: list[Row], show: Callable = in_lines) -> None:
    """Print the table, and do what the command line asks for."""
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("--check", action="store_true", help="fail over budget")
    parser.add_argument("--json", type=Path, help="write the measured values there")
    arguments = parser.parse_args()
    if arguments.json:
        write(arguments.json, title, rows)
    show(title, rows)
    if arguments.check and not all(row.ok for row in rows):
        sys.exit(1)
