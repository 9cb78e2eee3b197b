"""Every sample of the chapter."""

import numpy as np

import srcgrad
from srcgrad.scipy import optimize
from tests.variables import variable


def test_an_assignment_is_a_step():
    costs = np.array([[4.0, 1.0, 3.0], [2.0, 0.0, 5.0], [3.0, 2.0, 2.0]])

    def least(costs):
        rows, columns = optimize.linear_sum_assignment(costs)
        return costs[rows, columns].sum()

    for function in (least, srcgrad.trace(least)):
        x = variable(costs)
        function(x).backward()
        assert x.grad.data.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]
