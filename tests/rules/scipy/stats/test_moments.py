"""Moments and entropies, by the shapes."""

import numpy as np
import pytest
import scipy.special
import scipy.stats

import srcgrad
from srcgrad.scipy import stats
from tests.rules.scipy.stats.test_distributions import check
from tests.variables import variable

MOMENTS = {
    "beta": (2.5, 1.5),
    "gamma": (1.7,),
    "lognorm": (0.4,),
    "betaprime": (2.5, 6.0),
    "burr": (6.5, 1.5),
    "burr12": (6.5, 1.5),
    "chi": (3.5,),
    "f": (3.5, 11.0),
    "fisk": (6.0,),
    "gennorm": (1.4,),
    "halfgennorm": (1.4,),
    "genpareto": (0.1,),
    "invgamma": (5.5,),
    "lomax": (5.5,),
    "pareto": (5.5,),
    "loguniform": (0.5, 2.0),
    "mielke": (3.0, 6.0),
    "trapezoid": (0.3, 0.8),
    "truncnorm": (-0.5, 2.0),
    "truncpareto": (2.0, 5.0),
    "loggamma": (1.5,),
    "t": (5.5,),
    "genlogistic": (1.5,),
    "nbinom": (3.5, 0.4),
    "poisson": (2.5,),
}
ENTROPIES = (
    "beta betaprime chi chi2 dgamma f gamma gengamma genlogistic invgamma".split()
)
ENTROPIES += "loggamma t nbinom poisson".split()
SHAPES = {**MOMENTS, "chi2": (3.5,), "dgamma": (1.5,), "gengamma": (1.5, 2.5)}


@pytest.mark.parametrize("name", MOMENTS)
def test_moments(name):
    def moments(*shapes):
        return np.stack(getattr(stats, name).stats(*shapes, moments="mvsk"))

    check(moments, MOMENTS[name], is_refused=False)


BY_SKEWNESS = {
    "beta": (2.5, 1.5),
    "chi2": (3.5,),
    "dgamma": (1.5,),
    "dlaplace": (0.8,),
    "fatiguelife": (1.3,),
    "foldnorm": (1.9,),
    "geom": (0.4,),
    "invgauss": (0.7,),
    "nbinom": (3.5, 0.4),
    "planck": (0.6,),
    "poisson": (2.5,),
}


@pytest.mark.parametrize("order", [3, 4])
@pytest.mark.parametrize("name", BY_SKEWNESS)
def test_moments_without_a_formula_of_their_own(name, order):
    def moment(*shapes):
        return getattr(stats, name).moment(order, *shapes, loc=0.3)

    check(moment, BY_SKEWNESS[name], is_refused=False)


def test_moments_of_counts_and_their_skewness():
    def moments(p):
        skewness = stats.binom.stats(5, p, moments="s")
        return np.stack([stats.binom.moment(4, 5, p), skewness])

    check(moments, (0.3,), is_refused=False)


@pytest.mark.parametrize(
    ("name", "shapes"),
    [("truncnorm", (-0.5, 2.0)), ("genextreme", (0.6,)), ("alpha", (3.5,))],
)
def test_finite_ends_of_supports_move(name, shapes):
    distribution, plain = getattr(stats, name), getattr(scipy.stats, name)
    given = (*shapes, 0.3, 1.5)
    which = np.isfinite(plain.support(*given))

    def ends(*given):
        return np.stack(distribution.support(*given))[which]

    check(ends, given, is_refused=False)
    for bad in (0.0, -1.0):
        found = distribution(*shapes, 0.3, variable(bad)).support()
        expected = plain(*shapes, 0.3, bad).support()
        np.testing.assert_array_equal([float(end.item()) for end in found], expected)


def test_an_infinite_end_does_not_move():
    scale = variable(2.0)
    low, high = stats.expon.support(0.3, scale)
    assert high.item() == np.inf
    (low + np.where(np.isfinite(high), high, 0.0)).backward()
    assert scale.grad.item() == 0.0


@pytest.mark.parametrize("name", ENTROPIES)
def test_entropies(name):
    check(getattr(stats, name).entropy, SHAPES[name], is_refused=False)


def test_sums_grow_with_the_shapes_in_traces_too():
    calls = (
        lambda mu: stats.poisson.entropy(mu),
        lambda nc: scipy.special.ncfdtr(2.0, 3.0, nc, 4.0),
    )
    for call in calls:
        traced = srcgrad.trace(call)
        for value in (2.0, 2.0, 300.0):
            found, expected = variable(value), variable(value)
            traced(found).backward()
            call(expected).backward()
            assert found.grad.item() == pytest.approx(expected.grad.item(), rel=1e-9)
