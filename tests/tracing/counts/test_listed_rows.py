"""Which lists are columns of numbers in a loop, and when they are no more."""

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.counts.listed_rows import OwnDict, OwnRows
from srcgrad.tracing.refusal import Refusal

ALIKE = ([3, 1], (0.5, -0.0), [(0, 1), (2, 3)], [(0, 0.5), (1, 2.5)], [((0, 1), 2)])
OTHERS = ([3, 0.5], [True, False], [None], [(0, 1), (2,)], [2**60], [[0, 1]], ["a"])


@pytest.mark.parametrize("items", [*ALIKE, range(5), *OTHERS], ids=repr)
def test_numbers_that_are_alike_are_in_the_graph(items):
    assert OwnRows(items, None).are_in_graph() is (items not in OTHERS)


@pytest.mark.parametrize("change", [lambda a: a.append(1), lambda a: a.reverse()])
def test_a_list_that_changes_is_seen(change):
    items = [3, 1, 4]
    rows = OwnRows(items, None)
    assert rows.are_in_graph()
    assert rows.are_as_before()
    change(items)
    assert not rows.are_as_before()


def test_a_zero_of_another_sign_is_a_change():
    items = [0.0, 1.0]
    rows = OwnRows(items, None)
    assert rows.are_in_graph()
    items[0] = -0.0
    assert not rows.are_as_before()


def test_a_dict_that_grows_is_refused():
    strengths = {0: 1, 1: 2}
    rows = OwnDict(strengths.items(), None)
    assert rows.has(0)
    strengths[2] = 3
    with pytest.raises(Refusal, match="goes along a dict while it grows or shrinks"):
        rows.has(1)


# ----- Of the environment -----


def lines_of(f, *args):
    """How long the source for these arguments is; the gradient is the tape's."""
    traced = srcgrad.trace(f)
    differentiated = srcgrad.value_and_grad(traced)
    with srcgrad.set_stance("tape"):
        expected = srcgrad.value_and_grad(f)(*args)
    for _ in range(3):
        for ours, theirs in zip(differentiated(*args), expected, strict=True):
            np.testing.assert_allclose(ours, theirs, 1e-12)
    assert (traced.stats.traces, traced.stats.compiled) == (1, 2)
    return len(traced.source().splitlines())


def energy_of(items):
    def energy(x):
        s = 0.0
        for i, j, k in items:
            d = x[i] - x[j]
            s = s + k * np.sqrt(d @ d + 0.01)
        return s

    return energy


def path_of(items):
    def path(x):
        h = x[0]
        for W in items:
            h = np.tanh(W @ h)
        return np.sum(h)

    return path


X = np.random.default_rng(0).normal(size=(12, 3))


def bonds(count):
    return [(i % 12, i * i % 12, 0.5 * i) for i in range(count)]


def matrices(count):
    return [np.eye(3) * 0.1 * k + 0.1 for k in range(count)]


@pytest.mark.parametrize(("make", "items"), [(energy_of, bonds), (path_of, matrices)])
def test_the_source_does_not_grow_with_a_list(make, items):
    assert lines_of(make(items(20)), X) == lines_of(make(items(60)), X)


@pytest.mark.parametrize(("make", "items"), [(energy_of, bonds), (path_of, matrices)])
def test_other_contents_are_the_same_trace(make, items):
    given = items(20)
    f = make(given)
    traced = srcgrad.trace(f)
    for _ in range(4):
        np.testing.assert_allclose(traced(X), f(X), 1e-12)
        given[3:8] = given[:5]
    assert (traced.stats.traces, traced.stats.compiled) == (1, 3)


def test_variables_in_a_list_of_the_functions_own_have_their_gradients():
    def loss(x):
        layers = [x * (k + 1) for k in range(20)]
        h = x[0]
        for W in layers:
            h = np.tanh(W @ h * 0.1 + x[1])
        return np.sum(h)

    lines_of(loss, X[:3])
