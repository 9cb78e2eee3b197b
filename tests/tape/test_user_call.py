"""What ``forward`` and ``backward`` find on ``ctx``: marks, flags, saved arrays."""

import numpy as np
import pytest

from srcgrad import Variable
from tests.functions import STYLES, Cube, Exp, Scaled, function_of
from tests.variables import vector


def test_attributes_of_ctx_are_the_users():
    """The node has attributes of the same names."""
    names = ("shape", "dtype", "order", "edges", "saved", "where", "metas", "hooks")

    def forward(ctx, x):
        for name in names:
            setattr(ctx, name, name)
        return x.sum(axis=0)

    def backward(ctx, g):
        assert all(getattr(ctx, name) == name for name in names)
        return np.ones((3, 2)) * g

    x = Variable(np.ones((3, 2)), requires_grad=True)
    for style in STYLES:
        function_of(forward, backward, style)(x).backward(np.array([1.0, 2.0]))
    np.testing.assert_array_equal(x.grad.data, [[2.0, 4.0]] * 3)


def test_needs_input_grad():
    seen = []

    def forward(ctx, *args):
        seen.append(ctx.needs_input_grad)
        return args[0] + args[1]

    def backward(ctx, g):
        seen.append(ctx.needs_input_grad)
        return None, g, None

    x, y = Variable(np.ones(1)), vector(1.0)
    function_of(forward, backward)(x, y, 5).backward()
    assert seen == [(False, True, False)] * 2


# ----- Marks -----


@pytest.mark.parametrize("style", STYLES)
def test_unused_results_get_none_if_so_wished(style):
    seen = []

    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x + 1, x + 2

    def backward(ctx, first, second):
        seen.append(first)
        return second

    x = vector(1.0)
    function_of(forward, backward, style)(x)[1].backward()
    assert seen == [None]
    np.testing.assert_array_equal(x.grad.data, [1.0])


def test_mark_non_differentiable():
    seen = []

    def forward(ctx, x):
        order = np.argsort(x)
        rounded = np.round(x)
        ctx.mark_non_differentiable(rounded)
        return x[order], order, rounded

    def backward(ctx, g, g_order, g_rounded):
        seen.append((g_order.data.tolist(), g_rounded.data.tolist()))
        return g[::-1]

    x = vector(2.0, 1.0)
    values, order, rounded = function_of(forward, backward)(x)
    assert values.requires_grad
    assert not order.requires_grad
    assert not rounded.requires_grad
    (values * np.array([1.0, 2.0])).sum().backward()
    np.testing.assert_array_equal(x.grad.data, [2.0, 1.0])
    assert seen == [([0, 0], [0.0, 0.0])]


def test_mark_non_differentiable_takes_results():
    def forward(ctx, x):
        ctx.mark_non_differentiable(x)
        return x * 2

    with pytest.raises(
        RuntimeError,
        match="mark_non_differentiable can only accept output tensors, but argument 0",
    ):
        function_of(forward)(vector(1.0))


# ----- Saving -----


@pytest.mark.parametrize("style", STYLES)
def test_intermediate_results_cannot_be_saved(style):
    def forward(ctx, x):
        middle = x * 2
        ctx.save_for_backward(x, middle)
        return middle + 1

    with pytest.raises(
        RuntimeError,
        match="save_for_backward can only save input or output tensors, but argument 1 "
        "doesn't satisfy this condition",
    ):
        function_of(forward, style=style)(vector(1.0))


@pytest.mark.parametrize("item", [3, 2.0, "text", [np.ones(2)]])
def test_only_arrays_can_be_saved(item):
    def forward(ctx, x):
        ctx.save_for_backward(x, item)
        return x * 2

    with pytest.raises(
        RuntimeError, match="can only save tensors, but argument 1 is of type"
    ):
        function_of(forward)(vector(1.0))


@pytest.mark.parametrize("style", STYLES)
def test_buffers_are_freed_after_a_walk(style):
    x = vector(1.0)
    make = Cube.apply if style == "static" else lambda x: Scaled(2.0)(x, x)
    y = make(x)
    y.backward(retain_graph=True)
    y.backward()
    with pytest.raises(RuntimeError, match="second time, but the buffers have already"):
        y.backward()


def test_a_graph_that_saved_nothing_may_be_walked_again():
    x = vector(1.0)
    y = function_of(lambda ctx, x: x + 1)(x)
    y.backward()
    y.backward()
    np.testing.assert_array_equal(x.grad.data, [2.0])


@pytest.mark.parametrize("what", ["input", "output"])
def test_saved_arrays_are_checked(what):
    x = vector(1.0, 2.0) * 1.0
    y = (Cube if what == "input" else Exp).apply(x)
    changed = x if what == "input" else y
    changed += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_what_is_not_used_is_not_checked():
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x + 1

    x = vector(1.0) * 1.0
    y = function_of(forward)(x)
    x += 1
    y.backward()


def test_saved_tensors_outside_of_backward():
    y = Cube.apply(Variable(np.ones(1)))
    assert y.grad_fn is None

    def forward(ctx, x):
        return ctx.saved_tensors

    with pytest.raises(RuntimeError, match="saved_tensors is there in backward"):
        function_of(forward)(vector(1.0))
    with pytest.raises(RuntimeError, match="only for forward and backward"):
        Scaled(2.0).save_for_backward(np.ones(1))


@pytest.mark.parametrize("style", STYLES)
def test_what_comes_in_cannot_be_changed_by_accident(style):
    """The same array may be the gradient of something else."""

    def backward(ctx, g):
        g *= 2
        return g

    x = vector(1.0)
    y = function_of(lambda ctx, x: x + 1, backward, style)(x)
    with pytest.raises(ValueError, match="read-only"):
        (y + x).backward()


def test_saved_tensors_of_an_instance_are_read_only():
    class Wrong(Scaled):
        def backward(self, g):
            x, _, _y = self.saved_tensors
            x *= 0
            return g, g

    x = vector(1.0)
    with pytest.raises(ValueError, match="read-only"):
        Wrong(1.0)(x, x).backward()
    np.testing.assert_array_equal(x.data, [1.0])
