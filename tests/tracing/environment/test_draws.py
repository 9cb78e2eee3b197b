"""Random numbers are drawn live, in order, and once a call, traced or not."""

from types import SimpleNamespace

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.environment.draws import Draw, restore, state_of
from srcgrad.tracing.environment.references import Argument
from tests.tracing.comparing import X

rng = np.random.default_rng(3)


def adds_noise(m, x):
    return x + m.rng.normal(size=3) * m.rng.uniform(0.5, 1.0)


def world():
    options = [1, 2, 4]
    return SimpleNamespace(rng=np.random.default_rng(11), noise=None, options=options)


def test_verify_compares_a_run_on_the_same_numbers():
    traced = srcgrad.trace(adds_noise, verify=True)
    ours, theirs = world(), world()
    for _ in range(4):
        np.testing.assert_array_equal(traced(ours, X), adds_noise(theirs, X))
    assert traced.stats.compiled == 3


def test_the_source_shows_the_draw():
    traced = srcgrad.trace(adds_noise)
    traced(world(), X)
    assert "drawn.append(state_of(rng))" in traced.source()
    assert "normal = rng.normal(size=3)" in traced.source()


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
@pytest.mark.parametrize("draws", [1, 3])
def test_states_are_put_back(make, draws):
    generator = make(2)
    states = [state_of(generator)]
    first = generator.normal(size=draws)
    states.append(state_of(generator))
    generator.normal()
    restore(states)
    np.testing.assert_array_equal(generator.normal(size=draws), first)


def test_a_draw_is_written_as_a_call():
    reference = Draw(Argument("rng", 0), "normal", (0.0, (2, 3)), {"size": [1, None]})
    assert reference.text == "rng.normal(0.0, (2, 3), size=[1, None])"
    other = Draw(Argument("rng", 0), "choice", (np.eye(2), (1,), np.inf), {})
    assert other.text == "rng.choice(ndarray, (1,), float)"
    names = []
    source = other.source("r", lambda item, hint: names.append(item) or "held")
    assert source == "r.choice(held, (1,), held)"
    assert names[1] == np.inf
