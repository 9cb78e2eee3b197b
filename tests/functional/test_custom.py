"""``custom_vjp`` and ``custom_jvp``: the user's own derivatives, at every order."""

import functools

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable

X = np.array([0.3, -1.0, 2.0])
S = 1.0 / (1.0 + np.exp(-X))


@srcgrad.custom_vjp
def log_sigmoid(x):
    return np.log(1.0 / (1.0 + np.exp(-x)))


def forward(x):
    s = 1.0 / (1.0 + np.exp(-x))
    return np.log(s), s


log_sigmoid.defvjp(forward, lambda s, g: (g * (1.0 - s),))


@srcgrad.custom_jvp
def log_sigmoid_too(x):
    return np.log(1.0 / (1.0 + np.exp(-x)))


@log_sigmoid_too.defjvp
def log_sigmoid_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    return log_sigmoid_too(x), t / (1.0 + np.exp(x))


@srcgrad.custom_vjp
def doubled(x):
    return x * 1.0


doubled.defvjp(lambda x: (x * 1.0, None), lambda _, g: (2.0 * g,))

BOTH = pytest.mark.parametrize("f", [log_sigmoid, log_sigmoid_too])


@BOTH
def test_first_and_second_derivatives(f):
    def total(x):
        return np.sum(f(x) * x)

    for _ in range(4):
        np.testing.assert_allclose(f(X), np.log(S))
        np.testing.assert_allclose(srcgrad.grad(total)(X), (1 - S) * X + np.log(S))
        second = np.diag(2 * (1 - S) - X * S * (1 - S))
        np.testing.assert_allclose(srcgrad.hessian(total)(X), second, atol=1e-14)
        np.testing.assert_allclose(srcgrad.hvp(total, X, X), second @ X)
        np.testing.assert_allclose(srcgrad.jvp(f, (X,), (X,))[1], (1 - S) * X)
        np.testing.assert_allclose(srcgrad.jacobian(f)(X), np.diag(1 - S))


@BOTH
def test_in_a_traced_function(f):
    @srcgrad.trace
    def total(x):
        return np.sum(f(x) * x)

    for _ in range(4):
        x = Variable(X, requires_grad=True)
        total(x).backward()
        np.testing.assert_allclose(x.grad.data, (1 - S) * X + np.log(S))
        (g,) = srcgrad.autograd.grad(total(x), x, create_graph=True)
        (second,) = srcgrad.autograd.grad(g.sum(), x)
        np.testing.assert_allclose(second.data, 2 * (1 - S) - X * S * (1 - S))
    assert total.stats.compiled > 4


class Model:
    def __init__(self, f):
        self.f = f

    def total(self, scale, x):
        return scale * np.sum(self.f(x) * x)


TRANSFORMS_OF_METHODS = {
    "grad": lambda f: srcgrad.grad(f, 1),
    "jacobian": lambda f: srcgrad.jacobian(f, 1, mode="reverse"),
    "jvp": lambda f: lambda a, x: srcgrad.jvp(f, (a, x), (0.0, X))[1],
    "vmap": lambda f: srcgrad.vmap(srcgrad.grad(f, 1), in_axes=(None, 0)),
}


@BOTH
@pytest.mark.parametrize("name", TRANSFORMS_OF_METHODS)
def test_transforms_on_variables_are_differentiated_as_themselves(f, name):
    transform = TRANSFORMS_OF_METHODS[name](Model(f).total)

    def seconds():
        x = Variable(X[None] if name == "vmap" else X, requires_grad=True)
        (g,) = srcgrad.autograd.grad(np.sum(transform(3.0, x)), x, create_graph=True)
        return g.data, srcgrad.autograd.grad(g, x, np.ones_like(g.data))[0].data

    with srcgrad.set_stance("tape"):
        expected = seconds()
    for _ in range(4):
        np.testing.assert_allclose(seconds(), expected, rtol=1e-12)


def test_the_users_derivative_counts():
    for _ in range(4):
        assert srcgrad.grad(lambda x: doubled(x) ** 2)(3.0) == 12.0
        assert srcgrad.grad(srcgrad.grad(lambda x: doubled(x) ** 2))(3.0) == 8.0


def test_containers_and_arguments_without_derivative():
    @srcgrad.custom_vjp
    def f(p, name, x):
        return {"sum": np.sum(p[0]) * x, "same": p[1]}

    f = srcgrad.custom_vjp(f._function, nondiff_argnums=(1,))
    f.defvjp(
        lambda p, name, x: ({"sum": np.sum(p[0]) * x, "same": p[1]}, (p, x)),
        lambda name, res, g: ((g["sum"] * res[1] * np.ones(2), None), None),
    )

    def total(p, x):
        found = f(p, "name", x)
        return found["sum"] + np.sum(found["same"])

    for _ in range(4):
        by_p, by_x = srcgrad.grad(total, (0, 1))((np.ones(2), np.ones(3)), 3.0)
        np.testing.assert_array_equal(by_p[0], [3.0, 3.0])
        np.testing.assert_array_equal(by_p[1], np.zeros(3))
        assert by_x == 0.0
    np.testing.assert_array_equal(
        srcgrad.grad(lambda x: f(p=(x, x), name="a", x=2.0)["sum"])(np.ones(2)), 2.0
    )


