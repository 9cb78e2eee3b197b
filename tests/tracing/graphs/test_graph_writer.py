"""The graph of a run as it is written down: Values, names, steps, lines."""

import numpy as np
import pytest

import srcgrad
from srcgrad.steps import Guard, Location, Node
from srcgrad.tracing.graphs.graph_writer import GraphWriter
from srcgrad.tracing.refusal import Refusal
from tests.variables import vector

X = np.array([1.0, 2.0])


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        (X, "array"),
        (np.array(2.0), "array"),
        (np.float32(2.0), "scalar"),
        (np.array(True), "array"),
        (2.0, "float"),
    ],
)
def test_a_value_has_the_shape_dtype_and_kind_of_what_it_stands_for(raw, kind):
    writer = GraphWriter()
    assert not writer.knows(raw)
    value = writer.define(raw)
    assert writer.knows(raw)
    assert writer.value_of(raw) is value
    assert (value.shape, value.dtype) == (np.shape(raw), np.result_type(raw))
    assert value.kind == kind


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


def test_arguments_are_written_with_values_in_them():
    writer = GraphWriter()
    x = vector(1.0, 2.0)
    value = writer.add_input(x.data, "x")
    found = writer.symbols((x, [x.data, "text"], slice(None, 2), 1.5))
    assert found == (value, [value, "text"], slice(None, 2), 1.5)


def test_the_first_name_of_a_result_stays():
    writer = GraphWriter()
    writer.add_input(X, "x")
    out = vector(2.0, 4.0)
    value = writer.value_of(X)
    writer.write(np.add, (value, value), {}, out)
    writer.hint(out.data, "twice")
    writer.name(out.data, "h")
    writer.name(out.data, "k")
    writer.name(np.ones(3), "unknown")
    assert (writer.name_of(X), writer.name_of(out.data)) == ("x", "h")
    assert writer.name_of(np.ones(3)) is None
    graph = writer.joint([writer.value_of(out)])
    graph.lint()
    assert str(graph) == "h = add(x, x)\nreturn h"
    assert graph.outputs[0].hint == "twice"


def test_a_place_among_the_arguments_gives_way_to_the_users_name():
    writer = GraphWriter()
    first, second = vector(1.0, 2.0).data, vector(3.0, 4.0).data
    writer.add_input(first, "params_0", is_place=True)
    writer.add_input(second, "params_1", is_place=True)
    writer.name(first, "W")
    assert [writer.name_of(raw) for raw in (first, second)] == ["W", "params_1"]
    assert [value.name for value in writer.joint([]).inputs] == ["W", "params_1"]


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


def test_a_value_that_is_looked_at_is_guarded():
    writer = GraphWriter()
    total = np.float64(3.0)
    value = writer.add_input(total, "total")
    writer.guard(total, float, 3.0)
    writer.guard(np.float64(5.0), float, 5.0)  # depends on no input
    (guard,) = writer.joint([value]).nodes
    assert type(guard) is Guard
    assert (guard.value.name, guard.convert, guard.observed) == ("total", float, 3.0)


def test_a_plain_number_that_comes_out_is_guarded_too():
    writer = GraphWriter()
    value = writer.add_input(X, "x")
    writer.write(np.argmax, (value,), {}, 1)
    call, guard = writer.joint([]).nodes
    assert type(call) is Node
    assert (guard.value, guard.convert, guard.observed) == (call.out, int, 1)


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


def with_local_constant(x):
    c = np.ones(3)
    for i in range(5):
        x = x * c
        c[i % 3] = 2.0 * i
    return np.sum(x + c)


def test_what_is_changed_between_its_uses_is_not_shared():
    traced = srcgrad.trace(with_local_constant)
    for x in (np.ones(3), np.arange(3.0), np.ones(3)):
        assert traced(x) == with_local_constant(x)
    assert traced.stats.compiled == 2
