"""Programs full of loops: traced, they are what they are on the tape."""

import numpy as np
import pytest

import srcgrad
from srcgrad import InplaceError, Variable, autograd
from srcgrad.pytree import flatten
from tests.loop_programs import PROGRAMS

# Those in whose source there is a loop, forward and backward.
ROLLED = set(PROGRAMS) - {"begun_anew", "last_only"}


# Those that transforms of many walks are tried with.
MANY_WALKS = (
    *("fibonacci", "carried_off", "numbered", "layers", "copied_rows", "growing"),
    *("preallocated", "roots", "single_in_the_eighth", "under_two_names"),
)


pytestmark = pytest.mark.usefixtures("short_loops_too")


def arguments(name, seed):
    _, args = PROGRAMS[name]
    random = np.random.default_rng(seed)
    return [make(random) for make in args]


def numbers_of(name):
    return tuple(range(len(PROGRAMS[name][1])))


def assert_close(ours, theirs, rtol=1e-9):
    assert type(ours) is type(theirs)
    np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=1e-9)


def gradients(function, arrays):
    """The result, its gradients, and gradients of these."""
    variables = [Variable(array.copy(), requires_grad=True) for array in arrays]
    # As in a followed function, arrays that it makes may hold Variables.
    out = function(*variables)
    first = autograd.grad(out, variables, create_graph=True, allow_unused=True)
    total = sum(np.sum(g * g) for g in first if g is not None and g.requires_grad)
    second = [None] * len(variables)
    if isinstance(total, Variable):
        second = autograd.grad(total, variables, allow_unused=True)
    return out.data, [*first, *second]


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradient_transforms(name):
    function, _ = PROGRAMS[name]
    traced = srcgrad.trace(function)
    ours = srcgrad.value_and_grad(traced, numbers_of(name))
    theirs = srcgrad.value_and_grad(function, numbers_of(name)).untraced
    for seed in (1, 2, 3, 1):
        args = arguments(name, seed)
        value, found = ours(*args)
        expected, right = theirs(args, {})
        assert_close(value, expected)
        for a, b in zip(found, right, strict=True):
            assert_close(a, b)
    assert traced.stats.compiled > 0, traced.explain()
    is_rolled = "\n    for " in traced.source()
    assert is_rolled == (name in ROLLED), traced.source()


@pytest.mark.parametrize("name", PROGRAMS)
def test_variables_and_second_derivatives(name):
    function, _ = PROGRAMS[name]
    traced = srcgrad.trace(function)
    for seed in (1, 2, 1):
        args = arguments(name, seed)
        try:
            with srcgrad.set_stance("tape"):
                expected, right = gradients(traced, args)
        except InplaceError:  # what was saved has been changed since
            with pytest.raises(InplaceError):
                gradients(traced, args)
            return
        value, found = gradients(traced, args)
        assert_close(value, expected)
        for a, b in zip(found, right, strict=True):
            assert (a is None) == (b is None)
            if a is not None:
                assert_close(a.data, b.data, rtol=1e-7)
    assert traced.stats.compiled > 0, traced.explain()


def test_short_loops_are_written_out(monkeypatch):
    monkeypatch.undo()
    traced = srcgrad.trace(PROGRAMS["fibonacci"][0])
    traced(*arguments("fibonacci", 1))
    assert "\n    for " not in traced.source()


def second_orders(function, arrays, number, is_changed):
    """Gradients by one argument, of both orders; the others may change before them."""
    args = [array.copy() for array in arrays]
    args[number] = variable = Variable(args[number], requires_grad=True)
    out = function(*args)
    for other in (arg for arg in args if arg is not variable and is_changed):
        other[...] = 0.25
    found = [*autograd.grad(out, [variable], retain_graph=True, allow_unused=True)]
    (first,) = autograd.grad(out, [variable], create_graph=True, allow_unused=True)
    if first is not None and first.requires_grad:
        total = np.sum(first * first)
        found += autograd.grad(total, [variable], allow_unused=True)
    return [*found, first]


@pytest.mark.parametrize("name", [name for name, (_, a) in PROGRAMS.items() if a[1:]])
def test_data_that_change_before_the_way_back(name):
    function, _ = PROGRAMS[name]
    for number in numbers_of(name):
        traced = srcgrad.trace(function)
        for seed in (1, 2, 3):
            args = arguments(name, seed)
            try:
                with srcgrad.set_stance("tape"):
                    right = second_orders(traced, args, number, seed > 1)
            except InplaceError:
                with pytest.raises(InplaceError):
                    second_orders(traced, args, number, seed > 1)
                continue
            found = second_orders(traced, args, number, seed > 1)
            for a, b in zip(found, right, strict=True):
                assert (a is None) == (b is None)
                if b is not None:
                    assert_close(a.data, b.data)
        assert traced.stats.compiled > 0, traced.explain()
        is_rolled = "\n    for " in traced.source()
        assert is_rolled == (name in ROLLED), traced.source()


