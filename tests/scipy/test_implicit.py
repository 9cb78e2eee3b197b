"""Roots and minima, differentiated in their parameters."""

import numpy as np
import pytest
import scipy.optimize

import srcgrad
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.scipy import optimize
from tests.variables import variable

A, B = np.array([[3.0, 0.5], [0.2, 2.0]]), np.array([1.0, 2.0])
TWO = np.array(2.0)
START = np.zeros(2)


def residual(x, a, b):
    return a @ x + np.tanh(x) - b


def with_slope(x, a, b):
    return residual(x, a, b), a + np.diag(1.0 / np.cosh(x) ** 2)


def distance(x, a, b):
    return np.sum((a @ x - b) ** 2) + np.sum(x**4)


def slope(x, a, b):
    return 2.0 * (a.T @ (a @ x - b)) + 4.0 * x**3


def of_root(a, b):
    return optimize.root(residual, START, args=(a, b), tol=1e-13).x


def of_root_with_slope(a, b):
    return optimize.root(with_slope, START, args=(a, b), jac=True, tol=1e-13).x


def of_fsolve(a, b):
    return optimize.fsolve(residual, START, args=(a, b), xtol=1e-13)


def of_minimize(a, b, **kwargs):
    found = optimize.minimize(
        distance, START, (a, b), "BFGS", slope, tol=1e-13, **kwargs
    )
    return found.x, found.fun


def of_minimize_with_slope(a, b):
    def both(x, a, b):
        return distance(x, a, b), slope(x, a, b)

    bounds = scipy.optimize.Bounds(-9.0, 9.0)
    options = {"jac": True, "method": "L-BFGS-B", "bounds": bounds, "tol": 1e-16}
    return optimize.minimize(both, START, (a, b), **options).x


@pytest.mark.parametrize("solve", [of_root, of_fsolve, of_root_with_slope])
def test_roots_of_vectors(solve):
    assert gradcheck(solve, (A, B))
    assert gradgradcheck(solve, (A, B))


def test_minima():
    assert gradcheck(of_minimize, (A, B), rtol=1e-4, atol=1e-5)


def test_a_minimum_inside_its_bounds_is_any_other():
    """Differences would see how exactly the algorithm stops."""
    found, expected = (
        srcgrad.grad(lambda b, solve=solve: np.sum(solve(b)))(B)
        for solve in (
            lambda b: of_minimize_with_slope(A, b),
            lambda b: of_minimize(A, b)[0],
        )
    )
    np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_the_second_derivative_of_a_minimum():
    assert gradgradcheck(lambda b: of_minimize(A, b)[0], (B,), rtol=1e-3, atol=1e-4)


def cubic(x, a):
    return x**3 - a


def cubic_with_slope(x, a):
    return x**3 - a, 3.0 * x**2


SCALARS = [
    *(
        lambda a, name=name: getattr(optimize, name)(cubic, 0.0, 5.0, (a,), xtol=1e-14)
        for name in ("brentq", "brenth", "bisect", "ridder", "toms748")
    ),
    lambda a: optimize.brentq(cubic, 0.0, 5.0, (a,), xtol=1e-14, full_output=True)[0],
    lambda a: optimize.newton(cubic, 1.0, args=(a,), tol=1e-14),
    lambda a: optimize.newton(cubic, 1.0, args=(a,), tol=1e-14, full_output=True)[0],
    lambda a: optimize.root_scalar(cubic, (a,), bracket=(0.0, 5.0), xtol=1e-14).root,
    lambda a: optimize.root_scalar(cubic_with_slope, (a,), fprime=True, x0=1.0).root,
    lambda a: optimize.fixed_point(lambda x, a: np.cos(x / a), 0.5, (a,), xtol=1e-13),
    lambda a: optimize.fsolve(cubic, 1.0, (a,), xtol=1e-14, full_output=True)[0],
]


@pytest.mark.parametrize("solve", SCALARS)
def test_roots_of_one_number(solve):
    assert gradcheck(solve, (TWO,))
    assert gradgradcheck(solve, (TWO,))


def test_the_minimum_of_one_number():
    def solve(a):
        found = optimize.minimize_scalar(
            lambda x, a: (x - a) ** 2 + x**4, (0.0, 2.0), args=(a,), tol=1e-12
        )
        return found.x, found.fun

    assert gradcheck(solve, (TWO,), rtol=1e-4, atol=1e-4)


def test_least_squares():
    x = np.linspace(0.0, 1.0, 6)
    y = 2.0 * np.exp(-x) + 0.1 * x

    def solve(y):
        found = optimize.least_squares(
            lambda p, y: p[0] * np.exp(-p[1] * x) - y, np.ones(2), args=(y,), gtol=1e-14
        )
        return found.x, found.cost

    assert gradcheck(solve, (y,), rtol=1e-3, atol=1e-4)


def test_without_variables_it_is_scipys_function():
    found = optimize.root(residual, START, (A, B))
    np.testing.assert_array_equal(
        found.x, scipy.optimize.root(residual, START, (A, B)).x
    )


def test_where_to_start_does_not_matter():
    x0 = variable([0.1, 0.1])
    found = optimize.root(residual, x0, (variable(A), B)).x
    found.sum().backward()
    assert x0.grad is None


REFUSED = [
    (
        lambda b: optimize.minimize(
            distance, START, (A, b), constraints=[{"type": "eq"}]
        ),
        "with constraints",
    ),
    (
        lambda b: optimize.minimize(
            distance, START, (A, b), jac=slope, bounds=[(None, 0.1), (0.1, None)]
        ),
        "lies on a bound",
    ),
    (
        lambda b: optimize.least_squares(residual, START, args=(A, b), loss="cauchy"),
        "another loss",
    ),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_what_has_no_derivative(call, message):
    with pytest.raises(srcgrad.NoRuleError, match=message):
        call(variable(B))
