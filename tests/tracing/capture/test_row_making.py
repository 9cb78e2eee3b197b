"""Which heads of loops give rows: with `zip` and the like as Python has them."""

import itertools

import numpy as np
import pytest

import srcgrad

X = np.array([0.5, -1.0, 2.0, 0.25, 1.5, 0.1, -0.3, 1.0])
weights = [0.5, 1.5, -1.0, 2.0, 0.25, -0.5]
places = (5, 4, 3, 0, 1, 2)
few = [0, 2, 7, 3]


def zipped(x):
    s = 0.0
    for k, (w, (i, v)) in enumerate(zip(weights, zip(places, x)), 1):  # noqa: B905
        s = s + w * x[i] * v * k
    return s


def reversed_pairs(x):
    s = 0.0
    for w, i in zip(reversed(weights), reversed(places)):  # noqa: B905
        s = s + w * x[i] ** 2
    return s


def combined(x):
    s = 0.0
    for i, j in itertools.combinations(few, 2):
        s = s + (x[i] - x[j]) ** 2
    for w, v in itertools.product(weights, weights):
        s = s + w * x[0] + v * x[1]
    for i, j in itertools.permutations(range(4), 2):
        s = s + x[i] * x[j] ** 2
    for i, j in itertools.combinations_with_replacement(range(3), r=2):
        s = s + x[i] * x[j]
    return s


def of_the_functions_own(x):
    pairs, s = [(k % 8, (3 * k) % 8) for k in range(99)], 0.0
    for i, j in pairs:
        s = s + x[i] * x[j]
    return s


def of_an_own_dict(x):
    strengths, s = {k: 0.5 * k for k in range(99)}, 0.0
    for k, v in strengths.items():
        s = s + x[k % 8] * v
    for k in strengths:
        s = s + x[k % 8] ** 2
    return s


ROWS = (zipped, reversed_pairs, combined, of_the_functions_own, of_an_own_dict)


@pytest.mark.parametrize("f", ROWS, ids=lambda f: f.__name__)
def test_a_loop_along_them_is_one(f):
    traced = srcgrad.trace(f)
    differentiated = srcgrad.value_and_grad(traced)
    for factor in (1.0, 1.0, 0.5):
        with srcgrad.set_stance("tape"):
            expected = srcgrad.value_and_grad(f)(factor * X)
        for ours, theirs in zip(differentiated(factor * X), expected, strict=True):
            np.testing.assert_allclose(ours, theirs, 1e-12)
    assert (traced.stats.traces, traced.stats.compiled) == (1, 2)
    assert len(traced.source().splitlines()) < 150  # and not some for each item


def an_iterator(x):
    s = 0.0
    for i in iter(places):
        s = s + x[i]
    return s


def no_pool(x):
    s = 0.0
    for i, j in itertools.combinations(few, 7):
        s = s + x[i] * x[j]
    return s + x[0]


def another_zip(x):
    def zip(first, second):
        return [(second, first)]

    s = 0.0
    for v, k in zip(2.0, x):
        s = s + np.sum(v) * k
    return s


def unequal(x):
    s = 0.0
    for w, _ in zip(weights, few, strict=True):
        s = s + w * x[0]
    return s


def no_sequence(x):
    s = 0.0
    for w in reversed({1, 2}):
        s = s + w * x[0]
    return s


AS_EVER = (an_iterator, no_pool, another_zip, unequal, no_sequence)


@pytest.mark.parametrize("f", AS_EVER, ids=lambda f: f.__name__)
def test_all_others_are_what_python_has(f):
    traced = srcgrad.trace(f)
    for _ in range(3):
        assert outcome(traced) == outcome(f)


def outcome(f):
    try:
        return float(f(X))
    except (TypeError, ValueError) as error:
        return type(error), str(error)
