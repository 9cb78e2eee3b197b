"""Samples for the rules of ``srcgrad.rules.python``, but those shared with NumPy's."""

import cmath
import math

import numpy as np

from srcgrad.protocols import first_variable
from srcgrad.tape.apply import apply
from srcgrad.unboxing import of_kind
from tests.samples import Constant, Draw, S, Sample, within

PAIR = (Draw((), 0.4, 1.0), Draw((), 1.2, 2.0))
SIDES = [(), (), ()]


def row(function, *specs, dtypes=(np.float64,), name=None, **options):
    def call(*args):
        if first_variable(args) is None:
            return function(*args, **options)
        return apply(function, args, options)

    name = name or f"{function.__module__}.{function.__name__}"
    return S(function, *specs, call=call, dtypes=dtypes, id=name)


def prod_from(items, start):
    if first_variable((items, start)) is None:
        return math.prod(items, start=start)
    return apply(math.prod, (items,), {"start": start})


SAMPLES: list[Sample] = [
    row(math.erf, within(-2.0, 2.0)),
    row(math.erfc, within(-2.0, 2.0)),
    row(math.gamma, within(0.3, 3.0)),
    row(math.gamma, within(-0.8, -0.2), name="gamma of negatives"),
    row(math.lgamma, within(0.3, 3.0)),
    row(math.log, within(0.3, 3.0)),
    row(math.log, *PAIR),
    row(cmath.log, *PAIR, dtypes=(np.complex128,)),
    row(cmath.rect, *PAIR),
    row(math.hypot, (), (), ()),
    row(math.dist, SIDES, SIDES),
    row(math.remainder, *PAIR),
    row(math.fsum, SIDES),
    row(math.prod, SIDES),
    row(math.prod, SIDES, start=2.0, name="math.prod from 2.0"),
    S(
        math.prod,
        SIDES,
        (),
        call=prod_from,
        dtypes=(np.float64,),
        id="prod from x",
    ),
    row(sum, SIDES, ()),
    *(row(math.sumprod, SIDES, SIDES) for _ in range(hasattr(math, "sumprod"))),
    *(row(math.fma, (), (), ()) for _ in range(hasattr(math, "fma"))),
    row(float, ()),
    row(of_kind, (), Constant(1.0)),
    row(complex, *PAIR),
    row(np.double, (3,)),
    row(np.array, SIDES, name="np.array of numbers"),
    row(np.array, [(2, 3), (2, 3)], name="np.array of arrays"),
    row(np.full, Constant((2, 3)), ()),
    row(np.full, Constant((2, 3)), (3,), name="np.full of an array"),
]
