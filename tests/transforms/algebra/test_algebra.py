"""Algebra: what each formula becomes, and that the numbers stay."""

import numpy as np

from srcgrad.transforms.algebra.algebra import simplify_algebra
from tests.transforms.interpret import record


def doubled(term):
    return term + term


def test_long_products_are_doubled_in_linear_time():
    def function(x):
        total = x
        for _ in range(3000):
            total = doubled(total * x)
        return [total]

    with np.errstate(all="ignore"):
        graph = record(function, [np.ones(1)])
        assert len(simplify_algebra(graph).nodes) <= len(graph.nodes)
