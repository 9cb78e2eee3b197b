"""The way back of a run: with loops or without, from which results, to which inputs."""

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from srcgrad.tracing.environment.signature import Signature
from srcgrad.tracing.refusal import Refusal
from srcgrad.tracing.runs.record import record
from tests.tracing.comparing import X


def recorded(function, *arrays):
    variables = [Variable(array, requires_grad=True) for array in arrays]
    return record(function, Signature(tuple(variables), {})).graph


def test_an_input_that_nothing_depends_on_has_no_gradient():
    graph = recorded(lambda x, y: np.sum(x * 2.0), X, X.copy())
    assert [gradient is None for gradient in graph.gradients] == [False, True]


def test_each_result_with_a_gradient_has_a_cotangent():
    graph = recorded(lambda x: (x * 2.0, np.sum(x), np.argmax(x), 1.0), X)
    assert len(graph.cotangents) == 2


def test_loops_are_loops_on_the_way_back():
    def function(x):
        for _ in range(300):
            x = np.sin(x)
        return np.sum(x)

    assert len(recorded(function, X).nodes) < 20


class Double(srcgrad.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2.0

    @staticmethod
    def backward(ctx, g):
        return g * 2.0


def test_several_results_through_a_function_of_the_users_are_refused():
    with pytest.raises(Refusal, match="returns several results"):
        recorded(lambda x: (Double.apply(x), x * 3.0), X)
