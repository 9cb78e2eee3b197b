"""What may raise an error runs, though nobody wants its result."""

import operator

import numpy as np
import pytest

import srcgrad
from srcgrad.graph import Graph
from srcgrad.steps import Node, Value
from srcgrad.transforms.algebra.raising import keep_what_raises, may_raise
from tests.tracing.comparing import outcome

X = np.array([0.5, 1.5, 2.5])
GOOD, BAD = np.eye(2), -np.eye(2)
ZERO = np.array([1.0, 0.0, 2.0])

# ----- Functions, each with arguments that go well, and some that raise -----


def checked_by_cholesky(S):
    np.linalg.cholesky(S)
    return np.sum(S * S)


def checked_by_solve(S):
    np.linalg.solve(S - np.eye(2) + np.eye(2), S[0])
    return np.sum(S)


def checked_by_inv(S):
    unused = np.linalg.inv(S)
    return np.sum(S * S) if S.shape else unused


def checked_by_an_index(x, i):
    x[i]
    return np.sum(x * x)


def checked_by_two_indices(x, i):
    np.outer(x, x)[1, i]
    return np.sum(x * x)


def checked_by_take(x, i):
    np.take(x, i)
    return np.sum(x * x)


def checked_by_a_store(x, i):
    y = x * 1.0
    y[i] = 0.0
    return np.sum(x * x)


def checked_by_repeats(x, i):
    np.repeat(x, 1 - i)
    return np.sum(x * x)


def like_the_factor(S):
    return np.zeros_like(np.linalg.cholesky(S)) + np.sum(S)


def differentiated_through_another_branch(S):
    both = np.linalg.cholesky(S), np.linalg.inv(S)
    return np.sum(both[0])


RAISING = [
    (checked_by_cholesky, (GOOD,), (BAD,)),
    (checked_by_solve, (GOOD,), (0.0 * GOOD,)),
    (checked_by_inv, (GOOD,), (0.0 * GOOD,)),
    (checked_by_an_index, (X, np.int64(1)), (X, np.int64(5))),
    (checked_by_an_index, (X, np.array([0, 1])), (X, np.array([0, 5]))),
    (checked_by_two_indices, (X, np.int64(1)), (X, np.int64(-5))),
    (checked_by_take, (X, np.int64(1)), (X, np.int64(5))),
    (checked_by_a_store, (X, np.int64(1)), (X, np.int64(5))),
    (checked_by_repeats, (X, np.int64(1)), (X, np.int64(5))),
    (like_the_factor, (GOOD,), (BAD,)),
    (differentiated_through_another_branch, (GOOD,), (BAD,)),
]


@pytest.mark.parametrize(
    ("function", "good", "bad"), RAISING, ids=lambda item: getattr(item, "__name__", "")
)
@pytest.mark.parametrize("wrap", [lambda a: a, srcgrad.Variable])
def test_checks_stay(function, good, bad, wrap):
    traced = srcgrad.trace(function)

    def made(args):
        first, *rest = args
        return (wrap(first.copy()), *rest)

    for args in (good, good, bad, good):
        ours, theirs = outcome(traced, *made(args)), outcome(function, *made(args))
        assert ours == theirs
    assert outcome(traced, *made(bad))[0][0] is not tuple
    assert traced.stats.compiled, traced.explain()


def unused_quotient(x):
    1.0 / x
    return np.sum(x)


def unused_logarithm(x):
    y = np.log(x)
    z = np.sum(y) * 2.0
    return np.sum(x) if x.shape else z


def unused_sum(x):
    np.sum(x * 1e300 / (x + 1e-9))
    return np.sum(x)


@pytest.mark.parametrize("function", [unused_quotient, unused_logarithm, unused_sum])
def test_floating_point_errors_of_what_is_not_used(function):
    traced = srcgrad.trace(function)
    for x in (X, X, ZERO, X):
        with np.errstate(all="raise", under="ignore"):
            assert outcome(traced, x) == outcome(function, x)
    assert traced.stats.compiled, traced.explain()


# ----- What need not run -----

f8 = np.dtype(float)
x, i, mask = Value((3,), f8), Value((), np.dtype(int)), Value((3,), np.dtype(bool))


@pytest.mark.parametrize("index", [0, -1, slice(1, None), None, (..., 0), mask])
def test_an_index_that_was_in_range_is_so_again(index):
    assert not may_raise(Node(operator.getitem, (x, index)))


@pytest.mark.parametrize("index", [i, (i, None), slice(i), [0, i]])
def test_an_index_that_depends_on_values_may_not_be(index):
    assert may_raise(Node(operator.getitem, (x, index)))


def test_gradients_that_nobody_wants_go():
    y, t = Value((2, 2), f8, "y"), Value((2, 2), f8, "t")
    S = Value((2, 2), f8, "S")
    nodes = (
        Node(np.linalg.inv, (S,), out=t, in_backward=True),
        Node(np.multiply, (S, S), out=y),
    )
    graph = Graph((S,), nodes, (y,))
    assert keep_what_raises(graph) is graph
