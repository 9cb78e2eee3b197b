"""Polynomials as objects: of points, of Taylor's and of Padé's."""

import numpy as np
import pytest
import scipy.interpolate

from srcgrad.checking import gradcheck
from srcgrad.scipy import interpolate
from tests.variables import variable

X, W = np.array([0.0, 0.4, 1.1, 2.0]), np.array([1.0, -0.5, 2.0, 0.3])
POINT = np.array(0.7)

CALLS = {
    "lagrange": lambda a: interpolate.lagrange(X, a),
    "lagrange by places": lambda a: interpolate.lagrange(X + 0.1 * a, W),
    "pade": lambda a: interpolate.pade(a, 1)[0] * interpolate.pade(a, 2)[1],
    "taylor": lambda a: interpolate.approximate_taylor_polynomial(
        lambda x: np.exp(a[0] * x) + a[1], a[2], 2, 0.5, 5
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_coefficients_and_values(name):
    def call(a):
        made = CALLS[name](a)
        return made.coeffs, made(POINT)

    for found, expected in zip(call(variable(W)), call(W), strict=True):
        np.testing.assert_allclose(found.data, expected, atol=1e-9)
    assert gradcheck(call, (W,))
    assert type(CALLS[name](W)) is np.poly1d


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
