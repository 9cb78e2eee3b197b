"""Removable holes: 0 / 0 and 0 * inf in a rule, where the function is smooth."""

import math

import numpy as np
import pytest
from scipy import special

import srcgrad
from srcgrad.rules.scipy.special.holes import apart, near_zero, series

PI, LOG_2, LOG_3, INF = math.pi, math.log(2.0), math.log(3.0), np.inf


def of_order(function, v):
    return lambda x: function(v, x)


def part(function, i):
    return lambda x: function(x)[i]


# A function, a point, and its slopes there: the first, the second, and so on.
HOLES = {
    "spence": (special.spence, 1.0, [-1.0, 0.5, -2 / 3]),
    "sici": (part(special.sici, 0), 0.0, [1.0, 0.0, -1 / 3]),
    "shichi": (part(special.shichi, 0), 0.0, [1.0, 0.0, 1 / 3]),
    "it2j0y0": (part(special.it2j0y0, 0), 0.0, [0.0, 0.25, 0.0]),
    "iti0k0": (part(special.iti0k0, 0), 0.0, [1.0, 0.0, 0.5]),
    "it2i0k0": (part(special.it2i0k0, 0), 0.0, [0.0, 0.25, 0.0]),
    "exprel": (special.exprel, 0.0, [1 / 2, 1 / 3, 1 / 4]),
    "expn": (of_order(special.expn, 3), 0.0, [-1.0, INF]),
    "cosm1": (special.cosm1, 0.0, [0.0, -1.0, 0.0]),
    "diric": (lambda x: special.diric(x, 3), 0.0, [0.0, -2 / 3, 0.0, 2 / 3]),
    "diric at -1": (lambda x: special.diric(x, 2), 2 * PI, [0.0, 0.25, 0.0]),
    "rgamma": (special.rgamma, 0.0, [1.0, 1.1544313298030657, -3.9352684291215233]),
    "rgamma at -1": (special.rgamma, -1.0, [-1.0, 0.8455686701969343]),
    "expit": (special.expit, 0.0, [0.25, 0.0, -0.125]),
    "boxcox": (lambda p: special.boxcox(3.0, p), 0.0, [LOG_3**2 / 2, LOG_3**3 / 3]),
    "boxcox1p": (lambda p: special.boxcox1p(2.0, p), 0.0, [LOG_3**2 / 2]),
    "powm1": (lambda y: special.powm1(2.0, y), 0.0, [LOG_2, LOG_2**2, LOG_2**3]),
    "kl_div": (lambda x: special.kl_div(x, 1.0), 1.0, [0.0, 1.0, -1.0]),
    "kl_div by y": (lambda y: special.kl_div(1.0, y), 1.0, [0.0, 1.0, -2.0]),
    "kl_div of 0": (lambda y: special.kl_div(0.0, y), 1.0, [1.0, 0.0]),
    "rel_entr": (lambda x: special.rel_entr(x, 1.0), 1.0, [1.0, 1.0, -1.0]),
    "xlogy of 0": (lambda y: special.xlogy(0.0, y), 0.0, [0.0, 0.0, 0.0]),
    "xlog1py": (lambda y: special.xlog1py(2.0, y), 0.0, [2.0, -2.0, 4.0]),
    "ellipk": (special.ellipk, 0.0, [PI / 8, 9 * PI / 64, 75 * PI / 256]),
    "ellipe": (special.ellipe, 0.0, [-PI / 8, -3 * PI / 64, -15 * PI / 256]),
    "fresnel": (part(special.fresnel, 0), 0.0, [0.0, 0.0, PI]),
    # Orders of Bessel's functions and their kin.
    "j0": (special.j0, 0.0, [0.0, -1 / 2, 0.0]),
    "j1": (special.j1, 0.0, [1 / 2, 0.0, -3 / 8]),
    "i0": (special.i0, 0.0, [0.0, 1 / 2, 0.0]),
    "i1": (special.i1, 0.0, [1 / 2, 0.0, 3 / 8]),
    "i1e": (special.i1e, 0.0, [1 / 2]),
    "jv of 0": (of_order(special.jv, 0.0), 0.0, [0.0, -1 / 2, 0.0]),
    "jv of 1": (of_order(special.jv, 1.0), 0.0, [1 / 2, 0.0, -3 / 8]),
    "jn of 2": (of_order(special.jn, 2), 0.0, [0.0, 1 / 4, 0.0]),
    "jv of 3": (of_order(special.jv, 3.0), 0.0, [0.0, 0.0, 1 / 8]),
    "jve of 2": (of_order(special.jve, 2.0), 0.0, [0.0, 1 / 4, 0.0]),
    "jv of 1/2": (of_order(special.jv, 0.5), 0.0, [INF]),
    "jv of 3/2": (of_order(special.jv, 1.5), 0.0, [0.0, INF]),
    "iv of 5/2": (of_order(special.iv, 2.5), 0.0, [0.0, 0.0, INF]),
    "iv of 2": (of_order(special.iv, 2.0), 0.0, [0.0, 1 / 4, 0.0]),
    "ive of 2": (of_order(special.ive, 2.0), 0.0, [0.0, 1 / 4]),
    "j_0": (of_order(special.spherical_jn, 0), 0.0, [0.0, -1 / 3, 0.0]),
    "j_1": (of_order(special.spherical_jn, 1), 0.0, [1 / 3, 0.0, -1 / 5]),
    "i_0": (of_order(special.spherical_in, 0), 0.0, [0.0, 1 / 3, 0.0]),
    "slope of j_2": (
        lambda x: special.spherical_jn(2, x, derivative=True),
        *(0.0, [2 / 15, 0.0, -4 / 35]),
    ),
    "beip": (special.beip, 0.0, [0.5, 0.0]),
    "berp": (special.berp, 0.0, [0.0]),
    "it2struve0": (special.it2struve0, 0.0, [-2 / PI]),
    "struve of 0": (of_order(special.struve, 0.0), 0.0, [2 / PI, 0.0, -4 / 3 / PI]),
    "modstruve of 1": (of_order(special.modstruve, 1.0), 0.0, [0.0, 4 / 3 / PI, 0.0]),
    # Densities that begin and end as powers.
    "gammainc of 1": (of_order(special.gammainc, 1.0), 0.0, [1.0, -1.0, 1.0]),
    "gammainc of 2": (of_order(special.gammainc, 2.0), 0.0, [0.0, 1.0, -2.0]),
    "gammainc of 3": (of_order(special.gammainc, 3.0), 0.0, [0.0, 0.0, 1.0]),
    "gammainc of 5/2": (of_order(special.gammainc, 2.5), 0.0, [0.0, 0.0, INF]),
    "gammaincc of 2": (of_order(special.gammaincc, 2.0), 0.0, [0.0, -1.0, 2.0]),
    "betainc": (lambda x: special.betainc(2.0, 3.0, x), 0.0, [0.0, 12.0, -48.0]),
    "betainc of 1": (lambda x: special.betainc(1.0, 0.5, x), 0.0, [0.5, 0.25, 0.375]),
    "its end": (lambda x: special.betainc(3.0, 2.0, x), 1.0, [0.0, -12.0, -48.0]),
    "chdtr": (of_order(special.chdtr, 4.0), 0.0, [0.0, 0.25, -0.25]),
    "pdtr": (of_order(special.pdtr, 1), 0.0, [0.0, -1.0, 2.0]),
    "fdtr": (lambda x: special.fdtr(2.0, 4.0, x), 0.0, [1.0, -1.5, 3.0]),
    "stdtr": (of_order(special.stdtr, 1.0), 0.0, [1 / PI, 0.0, -2 / PI]),
}


