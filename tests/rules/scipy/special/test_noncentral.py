"""Every sample of the chapter, and far from the middle."""

import numpy as np
import pytest
from scipy import special

from srcgrad.rules.scipy.special.noncentral import CHI_SQUARE, F, Share
from tests.variables import variable


def difference(function, args, number):
    """By differences of the fourth order."""
    step = 1e-4 * max(1.0, args[number])

    def at(k):
        moved = args[number] + k * step
        return function(*args[:number], moved, *args[number + 1 :])

    return (at(-2) - 8.0 * at(-1) + 8.0 * at(1) - at(2)) / (12.0 * step)


@pytest.mark.parametrize(
    ("function", "slopes", "args"),
    [
        (special.chndtr, CHI_SQUARE, (2.0, 2.5, 3.0)),
        (special.chndtr, CHI_SQUARE, (200.0, 2.5, 150.0)),
        (special.chndtr, CHI_SQUARE, (5.0, 30.0, 0.5)),
        (special.ncfdtr, F, (3.0, 5.0, 200.0, 50.0)),
        (special.ncfdtr, F, (40.0, 50.0, 0.5, 1.2)),
        (special.ncfdtr, F, (3.0, 5.0, 20.0, 0.1)),
    ],
)
def test_against_differences(function, slopes, args):
    for number, slope in enumerate(slopes.values()):
        found = slope(*map(np.array, args))
        np.testing.assert_allclose(found, difference(function, args, number), rtol=1e-8)


def test_the_mixture_is_the_distribution_function():
    args = 3.0, 5.0, 200.0, 50.0
    found = Share(*map(np.array, args)).sum(special.betainc)
    assert found == pytest.approx(special.ncfdtr(*args), rel=1e-12)


@pytest.mark.parametrize(("number", "by"), list(enumerate("p dfd nc f".split())))
def test_the_freedom_by_each_argument(number, by):
    """SciPy's search for it is too coarse to take differences of what it finds."""
    args = np.array([1.5265184792417452, 6.594364647856169, 0.33, 0.35])
    p = variable(special.ncfdtr(*args))
    given = [variable(each) for each in args[1:]]
    found = special.ncfdtridfn(p, *given)
    assert found.data == pytest.approx(args[0], rel=1e-3)
    found.backward()
    at = found.data, *args[1:]
    per_share = 1.0 / difference(special.ncfdtr, at, 0)
    slope = p.grad.data if by == "p" else given[number - 1].grad.data
    share = 1.0 if by == "p" else -difference(special.ncfdtr, at, number)
    np.testing.assert_allclose(slope, share * per_share, rtol=1e-7)
