"""Samples for the rules of ``srcgrad.rules.sets``."""

import numpy as np

from tests.samples import COMPLEX, S


def twice(function):
    """The function of an array in which each element is there twice."""
    return lambda x, **kwargs: function(np.concatenate([x, x[::-1]]), **kwargs)


def overlapping(function):
    """The function of two arrays that have two elements in common."""
    return lambda x, y: function(np.concatenate([x[:2], y]), np.concatenate([y, x]))


SETS = (np.union1d, np.intersect1d, np.setdiff1d, np.setxor1d)
SAMPLES = [
    S(np.unique, (6,), dtypes=COMPLEX),
    S(np.unique, (2, 3)),
    S(np.unique, (4,), call=twice(np.unique), id="unique-twice"),
    S(np.unique, (4, 2), axis=0),
    S(np.unique, (4, 2), axis=0, call=twice(np.unique), id="unique-rows-twice"),
    S(np.unique, (2, 3), axis=-1, return_counts=True),
    S(np.unique, (5,), return_index=True, return_inverse=True, return_counts=True),
    S(np.unique_values, (5,), call=lambda x: np.sort(np.unique_values(x))),
    S(np.unique_counts, (5,), call=lambda x: tuple(np.unique_counts(x))),
    S(np.unique_inverse, (5,), call=lambda x: tuple(np.unique_inverse(x))),
    S(np.unique_all, (2, 2), call=lambda x: tuple(np.unique_all(x))),
    *(S(function, (3,), (2, 2)) for function in SETS),
    *(
        S(function, (4,), (2,), call=overlapping(function), id=function.__name__)
        for function in SETS
    ),
    S(np.setdiff1d, (3,), (2,), assume_unique=True),
]
