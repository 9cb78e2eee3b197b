"""`state = "on"` in an arm is asked for in the graph; who looks at it gets the text."""

import enum

import numpy as np
import pytest

import srcgrad
from tests.tracing.comparing import check_same_leaves


class Mode(enum.Enum):
    ON, OFF = 1, 2


class Color(enum.StrEnum if hasattr(enum, "StrEnum") else enum.Enum):
    RED, BLUE = "red", "blue"


def spikes(x, n):
    state, total = "rest", 0.0
    for v in x:
        if state == "spike":
            total += v * v
            if v < n:
                state = "tired"
        elif v > n:
            state = "spike"
        elif state != "rest":
            total += 0.1 * v
            state = "rest"
    return total if state == "rest" else 2.0 * total


def thermostat(x, n):
    mode, n = Mode.OFF, x[0] + n
    for v in x:
        if n < 0.3 * v:
            mode = Mode.ON
        elif n > 0.5:
            mode = Mode.OFF
        n = n + (0.2 if mode == Mode.ON else -0.1) * (1.0 + v * v)
    return n


def goes_by_a_name(x, n):
    method = "mean" if n > 0.0 else "sum"
    before, total = method, 0.0
    for v in x:
        if v > n:
            method = "max"
        total += v if method == before else v * v
    return total


def by_identity(x, n):
    mode = Mode.OFF
    if x[0] > n:
        mode = Mode.ON
    return (x[1] if mode is Mode.ON else x[2]), mode is None, Mode.OFF is mode


def by_identity_in_a_loop(x, n):
    mode, level = Mode.OFF, x[0] * 0.1
    for v in x:
        if level < 0.3 * v:
            mode = Mode.ON
        elif level > 0.5:
            mode = Mode.OFF
        level = level + (0.2 * v * v if mode is Mode.ON else -0.1)
        if mode is not Mode.OFF:
            n = n + level
    return n, mode is Mode.ON, [mode is not Mode.OFF], f"{mode is Mode.ON}"


def is_looked_at(x, n):
    s, mode, color = "p", Mode.OFF, Color.RED
    if x[0] > n:
        s, mode, color = "qq", Mode.ON, Color.BLUE
    texts = (
        f"{s:>4}|{s!r}|{mode}",
        "-".join(["{}"]).format(s),
        s + "!",
        "!" + s,
        s * 2,
    )
    parts = s[0], s[::-1], [*s], len(s), "q" in s, s in "pqq", s in ("p", "r")
    told = s == "p", s != "p", s < "q", s is None, s == 1, mode == s, bool(s), not s
    looked_up = {"p": 1, "qq": 2}[s], {Mode.ON: 3, Mode.OFF: 4}[mode], mode.value
    made = (
        s,
        [s] * 2,
        {"of": {s: 1}},
        s.upper(),
        "-".join([s, s]),
        str(color),
        sorted([s]),
    )
    kinds = type(s).__name__, isinstance(s, str), isinstance(mode, Mode), color == "red"
    return [
        texts,
        parts,
        told,
        looked_up,
        made,
        kinds,
        x[len(s)],
        np.sin(n),
    ]


def names_a_function(x, n):
    name = "sin"
    if x[0] > n:
        name = "cos"
    return getattr(np, name)(x)


ONE_TRACE = spikes, goes_by_a_name
OTHERS = thermostat, by_identity, by_identity_in_a_loop, is_looked_at, names_a_function


@pytest.mark.parametrize("function", [*ONE_TRACE, *OTHERS])
def test_labels_of_two_arms(function):
    traced, rng = srcgrad.trace(function), np.random.default_rng(0)
    for _ in range(16):
        x, n = rng.normal(size=6), rng.normal()
        check_same_leaves(traced(x, n), function(x, n))
    assert traced.stats.compiled
    if function in ONE_TRACE:
        assert traced.stats.traces == 1


@pytest.mark.parametrize("function", [*ONE_TRACE, thermostat])
def test_gradients_follow_the_labels(function):
    gradient, rng = srcgrad.grad(function, argnums=(0, 1)), np.random.default_rng(1)
    for _ in range(8):
        x, n = rng.normal(size=9), rng.normal()
        found = gradient(x, n)
        with srcgrad.set_stance("tape"):
            expected = srcgrad.grad(function, argnums=(0, 1))(x, n)
        for mine, theirs in zip(found, expected, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-12)
