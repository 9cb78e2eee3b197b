"""Reads and changes of what is outside: such functions are as on the tape."""

import functools
import math
import operator

import numpy as np

import srcgrad
from tests.tracing.comparing import (
    X,
    doubled,
    plain,
)
from tests.tracing.objects import Box, Model

# ----- Functions handed over -----


def applies(f, x):
    return f(x) + 1.0


def test_functions_given_are_followed():
    twice = functools.partial(operator.mul, 2.0)
    double = lambda x: x * 2.0  # noqa: E731
    box = Box(2.0)
    traced = srcgrad.trace(applies)
    for f in (double, doubled, np.sin, twice, box, math.fsum, Model(X).method, abs):
        for _ in range(3):
            assert plain(traced(f, X)) == plain(applies(f, X))
    assert traced.stats.compiled >= 4  # double, doubled, sin, abs


def test_a_partial_handed_to_map_is_called_each_time():
    k = [2.0]
    f = functools.partial(lambda a, b: a * b * k[0], 1.0)
    traced = srcgrad.trace(lambda f, x: list(map(f, [x])))
    for _ in range(3):
        assert plain(traced(f, X)) == plain([X * k[0]])
        k[0] += 1.0
