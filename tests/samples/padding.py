"""Samples for the rules and the composition of ``srcgrad.rules.padding``."""

import numpy as np

from tests.samples import COMPLEX, Constant, Draw, S

COPYING = [
    S(np.pad, (3,), Constant(2), dtypes=COMPLEX),
    S(np.pad, (2, 3), Constant((1, 2))),
    S(np.pad, (2, 3), Constant(((1, 2), (0, 3))), constant_values=5.0),
    S(np.pad, (0, 3), Constant(1)),
    S(
        np.pad,
        (2, 3),
        Constant(1),
        constant_values=Draw(()),
    ),
    *(
        S(np.pad, (3, 4), Constant(((2, 1), (0, 2))), mode=mode)
        for mode in ("edge", "wrap", "symmetric", "reflect")
    ),
    S(np.pad, (3,), Constant((7, 8)), mode="reflect"),
    S(np.pad, (3,), Constant((7, 8)), mode="symmetric"),
    S(np.pad, (3,), Constant((7, 8)), mode="wrap"),
]
WIDTHS = Constant(((2, 1), (0, 2)))
COMPUTING = [
    *(
        S(np.pad, shape, WIDTHS, mode=mode, **options)
        for shape in ((3, 4), (2, 5))
        for mode in ("mean", "maximum", "minimum", "median")
        for options in ({}, {"stat_length": 2}, {"stat_length": ((1, 2), (3, 9))})
    ),
    S(np.pad, (4,), Constant((2, 3)), mode="mean", dtypes=COMPLEX),
    S(np.pad, (), Constant(1), mode="mean"),
    S(np.pad, (3, 4), WIDTHS, mode="linear_ramp", dtypes=COMPLEX),
    S(np.pad, (3, 4), WIDTHS, mode="linear_ramp", end_values=((1, 2), (3, 4))),
    S(np.pad, (2, 3), Constant(2), mode="linear_ramp", end_values=Draw(())),
    S(np.pad, (2, 3), Constant(2), mode="linear_ramp", end_values=Draw((2, 2))),
    *(
        S(np.pad, (3, 4), Constant(width), mode=mode, reflect_type="odd")
        for mode in ("reflect", "symmetric")
        for width in (1, (2, 3), ((7, 5), (0, 4)))
    ),
    S(np.pad, (2, 3), WIDTHS, constant_values=Draw((2,))),
    S(np.pad, (2, 3), WIDTHS, constant_values=Draw((2, 2)), dtypes=COMPLEX),
    S(np.pad, (2, 3), WIDTHS, constant_values=Draw((2, 1))),
]

SAMPLES = [*COPYING, *COMPUTING]
