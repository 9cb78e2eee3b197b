"""Calls that come in turn: a trace that is there is used, and errors are no misses."""

import enum
import random

import numpy as np
import pytest

import srcgrad
from srcgrad.policy import PARDONS
from srcgrad.tracing.runs.attempt import attempt
from srcgrad.tracing.serving.budget import Budget

X = np.arange(1.0, 7.0)


class Family(enum.Enum):
    SQUARES = 0
    SINES = 1
    EXPONENTIALS = 2
    MAXIMUM = 3


class Settings:
    number = 0


def total(x, number):
    """Another graph for each number."""
    if number == 0:
        return np.sum(x**2)
    if number == 1:
        s = 0.0
        for v in x:
            s = s + np.sin(v)
        return s
    if number == 2:
        return np.sum(np.exp(x) * x)
    return np.max(x) + np.sum(np.cos(x))


def by_enum(x, family):
    return total(x, family.value)


def by_default(x, family=Family.SQUARES):
    return total(x, 0 if family is Family.SQUARES else family.value)


def by_text(x, name):
    return total(x, "abcd".index(name))


def by_keyword(x, *, number):
    return total(x, number)


def by_attribute(x):
    return total(x, Settings.number)


def by_value(x, a):
    return total(x, int(a))


def by_shape(x):
    return total(x, len(x) - 4)


def by_members(x, m):
    s = 0.0
    for t in np.unique(m):
        s = s + x[m == t].sum() ** 2
    return s


def call_of(function, number):
    """The arguments with which a function does what a number says."""
    Settings.number = number
    family = list(Family)[number]
    calls = {
        by_enum: ((X, family), {}),
        by_default: ((X, family), {}),
        by_text: ((X, "abcd"[number]), {}),
        by_keyword: ((X,), {"number": number}),
        by_attribute: ((X,), {}),
        by_value: ((X, float(number)), {}),
        by_shape: ((np.arange(1.0, 5.0 + number),), {}),
        by_members: ((X, np.arange(6) // (number + 1)), {}),
    }
    return calls[function]


FUNCTIONS = [
    *(by_enum, by_default, by_text, by_keyword),
    *(by_attribute, by_value, by_shape, by_members),
]


def backward(traced):
    def run(x, *rest, **keywords):
        variable = srcgrad.Variable(x, requires_grad=True)
        traced(variable, *rest, **keywords).backward()
        return variable.grad

    return run


WAYS = [lambda traced: traced, srcgrad.grad, srcgrad.value_and_grad, backward]


def recorded(traced, run, numbers):
    """The numbers whose calls became traces."""
    found = []
    for number in numbers:
        args, keywords = call_of(traced.__wrapped__, number)
        before = traced.stats.traces
        run(*args, **keywords)
        found += [number] * (traced.stats.traces - before)
    return found


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.seeds(3)
def test_nothing_is_recorded_twice(function, way, seed):
    generator = random.Random(seed)
    count = generator.randint(2, 4)
    numbers = [*range(count), 0, 1, 1, *range(count)]
    if seed:
        numbers = [generator.randrange(count) for _ in range(30)]
    traced = srcgrad.trace(function)
    found = recorded(traced, way(traced), numbers)
    assert len(found) == len(set(found)), traced.explain()
    assert traced.stats.compiled or way is srcgrad.grad or seed


@pytest.mark.parametrize("function", [by_attribute, by_value, by_members])
def test_where_there_is_no_time_to_look_at_all_traces_none_is_made(
    function, monkeypatch
):
    traced = srcgrad.trace(function)
    monkeypatch.setattr(Budget, "allows", lambda *_: True)
    assert recorded(traced, traced, range(2)) == [0, 1]
    looking = traced._back_off.looking
    monkeypatch.setattr(Budget, "allows", lambda self, *_: self is not looking)
    assert recorded(traced, traced, [0, 1, 0, 0, 1]) == []


# ----- Errors of the user's -----

WEIGHTS = np.ones((3, 3))
GOOD = np.ones(3)


def of_shapes(x):
    return np.sum(np.tanh(x @ WEIGHTS) ** 2)


def of_values(x):
    if x[0] < 0:
        raise ValueError("negative")
    return np.sum(x**2)


def of_numpy(x):
    return np.sum(np.linalg.cholesky(np.diag(x)))


def of_keys(x, name="a"):
    return np.sum(x**2) * {"a": 1.0, "b": 2.0}[name]


def of_an_assertion(x, n=3):
    if not n > 0:
        raise AssertionError
    return np.sum(x**3) * n


ERRORS = {
    of_shapes: [(np.ones(4),), (np.ones(5),), (np.ones(6),)],
    of_values: [(-GOOD,)],
    of_numpy: [(-GOOD,)],
    of_keys: [(GOOD, "x"), (GOOD, "y"), (GOOD, "z")],
    of_an_assertion: [(GOOD, -1), (GOOD, -2), (GOOD, -3)],
}


@pytest.mark.parametrize("function", ERRORS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("before", "after", "on_the_tape"),
    [
        ("", "ggg", 1),
        ("e", "ggg", 1),
        ("eee", "ggg", 1),
        ("gg" + 60 * "e", "ggg", 0),
        (20 * "ge", "ggg", 0),
        (60 * "e", "gggg", 2),
    ],
)
def test_calls_that_raise_are_no_misses(function, way, before, after, on_the_tape):
    """They are not counted as such, and keep no other call from being compiled."""
    traced = srcgrad.trace(function)
    run = way(traced)
    for number, letter in enumerate(before):
        if letter == "g":
            run(GOOD)
            continue
        with pytest.raises((ValueError, KeyError, AssertionError)):
            run(*ERRORS[function][number % len(ERRORS[function])])
    compiled = traced.stats.compiled
    for _ in after:
        run(GOOD)
    assert traced.stats.compiled - compiled == len(after) - on_the_tape
    assert traced.stats.misses == 0
    assert "last miss" not in traced.explain()
    assert "on the tape:" not in traced.explain()


def test_recordings_that_end_with_an_error_are_few(monkeypatch):
    count = []

    def attempted(*args):
        count.append(1)
        return attempt(*args)

    monkeypatch.setattr("srcgrad.tracing.traced.attempt", attempted)
    traced = srcgrad.trace(of_values)
    for _ in range(100):
        with pytest.raises(ValueError, match="negative"):
            traced(-GOOD)
    assert len(count) == PARDONS
