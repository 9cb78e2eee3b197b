"""Loops that are tried as functions of what they carry, and are none."""

import numpy as np
import pytest

import srcgrad
from srcgrad import autograd

pytestmark = pytest.mark.usefixtures("regions")


class Held:
    pass


def held_by_an_object(x):
    held, s = Held(), x[0]
    held.v = x[0]
    for _ in range(10):
        s = np.sin(s) * held.v
        held.v = 0.5
    return s


@pytest.mark.parametrize("function", [held_by_an_object])
def test_the_tape_has_saved_what_it_says(function):
    """Of compiled calls, too, that are differentiated twice."""
    traced = srcgrad.trace(function)
    found = []
    for stance in "tape", "default", "default":
        x = srcgrad.Variable(np.array([0.9, 0.2]), requires_grad=True)
        with srcgrad.set_stance(stance):
            (first,) = autograd.grad(traced(x), [x], create_graph=True)
            (second,) = autograd.grad(np.sum(first * first), [x])
        found.append((first.data, second.data))
    assert traced.stats.compiled
    for each in found[1:]:
        np.testing.assert_allclose(each, found[0], 1e-12)