def test_data_that_change_before_a_loop_of_any_count_runs_again():
    """It begins with what it began with in the call."""

    @srcgrad.trace
    def f(x, ys, n):
        h, s = x[0], 0.0
        for i in range(n):
            h = np.tanh(h * ys[i] + x[1])
            s = s + h * ys[i]
        return s

    for n in (6, 8, 9, 10):
        both = []
        for is_changed in (False, True):
            args = [np.array([0.3, 0.2]), np.linspace(0.1, 1.0, 10)]
            variable = Variable(args[0], requires_grad=True)
            out = f(variable, args[1], n)
            if is_changed:
                args[1][...] = 0.25
            (first,) = autograd.grad(out, [variable], create_graph=True)
            both.append([first, *autograd.grad(np.sum(first * first), [variable])])
        for a, b in zip(*both, strict=True):
            assert_close(a.data, b.data)
    assert f.stats.compiled == 5


def states(W, h):
    hs = []
    for _ in range(6):
        h = np.exp(-(W @ h))  # whose rule keeps its output
        hs.append(h)
    return h, hs[2], np.sum(h) + np.sum(hs[3])


@pytest.mark.parametrize("number", [0, 1])
def test_what_is_saved_in_a_loop_must_not_change(number):
    traced = srcgrad.trace(states)
    for _ in range(3):
        W, h = Variable(np.eye(3) * 0.5, True), Variable(np.ones(3), True)
        results = traced(W, h)
        with srcgrad.set_inplace("error"):
            results[number].add_(1.0)
        with pytest.raises(InplaceError):
            results[2].backward()
    assert traced.stats.compiled > 0, traced.explain()


def test_an_argument_that_is_saved_in_a_loop_must_not_change():
    def carried(W, h):
        for _ in range(6):
            h = np.tanh(W @ h)
        return np.sum(h)

    traced = srcgrad.trace(carried)
    for _ in range(3):
        W, h = Variable(np.eye(3) * 0.5, True), Variable(np.ones(3))
        result = traced(W, h)
        with srcgrad.set_inplace("error"):
            h.add_(1.0)
        with pytest.raises(InplaceError):
            result.backward()
    assert traced.stats.compiled > 0
    assert "\n    for " in traced.source()


def state(x):
    h = x
    for _ in range(8):
        h = np.sin(h) * x + h[::-1]
    return h


def energy(x):
    return np.sum(state(x) ** 2)


TRANSFORMS = {
    "jacobian": lambda: srcgrad.jacobian(state),
    "hessian": lambda: srcgrad.hessian(energy),
    "jvp": lambda: lambda x: srcgrad.jvp(state, (x,), (np.ones(3),)),
    "hvp": lambda: lambda x: srcgrad.hvp(energy, (x,), (np.ones(3),)),
    "vjp": lambda: lambda x: srcgrad.vjp(state, x)[1](np.arange(3.0)),
    "vmap": lambda: lambda x: srcgrad.vmap(energy)(np.stack([x, x * 0.5])),
    "batched gradients": lambda: (
        lambda x: srcgrad.vmap(srcgrad.grad(energy))(np.stack([x, x * 0.5]))
    ),
    "gradient of a gradient": lambda: srcgrad.grad(
        lambda x: np.sum(srcgrad.grad(energy)(x) ** 2)
    ),
    "checkpoint": lambda: srcgrad.grad(srcgrad.checkpoint(energy)),
    "elementwise": lambda: srcgrad.elementwise_grad(state),
    "auxiliary": lambda: srcgrad.value_and_grad(
        lambda x: (energy(x), [h * 2.0 for h in x]), has_aux=True
    ),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms_of_loops(name):
    x = np.array([0.3, -0.2, 0.5])
    with srcgrad.set_stance("tape"):
        expected = flatten(TRANSFORMS[name]()(x))[0]
    function = TRANSFORMS[name]()
    for _ in range(4):
        found = flatten(function(x))[0]
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9)


# ----- What flows back from nothing -----
def of_the_last(x):
    c, d = x[0], 0.0
    for _ in range(12):
        d = np.sqrt(c)
        c = np.sin(c) * x[1] + x[2]
    return c + d


def one_of_all(x):
    c, roots = x[0], []
    for _ in range(12):
        roots.append(np.sqrt(c))
        c = np.sin(c) * x[1] + x[2]
    return roots[-1] + c


def unread_in_the_end(x):
    c, e = x[0], x[1]
    for _ in range(12):
        c, e = np.sqrt(e) * x[1], np.sin(c) * 0.0 + e * x[2]
    return e


