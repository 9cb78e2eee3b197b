"""Ellipsoidal harmonics: every sample; all numbers of some orders are SciPy's."""

import numpy as np
import pytest
from scipy import special

from srcgrad.rules.scipy.special import ellipsoidal


@pytest.mark.parametrize(("h2", "k2"), [(5.0, 8.0), (1.0, 9.0), (3.0, 3.3)])
def test_they_are_those_of_scipy(h2, k2):
    s = np.array([3.1, 5.0])
    for n, p in [(order, p) for order in range(6) for p in range(1, 2 * order + 2)]:
        for function, args in (
            ("ellip_harm", (s,)),
            ("ellip_harm_2", (s,)),
            ("ellip_normal", ()),
        ):
            own = getattr(ellipsoidal, function)(h2, k2, n, p, *args)
            theirs = getattr(special, function)(h2, k2, n, p, *args)
            np.testing.assert_allclose(own, theirs, rtol=1e-10, err_msg=function)
