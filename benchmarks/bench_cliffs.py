"""Where tracing could cost much: straight code, what never repeats, constants.

Times are of one process: those of a traced function against the same on the tape.
"""

import gc
import itertools
import linecache
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from time import perf_counter, process_time

import numpy as np
from long_runs import RUNS
from ratios import Row, quiet, report

import srcgrad

LINES = (1_000, 2_000, 4_000)
LEAST_OPERATIONS = 5_000  # a second
LINEAR = 1.5  # seconds per operation, longest code against shortest
MOST_TIME = 1.3  # times the tape's
BLOCK = 200  # calls of one, then of the other
FUNCTIONS = 300


def defined(source: str, filename: str) -> Callable:
    """Return the function ``f`` of a source, as from a file of that name."""
    linecache.cache[filename] = len(source), None, source.splitlines(True), filename
    namespace = {"np": np, "__name__": "made_up"}
    exec(compile(source, filename, "exec"), namespace)
    return namespace["f"]


# ----- Straight code -----


def operations_per_second(lines: int) -> float:
    """Return the recorded forward operations per second of a first call."""
    body = "    x = np.sin(x) * 1.5\n" * lines
    function = defined(f"def f(x):\n{body}    return np.sum(x)\n", f"lines_{lines}.py")
    traced = srcgrad.trace(function)
    x = srcgrad.Variable(np.linspace(0.5, 1.0, 4), requires_grad=True)
    with quiet():
        start = perf_counter()
        traced(x)
        taken = perf_counter() - start
    assert traced.stats.traces == 1, traced.explain()
    return 2 * lines / taken


# ----- What never repeats -----


def blocks(calls: Iterator[tuple], count: int) -> Iterator[list[tuple]]:
    """Yield the first calls, some at a time."""
    first = itertools.islice(calls, count)
    while block := [*itertools.islice(first, BLOCK)]:
        yield block


def times_the_tape(function: Callable, calls: Iterator[tuple], count: int) -> float:
    """Return how many times as long a run takes, of a function with a gradient.

    Both run each block of calls in turn: what else the machine does meets both alike.
    """
    both = function, srcgrad.trace(function)
    taken = [0.0, 0.0]
    with quiet(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for block in blocks(calls, count):
            for place, each in enumerate(both):
                start = process_time()
                for args in block:
                    each(*args)
                taken[place] += process_time() - start
    return taken[1] / taken[0]


# ----- Memory -----


def with_constant(x):
    constant = np.ones((300, 300)) * np.arange(300.0)
    for _ in range(400):
        x = x + constant
    return np.sum(x)


def megabytes_of_a_constant() -> float:
    """Return what 400 uses of a local array of 0.7 MB take, the results aside."""
    traced = srcgrad.trace(with_constant)
    x = srcgrad.Variable(np.ones((300, 300)), requires_grad=True)
    traced(x)
    traced.clear()
    tracemalloc.start()
    traced(x)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return (peak - 400 * x.data.nbytes) / 1e6


def kilobytes_of_a_function() -> float:
    """Return what a traced function leaves behind when it is gone."""

    def make(number: int) -> None:
        source = f"def f(x):\n    return np.sum(np.tanh(x) * {number}.0)\n"
        filename = f"function_{number}.py"
        srcgrad.trace(defined(source, filename))(np.ones(3))
        del linecache.cache[filename]

    for number in range(50):
        make(number)
    gc.collect()
    tracemalloc.start()
    for number in range(50, 50 + FUNCTIONS):
        make(number)
    gc.collect()
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return kept / 1e3 / FUNCTIONS


def rows() -> list[Row]:
    operations_per_second(100)  # imports done, caches warm
    rates = [operations_per_second(lines) for lines in LINES]
    return [
        *(
            Row(f"{lines:,} lines", rate, LEAST_OPERATIONS, "op/s", is_floor=True)
            for lines, rate in zip(LINES, rates, strict=True)
        ),
        Row("time per operation, last / first", rates[0] / rates[-1], LINEAR, "x"),
        *(
            Row(name, times_the_tape(function, calls(), count), MOST_TIME, "x tape")
            for name, function, calls, count in RUNS
        ),
        Row("400 uses of a constant of 0.7 MB", megabytes_of_a_constant(), 8, "MB"),
        Row("left behind by a function", kilobytes_of_a_function(), 1, "kB"),
    ]


if __name__ == "__main__":
    report("Cliffs of tracing", rows())
