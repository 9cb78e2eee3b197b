"""Traced and untraced functions through the same steps.

The functions that are compared hold no `assert`: pytest rewrites those, and then
their source is not what runs.
"""

from collections import deque

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable

X = np.array([1.0, 2.0, 3.0])


def doubled(x):
    return x * 2.0


def plain(item):
    """A result or argument as something to compare: kinds, dtypes, values."""
    if isinstance(item, Variable):
        return "Variable", item.requires_grad, plain(item.data)
    if isinstance(item, (tuple, list, deque)):
        return type(item).__name__, [plain(each) for each in item]
    if isinstance(item, dict):
        return "dict", [(key, plain(value)) for key, value in item.items()]
    if isinstance(item, np.ndarray):
        return "array", str(item.dtype), item.tolist()
    return type(item).__name__, repr(item)


def on_tape(function):
    """The same, with nothing compiled: the meaning of all others."""

    def called(*args, **kwargs):
        with srcgrad.set_stance("tape"):
            return function(*args, **kwargs)

    return called


def outcome(function, *args, **kwargs):
    try:
        result = plain(function(*args, **kwargs))
    except Exception as error:
        result = type(error), str(error)
    return result, plain(args), plain(kwargs)


def differentiated(function, *args):
    """The outcome with Variables for the arrays of floats, and their gradients."""
    given = [
        Variable(arg.copy(), requires_grad=True)
        if isinstance(arg, np.ndarray) and arg.dtype.kind in "fc"
        else arg
        for arg in args
    ]
    try:
        out = function(*given)
        first = out[0] if isinstance(out, (tuple, list)) else out
        if isinstance(first, Variable) and first.requires_grad:
            first.backward(np.ones(first.shape, first.dtype))
    except Exception as error:
        return type(error), str(error)
    variables = [arg for arg in given if isinstance(arg, Variable)]
    return plain(out), [v.grad if v.grad is None else plain(v.grad) for v in variables]


def same_gradients_through(function, *calls):
    """Differentiate untraced and traced, each call twice; it must be compiled."""
    traced = srcgrad.trace(function)
    for args in calls * 2:
        plain_function = on_tape(function)
        ours, theirs = (differentiated(f, *args) for f in (traced, plain_function))
        assert ours == theirs, traced.explain()
        assert outcome(traced, *args) == outcome(plain_function, *args)
    assert traced.stats.compiled, traced.explain()
    return traced


def same_through(function, *calls, compiled=None, refused=None):
    """Call untraced and traced with equal arguments, each made anew by ``calls``."""
    traced = srcgrad.trace(function)
    for make in calls:
        ours = outcome(traced, *make())
        theirs = outcome(on_tape(function), *make())
        assert ours == theirs
    if compiled is not None:
        assert traced.stats.compiled == compiled, traced.explain()
    if refused is not None:
        assert traced.stats.compiled == 0
        assert refused in traced.explain()
    return traced


def both(function):
    """The function untraced and traced."""
    return pytest.mark.parametrize(
        "f", [function, srcgrad.trace(function)], ids=["tape", "traced"]
    )
