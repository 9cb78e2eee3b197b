"""Rules for Python's module ``statistics``, which computes with exact fractions."""

import statistics

import numpy as np

from srcgrad.rules.registry import defvjp


def spread_back(g, data, many):
    """The gradient of the squares' mean of what lies beside the mean."""
    mean = sum(data) / len(data)
    return [g * (2.0 / many) * (each - mean) for each in data]


def variance_back(less):
    """Of the mean over ``less`` than all."""
    return lambda g, data: spread_back(g, data, len(data) - less)


def deviation_back(less):
    back = variance_back(less)
    return lambda g, data, out: back(np.true_divide(g, out) * 0.5, data)


defvjp(statistics.mean, data=lambda g, data: [g / len(data)] * len(data))
defvjp(statistics.variance, data=variance_back(1))
defvjp(statistics.pvariance, data=variance_back(0))
defvjp(statistics.stdev, data=deviation_back(1))
defvjp(statistics.pstdev, data=deviation_back(0))

OF_STATISTICS = (
    *(statistics.mean, statistics.variance, statistics.pvariance),
    *(statistics.stdev, statistics.pstdev),
)
