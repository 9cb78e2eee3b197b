"""Which arrays may be changed in place."""

import operator

import numpy as np
import pytest

from srcgrad.emit.overwriting import overwriting
from srcgrad.graph import Graph
from srcgrad.steps import Guard, Value
from srcgrad.updates import add_at, assign, scatter
from tests.emit.graphs import array, body, line, node, scalar, source

x, v, s = array(4, 3, name="x"), array(3, name="v"), scalar("s")
h, y = array(4, 3, name="h"), array(4, 3, name="h")
EXP, UPDATE = node(np.exp, x, out=h), node(assign, h, 0, v, out=y)


def in_place(*nodes, kept=(y,), inputs=(x, v, s), constants=None):
    """Whether the update of h to y is done in h."""
    graph = Graph(inputs, nodes, tuple(kept), constants=constants or {})
    graph.lint()
    return overwriting(graph, kept).successors.get(h) is y


# ----- Who owns the array -----


@pytest.mark.parametrize(
    "made",
    [
        EXP,
        node(np.zeros, (4, 3), out=h),
        node(scatter, v, 0, (4, 3), out=h),
        node(assign, x, 0, v, out=h),
        node(operator.getitem, x, [0, 1, 2, 3], out=h),
        node(np.random.normal, size=(4, 3), out=h),
    ],
)
def test_an_array_made_here_is_changed_in_place(made):
    assert in_place(made, UPDATE)


@pytest.mark.parametrize(
    "made",
    [
        node(np.reshape, x, (4, 3), out=h),
        node(operator.getitem, x, slice(4), out=h),
        node(np.broadcast_to, v, (4, 3), out=h),
        node(np.real, x, out=h),
        node(np.nan_to_num, x, out=h),
        node(np.einsum, "ij->ij", x, out=h),
        node(max, x, x, out=h),  # who knows
    ],
)
def test_a_view_or_what_may_be_one_is_copied(made):
    assert not in_place(made, UPDATE)


def test_arguments_and_constants_are_copied():
    assert not in_place(UPDATE, inputs=(h, v))
    assert not in_place(UPDATE, inputs=(v,), constants={h: np.ones((4, 3))})


def test_of_several_results_each_might_be_anyones():
    made = node(np.linalg.qr, x, out=(h, array(3, 3)))
    assert not in_place(made, UPDATE)


def test_what_is_of_another_kind_is_copied():
    single = Value((4, 3), np.dtype(np.float32), "h")
    graph = Graph((x, v), (EXP, node(assign, h, 0, v, out=single)), (single,))
    assert overwriting(graph, (single,)).successors == {}
    zero = Value((), np.dtype(float), "z")
    graph = Graph((s,), (node(assign, s, (), 1.0, out=zero),), (zero,))
    assert overwriting(graph, (zero,)).successors == {}


def test_a_broadcast_of_a_number_is_made_whole_for_that():
    nodes = [node(np.broadcast_to, s, (4, 3), out=h), UPDATE]
    assert in_place(*nodes)
    assert body(nodes, [s, v], [y]) == "h = np.full((4, 3), s)\nh[0] = v\nreturn h\n"


# ----- Who looks at it -----


def reading(*args, function=np.sum):
    return node(function, *args, out=scalar())


def test_what_is_read_before_is_changed_in_place():
    part = array(3)
    view = node(operator.getitem, h, 0, out=part)
    assert in_place(EXP, view, reading(h), reading(part), UPDATE)


@pytest.mark.parametrize("kind", ["array", "view", "view of a view", "guard"])
def test_what_is_read_after_is_copied(kind):
    part, turned = array(3), array(3)
    views = [
        node(operator.getitem, h, 0, out=part),
        node(np.flip, part, out=turned),
    ]
    look = {
        "array": reading(h),
        "view": reading(part),
        "view of a view": reading(turned),
        "guard": Guard(h, bool, True),
    }
    assert not in_place(EXP, *views, UPDATE, look[kind])


def test_an_element_is_no_view():
    element = scalar()
    read = node(operator.getitem, h, (0, 1), out=element)
    assert in_place(EXP, read, UPDATE, reading(element, function=np.exp))


