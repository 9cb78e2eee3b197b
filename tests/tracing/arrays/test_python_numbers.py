"""``float``, ``sum``, ``round``, ``isinstance`` where there are Variables."""

import math
import statistics

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from srcgrad.modes import override
from srcgrad.tracing.arrays.functional_array import FunctionalArray
from srcgrad.tracing.arrays.python_numbers import (
    is_followed,
    item,
    rounded,
    to_list,
    total,
)
from srcgrad.tracing.arrays.replacements import replacement_of
from srcgrad.tracing.arrays.traced_array import TracedArray
from tests.tracing.arrays.test_replacements import D, F, V, as_variable


def test_numbers_stay_in_the_graph_in_transforms_and_of_stand_ins():
    x = as_variable(D)
    assert not is_followed(x)
    assert is_followed(TracedArray.make(D, None))
    with override(depth=1):
        assert is_followed(x)
        assert item(x).requires_grad
        assert [each.requires_grad for each in to_list(as_variable(V))] == [True] * 3
    assert item(x) == 2.5


def test_sums_of_floats_are_pythons():
    numbers = [F, *[0.1] * 9]
    assert total(map(as_variable, numbers)).value == sum(numbers)
    assert total(iter([1, 2]), 3) == 6


def test_a_rounded_number_is_an_integer():
    with override(depth=1):
        assert rounded(as_variable(F)) == 1
        assert type(rounded(as_variable(D))) is int


def test_in_a_transform_a_type_is_that_of_the_array():
    assert replacement_of(type)(as_variable(D)) is Variable
    with override(depth=1):
        assert replacement_of(type)(as_variable(D)) is np.float64
    assert replacement_of(type)(FunctionalArray(V)) is np.ndarray
    assert replacement_of(type)("Name", (), {}).__name__ == "Name"


def test_numbers_of_the_users_own_variables_stand_for_numbers_in_the_graph():
    x = Variable(V, requires_grad=True)
    for found in (replacement_of(float)(x[0]), item(x[0]), *to_list(x)[:1]):
        assert isinstance(found, TracedArray)
        assert type(found.value) is float
        assert found.requires_grad
        assert found == 0.5
    assert replacement_of(complex)(real=x[1], imag=x[0]) == complex(*V[1::-1])
    assert repr(replacement_of(np.complex128)(2.0, x[0])) == "np.complex128(2+0.5j)"
    with srcgrad.no_grad():
        assert type(replacement_of(float)(x[0])) is float
        assert type(item(x[0])) is float


def test_both_parts_of_a_complex_number_have_a_slope():
    gradient = srcgrad.grad(lambda x, y: abs(np.complex128(x, y)), argnums=(0, 1))
    for _ in range(2):
        np.testing.assert_allclose(gradient(3.0, 4.0), (0.6, 0.8))


