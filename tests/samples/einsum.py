"""Samples for the rule of ``np.einsum``, which is ``srcgrad.rules.einsum``."""

import numpy as np

from tests.samples import COMPLEX, Constant, S

EINSUM = [
    ("ij,jk->ik", (2, 3), (3, 4)),
    ("ij,jk", (2, 3), (3, 4)),
    ("ba,cb", (2, 3), (4, 2)),
    ("i,i->", (3,), (3,)),
    ("i,j->ij", (3,), (2,)),
    ("ij->ji", (2, 3)),
    ("ij->", (2, 3)),
    ("ij->j", (2, 3)),
    ("ij", (2, 3)),
    ("ii", (3, 3)),
    ("ii->i", (3, 3)),
    ("iij->ji", (2, 2, 3)),
    ("iijj->ij", (2, 2, 3, 3)),
    ("ijj,i->i", (2, 3, 3), (2,)),
    ("iii->i", (3, 3, 3)),
    ("ij,kl->ik", (2, 3), (4, 2)),
    ("ij,jk,kl->il", (2, 3), (3, 4), (4, 2)),
    ("ij,ij->ij", (1, 3), (2, 3)),
    ("ij,ij->j", (2, 3), (1, 3)),
    (" i j , j -> i ", (2, 3), (3,)),
    (",i->i", (), (3,)),
    ("->", ()),
    ("...", (2, 3)),
    ("...i->...", (2, 3)),
    ("...ij,...jk->...ik", (5, 2, 3), (3, 4)),
    ("...ij,...jk", (5, 1, 2, 3), (6, 3, 4)),
    ("i...,j...->ij...", (2, 3), (4, 5, 3)),
    ("i...,...", (2, 3, 1), (4,)),
    ("...ii->...i", (2, 3, 3)),
    ("...i,...i->i...", (4, 1, 3), (5, 3)),
    ("A...a,a->...A", (2, 4, 3), (3,)),
    ("ij,jk->ik", (2, 0), (0, 3)),
]
SAMPLES = [
    *(
        S(np.einsum, Constant(subscripts), *shapes, dtypes=COMPLEX)
        for subscripts, *shapes in EINSUM
    ),
    S(np.einsum, Constant("ij,jk,kl->il"), (2, 3), (3, 4), (4, 2), optimize=True),
    S(np.einsum, Constant("ij,jk->ik"), Constant(np.ones((2, 3))), (3, 2)),
    S(
        np.einsum,
        Constant("ij,jk,kl"),
        *((2, 3), (3, 4), (4, 2)),
        optimize=["einsum_path", (1, 2), (0, 1)],
    ),
    *(
        S(np.einsum, *args, dtypes=COMPLEX)
        for args in (
            ((2, 3), Constant([0, 1]), (3, 4), Constant([1, 2]), Constant([0, 2])),
            ((2, 3), Constant([1, 0]), (4, 2), Constant([2, 1])),
            ((3, 3), Constant([5, 5])),
            ((2, 3), Constant([Ellipsis, 7]), (3,), Constant([7]), Constant([...])),
            ((3,), Constant([30]), (2,), Constant([3]), Constant([3, 30])),
        )
    ),
    S(
        np.einsum,
        *(Constant(np.ones((2, 3))), Constant([0, 1])),
        *((3, 4), Constant([1, 2]), Constant([2])),
    ),
]
