"""The slopes in the order: against mpmath, at the ends, and what is refused."""

import numpy as np
import pytest
from scipy import special

import srcgrad
from srcgrad.rules.scipy.special.bessel_orders import ive_in_v, jv_in_v, yv_in_v
from tests.variables import variable

POINTS = [
    *((0.0, 1e-8), (0.5, 1e-3), (0.3, 2.0), (2.5, 2.0), (10.0, 9.5), (10.0, 10.0)),
    *((50.0, 1.0), (50.0, 49.9), (50.0, 60.0), (100.0, 99.999), (0.1, 100.0)),
    *((3.0, 1000.0), (-0.3, 2.0), (-2.5, 1.0), (-2.0, 3.0), (-10.2, 12.0)),
]


@pytest.mark.parametrize(("v", "x"), POINTS)
@pytest.mark.parametrize("name", ["besselj", "bessely", "besseli"])
def test_against_mpmath(name, v, x):
    mpmath = pytest.importorskip("mpmath", reason="mpmath is the oracle")
    scale = mpmath.exp(-x) if name == "besseli" else 1
    slope = {"besselj": jv_in_v, "bessely": yv_in_v, "besseli": ive_in_v}[name]
    with mpmath.workdps(40):
        step = mpmath.mpf(10) ** -12
        at = [getattr(mpmath, name)(v + k * step, x) for k in (-2, -1, 1, 2)]
        expected = scale * (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * step)
    found = slope(np.float64(v), np.float64(x))
    # Where the functions oscillate, or are even in the order, beside their size.
    bound = 1e-12 * float(expected == 0 or x > abs(v))
    np.testing.assert_allclose(found, float(expected), rtol=2e-12, atol=bound)


def test_at_the_ends():
    v = variable(np.array([1.0, 1.0, 0.0, 1.0, np.nan]))
    special.jv(v, np.array([0.0, np.inf, 0.0, -1.0, 1.0])).sum().backward()
    np.testing.assert_array_equal(v.grad.data, [0.0, 0.0, np.nan, np.nan, np.nan])
    assert np.isnan(yv_in_v(1.0, 0.0))


def test_what_has_no_derivative():
    with pytest.raises(NotImplementedError, match="at real `z` only"):
        special.jv(variable(0.5), 1.0 + 1.0j).real.backward()
    for function in (special.jv, special.ive):
        with pytest.raises(srcgrad.NoRuleError, match="so large an order"):
            function(variable(1.5), np.array([1.0, 1e10])).sum().backward()
