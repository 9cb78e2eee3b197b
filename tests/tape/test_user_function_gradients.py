"""What the ``backward`` of a user's Function returns, and its own derivative."""

import numpy as np
import pytest

import srcgrad
from srcgrad import Function, Variable, autograd
from tests.functions import STYLES, Cube, Exp, Scaled, SinCos, function_of
from tests.variables import vector

# ----- Gradients that backward returns -----


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(("count", "returned"), [(2, 1), (1, 2), (3, 1)])
def test_a_wrong_number_of_gradients_is_an_error(style, count, returned):
    def backward(ctx, g):
        return (g,) * returned

    y = function_of(lambda ctx, *xs: sum(xs), backward, style)(
        *(vector(1.0) for _ in range(count))
    )
    with pytest.raises(
        RuntimeError,
        match=f"Made.* returned an invalid number of gradients - expected {count}, but "
        f"got {returned}",
    ):
        y.backward()


def test_trailing_nones_are_trimmed():
    x = vector(1.0)
    function_of(lambda ctx, x: x + 1, lambda ctx, g: (g, None, None))(x).backward()
    np.testing.assert_array_equal(x.grad.data, [1.0])


def test_none_is_no_contribution():
    x, y = vector(1.0), vector(2.0)
    function_of(lambda ctx, x, y: x + y, lambda ctx, g: (None, g))(x, y).backward()
    assert x.grad is None
    np.testing.assert_array_equal(y.grad.data, [1.0])


@pytest.mark.parametrize("style", STYLES)
def test_a_gradient_of_the_wrong_shape_is_an_error(style):
    def backward(ctx, g):
        return g, np.ones(3)

    x, y = vector(1.0, 2.0), vector(1.0, 2.0)
    out = function_of(lambda ctx, x, y: x + y, backward, style)(x, y)
    with pytest.raises(
        RuntimeError,
        match=r"Made.* returned an invalid gradient at index 1 - expected shape \(2,\) "
        r"but got \(3,\)",
    ):
        out.sum().backward()
    assert x.grad is None


@pytest.mark.parametrize("returned", [0.5, np.float32(0.5), np.array([0.5])])
def test_a_smaller_gradient_is_not_stretched(returned):
    out = function_of(lambda ctx, x: x + 1, lambda ctx, g: returned)(vector(1.0, 2.0))
    with pytest.raises(RuntimeError, match=r"expected shape \(2,\)"):
        out.sum().backward()


def test_a_broadcast_gradient_is_summed():
    x = vector(1.0)
    function_of(lambda ctx, x: x + np.zeros(3), lambda ctx, g: g)(x).backward(
        np.ones(3)
    )
    np.testing.assert_array_equal(x.grad.data, [3.0])


def test_the_gradient_has_the_inputs_dtype():
    x = Variable(np.ones(2, np.float32), requires_grad=True)
    function_of(lambda ctx, x: x * 2, lambda ctx, g: g.astype(np.float64))(
        x
    ).sum().backward()
    assert x.grad.dtype == np.float32


def test_a_gradient_for_no_variable_is_an_error():
    y = function_of(lambda ctx, x, n: x * n, lambda ctx, g: (g, g))(vector(1.0), 2)
    with pytest.raises(
        RuntimeError, match=r"different than None at position 1.*not a Var"
    ):
        y.backward()


def test_a_gradient_that_is_no_array_is_an_error():
    y = function_of(lambda ctx, x: x * 2, lambda ctx, g: "gradient")(vector(1.0))
    with pytest.raises(TypeError, match="as gradient of input 0: expected an array"):
        y.backward()


def test_errors_name_the_users_line():
    y = Cube.apply(vector(1.0))
    y.backward()
    with pytest.raises(RuntimeError) as caught:
        y.backward()
    notes = getattr(caught.value, "__notes__", []) or [str(caught.value)]
    assert any("y = Cube.apply(vector(1.0))" in note for note in notes)


# ----- Higher derivatives -----


def test_gradgradcheck():
    assert srcgrad.gradcheck(Cube.apply, (vector(1.0, -2.0),))
    assert srcgrad.gradgradcheck(Cube.apply, (vector(1.0, -2.0),))
    assert srcgrad.gradgradcheck(lambda x: SinCos.apply(x)[0], (vector(0.3, 0.4),))
    pair = (vector(1.0), vector(3.0))
    assert srcgrad.gradcheck(lambda x, y: Scaled(2.0)(x, y), pair)


def test_third_derivative():
    x = vector(2.0)
    g = Cube.apply(x)
    for expected in (12.0, 12.0, 6.0):
        (g,) = autograd.grad(g, x, create_graph=True)
        np.testing.assert_allclose(g.data, [expected])


def test_saved_results_are_differentiable():
    class Exp2(Exp):
        @staticmethod
        def backward(ctx, g):
            (out,) = ctx.saved_tensors
            return g * out

    x = vector(0.5)
    g = Exp2.apply(x)
    for _ in range(3):
        (g,) = autograd.grad(g, x, create_graph=True)
        np.testing.assert_allclose(g.data, np.exp([0.5]))


@pytest.mark.parametrize("make", [Exp.apply, lambda x: Scaled(2.0)(x, x)])
def test_once_differentiable(make):
    x = vector(1.0, 2.0)
    (first,) = autograd.grad(make(x).sum(), x, create_graph=True)
    (plain,) = autograd.grad(make(x).sum(), x)
    np.testing.assert_array_equal(first.data, plain.data)
    with pytest.raises(
        RuntimeError,
        match="trying to differentiate twice a function that was marked with "
        "@once_differentiable",
    ):
        first.sum().backward()


def test_once_differentiable_above_staticmethod():
    class Reversed(Exp):
        @srcgrad.once_differentiable
        @staticmethod
        def backward(ctx, g):
            assert type(g) is np.ndarray
            return g * ctx.saved_tensors[0]

    x = vector(0.0)
    Reversed.apply(x).backward()
    np.testing.assert_array_equal(x.grad.data, [1.0])


def test_a_lost_second_derivative_is_an_error():
    class Lost(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**2

        @staticmethod
        def backward(ctx, g):
            return 2 * g.data * ctx.saved_tensors[0].data

    x = vector(3.0)
    Lost.apply(x).backward()
    np.testing.assert_array_equal(x.grad.data, [6.0])
    with pytest.raises(TypeError, match="its own derivative would be lost"):
        autograd.grad(Lost.apply(x), x, create_graph=True)


def test_backward_is_off_the_tape_without_create_graph():
    seen = []

    def backward(ctx, g):
        seen.append(
            (srcgrad.is_grad_enabled(), (g * ctx.saved_tensors[0]).requires_grad)
        )
        return g

    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x + 1

    x = vector(1.0)
    function_of(forward, backward)(x).backward()
    assert seen == [(False, False)]
    autograd.grad(function_of(forward, backward)(x), x, create_graph=True)
    assert seen[1] == (True, True)
