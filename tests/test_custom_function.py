"""Functions that users write, in both of PyTorch's styles."""

import gc
import weakref

import numpy as np
import pytest

import srcgrad
from srcgrad import Function, Variable, autograd

STYLES = ["static", "instance"]


def vector(*elements):
    return Variable(np.array(elements), requires_grad=True)


def as_instance(cls, *args):
    return cls(*args)


class Cube(Function):
    """The newer style; differentiable at any order."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * g * x**2


class Scaled(Function):
    """The older style: an object with parameters, called once."""

    def __init__(self, factor):
        self.factor = factor

    def forward(self, x, y):
        self.save_for_backward(x, None, y)
        return self.factor * x * y

    def backward(self, g):
        x, nothing, y = self.saved_tensors
        assert nothing is None
        return self.factor * g * y, self.factor * g * x


class Exp(Function):
    """Saves its result, and computes its gradient on ndarrays."""

    @staticmethod
    def forward(ctx, x):
        out = np.exp(x)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    @srcgrad.once_differentiable
    def backward(ctx, g):
        (out,) = ctx.saved_tensors
        assert type(g) is np.ndarray
        assert type(out) is np.ndarray
        return g * out


class SinCos(Function):
    """Two results."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return np.sin(x), np.cos(x)

    @staticmethod
    def backward(ctx, gsin, gcos):
        (x,) = ctx.saved_tensors
        return gsin * np.cos(x) - gcos * np.sin(x)


def function_of(forward, backward=lambda ctx, g: g, style="static"):
    """A Function, made of a forward and a backward."""
    wrap = staticmethod if style == "static" else lambda method: method
    members = {"forward": wrap(forward), "backward": wrap(backward)}
    cls = type("Made", (Function,), members)
    return cls.apply if style == "static" else lambda *args: cls()(*args)


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
        RuntimeError, match=r"Scaled can be called only once.*test_custom"
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


# ----- Gradients that backward returns -----


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(("count", "returned"), [(2, 1), (1, 2), (3, 1)])
def test_wrong_number_of_gradients(style, count, returned):
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
def test_a_gradient_of_the_wrong_shape(style):
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


def test_a_gradient_for_no_variable():
    y = function_of(lambda ctx, x, n: x * n, lambda ctx, g: (g, g))(vector(1.0), 2)
    with pytest.raises(
        RuntimeError, match=r"different than None at position 1.*not a Var"
    ):
        y.backward()


def test_a_gradient_that_is_no_array():
    y = function_of(lambda ctx, x: x * 2, lambda ctx, g: "gradient")(vector(1.0))
    with pytest.raises(TypeError, match="as gradient of input 0: expected an array"):
        y.backward()


@pytest.mark.parametrize("returned", [None, "text", [np.ones(1)], {"x": 1}])
def test_a_result_that_is_no_array(returned):
    with pytest.raises(TypeError, match="must return an ndarray or a tuple of them"):
        function_of(lambda ctx, x: returned)(vector(1.0))


def test_errors_name_the_users_line():
    y = Cube.apply(vector(1.0))
    y.backward()
    with pytest.raises(RuntimeError) as caught:
        y.backward()
    notes = getattr(caught.value, "__notes__", []) or [str(caught.value)]
    assert any("y = Cube.apply(vector(1.0))" in note for note in notes)


# ----- Several results -----


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


def test_a_tuple_of_one():
    x = vector(1.0)
    out = function_of(lambda ctx, x: (x * 2,), lambda ctx, g: 2 * g)(x)
    assert isinstance(out, tuple)
    assert len(out) == 1
    out[0].backward()
    np.testing.assert_array_equal(x.grad.data, [2.0])


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


def test_nothing_differentiable_comes_out():
    y = function_of(lambda ctx, x: np.argmax(x))(vector(1.0, 3.0))
    assert y.data == 1
    assert not y.requires_grad


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


# ----- With the rest -----


def test_in_functional_grad():
    def f(x):
        return np.sum(Cube.apply(x))

    np.testing.assert_array_equal(srcgrad.grad(f)(np.array([1.0, 2.0])), [3.0, 12.0])
    second = srcgrad.grad(lambda x: np.sum(srcgrad.grad(f)(x)))
    np.testing.assert_array_equal(second(np.array([1.0, 2.0])), [6.0, 12.0])
    assert srcgrad.grad(lambda x: Cube.apply(x) * 1.0)(2.0) == 12.0


def test_traced_calls_stay_on_the_tape():
    @srcgrad.trace
    def f(x):
        return np.sum(Cube.apply(x) * 2.0)

    for _ in range(3):
        x = vector(1.0, 2.0)
        f(x).backward()
        np.testing.assert_array_equal(x.grad.data, [6.0, 24.0])
    assert f.stats.compiled == 0
    assert f.stats.tape == 3
    assert "Cube" in f.explain()


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
