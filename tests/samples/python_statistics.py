"""Samples for the rules of ``srcgrad.rules.python_statistics``."""

import numpy as np

from srcgrad.protocols import first_variable
from srcgrad.rules.python_statistics import OF_STATISTICS
from srcgrad.tape.apply import apply
from tests.samples import S, Sample

SIDES = [(), (), ()]


def spread(function):
    """A function of ``statistics``, which takes numbers, and no arrays of no axes."""

    def call(items):
        if first_variable(items) is None:
            return function([float(each) for each in items])
        return apply(function, ([apply(float, (each,), {}) for each in items],), {})

    name = f"statistics.{function.__name__}"
    return S(function, SIDES, call=call, dtypes=(np.float64,), id=name)


SAMPLES: list[Sample] = [spread(function) for function in OF_STATISTICS]
