"""Rules for Python's module ``statistics``, which computes with exact fractions."""

import statistics

import numpy as np

from srcgrad.rules.registry import defvjp


def spread_back(g, data, many):
    """The gradient of the squares' mean of what lies beside the mean."""
    mean = sum(data) / len(data)
    return [g * (2.0 / many) * (each - mean) for each in data]


def deviation_back(g, data, many, out):
    return spread_back(np.true_divide(g, out) * 0.5, data, many)


defvjp(statistics.mean, data=lambda g, data: [g / len(data)] * len(data))
defvjp(
    statistics.variance,
    data=lambda g, data: spread_back(g, data, len(data) - 1),
)
defvjp(
    statistics.pvariance,
    data=lambda g, data: spread_back(g, data, len(data)),
)
defvjp(
    statistics.stdev,
    data=lambda g, data, out: deviation_back(g, data, len(data) - 1, out),
)
defvjp(
    statistics.pstdev,
    data=lambda g, data, out: deviation_back(g, data, len(data), out),
)

OF_STATISTICS = (
    statistics.mean,
    statistics.variance,
    statistics.pvariance,
    statistics.stdev,
    statistics.pstdev,
)
