"""Samples for the rules of ``srcgrad.rules.indexing``."""

import operator

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from srcgrad.updates import add_at, again, assign, cast, mark_complete, scatter
from tests.samples import COMPLEX, Constant, S, strided

NEW, ALL = None, slice(None)
ROWS = np.array([True, False, True])
MASK = np.array([[True, False, True, True], [False, True, False, True]] * 2)[:3]


def tests_of(index, *shape, **options):
    """Read, write and scatter at one index."""
    picked = np.empty(shape)[index].shape
    return [
        S(operator.getitem, shape, Constant(index), **options),
        S(assign, shape, Constant(index), picked, **options),
        S(scatter, picked, Constant(index), Constant(shape), **options),
        S(add_at, shape, Constant(index), picked, **options),
    ]


INDEXING = [
    *tests_of(1, 4),
    *tests_of(-1, 3, 4),
    *tests_of(np.int64(2), 3),
    *tests_of(slice(1, None, 2), 5, 2, dtypes=COMPLEX),
    *tests_of(slice(None, None, -1), 4),
    *tests_of((0, slice(1, 3)), 3, 4),
    *tests_of((Ellipsis, 0), 2, 3, 4),
    *tests_of((NEW, 1, Ellipsis, NEW), 3, 4),
    *tests_of((), 2, 3),
    *tests_of(Ellipsis, 2),
    *tests_of(NEW, 3),
    *tests_of(slice(3, 1), 4),
    *tests_of(()),
    *tests_of([0, 2, 2, -1], 4),
    *tests_of(np.array([[0, 1], [1, 1]]), 3, dtypes=COMPLEX),
    *tests_of(np.array([2, 0, 2]), 3, 4),
    *tests_of(([0, 1, 0], [1, -1, 1]), 2, 4),
    *tests_of((np.array([[0], [1]]), np.array([0, 2, 2])), 2, 4),
    *tests_of((ALL, [1, 1, 0]), 3, 4),
    *tests_of(([0, 1, 0], ALL, [1, -1, 1]), 2, 3, 4),
    *tests_of((1, slice(0, 2), [1, 1]), 2, 3, 4),
    *tests_of((NEW, [1, 1]), 3, 2),
    *tests_of(np.array([], int), 3, 2),
    *tests_of(np.array(1), 3, 2),
    *tests_of(ROWS, 3, 4),
    *tests_of(MASK, 3, 4, dtypes=COMPLEX),
    *tests_of((ALL, ROWS), 2, 3),
    *tests_of((ROWS, [1, 0]), 3, 4),
    *tests_of(True, 2),
    *tests_of(np.array([False] * 3), 3),
    S(operator.getitem, strided(4, 3), Constant((slice(1, 3), 0))),
    S(operator.getitem, (3, 4), Constant((1, 2)), call=lambda x, i: x[i[0]][i[1]]),
    S(assign, (3, 4), Constant(1), ()),
    S(assign, (3, 4), Constant((ALL, slice(0, 2))), (3, 1), dtypes=COMPLEX),
    S(assign, (3, 4), Constant([0, 0, 2]), (4,)),
    S(assign, (3, 4), Constant(1), (1, 4)),
    S(assign, (3, 4), Constant((0, ALL)), (1, 1, 1)),
    S(assign, (3, 4), Constant(MASK), ()),
    S(cast, (3,), Constant(np.dtype(np.float64)), tolerance=1e-3),
    S(cast, (), Constant(np.dtype(np.complex128))),
    S(mark_complete, (3,), dtypes=COMPLEX),
    S(mark_complete, ()),
    S(again, (3,), dtypes=COMPLEX),
]
ALONG = [
    S(np.take, (3, 4), Constant([0, 7, 7, -1]), dtypes=COMPLEX),
    S(np.take, (3, 4), Constant(np.array([[0, 1], [1, 1]])), axis=0),
    S(np.take, (3, 4), Constant((0, 2, 2)), axis=-1),
    S(np.take, (3, 4), Constant(2), axis=1),
    S(np.take, (3, 4), Constant(5)),
    S(np.take, (3,), Constant([])),
    S(np.take, (), Constant([0, 0]), axis=0),
    S(np.take, (), Constant(0), axis=-1),
    S(np.take, (3, 4), Constant([4, -1, 9]), axis=1, mode="wrap"),
    S(np.take, (3, 4), Constant([-7, 1, 12]), mode="clip"),
    S(np.take, (3,), Constant(np.array([True, False, True]))),
    S(np.take_along_axis, (3, 4), Constant(np.array([[0, 1, 1, 0]])), Constant(0)),
    S(
        np.take_along_axis,
        (2, 3),
        Constant(np.array([[0, 0], [2, -1]])),
        axis=1,
        dtypes=COMPLEX,
    ),
    S(np.take_along_axis, (2, 3), Constant(np.array([5, 5, 0])), axis=None),
    S(np.take_along_axis, (1, 3), Constant(np.array([[0], [1]])), axis=-1),
    S(np.compress, Constant([True, False, True]), (3, 4), axis=0, dtypes=COMPLEX),
    S(np.compress, Constant(ROWS[:2]), (2, 3), axis=-1),
    S(np.compress, Constant([0, 1, 0, 1]), (2, 3)),
    S(np.compress, Constant([True]), (), axis=0),
    S(np.extract, Constant(MASK), (3, 4)),
    S(np.extract, Constant([True, False, False, True]), (2, 2)),
]
WINDOWS = [
    S(sliding_window_view, (5,), Constant(3), dtypes=COMPLEX),
    S(sliding_window_view, (4, 3, 2), Constant((2, 1, 2))),
    S(sliding_window_view, (4, 5), Constant(2), axis=-1),
    S(sliding_window_view, (4, 5), Constant((3, 2)), axis=(1, 0)),
    S(sliding_window_view, (6, 2), Constant((2, 3)), axis=(0, 0)),
]
CHOOSING = [
    S(np.choose, Constant([0, 1, 0]), [(3,), (3,)], dtypes=COMPLEX),
    S(np.choose, Constant(np.array([[0, 2], [1, 1]])), [(2, 2), (2,), ()]),
    S(np.choose, Constant([0, 1, 1]), (2, 3), id="choose-array"),
    S(np.choose, Constant([-1, 5]), [(2,), (2,)], mode="wrap"),
    S(np.choose, Constant([-1, 5]), [(2,), (2,)], mode="clip"),
    S(np.choose, Constant(1), [(2,), (2,)]),
    S(np.ix_, (2,), (3,)),
    S(np.ix_, (2,), Constant(np.array([0, 1, 1])), (4,), dtypes=COMPLEX),
    S(np.ix_, Constant(ROWS), (2,)),
    S(np.ix_, (3,)),
    S(np.select, Constant([MASK, ~MASK]), [(3, 4), (4,)], dtypes=COMPLEX),
    S(np.select, Constant([ROWS, ~ROWS[::-1]]), [(3,), (3,)], Constant(2.0)),
    S(np.select, Constant([ROWS]), [()], ()),
]

SAMPLES = [*INDEXING, *ALONG, *WINDOWS, *CHOOSING]
