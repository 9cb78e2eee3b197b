"""Surfaces over a sphere."""

import numpy as np
import pytest
import scipy.interpolate

import srcgrad
from srcgrad.checking import gradcheck
from srcgrad.scipy import interpolate
from tests.variables import variable

RNG = np.random.default_rng(0)
THETA, PHI = RNG.uniform(0.1, 3.0, 20), RNG.uniform(0.05, 6.2, 20)
R = np.sin(THETA) * np.cos(PHI) + 0.3 * np.cos(THETA) + 1.0
W, TT, TP = RNG.uniform(0.5, 1.5, 20), np.array([1.4]), np.array([2.5, 5.2])
U, V = np.linspace(0.3, 2.8, 5), np.linspace(0.0, 5.5, 6)
TABLE = np.sin(U)[:, None] * np.cos(V) + 0.2 * RNG.normal(size=(5, 6))
PLACES = np.array([0.3, 1.4, 2.9]), np.array([0.2, 3.0, 6.1])


def asked(made, theta, phi):
    return made(theta, phi), made.ev(theta, phi, 1, 0), made.ev(theta, phi, 0, 1)


CALLS = {
    "LSQ": (
        lambda module, *args: asked(
            module.LSQSphereBivariateSpline(*args[:4], TP, args[4]), *args[5:]
        ),
        *(THETA, PHI, R, TT, W, *PLACES),
    ),
    "without weights": (
        lambda module, r: asked(
            module.LSQSphereBivariateSpline(THETA, PHI, r, TT, TP), *PLACES
        ),
        R,
    ),
    **{
        f"Rect {options}": (
            lambda module, table, *places, options=options: asked(
                module.RectSphereBivariateSpline(U, V, table, **options), *places
            ),
            *(TABLE, *PLACES),
        )
        for options in (
            {},
            {"pole_continuity": True},
            {"pole_continuity": (True, False), "pole_flat": (True, False)},
        )
    },
}


@pytest.mark.parametrize("name", CALLS)
def test_by_places_values_weights_and_points(name):
    call, *args = CALLS[name]
    expected = call(scipy.interpolate, *args)
    found = call(interpolate, *map(variable, args))
    for ours, theirs, plain in zip(
        found, expected, call(interpolate, *args), strict=True
    ):
        np.testing.assert_allclose(ours.data, theirs, atol=1e-10)
        np.testing.assert_array_equal(plain, theirs)
    assert gradcheck(lambda *args: call(interpolate, *args)[:2], tuple(args))


def test_what_is_asked_besides():
    r = variable(TABLE)
    made = interpolate.RectSphereBivariateSpline(U, V, r)
    plain = scipy.interpolate.RectSphereBivariateSpline(U, V, TABLE)
    np.testing.assert_allclose(made.get_coeffs().data, plain.get_coeffs(), atol=1e-12)
    np.testing.assert_array_equal(made.get_knots()[1], plain.get_knots()[1])
    ours = interpolate.RectSphereBivariateSpline(U, V, TABLE)
    assert ours.get_residual() == plain.get_residual()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: interpolate.RectSphereBivariateSpline(U, V, r, s=1.0), "with `s`"),
        (
            lambda r: interpolate.RectSphereBivariateSpline(U, V, r, pole_values=1.0),
            "pole_values",
        ),
        (
            lambda r: interpolate.RectSphereBivariateSpline(U, V, r).get_residual(),
            "residual",
        ),
        (
            lambda r: interpolate.LSQSphereBivariateSpline(
                THETA, PHI, R, TT, variable(TP)
            ),
            "knots `tp`",
        ),
        (
            lambda r: interpolate.LSQSphereBivariateSpline(
                THETA[:5], PHI[:5], variable(R[:5]), TT, TP
            ),
            "so few data",
        ),
    ],
)
def test_what_has_no_derivative(call, message):
    with pytest.raises(srcgrad.NoRuleError, match=message):
        call(variable(TABLE))
