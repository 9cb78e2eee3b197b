"""Samples for the rules of ``srcgrad.rules.binning``."""

import numpy as np

from tests.samples import COMPLEX, Constant, Draw, S, ascending, positive, within

INSIDE = within(0.8, 3.0, 2, 3)
BINS = np.array([0.3, 0.9, 1.7, 2.0, 2.6])
DATA = Constant(np.array([0.5, 1.1, 1.2, 2.1, 2.6, 0.1]))


def interpolation():
    yield S(np.interp, INSIDE, Constant(np.arange(5.0)), (5,))
    yield S(np.interp, INSIDE, ascending(5), (5,))
    yield S(np.interp, Draw((6,), -1.0, 6.0), Constant(np.arange(5.0)), (5,))
    yield S(np.interp, within(1.1, 1.3), ascending(3), (3,))
    yield S(
        *(np.interp, Draw((6,), -1.0, 4.0), Constant(np.array([1.0, 2.0])), (2,)),
        left=Draw(()),
        right=Draw(()),
    )
    yield S(
        *(np.interp, Draw((5,), -2.7, 6.1), Constant([1.3, 0.2, 2.9]), (3,)),
        period=4.0,
    )
    yield S(
        *(np.interp, INSIDE, Constant(np.array([0.0, 1.0, 2.0])), (3,)),
        period=2.0,  # both its ends are given
    )
    yield S(np.interp, (3,), Constant(np.array([0.5])), (1,))
    yield S(
        *(np.interp, INSIDE, Constant(np.arange(5.0)), (5,), (5,)),
        call=lambda x, xp, re, im: np.interp(x, xp, re + 1j * im),
        id="interp-complex",
    )


def histograms():
    yield S(np.bincount, Constant(np.array([0, 2, 0, 1])), weights=Draw((4,)))
    yield S(np.bincount, Constant([1, 1]), weights=Draw((2,)), minlength=5)
    for options in (
        {},
        {"bins": 4, "range": (0.3, 2.5)},
        {"bins": BINS},
        {"bins": BINS, "density": True},
    ):
        yield S(np.histogram, DATA, weights=positive(6), dtypes=COMPLEX, **options)
    # The edges of the bins depend on the least and the largest element.
    for options in ({}, {"bins": 3, "density": True}):
        yield S(np.histogram, within(0.5, 2.5, 7), weights=positive(7), **options)
    yield S(np.histogram, within(0.5, 2.5, 7))
    yield S(np.histogram_bin_edges, (3, 4), bins=5)
    yield S(np.histogram_bin_edges, (6,), bins="sqrt")
    yield S(np.histogram2d, DATA, DATA, weights=positive(6), bins=(3, BINS))
    yield S(np.histogram2d, DATA, DATA, weights=positive(6), bins=2, density=True)
    yield S(np.histogram2d, within(0.5, 2.5, 5), (5,), bins=3)
    yield S(np.histogramdd, (5, 3), bins=(2, 3, 2), weights=positive(5))
    yield S(np.histogramdd, (5, 2), bins=[BINS - 1.5, 3], density=True)


SAMPLES = [*interpolation(), *histograms()]