def test_what_is_kept_is_copied():
    part = array(3)
    view = node(operator.getitem, h, 0, out=part)
    assert not in_place(EXP, UPDATE, kept=(y, h))
    assert not in_place(EXP, view, UPDATE, kept=(y, part))


def test_indices_that_may_read_what_they_write_are_left_alone():
    rows, at = array(2, 3), Value((2,), np.dtype(int), "at")
    part = node(operator.getitem, h, slice(2), out=rows)
    for value, expected in ((rows, False), (v, True)):
        update = node(add_at, h, at, value, out=y)
        assert in_place(EXP, part, update, inputs=(x, v, at)) is expected
    assert in_place(EXP, part, node(assign, h, slice(2, 4), rows, out=y))


# ----- How it is written -----


def test_the_users_own_updates_in_place():
    a, b, c = (array(4, 3, name="h") for _ in range(3))
    nodes = [
        EXP,
        node(np.add, h, 1.0, out=a),
        node(np.multiply, 2.0, a, out=b),
        node(np.subtract, v, b, out=c),
    ]
    text = body(nodes, [x, v], [c])
    assert text == "h = np.exp(x)\nh += 1.0\nh *= 2.0\nreturn v - h\n"


def test_complex_factors_keep_their_order():
    a, b = (array(3, name="h", dtype=complex) for _ in range(2))
    nodes = [node(np.exp, v, out=a), node(np.multiply, 2.0, a, out=b)]
    assert body(nodes, [v], [b]) == "h = np.exp(v)\nreturn 2.0 * h\n"


def test_another_name_means_another_array():
    k = array(4, 3, name="k")
    text = body([EXP, node(np.add, h, 1.0, out=k)], [x], [k])
    assert text == "h = np.exp(x)\nreturn h + 1.0\n"


def parts_of(array, index, function, *others, swapped=False):
    """``array[index] = array[index] op other``, and what it makes."""
    part, value = Value((3,), np.dtype(float)), Value((3,), np.dtype(float))
    args = (*others, part) if swapped else (part, *others)
    return [
        node(operator.getitem, array, index, out=part),
        node(function, *args, out=value),
        node(assign, array, 0, value, out=y),
    ]


@pytest.mark.parametrize(
    ("nodes", "text"),
    [
        (parts_of(h, 0, np.multiply, v), "h[0] *= v"),
        (parts_of(h, 0, np.multiply, 2.0, swapped=True), "h[0] *= 2.0"),
        (parts_of(h, 0, np.subtract, v), "h[0] -= v"),
        (parts_of(h, 0, np.subtract, v, swapped=True), "h[0] = v - h[0]"),
        (parts_of(h, 1, np.multiply, v), "h[0] = h[1] * v"),
        (parts_of(h, 0, np.power, 2), "h[0] = h[0] ** 2"),
        (parts_of(h, 0, np.exp), "h[0] = np.exp(h[0])"),
        ([*parts_of(x, 0, np.multiply, v)[:2], UPDATE], "h[0] = v"),
    ],
)
def test_changes_of_an_element(nodes, text):
    assert f"{text}\n" in body([EXP, *nodes], [x, v], [y])


def test_a_change_of_what_is_copied():
    text = body(parts_of(x, 0, np.multiply, v), [x, v], [y])
    assert text == "h = x.copy()\nh[0] *= v\nreturn h\n"


def test_what_waits_to_be_written_is_written_before_the_change():
    here = line(1)
    total, part, out = scalar(), array(3), scalar()
    text = body(
        [
            node(np.exp, x, out=h, where=here),
            node(operator.getitem, h, 1, out=part, where=here),
            node(np.sum, part, out=total, where=here),
            node(assign, h, 0, v, out=y, where=here),
            node(np.add, total, s, out=out, where=here),
        ],
        [x, v, s],
        [y, out],
    )
    assert text.splitlines()[1:] == [
        "h = np.exp(x)",
        "sum_1 = np.add.reduce(h[1], axis=None)",
        "h[0] = v",
        "out = sum_1 + s",
        "return h, out",
    ]


def test_both_halves_call_an_array_that_is_changed_the_same():
    text = source([EXP, UPDATE], [x, v], [y, y])
    assert text.endswith("    h[0] = v\n    return h, h\n")
