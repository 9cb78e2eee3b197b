"""Who owns the results."""

import numpy as np
import pytest

from srcgrad.transforms.halves.ownership import own_results
from tests.transforms.interpret import record, run, text

x, g = np.arange(6.0).reshape(2, 3), np.ones((2, 3))


def owned(function, inputs=(x,), cotangents=(g,), constants=()):
    graph = record(function, list(inputs), list(cotangents), list(constants))
    result = own_results(graph)
    result.lint()
    outputs, gradients = run(result, inputs, cotangents)
    for seen, expected in zip(
        gradients, run(graph, inputs, cotangents)[1], strict=True
    ):
        np.testing.assert_array_equal(seen, expected)
    held = [*inputs, *cotangents, *outputs, *constants]
    for gradient in gradients:
        if isinstance(gradient, np.ndarray):
            assert gradient.flags.writeable
            assert not any(np.shares_memory(gradient, other) for other in held)
            held.append(gradient)
    return graph, result


def copies(function, **given):
    """How many arrays are copied."""
    graph, result = owned(function, **given)
    return len(result.nodes) - len(graph.nodes)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, g: ([x], [g * x]),
        lambda x, g: ([x], [np.transpose(g * x)]),
        lambda x, g: ([x], [np.reshape(np.ravel(g * x), (3, 2))]),
        lambda x, g: ([x], [np.flip(np.matmul(g, np.transpose(x)), 0)]),
        lambda x, g: ([x], [np.sum(g)]),
        lambda x, g: ([x], [np.reshape(np.sum(g), (1, 1))]),
        lambda x, g: ([x], [g[[0, 1]]]),
        lambda x, g: ([x], [np.einsum("ij,kj->ik", g, x)]),
        lambda x, g: ([x], [None]),
    ],
)
def test_new_arrays_are_not_copied(function):
    assert copies(function) == 0


@pytest.mark.parametrize(
    "function",
    [
        lambda x, g: ([x * 2.0], [g]),
        lambda x, g: ([x * 2.0], [x]),
        lambda x, g: ([x * 2.0], [np.transpose(g)]),
        lambda x, g: ([x], [g[0:1]]),
        lambda x, g: ([x], [(g * x)[0:1]]),
        lambda x, g: ([x], [np.einsum("ij->ji", g)]),
        lambda x, g: ([x], [np.diagonal(g * x)]),
        lambda x, g: ([x], [np.real(g * x)]),
        lambda x, g: ([x], [np.split(g * x, 2)[0]]),
        lambda x, g: ([x], [np.broadcast_to(np.sum(g), (2, 3))]),
        lambda x, g: ([np.exp(x)], [np.broadcast_to(g, (2, 2, 3))]),
    ],
)
def test_shared_arrays_are_copied(function):
    assert copies(function) == 1


def test_what_is_computed_in_the_forward_half_is_copied():
    def function(x, g):
        h = np.exp(x)
        return [h * h], [h]

    assert copies(function) == 1


def test_each_gradient_is_an_array_of_its_own():
    def same(x, y, g):
        d = g * x
        return [x * y], [d, d]

    def views(x, y, g):
        d = g * x
        return [x * y], [np.transpose(d), np.ravel(d)]

    assert copies(same, inputs=(x, g)) == 1
    assert copies(views, inputs=(x, g)) == 1


def test_a_broadcast_is_filled_rather_than_copied():
    _, result = owned(lambda x, g: ([x], [np.broadcast_to(np.sum(g), (2, 3))]))
    assert text(result)[-2:] == ["t_2 = full((2, 3), t)", "return x; t_2"]


def test_scalars_are_not_copied():
    scalar = np.float64(2.0)
    assert copies(lambda x, g: ([x], [g]), inputs=[scalar], cotangents=[scalar]) == 0


def test_zero_dimensional_arrays_are():
    array = np.array(2.0)
    _, result = owned(lambda x, g: ([x], [g]), inputs=[array], cotangents=[array])
    assert type(run(result, [array], [array])[1][0]) is np.ndarray


def test_constants_are_copied_once_and_views_stay_views():
    def function(x, g, c):
        return [c, c[0:1], x * c], [g * c]

    c = np.ones((2, 3))
    graph, result = owned(function, constants=[c])
    assert len(result.nodes) == len(graph.nodes) + 1
    (whole, part, _), _ = run(result, [x], [g])
    assert np.shares_memory(whole, part)
    assert not np.shares_memory(whole, c)
    assert whole.flags.writeable


def test_outputs_share_what_they_share_on_the_tape():
    graph = record(lambda x: [x, np.transpose(x), x], [x])
    assert own_results(graph) is graph
