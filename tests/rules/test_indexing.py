"""Rules for reading and writing at an index: every sample, and repeated indices."""

import numpy as np

from srcgrad.tape.variable import Variable
from srcgrad.updates import assign
from tests.rules.gradients import gradient


def test_gradients_of_repeated_indices_add_up():
    g = [1.0, 2.0, 4.0]
    assert gradient(lambda x: x[[0, 0, 1]], [5.0, 6.0], g) == [3.0, 4.0]
    assert gradient(lambda x: np.take(x, (1, 1, 1)), [5.0, 6.0], g) == [0.0, 7.0]


def test_of_values_assigned_to_one_place_the_last_counts():
    def store(value):
        return assign(np.zeros(2), [0, 0, 1], value)

    assert gradient(store, [5.0, 6.0, 7.0], [1.0, 2.0]) == [0.0, 1.0, 2.0]


def test_a_variable_as_an_index():
    places = Variable(np.array([1, 1]))
    assert gradient(lambda x: x[places], [5.0, 6.0]) == [0.0, 2.0]
    assert gradient(lambda x: x[x > 5.5], [5.0, 6.0]) == [0.0, 1.0]
    assert gradient(lambda x: x[np.argmax(x)], [5.0, 6.0]) == [0.0, 1.0]
    assert gradient(lambda x: x[places[0] :], [5.0, 6.0]) == [0.0, 1.0]
