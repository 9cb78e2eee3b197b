"""Samples that take a reward: their gradients, and the rewards."""

import gc
import weakref

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable, autograd
from tests.tape.samplers import PROBS, WEIGHTS, generator, parameters, three

# The logarithms of the samples' probabilities, written down on their own.


def log_bernoulli(p, sample):
    return np.log(np.where(sample == 1, p, 1 - p))


def log_multinomial(w, sample, with_replacement):
    """The rows of log p, draw by draw."""
    rows = []
    for weights, draws in zip(w, sample, strict=True):
        left = list(range(len(weights)))
        logs = []
        for draw in draws:
            total = sum(weights[i] for i in left)
            logs.append(np.log(weights[draw] / total))
            if not with_replacement:
                left.remove(draw)
        rows.append(np.array(logs))
    return np.array(rows)


def numerically(f, x, step=1e-6):
    gradient = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        ahead, behind = x.copy(), x.copy()
        ahead[index] += step
        behind[index] -= step
        gradient[index] = (f(ahead) - f(behind)) / (2 * step)
    return gradient


# ----- Gradients -----


def test_gradient_of_bernoulli():
    p = parameters(PROBS)
    sample = p.bernoulli(rng=generator())
    reward = np.array([1.0, -2.0, 3.0])
    sample.reinforce(reward)
    sample.backward()
    expected = numerically(
        lambda p: -np.sum(reward * log_bernoulli(p, sample.data)), PROBS
    )
    np.testing.assert_allclose(p.grad.data, expected, rtol=1e-6)


