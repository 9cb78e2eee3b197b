"""Running a compiled call again on the tape, to differentiate its gradient."""

import math

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable, autograd, no_grad
from srcgrad.steps import Value
from tests.variables import variable

x, h, y = (Value((2,), np.dtype(float), name) for name in "xhy")


# ----- Differentiating again what was compiled -----


def second_derivatives(function, *arguments, leaves=None):
    """First and second derivatives, of the sum of the first."""
    leaves = leaves or [each for each in arguments if each.requires_grad]
    first = autograd.grad(
        function(*arguments), leaves, create_graph=True, allow_unused=True
    )
    live = [g.sum() for g in first if g is not None and g.requires_grad]
    second = autograd.grad(live, leaves, allow_unused=True) if live else ()
    return [None if g is None else g.data.tolist() for g in (*first, *second)]


def times_detached(x):
    return np.sum(x * x.detach())


def straight_through(x):
    return np.sum((np.round(x) - x).detach() + x * x)


def constant_inside(x):
    with no_grad():
        y = x * x
    return np.sum(y * x)


def changed_without_grad(x):
    h = x * x
    with no_grad():
        h *= 3.0
    return np.sum(h * x)


def detached_parts(x):
    h = np.sin(x)
    return np.sum(h[1:].detach() * h[:-1] + h.detach()[:1] * h[-1:])


@pytest.mark.parametrize(
    "function",
    [
        *(times_detached, straight_through, constant_inside),
        *(changed_without_grad, detached_parts),
    ],
)
def test_what_is_off_the_tape_stays_off(function):
    expected = second_derivatives(function, variable([1.2, 2.3, 3.4]))
    traced = srcgrad.trace(function)
    for _ in range(3):
        assert second_derivatives(traced, variable([1.2, 2.3, 3.4])) == expected
    assert traced.stats.compiled == 2, traced.explain()


def thrice(p, q, r):
    return np.sum(p * np.exp(q) * r)


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("off", [Variable.detach, lambda x: Variable(x.data, True)])
def test_one_variable_twice_beside_another_on_its_array(number, off):
    def derivatives(function):
        x = variable([1.0, 2.0])
        arguments = [x, x, x]
        arguments[number] = off(x)
        return second_derivatives(function, *arguments, leaves=[x])

    traced = srcgrad.trace(thrice)
    for _ in range(3):
        np.testing.assert_allclose(derivatives(traced), derivatives(thrice))
    assert traced.stats.compiled == 2, traced.explain()


ARGUMENTS = {
    "one detached": lambda v: (v.detach(), v),
    "the other": lambda v: (v, v.detach()),
    "twice the same": lambda v: (v, v),
    "as an array": lambda v: (v.data, v),
    "two on one array": lambda v: (srcgrad.Variable(v.data, requires_grad=True), v),
    "a scalar": lambda v: (v.sum().detach(), v),
}


@pytest.mark.parametrize("make", ARGUMENTS.values(), ids=ARGUMENTS)
def test_arguments_are_told_apart_by_their_places(make):
    def function(a, b):
        return np.sum(a * a * b), a, b

    def run(f):
        v = variable([1.0, 2.0, 3.0])
        a, b = make(v)
        seen = f(a, b)
        assert (seen[1] is a, seen[2] is b) == (True, True)
        leaves = [v] if type(a) is np.ndarray or a.edge in (None, v.edge) else [a, v]
        return second_derivatives(lambda *args: f(*args)[0], a, b, leaves=leaves)

    traced = srcgrad.trace(function)
    for _ in range(3):
        assert run(traced) == run(function)
    assert traced.stats.compiled >= 4, traced.explain()


@pytest.mark.parametrize("order", [2, 3])
def test_higher_derivatives_go_through_compiled_calls(order):
    traced = srcgrad.trace(lambda x: np.sum(x**4))
    values = np.array([1.0, 2.0])
    for _ in range(3):
        v = variable(values)
        g = traced(v)
        for _ in range(order):
            (g,) = srcgrad.autograd.grad(g.sum(), v, create_graph=True)
        expected = {2: 12.0 * values**2, 3: 24.0 * values}[order]
        np.testing.assert_allclose(g.data, expected)
    assert traced.stats.compiled == 2


def with_two_kinds(v, c):
    y = 0.5 if c > 0 else c * 2.0
    return y * 1.5 * v[0] * v[1]


def with_math_in_arms(v, c):
    b = v[1] * v[2]
    if c > 0:
        b = math.tanh(b) * v[1]
        if v[1] > c:
            b = b * math.exp(v[2])
    return b * v[0]


def with_math_in_arms_in_a_loop(v, c):
    b = v[0] * c
    for i in range(6):
        b = (math.tanh(b) if b * v[i % 3] > 0 else math.cos(b)) * v[1]
    return b


