"""Variables that are found outside, and functions that remember."""

import types

import numpy as np

import srcgrad
from srcgrad import Variable
from tests.tracing.comparing import plain

X = np.array([0.5, -1.0, 2.0])


def parameter(*values):
    return Variable(np.array(values), requires_grad=True)


# ----- Identity -----


def test_two_names_for_one_variable_are_told_apart_from_two_variables():
    w = types.SimpleNamespace(a=parameter(1.0, 2.0, 3.0))
    w.b = w.a
    function = lambda x: (x * w.a * w.b).sum()  # noqa: E731
    traced = srcgrad.trace(function)
    for _ in range(2):
        for _ in range(3):
            found = []
            for f in (traced, function):
                w.a.grad = w.b.grad = None
                f(X).backward()
                found.append((plain(w.a.grad), plain(w.b.grad)))
            assert found[0] == found[1]
        w.b = parameter(3.0, 2.0, 1.0)
    assert traced.stats.compiled == 4


def test_an_argument_may_be_what_is_read_outside():
    w = types.SimpleNamespace(a=parameter(1.0, 2.0, 3.0))
    other = parameter(1.0, 1.0, 1.0)
    function = lambda v: (v * w.a).sum()  # noqa: E731
    traced = srcgrad.trace(function)
    for v in (w.a, other, w.a, other):
        found = []
        for f in (traced, function):
            v.grad = w.a.grad = None
            f(v).backward()
            found.append((plain(v.grad), plain(w.a.grad)))
        assert found[0] == found[1]
    assert traced.stats.compiled == 2