@pytest.mark.parametrize("with_replacement", [True, False])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_gradient_of_multinomial(count, with_replacement):
    weights = np.abs(WEIGHTS) + 0.1
    w = parameters(weights)
    sample = w.multinomial(count, with_replacement, rng=generator())
    reward = np.arange(2.0 * count).reshape(2, count) - 1
    sample.reinforce(reward)
    sample.backward()
    expected = numerically(
        lambda w: -np.sum(reward * log_multinomial(w, sample.data, with_replacement)),
        weights,
    )
    np.testing.assert_allclose(w.grad.data, expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("std", [0.5, np.array([0.5, 1.0, 2.0])])
def test_gradient_of_normal(std):
    mean = np.array([1.0, 2.0, 3.0])
    mu, sigma = parameters(mean), parameters(std)
    sample = srcgrad.normal(mu, sigma, rng=generator())
    reward = np.array([1.0, -2.0, 3.0])
    sample.reinforce(reward)
    sample.backward()

    def loss(mean, std):
        z = (sample.data - mean) / std
        return np.sum(reward * (z * z / 2 + np.log(std)))

    expected = numerically(lambda mean: loss(mean, std), mean)
    np.testing.assert_allclose(mu.grad.data, expected, rtol=1e-6)
    expected = numerically(lambda std: loss(mean, std), np.asarray(std))
    np.testing.assert_allclose(sigma.grad.data, expected, rtol=1e-6)


def test_gradients_are_finite_where_a_sample_is_certain():
    p = parameters([0.0, 1.0])
    sample = p.bernoulli()
    np.testing.assert_array_equal(sample.data, [0.0, 1.0])
    sample.reinforce(1.0)
    sample.backward()
    np.testing.assert_array_equal(p.grad.data, [1.0, -1.0])


def test_a_vector_of_weights():
    w = parameters([0.0, 2.0, 0.0])
    sample = w.multinomial(2, with_replacement=True)
    assert sample.data.tolist() == [1, 1]
    sample.reinforce(1.0)
    sample.backward()
    np.testing.assert_array_equal(w.grad.data, [1.0, 0.0, 1.0])


def test_rewards_reach_what_is_before():
    x = parameters([0.3, 0.4])
    p = x * 2
    sample = p.bernoulli(rng=generator())
    sample.reinforce(3.0)
    sample.backward()
    expected = np.where(sample.data == 1, -3 / p.data, 3 / (1 - p.data)) * 2
    np.testing.assert_allclose(x.grad.data, expected)


def test_several_samples_in_one_walk():
    x = parameters([0.3, 0.4])
    samples = [(x * 1.0).bernoulli(rng=generator()) for _ in range(2)]
    for sample in samples:
        sample.reinforce(1.0)
    autograd.backward(samples, [None, None])
    single = np.where(samples[0].data == 1, -1 / x.data, 1 / (1 - x.data))
    np.testing.assert_allclose(x.grad.data, 2 * single)


# ----- Rewards -----


def test_backward_needs_a_reward(sampler):
    with pytest.raises(
        RuntimeError,
        match="differentiating stochastic functions requires providing a reward",
    ):
        sampler(three()).backward()


def test_a_sample_takes_one_reward(sampler):
    out = sampler(three())
    out.reinforce(1.0)
    with pytest.raises(
        RuntimeError, match="you can only reinforce a stochastic Function once"
    ):
        out.reinforce(1.0)


@pytest.mark.parametrize("of", [lambda x: x, lambda x: x * 2, lambda x: x.detach()])
def test_only_samples_are_rewarded(of):
    with pytest.raises(
        RuntimeError,
        match=r"reinforce\(\) can be only called on outputs of stochastic functions",
    ):
        of(parameters(PROBS)).reinforce(1.0)
    with pytest.raises(RuntimeError, match="only called on outputs of stochastic"):
        (of(parameters(PROBS / 2)).bernoulli() * 2).reinforce(1.0)


@pytest.mark.parametrize(
    ("reward", "error", "match"),
    [
        (
            np.ones(2),
            ValueError,
            "got reward of size 2, but expected a tensor of size 3",
        ),
        (np.ones((1, 3)), ValueError, "got reward of size 1x3"),
        (
            [1.0, 1.0, 1.0],
            TypeError,
            "mismatch between reward and output type: got list",
        ),
        (Variable(np.ones(3)), TypeError, "mismatch .* got Variable"),
        (None, TypeError, "got NoneType"),
    ],
)
def test_rewards_that_do_not_fit(reward, error, match):
    sample = parameters(PROBS).bernoulli()
    with pytest.raises(error, match=match):
        sample.reinforce(reward)
    sample.reinforce(1.0)


def test_a_reward_may_be_changed_afterwards():
    p = parameters(PROBS)
    sample, reward = p.bernoulli(), np.ones(3)
    sample.reinforce(reward)
    reward[...] = np.nan
    sample.backward()
    assert np.isfinite(p.grad.data).all()


def test_a_sample_has_no_gradient_of_its_own():
    p = parameters(PROBS)
    w = parameters([1.0, 2.0, 3.0])
    (p.bernoulli() * w).sum().backward()
    assert p.grad is None
    assert w.grad is not None


def test_a_second_walk(sampler):
    out = sampler(three())
    out.reinforce(1.0)
    out.backward(retain_graph=True)
    out.backward()
    with pytest.raises(RuntimeError, match="buffers have already been freed"):
        out.backward()


def test_there_is_no_second_derivative():
    sample = parameters(PROBS).bernoulli()
    sample.reinforce(1.0)
    with pytest.raises(RuntimeError, match="only once differentiable"):
        sample.backward(create_graph=True)


@pytest.mark.parametrize("what", ["source", "sample"])
def test_changes_in_place_are_noticed(what):
    p = parameters(PROBS) * 1.0
    sample = p.bernoulli()
    sample.reinforce(1.0)
    if what == "source":
        p *= 0.5
    else:
        sample += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        sample.backward()


def test_without_a_gradient_there_is_nothing_to_walk():
    sample = Variable(PROBS).bernoulli()
    sample.reinforce(1.0)
    with pytest.raises(RuntimeError, match="there are no graph nodes that require"):
        sample.backward()
    with srcgrad.no_grad():
        sample = parameters(PROBS).bernoulli()
    with pytest.raises(RuntimeError, match="there are no graph nodes that require"):
        sample.backward()
    sample = Variable(PROBS, volatile=True).bernoulli()
    assert sample.volatile
    with pytest.raises(RuntimeError, match="only called on outputs of stochastic"):
        sample.reinforce(1.0)


def test_no_cycles(sampler):
    gc.disable()
    try:
        out = sampler(three())
        out.reinforce(1.0)
        out.backward()
        gone = [weakref.ref(out), weakref.ref(out.kept.node)]
        del out
        assert [ref() for ref in gone] == [None, None]
    finally:
        gc.enable()


def test_a_policy_learns():
    rng = generator()
    preferences = parameters(np.zeros(3))
    for _ in range(300):
        weights = np.exp(preferences)
        action = (weights / np.sum(weights)).multinomial(rng=rng)
        action.reinforce(float(action.data[0] == 2) - 0.3)
        preferences.grad = None
        action.backward()
        preferences.data[...] -= 0.3 * preferences.grad.data
    assert np.argmax(preferences.data) == 2
    assert np.exp(preferences.data)[2] > 5 * np.exp(preferences.data)[:2].max()
