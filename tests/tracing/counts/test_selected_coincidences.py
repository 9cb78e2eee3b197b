"""How much a mask selects may be as much as something else has: a coincidence."""

import random

import numpy as np
import pytest

import srcgrad
from tests import one_liners

M = np.random.default_rng(0).uniform(0.1, 1.0, (6, 3))


def sigmoid(x):
    out = np.empty_like(x)
    positive = x >= 0
    out[positive] = 1 / (1 + np.exp(-x[positive]))
    e = np.exp(x[~positive])
    out[~positive] = e / (1 + e)
    return out


def softplus(x):
    out = np.zeros(x.shape)
    large = x > 0.0
    out[large] = x[large] + np.log1p(np.exp(-x[large]))
    out[~large] = np.log1p(np.exp(x[~large]))
    return out


def leaky(x):
    out = x * 1.0
    out[x < 0] *= 0.1
    return out


@pytest.mark.parametrize("activation", [sigmoid, softplus, leaky])
def test_masks_in_a_recurrent_step_run_compiled(activation):
    """Six of 30 elements, say, in six steps."""

    def f(W, xs):
        h = np.zeros((10, 3))
        for t in range(6):
            h = activation(xs[t] + h @ W)
        return np.sum(h**2)

    traced = srcgrad.trace(f)
    run, expected = map(srcgrad.value_and_grad, (traced, f))
    generator = np.random.default_rng(0)
    for _ in range(5):
        given = generator.normal(size=(3, 3)), generator.normal(size=(6, 10, 3))
        with srcgrad.set_stance("tape"):
            value, slope = expected(*given)
        found = run(*given)
        np.testing.assert_allclose(found[0], value)
        np.testing.assert_allclose(found[1], slope)
    assert (traced.stats.traces, traced.stats.compiled) == (1, 4), traced.explain()


# What is done with a selection `s` by the mask `m` of `u`, beside arrays of three, four
# and six elements; and with an array that it is put into.
VALUES = """
np.sum(s**2)
s @ s + np.max(s)
np.sum(np.outer(s, f3))
np.sum(s[:, None] * f3)
np.sum(np.outer(s, s) @ s)
np.sum(s.reshape(-1, 1)) + np.sum(s[None, :] * s)
np.sum(np.cumsum(s) * s)
np.mean(s) + np.var(s)
np.sum(s[1:] * s[:-1]) + s[0] * s[-1]
np.sum(np.zeros(3) + f3) * np.sum(s)
np.sum(np.concatenate([s, f3]) ** 2)
np.sum(np.ones(3) * s[0])
np.sum(M[m] @ f3)
np.sum((M[m].T @ s) * f3)
np.sum(s * (s > 0.1)) + np.sum(np.where(s > 0.3, s, 0.5))
np.linalg.norm(s) + np.sort(s)[0]
np.sum(np.max(np.outer(s, f3), axis=0) * f3)
np.sum(np.sum(np.outer(f4, s), axis=1) * f4)
np.sum(s[::-1] * s) + np.sum(np.repeat(s, 2))
np.sum(np.stack([s, s]) ** 2)
np.sum(np.full(3, s[0]) * f3)
np.max(s) * np.sum(np.full(4, 2.0) * f4)
np.sum(np.broadcast_to(f3, (4, 3)) * f4[:, None]) * np.sum(s)
np.sum(np.sum(M[m], axis=0) * f3) + np.sum(np.sum(M[m], axis=1) * s)
np.sum(np.sum(np.zeros((3, 4)) + f4, axis=1) * f3) + np.sum(s)
np.sum(s) * np.sum(f3) + np.sum(f6 * f6)
np.prod(s) + np.sum(np.outer(f3, f3) @ f3)
np.sum(np.outer(u[~m], s))
np.sum(np.ones(len(s)) * s) + s.sum() / s.size
np.sum(s * f3) if len(s) == 3 else np.sum(s)
np.sum(np.sum(u[:, None] * f3, axis=0) * f3) * s[0]
np.sum(f6[m] ** 2) * np.sum(s)
""".strip().splitlines()
WRITES = """
out[m] = s * 2
out[m] += s
out[~m] = u[~m] * 0.5
out[m] = 1 / (1 + np.exp(-s))
out[m] = s - np.sum(f3)
out[~m] = 0.3
out[m] *= 0.5
out[m] = np.cumsum(s)
out = np.where(m, out, u)
""".strip().splitlines()
NEXT = ["u = out", "u = np.abs(out) + 0.1", "u = u * 0.95 + 0.02"]


def program(generator):
    """A function of six elements, of which some are above a threshold."""
    pad, loop = "", []
    if generator.random() < 0.6:
        count = generator.choice([2, 3, 4, 6])
        pad, loop = "    ", [f"for t in range({count}):"]
    mask = generator.choice(["u > 0.5", "u > a", "np.abs(u) > 0.4"])
    body = [
        f"m = {mask}",
        "s = u[m]",
        generator.choice(["out = np.zeros(6)", "out = u * 0.5"]),
    ]
    for _ in range(generator.randint(1, 3)):
        value, write = generator.choice(VALUES), generator.choice(WRITES)
        body.append(generator.choice([f"acc = acc + {value}", write]))
    lines = [
        "acc = 0.0",
        "f3, f4, f6 = np.sin(x[:3]), x[1:5] * 2, np.cos(x[:6])",
        "u = x * 1.0",
        *loop,
        *(pad + line for line in (*body, generator.choice(NEXT))),
        "return acc + np.sum(u ** 2)",
    ]
    return one_liners.function("f(x, a)", lines, M=M)


def outcome(run, *args):
    with np.errstate(all="ignore"):
        try:
            return run(*args)
        except (ValueError, IndexError) as error:
            return type(error)


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:Degrees of freedom")
@pytest.mark.seeds(15)
def test_whatever_else_is_as_long(seed):
    generator, numbers = random.Random(seed), np.random.default_rng(seed)
    f = program(generator)
    run, expected = map(srcgrad.value_and_grad, (srcgrad.trace(f), f))
    for call in range(8):
        count = generator.choice([3, 4, 2] if call == 0 else range(7))
        parts = numbers.uniform(0.6, 1.0, count), numbers.uniform(0.0, 0.4, 6 - count)
        x, a = numbers.permutation(np.concatenate(parts)), numbers.choice([0.3, 0.7])
        with srcgrad.set_stance("tape"):
            want = outcome(expected, x, a)
        found = outcome(run, x, a)
        if isinstance(want, type):
            assert found is want
        else:
            np.testing.assert_allclose(found[0], want[0], rtol=1e-9)
            np.testing.assert_allclose(found[1], want[1], rtol=1e-9, atol=1e-9)
