"""Linear programs, and assignments of pairs: what they cost, and where they end."""

import numpy as np
import pytest
import scipy.optimize

import srcgrad
from srcgrad.checking import gradcheck
from srcgrad.scipy import optimize
from tests.variables import variable

C = np.array([-1.0, -2.0, 0.5])
A_UB, B_UB = np.array([[1.0, 1.0, 0.2], [0.3, 1.0, 0.0]]), np.array([4.0, 3.0])
A_EQ, B_EQ = np.array([[0.1, 0.2, 1.0]]), np.array([1.5])


def test_a_linear_program_by_all_that_it_is_made_of():
    def solve(c, A_ub, b_ub, A_eq, b_eq):
        found = optimize.linprog(c, A_ub, b_ub, A_eq, b_eq)
        return found.x, found.fun

    assert gradcheck(solve, (C, A_UB, B_UB, A_EQ, B_EQ))


def test_bounds_of_a_linear_program():
    def solve(low, high):
        bounds = [(low, None), (None, high), (0.0, 5.0)]
        return optimize.linprog(-C, A_eq=A_EQ, b_eq=B_EQ, bounds=bounds).x

    assert gradcheck(solve, (np.array(0.5), np.array(2.0)))
    found = optimize.linprog(C, bounds=(0.0, variable(2.0))).x
    assert found.data.tolist() == [2.0, 2.0, 0.0]


def test_whole_numbers_stay_what_they_are():
    def solve(b):
        return optimize.linprog(
            C, A_UB, b, A_EQ, B_EQ, integrality=np.array([1, 0, 0])
        ).fun

    assert gradcheck(solve, (B_UB,))


def test_the_costs_of_a_mixed_program():
    constraints = scipy.optimize.LinearConstraint(A_UB, -np.inf, B_UB)

    def solve(c):
        return optimize.milp(c, constraints=constraints, integrality=[1, 0, 0]).fun

    assert gradcheck(solve, (C,))


def seeded():
    """SciPy warns where it would draw from the global generator, if that is seeded."""
    return {"rng": np.random.default_rng(0)}


def test_an_assignment_of_pairs():
    def solve(A, B):
        return optimize.quadratic_assignment(A, B, options=seeded()).fun

    A, B = np.random.default_rng(0).normal(size=(2, 4, 4))
    expected = scipy.optimize.quadratic_assignment(A, B, options=seeded()).fun
    assert solve(variable(A), variable(B)).item() == pytest.approx(expected)
    assert gradcheck(solve, (A, B))


def test_without_variables_it_is_scipys():
    assert type(optimize.linprog(C, A_UB, B_UB).x) is np.ndarray
    assert type(optimize.milp(np.ones(2)).x) is np.ndarray
    square = A_UB[:, :2]
    found = optimize.quadratic_assignment(square, square, options=seeded())
    assert isinstance(found.fun, float)


def test_a_vertex_that_is_degenerate_or_no_vertex():
    with pytest.raises(srcgrad.NoRuleError, match="degenerate"):
        optimize.linprog([-1.0, -1.0], np.ones((3, 2)), variable([1.0, 1.0, 1.0]))
    doubled = np.array([[1.0, 1.0], [2.0, 2.0]])
    with pytest.raises(srcgrad.NoRuleError, match=r"depend|degenerate"):
        optimize.linprog([1.0, 1.0], A_eq=doubled, b_eq=variable([1.0, 2.0]))
