"""The short way from a call to what served the last one."""

import functools

import numpy as np
import pytest

import srcgrad


class Model:
    def __init__(self, by):
        self.by = by

    @srcgrad.trace
    def value(self, x, power=1):
        return np.sum(self.by * x**power)


@pytest.mark.parametrize("transform", [None, srcgrad.grad])
def test_what_was_given_before_goes_with_the_call(transform):
    """Two objects, and two partials, have the traces in common and nothing else."""
    x = np.array([1.0, 2.0])
    for by in (2.0, 3.0, 2.0):
        for power in (1, 2):
            function = functools.partial(Model(by).value, power=power)
            made = function if transform is None else transform(function)
            for _ in range(4):
                found = made(x)
                expected = by * np.sum(x**power)
                if transform is not None:
                    expected = by * power * x ** (power - 1)
                np.testing.assert_array_equal(np.asarray(found), expected)


def test_what_has_no_traces_is_called_on_the_tape():
    assert srcgrad.grad(np.sin)(0.0) == 1.0
