"""Distributions that hold parameters: what they hold, and what they are asked for."""

import numpy as np
import pytest
import scipy.stats

import srcgrad
from srcgrad.checking import gradcheck
from srcgrad.scipy import stats
from srcgrad.tape.variable import Variable
from tests.variables import variable

SQUARE = np.array([[2.0, 0.3], [0.3, 1.0]])
UNIT = np.array([0.6, 0.8])
SHARES = np.array([0.2, 0.3, 0.5])

CASES = [
    ("multivariate_normal", (UNIT, SQUARE), "logpdf", (UNIT - 1.0,)),
    ("multivariate_normal", (UNIT, SQUARE), "entropy", ()),
    ("multivariate_t", (UNIT, SQUARE, np.float64(3.0)), "pdf", (UNIT - 1.0,)),
    ("matrix_normal", (SQUARE, SQUARE, SQUARE), "logpdf", (SQUARE,)),
    ("matrix_t", (SQUARE, SQUARE, SQUARE, np.float64(3.0)), "logpdf", (SQUARE,)),
    ("dirichlet", (SHARES + 1.0,), "logpdf", (SHARES,)),
    ("dirichlet", (SHARES + 1.0,), "mean", ()),
    ("wishart", (np.float64(4.0), SQUARE), "logpdf", (SQUARE,)),
    ("invwishart", (np.float64(4.0), SQUARE), "entropy", ()),
    ("normal_inverse_gamma", (0.1, 0.2, 1.5, 2.0), "logpdf", (UNIT, UNIT)),
]


@pytest.mark.parametrize(("name", "held", "method", "asked"), CASES)
def test_each_holds_variables(name, held, method, asked):
    expected = getattr(getattr(scipy.stats, name)(*held), method)(*asked)
    held = [variable(each) for each in held]
    found = getattr(getattr(stats, name)(*held), method)(*asked)
    np.testing.assert_allclose(found.data, expected, rtol=1e-12)
    direct = getattr(getattr(stats, name), method)
    skipped = {"entropy": 1} if name == "matrix_normal" else {}
    there = direct(*asked, *held[skipped.get(method, 0) :])
    g, wanted = (
        srcgrad.autograd.grad(out.sum(), held, allow_unused=True)
        for out in (found, there)
    )
    for ours, theirs in zip(g, wanted, strict=True):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            np.testing.assert_array_equal(ours.data, theirs.data)


@pytest.mark.parametrize(("name", "held", "method", "asked"), CASES)
def test_one_of_scipys_takes_variables(name, held, method, asked):
    if not asked:
        return
    frozen = getattr(scipy.stats, name)(*held)
    made = getattr(getattr(stats, name)(*held), method)
    expected = getattr(frozen, method)(*asked)
    found = made(*map(variable, asked))
    np.testing.assert_allclose(found.data, expected, rtol=1e-12)


def test_counts_and_directions():
    p = variable(SHARES)
    stats.multinomial(3, p).logpmf([1, 0, 2]).backward()
    np.testing.assert_allclose(p.grad.data, [1 / 0.2 - 4.0, -4.0, 0.0])
    frozen = stats.vonmises_fisher(UNIT, variable(2.0))
    found = frozen.logpdf(UNIT).item()
    assert found == scipy.stats.vonmises_fisher(UNIT, 2.0).logpdf(UNIT)
    assert frozen.kappa.item() == 2.0
    assert "vonmises_fisher" in repr(frozen)


def test_in_functions_that_are_traced_and_transformed():
    outside = scipy.stats.multivariate_normal(UNIT, SQUARE)

    @srcgrad.trace
    def loss(x, mean):
        rv = scipy.stats.multivariate_normal(mean, SQUARE)
        return np.sum(rv.logpdf(x) + outside.logpdf(x))

    normal = scipy.stats.multivariate_normal
    for shift in (0.0, 1.0, 2.0):
        x, mean = variable(UNIT + shift), variable(UNIT)
        found = loss(x, mean)
        assert found.item() == pytest.approx(2.0 * normal.logpdf(x.data, UNIT, SQUARE))
        found.backward()
        slope = np.linalg.solve(SQUARE, x.data - UNIT)
        np.testing.assert_allclose(mean.grad.data, slope, atol=1e-12)
        np.testing.assert_allclose(x.grad.data, -2.0 * slope, atol=1e-12)


def test_a_gradient_of_a_fit():
    x = np.random.default_rng(0).normal(size=(5, 2))

    def loss(mean, root):
        return stats.multivariate_normal(mean, root @ root.T).logpdf(x)

    assert gradcheck(loss, (UNIT, np.linalg.cholesky(SQUARE)))
    assert isinstance(loss(Variable(UNIT), np.eye(2)), (np.ndarray, Variable))
