"""Methods of ufuncs: every sample, ties, and reductions of nothing."""

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from tests.differences import slope_of
from tests.rules.gradients import gradient, quiet, same

INF = np.inf


def test_equal_elements_so_far_share_their_slope():
    (found,) = quiet(np.minimum.accumulate, [2.0, 2.0, 2.0])
    np.testing.assert_allclose(found, [1 + 1 / 2 + 1 / 3, 5 / 6, 1 / 3], rtol=1e-15)


def test_the_extreme_so_far_shares_as_the_extreme_does():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 3, (4, 12)).astype(float)
    g = rng.normal(size=x.shape)
    found = gradient(lambda x: np.maximum.accumulate(x, axis=1), x, g)
    expected = sum(
        np.pad(
            gradient(lambda x: np.max(x, axis=1), x[:, :k], g[:, k - 1]),
            [(0, 0), (0, 12 - k)],
        )
        for k in range(1, 13)
    )
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_reductions_of_nothing():
    empty = Variable(np.zeros((0, 3)), requires_grad=True)
    assert np.logaddexp.reduce(empty).data.tolist() == [-INF] * 3
    assert np.divide.accumulate(empty).shape == (0, 3)
    assert np.divide.reduce(empty, initial=2.0).data.tolist() == [2.0] * 3
    assert np.subtract.reduce(empty, axis=1, initial=2.0).shape == (0,)
    for name in ("add", "hypot", "subtract"):
        out = getattr(np, name).reduceat(empty, [], axis=1)
        out.sum().backward()
        assert out.shape == (0, 0)


def test_one_element_alone_stays_as_it_is():
    x = Variable(np.array([-3.0, 4.0]), requires_grad=True)
    assert np.hypot.reduceat(x, [0, 1]).data.tolist() == [-3.0, 4.0]


def test_logical_methods_have_no_gradient():
    assert same(
        np.logical_xor.reduce(Variable(np.ones(3), requires_grad=True)).data, True
    )


@pytest.mark.parametrize("kind", ["f4", "f8", "c8", "i8", "?"])
@pytest.mark.parametrize("name", "float_power arctan2 fmod remainder divide".split())
def test_the_array_decides_the_kind(name, kind):
    ufunc = getattr(np, name)
    array = np.ones(2, kind)
    for call in (
        lambda x: ufunc.reduce(x, axis=()),
        lambda x: ufunc.reduce(x, axis=(), initial=2.0),
        lambda x: ufunc.reduce(x[:1]),
        lambda x: ufunc.accumulate(x[:1]),
        lambda x: ufunc.reduceat(x, [0, 1]),
    ):
        try:
            expected = call(array)
        except TypeError:
            with pytest.raises(TypeError):
                call(Variable(array))
        else:
            found = call(Variable(array)).data
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)


BY_NAME = {
    "reduce": lambda x: np.multiply.reduce(array=x, axis=1),
    "accumulate": lambda x: np.add.accumulate(array=x),
    "indices": lambda x: np.add.reduceat(x, indices=[0, 1]),
    "both": lambda x: np.maximum.reduceat(array=x, indices=[1], axis=1),
}


@pytest.mark.parametrize("name", BY_NAME)
def test_their_arguments_may_be_given_by_name(name):
    function = BY_NAME[name]
    x = np.random.default_rng(0).normal(size=(2, 3))
    of_array = Variable(x, requires_grad=True)
    np.testing.assert_array_equal(function(of_array).data, function(x))
    traced = srcgrad.trace(function)
    for _ in range(3):
        np.testing.assert_array_equal(traced(of_array).data, function(x))
    expected = slope_of(lambda x: np.sum(function(x)), x)
    found = srcgrad.grad(lambda x: np.sum(function(x)))(x)
    np.testing.assert_allclose(found, expected, atol=1e-8)


@pytest.mark.parametrize("ufunc", [np.logical_and, np.logical_or, np.logical_xor])
@pytest.mark.parametrize("initial", [True, False])
def test_truths_reduced_from_an_initial_one(ufunc, initial):
    x = np.array([[1.0, 0.0, 2.0], [3.0, 4.0, 5.0]])

    def reduced(x):
        whole = ufunc.reduce(x, axis=1, keepdims=True, initial=initial)
        into = ufunc.reduce(x, initial=initial, out=np.zeros(3, bool))
        return ufunc.reduce(x, initial=initial), whole, into

    traced = srcgrad.trace(reduced)
    for _ in range(2):
        found = traced(Variable(x, requires_grad=True))
        for one, other in zip(found, reduced(x), strict=True):
            np.testing.assert_array_equal(srcgrad.stop_gradient(one), other)
