"""Surfaces whose knots follow the data."""

import numpy as np
import pytest
import scipy.interpolate

from srcgrad.checking import gradcheck
from srcgrad.scipy import interpolate
from tests.differences import slope_of
from tests.variables import variable

RNG = np.random.default_rng(0)
X, Y = RNG.uniform(0.0, 1.0, (2, 40))
Z = np.sin(3.0 * X) * Y + 0.3 * RNG.normal(size=40)
W = RNG.uniform(0.5, 1.5, 40)
POINTS = np.array([0.2, 0.5, 0.7])


def bisplrep(module, x, y, z, w, s, kx, ky):
    tck = module.bisplrep(x, y, z, w, kx=kx, ky=ky, s=s)
    return module.bisplev(POINTS, POINTS[:2], tck, dy=1), *tck[:3]


def smooth(module, x, y, z, w, s, kx, ky):
    made = module.SmoothBivariateSpline(x, y, z, w, kx=kx, ky=ky, s=s)
    return made(POINTS, POINTS[:2], dy=1), *made.get_knots(), made.get_coeffs()


@pytest.mark.filterwarnings("ignore:\\nThe required storage space:UserWarning")
@pytest.mark.filterwarnings("ignore:The required storage space:RuntimeWarning")
@pytest.mark.parametrize("made", [bisplrep, smooth])
# No knots; some, that are not enough; some, and a stiffness.
@pytest.mark.parametrize(("s", "kx", "ky"), [(10.0, 3, 3), (1.5, 1, 2), (2.0, 3, 3)])
def test_by_data_and_weights(made, s, kx, ky):
    args, options = (X, Y, Z, W), (s, kx, ky)
    variables = [variable(arg) for arg in args]
    found = made(interpolate, *variables, *options)
    expected = made(scipy.interpolate, *args, *options)
    for ours, theirs, plain in zip(
        found, expected, made(interpolate, *args, *options), strict=True
    ):
        np.testing.assert_allclose(ours.data, theirs, atol=1e-8)
        np.testing.assert_array_equal(plain, theirs)
    found[0].sum().backward()
    # SciPy comes near to `s` only: differences of long steps do not see it.
    step = 5e-3 if s == 2.0 else 1e-5
    for number, (v, arg) in enumerate(zip(variables, args, strict=True)):

        def total(few, number=number, arg=arg):
            moved = [*args]
            moved[number] = np.concatenate([few, arg[4:]])
            return np.sum(made(scipy.interpolate, *moved, *options)[0])

        wanted = slope_of(total, arg[:4], step)
        np.testing.assert_allclose(v.grad.data[:4], wanted, 2e-2, 2e-2)


def test_by_the_smoothness():
    def call(s):
        return bisplrep(interpolate, X, Y, Z, W, s, 1, 2)[0]

    s = variable(3.1)
    call(s).sum().backward()
    wanted = slope_of(lambda s: np.sum(call(s.item())), np.array(3.1), 0.05)
    np.testing.assert_allclose(s.grad.data, wanted, 0.1)
    assert gradcheck(lambda z: bisplrep(interpolate, X, Y, z, W, 10.0, 1, 2), (Z,))
