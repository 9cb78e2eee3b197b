"""Kernels of generated programs, run by Python: what the tape gives, kernels give."""

import numpy as np
import pytest

import srcgrad
from tests import one_liners
from tests.native.answered import by_tape

# Of what machine code has, in a loop over i: numbers, small arrays, large ones.
LINES = (
    "s = s * 0.5 + np.sin(v[i] * u[-i])",
    "s = np.where(s > {c}, s - 1.0, np.tanh(s) * {c})",
    "a, b = b, np.tanh(a + 0.1 * s)",
    "v[i] = v[i - 1] * 0.5 + {c}",
    "v[1:] += 0.1 * v[:-1]",
    "v[::-1] = 0.9 * v",
    "v[P] -= 0.1 * u[:4]",
    "u = np.tanh(u * v[::-1])",
    "w[i % 3] = s * 0.3",
    "w = np.tanh(B @ w) + {c}",
    "B = B.T * 0.9 + np.outer(w, w) * 0.1",
    "B[1] = np.maximum(B[0], w)",
    "B[:, 0] += np.where(B[:, 1] > w, 0.1, w * {c})",
    "A[i] = 0.5 * A[i - 1] + s * 0.1",
    "A[:, i] *= np.cos(A[:, -i])",
    "A = np.tanh(A - np.mean(A, axis=1, keepdims=True))",
    "A += 0.1 * np.max(A, axis=0) + 0.01 * np.sum(A)",
    "W = np.tanh(W * {c} + np.sum(W) * 0.01 + np.sum(W, axis=1)[:, None] * 0.01)",
    "l.append(s * a)",
    "rows.append(w * {c})",
    "if s > {c}: v[i] = s * 0.1",
    "if i > 2: u = u * 0.5 + v * {c}",
    "if w[0] > {c}: w = w[::-1] * 1.0",
    "while s > 0.2: s = s * 0.5",
)
HEADS = (
    "for i in range(6):",
    "for i in range(5, -1, -1):",
    "for i in range(1, 6, 2):",
)
FIRST = (
    "v, u, w = x * 1.0, x[::-1] * 1.0, x[:3] * 1.0",
    "A, B = x.reshape(6, 4) @ x.reshape(4, 6), x[:9].reshape(3, 3) * 1.0",
    "W = x[:2, None] * WIDE",
    "s, a, b, l, rows = 0.1, x[1], x[2], [x[0]], [x[:3]]",
)
LAST = (
    "t = s * a + b + np.sum(v * u) + w @ w + np.sum(A * A) + np.sum(B @ w)",
    "t = t + np.sum(W * W) + np.sum(np.sum(W, axis=1) ** 2) + np.sum(np.array(l) ** 2)",
    "return t + np.sum(np.array(rows) ** 2)",
)


def program(random):
    """The lines of a function of ``x``."""
    lines = [*FIRST]
    for _ in range(random.integers(1, 4)):
        lines.append(str(random.choice(HEADS)))
        for each in random.choice(LINES, random.integers(1, 5)):
            lines.append("    " + str(each).format(c=round(random.uniform(-1, 1), 2)))
    return [*lines, *LAST]


@pytest.mark.seeds(6)
def test_generated_programs(seed, machine):
    random = np.random.default_rng(seed)
    lines = program(random)
    known = {"WIDE": np.linspace(-1.0, 1.0, 200), "P": np.array([0, 5, -3, 2])}
    function = one_liners.function("program(x)", lines, **known)
    derived, text = srcgrad.value_and_grad(srcgrad.trace(function)), "\n".join(lines)
    x = random.uniform(-1.0, 1.0, 24)
    for given in (x, x, x * 1.1, np.round(x), x * 0.0, random.uniform(-1.0, 1.0, 24)):
        value, slopes = derived(given)
        expected, others = by_tape(function, given)
        np.testing.assert_allclose(value, expected, 1e-10, 1e-12, err_msg=text)
        np.testing.assert_allclose(slopes, others, 1e-8, 1e-9, err_msg=text)
    assert machine.kernels or machine.refused
