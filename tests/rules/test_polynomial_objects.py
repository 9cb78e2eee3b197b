"""``Polynomial`` and its kin with Variables: values, gradients, operators, mixtures."""

import numpy as np
import pytest
from numpy.polynomial import Polynomial

import srcgrad
from srcgrad.rules.polynomial_objects import KINDS
from tests.variables import variable

X, C = np.array([0.1, 0.4, 0.5, 0.8]), np.array([1.0, -2.0, 3.0])


def is_right(function, x):
    """The value is NumPy's, and the gradient that of differences."""
    value, slope = srcgrad.value_and_grad(function)(x)
    sides = [(function(x + h) - function(x - h)) / 2e-6 for h in np.eye(len(x)) * 1e-6]
    np.testing.assert_allclose(value, function(x), rtol=1e-9)
    np.testing.assert_allclose(slope, sides, rtol=1e-5, atol=1e-7)


def values(p, x):
    return p(x) + (p * p)(x) + (p**2 - 3.0 * p + 1.0).deriv()(x) + p.integ(lbnd=0.5)(x)


def over(p, x):
    return ((p**3) // p)(x) + (p % (p.deriv() + 1.0))(x) + (-p / 2.0)(x) + p.degree()


def zeros(p, x):
    return np.abs(p.roots() - x[0])


@pytest.mark.parametrize("function", [values, over, zeros])
@pytest.mark.parametrize("name", KINDS)
def test_by_their_coefficients(name, function):
    kind = getattr(np.polynomial, name)

    def by(c, x):
        return np.sum(function(kind(c, domain=[0.0, 2.0]), x))

    gradient = srcgrad.grad(by, argnums=(0, 1))(C, X)
    for k, numbers in enumerate((C, X)):
        for i, h in enumerate(1e-6 * np.eye(len(numbers))):
            after, before = [C, X], [C, X]
            after[k], before[k] = numbers + h, numbers - h
            slope = (by(*after) - by(*before)) / 2e-6
            np.testing.assert_allclose(gradient[k][i], slope, rtol=1e-5, atol=1e-6)
    traced = srcgrad.trace(by)
    for shift in (0.0, 0.0, 0.5):
        found = traced(variable(C + shift), variable(X)).data
        np.testing.assert_allclose(found, by(C + shift, X), rtol=1e-9)


@pytest.mark.parametrize("name", KINDS)
def test_one_that_is_made_before(name):
    p = getattr(np.polynomial, name)(C, domain=[-1.0, 2.0])
    q = getattr(np.polynomial, name)
    slope = srcgrad.grad(lambda x: np.sum(p(x) ** 2))(X)
    np.testing.assert_allclose(slope, 2.0 * p(X) * p.deriv()(X), rtol=1e-9)

    def mixed(c):
        own = q(c, domain=[-1.0, 2.0])
        return np.sum((p * own)(X) + (own - p)(X) + (p + own)(X))

    is_right(mixed, C[:2])
    is_right(mixed, C * 1.1)
    with pytest.warns(RuntimeWarning, match="highest degrees that are zero"):
        srcgrad.grad(mixed)(np.zeros(3))


@pytest.mark.parametrize("name", KINDS)
def test_fits_and_roots(name):
    kind = getattr(np.polynomial, name)
    functions = (
        lambda y: kind.fit(X, y, 2)(0.3),
        lambda y: kind.fit(y, X, 1)(0.3),
        lambda y: kind.fromroots(y[:2])(0.3),
        lambda y: kind.fit(X, y, 1, domain=[]).convert().coef[1],
    )
    for function in functions:
        is_right(function, X**2)


def test_they_are_numpys():
    made = []

    def value(c):
        made.append(Polynomial(c))
        return made[-1](2.0)

    assert srcgrad.grad(value)(C).tolist() == [1.0, 2.0, 4.0]
    assert isinstance(made[0], Polynomial)
    assert type(Polynomial(C)) is Polynomial
    with pytest.raises(TypeError, match="Polynomial types differ"):
        srcgrad.grad(lambda c: (Polynomial(c) + np.polynomial.Legendre(c))(1.0))(C)
