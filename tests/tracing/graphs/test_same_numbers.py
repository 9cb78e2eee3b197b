"""Functions that may give the very number that they are given, in arms of an ``if``."""

import itertools

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.graphs.same_numbers import anew

GIVE_WHAT_THEY_GET = {
    "number": lambda x, p, q: p,
    "plus": lambda x, p, q: +p,
    "float": lambda x, p, q: float(p),
    "real": lambda x, p, q: p.real,
    "real of a scalar": lambda x, p, q: q.real,
    "np.real": lambda x, p, q: np.real(q),
    "element": lambda x, p, q: x[0],
    "elements that may be": lambda x, p, q: x[1] if x[1] > 0 else p,
}


@pytest.mark.parametrize(
    ("one", "other"), [*itertools.permutations(GIVE_WHAT_THEY_GET, 2)]
)
def test_what_an_arm_gives_as_it_is_stays_what_it_was_outside(one, other):
    first, second = GIVE_WHAT_THEY_GET[one], GIVE_WHAT_THEY_GET[other]

    def function(x, p, q):
        t = first(x, p, q) if np.tanh(x[2]) > 0.1 else second(x, p, q)
        return t * p + 2.0 * t * q + x[0] * p + 3.0 * q

    slope = srcgrad.value_and_grad(function, argnums=(0, 1, 2))
    x = np.array([0.5, 1.5, 2.5])
    for sign in (1.0, 1.0, -1.0, 1.0):
        args = sign * x, 2.0, np.float64(0.3)
        value, gradients = slope(*args)
        with srcgrad.set_stance("tape"):
            on_tape, expected = slope(*args)
        assert value == pytest.approx(on_tape, rel=1e-12)
        for gradient, each in zip(gradients, expected, strict=True):
            np.testing.assert_allclose(gradient, each, rtol=1e-12)


@pytest.mark.parametrize("number", [-0.0, 1e300, 1 + 2j, np.float32(0.1), np.inf])
def test_a_number_anew_is_equal_and_another_object(number):
    again = anew(number)
    assert again is not number
    assert type(again) is type(number)
    assert repr(again) == repr(number)
