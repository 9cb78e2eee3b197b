"""The split into forward and backward, and what is saved."""

from dataclasses import replace

import numpy as np
import pytest

from srcgrad.steps import Guard, Node
from srcgrad.transforms.halves.saving import split
from tests.transforms.interpret import record, run, run_split, text

x, w, g = np.arange(6.0).reshape(2, 3), np.ones((3, 2)), np.ones((2, 2))


def halves_of(function, inputs=(x,), cotangents=(x,), constants=()):
    graph = record(function, list(inputs), list(cotangents), list(constants))
    halves = split(graph)
    halves.forward.lint()
    halves.backward.lint()
    outputs, gradients, _ = run_split(halves, inputs, cotangents)
    expected = run(graph, inputs, cotangents)
    for seen, right in zip(outputs + gradients, expected[0] + expected[1], strict=True):
        np.testing.assert_array_equal(seen, right)
    return halves


def saved(function, **given):
    """For each saved value, which line of the forward makes it, or the input's name."""
    halves = halves_of(function, **given)
    lines = {node.out: str(node.function.__name__) for node in halves.forward.nodes}
    return [lines.get(value) or value.name for value in halves.saved]


def test_what_the_backward_reads_is_saved():
    def tanh(x, g):
        h = np.tanh(x)
        return [h], [g * (1.0 - h * h)]

    halves = halves_of(tanh)
    assert text(halves.forward) == ["t = tanh(x)", "return t"]
    assert halves.saved == halves.forward.outputs
    assert halves.backward.inputs == halves.saved + halves.cotangents
    assert len(halves.backward.nodes) == 3


def test_nothing_is_saved_that_is_not_read():
    assert saved(lambda x, g: ([x + 1.0], [g * 2.0])) == []


def test_inputs_come_first_in_order_of_definition():
    def function(x, y, g):
        a = np.exp(y)
        b = np.exp(x)
        return [a * b], [g * b * a, g * x]

    assert saved(function, inputs=(x, x)) == ["x", "exp", "exp"]


def test_views_are_made_again():
    def product(x, y, g):
        yt = np.transpose(y)
        return [x @ y + np.sum(yt)], [np.matmul(g, yt), np.matmul(np.transpose(x), g)]

    halves = halves_of(product, inputs=(x, w), cotangents=(g,))
    assert [value.name for value in halves.saved] == ["x", "y"]
    assert text(halves.backward)[0] == "t = transpose(y)"


def test_views_of_views_too():
    def function(x, g):
        v = np.transpose(np.transpose(x)[1:])
        return [v * 2.0], [np.sum(v * g[:, 1:])]

    assert saved(function) == ["x"]


def test_a_view_of_what_is_not_kept_is_saved_itself():
    def function(x, g):
        h = np.transpose(np.exp(x))
        return [h * 2.0], [np.transpose(h) * g]

    assert saved(function) == ["transpose"]


def test_signs_of_what_is_saved_are_made_again():
    def both(x, g):
        h = np.exp(x)
        n = -h
        return [n * 2.0], [g * n * h]

    def one(x, g):
        n = -np.exp(x)
        return [n * 2.0], [g * n]

    assert saved(both) == ["exp"]
    assert saved(one) == ["negative"]


def test_other_work_is_not_done_twice():
    def function(x, g):
        h = x + 1.0
        return [np.exp(h)], [g * h * x]

    assert saved(function) == ["x", "add"]


def test_constants_go_where_they_are_read():
    def function(x, g, c, d, e):
        return [x * c + e], [g * d + e]

    halves = halves_of(function, constants=[x, x + 1.0, x + 2.0])
    assert [c.name for c in halves.forward.constants] == ["c", "e"]
    assert [c.name for c in halves.backward.constants] == ["d", "e"]
    assert halves.saved == ()


def test_a_gradient_may_be_computed_in_the_forward_half():
    def function(x, g):
        h = np.sum(x)
        return [x * h], [h]

    halves = halves_of(function)
    assert halves.saved == halves.backward.outputs
    assert halves.backward.nodes == ()


def test_no_gradients_no_backward():
    for given in (record(lambda x: [x * 2.0], [x]), record(nothing, [x], [x])):
        halves = split(given)
        assert halves.backward is None
        assert halves.saved == ()
        assert halves.gradients == halves.cotangents == ()


def nothing(x, g):
    return [x * 2.0], [None]


@pytest.mark.parametrize("of_cotangent", [False, True])
def test_guards_are_as_early_as_they_can_be(of_cotangent):
    def function(x, g):
        return [x * 2.0], [g * np.sum(g if of_cotangent else x)]

    graph = record(function, [x], [x])
    total = next(node.out for node in graph.nodes if node.function is np.sum)
    guard = Guard(total, float, 15.0)
    nodes = (*graph.nodes, guard)
    halves = split(replace(graph, nodes=nodes))
    half = halves.backward if of_cotangent else halves.forward
    assert guard in half.nodes
    run_split(halves, [x], [x])


def test_views_are_made_in_the_line_that_uses_them():
    graph = record(lambda x, g: ([np.transpose(x) * 2.0], [np.exp(g)]), [x], [x])
    view, _, exp = graph.nodes
    place = object()
    use = Node(np.matmul, (graph.cotangents[0], view.out), {}, exp.out, place)
    graph = replace(graph, nodes=(*graph.nodes[:2], use))
    assert [node.where for node in split(graph).backward.nodes] == [place, place]
