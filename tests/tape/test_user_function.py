"""Calls of Functions that users write: what goes in, what comes out."""

import gc
import weakref

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable, autograd
from tests.functions import STYLES, Cube, Exp, Scaled, SinCos, function_of
from tests.variables import vector

# ----- Arguments -----


def test_static_style():
    x = vector(1.0, 2.0)
    y = Cube.apply(x)
    assert type(y) is Variable
    np.testing.assert_array_equal(y.data, [1.0, 8.0])
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.data, [3.0, 12.0])


def test_instance_style():
    x, y = vector(1.0, 2.0), vector(3.0, 4.0)
    Scaled(2.0)(x, y).sum().backward()
    np.testing.assert_array_equal(x.grad.data, [6.0, 8.0])
    np.testing.assert_array_equal(y.grad.data, [2.0, 4.0])


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("data", [np.ones((2, 3)), np.ones(()), np.float64(2.0)])
def test_forward_gets_ndarrays(style, data):
    seen = []

    def forward(ctx, x):
        seen.append(type(x))
        return x * 2.0

    y = function_of(forward, style=style)(Variable(data, requires_grad=True))
    assert seen == [np.ndarray]
    assert y.shape == np.shape(data)


def test_backward_gets_variables_or_ndarrays():
    seen = []

    def backward(ctx, g):
        seen.append(type(g))
        return g

    for style in STYLES:
        x = vector(1.0)
        function_of(lambda ctx, x: x + 1, backward, style)(x).backward()
        np.testing.assert_array_equal(x.grad.data, [1.0])
    assert seen == [Variable, np.ndarray]


def test_other_arguments_pass_through():
    seen = []

    def forward(ctx, *args):
        seen.extend(args[1:])
        return args[0] * 2

    array, items = np.ones(2), [1, "two"]
    y = function_of(forward, lambda ctx, g: (2 * g, None, None, None, None))(
        vector(1.0, 2.0), array, 3, None, items
    )
    assert seen[0] is array
    assert seen[1:3] == [3, None]
    assert seen[3] is items
    y.sum().backward()


def test_a_variable_in_a_container_is_no_silent_zero():
    with pytest.raises(TypeError, match="argument 0 is a list with a Variable"):
        function_of(lambda ctx, xs: xs[0])([vector(1.0)])
    # One that needs no gradient is as the user gave it.
    plain = Variable(np.ones(2))
    y = function_of(lambda ctx, xs, y: xs[0].data + y)([plain], vector(1.0, 2.0))
    np.testing.assert_array_equal(y.data, [2.0, 3.0])


def test_ndarrays_alone_give_ndarrays():
    out = Cube.apply(np.array([2.0]))
    assert type(out) is np.ndarray
    np.testing.assert_array_equal(out, [8.0])


# ----- Results -----


@pytest.mark.parametrize("returned", [None, "text", [np.ones(1)], {"x": 1}])
def test_a_result_that_is_no_array_is_an_error(returned):
    with pytest.raises(TypeError, match="must return an ndarray or a tuple of them"):
        function_of(lambda ctx, x: returned)(vector(1.0))


def test_several_results():
    x = vector(0.5)
    sin, cos = SinCos.apply(x)
    assert sin.output_nr == 0
    assert cos.output_nr == 1
    assert sin.grad_fn is cos.grad_fn
    (2 * sin + 3 * cos).backward()
    expected = 2 * np.cos(0.5) - 3 * np.sin(0.5)
    np.testing.assert_allclose(x.grad.data, [expected])


def test_unused_results_get_zeros():
    x = vector(0.5)
    SinCos.apply(x)[1].backward()
    np.testing.assert_allclose(x.grad.data, [-np.sin(0.5)])


def test_a_tuple_of_one():
    x = vector(1.0)
    out = function_of(lambda ctx, x: (x * 2,), lambda ctx, g: 2 * g)(x)
    assert isinstance(out, tuple)
    assert len(out) == 1
    out[0].backward()
    np.testing.assert_array_equal(x.grad.data, [2.0])


def test_nothing_differentiable_comes_out():
    y = function_of(lambda ctx, x: np.argmax(x))(vector(1.0, 3.0))
    assert y.data == 1
    assert not y.requires_grad


# ----- When nothing is needed -----


def test_without_grad_nothing_is_saved_or_linked():
    seen = []

    def forward(ctx, x):
        seen.append(ctx.needs_input_grad)
        ctx.save_for_backward(x)
        return x * 2

    double = function_of(forward)
    assert double(Variable(np.ones(2))).grad_fn is None
    with srcgrad.no_grad():
        y = double(vector(1.0))
    assert y.grad_fn is None
    assert not y.requires_grad
    assert seen == [(False,), (False,)]


def test_volatile_spreads():
    x = Variable(np.ones(2), volatile=True)
    y = Scaled(2.0)(x, vector(1.0, 2.0))
    assert y.volatile
    assert not y.requires_grad


def test_forward_is_off_the_tape():
    w = vector(2.0)

    def forward(ctx, x):
        assert not srcgrad.is_grad_enabled()
        return (w * 3).data * x

    x = vector(1.0)
    function_of(forward, lambda ctx, g: 6 * g)(x).backward()
    assert w.grad is None
    assert srcgrad.is_grad_enabled()


# ----- Under ``srcgrad.grad`` -----


def test_in_functional_grad():
    def f(x):
        return np.sum(Cube.apply(x))

    np.testing.assert_array_equal(srcgrad.grad(f)(np.array([1.0, 2.0])), [3.0, 12.0])
    second = srcgrad.grad(lambda x: np.sum(srcgrad.grad(f)(x)))
    np.testing.assert_array_equal(second(np.array([1.0, 2.0])), [6.0, 12.0])
    assert srcgrad.grad(lambda x: Cube.apply(x) * 1.0)(2.0) == 12.0


# ----- Memory -----


@pytest.mark.parametrize(
    "make",
    [Cube.apply, Exp.apply, lambda x: Scaled(2.0)(x, x), lambda x: SinCos.apply(x)[0]],
)
def test_no_cycles(make):
    gc.disable()
    try:
        x = vector(1.0, 2.0)
        y = make(x)
        node, array = weakref.ref(y.grad_fn), weakref.ref(y)
        context = weakref.ref(y.grad_fn.context)
        y.sum().backward()
        del y
        assert node() is None
        assert array() is None
        assert context() is None
        y = make(x)
        node = weakref.ref(y.grad_fn)
        autograd.grad(y.sum(), x, create_graph=True)
        del y
        assert node() is None
    finally:
        gc.enable()


def test_arguments_are_not_kept():
    x = vector(1.0)
    big = np.zeros(10)
    function = function_of(lambda ctx, x, big: x + 1, lambda ctx, g: (g, None))
    data = weakref.ref(big)
    y = function(x, big)
    del big
    assert data() is None
    y.backward()
