"""Loops on floats over rows of arrays, by indices that are read."""

import warnings

import numpy as np
import pytest

import srcgrad

RNG = np.random.default_rng(0)
CAMERAS, POINTS = RNG.uniform(0.5, 1.5, (3, 4)), RNG.uniform(0.5, 1.5, (5, 2))
FIRST, SECOND = RNG.integers(-3, 3, 40), RNG.integers(0, 5, 40)


def seen(camera, x):
    length = np.linalg.norm(camera[:2])
    k = camera[:2] / length
    e = np.cos(length) * x + np.exp(-camera[2]) * (k @ x) * k
    return e @ e - camera[3]


def by_indices(cameras, points, first, second):
    s = 0.0
    for n in range(len(first)):
        s = s + seen(cameras[first[n]], points[second[n]])
    return s


def in_turn(cameras, points, first, second):
    s = 1.0
    for i, x in zip(first, points[second], strict=True):
        s = s * 0.9 + seen(cameras[i], x) * s
    return s


def scaled(cameras, points, first, second):
    s = 1.0
    for n in range(len(first)):
        s = s + seen(cameras[first[n]], points[second[n]])
    return 2.0 * s + 1.0


PROGRAMS = [by_indices, in_turn, scaled]


def calls():
    """Arguments that change what there is to compute, and NumPy's corners."""
    yield CAMERAS, POINTS, FIRST, SECOND
    yield CAMERAS[::-1].copy(), -POINTS, SECOND % 3, SECOND[::-1]
    for number in (0.0, np.inf, np.nan, 1e200, -800.0):
        cameras = CAMERAS.copy()
        cameras[1] = number
        yield cameras, POINTS, FIRST, SECOND
    yield CAMERAS, POINTS, FIRST, SECOND


def assert_same(found, expected):
    (value, gradients), (right, derived) = found, expected
    assert type(value) is type(right)
    np.testing.assert_allclose(value, right, 1e-12)
    for a, b in zip(gradients, derived, strict=True):
        assert type(a) is np.ndarray
        np.testing.assert_allclose(a, b, 1e-9, 1e-12)


@pytest.mark.parametrize("function", PROGRAMS)
def test_variables_and_what_is_written_into_later(function):
    traced = srcgrad.trace(function)
    for args in calls():
        found = []
        for stance in ("default", "tape"):
            given = [srcgrad.Variable(each, requires_grad=True) for each in args[:2]]
            with srcgrad.set_stance(stance), np.errstate(all="ignore"):
                loss = traced(*given, *args[2:])
                loss.backward()
            found.append((loss.data, [each.grad.data for each in given]))
            for each in given:
                each.grad.data[...] = 0.0  # it is the caller's own
        assert traced.stats.compiled + traced.stats.tape > 0
    ours = srcgrad.value_and_grad(function, (0, 1))
    first, second = (ours(*args) for args in (next(calls()), next(calls())))
    first[1][0][...] = 7.0
    assert_same(second, ours.untraced(next(calls()), {}))


def test_an_index_outside_is_an_error_and_warnings_come_once():
    ours = srcgrad.value_and_grad(by_indices, (0, 1))
    for _ in range(3):
        ours(CAMERAS, POINTS, FIRST, SECOND)
    with pytest.raises(IndexError, match="out of bounds"):
        ours(CAMERAS, POINTS, FIRST + 5, SECOND)
    cameras = CAMERAS.copy()
    cameras[0] = 1e200
    told = []
    for call in (ours, lambda *args: ours.untraced(args, {})):
        with warnings.catch_warnings(record=True) as met:
            warnings.simplefilter("always")
            call(cameras, POINTS, FIRST, SECOND)
        told.append({str(warning.message).split(" encountered")[0] for warning in met})
    assert told[0] == told[1]
