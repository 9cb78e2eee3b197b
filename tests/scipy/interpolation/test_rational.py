"""Rational functions through points."""

import numpy as np
import pytest
import scipy.interpolate

import srcgrad
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.scipy import interpolate
from tests.variables import variable

X = np.array([0.0, 2.0, 0.4, 1.1, 1.5])  # in no order
TABLE = np.stack([np.sin(X), X**2], axis=1)
POINTS = np.array([[0.4, 1.7], [0.1, 1.2]])  # one of them a place


@pytest.mark.parametrize("d", [0, 1, 3, 4])
def test_by_places_values_and_points(d):
    def call(x, y, p):
        return interpolate.FloaterHormannInterpolator(x, y, d=d)(p)

    args = X, TABLE, POINTS
    np.testing.assert_allclose(call(*map(variable, args)).data, call(*args), atol=1e-12)
    assert gradcheck(lambda y, p: call(X, y, p), args[1:])
    assert gradcheck(lambda x: call(x, TABLE, POINTS + 0.05), (X,))


def test_twice_and_along_another_axis():
    def call(y, p):
        return interpolate.FloaterHormannInterpolator(X, y, axis=1)(p)

    args = TABLE.T, POINTS[0]
    np.testing.assert_allclose(call(*map(variable, args)).data, call(*args), atol=1e-12)
    assert gradgradcheck(call, args)


def test_a_part_of_the_data_by_the_point():
    x = np.linspace(0.0, 1.0, 20)
    made = interpolate.AAA(x, np.exp(x), rtol=1e-4)
    plain = scipy.interpolate.AAA(x, np.exp(x), rtol=1e-4)
    np.testing.assert_array_equal(made(POINTS), plain(POINTS))
    np.testing.assert_array_equal(made.poles(), plain.poles())
    assert gradcheck(made, (POINTS,))
    with pytest.raises(srcgrad.NoRuleError, match="chooses a part"):
        interpolate.AAA(x, variable(x))


def test_what_has_no_derivative():
    made = interpolate.FloaterHormannInterpolator(X, variable(X))
    for name in ("poles", "roots", "residues"):
        with pytest.raises(srcgrad.NoRuleError, match=name):
            getattr(made, name)()
    plain = interpolate.FloaterHormannInterpolator(X, X)
    assert plain.roots().size
    assert plain.residues().size == plain.poles().size
