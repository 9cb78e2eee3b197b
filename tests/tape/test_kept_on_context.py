"""Second derivatives through Functions that keep more than they have saved."""

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable

X = np.array([1.5, 0.5])
WEIGHTS = np.ones(2)
STASH = {}


class World:
    scale = 3.0
    kept = None


WORLD = World()
LAYER = World()
LAYER.kept = np.ones(2)


@pytest.fixture(autouse=True)
def _nothing_kept():
    STASH.clear()
    WORLD.kept = World.kept = None


def function_of(forward, backward):
    """A Function whose value is ``x**3``, for what these keep."""
    members = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("Cube", (srcgrad.Function,), members)


def kept(ctx, x, item):
    ctx.kept = item
    return x**3


def out_kept(ctx, x):
    ctx.out = x**3
    return ctx.out


def constants_kept(ctx, x):
    ctx.save_for_backward(x)
    ctx.three, ctx.weights, ctx.scale, ctx.pi = 3.0, WEIGHTS, WORLD.scale, np.pi
    ctx.n, ctx.mask, ctx.name, ctx.world = x.size, x > 0, "cube", LAYER
    return x**3


def constants_used(ctx, g):
    (x,) = ctx.saved_tensors
    scale = ctx.three * ctx.weights * ctx.scale / 3.0 * ctx.pi / np.pi
    scale = scale * ctx.world.kept
    return np.where(ctx.mask, scale * x**2 * g, 0.0)


def mask_and_argument(ctx, x):
    ctx.x, ctx.mask = x, x > 0
    return x**3


# Each is `forward` and `backward`.
RIGHT = {
    "an argument": (
        lambda ctx, x: kept(ctx, x, x),
        lambda ctx, g: 3.0 * ctx.kept**2 * g,
    ),
    "in a tuple": (
        lambda ctx, x: kept(ctx, x, (x, 3.0)),
        lambda ctx, g: ctx.kept[1] * ctx.kept[0] ** 2 * g,
    ),
    "in a dict": (
        lambda ctx, x: kept(ctx, x, {"all": [x]}),
        lambda ctx, g: 3.0 * ctx.kept["all"][0] ** 2 * g,
    ),
    "a result": (
        out_kept,
        lambda ctx, g: 3.0 * np.cbrt(ctx.out) ** 2 * g,
    ),
    "an argument and its signs": (
        mask_and_argument,
        lambda ctx, g: np.where(ctx.mask, 3.0 * ctx.x**2 * g, 0.0),
    ),
    "constants": (constants_kept, constants_used),
}


def in_a_closure(ctx, x):
    return kept(ctx, x, lambda g: 3.0 * x**2 * g)


def in_an_object(ctx, x):
    world = World()
    world.x = x
    return kept(ctx, x, world)


def in_a_global(ctx, x):
    STASH["x"] = x
    return x**3


def computed_in_a_global(ctx, x):
    STASH["slope"] = 3.0 * x**2
    return x**3


def in_an_object_outside(ctx, x):
    WORLD.kept = [x]
    return x**3


def in_a_class(ctx, x):
    World.kept = x
    return x**3


REFUSED = {
    "what is computed": (
        lambda ctx, x: kept(ctx, x, 3.0 * x**2),
        lambda ctx, g: ctx.kept * g,
    ),
    "a view": (
        lambda ctx, x: kept(ctx, x, x[:]),
        lambda ctx, g: 3.0 * ctx.kept**2 * g,
    ),
    "a number": (
        lambda ctx, x: kept(ctx, x, float(x[0])),
        lambda ctx, g: 3.0 * np.array([ctx.kept, 0.5]) ** 2 * g,
    ),
    "a closure": (in_a_closure, lambda ctx, g: ctx.kept(g)),
    "an object": (in_an_object, lambda ctx, g: 3.0 * ctx.kept.x**2 * g),
    "a global": (in_a_global, lambda ctx, g: 3.0 * STASH["x"] ** 2 * g),
    "computed": (computed_in_a_global, lambda ctx, g: STASH["slope"] * g),
    "an object outside": (
        in_an_object_outside,
        lambda ctx, g: 3.0 * WORLD.kept[0] ** 2 * g,
    ),
    "a class": (in_a_class, lambda ctx, g: 3.0 * World.kept**2 * g),
}


def on_the_tape(f):
    x = Variable(X, requires_grad=True)
    (g,) = srcgrad.autograd.grad(f(x), x, create_graph=True)
    (found,) = srcgrad.autograd.grad(np.sum(g), x)
    return found.data


def traced(f):
    f = srcgrad.trace(f)
    for _ in range(3):
        x = Variable(X, requires_grad=True)
        f(x).backward(create_graph=True)
        g, x.grad = x.grad, None
        np.sum(g).backward()
    return x.grad.data


