"""Patterns of ``match`` know what stands for a number, an array."""

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.arrays.class_patterns import PATTERNS
from srcgrad.tracing.arrays.traced_array import TracedArray


def test_what_stands_for_a_number_is_one():
    assert isinstance(TracedArray.make(1.0, None), PATTERNS.float)
    assert not isinstance(TracedArray.make(1.0, None), PATTERNS.complex)
    assert isinstance(TracedArray.make(np.ones(1), None), PATTERNS.ndarray)
    assert isinstance(1.0, PATTERNS.float)
    assert not isinstance(1, PATTERNS.float)


def by_kind(x):
    hash(str(x))  # keeps the first calls on the tape
    match x:
        case complex():
            return abs(x)
        case str() | int():
            return x * 0.0
        case np.float32() | np.float64():
            return 3.0 * x
        case float(v):
            return v * v
        case np.ndarray(shape=(2,)):
            return np.sum(x * x * x)


def in_a_tuple(x):
    match (x, {"a": [float(x)]}):
        case (np.number() as v, {"a": [float(w)]}):
            return v * w**2
        case (float(v), {"a": [float(w), *_]}):
            return v * w


def shadowed(x):
    class float(str):  # noqa: N801
        pass

    match x:
        case float():
            return 0.0 * x
        case _:
            return 2.0 * x


@pytest.mark.parametrize(
    ("f", "x", "slope"),
    [
        (by_kind, 2.0, 4.0),
        (by_kind, np.float64(2.0), 3.0),
        (by_kind, np.array([1.0, 2.0]), [3.0, 12.0]),
        (in_a_tuple, 2.0, 4.0),
        (in_a_tuple, np.float64(2.0), 12.0),
        (shadowed, 2.0, 2.0),
    ],
)
def test_a_pattern_fits_on_the_tape_as_it_does_compiled(f, x, slope):
    gradient = srcgrad.grad(f)
    for _ in range(4):
        np.testing.assert_array_equal(gradient(x), slope)
    with srcgrad.set_stance("tape"):
        np.testing.assert_array_equal(gradient(x), slope)
