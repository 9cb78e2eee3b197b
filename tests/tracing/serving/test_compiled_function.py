"""The node of a compiled call: hooks, errors, what it notices, what it shares."""

import weakref

import numpy as np
import pytest

import srcgrad
from srcgrad import InplaceError, Variable, autograd, detect_anomaly
from srcgrad.protocols import raw_of
from tests.telling import in_full
from tests.tracing.comparing import on_tape, plain
from tests.variables import collect, variable, vector

# ----- Hooks -----


def test_hooks_on_inputs_and_outputs_of_a_traced_function():
    f = srcgrad.trace(lambda x, w: np.tanh(x @ w))
    calls = []
    for call in range(4):
        seen = []
        x, w = vector(1.0, 2.0), Variable(np.eye(2), requires_grad=True)
        h = x * 1.0
        for each in (x, w, h):
            each.register_hook(collect(seen))
        out = f(h, w)
        assert seen == [], f"recording call {call} has run the user's hooks"
        out.register_hook(lambda grad: grad * 2)
        out.register_hook(collect(seen))
        out.sum().backward()
        calls.append((sorted(seen, key=str), x.grad.data.tolist()))
    assert f.stats.compiled == 3
    for call in calls:
        np.testing.assert_allclose(call[1], calls[0][1])
        assert len(call[0]) == 4


def test_hooks_run_once_in_higher_derivatives_of_a_traced_function():
    f = srcgrad.trace(lambda h: np.sum(h * h * h))
    for _ in range(3):
        seen = []
        x = vector(2.0)
        h = x * 1.0
        h.register_hook(collect(seen))
        (first,) = autograd.grad(f(h), x, create_graph=True)
        assert seen == [[12.0]]
        (second,) = autograd.grad(first, x)
        np.testing.assert_array_equal(second.data, [12.0])


def powers(x):
    return np.sum(np.tanh(x) * x)


def several(x):
    h = np.tanh(x)
    return h, np.sum(h * h), np.sum(x * 2.0)


def first_then(function, number, retain, second):
    """A gradient that can be differentiated, and what comes of a walk after it."""
    x = vector(0.1, 0.2, 0.3)
    out = function(x)
    out = out[number] if isinstance(out, tuple) else out
    options = {"create_graph": True, "retain_graph": retain}
    try:
        (first,) = autograd.grad(out.sum(), [x], **options)
        root = {"of it": first, "again": out, "other": out + first}[second].sum()
        (found,) = autograd.grad(root, [x])
    except RuntimeError as error:
        # In Python 3.10 there are no notes: they are further lines.
        return str(error).splitlines()[0].partition(" (")[0]
    return np.round(found.data, 12).tolist()


@pytest.mark.parametrize("second", ["of it", "again", "other"])
@pytest.mark.parametrize("retain", [True, False, None])
@pytest.mark.parametrize(
    ("function", "number"), [(powers, 0), (several, 0), (several, 1), (several, 2)]
)
def test_what_create_graph_leaves_is_freed_as_on_the_tape(
    function, number, retain, second
):
    expected = first_then(function, number, retain, second)
    traced = srcgrad.trace(function)
    for _ in range(3):
        assert first_then(traced, number, retain, second) == expected
    assert traced.stats.compiled == 2


def test_an_argument_made_of_another_gets_its_own_gradient():
    """The gradient of each is what the function itself gives it."""
    f = srcgrad.trace(lambda x, y: np.sum(x * y))
    for _ in range(3):
        x = vector(1.0, 2.0)
        f(x, x * 2).backward()
        np.testing.assert_array_equal(x.grad.data, [4.0, 8.0])
        y = x * 2
        (first,) = autograd.grad(f(x, y), x, create_graph=True)
        np.testing.assert_array_equal(first.data, [4.0, 8.0])
        (second,) = autograd.grad(first.sum(), x)
        np.testing.assert_array_equal(second.data, [4.0, 4.0])


# ----- Anomalies -----


@srcgrad.trace
def traced(x):
    h = x * 2.0
    r = np.sqrt(h)  # the user's own line
    return np.sum(r)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_an_anomaly_is_named_by_the_users_line():
    traced.clear()
    for _ in range(2):
        traced(variable([1.0])).backward()
    assert traced.stats.compiled == 1
    with detect_anomaly():
        y = traced(variable([0.0]))
        with pytest.raises(RuntimeError) as error:
            y.backward()
        assert "r = np.sqrt(h)  # the user's own line" in in_full(error.value)
        with pytest.raises(RuntimeError, match="the user's own line"):
            srcgrad.grad(traced)(np.zeros(1))
    stats = traced.stats
    assert (stats.calls, stats.compiled, stats.tape) == (4, 1, 3)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("create_graph", [False, True])