@pytest.mark.parametrize(
    "function", [with_two_kinds, with_math_in_arms, with_math_in_arms_in_a_loop]
)
def test_arms_are_laid_on_the_tape_with_all_that_they_read(function):
    traced = srcgrad.trace(function)
    for c in np.array([0.3, 0.6, -0.4, 0.2, -0.7, 2.0]):
        found = []
        for stance in ("default", "tape"):
            v = variable([0.5, 1.5, -0.8])
            with srcgrad.set_stance(stance):
                (g,) = autograd.grad(traced(v, c), [v], create_graph=True)
            np.sum(g * g).backward()
            found.append((g.data, v.grad.data))
        np.testing.assert_allclose(*found)
    assert traced.stats.compiled >= 4, traced.explain()


def test_a_method_with_a_backward_of_the_users_is_run_again_as_it_is():
    class Triple(srcgrad.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 3 * g * x * x

    class Model:
        def loss(self, x):
            return np.sum(Triple.apply(x))

    traced = srcgrad.trace(Model().loss)
    for _ in range(3):
        v = variable([1.0, 2.0])
        (g,) = srcgrad.autograd.grad(traced(v), v, create_graph=True)
        (gg,) = srcgrad.autograd.grad(g.sum(), v)
        np.testing.assert_allclose(gg.data, [6.0, 12.0])
    assert traced.stats.compiled == 2, traced.explain()


class Cube(srcgrad.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * g * x * x


def test_a_function_that_runs_again_gets_its_arrays_as_they_were():
    def function(w, b):
        return np.sum(Cube.apply(w) * np.sin(b))

    traced = srcgrad.trace(function)
    for _ in range(3):
        found = []
        for each in (function, traced):
            w, b = variable([1.0, 2.0]), np.array([0.5, 1.5])
            out = each(w, b)
            b[:] = 0.0
            (g,) = autograd.grad(out, w, create_graph=True)
            (gg,) = autograd.grad(g.sum(), w)
            found.append((g.data.tolist(), gg.data.tolist()))
        assert found[0] == found[1]
    assert traced.stats.compiled == 2, traced.explain()


@pytest.mark.parametrize(
    "same", [lambda x: x.real, np.real, lambda x: x.conj(), lambda x: np.real(x.real)]
)
def test_one_array_under_several_names_is_saved_under_each(same):
    def function(x, y):
        larger = np.maximum(same(x), y)
        return np.sum(larger * larger * (same(x) > 0) * same(x))

    traced, y = srcgrad.trace(function), np.array([-1.0, 0.9, 0.1])
    (expected,) = autograd.grad(
        function(x := variable([0.5, 1.0, -2.0]), y), [x], create_graph=True
    )
    for _ in range(3):
        x = variable([0.5, 1.0, -2.0])
        (found,) = autograd.grad(traced(x, y), [x], create_graph=True)
        np.testing.assert_allclose(found.data, expected.data, rtol=1e-14)


@pytest.mark.parametrize("same", [np.atleast_2d, np.real, lambda h: h.conj().real])
def test_what_is_given_back_off_the_tape_is_saved_under_each_name(same):
    def function(w, v):
        square = v**2
        again = same(square)
        return np.sum(square * w * w) + np.sum(w * np.mean(again))

    traced, found = srcgrad.trace(function), []
    for each in (function, traced, traced):
        w, v = variable([[0.5, 1.0]]), srcgrad.Variable(np.array([[2.0, -1.0]]))
        out = each(w, v)
        v += 1.0
        (g,) = autograd.grad(out, [w], create_graph=True)
        (gg,) = autograd.grad(np.sum(g * g), [w])
        found.append((g.data.tolist(), gg.data.tolist()))
    assert found[0] == found[1] == found[2]
    assert traced.stats.compiled == 1, traced.explain()


def doubled_in_place(w, v):
    h = w + v
    h *= 2.0
    return np.sum(h * h)


def test_what_was_overwritten_before_it_was_saved_is_not_computed_again():
    """So nobody minds if what it was computed from has changed."""
    traced = srcgrad.trace(doubled_in_place)
    found = []
    for function in (doubled_in_place, traced, traced):
        leaf, v = variable([1.0, 2.0]), srcgrad.Variable(np.array([0.3, 0.4]))
        out = function(leaf * 1.0, v)
        v += 1.0
        (first,) = autograd.grad(out, [leaf], create_graph=True)
        (second,) = autograd.grad(np.sum(first * first), [leaf])
        found.append([first.data.tolist(), second.data.tolist()])
    assert found[0] == found[1] == found[2]
    assert traced.stats.compiled == 1


def test_a_compiled_gradient_of_a_gradient_is_differentiated_again():
    def cubes(t):
        return np.sum(t**3)

    def along(x):
        return np.sum(srcgrad.grad(cubes)(x) * x)

    gradient = srcgrad.grad(along)
    for _ in range(4):  # on the tape, recorded, and generated code
        x = variable([1.0, 2.0, 3.0])
        (slope,) = autograd.grad([gradient(x).sum()], [x], create_graph=True)
        assert slope.data.tolist() == [18.0, 36.0, 54.0]
        (curvature,) = autograd.grad([slope.sum()], [x])
        assert curvature.data.tolist() == [18.0, 18.0, 18.0]
