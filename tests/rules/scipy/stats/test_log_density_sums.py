"""Log-densities that SciPy computes in C, near their joints and far out."""

import numpy as np
import pytest
import scipy.stats

import srcgrad
from srcgrad.scipy import stats
from tests.variables import variable

FAR = {
    "landau": ((), [-3.5, -2.5, -0.4, -0.2, 0.0, 10.0, 1e3, 1e5]),
    "kstwobign": ((), [0.15, 0.5, 0.89, 0.91, 3.0]),
    "irwinhall": ((5,), [0.1, 1.0, 2.3, 4.9]),
}


@pytest.mark.parametrize("name", FAR)
def test_slopes_are_those_of_scipys_values(name):
    shapes, x = FAR[name][0], np.array(FAR[name][1])
    place = variable(x)
    found = getattr(stats, name).logpdf(place, *shapes)
    found.sum().backward()
    logpdf = getattr(scipy.stats, name).logpdf
    np.testing.assert_array_equal(found.data, logpdf(x, *shapes))
    step = 1e-5 * np.maximum(np.abs(x), 0.1)
    slope = (logpdf(x + step, *shapes) - logpdf(x - step, *shapes)) / (2.0 * step)
    np.testing.assert_allclose(place.grad.data, slope, 1e-6)


def test_what_is_a_whole_number_has_no_derivative():
    with pytest.raises(srcgrad.NoRuleError, match="whole number"):
        stats.irwinhall.logpdf(1.5, variable(3.0))
    with pytest.raises(srcgrad.NoRuleError, match="whole number"):
        stats.irwinhall.logpdf(variable([1.5, 1.5]), np.array([3, 4]))


@pytest.mark.parametrize("method", "logpdf cdf sf logcdf logsf ppf isf".split())
def test_stable_distributions_by_their_shapes_are_refused(method):
    for shapes in ((variable(1.7), 0.2), (1.7, variable(0.2))):
        with pytest.raises(srcgrad.NoRuleError, match="levy_stable"):
            getattr(stats.levy_stable, method)(0.4, *shapes)
