"""How fast tracing and compiling is, on unrolled loops, and whether it is linear."""

from time import perf_counter

import numpy as np
from ratios import Row, quiet, report

import srcgrad

BUDGET = 5_000
OPERATIONS = (1_000, 2_000, 5_000, 10_000, 20_000)
LINEAR = 1.5  # seconds per operation, longest loop against shortest


def unrolled(x, steps):
    """Two recorded operations a step."""
    for _ in range(steps):
        x = np.sin(x) * 1.5
    return np.sum(x)


def operations_per_second(operations: int) -> float:
    """Return the recorded forward operations per second of a first call."""
    function = srcgrad.trace(unrolled)
    x = srcgrad.Variable(np.linspace(0.5, 1.0, 4), requires_grad=True)
    with quiet():
        start = perf_counter()
        function(x, operations // 2)
        taken = perf_counter() - start
    function(x, operations // 2).backward()
    assert function.stats.compiled == 1, function.explain()
    return operations / taken


def rows() -> list[Row]:
    operations_per_second(100)  # imports done, caches warm
    rates = [operations_per_second(operations) for operations in OPERATIONS]
    return [
        *(
            Row(f"{operations:6,} operations", rate, BUDGET, "op/s", is_floor=True)
            for operations, rate in zip(OPERATIONS, rates, strict=True)
        ),
        Row("time per operation, last / first", rates[0] / rates[-1], LINEAR, "x"),
    ]


if __name__ == "__main__":
    report("Tracing and compiling an unrolled loop", rows())
