"""What SciPy's algorithms get of Variables, and what gradients are found from."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.interpolate
import scipy.linalg
import scipy.optimize
import scipy.sparse.linalg
import scipy.spatial.distance
import scipy.stats

import srcgrad
from srcgrad.rules.algorithms import arguments
from srcgrad.scipy import integrate, optimize
from srcgrad.scipy.parameters import Parameters, pulled_back
from tests.differences import slope_of
from tests.variables import variable

SYSTEM = scipy.sparse.csc_array([[2.0, 1.0], [0.0, 3.0]])


def test_the_variables_among_nested_arguments():
    a, b = variable([1.0]), variable(2.0)
    parameters = Parameters(({"a": a}, [3, b]))
    assert parameters.variables == [a, b]
    (options, rest) = parameters.raw
    assert type(options["a"]) is np.ndarray
    assert rest[0] == 3
    assert parameters.filled([5, 6]) == ({"a": 5}, [3, 6])


def test_one_argument_needs_no_tuple():
    assert arguments(3) == (3,)
    assert arguments((1, 2)) == (1, 2)


def test_a_value_that_a_function_does_not_use_has_the_gradient_zero():
    x, y = variable([1.0, 2.0]), variable([3.0])
    out, (of_x, of_y) = pulled_back(lambda x, y: x * x, [x, y], np.ones(2))
    assert out.data.tolist() == [1.0, 4.0]
    assert of_x.data.tolist() == [2.0, 4.0]
    assert of_y.tolist() == [0.0]


def test_a_constant_function_has_no_gradient():
    _, (found,) = pulled_back(lambda x: np.ones(2), [variable([1.0])], np.ones(2))
    assert found.tolist() == [0.0]


def unused(t, a, b):
    return t**3 - a


def settled(t, a, b):
    return (t - 2.0) ** 3 + t - 2.0


ARGS = {"rtol": 1e-9, "atol": 1e-9}
SOLUTIONS = {
    "brentq": lambda x: optimize.brentq(unused, 0.0, 5.0, tuple(x)),
    "root": lambda x: optimize.root(unused, [1.0], tuple(x)).x[0],
    "leastsq": lambda x: optimize.leastsq(settled, [1.0], tuple(x))[0][0] * x[0],
    "solve_ivp": lambda x: integrate.solve_ivp(
        lambda t, y, a, b: -a * y, (0.0, 1.0), [1.0], args=tuple(x), **ARGS
    ).y[0, -1],
    "the start alone": lambda x: integrate.solve_ivp(
        lambda t, y, a, b: -a * y, (0.0, 1.0), x, t_eval=[0.0], args=tuple(x)
    ).y[0, 0],
}


@pytest.mark.parametrize("name", SOLUTIONS)
def test_what_a_solution_does_not_depend_on_has_zero_second_derivatives(name):
    def f(x):
        return SOLUTIONS[name](x) ** 2

    x, v = np.array([1.5, 0.3]), np.array([1.0, 2.0])
    slope, e = srcgrad.grad(f), 1e-4
    expected = (slope(x + e * v) - slope(x - e * v)) / (2.0 * e)
    np.testing.assert_allclose(srcgrad.hvp(f, x, v), expected, 1e-5, 1e-7)
    assert srcgrad.jvp(f, (x,), (v,))[1] == pytest.approx(slope(x) @ v)


@pytest.mark.parametrize(
    "call",
    [
        lambda f: integrate.quad(f, 0.0, 1.0),
        lambda f: integrate.quad(f, 0.0, variable(1.0)),
        lambda f: optimize.brentq(f, 0.0, 9.0),
        lambda f: optimize.minimize_scalar(fun=f),
    ],
)
def test_a_variable_that_is_not_among_the_arguments(call):
    model = SimpleNamespace(a=variable(2.0))

    def shifted(x):
        return x - model.a

    with pytest.raises(
        srcgrad.NoRuleError, match=r"(?s)shifted depends on .* in `args`"
    ):
        call(shifted)


def scipys_with_lists(x):
    curve = scipy.interpolate.CubicSpline([0.0, 1.0, 2.0], [x[0], x[1], x[2]])
    fit = scipy.optimize.least_squares(
        lambda p, c: [p[0] - c, 2.0 * p[1] - c], [0.0, 0.0], args=(x[0],)
    )
    return (
        np.sum(scipy.linalg.inv([[x[0] + 2.0, x[1]], [0.5, x[2]]]))
        + scipy.stats.norm.ppf([x[0], 0.25], scale=[x[1], x[2]]).sum()
        + curve([0.5, 1.5]).sum() * fit.x.sum()
        + np.sum(scipy.sparse.linalg.spsolve(SYSTEM, [x[0], x[1]]))
        + scipy.spatial.distance.cityblock([x[0], 1.0, x[1]], v=[x[1], 2, 0.0])
        + np.piecewise(x[0], [x[0] < 1.0], [lambda t: t**3, 0.0])
    )


def test_lists_with_variables_are_arrays_to_scipy():
    x = np.array([0.3, 0.7, 1.1])
    for _ in range(3):
        value, gradient = srcgrad.value_and_grad(scipys_with_lists)(x)
        np.testing.assert_allclose(value, scipys_with_lists(x), rtol=1e-9)
        expected = slope_of(scipys_with_lists, x)
        np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-7)
