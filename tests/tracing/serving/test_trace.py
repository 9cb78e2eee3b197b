"""A trace: what optimising may not change, whose its results are, its errors."""

import traceback

import numpy as np
import pytest

import srcgrad
from tests.tracing.comparing import X, both


@both(lambda x: np.sum(7.0 / np.sum(x * -3.0) * X))
def test_signs_of_zero_sums(f):
    zeros = np.array([0.0, -0.0])
    with np.errstate(all="ignore"):
        for _ in range(3):
            assert srcgrad.value_and_grad(f)(zeros)[0] == f(zeros) == np.inf


def test_an_error_in_generated_code_is_that_of_the_users_line():
    @srcgrad.trace
    def solved(a, b):
        y = np.linalg.solve(a, b)
        return np.sum(y)

    eye, zeros = np.eye(2), np.zeros((2, 2))
    solved(eye, np.ones(2))
    with pytest.raises(np.linalg.LinAlgError) as caught:
        solved(zeros, np.ones(2))
    assert solved.stats.calls == 2
    assert solved.stats.tape == 2
    frames = traceback.extract_tb(caught.value.__traceback__)
    users = [frame for frame in frames if frame.filename == __file__][-1]
    assert (users.name, users.line) == ("solved", "y = np.linalg.solve(a, b)")
