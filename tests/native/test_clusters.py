"""Which steps share a loop over elements."""

import numpy as np

from srcgrad.emit.overwriting import Overwriting
from srcgrad.native.clusters import Cluster, clusters
from srcgrad.steps import Node, Value
from srcgrad.updates import assign

SHAPE = (99,)


def array(*shape):
    return Value(shape or SHAPE, np.dtype(float))


def step(function, *args, shape=SHAPE, **kwargs):
    return Node(function, args, kwargs, Value(shape, np.dtype(float)))


def grouped(steps, **writing):
    """The names of the functions, cluster by cluster; of one alone by itself."""
    return [
        [step.function.__name__ for step in each.steps]
        if isinstance(each, Cluster)
        else each.function.__name__
        for each in clusters(steps, Overwriting(**writing))
    ]


def test_what_is_read_at_once_needs_no_array():
    x = array()
    first = step(np.exp, x)
    second = step(np.multiply, first.out, x)
    assert grouped([first, second]) == [["exp", "multiply"]]


def test_a_sum_ends_the_loop_for_who_reads_it():
    x = array()
    total = step(np.sum, x, shape=())
    scaled = step(np.multiply, x, total.out)
    assert grouped([total, scaled]) == [["sum"], ["multiply"]]


def test_other_shapes_have_loops_of_their_own():
    x, y = array(), array(50, 99)
    steps = [step(np.exp, x), step(np.sin, y, shape=y.shape), step(np.cos, x)]
    assert grouped(steps) == [["exp", "cos"], ["sin"]]


def test_what_another_shape_reads_is_there_before():
    x, y = array(), array(50, 99)
    first = step(np.exp, x)
    wide = step(np.multiply, first.out, y, shape=y.shape)
    assert grouped([first, wide, step(np.cos, x)]) == [["exp"], ["multiply"], ["cos"]]


def test_a_number_between_is_computed_before_the_loop():
    x = array()
    number = step(np.exp, Value((), np.dtype(float)), shape=())
    steps = [step(np.exp, x), number, step(np.multiply, x, number.out)]
    assert grouped(steps) == ["exp", ["exp", "multiply"]]


def test_nothing_is_read_after_it_was_written_into():
    x = array()
    first = step(np.exp, x)
    written = step(assign, x, 0, 1.0)
    steps = [first, written, step(np.cos, first.out)]
    sources = {written.out: x}
    assert grouped(steps, sources=sources) == [["exp"], "assign", ["cos"]]


def test_nor_is_a_view_of_it():
    x, view = array(), array()
    first = step(np.exp, view)
    written = step(assign, x, 0, 1.0)
    steps = [first, written, step(np.cos, first.out)]
    sources, origins = {written.out: x}, {view: {x}}
    found = grouped(steps, sources=sources, origins=origins)
    assert found == [["exp"], "assign", ["cos"]]


def test_what_is_written_elsewhere_is_of_no_concern():
    x, other = array(), array()
    first = step(np.exp, x)
    written = step(assign, other, 0, 1.0)
    steps = [first, written, step(np.cos, first.out)]
    found = grouped(steps, sources={written.out: other})
    assert found == ["assign", ["exp", "cos"]]
