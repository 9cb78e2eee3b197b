"""What ``bernoulli``, ``multinomial`` and ``normal`` draw."""

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from tests.tape.samplers import PROBS, WEIGHTS, generator, parameters, three


def test_frequencies_are_the_probabilities():
    rng, many = generator(), 20_000
    ones = Variable(np.broadcast_to(PROBS, (many, 3))).bernoulli(rng=rng)
    np.testing.assert_allclose(ones.data.mean(axis=0), PROBS, atol=0.02)
    weights = Variable(np.broadcast_to(WEIGHTS[0], (many, 4)))
    for with_replacement in (True, False):
        draws = weights.multinomial(2, with_replacement, rng=rng).data
        first = np.bincount(draws[:, 0], minlength=4) / many
        np.testing.assert_allclose(first, WEIGHTS[0] / 6, atol=0.02)
        pairs = np.bincount(draws[:, 0] * 4 + draws[:, 1], minlength=16) / many
        # 2 first, then 1
        then = 2 / 6 if with_replacement else 2 / 3
        np.testing.assert_allclose(pairs[2 * 4 + 1], 3 / 6 * then, atol=0.02)
        assert (draws[:, 0] == draws[:, 1]).any() == with_replacement
    sample = srcgrad.normal(np.full(many, 3.0), 2.0, rng=rng)
    np.testing.assert_allclose(
        [sample.data.mean(), sample.data.std()], [3, 2], atol=0.1
    )


def test_samples_are_variables_without_a_gradient(sampler):
    out = sampler(three())
    assert type(out) is Variable
    assert not out.requires_grad
    assert out.dtype.kind in "fi"
    small = Variable(PROBS.astype(np.float32))
    assert small.bernoulli().dtype == srcgrad.normal(small).dtype == np.float32
    assert small.multinomial().dtype.kind == "i"
    assert small.multinomial().shape == (1,)


def test_seeds_give_the_same_samples_again(sampler):
    rng = generator()
    first = [sampler(three(), rng).data.tolist() for _ in range(8)]
    rng = generator()
    assert first == [sampler(three(), rng).data.tolist() for _ in range(8)]
    assert len({str(sample) for sample in first}) > 1
    np.random.seed(3)
    first = [sampler(three()).data.tolist() for _ in range(8)]
    np.random.seed(3)
    assert first == [sampler(three()).data.tolist() for _ in range(8)]


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (
            lambda: parameters([1.5]).bernoulli(),
            ValueError,
            "probabilities from 0 to 1",
        ),
        (lambda: parameters([np.nan]).bernoulli(), ValueError, "probabilities from 0"),
        (lambda: parameters([-1.0]).multinomial(), ValueError, "weights from 0 on"),
        (lambda: parameters([0.0]).multinomial(), ValueError, "draw 1 samples of 0"),
        (lambda: parameters([1.0, 0.0]).multinomial(2), ValueError, "2 samples of 1"),
        (lambda: parameters(1.0).multinomial(), ValueError, r"but got shape \(\)"),
        (lambda: parameters([1.0]).multinomial(0), ValueError, "cannot draw 0"),
        (lambda: srcgrad.normal(parameters([1.0]), 0.0), ValueError, "more than 0"),
        (lambda: srcgrad.normal(np.array([1j])), TypeError, "from real numbers"),
        (
            lambda: parameters([1.0]).bernoulli(rng=3),
            TypeError,
            "rng is a numpy.random",
        ),
    ],
)
def test_bad_input_is_refused(call, error, match):
    with pytest.raises(error, match=f"(?s){match}.*test_stochastic_samples"):
        call()
