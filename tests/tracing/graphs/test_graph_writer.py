"""The graph of a run as it is written down: Values, names, steps, lines."""

import numpy as np
import pytest

from srcgrad.steps import Location
from srcgrad.tracing.graphs.graph_writer import GraphWriter
from srcgrad.tracing.refusal import Refusal
from tests.variables import vector

X = np.array([1.0, 2.0])


def test_truth_values_are_told_apart():
    writer = GraphWriter()
    first, second = writer.distinct(np.True_), writer.distinct(np.True_)
    assert writer.define(first) is not writer.define(second)
    assert writer.value_of(first).kind == "scalar"
    assert writer.given_back(first) is np.True_
    for other in (X, np.array(True), 2.0):
        assert writer.distinct(other) is other
        assert writer.given_back(other) is other


def test_what_depends_on_no_input_is_held_as_it_is_now():
    writer = GraphWriter()
    weights = X.copy()
    value = writer.value_of(weights)
    weights[0] = 9.0
    graph = writer.joint([value])
    np.testing.assert_array_equal(graph.constants[graph.outputs[0]], X)
    with pytest.raises(Refusal, match="an array of dtype <U4"):
        writer.value_of(np.array(["text"]))


def test_a_constant_has_the_users_name_for_it():
    writer = GraphWriter()
    mask, nameless = np.ones(3), np.zeros(3)
    writer.name(mask, "mask")
    writer.name(mask, "same")
    outputs = [writer.value_of(mask), writer.value_of(nameless)]
    assert [value.name for value in writer.joint(outputs).outputs] == ["mask", None]


def test_steps_have_the_line_that_runs_or_the_one_that_is_set():
    writer = GraphWriter()
    value = writer.add_input(X, "x")
    writer.write(np.exp, (value,), {}, vector(1.0, 2.0))  # the line that runs
    writer.where = Location("loss.py", 3, "y = np.sin(x)")
    writer.in_backward = True
    writer.write(np.sin, (value,), {}, vector(3.0, 4.0))
    first, second = writer.joint([]).nodes
    assert first.where.filename == __file__
    assert first.where.text.endswith("# the line that runs")
    assert second.where is writer.where
    assert (first.in_backward, second.in_backward) == (False, True)


# ----- Constants -----


def test_a_constant_is_held_once_as_long_as_it_stays_the_same():
    writer = GraphWriter()
    array = np.array([1.0, np.nan, 0.0])
    first = writer.value_of(array)
    assert writer.value_of(array) is first
    array[2] = -0.0
    second = writer.value_of(array)
    assert second is not first
    assert writer.value_of(array) is second
    constants = writer.joint(()).constants
    assert [np.signbit(constants[value][2]) for value in (first, second)] == [0, 1]


def test_arrays_that_come_and_go_are_told_apart():
    writer = GraphWriter()
    values = [writer.value_of(np.full(3, float(i))) for i in range(50)]
    constants = writer.joint(()).constants
    assert [constants[value][0] for value in values] == [*range(50)]