# ----- Integers, and numbers beside them, of each call -----
NUMBERS = {
    "an exponent": lambda x: math.frexp(x),
    "an exponent's product": lambda x: math.frexp(float(x))[1] * x,
    "an integer of NumPy's": lambda x: np.int64(x) * x,
    "of a float": lambda x: np.uint8(float(x)) * 2,
    "of a list": lambda x: np.int32([x, 2.0 * x]),
    "truth": lambda x: np.bool_(x - 1.7) * x,
    "truth of a float": lambda x: np.bool_(float(x)) + 2,
    "truth of a list": lambda x: np.bool_([x, 0.0 * x]),
    "an index": lambda x: [x, 2.0 * x, 3.0, 4.0][np.int64(x)],
    "a conjugate": lambda x: complex(x, 2.0).conjugate(),
    "of two parts": lambda x: complex(imag=2.0 * x, real=x),
    "NumPy's of two parts": lambda x: np.complex128(2.0, x),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_are_those_of_each_call(name):
    function = NUMBERS[name]
    traced = srcgrad.trace(function)
    for value in (0.3, 1.7, 3.2, 0.9):
        assert repr(traced(np.array(value))) == repr(function(np.array(value)))


def test_truth_has_no_slope():
    gradient = srcgrad.grad(lambda x: np.sum(np.bool_(x) * x))
    for x in ([2.0, 0.0], [0.0, np.nan], [1.0, 3.0]):
        assert gradient(np.array(x)).tolist() == (np.array(x) != 0).tolist()


def test_an_integer_has_no_slope():
    gradient = srcgrad.grad(NUMBERS["an integer of NumPy's"])
    assert [gradient(value) for value in (2.5, 3.2, 2.5)] == [2.0, 3.0, 2.0]


# ----- Powers: Python's roots of negative numbers are complex -----
ROOTS = {
    "a root": lambda x: (x**0.5).real * 2.0,
    "of a root": lambda x: (x**0.5) ** 2 * 3.0,
    "of what is computed": lambda x: abs((x * 1.5 - 1.0) ** 2.5),
    "by the function": lambda x: pow(x, 1.0 / 3.0) + 1.0,
    "the exponent": lambda x: 2.0 * (-2.0) ** x,
    "in a loop": lambda x: sum(((x - k) ** 1.5).imag for k in range(3)),
    "NumPy's, of minus zero": lambda x: np.power(x, 0.5),
}


@pytest.mark.parametrize("root", ROOTS.values(), ids=ROOTS)
def test_roots_of_numbers_are_real_or_complex_as_in_python(root):
    traced = srcgrad.trace(root)
    with np.errstate(all="ignore"):
        for x in (2.0, 3.0, -2.0, -0.0, 4.0, -3.5, 2.5, -0.0):
            assert repr(traced(x)) == repr(root(x))
    assert traced.stats.compiled > 0, traced.explain()


def test_a_derivative_of_what_is_complex_is_refused():
    root = srcgrad.grad(lambda x: (x * 1.5) ** 2.5)
    assert [root(x) for x in (2.0, 2.0)] == [3.75 * 3.0**1.5] * 2
    for _ in range(3):
        with pytest.raises(TypeError, match="must return one real number"):
            root(-2.0)


def test_the_mean_of_statistics_has_a_gradient():
    def f(x):
        return statistics.fmean(x) * statistics.fmean(v * v for v in x)

    traced, gradient = srcgrad.trace(f), srcgrad.grad(f)
    for k in range(4):
        x = np.array([0.5, 1.2, 2.0]) + k
        assert traced(x) == f(x)
        assert type(traced(x)) is float
        slopes = [f(x + h) - f(x - h) for h in 1e-6 * np.eye(3)]
        np.testing.assert_allclose(gradient(x), np.divide(slopes, 2e-6), rtol=1e-6)
    assert traced.stats.compiled == 7


@pytest.mark.parametrize("name", "mean variance pvariance stdev pstdev".split())
@pytest.mark.parametrize("items", [lambda x: x, list, lambda x: (v * v for v in x)])
def test_the_spread_of_statistics_has_a_gradient(name, items):
    def f(x):
        return getattr(statistics, name)(items(x)) * x[0]

    traced, gradient = srcgrad.trace(f), srcgrad.grad(f)
    for k in range(4):
        x = np.array([0.5, 1.2, 2.5]) * (k + 1) - 0.4
        assert traced(x) == f(x)
        assert type(traced(x)) is type(f(x))
        slopes = [f(x + h) - f(x - h) for h in 1e-6 * np.eye(3)]
        np.testing.assert_allclose(gradient(x), np.divide(slopes, 2e-6), rtol=1e-6)
    assert traced.stats.compiled == 7


@pytest.mark.parametrize("f", [statistics.stdev, statistics.pvariance])
def test_a_spread_of_statistics_about_a_given_mean_is_refused(f):
    x = np.array([0.5, 1.2, 2.5])
    for about in (lambda x: f(x, 1.4), lambda x: f([1.0, 2.0], x[0])):
        traced, gradient = srcgrad.trace(about), srcgrad.grad(about)
        for _ in range(3):
            assert traced(x) == about(x)
            with pytest.raises(NotImplementedError, match="about a given mean"):
                gradient(x)


def test_the_errors_of_statistics_are_pythons():
    gradient = srcgrad.grad(lambda x: statistics.stdev(x[:1]))
    for _ in range(3):
        with pytest.raises(statistics.StatisticsError, match="two data points"):
            gradient(np.ones(2))
