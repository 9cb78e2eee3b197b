"""Polynomials as objects: of points, of Taylor's and of Padé's."""

import numpy as np
import pytest
import scipy.interpolate

from srcgrad.scipy import interpolate
from tests.variables import variable

X, W = np.array([0.0, 0.4, 1.1, 2.0]), np.array([1.0, -0.5, 2.0, 0.3])


def test_what_is_done_with_polynomials():
    plain, other = scipy.interpolate.lagrange(X, W), np.poly1d([1.0, 2.0])
    made = interpolate.lagrange(X, variable(W))
    assert isinstance(made, np.poly1d)
    assert made.order == 3
    for found, expected in (
        (made.deriv(), plain.deriv()),
        (made.integ(), plain.integ()),
        (made + other, plain + other),
        (2.0 - made, 2.0 - plain),
        (made * other, plain * other),
        (other + made, other + plain),
        (-made, -plain),
    ):
        np.testing.assert_allclose(found.c.data, expected.c, atol=1e-12)
    np.testing.assert_allclose(
        np.sort(made.roots.data.real), np.sort(plain.roots.real), atol=1e-12
    )
    assert made[0].item() == pytest.approx(plain[0])
    assert made[7] == 0.0