def test_an_anomaly_in_generated_code_is_named_by_the_users_line(create_graph):
    traced.clear()
    traced(variable([1.0]))
    y = traced(variable([0.0]))
    assert traced.stats.compiled == 1
    with detect_anomaly(), pytest.raises(RuntimeError) as error:
        y.backward(create_graph=create_graph)
    assert "SqrtBackward" in in_full(error.value)
    assert "r = np.sqrt(h)  # the user's own line" in in_full(error.value)
    with detect_anomaly():
        traced(variable([1.0])).backward()


# ----- Versions -----


def test_results_of_generated_code_are_checked_too():
    @srcgrad.trace
    def run(x):
        return np.exp(x)

    for _ in range(2):
        y = run(variable([1.0, 2.0]))
        with srcgrad.set_inplace("error"):
            y += 1.0
        with pytest.raises(InplaceError, match=r"y \+= 1\.0"):
            y.sum().backward()
    assert run.stats.compiled == 1


# ----- Writes between the call and its backward pass -----


def keeps_input(x):
    return np.sum(x * x)


KEEPING = {
    "input": keeps_input,
    "output": lambda x: np.exp(x),
    "nothing": lambda x: x + x,
    "both": lambda x: np.tanh(x) * x,
    "number": lambda x: np.sum(x * np.mean(x.detach() * 2.0 + 1.0)),
    "shape": lambda x: np.sum(x, axis=0),
    "temporary": lambda x: np.sum(np.sin(x * 2.0)),
    "elements": lambda x: x[0] * x[1] + x[2] ** 2,
    "view": lambda x: x[1:],
    "detached": lambda x: np.sum(x * np.sin(x.detach())),
}
MODES = {
    "copy": lambda: srcgrad.set_inplace("copy"),
    "error": lambda: srcgrad.set_inplace("error"),
    "no_grad": srcgrad.no_grad,
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("function", KEEPING.values(), ids=KEEPING)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("changed", ["input", "output", "neither"])
@pytest.mark.parametrize("times", [1, 2])
def test_writes_before_backward_are_errors_as_on_the_tape(
    function, changed, mode, times
):
    """An error exactly where the tape raises one; else the same gradient."""
    traced = srcgrad.trace(function)
    traced(vector(1.0, 2.0, 3.0))

    def attempt(f):
        leaf = vector(1.0, 2.0, 3.0)
        x = leaf * 1.0
        out = f(x)
        try:
            with MODES[mode]():
                if changed == "input":
                    x += 1.0
                if changed == "output":
                    out += 1.0
            found = out.sum() if out.shape else out
            for _ in range(times):
                options = {"create_graph": times == 2, "allow_unused": True}
                (found,) = autograd.grad(found.sum(), leaf, **options)
                if found is None or not found.requires_grad:
                    break
        except RuntimeError as error:
            return type(error), "inplace" in str(error), "in-place" in str(error)
        return plain(found)

    assert attempt(traced) == attempt(function)
    assert traced.stats.compiled == 1


def of_two(w, v):
    return np.sum(w * np.mean(v * 2.0)) + np.sum(v * v)


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("order", ["wv", "vw", "ww"])
def test_what_a_walk_refuses_after_a_write_is_what_it_needs(order, create_graph):
    """The way to ``w`` does not need ``v``, that to ``v`` does: at each walk anew."""
    traced = srcgrad.trace(of_two)

    def attempt(f):
        leaves = {"w": vector(1.0, 2.0), "v": vector(3.0, 4.0)}
        w, v = (leaf * 1.0 for leaf in leaves.values())
        out, found = f(w, v), []
        with srcgrad.no_grad():
            v += 1.0
        for name in order:
            options = {"create_graph": create_graph, "retain_graph": True}
            try:
                found += plain(autograd.grad(out, [leaves[name]], **options)[0])
            except RuntimeError as error:
                found.append(type(error))
        return found

    assert attempt(traced) == attempt(traced) == attempt(of_two)


def test_the_inplace_error_names_the_lines():
    traced = srcgrad.trace(keeps_input)
    for _ in range(2):
        x = vector(1.0, 2.0) * 1.0
        out = traced(x)
        with srcgrad.set_inplace("error"):
            x += 1.0
        with pytest.raises(
            InplaceError, match=r"test_compiled_function.py:\d+: x \+= 1.0"
        ):
            out.backward()
    assert traced.stats.compiled == 1


# ----- Results -----


def test_a_reshape_shares_storage_where_it_is_a_view():
    def function(x):
        return x.reshape(-1)

    square = np.arange(6.0).reshape(2, 3)
    for first in (square, square.T):
        traced = srcgrad.trace(function)
        for array in (first, square, square.T, square):
            for f in (traced, function):
                x = Variable(array)
                shares = f(x).own_storage() is x.own_storage()
                assert shares == np.shares_memory(function(array), array)


def returns_related(x):
    h = x * 2.0
    return h, h[1:], h[::-1]


@pytest.mark.parametrize("number", [0, 1, 2])
def test_results_that_are_views_of_each_other_stay_so(number):
    """Changing one is the same error, or the same gradient, as on the tape."""
    traced = srcgrad.trace(returns_related)
    traced(vector(1.0, 2.0, 3.0))

    def attempt(f):
        x = vector(1.0, 2.0, 3.0)
        results = f(x)
        changed = results[number]
        try:
            changed *= 2.0
            sum(np.sum(each * each) for each in results).backward()
        except RuntimeError as error:
            return type(error), str(error)[:100]
        return plain(x.grad)

    assert attempt(traced) == attempt(returns_related)
    assert traced.stats.compiled == 1


# ----- Where no gradient flows -----


def signs(x):
    return np.sum(np.sign(x))


def signs_and_more(x):
    return np.sum(np.sign(x) * np.floor(x)), x * 2.0


@pytest.mark.parametrize("f", [signs, srcgrad.trace(signs)], ids=["tape", "traced"])
def test_a_result_without_gradient_has_its_place_on_the_tape(f):
    for _ in range(3):
        x = Variable(np.array([1.0, -2.0, 3.0]), requires_grad=True)
        out = f(x)
        assert out.requires_grad
        out.backward()
        assert x.grad is None
        assert srcgrad.autograd.grad(f(x), x, allow_unused=True) == (None,)


def signs_of_one(x, y):
    return np.sum(np.sign(x) * y)


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize(
    ("function", "count"), [(signs, 1), (signs_of_one, 2), (np.sign, 1)]
)
def test_hooks_run_on_the_way_to_where_nothing_flows(function, count, create_graph):
    traced = srcgrad.trace(lambda *args: function(*args))
    for called in (function, traced, traced):
        seen = []
        args = [Variable(np.array([1.0, -2.0, 3.0]), True) for _ in range(count)]
        out = called(*args)
        out.register_hook(lambda g, seen=seen: seen.append(raw_of(g).tolist()))
        ones = np.ones(out.shape)
        options = {"allow_unused": True, "create_graph": create_graph}
        assert srcgrad.autograd.grad(out, args[:1], ones, **options) == (None,)
        assert seen == [ones.tolist()]
        called(*args).backward(ones, create_graph=create_graph)
        assert args[0].grad is None


@pytest.mark.parametrize(
    "f", [signs_and_more, srcgrad.trace(signs_and_more)], ids=["tape", "traced"]
)
def test_a_result_without_gradient_beside_another(f):
    for _ in range(3):
        x = Variable(np.array([1.0, -2.0, 3.0]), requires_grad=True)
        first, second = f(x)
        first.backward()
        assert x.grad is None or not x.grad.data.any()
        second.sum().backward()
        np.testing.assert_array_equal(x.grad.data, [2.0, 2.0, 2.0])


@pytest.mark.parametrize("transform", [srcgrad.grad, srcgrad.value_and_grad])
def test_transforms_give_zeros_where_no_gradient_flows(transform):
    ours, theirs = transform(srcgrad.trace(signs)), on_tape(transform(signs))
    for x in (np.array([1.0, -2.0]), np.array([1.0, -2.0]), 1.5, 1.5, np.float64(1.0)):
        assert repr(ours(x)) == repr(theirs(x))


# ----- What is held -----


@pytest.mark.parametrize("has_saved", [False, True])
def test_no_argument_is_held_after_backward(has_saved):
    def function(v, data):
        return (v * v * data).sum() if has_saved else (v + data).sum()

    f = srcgrad.trace(function)
    v = Variable(np.ones(3), requires_grad=True)
    for _ in range(3):
        data = np.ones(3)
        held = weakref.ref(data)
        out = f(v, data)
        out.backward()
        del data
        assert held() is None
    if not has_saved:  # it can be walked again, and differentiated again
        (g,) = autograd.grad(out, v, create_graph=True)
        np.testing.assert_array_equal(g.data, np.ones(3))
        out.backward()
