"""Whose memory outputs are in, and what is saved."""

import numpy as np

from srcgrad.transforms import split
from srcgrad.transforms.partition.shared_memory import shared_memory
from tests.transforms.interpret import record

x, w = np.ones((2, 3)), np.full((2, 3), 2.0)


def memory_of(function, inputs=(x,), cotangents=(x,)):
    return shared_memory(split(record(function, list(inputs), list(cotangents))))


def test_what_is_new_shares_with_nothing():
    memory = memory_of(lambda x, g: ([np.exp(x), x * 2.0], [g]))
    assert memory.inputs_under == ((), ())
    assert memory.overlaps == frozenset()
    assert memory.saved_inputs == memory.saved_outputs == frozenset()


def test_views_are_in_the_memory_of_their_argument():
    def views(x, w, g):
        t = np.transpose(x)
        return [t, np.reshape(t, -1), w * 1.0], [g, None]

    memory = memory_of(views, (x, w))
    assert memory.inputs_under == ((0,), (0,), ())
    assert memory.overlaps == {(0, 1)}


def test_what_is_saved_is_found_through_views():
    def product(x, w, g):
        t = np.transpose(x)
        return [t, np.exp(w)], [g * 1.0, g * t.T * np.exp(w)]

    memory = memory_of(product, (x, w))
    assert memory.saved_inputs >= {0}
    assert memory.saved_outputs >= {0}


def test_an_output_that_is_saved_is_found():
    def exp(x, g):
        h = np.exp(x)
        return [h, x + 1.0], [g * h]

    assert memory_of(exp).saved_outputs == {0}
    assert memory_of(exp).saved_inputs == frozenset()


def test_outputs_of_one_array_overlap_though_no_input_is_under_them():
    def rows(x, g):
        h = np.exp(x)
        return [h[0], h[1:], np.sin(x)], [g]

    memory = memory_of(rows)
    assert memory.overlaps == {(0, 1)}
    assert memory.inputs_under == ((), (), ())
