"""What a compiled call returns: kinds, identity, and memory that is shared."""

import numpy as np

import srcgrad
from tests.variables import vector


def kinds(x, a):
    h = x * 2.0
    return {
        "variable": h,
        "same": h,
        "input": x,
        "view": x[:1],
        "array": a + 1.0,
        "n": 3,
    }


def test_results_are_what_the_tape_returns():
    traced, a = srcgrad.trace(kinds), np.ones(2)
    for _ in range(3):
        x = vector(1.0, 2.0)
        found, expected = traced(x, a), kinds(x, a)
        assert [type(each) for each in found.values()] == [
            type(each) for each in expected.values()
        ]
        assert found["variable"] is found["same"]
        assert found["input"] is x
        assert np.shares_memory(found["view"].data, x.data)
        assert found["view"].grad_fn is not None
        assert found["n"] == 3
        np.testing.assert_array_equal(found["array"], expected["array"])
    assert traced.stats.compiled == 2
