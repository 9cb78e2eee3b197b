"""Errors in traced functions are the user's own, at the user's line."""

import contextlib

import numpy as np
import pytest

import srcgrad
from tests.tracing.comparing import X, outcome, same_through

attempts = []


def fails_on_negative(x):
    total = x.sum()
    if total < 0:
        raise ValueError(f"negative: {total:.1f}, {x}")
    return x * 2.0


def fails_by_assertion(x):
    return x[3] * 2.0


def divides(x, t):
    return x * (1.0 / t)


def raises_always(x):
    attempts.append(1)
    raise KeyError("never")


def misspelt(x):
    return x * undefined_name  # noqa: F821


def misspelt_attribute(x):
    return x.no_such_method()


def wrong_shape(x):
    return x @ np.ones((4, 4))


def singular(a):
    return np.linalg.inv(a)


ERRORS = {
    "raised on a branch": (fails_on_negative, [(X,), (X,), (-X,), (-X,), (X,)]),
    "raised at first": (fails_on_negative, [(-X,), (X,), (X,), (-X,)]),
    "index": (fails_by_assertion, [(X,), (np.ones(4),), (X,), (np.ones(4),)]),
    "zero division": (divides, [(X, 2.0), (X, 4.0), (X, 0.0), (X, 4.0)]),
    "always": (raises_always, [(X,), (X,)]),
    "name": (misspelt, [(X,), (X,)]),
    "attribute": (misspelt_attribute, [(X,), (X,)]),
    "shape": (wrong_shape, [(X,), (X,), (np.ones(4),)]),
    "singular": (singular, [(np.eye(2),), (np.eye(2),), (np.zeros((2, 2)),)]),
    "too few": (divides, [(X,), (X,)]),
    "too many": (divides, [(X, 1.0, 2.0), (X, 1.0, 2.0)]),
    "not hashable": (lambda x: len({x}), [(X,), (X,)]),
    "truth of an array": (lambda x: x if x > 0 else -x, [(X,), (X,)]),
    "round": (lambda x: round(x), [(X,), (X,)]),
    "length": (lambda x: len(x), [(np.array(1.0),), (X,)]),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_the_users(name):
    function, calls = ERRORS[name]
    same_through(function, *[lambda args=args: args for args in calls])


def test_an_error_on_one_path_leaves_the_others_compiled():
    traced = srcgrad.trace(fails_on_negative)
    for x in (-X, X, -X, X, X, -X, X):
        outcome(traced, x)
    assert traced.stats.compiled == 3
    assert traced.stats.traces == 1


def test_a_failing_call_happens_once():
    traced = srcgrad.trace(raises_always)
    attempts.clear()
    for _ in range(2):
        with pytest.raises(KeyError, match="never"):
            traced(X)
    assert len(attempts) == 2


def test_an_error_shows_the_users_line():
    traced = srcgrad.trace(fails_on_negative)
    for x in (X, -X):
        with contextlib.suppress(ValueError):
            traced(x)
    with pytest.raises(ValueError, match="negative") as caught:
        traced(-X)
    assert caught.traceback[-1].path.name == "test_traced_errors.py"
