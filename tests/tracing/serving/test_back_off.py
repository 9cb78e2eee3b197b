"""Over a long run, a traced function is not much slower than the tape.

What a call on the tape, a recording and a look at traces in vain take is counted, not
measured.
"""

import itertools

import numpy as np
import pytest

import srcgrad
from srcgrad.policy import FURTHER_TRACES, LONGEST_PAUSE, REPAID
from srcgrad.tracing.serving.budget import Budget
from tests.tracing.comparing import X, plain

TAPE, TRACE, LOOK = 1.0, 60.0, 2.0
CALLS = 4000
FREE_TRACES = 1 + FURTHER_TRACES


@pytest.fixture
def spent(monkeypatch):
    """What traces, and looks in vain, have taken so far."""
    total = []
    spend, earn = Budget.spend, Budget.earn

    def spend_seconds(self, start):
        seconds = TRACE if self.is_for_tracing else LOOK
        total.append(seconds)
        spend(self, start - seconds)

    def earn_seconds(self, seconds):
        earn(self, seconds + TAPE)

    monkeypatch.setattr(Budget, "spend", spend_seconds)
    monkeypatch.setattr(Budget, "earn", earn_seconds)
    return total


def traced_with_marks(function):
    traced = srcgrad.trace(function)
    traced._back_off.tracing.is_for_tracing = True
    traced._back_off.looking.is_for_tracing = False
    return traced


def power(x, n):
    return np.flip(x) * n


def branches(x, n):
    return x * range(10**6)[int(n[0])]


def shaped(x):
    return np.sum(np.sort(x) * x)  # each length has a trace of its own


def alternating():
    """A step counter, and a fixed value."""
    return power, ((X, n if n % 2 else 0) for n in itertools.count())


def ever_new():
    return power, ((X, n) for n in itertools.count())


def values_ever_new():
    return branches, ((X, np.array([float(n)])) for n in itertools.count())


def values_alternating():
    return branches, ((X, np.array([float(n % 2 * n)])) for n in itertools.count())


def sizes():
    generator = np.random.default_rng(0)
    return shaped, ((np.ones(generator.integers(1, 100)),) for _ in itertools.count())


def sizes_in_turn():
    return shaped, ((np.ones(1 + n % 99),) for n in itertools.count())


@pytest.mark.filterwarnings("ignore:.* stays on the tape")
@pytest.mark.parametrize(
    "run",
    [alternating, ever_new, values_ever_new, values_alternating, sizes, sizes_in_turn],
    ids=lambda run: run.__name__,
)
def test_a_long_run_takes_little_longer_than_on_the_tape(run, spent):
    function, calls = run()
    traced = traced_with_marks(function)
    for args in itertools.islice(calls, CALLS):
        assert plain(traced(*args)) == plain(function(*args))
    taken = sum(spent) + traced.stats.tape * TAPE
    assert taken <= 1.2 * CALLS * TAPE + FREE_TRACES * TRACE, traced.explain()


def test_what_pays_is_traced_in_the_end(spent):
    traced = traced_with_marks(shaped)
    _, calls = sizes_in_turn()
    few = list(itertools.islice(calls, 12))
    for _ in range(CALLS):
        for args in few:
            traced(*args)
    assert traced.stats.traces == 12


@pytest.mark.parametrize("first", [sizes, ever_new, values_ever_new])
@pytest.mark.filterwarnings("ignore:.* stays on the tape")
def test_a_function_that_settles_down_is_compiled_again(first, spent):
    """As soon as a trace takes little of what its calls alone have taken."""
    function, calls = first()
    traced = traced_with_marks(function)
    for args in itertools.islice(calls, CALLS):
        traced(*args)
    before, spent[:] = traced.stats, []
    args, count = (np.ones(1000), *next(calls)[1:]), round(TRACE / REPAID)
    for _ in range(count + 2 * LONGEST_PAUSE):
        traced(*args)
    assert traced.stats.traces == before.traces + 1
    assert sum(spent) <= 2 * REPAID * count * TAPE + TRACE


def test_misses_in_a_row_end_it_with_a_warning(spent):
    traced = traced_with_marks(branches)
    with pytest.warns(RuntimeWarning, match="stays on the tape from now on") as seen:
        assert [traced(X, np.array([float(n)])) for n in range(100)]
    assert len(seen) == 1
    assert traced.stats.traces == 2
    assert "int(n[0])]` was 0" in str(seen[0].message)


@pytest.mark.parametrize(
    ("kinds", "found"),
    [
        ("d d d", "T h h"),
        ("f d f d f d", "T . h T h h"),
        ("f d g f d g f d g", "T . . h T T h h h"),
        ("f d d d", "T . T h"),
        ("f f d d g g", "T h T h T h"),
        ("f d g e F D G", "T . . . . . ."),
    ],
)
@pytest.mark.usefixtures("spent")
def test_what_comes_again_is_traced_at_once_and_what_does_not_is_not(kinds, found):
    """T: a call was traced, h: a trace has served it, .: it went by the tape."""
    traced, marks = traced_with_marks(shaped), []
    for kind in kinds.split():
        before = traced.stats
        traced(np.ones(3, kind))
        is_hit = traced.stats.compiled > before.compiled
        marks.append("T" if traced.stats.traces > before.traces else ".h"[is_hit])
    assert " ".join(marks) == found


def test_values_and_gradients_have_time_of_their_own(spent):
    """A user who computes both may change something in both."""
    traced = traced_with_marks(shaped)
    gradient = srcgrad.grad(traced)
    for size in range(2, 2 * FREE_TRACES + 6):
        traced(np.ones(size // 2))
        gradient(np.ones(size // 2))
    assert traced.stats.traces == 2 * FREE_TRACES


@pytest.mark.parametrize("transform", [srcgrad.trace, srcgrad.grad])
def test_it_is_said_that_shapes_change_too_often(transform, monkeypatch):
    monkeypatch.setattr(Budget, "allows", lambda self, *_: self._free > 0)
    monkeypatch.setattr(Budget, "is_earned_by", lambda self, _: False)
    function = transform(lambda x: np.sum(np.sort(x[1:]) * x[:-1]))
    for length in range(3, 24):
        function(np.ones(length))
    reasons = function.explain(as_dict=True)["on_the_tape"]
    assert any("batches of one shape" in each["instead"] for each in reasons)
