"""One run, recorded: the arguments that it may be given, and what it may leave."""

import io
from collections import OrderedDict

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.outside.signature import Signature
from srcgrad.tracing.runs import record, walked
from tests.tracing.comparing import X, plain

# ----- Arguments -----


def test_a_generator_given_draws_at_each_call():
    def function(rng, x):
        return x + rng.normal(size=3)

    results = []
    for f in (function, srcgrad.trace(function)):
        rng = np.random.default_rng(0)
        results.append([f(rng, X).tolist() for _ in range(4)])
    assert results[0] == results[1]


def test_an_iterator_given_goes_on_at_each_call():
    def function(items, x):
        return x * next(items)

    traced = srcgrad.trace(function)
    items = iter([1.0, 2.0, 3.0])
    assert [float(traced(items, X)[0]) for _ in range(3)] == [1.0, 2.0, 3.0]


def test_an_open_file_given_is_written_at_each_call():
    def function(file, x):
        file.write("line\n")
        return x * 2.0

    file, traced = io.StringIO(), srcgrad.trace(function)
    for _ in range(3):
        traced(file, X)
    assert file.getvalue() == "line\n" * 3


def test_whether_two_arrays_are_one_is_asked_at_each_call():
    same = lambda x, y: x * 2.0 if x is y else x * 3.0  # noqa: E731
    different = lambda x, y: x * 2.0 if x is not y else x * 3.0  # noqa: E731
    for function in (same, different):
        traced = srcgrad.trace(function)
        for args in ((X, X), (X, X), (X, X.copy()), (X, X), (X, X[:])):
            assert plain(traced(*args)) == plain(function(*args))


# ----- Containers that were given -----


def moves_to_the_end(p):
    p.move_to_end("a")
    return p["a"] * 2.0


def sets_items_anew(p):
    p.__init__({"c": p["a"]})
    return p["c"] * 2.0


def only_looks(p):
    names = [name for name in p if p.get(name) is not None]
    return sum(p[name] for name in names) * len(p.items())


@pytest.mark.parametrize("function", [moves_to_the_end, sets_items_anew, only_looks])
def test_containers_given_are_changed_as_untraced(function):
    traced = srcgrad.trace(function)
    for _ in range(3):
        ours, theirs = (OrderedDict(a=np.ones(2), b=np.zeros(2)) for _ in range(2))
        np.testing.assert_array_equal(traced(ours), function(theirs))
        assert list(ours) == list(theirs)
    assert bool(traced.stats.compiled) == (function is only_looks)


def test_a_recording_that_starts_again_draws_the_same(monkeypatch):
    rng, rolling = np.random.default_rng(3), []

    def noisy(x):
        return np.sum(x * rng.normal(size=3))

    def rolls(*args):
        rolling.append(args)
        if len(rolling) == 1:
            raise record.StartAgain

    expected = noisy(X), rng.normal()
    rng = np.random.default_rng(3)
    monkeypatch.setattr(walked, "with_loops", rolls)
    found = record.record(noisy, Signature((X,), {}))
    assert len(rolling) == 2
    assert (found.outcome.result, rng.normal()) == expected
