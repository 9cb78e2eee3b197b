"""Machine code: value and gradient against what an expert writes by hand in NumPy.

Each program (`native_programs.py`) is compiled (``set_native("now")``), checked against
the expert's, and timed in turns with it and with what experts write in other libraries
(`peers_jax.py`, `peers_casadi.py`, `peers_numba.py`), one core for all. Where NumPy's
tier is faster, that is timed, and told. Budgets are what is asked for.

The time of the first call is the processor's, of srcgrad's first 12 calls: until then
one of its tiers has been chosen. Memory is what a later call needs beyond what is there
before it, arguments among it (`ratios.memory`).
"""

import os

os.environ.update(  # read when NumPy and the peers are loaded
    dict.fromkeys((f"{each}_NUM_THREADS" for each in ("OMP", "OPENBLAS", "MKL")), "1")
)

import importlib
import importlib.util
import math
import statistics
import tempfile
from collections.abc import Callable
from datetime import date
from functools import partial
from multiprocessing import get_context

import numpy as np
from native_programs import PROGRAMS, Program
from ratios import Row, by_last, in_columns, machine, memory, report, turns

import srcgrad
from srcgrad.pytree import flatten

# Their columns; each has a file, and is left out of it what another would do.
PEERS = {
    "jax": ("JAX",),
    "casadi": ("CasADi", "CasADi in C"),
    "numba": ("Numba by hand",),
}
# Calls until one of the tiers has been chosen, and some more.
TRIED = 12
TABLES = {
    ("x", "ms"): "Value and gradient on one core: time, by an expert's NumPy",
    ("s",): f"Seconds of the first call, which compiles (srcgrad: the first {TRIED})",
    ("MB",): "Megabytes that a call needs, beyond its arguments",
}


def peers() -> dict[str, dict[str, Callable]]:
    """Return the programs of each column; None where something is not installed."""
    found = {}
    for library, columns in PEERS.items():
        found |= dict.fromkeys(columns)
        if importlib.util.find_spec(library):
            found |= importlib.import_module(f"peers_{library}").COLUMNS
    return found


def cpu_seconds() -> float:
    """Return the processor's time of this process, and of compilers that it has run."""
    return sum(os.times()[:4])


def assert_agree(found, expected, is_symmetric: bool) -> None:
    """Look whether all values are the expert's, by the largest of each array."""
    for ours, right in zip(flatten(found)[0], flatten(expected)[0], strict=True):
        ours, right = np.asarray(ours), np.asarray(right)
        if is_symmetric and right.ndim == 2:
            ours, right = ours + ours.T, right + right.T
        near = 1e-8 if right.dtype == np.float64 else 1e-4
        np.testing.assert_allclose(ours, right, rtol=0, atol=near * abs(right).max())


def started(program: Program, others: dict[str, Callable]) -> tuple[dict, dict]:
    """Return the calls that are compared, and how long the first of each has taken."""
    traced = srcgrad.trace(program.function, native="now")
    ours = program.transform(traced, program.numbers)
    runs, compiling = {}, {}
    for name, make in {"srcgrad": lambda *args: partial(ours, *args), **others}.items():
        start = cpu_seconds()
        runs[name] = make(*program.arguments)
        for _ in range(TRIED if name == "srcgrad" else 1):
            runs[name]()
        compiling[name] = cpu_seconds() - start
    told = ours.explain().partition("answered by: ")[2].partition("\n")[0]
    print(f"{program.name}, srcgrad: {told}", flush=True)
    return runs, compiling


def rows(program: Program, others: dict[str, Callable]) -> list[Row]:
    """Return what is measured of one program, after a look that all agree."""
    runs, compiling = started(program, others)
    by_hand = partial(program.by_hand, *program.arguments)
    for run in runs.values():
        assert_agree(run(), by_hand(), program.is_symmetric)
    times = turns(*runs.values(), by_hand)
    found = {"x": dict(zip(runs, by_last(times), strict=True))}
    found["ms"] = {"expert, ms": 1e3 * statistics.median(each[-1] for each in times)}
    found["s"] = compiling
    found["MB"] = {k: memory(v) for k, v in {"expert": by_hand, **runs}.items()}
    return [
        Row(
            f"{program.name}: {column}",
            value,
            program.budget if (unit, column) == ("x", "srcgrad") else math.inf,
            unit,
        )
        for unit, values in found.items()
        for column, value in values.items()
    ]


def in_tables(title: str, rows: list[Row], columns: dict) -> None:
    """Print a table for times, first calls, and memory."""
    print(f"\n{title}, {date.today()}, one core")
    for key, value in machine().items():
        print(f"  {key}: {value}")
    empty = {name: "not installed" for name, made in columns.items() if made is None}
    for units, head in TABLES.items():
        in_columns(head, [row for row in rows if row.unit in units], empty)


def measured(number: int) -> list[Row]:
    """Return the rows of a program by its number in the table."""
    program = PROGRAMS[number]
    others = {
        column: made[program.name]
        for column, made in peers().items()
        if made and program.name in made
    }
    return rows(program, others)


def main() -> None:
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # one core for all
    with tempfile.TemporaryDirectory() as folder:  # all is compiled anew
        os.environ["SRCGRAD_CACHE_DIR"] = folder
        # A process for each program: in one that has run others, JAX's calls of some
        # microseconds have been seen to take twice as long.
        with get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
            parts = pool.map(measured, range(len(PROGRAMS)), chunksize=1)
    found = [row for part in parts for row in part]
    report("Machine code", found, partial(in_tables, columns=peers()))


if __name__ == "__main__":
    main()
