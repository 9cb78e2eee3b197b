"""What the module around generated functions holds; names that hide none of it."""

import numpy as np
import scipy.special

from srcgrad.emit.lower import lower
from srcgrad.graph import Graph, Partition
from srcgrad.updates import cast
from tests.emit.graphs import (
    array,
    build,
    guard,
    node,
    source,
)

x, y = array(3, name="x"), array(3, name="y")


def test_what_has_no_literal_is_given_to_the_module():
    data, half = np.arange(100.0), np.arange(100.0) / 2
    double = np.frompyfunc(lambda x: 2.0 * x, 1, 1)
    held = array(100, name="DATA")
    t = array(100)
    graph = Graph(
        (x,),
        (node(double, held, out=t), node(np.add, t, half, out=y)),
        (y,),
        constants={held: data},
    )
    module = build("held", Partition(graph))
    lowered = lower(Partition(graph))
    assert "# DATA: float64[100], not written out\n" in module.text
    assert "# C1: float64[100], not written out\n" in module.text
    assert lowered.constants["DATA"] is data
    assert any(held is double for held in lowered.constants.values())
    assert np.array_equal(module.forward(0.0), 2.0 * data + half)


def test_the_same_object_is_one_constant():
    mask = np.arange(100.0)
    t = array(3)
    text = source(
        [node(np.add, x, mask, out=t), node(np.add, t, mask, out=y)], [x], [y]
    )
    assert text.count("not written out") == 1


def test_names_hide_nothing_that_is_used():
    inputs = [
        array(3, name=name) for name in ("np", "saved", "forward", "scipy", "float")
    ]
    t = array(3)
    nodes = [
        node(scipy.special.erf, inputs[0], out=t),
        node(cast, t, float, out=y),
        guard(inputs[4], float, 1.0),
    ]
    text = source(nodes, inputs, [y])
    assert "def forward(np_1, saved_1, forward_1, scipy_1, float):" in text
    module = build("names", Partition(Graph(tuple(inputs), tuple(nodes), (y,))))
    assert module.forward(1.0, 2.0, 3.0, 4.0, 1.0) == scipy.special.erf(1.0)
    assert type(module.forward(1.0, 2.0, 3.0, 4.0, 2.0)) is str
