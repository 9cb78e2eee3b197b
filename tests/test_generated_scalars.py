"""Random programs on numbers: what runs on Python's floats is what runs on NumPy's.

The same recording is written down with and without floats, and called with numbers of
all kinds. Results, gradients, warnings and errors are the same: to the bit, or by units
in the last place where libm computes in another way than NumPy.
"""

import math
import operator
import warnings

import numpy as np
import pytest

import srcgrad
import srcgrad.autograd
from srcgrad import Variable
from srcgrad.tracing.serving import trace as tracing

SPECIAL = (
    *(0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 3.0, 1e-3, 1e3, -1e3, 710.0, -750.0),
    *(math.inf, -math.inf, math.nan, 5e-324, -1e-310, 1e-200, 1e154, 1e308, -1.7e308),
)

# Of one number, and of two. Those in the first row of each are the same to the bit.
EXACT_UNARY = (np.negative, abs, np.sqrt, np.square, np.reciprocal, np.sign)
LIBM_UNARY = (np.exp, np.log, np.sin, np.cos, np.tan, np.tanh, np.arctan, np.log1p)
EXACT_BINARY = (
    *(operator.add, operator.sub, operator.mul, operator.truediv),
    *(np.maximum, np.minimum, lambda x, y: np.where(x < y, x, y)),
)
LIBM_BINARY = (np.arctan2, np.hypot, np.power, lambda x, y: (x * x + 0.5) ** 1.5 + y)
CONSTANTS = (2, 0.5, -1.5, 3.0, 0.0, 1e300)


# Of two vectors of three numbers, and a number.
VECTORS = (
    lambda v, w, a: np.cross(v, w),
    lambda v, w, a: v * w - a,
    lambda v, w, a: v / a + w,
    lambda v, w, a: np.maximum(v, w)[::-1],
    lambda v, w, a: np.outer(v, w) @ w + np.array([a, 1.0, v[0]]),
    lambda v, w, a: np.array([[a, v[1], 0.5], [w[0], -a, 1.0], [2.0, a, a]]) @ w,
    lambda v, w, a: np.where(v < w, v, a * w),
    lambda v, w, a: np.stack([v[1], a, w[2]]) * np.sum(w),
    lambda v, w, a: v * np.dot(v, w) + w / np.linalg.norm(v),
    lambda v, w, a: np.concatenate([w[1:], v[:1]]) - a * v,
    lambda v, w, a: np.reshape(np.array([[v[0]], [a], [w[2]]]), (3,)) * v[0] * w[1],
)


class Vectors:
    """The same with vectors: programs that are written by their elements now and then.

    Sums of products are added in another order; so nothing is near to an overflow.
    """

    def __init__(self, *seed):
        self.rng = np.random.default_rng(seed)
        count = self.rng.integers(1, 4)
        self.steps = [VECTORS[self.rng.integers(len(VECTORS))] for _ in range(count)]

    def program(self):
        steps = self.steps

        def program(x, a, t):
            b = x[0] * a + x[1] * t
            v, w = np.array([a, x[2] - b, t * x[0]]), x
            for step in steps:
                v, w = step(v, w, b), v
            c = v[0] * v[2] - b
            return np.exp(-c * c) * v[1] + a / (1.0 + b * b), v * c

        return program

    def numbers(self, tame):
        special = (0.0, -0.0, 1.0, -1.0, 1e-3, 1e3)
        special = (1.0,) if tame else (*special, math.inf, math.nan)

        def number():
            if self.rng.random() < 0.8:
                return float(self.rng.normal())
            return float(special[self.rng.integers(len(special))])

        return np.array([number() for _ in range(3)]), np.float64(number()), number()


class Draw:
    """A random program, and numbers to call it with."""

    def __init__(self, *seed, exact):
        self.rng = np.random.default_rng(seed)
        unary = EXACT_UNARY if exact else EXACT_UNARY + LIBM_UNARY
        binary = EXACT_BINARY if exact else EXACT_BINARY + LIBM_BINARY
        self.steps = []
        for _ in range(self.rng.integers(8, 20)):
            if self.rng.random() < 0.35:
                self.steps.append((self.one(unary), self.place(), None, None))
            elif self.rng.random() < 0.3:
                constant = self.one(CONSTANTS)
                self.steps.append((self.one(binary), self.place(), None, constant))
            else:
                self.steps.append((self.one(binary), self.place(), self.place(), None))
        self.exact = exact
        self.puts_together = self.rng.random() < 0.3

    def one(self, items):
        return items[self.rng.integers(len(items))]

    def place(self):
        """Counted from the last value, or any of those that come in."""
        return -int(self.rng.integers(1, 5)) if self.rng.random() < 0.7 else 1

    def program(self):
        steps, puts_together, exact = self.steps, self.puts_together, self.exact

        def program(x, a, t):
            values = [t, a, x[0], x[1], x[-1]]
            for function, first, second, constant in steps:
                if second is not None:
                    values.append(function(values[first], values[second]))
                elif constant is not None:
                    values.append(function(values[first], constant))
                else:
                    values.append(function(values[first]))
            if puts_together:
                v = np.array([values[-1], values[-2], x[1]])
                last = v[1] - v[0] if exact else v @ x
                return last + v[1], values[-3] * 1.0
            return values[-1] + values[-2], values[-3] * 1.0

        return program

    def numbers(self, tame):
        def number():
            if tame or self.rng.random() < 0.6:
                return float(self.rng.normal())
            return float(self.one(SPECIAL))

        return np.array([number() for _ in range(3)]), np.float64(number()), number()


