"""Functions that users write, in both of PyTorch's styles: calling them, saving."""

import gc
import weakref

import numpy as np
import pytest

import srcgrad
from srcgrad import Function, Variable, autograd
from tests.functions import STYLES, Cube, Exp, Scaled, SinCos, function_of, vector

# ----- Calling -----


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


def test_an_object_is_called_once():
    x, function = vector(1.0), Scaled(2.0)
    function(x, x)
    with pytest.raises(
        RuntimeError, match=r"Scaled can be called only once.*test_user_function"
    ):
        function(x, x)


def test_the_styles_are_not_mixed_up():
    with pytest.raises(TypeError, match=r"is a @staticmethod.*Cube.apply"):
        Cube()(vector(1.0))
    with pytest.raises(TypeError, match=r"no @staticmethod.*Scaled\(\.\.\.\)\(x\)"):
        Scaled.apply(vector(1.0), vector(1.0))


def test_missing_methods():
    class Empty(Function):
        pass

    with pytest.raises(NotImplementedError, match="Empty has no forward"):
        Empty()(vector(1.0))
    y = function_of(lambda ctx, x: x * 2, Function.backward)(vector(1.0))
    with pytest.raises(NotImplementedError, match="no backward"):
        y.backward()


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


def test_place_in_the_graph():
    x = vector(1.0, 2.0)
    node = Cube.apply(x).grad_fn
    assert isinstance(node, Function)
    assert issubclass(srcgrad.Leaf, Function)
    assert node.name() == "CubeBackward"
    assert repr(node).startswith("<CubeBackward")
    assert node.next_functions == ((x.creator, 0),) == node.previous_functions
    assert node.needs_input_grad == (True,)
    np.testing.assert_array_equal(node.saved_tensors[0].data, x.data)
    function = Scaled(3.0)
    assert function(x, x).grad_fn.factor == 3.0


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


def test_forward_is_off_the_tape():
    w = vector(2.0)

    def forward(ctx, x):
        assert not srcgrad.is_grad_enabled()
        return (w * 3).data * x

    x = vector(1.0)
    function_of(forward, lambda ctx, g: 6 * g)(x).backward()
    assert w.grad is None
    assert srcgrad.is_grad_enabled()


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
def test_freed_buffers(style):
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


# ----- With the rest -----


def test_in_functional_grad():
    def f(x):
        return np.sum(Cube.apply(x))

    np.testing.assert_array_equal(srcgrad.grad(f)(np.array([1.0, 2.0])), [3.0, 12.0])
    second = srcgrad.grad(lambda x: np.sum(srcgrad.grad(f)(x)))
    np.testing.assert_array_equal(second(np.array([1.0, 2.0])), [6.0, 12.0])
    assert srcgrad.grad(lambda x: Cube.apply(x) * 1.0)(2.0) == 12.0


def test_traced_calls_that_are_once_differentiable_stay_on_the_tape():
    @srcgrad.trace
    def f(x):
        return np.sum(Exp.apply(x) * 2.0)

    for _ in range(3):
        x = vector(1.0, 2.0)
        f(x).backward()
        np.testing.assert_array_equal(x.grad.data, 2.0 * np.exp([1.0, 2.0]))
    assert f.stats.compiled == 0
    assert f.stats.tape == 3
    assert "calls Exp, a Function of the user's own" in f.explain()


def test_traced_calls_stay_on_the_tape_in_the_old_style():
    @srcgrad.trace
    def f(x):
        return np.sum(Scaled(3.0)(x, x))

    for _ in range(3):
        x = vector(1.0, 2.0)
        f(x).backward()
        np.testing.assert_array_equal(x.grad.data, [6.0, 12.0])
    assert f.stats.compiled == 0


def test_beside_a_traced_function():
    f = srcgrad.trace(lambda x: x * x)
    for _ in range(3):
        x = vector(1.0, 2.0)
        f(Cube.apply(f(x))).sum().backward()
        np.testing.assert_array_equal(x.grad.data, 12 * x.data**11)
    assert f.stats.compiled > 3


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


def test_names_are_where_pytorch_has_them():
    assert autograd.Function is srcgrad.Function
    assert autograd.Variable is srcgrad.Variable
    assert autograd.once_differentiable is srcgrad.once_differentiable
