import numpy as np
import pytest

from srcgrad.steps import Node, Value
from srcgrad.transforms.batching import BATCH_RULES
from srcgrad.transforms.batching.batcher import (
    Batcher,
    batches,
    bound_arguments,
    options_of,
    shifted,
)


@pytest.fixture
def batcher():
    batcher = Batcher({}, 5)
    batcher.begin(Node(np.copy, ()))
    return batcher


def array(*shape):
    return Value(shape, np.dtype(float))


def test_what_is_the_same_for_all_stands_for_itself(batcher):
    x = array(3)
    assert batcher.of([x, 2.0]) == [x, 2.0]
    assert not batcher.is_batched((x, slice(x, None)))


def test_spread_gives_each_element_its_own(batcher):
    wide = batcher.spread(array(3))
    assert wide.shape == (5, 3)
    assert [step.function for step in batcher.steps] == [np.broadcast_to]


def test_aligned_puts_new_axes_behind_that_of_the_batch(batcher):
    x = array(3)
    batcher.stands({x: array(5, 3)})
    assert batcher.aligned(x, 3).shape == (5, 1, 1, 3)
    assert batcher.aligned(x, 1) is batcher.of(x)


def test_moved_tells_the_new_shape(batcher):
    assert batcher.moved(array(5, 3, 4), 0, -1).shape == (3, 4, 5)


def test_axes_are_counted_behind_that_of_the_batch():
    assert shifted([0, -2], 2) == (1, -2)


def test_arguments_are_bound_in_the_order_of_the_parameters():
    x = array(3, 4)
    node = Node(np.sum, (x,), {"keepdims": True, "axis": 1})
    bound = bound_arguments(node)
    assert list(bound)[:2] == ["a", "axis"]
    assert options_of(node, bound, "a") == {"axis": 1, "keepdims": True}


def test_a_row_is_put_into_the_table():
    def rule(batcher, node, bound):
        return NotImplemented

    try:
        batches(test_a_row_is_put_into_the_table)(rule)
        assert BATCH_RULES[test_a_row_is_put_into_the_table] is rule
    finally:
        del BATCH_RULES[test_a_row_is_put_into_the_table]
