"""Loops as people write them."""

import operator

import numpy as np
import pytest

from srcgrad import emit
from srcgrad.graph import Graph, Partition
from srcgrad.loops import Loop
from srcgrad.steps import Node, Value
from srcgrad.updates import add_at, assign

F8 = np.dtype(float)


def array(name=None, kind="array"):
    return Value((3,), F8, name, kind)


def index(name="i"):
    return Value((), np.dtype(int), name, "float")


def written(graph):
    """The statements of a function, and the function."""
    module = emit.build("loops", Partition(graph))
    text = module.text.partition("def forward")[2].partition("\n")[2]
    return [line.removeprefix("    ") for line in text.splitlines()], module.forward


def in_loop(loop, *args, outputs=None):
    """A graph of one loop on the inputs; its outputs are all the results."""
    out = [array(value.name) for value in loop.body.outputs[: loop.carried + loop.last]]
    for value in loop.body.outputs[loop.carried + loop.last :]:
        out += [array(value.name) for _ in range(loop.count)]
    inputs = tuple(arg for arg in args if isinstance(arg, Value))
    node = Node(loop, args, out=tuple(out))
    return Graph(inputs, (node,), tuple(out))


def test_what_is_carried_has_one_name():
    h, x, t, new = array("h"), array("x"), array(), array("h")
    nodes = (Node(np.sin, (h,), out=t), Node(np.multiply, (t, x), out=new))
    loop = Loop(Graph((h, x), nodes, (new,)), 5, carried=1)
    lines, forward = written(in_loop(loop, array("a"), array("x")))
    assert lines == ["for _ in range(5):", "    a = np.sin(a) * x", "return a"]
    a = np.ones(3)
    forward(a, a)
    assert a.tolist() == [1.0, 1.0, 1.0]


def test_what_is_read_later_keeps_its_name_until_the_end():
    a, b, new = array("a"), array("b"), array("c")
    body = Graph((a, b), (Node(np.add, (a, b), out=new),), (b, new))
    lines, forward = written(in_loop(Loop(body, 4, carried=2), array("x"), array("y")))
    assert lines == [
        "for _ in range(4):",
        "    c = x + y",
        "    x, y = y, c",
        "return x, y",
    ]
    assert [float(found[0]) for found in forward(np.ones(3), np.ones(3))] == [5.0, 8.0]


def test_what_a_state_was_last_is_not_what_it_is_in_the_end():
    a, new = array("a"), array("b")
    body = Graph((a,), (Node(np.add, (a, 1.0), out=new),), (new, a))
    lines, forward = written(in_loop(Loop(body, 4, carried=1, last=1), array("x")))
    assert lines[-1] == "return x, last_a"
    assert [float(found[0]) for found in forward(np.ones(3))] == [5.0, 4.0]


def test_what_is_two_results_of_a_loop_no_other_goes_on_with():
    x, kept, end, out = (array("x") for _ in range(4))

    def summed(first, results, **parts):
        a, new = array("a"), array("a")
        body = Graph((a,), (Node(np.cumsum, (a,), out=new),), (new,) * len(results))
        return Node(Loop(body, 2, carried=1, **parts), (first,), out=results)

    nodes = summed(x, (kept, end), last=1), summed(end, (out,))
    _, forward = written(Graph((x,), nodes, (kept, out)))
    assert [float(found[2]) for found in forward(np.ones(3))] == [6.0, 15.0]


def test_an_argument_is_copied_before_it_is_changed():
    h, i, new = array("h"), index(), array("h")
    body = Graph((i, h), (Node(assign, (h, i, 1.0), out=new),), (new,))
    loop = Loop(body, 3, ((0, 1),), carried=1)
    lines, forward = written(in_loop(loop, array("x")))
    assert lines == [
        "h = x.copy()",
        "for i in range(3):",
        "    h[i] = 1.0",
        "return h",
    ]
    x = np.zeros(3)
    assert forward(x).tolist() == [1.0, 1.0, 1.0]
    assert x.tolist() == [0.0, 0.0, 0.0]


def test_what_a_loop_makes_the_next_one_changes():
    def adding():
        h, i, new = array("h"), index(), array("h")
        body = Graph((i, h), (Node(add_at, (h, i, 1.0), out=new),), (new,))
        return Loop(body, 3, ((0, 1),), carried=1)

    x, first, second = array("x"), array("p"), array("q")
    nodes = (
        Node(adding(), (x,), out=(first,)),
        Node(adding(), (first,), out=(second,)),
    )
    lines, _ = written(Graph((x,), nodes, (second,)))
    assert sum("copy" in line for line in lines) == 1


