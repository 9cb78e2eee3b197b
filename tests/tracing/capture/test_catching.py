"""Errors that a traced function catches."""

import numpy as np

from tests.tracing.comparing import X, same_through

table = {"a": 2.0}


def looks_up(x, name):
    try:
        return x * table[name]
    except KeyError:
        return x


def computes(x):
    try:
        return np.reshape(x, (2, 2))
    except ValueError:
        return x * 3.0


def names_it(x):
    try:
        return x * table["none"]
    except KeyError as error:
        return x * len(error.args)


def test_an_error_that_comes_again_is_no_miss():
    calls = [lambda name=name: (X, name) for name in ("a", "none", "a", "none", "none")]
    same_through(looks_up, *calls, compiled=3)
    same_through(computes, *[lambda: (X,)] * 3, compiled=2)


def test_an_error_by_a_name_stays_on_the_tape():
    same_through(names_it, *[lambda: (X,)] * 2, refused="catches an error by a name")
