"""Functions of users that return or change their arguments."""

import numpy as np
import pytest

import srcgrad
from srcgrad import Function, Variable, autograd
from tests.functions import STYLES, function_of
from tests.variables import vector

# ----- Arguments that come back -----


@pytest.mark.parametrize("style", STYLES)
def test_an_unmodified_input_is_a_new_variable(style):
    x = vector(1.0, 2.0) * 1.0
    before = x.grad_fn
    y = function_of(lambda ctx, x: x, lambda ctx, g: 5 * g, style)(x)
    assert y is not x
    assert x.grad_fn is before
    assert y.data is x.data
    (grad,) = autograd.grad(y.sum(), x)
    np.testing.assert_array_equal(grad.data, [5.0, 5.0])
    (grad,) = autograd.grad((x * 1.0).sum(), x)
    np.testing.assert_array_equal(grad.data, [1.0, 1.0])


@pytest.mark.parametrize("part", [..., slice(1, None)])
def test_version_counters_are_joined(part):
    x = Variable(np.array([1.0, 2.0]))
    w = vector(3.0, 4.0)
    y = function_of(lambda ctx, x, w: x[part], lambda ctx, g: (None, None))(x, w)
    product = x * w
    assert y._version == x._version
    with srcgrad.no_grad():
        y += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()


def test_results_that_share_memory():
    def forward(ctx, x):
        out = x * 2
        return out, out[:1]

    x = vector(1.0, 2.0)
    whole, part = function_of(forward, lambda ctx, g, h: 2 * g)(x)
    saves = whole * whole
    with srcgrad.no_grad():
        part += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        saves.sum().backward()


class Add1(Function):
    """In place."""

    @staticmethod
    def forward(ctx, x):
        x += 1
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g


def test_mark_dirty():
    leaf = vector(1.0, 2.0)
    x = leaf * 2
    y = Add1.apply(x)
    assert y is x
    assert x.grad_fn.name() == "Add1Backward"
    np.testing.assert_array_equal(x.data, [3.0, 5.0])
    (x * x).sum().backward()
    np.testing.assert_array_equal(leaf.grad.data, [12.0, 20.0])


def test_mark_dirty_raises_the_version():
    x = vector(1.0, 2.0) * 2
    saves = x * x
    keeps_nothing = x + 1
    Add1.apply(x)
    keeps_nothing.sum().backward()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        saves.sum().backward()


def test_a_dirty_argument_that_is_saved_is_the_result():
    class Square(Function):
        @staticmethod
        def forward(ctx, x):
            x *= x
            ctx.mark_dirty(x)
            ctx.save_for_backward(x)
            return x

        @staticmethod
        def backward(ctx, g):
            (out,) = ctx.saved_tensors
            return g * 2 * out**0.5

    leaf = vector(3.0)
    Square.apply(leaf * 1.0).backward()
    np.testing.assert_allclose(leaf.grad.data, [6.0])
    (first,) = autograd.grad(Square.apply(leaf * 1.0), leaf, create_graph=True)
    (second,) = autograd.grad(first, leaf)
    np.testing.assert_allclose(second.data, [2.0])


def test_mark_dirty_of_a_leaf():
    with pytest.raises(
        RuntimeError, match="a leaf Variable that requires grad has been"
    ):
        Add1.apply(vector(1.0))
    x = vector(1.0)
    with srcgrad.no_grad():
        assert Add1.apply(x) is x
    np.testing.assert_array_equal(x.data, [2.0])
    assert x.requires_grad
    assert x.is_leaf
    assert x._version == 1


def test_mark_dirty_of_shared_storage():
    x = vector(1.0, 2.0) * 1.0
    view = x[:1]
    with pytest.raises(RuntimeError, match="there are 2 objects sharing it"):
        Add1.apply(x)
    del view


def test_mark_dirty_of_a_plain_leaf():
    class Write(Function):
        @staticmethod
        def forward(ctx, x, y):
            x[...] = y
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, g):
            return None, g

    x, y = Variable(np.zeros(2)), vector(1.0, 2.0)
    assert Write.apply(x, y) is x
    assert x.requires_grad
    x.sum().backward()
    np.testing.assert_array_equal(y.grad.data, [1.0, 1.0])


@pytest.mark.parametrize(
    ("marked", "match"),
    [
        (
            lambda x, out: out,
            "mark_dirty can only accept input tensors, but argument 0",
        ),
        (
            lambda x, out: 3,
            "mark_dirty can only accept tensors, but argument 0 is of type",
        ),
        (
            lambda x, out: x,
            "Some elements marked as dirty .* were not returned as output",
        ),
    ],
)
def test_mark_dirty_takes_arguments_that_are_returned(marked, match):
    def forward(ctx, x):
        out = x * 2
        ctx.mark_dirty(marked(x, out))
        return out

    with pytest.raises(RuntimeError, match=match):
        function_of(forward)(vector(1.0) * 1.0)


def test_mark_dirty_of_a_scalar():
    x = vector(1.0, 2.0).sum()
    assert Add1.apply(x) is x
    assert x.data == 4.0


def test_the_same_array_twice():
    """Each argument has its own place, though the arrays are one."""
    x = vector(2.0)

    class Product(Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(x, y)
            return x * y

        @staticmethod
        def backward(ctx, g):
            x, y = ctx.saved_tensors
            return g * y, g * x

    (first,) = autograd.grad(Product.apply(x, x.detach()), x, create_graph=True)
    assert not first.requires_grad or autograd.grad(first, x, allow_unused=True) == (
        None,
    )
    (first,) = autograd.grad(Product.apply(x, x), x, create_graph=True)
    (second,) = autograd.grad(first, x)
    np.testing.assert_array_equal(first.data, [4.0])
    np.testing.assert_array_equal(second.data, [2.0])


def test_mark_shared_storage_is_accepted():
    def forward(ctx, x):
        out = x[:1]
        ctx.mark_shared_storage((x, out))
        return out

    x = vector(1.0, 2.0)
    y = function_of(forward, lambda ctx, g: g * np.array([1.0, 0.0]))(x)
    assert y.storage is x.storage