SECOND = {
    "the tape": on_the_tape,
    "trace": traced,
    "grad": lambda f: srcgrad.grad(lambda x: np.sum(srcgrad.grad(f)(x)))(X),
    "hessian": lambda f: np.diag(srcgrad.hessian(f)(X)),
    "hvp": lambda f: srcgrad.hvp(f, X, np.ones(2)),
    "jvp of grad": lambda f: srcgrad.jvp(srcgrad.grad(f), (X,), (np.ones(2),))[1],
}


@pytest.mark.parametrize("second", SECOND)
@pytest.mark.parametrize("name", RIGHT)
def test_arguments_and_results_are_on_the_tape(name, second):
    cube = function_of(*RIGHT[name])
    for _ in range(3):
        found = SECOND[second](lambda x: np.sum(cube.apply(x)))
        np.testing.assert_allclose(found, 6.0 * X)


@pytest.mark.parametrize("second", SECOND)
@pytest.mark.parametrize("name", REFUSED)
def test_all_else_that_is_kept_has_no_second_derivative(name, second):
    cube = function_of(*REFUSED[name])
    for _ in range(3):
        with pytest.raises(RuntimeError, match="save_for_backward"):
            SECOND[second](lambda x: np.sum(cube.apply(x)))


@pytest.mark.parametrize("name", [*RIGHT, *REFUSED])
def test_first_derivatives_are_as_they_were(name):
    cube = function_of(*(RIGHT | REFUSED)[name])

    def f(x):
        return np.sum(cube.apply(x))

    for _ in range(3):
        np.testing.assert_allclose(srcgrad.grad(f)(X), 3.0 * X**2)
        _, tangent = srcgrad.jvp(f, (X,), (np.ones(2),))
        np.testing.assert_allclose(tangent, np.sum(3.0 * X**2))
        x = Variable(X, requires_grad=True)
        f(x).backward(create_graph=True)
        np.testing.assert_allclose(x.grad.data, 3.0 * X**2)


@pytest.mark.parametrize("name", [*RIGHT, *REFUSED])
def test_a_gradient_of_a_tangent_is_right_or_an_error(name):
    cube = function_of(*(RIGHT | REFUSED)[name])

    def tangent(x):
        return srcgrad.jvp(lambda v: np.sum(cube.apply(v)), (x,), (np.ones(2),))[1]

    if name == "constants":
        np.testing.assert_allclose(srcgrad.grad(tangent)(X), 6.0 * X)
        return
    with pytest.raises(RuntimeError, match="save_for_backward"):
        srcgrad.grad(tangent)(X)


def test_what_does_not_compute_with_it_has_a_second_derivative():
    shift = function_of(
        lambda ctx, x: kept(ctx, x, np.sin(x)) - x**3 + x, lambda ctx, g: 2.0 * g - g
    )
    found = on_the_tape(lambda x: np.sum(shift.apply(x) ** 2))
    np.testing.assert_allclose(found, [2.0, 2.0])


def test_what_was_changed_since_is_an_error():
    cube = function_of(*RIGHT["an argument"])
    x = Variable(X.copy(), requires_grad=True)
    y = x * 1.0
    out = np.sum(cube.apply(y))
    with srcgrad.no_grad():
        y += 1.0
    with pytest.raises(srcgrad.InplaceError):
        srcgrad.autograd.grad(out, x, create_graph=True)


def test_the_context_is_as_it_was_after_the_pass():
    seen = []

    def backward(ctx, g):
        seen.append(ctx)
        return 3.0 * ctx.kept**2 * g

    on_the_tape(
        lambda x: np.sum(function_of(RIGHT["an argument"][0], backward).apply(x))
    )
    assert type(seen[0].kept) is np.ndarray


class OldCube(srcgrad.Function):
    def forward(self, x):
        self.x = x
        return x**3

    def backward(self, g):
        return 3.0 * self.x**2 * g


@pytest.mark.parametrize("second", SECOND)
def test_one_of_the_older_style_says_what_to_write(second):
    for _ in range(3):
        with pytest.raises(RuntimeError, match="save_for_backward"):
            SECOND[second](lambda x: np.sum(OldCube()(x)))


# ----- A derivative of the user's own: what its way there keeps -----


def outside(x):
    STASH["slope"] = 3.0 * x**2
    return x**3, None


def in_a_residual_object(x):
    world = World()
    world.x = x
    return x**3, world


OWN = {
    "residuals": (lambda x: (x**3, x), lambda x, g: (3.0 * x**2 * g,)),
    "outside": (outside, lambda _, g: (STASH["slope"] * g,)),
    "an object": (in_a_residual_object, lambda w, g: (3.0 * w.x**2 * g,)),
    "a closure": (lambda x: (x**3, lambda g: 3.0 * x**2 * g), lambda r, g: (r(g),)),
}


@pytest.mark.parametrize("second", SECOND)
@pytest.mark.parametrize("name", OWN)
def test_what_a_custom_vjp_keeps_is_on_the_tape(name, second):
    cube = srcgrad.custom_vjp(lambda x: x**3)
    cube.defvjp(*OWN[name])
    for _ in range(3):
        found = SECOND[second](lambda x: np.sum(cube(x)))
        np.testing.assert_allclose(found, 6.0 * X)
