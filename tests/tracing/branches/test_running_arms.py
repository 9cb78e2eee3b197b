"""What is found out of an arm as it runs: `explain()` names it."""

import numpy as np
import pytest

import srcgrad
from tests.branch_programs import compared_with_the_tape


class Table:
    def __getitem__(self, index):
        return 2.0 * index


TABLE = Table()


def shown(x):
    print(x)
    return x


def calls_what_does_more(x):
    y = x
    if x > 0.0:
        y = shown(x) * 2.0
    return y


def asks_an_object_for_an_item(x):
    y = x
    if x > 0.0:
        y = x * TABLE[1]
    return y


def calls_itself(x):
    return calls_itself(x - 1.0) * 2.0 if x > 0.0 else x


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (calls_what_does_more, "calls `shown`, which may do more than compute"),
        (asks_an_object_for_an_item, "takes an item of a Table"),
        (calls_itself, "which is running"),
    ],
)
def test_why_there_is_one_arm(function, reason, capsys):
    ours = srcgrad.value_and_grad(function)
    for x in (0.5, 0.5, -0.5, 1.5):
        with srcgrad.set_stance("tape"):
            expected = ours(np.float64(x))
        assert ours(np.float64(x)) == expected
    assert reason in ours.explain()
    capsys.readouterr()


class Reservoir:
    def __init__(self, rate):
        self.rate = rate

    def outflow(self, level):
        """What runs out, which is not more than there is."""
        if level < 0.0:
            return 0.0
        flow = self.rate * level
        if flow > 1.0:
            flow = 1.0
        return flow


def calls_its_own(x, n):
    tank, total = Reservoir(x[0] * 2.0), 0.0
    for i in range(6):
        if x[i] > n:
            total = total + tank.outflow(x[i])
        else:
            total = total - 0.5 * tank.outflow(-x[i])
    return total


def calls_those_of_arrays(x, n):
    s = x * n
    if x[0] > n:
        t = s.max()
        s = s.cumsum()
    else:
        t = s.mean() + s.dot(x)
    return t + s.sum()


def takes_slices_and_makes_lists(x, n):
    y, s = np.array([n, 2.0]), 0.0
    for i in range(1, 5):
        if x[i] > n:
            y = np.array([y[1], x[i]])
            s = s + np.sum(x[i - 1 : i + 2] ** 2)
        else:
            s = s + x[:i].sum() * n
    return s * y[0] + y[1]


@pytest.mark.parametrize(
    "function", [calls_its_own, calls_those_of_arrays, takes_slices_and_makes_lists]
)
def test_what_only_computes_is_one_trace(function):
    assert compared_with_the_tape(function).stats.traces == 1


def pops(x, n):
    rest = [n, 2.0, 3.0]
    if x[0] > n:  # noqa: SIM108
        a = rest.pop()
    else:
        a = rest[0]
    return a * n + len(rest)


def test_a_method_that_changes_its_object_runs_once():
    traced, rng = srcgrad.trace(pops), np.random.default_rng(0)
    for _ in range(10):
        x, n = rng.normal(size=6), rng.normal()
        assert traced(x, n) == pops(x, n)


SEEN = {"best": None, "count": 0}


def keeps_in_dicts(x, n):
    own = {"last": n}
    if x[0] > n:
        SEEN["best"] = x.copy()
        own["last"] = x[1]
    elif x[1] > n:
        SEEN["count"] += 1
    return own["last"] * n


def test_what_an_arm_puts_into_a_dict_is_there_once():
    traced, rng = srcgrad.trace(keeps_in_dicts), np.random.default_rng(0)
    for _ in range(12):
        x, n = rng.normal(size=6), rng.normal()
        SEEN.update(best=None, count=0)
        expected, after = keeps_in_dicts(x, n), SEEN.copy()
        SEEN.update(best=None, count=0)
        assert traced(x, n) == expected
        np.testing.assert_equal(SEEN, after)
    assert traced.stats.compiled
