"""An integer in one arm of an ``if`` and a float in the other one: one trace."""

import numpy as np
import pytest

import srcgrad


def snow(rain, warmth, melting):
    pack, runoff = 0, 0.0
    for k in range(8):
        if warmth[k] < 0.0:
            pack = pack + rain[k] * 0.9
        else:
            pack = max(pack - melting * warmth[k], 0)
        runoff = runoff + melting * pack
    return runoff


def relus(rain, warmth, melting):
    total = 0.0
    for k in range(8):
        total = total + (rain[k] * warmth[k] if warmth[k] > 0 else 0) * melting
    return total


def begins_with_an_integer(rain, warmth, melting):
    y = 0
    if warmth[0] > 0.0:
        y = warmth[0] * melting
    y += rain[0]
    return y * y


@pytest.mark.parametrize("function", [snow, relus, begins_with_an_integer])
@pytest.mark.parametrize("kind", [float, np.float64])
def test_values_and_gradients_are_the_tapes(function, kind):
    ours, theirs = (
        srcgrad.value_and_grad(srcgrad.trace(function), argnums=(0, 1, 2))
        for _ in range(2)
    )
    rng = np.random.default_rng(0)
    for _ in range(6):
        rain, warmth = rng.normal(size=(2, 8))
        args = rain, warmth, kind(rng.uniform())
        found = ours(*args)
        with srcgrad.set_stance("tape"):
            value, gradients = theirs(*args)
        assert type(found[0]) is type(value)
        for mine, each in zip((found[0], *found[1]), (value, *gradients), strict=True):
            np.testing.assert_allclose(mine, each, rtol=1e-12, atol=1e-14)
    assert ours.stats.traces == 1


def test_an_integer_of_a_counter_times_what_may_be_one_is_an_integer():
    class Clock:
        steps = 0

    def f(x, clock):
        clock.steps += 1
        y = 1
        if x > 0.0:
            y = x * 2.0
        return repr(clock.steps * y)

    traced, clock, other = srcgrad.trace(f), Clock(), Clock()
    for x in (2.0, 1.0, -1.0, 3.0, -2.0, 0.5):
        assert traced(x, clock) == f(x, other)
