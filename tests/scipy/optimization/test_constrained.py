"""Minima on bounds and under constraints, differentiated in their parameters."""

import numpy as np
import pytest
import scipy.optimize

import srcgrad
from srcgrad.checking import gradcheck
from srcgrad.scipy import optimize
from tests.variables import variable

A, B = np.array([[3.0, 0.5], [0.2, 2.0]]), np.array([1.0, 2.0])
START = np.zeros(2)


def distance(x, a, b):
    return np.sum((a @ x - b) ** 2) + np.sum(x**4)


def slope(x, a, b):
    return 2.0 * (a.T @ (a @ x - b)) + 4.0 * x**3


def test_where_it_ends_on_a_bound():
    def least(b):
        found = optimize.minimize(
            distance, START, (A, b), jac=slope, bounds=[(None, 0.1), (0.1, None)]
        )
        return found.x, found.fun

    (held, free), _ = srcgrad.jacobian(least)(B)
    np.testing.assert_allclose(held, 0.0, atol=1e-15)
    inside = srcgrad.jacobian(
        lambda b: (
            optimize.minimize_scalar(
                lambda y: distance(np.stack([np.array(0.1), y]), A, b), tol=1e-12
            ).x
        )
    )(B)
    np.testing.assert_allclose(free, inside, rtol=1e-4)


def test_what_the_slope_of_the_least_value_is_on_a_bound():
    def least(a):
        return optimize.minimize(
            lambda x: np.sum((x - a) ** 2), [0.5], bounds=[(0.0, 1.0)]
        ).fun

    assert gradcheck(least, (np.array(3.0),))


def portfolio(mu, risk, total):
    """The weights of a portfolio: they add up, and none is negative."""
    found = optimize.minimize(
        lambda w: 0.5 * w @ risk @ w - mu @ w,
        np.ones(3) / 3.0,
        method="SLSQP",
        jac=lambda w: risk @ w - mu,
        bounds=[(0.0, None)] * 3,
        constraints=[{"type": "eq", "fun": lambda w: np.sum(w) - total}],
        tol=1e-14,
    )
    return found.x, found.fun


RISK = np.array([[1.0, 0.2, 0.1], [0.2, 1.5, 0.3], [0.1, 0.3, 2.0]])


@pytest.mark.parametrize("mu", [[0.1, 0.2, 0.3], [1.0, 0.1, -1.0]])
def test_constraints_that_close_over_a_variable(mu):
    args = np.array(mu), RISK, np.array(1.0)
    assert gradcheck(portfolio, args, rtol=1e-4, atol=1e-5)


CONSTRAINTS = {
    "dict": lambda r: {"type": "ineq", "fun": lambda x, r: r - x @ x, "args": (r,)},
    "nonlinear": lambda r: scipy.optimize.NonlinearConstraint(
        lambda x: x @ x - r, -np.inf, 0.0
    ),
    "both": lambda r: [
        {"type": "ineq", "fun": lambda x: [r - x @ x, r + 5.0 - x[0]]},
        scipy.optimize.LinearConstraint(np.eye(2), -9.0, 9.0),
    ],
}


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_constraints_of_each_kind(name):
    """The nearest point of a disc."""

    def nearest(b, r):
        return optimize.minimize(
            lambda x, b: np.sum((x - b) ** 2),
            *(np.array([0.1, 0.2]), (b,)),
            method="SLSQP",
            constraints=CONSTRAINTS[name](r),
            tol=1e-14,
        ).x

    def formula(b, r):
        return b * np.sqrt(r) / np.linalg.norm(b)

    args = np.array([1.0, 2.0]), np.array(1.5)
    for found, expected in zip(
        *(srcgrad.jacobian(f, argnums=(0, 1))(*args) for f in (nearest, formula)),
        strict=True,
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_without_variables_constraints_are_scipys():
    found = optimize.minimize(
        lambda x: x @ x,
        np.ones(2),
        constraints={"type": "eq", "fun": lambda x: x[0] - 1},
    )
    assert type(found.x) is np.ndarray


REFUSED = [
    (
        lambda b: optimize.minimize(
            distance,
            START,
            (A, b),
            constraints=[{"type": "ineq", "fun": lambda x: x - 1.0}] * 2,
        ),
        "depend on each other",
    ),
    (
        lambda b: optimize.minimize(
            distance, START, (A, b), bounds=[(b[0], None), (None, None)]
        ),
        "write them as constraints",
    ),
    (
        lambda b: optimize.shgo(
            distance, [(0, 1)] * 2, (A, b), {"type": "eq", "fun": lambda x: x}
        ),
        "with constraints",
    ),
    (
        lambda b: optimize.minimize(
            distance, START + 1.0, (A, b), bounds=[(0, 1)] * 2, options={"maxiter": 0}
        ),
        "no constraints balance",
    ),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_what_has_no_derivative(call, message):
    with pytest.raises(srcgrad.NoRuleError, match=message):
        call(variable(B))


def squared(x, a, r):
    return np.sum((x - a) ** 2)


def within_circle(x, a, r):
    return r * r - x @ x


def above_line(x, a, r):
    return x[1] + 5.0


def by_slsqp(module, *values):
    equal, above = [within_circle], [above_line]
    options = {"args": values, "acc": 1e-13, "iprint": 0, "full_output": True}
    return module.fmin_slsqp(squared, np.ones(2), equal, None, above, **options)[0]


def by_cobyla(module, *values):
    cons = [within_circle, above_line]
    exact = {"rhoend": 1e-9, "catol": 1e-10}  # by itself it stops beyond the limits
    return module.fmin_cobyla(squared, np.ones(2), cons, values, **exact)


@pytest.mark.parametrize("least", [by_slsqp, by_cobyla])
def test_the_older_functions_with_constraints(least):
    """The point of a circle that is nearest to another point."""
    a, r = variable([3.0, 4.0]), variable(1.5)
    found = least(optimize, a, r)
    np.testing.assert_allclose(found.data, least(scipy.optimize, a.data, r.data))
    found.sum().backward()
    assert r.grad.item() == pytest.approx(1.4, rel=1e-4)
    inward = 0.3 * (np.ones(2) - 1.4 * np.array([0.6, 0.8]))
    np.testing.assert_allclose(a.grad.data, inward, rtol=1e-3)
    with pytest.raises(TypeError, match="must be a sequence of callable"):
        optimize.fmin_cobyla(squared, np.ones(2), [1.0])
