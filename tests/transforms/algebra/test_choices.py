"""Sums of choices, in derivatives."""

from dataclasses import replace

import numpy as np
import pytest

from srcgrad.transforms.algebra.dce import eliminate_dead_code
from srcgrad.transforms.algebra.redundant_calls import simplify_redundant_calls
from tests.transforms.interpret import record, run

rng = np.random.default_rng(0)
x, y = rng.integers(-1, 2, size=(2, 20)).astype(float)
c, d = x > 0, y > 0

# How many choices there are left.
SUMS = {
    "both arms": (1, lambda x, y, c, d: np.where(c, x, 0.0) + np.where(c, 0.0, y)),
    "turned": (1, lambda x, y, c, d: np.where(c, 0.0, y) + np.where(c, x, 0.0)),
    "a multiple": (
        1,
        lambda x, y, c, d: np.where(c, x, 0.0) * 0.5 + np.where(c, 0.0, y),
    ),
    "one in another": (
        2,
        lambda x, y, c, d: (
            np.where(c, np.where(d, 0.0, x), 0.0) + np.where(d, x, 0.0) * 0.5
        ),
    ),
    "at the end": (
        2,
        lambda x, y, c, d: (
            np.where(d, x, 0.0) + np.where(c, x, 0.0) + np.where(c, 0.0, y)
        ),
    ),
    "the same arm": (2, lambda x, y, c, d: np.where(c, x, 0.0) + np.where(c, y, 0.0)),
    "other ones": (2, lambda x, y, c, d: np.where(c, x, 0.0) + np.where(d, 0.0, y)),
    "a row": (2, lambda x, y, c, d: np.where(c, x, 0.0) + np.where(c[:1], 0.0, y[:1])),
    "infinite": (
        2,
        lambda x, y, c, d: np.where(c, x, 0.0) * np.inf + np.where(c, 0.0, y),
    ),
}


@pytest.mark.parametrize("in_backward", [True, False])
@pytest.mark.parametrize("name", SUMS)
def test_sums(name, in_backward):
    count, function = SUMS[name]
    with np.errstate(invalid="ignore"):
        graph = record(lambda *args: [np.exp(function(*args))], [x, y, c, d])
    nodes = tuple(replace(node, in_backward=in_backward) for node in graph.nodes)
    graph = replace(graph, nodes=nodes)
    result = eliminate_dead_code(simplify_redundant_calls(graph))
    choices = [node for node in result.nodes if node.function is np.where]
    if in_backward:
        assert len(choices) == count
    else:
        assert result is graph
    with np.errstate(invalid="ignore"):
        pair = [run(each, [x, y, c, d])[0][0] for each in (result, graph)]
    np.testing.assert_array_equal(*pair)
