"""What is known of an exponential by how its argument is made."""

import numpy as np
import pytest

from srcgrad.transforms.algebra.shifts import Shifts
from tests.transforms.interpret import record

Z = np.arange(9.0).reshape(3, 3)


def last_of(function, z=Z):
    """What is known of the graph's Values, and the one that a function gives."""
    graph = record(lambda z: [function(z)], [z])
    makers = {value: node for node in graph.nodes for value in node.results}
    return Shifts(makers.get), graph.outputs[0]


SHIFTED = [
    (lambda z: z - np.max(z), {0, 1}),
    (lambda z: z - np.max(z, axis=1, keepdims=True), {1}),
    (lambda z: z - np.max(z, axis=-1)[:, None], {1}),
    (lambda z: z - np.max(z, axis=0), {0}),
    (lambda z: z - np.reshape(np.max(z, axis=1), (3, 1)), {1}),
    (lambda z: np.min(z) - z, {0, 1}),
    (lambda z: -(z - np.min(z)), {0, 1}),
    (lambda z: (np.max(z) - z) * -3.0, {0, 1}),
    (lambda z: (z - np.max(z)) / 2, {0, 1}),
]

OTHERS = [
    lambda z: z,
    lambda z: z - np.min(z),
    lambda z: np.max(z) - z,
    lambda z: z - np.max(z, axis=1),
    lambda z: z - np.max(-z),
    lambda z: z - 0.5 * np.max(z),
    lambda z: (z - np.max(z)) * -2.0,
    lambda z: (z - np.max(z)) * z,
    lambda z: (z - np.max(z)) * np.inf,
    lambda z: z - np.max(z, initial=-1.0),
    lambda z: z - np.max(z, where=z < 2.0, initial=-5.0),
    lambda z: z[0] - np.max(z, axis=1, keepdims=True),
    lambda z: np.sqrt(z - np.max(z)),
]


@pytest.mark.parametrize(("shift", "axes"), SHIFTED)
@pytest.mark.parametrize("exponential", [np.exp, np.exp2])
def test_the_largest_is_one(shift, axes, exponential):
    shifts, e = last_of(lambda z: exponential(shift(z)))
    assert shifts.ones_along(e) == axes
    assert shifts.may_divide(e)
    assert not shifts.may_be_infinite(e)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("other", OTHERS)
def test_else_it_may_be_infinite(other):
    shifts, e = last_of(lambda z: np.exp(other(z)))
    assert shifts.ones_along(e) is None
    assert not shifts.may_divide(e)
    assert shifts.may_be_infinite(e)


def test_numbers_of_half_precision_have_sums_that_are_infinite():
    shifts, e = last_of(lambda z: np.exp(z - np.max(z)), Z.astype(np.float16))
    assert shifts.ones_along(e) is None


def rows(z):
    return np.exp(z - np.max(z, axis=1, keepdims=True))


POSITIVE = [
    lambda z: np.sum(rows(z), axis=1),
    lambda z: np.sum(rows(z)),
    lambda z: np.sum(rows(z), axis=1) / 3.0,
    lambda z: (lambda e: np.sum(e * e, axis=1))(rows(z)),
    lambda z: rows(z) / np.sum(rows(z), axis=1, keepdims=True),
]

NOT_KNOWN_TO_BE = [
    lambda z: np.sum(rows(z), axis=0),
    lambda z: np.sum(rows(z) * z, axis=1),
    lambda z: np.sum(rows(z)[:, 1:], axis=1),
    lambda z: np.sum(rows(z), axis=1) - 1.0,
    lambda z: np.sum(z * z),
    lambda z: np.sum(1.0 / rows(z), axis=1),
]


@pytest.mark.parametrize("divisor", POSITIVE)
def test_it_may_be_divided_by(divisor):
    shifts, value = last_of(divisor)
    assert shifts.may_divide(value)


@pytest.mark.parametrize("divisor", NOT_KNOWN_TO_BE)
def test_it_may_not_be_divided_by(divisor):
    shifts, value = last_of(divisor)
    assert not shifts.may_divide(value)


@pytest.mark.parametrize("number", [0.0, np.inf, np.nan, True, None])
def test_numbers_that_are_no_divisors(number):
    assert not Shifts({}.get).may_divide(number)


def shifted(z):
    return z - np.max(z, axis=1, keepdims=True)


def test_an_exponential_of_a_logarithm_of_shares_is_at_most_one():
    def shares(z, *factors):
        total = np.sum(np.exp(shifted(z)), axis=1, keepdims=True)
        for factor in factors:
            total = total * factor
        return np.exp(shifted(z) - np.log(total))

    for factors in ((), (2.0,)):
        shifts, e = last_of(lambda z, factors=factors: shares(z, *factors))
        assert not shifts.may_be_infinite(e)
    shifts, e = last_of(lambda z: shares(z, 0.5))
    assert shifts.may_be_infinite(e)
