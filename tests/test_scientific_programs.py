"""Programs of scientists: gradients on the tape and compiled, against differences."""

import numpy as np
import pytest

import srcgrad
from tests.differences import slope_of
from tests.scientific_programs import PROGRAMS

P = np.array([0.6, 0.4, 0.9])
# What a recording does not follow yet: classes called inside, generators of numbers.
ON_THE_TAPE = {"network", "metropolis"}


@pytest.mark.parametrize("name", PROGRAMS)
def test_on_the_tape(name):
    program = PROGRAMS[name]
    value, gradient = srcgrad.value_and_grad(program)(P)
    assert value == program(P)
    assert type(value) is type(program(P))
    np.testing.assert_allclose(gradient, slope_of(program, P), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", PROGRAMS)
def test_traced(name):
    program = PROGRAMS[name]
    traced = srcgrad.trace(program)
    for p in (P, P, 1.01 * P):
        value, gradient = srcgrad.value_and_grad(traced)(p)
        assert type(value) is type(program(p))
        np.testing.assert_allclose(value, program(p), rtol=1e-12)
        expected = slope_of(program, p)
        np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-7)
        found = traced(p)
        assert type(found) is type(program(p))
        np.testing.assert_allclose(found, program(p), rtol=1e-12)
    compiled = 0 if name in ON_THE_TAPE else 4
    assert traced.stats.compiled == compiled, traced.explain()
