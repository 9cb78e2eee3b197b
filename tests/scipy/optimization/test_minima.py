"""Minima, differentiated in their parameters, on bounds and constraints too."""

import numpy as np
import pytest
import scipy.optimize

import srcgrad
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.scipy import optimize

A, B = np.array([[3.0, 0.5], [0.2, 2.0]]), np.array([1.0, 2.0])
TWO = np.array(2.0)
START = np.zeros(2)


def distance(x, a, b):
    return np.sum((a @ x - b) ** 2) + np.sum(x**4)


def slope(x, a, b):
    return 2.0 * (a.T @ (a @ x - b)) + 4.0 * x**3


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


def test_the_minimum_of_one_number():
    def solve(a):
        found = optimize.minimize_scalar(
            lambda x, a: (x - a) ** 2 + x**4, (0.0, 2.0), args=(a,), tol=1e-12
        )
        return found.x, found.fun

    assert gradcheck(solve, (TWO,), rtol=1e-4, atol=1e-4)


def near(x, b):
    return np.sum((x - b) ** 2) + 0.1 * np.sum(x**4)


CALLS = {
    "fmin": lambda b: optimize.fmin(
        near, START, (b,), xtol=1e-9, ftol=1e-14, disp=False
    ),
    "fmin full": lambda b: optimize.fmin(
        near, START, (b,), xtol=1e-9, ftol=1e-14, disp=False, full_output=True
    )[:2],
    "fmin_powell": lambda b: optimize.fmin_powell(
        near, START, (b,), xtol=1e-10, ftol=1e-14, disp=False
    ),
    "fmin_bfgs": lambda b: optimize.fmin_bfgs(
        near, START, None, (b,), gtol=1e-7, disp=False
    ),
    "fmin_cg": lambda b: optimize.fmin_cg(
        near, START, None, (b,), gtol=1e-7, disp=False
    ),
    "fmin_ncg": lambda b: optimize.fmin_ncg(
        near, START, lambda x, b: 2.0 * (x - b) + 0.4 * x**3, args=(b,), disp=False
    ),
    "fmin_l_bfgs_b": lambda b: optimize.fmin_l_bfgs_b(
        near, START, args=(b,), approx_grad=True, factr=10.0, pgtol=1e-8
    )[:2],
    "fmin_l_bfgs_b and slope": lambda b: optimize.fmin_l_bfgs_b(
        lambda x, b: (near(x, b), 2.0 * (x - b) + 0.4 * x**3),
        *(START, None, (b,), 0, [(None, 0.5), (None, None)]),
        factr=10.0,
        pgtol=1e-9,
    )[:2],
    "fmin_tnc": lambda b: optimize.fmin_tnc(
        near, START, args=(b,), approx_grad=True, bounds=[(-5, 5), (-5, 1)], disp=0
    )[0],
    "basinhopping": lambda b: (
        optimize.basinhopping(lambda x: near(x, b), START, niter=2, seed=0).x
    ),
    "differential_evolution": lambda b: (
        optimize.differential_evolution(
            near, [(-3.0, 3.0), (-3.0, 1.0)], (b,), seed=0, popsize=5
        ).x
    ),
    "dual_annealing": lambda b: (
        optimize.dual_annealing(near, [(-3.0, 3.0)] * 2, (b,), maxiter=5, seed=0).fun
    ),
    "shgo": lambda b: optimize.shgo(near, [(-3.0, 3.0)] * 2, (b,), n=20).x,
    "brute": lambda b: optimize.brute(near, [(-3.0, 3.0)] * 2, (b,), Ns=5, finish=None),
}
LOOSE = {"brute": 1.0}


@pytest.mark.parametrize("name", CALLS)
def test_the_older_functions_and_the_global_ones(name):
    """As ``minimize`` has it; differences would see how exactly each stops."""
    bounds = {
        "fmin_l_bfgs_b and slope": [(None, 0.5), (None, None)],
        "fmin_tnc": [(-5, 5), (-5, 1)],
        "differential_evolution": [(-3, 3), (-3, 1)],
    }

    def exact(b):
        found = optimize.minimize(
            near, START, (b,), "L-BFGS-B", bounds=bounds.get(name), tol=1e-16
        )
        return found.fun if name == "dual_annealing" else (found.x, found.fun)

    def total(function, b):
        out = function(b)
        if isinstance(out, tuple):
            return np.sum(out[0] * np.array([1.0, 2.0])) + out[1]
        if name == "dual_annealing":
            return out
        return np.sum(out * np.array([1.0, 2.0]))

    def expected(b):
        out = exact(b)
        if name == "dual_annealing":
            return out
        both = isinstance(CALLS[name](B), tuple)
        return np.sum(out[0] * np.array([1.0, 2.0])) + (out[1] if both else 0.0)

    found = srcgrad.grad(lambda b: total(CALLS[name], b))(B)
    np.testing.assert_allclose(
        found, srcgrad.grad(expected)(B), rtol=LOOSE.get(name, 1e-3)
    )


@pytest.mark.parametrize("name", ["brent", "golden", "fminbound"])
def test_the_older_functions_of_one_number(name):
    def least(a):
        if name == "fminbound":
            return optimize.fminbound(
                lambda x: (x - a) ** 2 + x**4, 0.0, 2.0, xtol=1e-9
            )
        return getattr(optimize, name)(lambda x: (x - a) ** 2 + x**4, tol=1e-9)

    x = least(2.0)
    expected = 2.0 / (2.0 + 12.0 * x**2)
    assert srcgrad.grad(least)(2.0) == pytest.approx(expected, rel=1e-6)
