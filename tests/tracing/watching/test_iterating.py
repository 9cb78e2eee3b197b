"""Loops whose count changes from call to call: one trace for all of them."""

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable


class Model:
    def __init__(self, steps):
        self.steps = steps


def steps_of_argument(x, n):
    h = x
    for _ in range(n):
        h = np.tanh(h * x) + x
    return np.sum(h)


def steps_forth_and_back(x, n):
    a, b = x[0], x[1]
    for _ in range(2, n + 3):
        a, b = a + 0.1 * b, b - 0.1 * a * x[2]
    for _ in range(n - 1, -1, -1):
        a = a * b
    return a * b + a


def steps_of_attribute(x, model):
    h = x
    for _ in range(3):
        for _ in range(model.steps):
            h = np.sin(h * x)
        h = h + x
    return np.sum(h)


def bound_anew(x, n):
    i = 3
    for i in range(n):
        x = np.sin(x)
        i = 7
    return np.sum(x) * i


def test_a_name_that_is_bound_anew_is_what_it_was_if_there_is_no_iteration():
    traced, x = srcgrad.trace(bound_anew), np.array([0.5, 0.9])
    for n in (8, 9, 7, 0, 10, 1):
        assert traced(x, n) == pytest.approx(bound_anew(x, n))
    assert traced.stats.compiled == 2


@pytest.mark.parametrize(
    ("function", "given"),
    [
        (steps_of_argument, int),
        (steps_forth_and_back, int),
        (steps_of_attribute, Model),
    ],
)
def test_one_trace_for_every_number_of_steps(function, given):
    traced = srcgrad.trace(function)
    model = given(7)
    for number in (7, 9, 6, 0, 11, 1, 30, 2, 300, 3, -2, 7):
        if given is int:
            model = number
        else:
            model.steps = number
        x = np.array([0.5, 0.9, 0.7])
        ours, theirs = (Variable(x, requires_grad=True) for _ in range(2))
        value, expected = traced(ours, model), function(theirs, model)
        np.testing.assert_allclose(value.data, expected.data, 1e-12)
        value.backward()
        expected.backward()
        np.testing.assert_allclose(ours.grad.data, theirs.grad.data, 1e-10, 1e-12)
    assert traced.stats.tape == (3 if given is int else 2)
    assert "in range(int(" in traced.source()
