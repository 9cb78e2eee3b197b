"""Every sample of the chapter."""

import numpy as np
import pytest
from scipy import special

import srcgrad
from srcgrad.rules.libraries import replacement_of
from tests.rules.gradients import gradient, quiet
from tests.variables import variable


def test_what_is_rounded_carries_no_gradient():
    assert not special.round(variable([-0.4, 2.6])).requires_grad


# ----- Where a formula has 0 / 0, or infinities -----


def test_a_share_of_zero_has_a_slope_of_zero():
    assert quiet(special.xlogy, 0.0, 0.0) == [0.0, 0.0]
    assert quiet(special.xlog1py, 0.0, -1.0) == [0.0, 0.0]


def test_the_sum_of_exponentials_of_infinities():
    x = [[-np.inf, -np.inf], [0.0, -np.inf]]
    logsumexp = replacement_of(special.logsumexp)
    found = gradient(lambda x: logsumexp(x, axis=1), x)
    assert found == [[0.0, 0.0], [1.0, 0.0]]
    assert gradient(logsumexp, [800.0, 800.0]) == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("lmbda", [0.0, 1e-12, 1e-3, 0.1, 0.4])
def test_box_cox_near_the_logarithm(lmbda):
    """The slope in the exponent as an integral, by the trapezoid rule."""
    log_x = np.log(1.7)
    t = np.linspace(0.0, 1.0, 2001)
    exact = log_x**2 * np.trapezoid(t * np.exp(lmbda * log_x * t), t)
    (_, found) = quiet(special.boxcox, 1.7, lmbda)
    assert found == pytest.approx(exact, rel=1e-6)


def test_box_cox_of_0_by_its_exponent():
    with np.errstate(divide="ignore"):
        assert srcgrad.grad(special.boxcox, argnums=1)(0.0, 0.5) == 4.0
        assert srcgrad.grad(special.boxcox1p, argnums=1)(-1.0, 2.0) == 0.25
