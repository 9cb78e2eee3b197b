"""Calls that only compute take a shorter way, and are the same calls."""

import linecache

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.serving.direct import usual_way

SCALE = {"by": 2.0}


def plain(x):
    return np.sum(1.0 / x)


def of_outside(x):
    return np.sum(SCALE["by"] * x)


def drawn(x):
    return np.sum(x * np.random.normal(size=x.shape))


def said(x):
    print("said")
    return np.sum(x * x)


def solved(A):
    return np.sum(np.linalg.inv(A))


def halved(x):
    while x > 1.0:
        x = x / 2.0
    return x


def compiled(function, *args):
    """A transform, and the trace of its last call."""
    transform = srcgrad.value_and_grad(function)
    for _ in range(3):
        transform(*args)
    traced = transform.target.traced
    return transform, traced._cache.last[transform.form][0].traces[0]


@pytest.mark.parametrize(
    ("function", "is_direct"),
    [(plain, True), (of_outside, False), (drawn, False), (said, False)],
)
def test_calls_that_do_more_are_not_direct(function, is_direct, capsys):
    transform, trace = compiled(function, np.ones(3))
    assert (trace.direct is not usual_way) == is_direct
    before = transform.target.traced.stats.compiled
    capsys.readouterr()
    transform(np.ones(3))
    assert transform.target.traced.stats.compiled == before + 1
    assert capsys.readouterr().out == ("said\n" if function is said else "")


def test_an_error_is_told_as_ever():
    transform, trace = compiled(solved, np.eye(2))
    assert trace.direct is not usual_way
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        transform(np.zeros((2, 2)))
    value, _ = transform(2.0 * np.eye(2))
    assert value == 1.0


def test_what_changes_outside_is_seen(monkeypatch):
    transform, trace = compiled(plain, np.ones(3))
    assert trace.direct is not usual_way
    monkeypatch.setitem(globals(), "np", FEWER)
    value, _ = transform(ONES)
    assert value == 0.0


class FEWER:
    sum = staticmethod(lambda x: 0.0 * x[0])


ONES = np.ones(3)


def test_numbers_that_floats_have_not_are_numpys():
    transform, trace = compiled(halved, 8.0)
    assert trace.direct is not usual_way
    for x in (5.0, 1e300, np.nan, 0.5, -1.0):
        ours, theirs = transform(x), transform.untraced((x,), {})
        np.testing.assert_array_equal(ours, theirs)
        assert [*map(type, ours)] == [*map(type, theirs)]
    with np.errstate(all="ignore"):
        found, expected = compiled(plain, np.ones(2))[0], srcgrad.value_and_grad(plain)
        zeros = np.zeros(2)
        for a, b in zip(found(zeros), expected.untraced((zeros,), {}), strict=True):
            np.testing.assert_array_equal(a, b)


def test_arguments_of_another_kind_are_not_taken_for_those():
    transform, _ = compiled(plain, np.ones(3))
    assert transform(np.ones(3, np.float32))[1].dtype == np.float32
    assert transform(np.ones(2))[0] == 2.0
    assert transform(np.ones(3).astype(">f8"))[0] == 3.0
    with pytest.raises(TypeError):
        transform(np.ones(3), 1.0)


def grown(x):
    return np.sum(x * x) if x[0] > 0.0 else np.sum(x)


def test_what_does_not_fit_is_no_result():
    transform, trace = compiled(grown, np.ones(3))
    assert trace.direct is not usual_way
    for x in (-ONES, ONES, 2.0 * ONES, -2.0 * ONES):
        ours, theirs = transform(x), transform.untraced((x,), {})
        np.testing.assert_array_equal(ours[0], theirs[0])
        np.testing.assert_array_equal(ours[1], theirs[1])


@pytest.mark.parametrize("count", [1, 30])
def test_assumptions_are_looked_at_in_one_way_or_other(count):
    """Written out, if they are few."""
    lines = [f"def f{i}(x):\n    return x * {i}.0\n" for i in range(count)]
    calls = " + ".join(f"f{i}(x)" for i in range(count))
    text = "".join([*lines, f"def total(x):\n    return {calls}\n"])
    filename, namespace = f"<{count} functions>", {}
    linecache.cache[filename] = len(text), None, text.splitlines(True), filename
    exec(compile(text, filename, "exec"), namespace)
    transform, trace = compiled(namespace["total"], 2.0)
    assert trace.direct is not usual_way
    value, slope = transform(2.0)
    namespace["f0"] = lambda x: x * 100.0
    assert transform(2.0) == (value + 200.0, slope + 100.0)