@pytest.mark.parametrize(("function", "point", "slopes"), HOLES.values(), ids=HOLES)
def test_slopes(function, point, slopes):
    with np.errstate(all="ignore"):
        for expected in slopes:
            function = srcgrad.grad(function)
            near = pytest.approx(expected, rel=1e-6, abs=1e-12)
            with srcgrad.set_stance("tape"):
                assert function(point) == near
        for _ in range(3):
            assert function(point) == near


def test_a_series_near_0_and_a_formula_elsewhere():
    x = np.array([-0.29, 0.0, 0.1, 3.0])
    coefficients = [1.0, 0.5]
    assert series(coefficients, 2.0) == 2.0
    found = near_zero(x, coefficients, np.reciprocal)
    np.testing.assert_allclose(found, [1.0 - 0.145, 1.0, 1.05, 1.0 / 3.0])
    even = near_zero(x, coefficients, np.reciprocal, is_even=True)
    np.testing.assert_allclose(even, [1.04205, 1.0, 1.005, 1.0 / 3.0])


def test_what_nobody_asks_for_is_not_looked_at_where_it_is_infinite():
    x, g = np.array([0.0, 0.0, 2.0]), np.array([0.0, 1.0, 0.0])
    np.testing.assert_array_equal(apart(x, g), [1.0, 0.0, 2.0])
