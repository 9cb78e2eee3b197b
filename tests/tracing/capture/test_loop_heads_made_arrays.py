"""Loops that end by a test, and make arrays to write into: one trace, and no mix-up.

The arrays of an iteration and of the one before it have each other's names in turn.
"""

import random

import numpy as np
import pytest

import srcgrad
from tests.one_liners import execute

WAYS = {
    "copied": "v = u.copy(); v[1:-1] = u[1:-1] - dt * u[:-2] * p[1]; u = v",
    "changed": "v = np.copy(u); v[1:-1] -= dt * u[:-2] * p[1]; u = v",
    "in place": "u[1:-1] = u[1:-1] - dt * u[:-2] * p[1]",
    "under one name": "u = u.copy(); u[1:-1] = u[1:-1] - dt * u[:-2] * p[1]",
    "filled": "v = np.zeros(9); v[1:-1] = u[1:-1] - dt * u[:-2] * p[1]; u = v",
}
STEPS = ["0.05 / np.max(u)", "0.05 / (u[4] + 1.0)"]
STATEMENTS = (
    "{a} = {b}.copy()|{a} = np.zeros(3)|{a} = {b}|{a}, {b} = {b}, {a}|{a}[1:] = {b}[:2]"
    "|{a}[0] = s|{a}[2] = {b}[0] * 0.5|{a} += {b} * 0.1|{a}[:] = p|w = {a}; w[1] = s"
    "|{a} = np.array([{b}[0], s, 0.3])|{a} = np.full(3, s)|{a} = {b} + 0.0; {a}[1] = s"
    "|if {a}[0] > 0.2: {b}[1] = s|w = {a}[1:]; w[0] = {b}[2]|{a} = np.tanh({b}) * 0.9"
).split("|")
STARTS = ["np.array([0.5, 0.1, 0.9])", "np.zeros(3)", "p * 0.5", "p.copy()"]
HEADERS = ["while s > 0.3:", "for _ in range(40):"]


def load(name, lines):
    text = "import numpy as np\n\ndef program(p, s):\n" + "\n".join(lines) + "\n"
    return execute(text, f"made arrays {name}", {})["program"]


def assert_as_on_the_tape(program, inputs):
    traced = srcgrad.value_and_grad(srcgrad.trace(program))
    for arguments in inputs:
        value, gradient = traced(*arguments)
        with srcgrad.set_stance("tape"):
            expected, wanted = srcgrad.value_and_grad(program)(*arguments)
        np.testing.assert_allclose(value, program(*arguments), 1e-10, 1e-13)
        np.testing.assert_allclose(value, expected, 1e-10, 1e-13)
        np.testing.assert_allclose(gradient, wanted, 1e-8, 1e-10)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("way", WAYS)
def test_steps_limited_by_the_state_are_one_trace(way, step):
    head = ["    u = np.exp(-np.linspace(-2, 2, 9) ** 2) * p[0]", "    t = 0.0"]
    body = [f"dt = {step}", *WAYS[way].split("; "), "t = t + dt"]
    lines = [*head, "    while t < s:", *(f"        {line}" for line in body)]
    program = load(f"{way} {step}", [*lines, "    return np.sum(u ** 2)"])
    rng = np.random.default_rng(0)
    inputs = [(rng.uniform(0.5, 2.0, 2), s) for s in (0.3, 0.4, 0.1, 0.3, 0.5, 0.2)]
    assert_as_on_the_tape(program, inputs)
    traced = srcgrad.trace(program)
    for arguments in inputs:
        srcgrad.value_and_grad(traced)(*arguments)
    assert len(traced.explain(as_dict=True)["traces"]) == 1


@pytest.mark.seeds(20)
def test_arrays_keep_to_their_names(seed):
    rng = random.Random(seed)
    lines = [f"    {name} = {rng.choice(STARTS)}" for name in "abc"]
    header = rng.choice(HEADERS)
    body = []
    for _ in range(rng.randint(2, 5)):
        a, b = rng.sample("abc", 2)
        made = rng.choice(STATEMENTS).format(a=a, b=b)
        body += [made] if made.startswith("if") else made.split("; ")
    body += ["s = s * (0.75 + 0.05 * np.tanh(a[0]))"]
    body += ["if s < 0.3: break"] * header.startswith("for")
    lines += [f"    {header}", *(f"        {line}" for line in body)]
    total = "    return np.sum(a * 1.0) + np.sum(b * c) + c[2] * s"
    program = load(seed, [*lines, total])
    numbers = np.random.default_rng(seed)
    inputs = [
        (numbers.uniform(-0.5, 1.0, 3), float(numbers.uniform(0.35, 2.5)))
        for _ in range(6)
    ]
    assert_as_on_the_tape(program, inputs)