@pytest.mark.parametrize("function", [of_the_last, one_of_all, unread_in_the_end])
def test_zeros_for_cotangents_make_no_nan(function):
    """Where a derivative is infinite, the tape has no cotangent at all."""
    traced, both = srcgrad.trace(function), srcgrad.value_and_grad(function)
    for first, second in [(0.5, 0.3), (0.5, 0.3), (0.0, 0.3), (0.1, 0.0), (0.5, 0.2)]:
        x = np.array([first, second, 0.9])
        found = []
        for stance in ("tape", "default"):
            v = Variable(x.copy(), requires_grad=True)
            with srcgrad.set_stance(stance), np.errstate(all="ignore"):
                out = traced(v)
                out.backward()
                found.append((out.data, v.grad.data, *both(x)))
        for ours, theirs in zip(*found, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-9)
    assert "\n    for " in traced.source()
    assert traced.stats.compiled == 4
    assert "a nan in a gradient through a loop" in both.explain()


def test_a_loop_through_which_nothing_flows():
    """Though what it computes has a place on the tape."""

    def steps(x):
        s = x[0]
        for _ in range(12):
            s = np.floor(s * 0.5) + np.sign(s)
        return s + x[1]

    traced = srcgrad.value_and_grad(srcgrad.trace(steps))
    for _ in range(3):
        value, gradient = traced(np.array([9.0, 2.0]))
        assert value == steps(np.array([9.0, 2.0]))
        assert gradient.tolist() == [0.0, 1.0]


def transforms_of(function, numbers):
    """Transforms that walk back more than once, or for many at once."""

    def tangent(*args):
        return srcgrad.jvp(function, args, args)

    def second(*args):
        return srcgrad.hvp(function, args, args)

    def squared(*args):
        slopes = srcgrad.grad(function, numbers)(*args)
        return sum(np.sum(slope * slope) for slope in slopes)

    def batch(*args):
        gradient = srcgrad.vmap(srcgrad.grad(function, numbers))
        return gradient(*(np.stack([arg, 0.9 * arg]) for arg in args))

    yield from (tangent, second, batch, srcgrad.grad(squared, numbers))
    yield srcgrad.jacobian(srcgrad.grad(function), mode="forward")


@pytest.mark.parametrize("name", MANY_WALKS)
def test_transforms_of_many_walks(name):
    function, _ = PROGRAMS[name]
    for transform in transforms_of(function, numbers_of(name)):
        for seed in (1, 1, 2):  # on the tape, recorded, compiled
            args = arguments(name, seed)
            with srcgrad.set_stance("tape"):
                expected = flatten(transform(*args))[0]
            for a, b in zip(flatten(transform(*args))[0], expected, strict=True):
                assert_close(a, b, rtol=1e-7)
    assert "\n    for " in srcgrad.source(function)


# ----- Several results -----


def loss_and_state(W, x):
    h, loss = np.zeros(3), 0.0
    for t in range(12):
        h = np.tanh(W @ h + x[t])
        loss = loss + np.sum(h * h)
    return loss, h


def logarithm_and_product(W, x):
    h, s = 1.0, 0.0
    for t in range(12):
        s = s + np.log(x[t, 0])
        h = h * (1.0 + x[t, 0])
    return s, h


def two_that_have_parted(W, x):
    h, k = W[0], W[1]
    for t in range(12):
        h, k = np.sin(h + k) * x[t], np.cos(h)
    return np.sum(h), k


def act_on_both(loss, h):
    (loss + np.sum(h)).backward()


def act_on_first(loss, h):
    loss.backward()


def act_on_second(loss, h):
    np.sum(h).backward()


def act_with_hook(loss, h):
    h.register_hook(lambda g: 2.0 * g)
    loss.backward()


ACTS = (act_on_both, act_on_first, act_on_second, act_with_hook)


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize(
    "function", [loss_and_state, logarithm_and_product, two_that_have_parted]
)
def test_each_of_several_results_leads_back(function, act):
    traced = srcgrad.trace(function)

    def called(stance):
        x = np.linspace(0.0, 0.5, 36).reshape(12, 3)  # the logarithm of 0 is there
        arrays = [np.linspace(-0.5, 0.5, 9).reshape(3, 3), x]
        variables = [Variable(array, requires_grad=True) for array in arrays]
        with srcgrad.set_stance(stance), np.errstate(divide="ignore"):
            act(*traced(*variables))
        return [variable.grad for variable in variables]

    expected = called("tape")
    for _ in range(3):
        for a, b in zip(called("default"), expected, strict=True):
            assert (a is None) == (b is None)
            if a is not None:
                assert_close(a.data, b.data)
    assert traced.stats.compiled >= 2
    assert "\n    for " in traced.source()
