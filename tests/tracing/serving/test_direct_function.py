"""Calls of a traced function take a shorter way, and are the same calls on the tape."""

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.serving.direct import usual_way


def plain(W, b, x):
    return np.sum(np.tanh(x @ W + b) ** 2)


def saved(W, b, x):
    return np.tanh(x @ W + b)


def several(W, b, x):
    h = np.tanh(x @ W + b)
    return {"h": h, "loss": np.sum(h * h), "W": W}


def viewed(W, b, x):
    return W.T


def number(W, b, x):
    return float(b[0]) * 2.0


def in_list(W, b, x):
    return [np.exp(x), 2.0]


def on_a_number(W, b, x):
    return b * np.sin(b)


DIRECT = [plain, saved, several, viewed, in_list]


def variable(*shape, **flags):
    return srcgrad.Variable(np.cos(np.arange(np.prod(shape))).reshape(shape), **flags)


def given(kind="grad"):
    """Arguments, one of which is special."""
    b = variable(3, requires_grad=kind != "none")
    if kind == "volatile":
        b = variable(3, volatile=True)
    elif kind == "inner":
        b = 2.0 * b
    elif kind == "plain":
        b = b.data
    W = variable(3, 3, requires_grad=True)
    x = W if kind == "twice" else variable(3, 3, requires_grad=True)
    return W, b, x


KINDS = ["grad", "none", "volatile", "inner", "plain", "twice"]


def told(result):
    """All that there is to tell of a result, but its numbers' places on the tape."""
    leaves = srcgrad.pytree.flatten(result)[0]
    return [
        (
            type(leaf),
            getattr(leaf, "requires_grad", None),
            getattr(leaf, "volatile", None),
            np.asarray(getattr(leaf, "data", leaf)).tolist(),
        )
        for leaf in leaves
    ]


def gradients(result, args):
    """What a walk back from all results leaves, and what it says the second time."""
    for arg in args:
        if isinstance(arg, srcgrad.Variable):
            arg.grad = None
    outs = [o for o in srcgrad.pytree.flatten(result)[0] if hasattr(o, "backward")]
    outs = [out for out in outs if out.requires_grad]
    said = []
    for out in outs * 2:
        try:
            out.backward(np.ones(out.shape))
        except RuntimeError as error:
            # In Python 3.10 notes are further lines.
            said.append(str(error).partition("\n")[0].partition("(")[0])
    grads = [getattr(arg, "grad", None) for arg in args if hasattr(arg, "edge")]
    return said, [None if g is None else g.data.tolist() for g in grads]


@pytest.mark.parametrize("function", [*DIRECT, on_a_number])
@pytest.mark.parametrize("first", KINDS)
def test_each_call_is_the_same_as_untraced(function, first):
    """Whatever the calls before were."""
    traced = srcgrad.trace(function)
    for kind in (first, first, first, *KINDS, first, first):
        args, others = given(kind), given(kind)
        ours, theirs = traced(*args), function(*others)
        assert told(ours) == told(theirs)
        with srcgrad.no_grad():
            assert told(traced(*args)) == told(function(*args))
        (said, found), (says, expected) = (
            gradients(ours, args),
            gradients(theirs, others),
        )
        assert said == says
        for a, b in zip(found, expected, strict=True):
            assert (a is None) == (b is None)
            np.testing.assert_allclose(a or 0.0, b or 0.0, rtol=1e-12)
    assert traced.stats.compiled


@pytest.mark.parametrize("function", DIRECT)
def test_calls_with_variables_make_no_signature(function, monkeypatch):
    traced = srcgrad.trace(function)
    for _ in range(2):
        traced(*given())
    trace = traced._cache.last[None][0].traces[0]
    assert trace.direct is not usual_way
    monkeypatch.setattr("srcgrad.tracing.traced.Signature", None)
    monkeypatch.setattr("srcgrad.tracing.traced.fitting", None)
    args = given()
    assert told(traced(*args)) == told(function(*args))
    assert traced.stats.compiled == 2


def test_what_is_overwritten_before_the_way_back():
    """The versions of arguments are those at the call."""
    traced, expected = srcgrad.trace(plain), None
    for mode in ("copy", "copy", "copy", "error"):
        W, b, x = given()
        h = W * 1.0
        result = traced(h, b, x)
        with srcgrad.set_inplace(mode):
            h *= 2.0
        if mode == "copy":
            result.backward()
            expected = W.grad.data if expected is None else expected
            np.testing.assert_allclose(W.grad.data, expected)
        else:
            with pytest.raises(srcgrad.InplaceError, match="test_direct_function"):
                result.backward()
    assert traced.stats.compiled == 3


def test_second_derivatives_hooks_and_kept_graphs():
    traced = srcgrad.trace(plain)
    for _ in range(4):
        W, b, x = given()
        seen, found = [], []
        W.register_hook(lambda g, seen=seen: seen.append(g.data.copy()))
        for function in (traced, plain):
            loss = function(W, b, x)
            (slope,) = srcgrad.autograd.grad(loss, [W], create_graph=True)
            (slope * slope).sum().backward(retain_graph=True)
            loss.backward()
            found.append([p.grad.data for p in (W, b, x)])
            W.grad = b.grad = x.grad = None
        for ours, theirs in zip(*found, strict=True):
            np.testing.assert_allclose(ours, theirs)
        np.testing.assert_allclose(seen[: len(seen) // 2], seen[len(seen) // 2 :])


def test_errors_name_the_users_line():
    traced = srcgrad.trace(plain)
    for _ in range(3):
        loss = traced(*given())
        loss.backward()
        with pytest.raises(RuntimeError, match="second time"):
            loss.backward()
        assert loss.grad_fn.where[0].co_filename == __file__
