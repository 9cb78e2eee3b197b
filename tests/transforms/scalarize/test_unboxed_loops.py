"""Loops on Python's floats."""

import warnings

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.runs import rolled_runs
from tests.loop_programs import PROGRAMS


def lotka_volterra(p, start):
    x, y = start[0], start[1]
    for _ in range(40):
        dx, dy = p[0] * x - p[1] * x * y, p[2] * x * y - p[3] * y
        x, y = x + 0.01 * dx, y + 0.01 * dy
    return x * x + y


def fit(p, data, weights):
    """Data in rows, read by two indices and row by row."""
    x, error = p[0], 0.0
    for t in range(20):
        row = weights[t]
        x = x + 0.1 * p[1] * x * data[t, 0]
        error = error + (x - data[t, -1]) ** 2 * row[1] + np.sqrt(row[0]) * x
    return error


@pytest.fixture(autouse=True)
def _always_rolled(monkeypatch):
    monkeypatch.setattr(rolled_runs, "MOST_NUMBERS", 0)


P, START = np.array([1.1, 0.4, 0.1, 0.4]), np.array([10.0, 5.0])


def test_an_overflow_inside_is_numpys():
    traced = srcgrad.value_and_grad(srcgrad.trace(lotka_volterra), (0, 1))
    traced(P, START)
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always")
        traced(P * 1e200, START)
    assert any("overflow" in str(warning.message) for warning in met)
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        traced(P * 1e200, START)


def newton(a):
    x, err = 0.5 * a + 0.5, a
    while abs(err) > 1e-9 * a:
        x = 0.5 * (x + a / x)
        err = x * x - a
    return x


def pythons_and_numpys(a):
    """What overflows is Python's number, then NumPy's."""
    x, y = a, 0.0
    for _ in range(12):
        x = x * x
        y = y + 2.0 * np.sqrt(abs(x) + 1.0) / (1.0 + x)
    return y - x


def decided_by_sines(a):
    x, total = a * 1.0, 0.0
    while np.sin(x) < 0.9:
        total = total + np.exp(-x) * np.cos(x)
        x = 1.5 * x + 0.1 + 0.05 * np.cos(x) ** 2
    return total * x


def decided_by_powers(a):
    x, total = a * 1.0, 1.0
    for _ in range(6):
        x = np.power(x, 1.7) if np.log(x) < 2.0 else np.exp(x) / x
        total = total + np.tanh(x) * x
    return total


@pytest.mark.parametrize("kind", [float, np.float64])
@pytest.mark.parametrize(
    "function", [newton, pythons_and_numpys, decided_by_sines, decided_by_powers]
)
def test_decisions_and_warnings_are_numpys(function, kind):
    ours = srcgrad.value_and_grad(srcgrad.trace(function))
    numbers = (1.5, 3.0, 2.0, 1e200, 0.3, np.inf, np.nan, 1e308, 5.0, 1.234, 2.5, -0.0)
    for a in map(kind, numbers):
        with np.errstate(all="ignore"):
            ours(a)  # once more, if this is recorded
        met = []
        for call in (ours, lambda x: ours.untraced((x,), {})):
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                met.append((call(a), {str(each.message) for each in seen}))
        (found, told), (expected, to_tell) = met
        np.testing.assert_allclose(found, expected, 1e-12)
        assert [*map(type, found)] == [*map(type, expected)]
        assert told == to_tell
    assert "forward_on_floats" in ours.source()
    if function is newton:  # of Python's own numbers NumPy says nothing
        assert ours.source().count("isfinite") == (1 if kind is float else 2)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_full_of_loops(name):
    function, makers = PROGRAMS[name]
    numbers = tuple(range(len(makers)))
    ours = srcgrad.value_and_grad(srcgrad.trace(function), numbers)
    theirs = srcgrad.value_and_grad(function, numbers).untraced
    for seed in (1, 2, 1):
        random = np.random.default_rng(seed)
        args = [make(random) for make in makers]
        (value, found), (expected, right) = ours(*args), theirs(args, {})
        np.testing.assert_allclose(value, expected, 1e-9)
        for a, b in zip(found, right, strict=True):
            np.testing.assert_allclose(a, b, 1e-9, 1e-9)


RNG = np.random.default_rng(0)
DATA, WEIGHTS = RNG.uniform(0.5, 1.0, (20, 3)), RNG.uniform(0.5, 1.0, (20, 2))
TINY, HUGE, LOST = DATA * 1e-300, DATA * 1e12, np.where(DATA > 0.9, np.nan, DATA)


@pytest.mark.parametrize("data", [DATA, TINY, HUGE, LOST, -DATA.T.copy().T])
@pytest.mark.parametrize("g", [1.0, np.inf, 0.0])
def test_halves_hand_over_lists_of_floats(data, g):
    """Where one half is left to NumPy, and the other is not, too."""
    traced = srcgrad.trace(fit)
    found = []
    for stance, args in [("default", DATA), ("tape", data), ("default", data)]:
        p = srcgrad.Variable(np.array([0.3, 1.2]), requires_grad=True)
        with srcgrad.set_stance(stance), np.errstate(all="ignore"):
            loss = traced(p, args, WEIGHTS)
            loss.backward(np.float64(g))
        found.append((loss.data, p.grad.data))
    assert traced.stats.compiled > 0
    assert "def backward_on_floats" in traced.source()
    for ours, theirs in zip(*found[1:], strict=True):
        assert type(ours) is type(theirs)
        np.testing.assert_allclose(ours, theirs, 1e-9)


def test_an_array_that_a_loop_reads_by_its_number_is_a_list_around_it_too():
    def until_it_is_enough(x, n):
        for v in x:
            n = n + v * v
            if n > 1.5:
                break
        return n

    traced = srcgrad.value_and_grad(until_it_is_enough, argnums=(0, 1))
    gradient, rng = srcgrad.grad(until_it_is_enough), np.random.default_rng(0)
    for _ in range(4):
        x = 0.4 * rng.normal(size=30)
        value, (slope, _) = traced(x, 0.1)
        with srcgrad.set_stance("tape"):
            expected = gradient(x, 0.1)
        np.testing.assert_allclose(value, until_it_is_enough(x, 0.1), rtol=1e-12)
        np.testing.assert_allclose(slope, expected, rtol=1e-12)
    text = traced.source()
    assert "_on_floats" in text
    assert text.count("x.tolist()") == 1
    assert "x_29" not in text
