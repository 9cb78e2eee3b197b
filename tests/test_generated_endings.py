"""Random functions that put a result together, and go on changing what it is made of.

In a line, in loops and in arms: what is given back is as it was when it was made.
"""

import random

import numpy as np
import pytest

import srcgrad
from tests.one_liners import function

NUMBERS = "s|t|0.5|h[0]|h[1]|h[-1] * t|x[2]|a[0]|s * 0.9|w[0]|float(s)".split("|")
RESULTS = (
    "np.array([{}, {}, {}])|np.array([{}, 0.1, {}])|np.stack([{}, {}, {}])"
    "|np.array([s, *h[1:]])|np.array(h)|h[::-1]|h * s"
).split("|")
CHANGES = (
    "h[0] = {}|h[1:] = t|h += {}|h *= 0.9|h = h * 0.7|h, w = w + 0.1, h|w[1] = {}"
    "|s = {} * 0.8|t = float({})|s, t = t, {}|b = a * 0.5|c = bool({} > 0.5)"
).split("|")
AROUND = [
    "if True:",
    "for _ in range(2):",
    "for _ in range(n):",
    "for v in x:",
    "while s > 0.3 and k < 9:",
    "if s > 0.8:",
]
ENDS = ["a, h, s, t", "a, c, s", "a, b, h", "a"]


def write_function(rng):
    def filled(form):
        return form.format(*(rng.choice(NUMBERS) for _ in range(form.count("{}"))))

    def changes(least):
        return [filled(rng.choice(CHANGES)) for _ in range(rng.randint(least, 3))]

    made = f"a = {filled(rng.choice(RESULTS))}"
    around = rng.choice(AROUND)
    body = [*changes(0), made, *changes(1)]
    if around.startswith("while"):
        body += ["s = s * 0.7", "k += 1"]
    lines = ["a, b, h, w = x * 0.5, x, x * 2.0, x - s", "c, k = False, 0", *changes(0)]
    lines += [around, *(f"    {line}" for line in body)]
    return [*lines, f"return {rng.choice(ENDS)}"]


def load(seed):
    return function("program(x, s, t, n)", write_function(random.Random(seed)))


def listed(results):
    return results if isinstance(results, tuple) else (results,)


@pytest.mark.seeds(40)
def test_results_are_what_they_were_when_made(seed):
    program = load(seed)

    def loss(x, s, t, n):
        results = listed(program(x, s, t, n))
        return sum(np.sum(r * 1.0) * (k + 0.5) for k, r in enumerate(results))

    traced = srcgrad.trace(program)
    gradients = srcgrad.grad(loss, argnums=(0, 1, 2))
    rng = np.random.default_rng(seed)
    for _ in range(5):
        x, s, t = rng.uniform(0.2, 1.5, 3), *rng.uniform(0.3, 2.0, 2).tolist()
        inputs = x, s, t, int(rng.integers(1, 5))
        expected = listed(program(x.copy(), *inputs[1:]))
        for ours, theirs in zip(listed(traced(*inputs)), expected, strict=True):
            assert type(ours) is type(theirs)
            np.testing.assert_allclose(ours, theirs, 1e-9, 1e-12)
        found = gradients(*inputs)
        with srcgrad.set_stance("tape"):
            wanted = gradients(*inputs)
        for ours, theirs in zip(found, wanted, strict=True):
            np.testing.assert_allclose(ours, theirs, 1e-8, 1e-10)
