"""What one operator costs more on a Variable, and one backward step of the engine."""

import operator
from functools import partial

import numpy as np
from ratios import Row, difference, report

import srcgrad

BUDGET = 1.5
CHAIN = 200
SHAPE = (4, 4)


def operator_rows() -> list[Row]:
    """Return microseconds above NumPy for operators that record."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=SHAPE), rng.normal(size=SHAPE)
    va, vb = (srcgrad.Variable(each, requires_grad=True) for each in (a, b))
    cases = {
        "a * b": (operator.mul, (va, vb), (a, b)),
        "a * array": (operator.mul, (va, b), (a, b)),
        "a + 1.0": (operator.add, (va, 1.0), (a, 1.0)),
        "a @ b": (operator.matmul, (va, vb), (a, b)),
        "np.tanh(a)": (np.tanh, (va,), (a,)),
        "a.sum()": (lambda x: x.sum(), (va,), (a,)),
    }
    rows = []
    for name, (function, variables, arrays) in cases.items():
        recorded = partial(function, *variables)
        plain = partial(function, *arrays)
        rows.append(Row(name, 1e6 * difference(recorded, plain), BUDGET, "us"))
    return rows


def engine_row() -> Row:
    """Return microseconds per backward step above its one NumPy multiplication."""
    rng = np.random.default_rng(0)
    factor = rng.uniform(0.9, 1.1, size=SHAPE)
    x = srcgrad.Variable(np.ones(SHAPE), requires_grad=True)
    ones = np.ones(SHAPE)
    out = x
    for _ in range(CHAIN):
        out = out * factor
    seed = srcgrad.Variable(ones)

    def engine():
        srcgrad.autograd.grad([out], [x], [seed], retain_graph=True)

    def by_hand():
        g = ones
        for _ in range(CHAIN):
            g = g * factor

    per_step = 1e6 * difference(engine, by_hand) / CHAIN
    return Row("engine step of a * array", per_step, BUDGET, "us")


if __name__ == "__main__":
    report(
        f"Time above NumPy, arrays of {SHAPE}",
        [*operator_rows(), engine_row()],
    )
