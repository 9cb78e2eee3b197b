"""Where walks back from the results of a run come by on the tape."""

import numpy as np

from srcgrad.tracing.graphs.reach import Buffer, Walk, bits_of, buffers_on, reach_of
from tests.variables import vector


def reach(function):
    """What the results of a function of two vectors have in common."""
    x, y = vector(0.3, 0.5), vector(1.5, 0.7)
    results = function(x, y)
    return reach_of([result.edge for result in results], [x.edge, y.edge])[0]


X, Y = 1, 2  # the ends: two inputs, and then the results
FIRST, SECOND = 4, 8


def chain(x, y):
    h = np.tanh(x)
    return h, h * y


def test_ends_are_the_inputs_and_results_that_a_result_depends_on():
    assert reach(chain).ends == (X | FIRST, X | Y | FIRST | SECOND)
    assert reach(lambda x, y: (x * y, np.exp(y))).ends == (X | Y | FIRST, Y | SECOND)


def test_inner_are_the_results_that_others_are_computed_from():
    assert reach(chain).inner == (0,)
    assert reach(lambda x, y: (x * y, np.exp(y))).inner == ()
    assert reach(lambda x, y: chain(x, y)[::-1]).inner == (1,)


def test_a_walk_comes_by_at_the_last_result_first():
    assert reach(chain).order == [1, 0]
    assert reach(lambda x, y: chain(x, y)[::-1]).order == [0, 1]
    assert reach(lambda x, y: np.split(x * y, 2)).order == [0, 1]


def test_an_input_without_a_gradient_is_no_end():
    x = vector(1.0, 2.0)
    found, _ = reach_of([np.exp(x).edge], [None, x.edge])
    assert found.ends == (2 | 4,)


def test_two_arguments_at_one_place_are_one_end_with_two_numbers():
    x = vector(1.0, 2.0)
    found, _ = reach_of([np.exp(x).edge], [x.edge, x.edge])
    assert found.ends == (1 | 2 | 4,)


def test_an_argument_is_where_the_walk_ends_even_if_it_was_computed():
    x = vector(1.0, 2.0)
    h = np.exp(x)
    found, _ = reach_of([(h * h).edge], [h.edge])
    assert found.buffers == {Buffer(1, 1)}, "what made h is not in the graph"


def test_what_a_walk_has_freed_is_gone_for_another_that_comes_by_there():
    found = reach(chain)
    from_h, from_product = Walk(1, X), Walk(2, X | Y)
    assert found.buffers == {Buffer(3, X), Buffer(2, X | Y | FIRST)}
    assert not found.is_over([], from_h)
    assert found.is_over([from_h], from_h)
    assert found.is_over([from_h], from_product), "np.tanh has freed its result"
    assert not found.is_over([from_h], Walk(2, Y)), "a walk to y only"
    assert not found.is_all_freed([from_h])
    assert found.is_all_freed([from_product])


def test_what_is_saved_in_the_memory_of_an_array():
    x = vector(1.0, 2.0, 3.0)
    h = np.exp(x)
    part = h[1:]
    _, nodes = reach_of([h.edge, (part * part).edge], [x.edge])
    of_h, of_part, of_x = buffers_on((h.data, part.data, x.data), nodes)
    assert of_h == of_part == {Buffer(3, 1), Buffer(2, 3)}
    assert of_x == frozenset()


def test_a_walk_for_nothing_frees_nothing():
    found = reach(chain)
    assert not found.is_over([Walk(3, 0)], Walk(3, X | Y))
    assert not found.is_all_freed([Walk(3, 0)])


def test_without_buffers_a_graph_can_be_walked_again():
    found = reach(lambda x, y: (x + y, x - y))
    assert found.buffers == frozenset()
    walk = Walk(3, X | Y)
    assert not found.is_over([walk, walk], walk)


def test_bits_of_numbers():
    assert bits_of([]) == 0
    assert bits_of([0, 2, 2]) == 5
