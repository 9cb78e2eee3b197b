"""Integers that change from call to call: counters, step numbers, lengths."""

from types import SimpleNamespace

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.outside import conditions
from srcgrad.tracing.outside.changing_ints import FollowedInt, as_seen
from srcgrad.tracing.outside.places import Argument
from tests.tracing.comparing import X, outcome, plain

counter = 0


def counts(m, x):
    m.n += 1
    return np.sum(x) * m.n


def counts_globally(m, x):
    global counter
    counter += 2
    return x * (1.0 / (1 + counter))


def decays(m, x):
    m.n += 1
    rate = 0.1 / (1 + 0.01 * m.n) + 0.9**m.n + m.n / 4
    return np.sum(x * rate) * np.sqrt(m.n) / (m.n * x)


def goes_by_parity(m, x):
    m.n = m.n + 1
    if m.n % 2:
        return np.sum(x)
    return np.sum(x) * 2.0


def measures(m, x):
    m.items.append(x[0])
    return np.mean(x) / len(m.items)


def tells(m, x):
    m.n += 3
    m.text = f"step {m.n:03d} of {-m.n}" + " %d" % m.n  # noqa: UP031
    return x * 2.0


def gives_back(m, x):
    m.n += 1
    return m.n, x * 2.0


def keeps_in_dict(m, x):
    m.d["n"] += 1
    m.d["twice"] = 2 * m.d["n"]
    return x * 1.0


PROGRAMS = {
    counts: 5,
    counts_globally: 4,
    decays: 5,
    goes_by_parity: 0,
    measures: 4,
    tells: 5,
    gives_back: 0,
    keeps_in_dict: 3,
}


def model():
    return SimpleNamespace(n=1, items=[], d={"n": 5}, text="")


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_counters_are_no_part_of_a_trace(function):
    global counter
    traced = srcgrad.trace(function)
    ours, theirs = model(), model()
    for k in range(6):
        x = X * (k + 1)
        before = counter
        found = outcome(traced, ours, x)[0]
        after, counter = counter, before
        assert found == outcome(function, theirs, x)[0]
        assert after == counter
        assert plain(vars(ours)) == plain(vars(theirs))
    assert traced.stats.compiled >= PROGRAMS[function], traced.explain()


def test_what_becomes_another_type_is_noticed():
    traced = srcgrad.trace(decays)
    ours, theirs = model(), model()
    for n in (1, 2, 3, True, 2.0, 10**30, np.int64(4), 5):
        ours.n = theirs.n = n
        assert outcome(traced, ours, X)[0] == outcome(decays, theirs, X)[0]
        assert type(ours.n) is type(theirs.n)


def scaled(x, n):
    return np.sum(x) * n / (n + 2)


def cut(x, n):
    return x[:n] * n


def chosen(x, n, m):
    return x * (n - m) if n > 2 else x * m


@pytest.mark.parametrize("function", [scaled, cut])
def test_integer_arguments_that_change(function):
    traced = srcgrad.trace(function)
    for n in (*range(1, 9), True, 2.0, 3):
        assert outcome(traced, X, n)[0] == outcome(function, X, n)[0]
    least = 5 if function is scaled else 1
    assert traced.stats.compiled >= least, traced.explain()


def test_a_branch_on_one_of_several_integers():
    traced = srcgrad.trace(chosen)
    for k in range(30):
        args = X, k % 4, k
        assert outcome(traced, *args)[0] == outcome(chosen, *args)[0]
    assert traced.stats.compiled >= 12, traced.explain()


def test_gradients_with_a_step_number():
    def loss(x, step):
        return np.sum(x * x) * 0.5**step

    traced = srcgrad.value_and_grad(srcgrad.trace(loss))
    plainly = srcgrad.value_and_grad(loss)
    for step in range(8):
        for ours, theirs in zip(traced(X, step), plainly(X, step), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-15)


class Notes:
    def __init__(self):
        self.texts = []

    def require(self, condition):
        self.texts.append(condition.text)

    def pin(self, place, value):
        self.require(conditions.equals(place, value))

    def taken(self, place, value):
        self.texts.append(place.text)
        return value


FLOAT = ["`n` was small enough to be a float", "float(n)"]
SAME = [
    (lambda n: n + 1, []),
    (lambda n: 7 - 2 * (n % 3) // 2, []),
    (lambda n: -n, []),
    (lambda n: n * 0.5, FLOAT),
    (lambda n: 1 / n, FLOAT),
    (lambda n: 0.5**n, FLOAT),
    (lambda n: n**2, ["`n` was 5"]),
    (lambda n: n > 3, ["`n > 3` was True"]),
    (lambda n: n % 2 == 0, ["`n % 2 == 0` was False"]),
    (lambda n: not n, ["`n != 0` was True"]),
    (lambda n: n < 2.5, ["`n < 2.5` was False"]),
    (lambda n: [1, 2] * n, ["`n` was 5"]),
    (lambda n: list(range(n)), ["`n` was 5"]),
    (lambda n: "abcdefg"[n + 1], ["`n + 1` was 6"]),
    (lambda n: divmod(n, 2), ["`n` was 5"]),
    (lambda n: abs(n), ["`n` was 5"]),
    (lambda n: n.bit_length(), ["`n` was 5"]),
    (lambda n: {5: 1}[n], ["`n == 5` was True", "`n` was 5"]),
    (lambda n: n & 4, ["`n` was 5"]),
    (lambda n: n == "5", ["`n` was 5"]),
    (lambda n: n < float("inf"), ["`n` was 5"]),
]


@pytest.mark.parametrize("number", range(len(SAME)))
def test_it_is_looked_at_only_where_python_depends_on_it(number):
    formula, looks = SAME[number]
    notes = Notes()
    found = formula(FollowedInt(Argument("n", 0), 5, notes))
    # To divide, or to look up, Python may ask more than once.
    assert sorted({*notes.texts}) == sorted({*looks})
    assert as_seen(found) == formula(5)
    assert type(as_seen(found)) is type(formula(5))
