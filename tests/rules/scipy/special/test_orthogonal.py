"""Every sample of the chapter; degrees below 0."""

import numpy as np
import pytest
from scipy import special

from tests.variables import variable


@pytest.mark.parametrize("n", [-5, -2, 0, -0.5, 0.5, 1.5])
def test_slopes_of_small_degrees_and_of_those_below_0(n):
    """Those of SciPy's functions of whole numbers too, which end at 0."""
    for name in "legendre chebyt chebyu chebyc chebys sh_chebyu laguerre".split():
        function = getattr(special, f"eval_{name}")
        x = variable(0.3)
        function(n, x).backward()
        rise = (function(n, 0.3 + 1e-6) - function(n, 0.3 - 1e-6)) / 2e-6
        np.testing.assert_allclose(x.grad.data, rise, rtol=1e-7, atol=1e-8)
