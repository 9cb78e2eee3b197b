"""``is_integer``, ``hex`` and ``as_integer_ratio``, of numbers and not of arrays."""

import numpy as np
import pytest

import srcgrad
from tests.variables import variable


def by_branch(x):
    half = np.multiply(x, 0.5)
    return half * 2.0 if half.is_integer() else half * 3.0


def by_text(x):
    half = np.multiply(x, 0.5)
    return half * len(half.hex())


def by_ratio(x):
    half = np.multiply(x, 0.5)
    return half * half.as_integer_ratio()[1]


def result(f, *args):
    try:
        return f(*args)
    except (OverflowError, ValueError) as error:
        return repr(error)


@pytest.mark.filterwarnings("ignore:a number was taken out")
@pytest.mark.parametrize("f", [by_branch, by_text, by_ratio])
def test_a_traced_function_and_a_transform_do_what_python_does(f):
    traced, value_and_grad = srcgrad.trace(f), srcgrad.value_and_grad(f)
    for x in (2.0, 3.0, 4.0, np.inf, 2.5, -0.0, 2.0, np.nan):
        expected, found = result(f, x), result(value_and_grad, x)
        np.testing.assert_equal(result(traced, x), expected)
        if isinstance(expected, str):
            assert found == expected
        else:
            np.testing.assert_equal(found[0], expected)
            if x and np.isfinite(x):
                assert found[1] == expected / x


def test_a_ratio_loses_the_gradient_with_a_warning():
    def f(x):
        above, below = x.as_integer_ratio()
        return x + above / below

    with pytest.warns(RuntimeWarning, match="its gradient is lost"):
        assert srcgrad.grad(f)(0.75) == 1.0


def test_arrays_have_none():
    for array in (np.ones(2), np.array(1.0)):
        for name in ("is_integer", "hex", "as_integer_ratio"):
            assert not hasattr(array, name)
            assert not hasattr(variable(array), name)
