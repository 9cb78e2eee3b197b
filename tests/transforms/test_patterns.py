"""What a rewriting rule may stand for, and when it pays."""

import numpy as np

from srcgrad.transforms.algebra import simplify_algebra
from tests.transforms.interpret import record

rng = np.random.default_rng(0)
x = rng.normal(size=(2, 3))


def test_what_has_other_users_is_not_computed_twice():
    def function(x):
        double = x * 2.0
        return [double * 3.0, np.exp(double)]

    graph = record(function, [x])
    assert simplify_algebra(graph) is graph


def test_numbers_stay_in_the_range_of_their_dtype():
    """The same factors are moderate for float64, and not for float32."""
    graph = record(lambda x: [np.exp(x * 1e-9 * 1e8)], [x])
    assert len(simplify_algebra(graph).nodes) == 2
    graph = record(lambda x: [np.exp(x * 1e-9 * 1e8)], [x.astype(np.float32)])
    assert simplify_algebra(graph) is graph