def test_what_is_kept_is_not_changed():
    h, i, new = array("h"), index(), array("h")
    body = Graph((i, h), (Node(assign, (h, i, 1.0), out=new),), (new, new))
    loop = Loop(body, 3, ((0, 1),), carried=1, ys=1)
    _, forward = written(in_loop(loop, array("x")))
    h, *kept = forward(np.zeros(3))
    assert [float(np.sum(each)) for each in kept] == [1.0, 2.0, 3.0]


def test_the_way_back_knows_no_list_of_the_way_there():
    h, new, x, dx = array("h"), array("h"), array("x"), array("dx")
    body = Graph((h,), (Node(np.sin, (h,), out=new),), (new, new))
    forward = in_loop(Loop(body, 3, carried=1, ys=1), x)
    saved = forward.outputs[1:]
    stacked, out = (Value((3, 3), F8, None) for _ in range(2))
    nodes = (
        Node(np.stack, ([*saved],), out=stacked),
        Node(np.multiply, (stacked, dx), out=out),
    )
    backward = Graph((*saved, dx), nodes, (out,))
    forward = Graph(forward.inputs, forward.nodes, forward.outputs[:1])
    module = emit.build("loops", Partition(forward, backward, saved, (out,)))
    _, found = module.forward(np.ones(3))
    expected = [np.sin(1.0), np.sin(np.sin(1.0)), np.sin(np.sin(np.sin(1.0)))]
    gradient = module.backward(found, np.ones(3))
    np.testing.assert_allclose(gradient[:, 0], expected)


@pytest.mark.parametrize(
    ("indices", "is_reversed", "where", "rows"),
    [
        (((0, 1),), False, "i in range(3)", ["x[i]"]),
        (((0, 1), (2, 1)), False, "i in range(3)", ["x[i]", "x[i + 2]"]),
        (((0, 1), (4, -1)), False, "i in range(3)", ["x[i]", "x[4 - i]"]),
        (((4, -2),), False, "i in range(4, -2, -2)", ["x[i]"]),
        (((0, 1), (0, 2)), False, "i in range(3)", ["x[i]", "x[2 * i]"]),
        (((1, 1), (0, 3)), False, "i in range(1, 4)", ["x[i]", "x[3 * i - 3]"]),
        (((0, 2), (0, 1)), False, "i in range(0, 6, 2)", ["x[i]", "x[i // 2 * 1]"]),
        (((1, 1),), True, "i in reversed(range(1, 4))", ["x[i]"]),
    ],
)
def test_indices(indices, is_reversed, where, rows):
    numbers = [index() for _ in indices]
    h, x = array("h"), Value((9,), F8, "x")
    parts = [Value((), F8, None, "scalar") for _ in indices]
    sums = [array("h") for _ in indices]
    nodes = []
    for number, part, before, after in zip(
        numbers, parts, [h, *sums], sums, strict=False
    ):
        nodes.append(Node(operator.getitem, (x, number), out=part))
        nodes.append(Node(np.add, (before, part), out=after))
    body = Graph((*numbers, h, x), tuple(nodes), (sums[-1],))
    loop = Loop(body, 3, indices, carried=1, is_reversed=is_reversed)
    outer = Value((9,), F8, "x")
    lines, forward = written(in_loop(loop, array("a"), outer))
    assert f"for {where}:" in lines
    for row in rows:
        assert any(row in line for line in lines)
    x = np.arange(9.0)
    np.testing.assert_array_equal(forward(np.zeros(3), x), loop(np.zeros(3), x)[0])


def test_items_and_lists():
    c, h, new = Value((), F8, "c", "float"), array("h"), array("h")
    body = Graph((c, h), (Node(np.multiply, (h, c), out=new),), (new, h))
    loop = Loop(body, 3, xs=1, carried=1, ys=1)
    lines, _ = written(in_loop(loop, (1.0, 2.0, 3.0), array("x")))
    assert lines == [
        "hs = []",
        "for c in (1.0, 2.0, 3.0):",
        "    hs.append(x)",
        "    x = x * c",
        "return x, hs[0], hs[1], hs[2]",
    ]
