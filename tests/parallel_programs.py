"""Functions that go to other processes, and calls of them."""

import functools

import numpy as np

import srcgrad

W = np.array([1.0, 2.0, 3.0])
X = np.array([0.5, -0.25, 1.5])


def plain(w, x):
    return np.sum(np.tanh(w * x) ** 2)


@srcgrad.trace
def traced(w, x):
    return plain(w, x)


named = srcgrad.grad(plain)


@srcgrad.grad
def slope(x):
    return x**3


@srcgrad.custom_vjp
def cubes(x):
    return np.sum(x**3)


cubes.defvjp(lambda x: (np.sum(x**3), x), lambda x, g: (7.0 * g * x,))


class Model:
    def __init__(self, stiffness):
        self.stiffness = stiffness

    @srcgrad.trace
    def energy(self, x):
        return self.stiffness * np.sum(x**2)

    def work(self, x):
        return self.stiffness * np.sum(x)


def backward(w):
    w = srcgrad.Variable(w, requires_grad=True)
    traced(w, X).backward()
    return w.grad.data


def leaf():
    return srcgrad.Variable(W, requires_grad=True)


def no_leaf():
    return leaf() * 2.0


def refused(x):
    return srcgrad.grad(lambda x: np.sum(np.unwrap(x, period=x[0])))(3)


def wrong():
    srcgrad.gradcheck(cubes, (W,))


CALLS = {
    "a traced function": (traced, W, X),
    "its gradient": (srcgrad.grad(traced), W, X),
    "a gradient with a name": (named, W, X),
    "a gradient without": (srcgrad.value_and_grad(plain, argnums=(0, 1)), W, X),
    "a decorated one": (slope, 2.0),
    "over a batch": (srcgrad.vmap(slope), W),
    "hessian": (srcgrad.hessian(plain), W, X),
    "jacobian of NumPy's": (srcgrad.jacobian(np.sin), W),
    "hvp with arguments": (
        functools.partial(srcgrad.hvp, plain),
        *((W, X), (X, W)),
    ),
    "checkpoint": (srcgrad.checkpoint(plain), W, X),
    "a derivative of one's own": (srcgrad.grad(cubes), W),
    "a traced method": (Model(3.0).energy, W),
    "the gradient of it": (srcgrad.grad(Model(3.0).energy), W),
    "that of a method": (srcgrad.grad(Model(3.0).work), W),
    "on the tape": (backward, W),
}
ERRORS = {"of a function": (refused, W), "of a check": (wrong,)}


def run(call):
    """The result of a call, twice: from the tape, and compiled."""
    function, *args = call
    return [function(*args) for _ in range(2)]


def error_of(call):
    function, *args = call
    try:
        return function(*args)
    except Exception as error:
        return error
