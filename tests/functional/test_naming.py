"""Messages name an argument, and where in it something is."""

import functools

import numpy as np
import pytest

import srcgrad
from srcgrad.functional.naming import Names


def loss(params, *rest, scale=1.0):
    return scale * sum(np.sum(x) for x in params)


class Weights:
    pass


def test_names():
    names = Names(loss, ({"w": [1.0, 2.0]}, 3.0), {"scale": 2.0})
    assert [names(k) for k in range(4)] == [
        "argument params['w'][0]",
        "argument params['w'][1]",
        "argument 1",
        "argument scale",
    ]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (([1.0, 2],), r"(?s)got int \(argument params\[1\]\)\n.*convert it to float"),
        ((np.arange(3),), r"got dtype int64 \(argument params\)\n"),
        (
            ([Weights()],),
            r"(?s)got Weights \(argument params\[0\]\)\n.*registered with",
        ),
    ],
)
def test_what_cannot_be_differentiated_by_is_named(args, message):
    for transform in (srcgrad.grad, srcgrad.jacobian):
        with pytest.raises(TypeError, match=message):
            transform(loss)(*args)


@pytest.mark.parametrize("value", [3, True, np.int64(2)])
def test_a_value_that_is_no_float_has_no_gradient(value):
    with pytest.raises(TypeError, match="must return one real number"):
        srcgrad.grad(lambda x: value)(1.0)


def test_what_a_partial_holds_is_not_looked_at():
    scaled = functools.partial(lambda scale, x: np.sum(scale * x**2), np.ones(2))
    for transform in (srcgrad.grad, srcgrad.jacobian, srcgrad.hessian):
        made = transform(scaled)
        for _ in range(3):
            made(np.ones(2))
        assert "def forward(" in made.source()
