"""The tails of the normal distribution, held to mpmath's continued fraction."""

import functools

import mpmath as mp
import numpy as np
import pytest
from scipy import special, stats

import srcgrad
from srcgrad.rules.scipy.special.normal_tails import tail_moment

FAR = [-3.0, -10.0, -38.0, -1e2, -1e4, -1e6, -1e9, -1e30, -1e150]


@functools.cache
def moment(x, n):
    """The mean of ``t ** n`` by two integrals, or by the fraction far out."""
    with mp.workdps(50):
        size = -mp.mpf(x)
        if size > 2:
            out, ratio = mp.mpf(1), mp.mpf(0)
            for k in range(2000, 0, -1):
                ratio = k / (size + ratio)
                out = out * ratio if k <= n else out
            return out
        density = [lambda t, k=k: t**k * mp.exp(-size * t - t * t / 2) for k in (n, 0)]
        above, below = (mp.quad(each, [0, 1, 4, 20]) for each in density)
        return above / below


def cumulants(x):
    """The slopes of ``log_ndtr``, to the third."""
    with mp.workdps(60):
        a, b, c = (moment(x, n) for n in (1, 2, 3))
        return [
            a - mp.mpf(x),
            b - a * a - 1,
            c - 3 * a * b + 2 * a**3,
        ]


@pytest.mark.parametrize("x", [0.0, -1e-3, -0.7, -1.9999, -2.0, -2.5, *FAR])
def test_moments(x):
    for n in (1, 2, 3, 4):
        expected = float(moment(x, n))
        assert tail_moment(np.float64(x), n) == pytest.approx(expected, rel=1e-12)


def ways(function):
    """On the tape, and compiled."""

    def on_the_tape(x):
        with srcgrad.set_stance("tape"):
            return function(x)

    return on_the_tape, function, function, function


TAILS = {
    "log_ndtr": special.log_ndtr,
    "logcdf": stats.norm.logcdf,
    "logsf": lambda x: stats.norm.logsf(-x),
    "loc and scale": lambda x: stats.norm.logcdf(4.0 * x + 2.0, 2.0, scale=4.0),
    "frozen": lambda x: stats.norm(2.0, 4.0).logsf(2.0 - 4.0 * x),
    "truncnorm": lambda x: stats.truncnorm.logcdf(x, -np.inf, 0.0),
}


@pytest.mark.parametrize("function", TAILS.values(), ids=TAILS)
def test_slopes(function):
    points = [-3.0, -38.0, -1e4, -1e9]
    for order in range(3):
        function = srcgrad.grad(function)
        for x in points:
            expected = float(cumulants(x)[order])
            for way in ways(function):
                assert way(x) == pytest.approx(expected, rel=1e-6), (x, order)


@pytest.mark.parametrize("x", FAR[:7])
def test_by_location_and_scale(x):
    first, second, *_ = map(float, cumulants(x))
    hessian = srcgrad.hessian(lambda p: stats.norm.logcdf(x, p[0], p[1]))
    expected = np.array([[second, second * x + first], [0.0, 0.0]])
    expected[1] = expected[0, 1], second * x * x + 2.0 * first * x
    for way in ways(hessian):
        np.testing.assert_allclose(way(np.array([0.0, 1.0])), expected, rtol=1e-6)


@pytest.mark.parametrize("x", [-3.0, -30.0, -1e3])
def test_a_lognormal_tail_by_its_shape(x):
    s = 0.1
    first = float(cumulants(x)[0])
    slope = srcgrad.grad(lambda s: stats.lognorm.logcdf(np.exp(x * 0.1), s))
    for way in ways(slope):
        assert way(s) == pytest.approx(-first * x / s, rel=1e-6)


def test_a_narrow_part_of_a_tail():
    """What is beyond the other end is ``exp(-50)`` of the rest."""
    expected = float(cumulants(-100.5)[0])
    left = srcgrad.grad(lambda x: stats.truncnorm.logcdf(x, -101.0, -100.0))
    assert left(-100.5) == pytest.approx(expected, rel=1e-9)
    right = srcgrad.grad(lambda x: stats.truncnorm.logsf(x, 100.0, 101.0))
    assert right(100.5) == pytest.approx(-expected, rel=1e-9)


def test_inverses_in_the_tail():
    slope = srcgrad.grad(special.ndtri_exp)
    bend = srcgrad.grad(slope)
    for y in (-2.0, -50.0, -1e4, -1e12):
        first, second, _ = map(float, cumulants(special.ndtri_exp(y)))
        assert slope(y) == pytest.approx(1.0 / first, rel=1e-6)
        assert bend(y) == pytest.approx(-second / first**3, rel=1e-6)
