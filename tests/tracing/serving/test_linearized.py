"""What is freed on the tape is gone for generated code, and the other way round."""

import gc
import weakref

import numpy as np
import pytest

import srcgrad
from srcgrad import autograd
from tests.variables import vector


def one(x):
    return np.sum(np.tanh(x) * x)


def several(x):
    h = np.tanh(x)
    return h, np.sum(h * h * x)


def last(function, x):
    out = function(x)
    return out[-1] if isinstance(out, tuple) else out


WALKS = {
    "first": lambda out, g, x: autograd.grad(out, [x]),
    "second": lambda out, g, x: autograd.grad(np.sum(g * g), [x]),
    "kept": lambda out, g, x: autograd.grad(np.sum(g), [x], retain_graph=True),
    "both": lambda out, g, x: autograd.grad(out + np.sum(g), [x]),
    "all": lambda out, g, x: (out + np.sum(g)).backward(),
    "again": lambda out, g, x: autograd.grad(out, [x], create_graph=True),
}


@pytest.mark.parametrize("function", [one, several])
@pytest.mark.parametrize("before", WALKS)
@pytest.mark.parametrize("after", WALKS)
def test_a_walk_frees_what_another_one_needs(function, before, after):
    def attempt(called):
        x = vector(0.1, 0.2, 0.3)
        out = last(called, x)
        (g,) = autograd.grad(out, [x], create_graph=True)
        found = []
        for name in (before, after):
            try:
                found.append(
                    [np.round(e.data, 9) for e in WALKS[name](out, g, x) or ()]
                )
            except RuntimeError as error:
                found.append(str(error)[:50])
        return str(found), str(x.grad)

    traced = srcgrad.trace(function)
    assert attempt(traced) == attempt(traced) == attempt(function)


@pytest.mark.parametrize("function", [one, several])
def test_a_graph_that_was_differentiated_again_has_no_cycles(function):
    traced = srcgrad.trace(function)
    traced(vector(0.1, 0.2))
    gc.disable()
    try:
        x = vector(0.1, 0.2)
        out = last(traced, x)
        node = weakref.ref(out.edge[0])
        found = autograd.grad(out, [x], create_graph=True)
        del out, found
        assert node() is None
    finally:
        gc.enable()
