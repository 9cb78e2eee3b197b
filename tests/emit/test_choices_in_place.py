"""Choices of derivatives, made in place in large arrays."""

import numpy as np
import pytest

import srcgrad
from srcgrad.emit import choices_in_place
from srcgrad.emit.overwriting import overwriting
from srcgrad.graph import Graph
from srcgrad.steps import Node, Value

MASK = Value((200, 200), np.dtype(bool), "c")
X, OTHER, G, OUT = (Value((200, 200), np.dtype(float), name) for name in "xogy")
MADE = Node(np.exp, (X,), out=G)


def successor(*args, made=MADE, kept=(OUT,), in_backward=True):
    choice = Node(np.where, args, out=OUT, in_backward=in_backward)
    graph = Graph((MASK, X, OTHER), (made, choice), kept)
    return overwriting(graph, kept).successors


def test_a_choice_is_made_in_what_nobody_else_wants():
    assert successor(MASK, G, 0.0) == successor(MASK, OTHER, G) == {G: OUT}


@pytest.mark.parametrize(
    "given",
    [
        {"kept": (OUT, G)},
        {"made": Node(np.reshape, (X, (200, 200)), out=G)},
        {"made": Node(np.broadcast_to, (X, (200, 200)), out=G)},
        {"in_backward": False},
    ],
)
def test_what_somebody_else_wants_stays(given):
    assert successor(MASK, G, 0.0, **given) == {}


def test_the_users_own_arrays_stay():
    assert successor(MASK, X, 0.0) == {}


def test_numbers_are_no_mask():
    assert successor(OTHER, G, 0.0) == successor(True, G, 0.0) == {}


def network(x, w):
    h = np.maximum(x @ w, 0.0)
    h = np.clip(h @ w, -1.0, 2.0)
    return np.sum(np.sqrt(np.abs(np.where(h > 0.5, h * h, h)) @ w))


def looped(x, w):
    for _ in range(4):
        x = np.maximum(x @ w, x * 0.1)
    return np.sum(x)


TRANSFORMS = {
    "grad": lambda f, x, w: srcgrad.grad(f, (0, 1))(x, w),
    "jvp": lambda f, x, w: srcgrad.jvp(f, (x, w), (w, x)),
    "hvp": lambda f, x, w: srcgrad.hvp(f, (x, w), (w, x)),
    "vmap": lambda f, x, w: srcgrad.vmap(srcgrad.grad(f), (0, None))(x[:, None], w),
}


@pytest.mark.parametrize("function", [network, looped])
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_derivatives_are_those_of_the_tape(function, transform, monkeypatch):
    monkeypatch.setattr(choices_in_place, "MANY_CHOSEN", 4)
    rng, transform = np.random.default_rng(0), TRANSFORMS[transform]

    def f(x, w):
        return function(x, w)

    with np.errstate(all="ignore"):
        for _ in range(4):
            x, w = rng.integers(-2, 3, size=(2, 5, 5)) / 2.0
            found = transform(f, x, w)
            with srcgrad.set_stance("tape"):
                expected = transform(f, x, w)
            np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert "np.copyto(" in srcgrad.source(f)
