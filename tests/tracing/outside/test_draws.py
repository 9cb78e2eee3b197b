"""Random numbers are drawn live, in order, and once a call, traced or not."""

import random
from types import SimpleNamespace

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from srcgrad.tracing.outside.draws import Draw, restore, state_of
from srcgrad.tracing.outside.places import Argument
from tests.tracing.comparing import X, outcome

rng = np.random.default_rng(3)


def adds_noise(m, x):
    return x + m.rng.normal(size=3) * m.rng.uniform(0.5, 1.0)


def uses_the_global_state(m, x):
    return np.sum(x * np.random.rand(3)) + np.random.normal(1.0, scale=2.0)


def uses_pythons_own(m, x):
    return x * random.random() + random.gauss(0.0, 1.0)


def picks_a_batch(m, x):
    rows = m.rng.permutation(3)[:2]
    return np.sum(x[rows] * m.rng.integers(1, 5, size=2))


def goes_by_chance(m, x):
    if m.rng.random() < 0.5:
        return x * m.rng.normal()
    return x * 2.0 - m.rng.normal(size=3)


def takes_an_element(m, x):
    return x[m.rng.integers(3)] * x[m.rng.choice(3)] + random.randrange(2)


def has_a_seed(m, x):
    own = np.random.default_rng(5)
    noise = own.normal(size=3)
    noise[0] = 7.0
    return x * noise + own.normal()


def refuses_after_a_draw(m, x):
    value = np.sum(x) * m.rng.normal()
    m.rng.shuffle(np.arange(3))
    return value


def raises_after_a_draw(m, x):
    value = m.rng.normal()
    if np.sum(x) > 1.0:
        raise ValueError(f"{value}")
    return np.linalg.cholesky(np.eye(2) * x[0]) * value


def keeps_what_it_draws(m, x):
    m.noise = m.rng.normal(size=3)
    print(m.noise[0], m.rng.random())
    return np.sum(m.noise * x)


def draws_from_what_is_outside(m, x):
    return x * m.rng.choice(m.options) + m.rng.multivariate_normal([0, 0], np.eye(2))[0]


def calls_a_helper(m, x):
    return draw_for(m.rng, 2) + draw_for(rng_of(m), 3) * np.sum(x)


def draw_for(generator, n):
    return np.mean(generator.standard_normal(n))


def rng_of(m):
    return m.rng


PROGRAMS = {
    adds_noise: 5,
    uses_the_global_state: 5,
    uses_pythons_own: 5,
    picks_a_batch: 5,
    goes_by_chance: 2,
    takes_an_element: 0,
    has_a_seed: 5,
    refuses_after_a_draw: 0,
    raises_after_a_draw: 2,
    keeps_what_it_draws: 5,
    draws_from_what_is_outside: 5,
    calls_a_helper: 5,
}
CALLS = (X / 10, X / 10, X / 5, X, -X, X / 10, X / 10)


def world():
    options = [1, 2, 4]
    return SimpleNamespace(rng=np.random.default_rng(11), noise=None, options=options)


def run(function, m, x):
    """The outcome, and what comes next from all generators."""
    found = outcome(function, m, x)[0]
    following = m.rng.random(), np.random.random(), random.random()
    return found, following


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_the_same_numbers_as_untraced(function, capsys):
    traced, stories = srcgrad.trace(function), []
    for each in (traced, function):
        np.random.seed(4)
        random.seed(5)
        m = world()
        story = [(run(each, m, x), capsys.readouterr().out) for x in CALLS]
        stories.append((story, None if m.noise is None else m.noise.tolist()))
    assert stories[0] == stories[1]
    assert traced.stats.compiled >= PROGRAMS[function], traced.explain()


@pytest.mark.parametrize("kind", [np.random.default_rng, np.random.RandomState])
def test_a_generator_may_be_an_argument(kind):
    def noisy(x, generator):
        return np.sum(x * generator.normal(size=3))

    traced = srcgrad.trace(noisy)
    ours, theirs = kind(1), kind(1)
    for _ in range(4):
        assert traced(X, ours) == noisy(X, theirs)
    assert traced.stats.compiled == 3


def test_gradients_are_of_the_numbers_drawn():
    def loss(v):
        eps = rng.normal(size=3)
        return np.sum((v * eps) ** 2), eps

    traced = srcgrad.trace(loss)
    for create_graph in (False, False, True, True):
        v = Variable(X, requires_grad=True)
        value, eps = traced(v)
        (g,) = srcgrad.autograd.grad(value, v, create_graph=create_graph)
        np.testing.assert_allclose(g.data, 2.0 * X * eps**2)
        if create_graph:
            (h,) = srcgrad.autograd.grad(np.sum(g), v)
            np.testing.assert_allclose(h.data, 2.0 * eps**2)
    assert traced.stats.compiled == 3


def test_verify_compares_a_run_on_the_same_numbers():
    traced = srcgrad.trace(adds_noise, verify=True)
    ours, theirs = world(), world()
    for _ in range(4):
        np.testing.assert_array_equal(traced(ours, X), adds_noise(theirs, X))
    assert traced.stats.compiled == 3


def test_gradient_transforms_draw_once():
    def loss(x, m):
        return np.sum(x * x * m.rng.normal(size=3))

    transformed, m, plain_m = srcgrad.value_and_grad(loss), world(), world()
    for _ in range(4):
        value, gradient = transformed(X, m)
        eps = plain_m.rng.normal(size=3)
        np.testing.assert_allclose(value, np.sum(X * X * eps))
        np.testing.assert_allclose(gradient, 2.0 * X * eps)


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
    place = Draw(Argument("rng", 0), "normal", (0.0, (2, 3)), {"size": [1, None]})
    assert place.text == "rng.normal(0.0, (2, 3), size=[1, None])"
    other = Draw(Argument("rng", 0), "choice", (np.eye(2), (1,), np.inf), {})
    assert other.text == "rng.choice(ndarray, (1,), float)"
    names = []
    source = other.source("r", lambda item, hint: names.append(item) or "held")
    assert source == "r.choice(held, (1,), held)"
    assert names[1] == np.inf