def outcome(function, numbers, settings):
    """Results and gradients, or the error; and the warnings on the way."""
    x, a, t = numbers
    variables = Variable(x.copy(), requires_grad=True), Variable(a, requires_grad=True)
    seen = []
    with warnings.catch_warnings(record=True) as met, np.errstate(**settings):
        warnings.simplefilter("always")
        try:
            results = function(*variables, t)
            seen += [result.data for result in results]
            live = [result for result in results if result.requires_grad]
            partition = [np.float64(0.5) * np.ones_like(each.data) for each in live]
            srcgrad.autograd.backward(live, partition)
            seen += [variable.grad for variable in variables]
        except (ArithmeticError, ValueError, RuntimeError) as error:
            seen.append((type(error), str(error)))
    return seen, [str(warning.message) for warning in met]


def nudged(numbers):
    """The same numbers, but for the last places."""
    x, a, t = numbers
    return x * (1.0 + 1e-15), a * (1.0 - 1e-15), t


def assert_same(ours, theirs, near=None):
    """The same results; if there are those nearby, as far as these are the same.

    What ends in another way nearby, with an error or without one, says nothing of the
    numbers before that: these are compared as closely as where nothing differs.
    """
    assert len(ours) == len(theirs)
    is_exact = near is None
    if is_exact or [*map(type, near)] != [*map(type, theirs)]:
        near = theirs
    for a, b, c in zip(ours, theirs, near, strict=True):
        assert type(a) is type(b), (a, b)
        is_gradient = isinstance(a, Variable)
        if is_gradient:
            a, b, c = a.data, b.data, c.data
        if not isinstance(a, (np.ndarray, np.generic)):
            assert a == b
            continue
        assert a.shape == b.shape
        assert a.dtype == b.dtype
        if is_exact:
            np.testing.assert_array_equal(a, b)
            if not is_gradient:  # zeros that are added up may have another sign there
                np.testing.assert_array_equal(np.signbit(a), np.signbit(b))
        elif np.all(np.isfinite(b)) and np.all(np.isfinite(c)):
            allowed = 1e5 * np.abs(c - b) + 1e-10 * np.max(np.abs(b))
            assert np.all(np.abs(a - b) <= allowed), (a, b, c)
        else:
            np.testing.assert_array_equal(np.isnan(a), np.isnan(b))


def both(program, numbers, monkeypatch):
    """A program traced with floats, and without; None where there are none."""
    found = []

    def scalarized(partition):
        found.append(original(partition))
        return found[-1]

    original = tracing.scalarized
    fast, slow = srcgrad.trace(program), srcgrad.trace(program)
    outcome_of = {"all": "ignore"}
    monkeypatch.setattr(tracing, "scalarized", scalarized)
    outcome(fast, numbers, outcome_of)
    monkeypatch.setattr(tracing, "scalarized", lambda partition: partition)
    outcome(slow, numbers, outcome_of)
    monkeypatch.setattr(tracing, "scalarized", original)
    return (fast, slow) if found and found[-1].unboxed is not None else None


def check(draw, exact, monkeypatch):
    """Whether a program runs on floats, if it does as NumPy does."""
    pair = both(draw.program(), draw.numbers(True), monkeypatch)
    if pair is None:
        return False
    for _ in range(12):
        numbers = draw.numbers(False)
        for settings in ({"all": "ignore"}, {}, {"all": "raise"}, {"under": "warn"}):
            (ours, warned), (theirs, expected) = (
                outcome(function, numbers, settings) for function in pair
            )
            near = None if exact else outcome(pair[1], nudged(numbers), settings)[0]
            assert_same(ours, theirs, near)
            assert warned == expected
    return True


@pytest.mark.seeds(2)
def test_floats_are_numpys_scalars_to_the_bit(seed, monkeypatch):
    assert sum(check(Draw(seed, k, exact=True), True, monkeypatch) for k in range(4))


@pytest.mark.seeds(2)
def test_floats_are_numpys_scalars_but_for_the_last_places(seed, monkeypatch):
    sum(check(Draw(seed, k, exact=False), False, monkeypatch) for k in range(4))


@pytest.mark.seeds(2)
def test_vectors_by_their_elements_are_numpys_arrays(seed, monkeypatch):
    assert sum(check(Vectors(seed, k), False, monkeypatch) for k in range(6))
