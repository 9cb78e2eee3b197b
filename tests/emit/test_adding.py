"""Elements that may repeat add up, on one axis where the array is known to allow it."""

import re

import numpy as np
import pytest

import srcgrad
from srcgrad.emit.adding import added
from srcgrad.emit.one_line import text
from srcgrad.emit.scope import Scope
from srcgrad.emit.syntax import name
from srcgrad.steps import Value

AT, G = Value((3,), np.dtype(int), "i"), Value((3,), np.dtype(float), "g")
J, H = Value((2, 3), np.dtype(int), "j"), Value((2, 3), np.dtype(float), "h")


def written(*args):
    scope = Scope()
    scope.known |= {value: name(value.name) for value in (AT, J, G, H)}
    return text(added(scope, "x", *args))


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ((AT, G, (4,)), "np.add.at(x, i, g)"),
        ((J, H, (4,)), "np.add.at(x, j.reshape(-1), h.reshape(-1))"),
        ((J, 1.0, (4,)), "np.add.at(x, j.reshape(-1), 1.0)"),
        ((J, G, (4,)), "np.add.at(x, j, g)"),  # three are spread over two rows
        (((AT, J), H, None), "np.add.at(x, (i, j), h)"),  # in an order not known
        (
            ((AT, J), H, (4, 5)),
            'np.add.at(x.reshape(-1), np.ravel_multi_index((i, j), (4, 5), mode="wrap")'
            ".reshape(-1), h.reshape(-1))",
        ),
        (((AT, 1), G, (4, 5, 6)), "np.add.at(x, (i, 1), g)"),  # whole rows
    ],
)
def test_what_is_written(args, expected):
    assert written(*args) == expected


def elements(x, i, j):
    return np.sum(x[i, j] ** 2) + np.sum(np.sin(x)[j[:, None], i] ** 3)


def table(x, i, j):
    return np.sum(x[:, 0][np.stack([i, j, i])] ** 2)


def columns(x, i, j):
    h = np.exp(x.T)
    np.add.at(h, (j, i), x[0, j] * 2.0)
    np.add.at(h, (np.stack([i, j]), j), x[i, 1])
    return np.sum(h * np.cos(h)) + np.sum(
        x[np.uint64(1), j] * x[i.astype(np.uint64), 2]
    )


@pytest.mark.parametrize("function", [elements, table, columns])
@pytest.mark.parametrize("order", ["C", "F"])
def test_gradients_of_elements_are_those_of_the_tape(function, order):
    rng = np.random.default_rng(0)
    gradient = srcgrad.grad(function)
    for _ in range(3):
        x = np.asarray(rng.normal(size=(3, 3)), order=order)
        i, j = rng.integers(-3, 3, (2, 4))
        with srcgrad.set_stance("tape"):
            expected = srcgrad.grad(function)(x, i, j)
        np.testing.assert_allclose(gradient(x, i, j), expected, rtol=1e-12)
    assert re.search(r"np\.add\.at\([^=]*reshape\(-1\)", srcgrad.source(gradient))
