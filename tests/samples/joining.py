"""Samples for the rules of ``srcgrad.rules.joining``."""

import warnings

import numpy as np

from srcgrad.stacking import stacked_list
from tests.samples import COMPLEX, Constant, S


def without_warning(function):
    def call(*args):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(*args)

    return call


JOINING = [
    S(np.concatenate, [(2, 3), (4, 3)], dtypes=COMPLEX),
    S(np.concatenate, [(2, 3), (2, 0), (2, 1)], axis=-1),
    S(np.concatenate, [(2, 3), (4,), ()], axis=None),
    S(np.concatenate, [(3,), Constant(np.ones(2))]),
    S(np.concatenate, [(3,)]),
    S(np.concatenate, (2, 3, 2), axis=1, id="concatenate-array"),
    S(np.stack, [(2, 3), (2, 3)], dtypes=COMPLEX),
    S(np.stack, [(2, 3), (2, 3), (2, 3)], axis=-1),
    S(np.stack, [(), ()]),
    S(stacked_list, [(2,), (2,)], Constant(0)),
    S(stacked_list, [(), (3,), ()], Constant(0), Constant(1)),
    S(stacked_list, [(4, 2), (2,)], Constant(0), Constant(0)),
    S(np.stack, (2, 3), axis=1, id="stack-array"),
    S(np.hstack, [(2,), (3,), ()]),
    S(np.hstack, [(2, 3), (2, 1)]),
    S(np.vstack, [(3,), (2, 3)]),
    S(np.vstack, [(), ()]),
    S(np.vstack, (2, 3), id="vstack-array"),
    S(np.dstack, [(3,), (1, 3), (1, 3, 2)]),
    S(np.column_stack, [(3,), (3, 2), (3, 1)]),
    S(np.column_stack, [(2, 2, 3), (2, 1, 3)]),
    S(np.append, (2, 3), (3,)),
    S(np.append, (2, 3), (2, 1), axis=1),
    S(np.append, (), ()),
    S(np.block, [[(2, 2), (2, 3)], [(1, 4), (1, 1)]]),
    S(np.block, [(), (3,)]),
    S(np.block, [[(2, 1), (2, 2)]], dtypes=COMPLEX),
    S(np.block, (2, 3), id="block-array"),
]
SPLITTING = [
    S(np.split, (6, 2), Constant(3), dtypes=COMPLEX),
    S(np.split, (2, 6), Constant([1, 4]), axis=-1),
    S(np.split, (6,), Constant([4, 2]), id="split-overlapping"),
    S(np.split, (6,), Constant([2, -1, 9])),
    S(np.array_split, (7, 2), Constant(3)),
    S(np.array_split, (2, 7), Constant(np.array([3, 3])), axis=1),
    S(np.hsplit, (4,), Constant(2)),
    S(np.hsplit, (2, 4), Constant([1])),
    S(np.vsplit, (4, 2), Constant(2)),
    S(np.dsplit, (2, 1, 4), Constant([1, 3])),
    S(np.split, (6,), Constant(3), call=lambda x, n: np.split(x, n)[1], id="split-one"),
]
REPEATING = [
    S(np.tile, (2, 3), Constant(2), dtypes=COMPLEX),
    S(np.tile, (2, 3), Constant((2, 1, 3))),
    S(np.tile, (2, 1, 3), Constant((2,))),
    S(np.tile, (), Constant(3)),
    S(np.tile, (3,), Constant(0)),
    S(np.tile, (3,), Constant(())),
    S(np.repeat, (2, 3), Constant(2), dtypes=COMPLEX),
    S(np.repeat, (2, 3), Constant(2), axis=-1),
    S(np.repeat, (), Constant(3), axis=0),
    S(np.repeat, (2, 3), Constant([2, 0, 3]), axis=1),
    S(np.repeat, (3,), Constant(np.array([1, 2, 0]))),
    S(np.repeat, (2, 3), Constant([2]), axis=0),
    S(np.repeat, (2, 3), Constant((2,))),
    S(np.repeat, (), Constant(3)),
    S(np.repeat, (3,), Constant(0)),
    S(np.resize, (2, 3), Constant((4, 4))),
    S(np.resize, (5,), Constant(3)),
    S(np.resize, (0,), Constant(3)),
    S(np.meshgrid, (2,), (3,), (4,)),
    S(np.meshgrid, (2,), (3,), indexing="ij"),
    S(np.meshgrid, (2,), (), (3,), sparse=True),
    S(np.meshgrid, (3,)),
]
INSERTING = [
    S(np.delete, (5,), Constant(-2)),
    S(np.delete, (3, 4), Constant([0, 3]), axis=1, dtypes=COMPLEX),
    S(np.delete, (3, 4), Constant(slice(None, None, 2)), axis=-1),
    S(np.delete, (2, 3), Constant([1, 4])),
    S(np.delete, (4,), Constant(np.array([True, False, True, False]))),
    S(np.insert, (4,), Constant(1), ()),
    S(np.insert, (4,), Constant(-1), (3,)),
    S(np.insert, (4,), Constant([3, 1]), (2,), dtypes=COMPLEX),
    S(np.insert, (4,), Constant([1, 1, 4]), ()),
    S(np.insert, (4,), Constant([2]), (3,)),
    S(np.insert, (2, 3), Constant(1), (2,), axis=1),
    S(np.insert, (2, 3), Constant(1), (3, 2), axis=1),
    S(np.insert, (2, 3), Constant([1, 0]), (2, 2), axis=-1),
    S(np.insert, (2, 3), Constant([1, 0]), (2, 1), axis=-1),
    S(np.insert, (2, 3), Constant(2), ()),
    S(np.insert, (3,), Constant(slice(0, 2)), (2,)),
]
if hasattr(np, "unstack"):  # NumPy 2.1
    SPLITTING += [S(np.unstack, (2, 3)), S(np.unstack, (2, 3), axis=-1)]
if hasattr(np, "row_stack"):  # deprecated
    JOINING.append(S(np.row_stack, [(3,), (2, 3)], call=without_warning(np.row_stack)))

SAMPLES = [*JOINING, *SPLITTING, *REPEATING, *INSERTING]
