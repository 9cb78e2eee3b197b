"""Transforms inside one another: what they leave on each other's tape."""

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable, grad
from srcgrad.pytree import flatten

X = np.array([2.0, 1.0])


def test_an_inner_transform_closes_over_an_outer_argument():
    def outer(x, y):
        return np.sum(srcgrad.grad(lambda v: np.sum(v * v * y))(x))

    by_x, by_y = srcgrad.grad(outer, (0, 1))(X, 3.0 * X)
    np.testing.assert_array_equal(by_x, 6.0 * X)
    np.testing.assert_array_equal(by_y, 2.0 * X)


# ----- Functions that close over Variables -----

W = np.array([[0.3, -0.7], [0.5, 0.2], [-0.4, 0.9]])
POINT = np.array([0.2, -0.5, 0.8])
CLOSED = {
    "grad": lambda f: [grad(f)(POINT)],
    "value_and_grad": lambda f: [*srcgrad.value_and_grad(f)(POINT)],
    "hvp": lambda f: [srcgrad.hvp(f, POINT, np.ones(3))],
    "hessian": lambda f: [srcgrad.hessian(f)(POINT)],
    "jvp": lambda f: [*srcgrad.jvp(f, (POINT,), (np.ones(3),))],
    "linearize": lambda f: [srcgrad.linearize(f, POINT)[1](np.ones(3))],
    "vjp": lambda f: [*srcgrad.vjp(f, POINT)[1](1.0)],
    "number": lambda f: [grad(lambda t: f(POINT * t))(0.5)],
    "vmap": lambda f: [srcgrad.vmap(grad(f))(np.stack([POINT, -POINT]))],
    "nested": lambda f: [grad(lambda y: np.sum(grad(f)(y) ** 2))(POINT)],
}


def once(x, w):
    return np.sum(np.tanh(x @ w) ** 2)


def in_a_loop(x, w):
    for _ in range(6):
        x = np.tanh(w[:, 0] * x)
    return np.sum(x * x)


@pytest.mark.parametrize("program", [once, in_a_loop])
@pytest.mark.parametrize("name", CLOSED)
def test_results_lead_to_a_variable_of_a_closure(name, program):
    """On the tape, while a call is recorded, and from generated code."""
    w = Variable(W, requires_grad=True)
    f = lambda x: program(x, w)  # noqa: E731

    def squares(results):
        return sum(np.sum(each * each) for each in results)

    # As an argument, it is on the tape for certain.
    total = grad(lambda v: squares(CLOSED[name](lambda x: program(x, v))))
    expected = total(W)
    for _ in range(4):
        results = CLOSED[name](f)
        assert all(type(each) is Variable for each in results)
        (found,) = srcgrad.autograd.grad([squares(results)], [w])
        np.testing.assert_allclose(found.data, expected, atol=1e-12)
    with srcgrad.set_stance("verify"):
        CLOSED[name](f)
    with srcgrad.no_grad():
        assert not any(isinstance(each, Variable) for each in CLOSED[name](f))


def test_results_that_lead_nowhere_outside_are_arrays():
    w = Variable(W, requires_grad=True)
    f = lambda x: (np.sum(x**3) + np.sum(w), x * 2.0)  # noqa: E731
    g = srcgrad.value_and_grad(f, has_aux=True)
    for _ in range(4):
        (value, aux), gradient = g(POINT)
        assert type(value) is Variable
        assert type(aux) is type(gradient) is np.ndarray
        np.testing.assert_allclose(gradient, 3 * POINT**2)
    w.requires_grad = False
    for _ in range(3):
        assert type(g(POINT)[0][0]) is np.float64


# ----- Kinds -----


def and_linear(f, x, t):
    value, f_jvp = srcgrad.linearize(f, x)
    return value, f_jvp(t)


def and_back(f, x):
    value, f_vjp = srcgrad.vjp(f, x)
    return value, f_vjp(value)


TRANSFORMS = {
    "value_and_grad": lambda f, x, t: srcgrad.value_and_grad(f)(x),
    "jvp": lambda f, x, t: srcgrad.jvp(f, (x,), (t,)),
    "linearize": and_linear,
    "vjp": lambda f, x, t: and_back(f, x),
    "jacobian": lambda f, x, t: srcgrad.jacobian(f)(x),
    "forward": lambda f, x, t: srcgrad.jacobian(f, mode="forward")(x),
    "hessian": lambda f, x, t: srcgrad.hessian(f)(x),
    "hvp": lambda f, x, t: srcgrad.hvp(f, (x,), (t,)),
    "elementwise_grad": lambda f, x, t: srcgrad.elementwise_grad(f)(x),
    "vmap": lambda f, x, t: srcgrad.vmap(grad(f))(np.stack([x, x])),
}
OFFSET = Variable(np.array(2.0), requires_grad=True)
PLAIN = {
    "square": lambda x: np.sum(x**2),
    "line": lambda x: np.sum(x * 3.0),
    "none": lambda x: np.float64(3.0),
}
CLOSING = {
    "sum": lambda x: np.sum(x) + OFFSET,
    "product": lambda x: np.sum(x * OFFSET),
    "constant": lambda x: np.sum(OFFSET),
}
POINTS = (1.5, np.float64(1.5), np.array(1.5), np.array([1.0, 2.0]))


def kinds_of(tree):
    """Of each leaf its kind; of a Variable that of its data, and of its gradient."""
    return [
        (type(leaf.data), np.shape(leaf.data), leaf.requires_grad)
        if isinstance(leaf, Variable)
        else (type(leaf), np.shape(leaf))
        for leaf in flatten(tree)[0]
    ]


def leading(kinds):
    return [kind for kind in kinds if kind[2:] == (True,)]


def kinds_found(name, f, x, t):
    """Those on the tape, while calls are recorded, and of generated code."""
    found = [kinds_of(TRANSFORMS[name](f, x, t)) for _ in range(4)]
    assert all(each == found[0] for each in found), found
    return found[0]


@pytest.mark.parametrize("name", TRANSFORMS)
def test_the_kinds_of_results(name):
    for f in (PLAIN | CLOSING).values():
        own = lambda x, f=f: f(x)  # noqa: E731
        for point in POINTS:
            kinds_found(name, own, point, point)


@pytest.mark.parametrize("name", TRANSFORMS)
def test_variables_that_require_no_grad_give_such(name):
    for f in PLAIN.values():
        own = lambda x, f=f: f(x)  # noqa: E731
        for raw in POINTS[2:]:
            x = Variable(raw)
            for direction in (x, raw):
                assert not leading(kinds_found(name, own, x, direction))


@pytest.mark.parametrize("name", TRANSFORMS)
def test_under_no_grad_nothing_requires_grad_and_calls_compile(name):
    x = Variable(POINT, requires_grad=True)
    own = lambda x: np.sum(x**2)  # noqa: E731
    with srcgrad.no_grad():
        assert not leading(kinds_found(name, own, x, x))
        kinds_found(name, own, POINT, POINT)
    assert srcgrad.source(own)


def test_kinds_in_a_traced_function():
    f = lambda x: (grad(lambda y: y * y)(x), srcgrad.jacobian(np.sin)(x))  # noqa: E731
    traced = srcgrad.trace(f)
    for point in POINTS[:3]:
        for _ in range(3):
            assert kinds_of(traced(point)) == kinds_of(f(point))
