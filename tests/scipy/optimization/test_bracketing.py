"""``scipy.optimize.bracket``, by where it starts and by what the function takes."""

import numpy as np
import pytest
import scipy.optimize

import srcgrad
from srcgrad.checking import gradcheck
from srcgrad.scipy import optimize
from tests.variables import variable


def wavy(x, a, b):
    return a * (x - b) ** 2 + 0.1 * np.sin(3.0 * x)


# They start downhill, uphill, near, far, and from the other side.
STARTS = [
    (0.0, 1.0, 1.0, 3.0),
    (0.0, 1.0, 1.0, -3.0),
    (0.1, 0.2, 2.0, 30.0),
    (0.0, 1.0, 0.5, 0.4),
    (5.0, 1.0, 0.2, -7.0),
]


def bracketed(module, xa, xb, *args):
    return module.bracket(wavy, xa, xb, args)


@pytest.mark.parametrize("start", STARTS)
def test_its_points_and_values_follow_the_start_and_the_arguments(start):
    found = bracketed(optimize, *map(variable, start))
    expected = bracketed(scipy.optimize, *start)
    assert [srcgrad.protocols.raw_of(each) for each in found] == list(expected)
    assert gradcheck(
        lambda *args: bracketed(optimize, *args)[:6], start, atol=1e-5, rtol=1e-3
    )
    assert bracketed(optimize, *start) == expected


@pytest.mark.parametrize("slope", [-1.0, 0.0])
def test_its_errors_are_scipys(slope):
    def bracket(module, a):
        return module.bracket(lambda x: a * x, maxiter=5)

    with pytest.raises(RuntimeError) as expected:
        bracket(scipy.optimize, slope)
    with pytest.raises(type(expected.value), match=str(expected.value)):
        bracket(optimize, variable(slope))


def test_traced_it_follows_other_values():
    @srcgrad.trace
    def middle(xa, a):
        return scipy.optimize.bracket(wavy, xa, 1.0, (a, 3.0))[1]

    for xa, a in [(0.0, 1.0), (0.1, 1.2), (4.0, 0.3), (0.0, 1.0)]:
        expected = scipy.optimize.bracket(wavy, xa, 1.0, (a, 3.0))[1]
        assert middle(variable(xa), variable(a)).data == expected
