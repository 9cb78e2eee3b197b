"""Every sample of the chapter; slopes near the logarithm."""

import numpy as np
import pytest
from scipy import special

from tests.rules.gradients import quiet

# ----- Where a formula has 0 / 0, or infinities -----


@pytest.mark.parametrize("lmbda", [0.0, 1e-12, 1e-3, 0.1, 0.4])
def test_box_cox_near_the_logarithm(lmbda):
    """The slope in the exponent as an integral, by the trapezoid rule."""
    log_x = np.log(1.7)
    t = np.linspace(0.0, 1.0, 2001)
    exact = log_x**2 * np.trapezoid(t * np.exp(lmbda * log_x * t), t)
    (_, found) = quiet(special.boxcox, 1.7, lmbda)
    assert found == pytest.approx(exact, rel=1e-6)
