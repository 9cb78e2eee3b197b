"""Roots and minima, differentiated in their parameters."""

import numpy as np
import pytest
import scipy.optimize

from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.errors import NoRuleError
from srcgrad.scipy import optimize
from tests.variables import variable

A, B = np.array([[3.0, 0.5], [0.2, 2.0]]), np.array([1.0, 2.0])
TWO = np.array(2.0)
START = np.zeros(2)


def residual(x, a, b):
    return a @ x + np.tanh(x) - b


def with_slope(x, a, b):
    return residual(x, a, b), a + np.diag(1.0 / np.cosh(x) ** 2)


def of_root(a, b):
    return optimize.root(residual, START, args=(a, b), tol=1e-13).x


def of_root_with_slope(a, b):
    return optimize.root(with_slope, START, args=(a, b), jac=True, tol=1e-13).x


def of_fsolve(a, b):
    return optimize.fsolve(residual, START, args=(a, b), xtol=1e-13)


@pytest.mark.parametrize("solve", [of_root, of_fsolve, of_root_with_slope])
def test_roots_of_vectors(solve):
    assert gradcheck(solve, (A, B))
    assert gradgradcheck(solve, (A, B))


def cubic(x, a):
    return x**3 - a


def cubic_with_slope(x, a):
    return x**3 - a, 3.0 * x**2


@pytest.mark.parametrize(
    "solve",
    [
        lambda a: optimize.newton(lambda z: z * z + a, 1j),
        lambda a: optimize.root_scalar(lambda z: z * z + a, x0=1j, x1=1.1j).root,
        lambda a: optimize.fixed_point(lambda z: 0.1 * z * z + 1j * a, [0.1j]),
    ],
)
def test_a_complex_root_has_no_derivative(solve):
    with pytest.raises(NoRuleError, match="of a complex root"):
        solve(variable(1.5))


SCALARS = [
    *(
        lambda a, name=name: getattr(optimize, name)(cubic, 0.0, 5.0, (a,), xtol=1e-14)
        for name in ("brentq", "brenth", "bisect", "ridder", "toms748")
    ),
    lambda a: optimize.brentq(cubic, 0.0, 5.0, (a,), xtol=1e-14, full_output=True)[0],
    lambda a: optimize.brentq(cubic, 0.0, 5.0, (a,), 1e-14, full_output=True)[1].root,
    lambda a: (
        optimize.newton(cubic, 1.0, args=(a,), tol=1e-14, full_output=True)[1].root
    ),
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


@pytest.mark.parametrize(
    "name",
    [
        *("anderson", "broyden1", "broyden2", "diagbroyden", "excitingmixing"),
        *("linearmixing", "newton_krylov"),
    ],
)
def test_roots_by_what_the_function_closes_over(name):
    solve = getattr(optimize, name)

    def found(b):
        return solve(lambda x: b - x - 0.1 * np.tanh(x), np.zeros(2), f_tol=1e-10)

    assert gradcheck(found, (B,))
    plain = solve(lambda x: 1.0 - x, np.zeros(2))
    np.testing.assert_allclose(plain, 1.0, atol=1e-4)