def test_what_does_not_fit():
    with pytest.raises(AttributeError, match=r"(?s)has no derivative yet.*defvjp"):
        srcgrad.grad(srcgrad.custom_vjp(lambda x: x))(1.0)
    f = srcgrad.custom_vjp(lambda x: x)
    f.defvjp(lambda x: x, lambda res, g: (g,))
    with pytest.raises(TypeError, match=r"forward must return \(value, residuals\)"):
        srcgrad.grad(f)(1.0)
    for back, message in (
        (lambda res, g: g, "a tuple of 1 gradients, but returned"),
        (lambda res, g: (g, g), "a tuple of 1 gradients, but returned 2"),
        (lambda res, g: ((g, g),), "for `x` a gradient in its structure"),
    ):
        f = srcgrad.custom_vjp(lambda x: x * 1.0)
        f.defvjp(lambda x: (x * 1.0, None), back)
        with pytest.raises(TypeError, match=message):
            srcgrad.grad(f)(1.0)
    for found, message in (
        (lambda x, t: t, r"must return \(value, tangent\)"),
        (lambda x, t: (x, (t, t)), "the structure of the value"),
        (lambda x, t: (x, np.sum(t)), r"the shape of the value, \(2,\), but has \(\)"),
        (
            lambda x, t: (x, np.ones(3)),
            r"the shape of the value, \(2,\), but has \(3,\)",
        ),
    ):
        h = srcgrad.custom_jvp(lambda x: x * 1.0)
        h.defjvp(lambda primals, tangents, found=found: found(*primals, *tangents))
        for _ in range(3):
            with pytest.raises(TypeError, match=message):
                srcgrad.jvp(h, (np.ones(2),), (np.ones(2),))


def test_a_gradient_by_what_it_closes_over_is_not_lost_silently():
    def outer(y):
        f = srcgrad.custom_vjp(lambda x: x * y)
        f.defvjp(lambda x: (x * y, None), lambda res, g: (g,))
        return f(y)

    with pytest.raises(TypeError, match="closes over what is differentiated by"):
        srcgrad.grad(outer)(2.0)


# ----- A fixed point, differentiated implicitly, as in JAX's documentation -----


@functools.partial(srcgrad.custom_vjp, nondiff_argnums=(0,))
def fixed_point(f, a, guess):
    before, x = guess, f(a, guess)
    while np.abs(before - x) > 1e-12:
        before, x = x, f(a, x)
    return x


def fixed_point_forward(f, a, guess):
    x = fixed_point(f, a, guess)
    return x, (a, x)


def adjoint_step(f, packed, u):
    a, x, g = packed
    _, f_vjp = srcgrad.vjp(lambda x: f(a, x), x)
    return g + f_vjp(u)[0]


def fixed_point_backward(f, residuals, g):
    a, x = residuals
    _, f_vjp = srcgrad.vjp(lambda a: f(a, x), a)
    step = functools.partial(adjoint_step, f)
    (by_a,) = f_vjp(fixed_point(step, (a, x, g), g))
    return by_a, np.zeros_like(x)


fixed_point.defvjp(fixed_point_forward, fixed_point_backward)


def square_root(a):
    return fixed_point(lambda a, x: 0.5 * (x + a / x), a, a)


def test_a_way_there_may_call_the_function_itself():
    for _ in range(3):
        np.testing.assert_allclose(square_root(2.0), np.sqrt(2.0))
        np.testing.assert_allclose(srcgrad.grad(square_root)(2.0), 0.5 / np.sqrt(2.0))
        second = srcgrad.grad(srcgrad.grad(square_root))(2.0)
        np.testing.assert_allclose(second, -0.25 * 2.0**-1.5)


def test_a_rule_may_call_jvp():
    """A call in it that is compiled keeps the gradient of the tangents."""

    def f(x):
        return np.sum(np.sin(x) * x)

    x = np.array([0.3, -0.7])
    for _ in range(5):
        g = srcgrad.custom_jvp(f)
        g.defjvp(lambda primals, tangents: srcgrad.jvp(f, primals, tangents))
        np.testing.assert_allclose(srcgrad.grad(g)(x), np.cos(x) * x + np.sin(x))
        v = srcgrad.Variable(x, requires_grad=True)
        g(v).backward()
        np.testing.assert_allclose(v.grad.data, np.cos(x) * x + np.sin(x))


def scaled(x, *, factor=2.0, shift=1.0):
    return factor * x + shift


@pytest.mark.parametrize("function", [scaled, functools.partial(scaled, factor=2.0)])
def test_keyword_only_arguments_are_what_they_are_by_default(function):
    own, other = srcgrad.custom_vjp(function), srcgrad.custom_jvp(function)
    own.defvjp(lambda x: (function(x), None), lambda _, g: (5.0 * g,))
    other.defjvp(lambda primals, tangents: (function(*primals), 5.0 * tangents[0]))
    for _ in range(3):
        assert own(3.0) == other(3.0) == 7.0
        assert srcgrad.grad(own)(3.0) == srcgrad.grad(other)(3.0) == 5.0
    with pytest.raises(TypeError, match="was given keyword-only arguments"):
        own(3.0, shift=2.0)
