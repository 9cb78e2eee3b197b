"""What SciPy's algorithms get of Variables, and what gradients are found from."""

from types import SimpleNamespace

import numpy as np
import pytest

import srcgrad
from srcgrad.scipy import integrate, optimize
from srcgrad.scipy.parameters import Parameters, arguments, pulled_back
from tests.variables import variable


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

    with pytest.raises(srcgrad.NoRuleError, match=r"shifted depends on .* in `args`"):
        call(shifted)
