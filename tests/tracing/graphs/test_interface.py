"""How a call's leaves become inputs, and a graph's outputs the result."""

import numpy as np
import pytest

import srcgrad
from srcgrad.pytree import flatten
from srcgrad.tracing.graphs.interface import Interface, Output
from srcgrad.transforms.halves.memory import SharedMemory


def memory(inputs_under, overlaps=()):
    return SharedMemory(frozenset(), frozenset(), inputs_under, frozenset(overlaps))


def interface_of(result, *outputs):
    return Interface.of((1.0,), (0,), outputs, flatten(result)[1])


def test_a_result_outside_any_container_is_told_by_its_kind():
    assert interface_of(1.0, Output("array", 0)).only == "array"
    assert interface_of(1.0, Output("variable", 0)).only == "variable"
    assert interface_of((1.0,), Output("array", 0)).only is None


def test_only_variables_share_versions():
    made = interface_of(
        (1.0, 2.0, 3.0),
        Output("variable", 0),
        Output("array", 1),
        Output("variable", 2),
    )
    sharing = made.sharing(memory(((0,), (0,), (0,)), {(0, 1), (0, 2), (1, 2)}))
    assert [output.views for output in sharing.outputs] == [(0,), (), (0,)]
    assert sharing.overlaps == ((0, 2),)
    assert sharing.positions == made.positions
    assert sharing.structure == made.structure


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x,
        lambda x: (x, x),
        lambda x: {"a": x * 2.0, "b": [None, "text", 3]},
        lambda x: (h := x + 1.0, h),
        lambda x: (np.arange(3.0), x.sum()),
    ],
)
def test_every_kind_of_result_comes_back_as_it_was(function):
    x = np.array([1.0, 2.0])
    traced = srcgrad.trace(function)
    expected, structure = flatten(function(x))
    for _ in range(3):
        found, same = flatten(traced(x))
        assert same == structure
        for ours, theirs in zip(found, expected, strict=True):
            assert type(ours) is type(theirs)
            np.testing.assert_array_equal(ours, theirs)
            assert (ours is x) == (theirs is x)
    assert traced.stats.compiled == 2
