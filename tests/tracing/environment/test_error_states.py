"""What `np.errstate` ignores is compiled; other errors are what they are untraced."""

import warnings

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from srcgrad.tracing.environment.error_states import regions_of
from tests.variables import variable


def entropy(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(x > 0, x * np.log(x), 0.0)
    return np.sum(terms**2) + 1.0 / x[1]


def in_a_loop(x):
    total = np.zeros(2)
    for _ in range(12):
        with np.errstate(divide="ignore"):
            total = total * 0.5 + np.log(x)
    return np.sum(np.maximum(total, 0.0))


def the_same_twice(x):
    with np.errstate(divide="ignore"):
        a = 1.0 / x
    b = 1.0 / x
    return np.sum(a + b)


def the_inner_one_counts(x):
    with np.errstate(divide="ignore"):
        with np.errstate(divide="warn"):
            a = np.log(x)
        b = np.sqrt(x)
    return np.sum(a + b)


def another_setting_each_time(x):
    total = 0.0
    for i in range(3):
        with np.errstate(divide="warn" if i else "ignore"):
            total = total + np.log(x * i)
    return np.sum(total)


def a_function_made_inside(x):
    with np.errstate(all="ignore"):

        def log(v):
            return np.log(v)

        inside = log(x)
    return np.sum(inside) + np.sum(log(x + 1.0))


def underflow(x):
    with np.errstate(divide="ignore"):
        weights = np.exp(-1e4 * x * x)
    return np.sum(weights * x)


def caught(x):
    try:
        with np.errstate(all="raise"):
            return np.sum(1.0 / x)
    except FloatingPointError as error:
        return np.sum(x), str(error)


# How many of the 16 calls run compiled at least.
COMPILED = {
    entropy: 10,
    in_a_loop: 10,
    the_same_twice: 3,
    the_inner_one_counts: 3,
    another_setting_each_time: 0,
    a_function_made_inside: 3,
    underflow: 15,
    caught: 3,
}
CALLS = [(1.0, 2.0)] * 4 + [(0.0, 2.0)] * 4 + [(-1.0, 2.0)] * 3 + [(0.0, 0.0)] * 2
CALLS += [(1.0, 0.0)] * 3


def outcome(function, x):
    """The number, or what is returned, and the warnings."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        found = function(x)
    said = [str(each.message) for each in seen]
    number = found.item() if isinstance(found, Variable) else found
    if isinstance(found, tuple):
        number = found[0].item(), found[1]
    return repr(number), [text for text in said if "a number was" not in text]


@pytest.mark.parametrize("as_variable", [False, True])
@pytest.mark.parametrize("function", COMPILED)
@pytest.mark.parametrize("around", [{}, {"all": "ignore"}])
def test_errors_are_what_the_function_says(function, as_variable, around):
    traced = srcgrad.trace(function)
    for numbers in CALLS:
        x = np.array(numbers)
        with np.errstate(**around):
            expected = outcome(function, x)
            found = outcome(traced, variable(x) if as_variable else x)
        if as_variable:
            expected = (
                expected[0].replace("np.float64(", "").replace(")", ""),
                expected[1],
            )
            found = found[0].replace("np.float64(", "").replace(")", ""), found[1]
        assert found == expected
    assert traced.stats.compiled >= COMPILED[function], traced.explain()


def test_the_line_is_told():
    traced = srcgrad.trace(the_same_twice)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for x in ([1.0, 2.0], [1.0, 2.0], [0.0, 1.0], [0.0, 1.0]):
            traced(np.array(x))
    assert "divide by zero (test_error_states.py" in traced.explain()


@pytest.mark.parametrize(
    "text",
    [
        "with np.errstate(all='ignore'): y = 1 / x",
        "with f(np.errstate(all='ignore')):\n    y = 1 / x",
        "with np.errstate(all='ignore') if a else b:\n    y = 1 / x",
        "not Python",
    ],
)
def test_what_is_no_region(text):
    assert regions_of(text) == []


def caught(x, c):
    with np.errstate(all="raise"):
        try:
            y = np.log(x * c)
        except FloatingPointError:
            y = x * c * c
    return np.sum(y)


def slope(x, c):
    return srcgrad.grad(caught, argnums=1)(x, c)


@pytest.mark.parametrize("f", [caught, slope])
def test_what_a_derivative_does_without_meets_its_errors(f):
    derivative = srcgrad.grad(f, argnums=1)
    for c in (1.0, 2.0, 3.0, -1.0, 4.0):
        with srcgrad.set_stance("tape"):
            expected = derivative(np.ones(3), c)
        assert np.isclose(derivative(np.ones(3), c), expected)
    assert derivative.stats.compiled
