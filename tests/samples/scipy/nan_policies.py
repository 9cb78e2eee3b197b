"""Samples for ``srcgrad.rules.scipy.stats.nan_policies``: some numbers are nan."""

import numpy as np
from scipy import stats

from srcgrad.rules.libraries import replacement_of
from tests.samples import S, positive


def with_holes(x):
    """Two lines of seven, one of which has two that are nan."""
    return np.reshape(np.insert(x, [2, 4], np.nan), (2, 7))


def omitting(name, count=1, fields=None, **options):
    """A statistic of samples with holes, of twelve numbers each."""
    function = getattr(stats, name)

    def call(*samples):
        given = [with_holes(sample) for sample in samples]
        out = replacement_of(function)(*given, nan_policy="omit", **options)
        return out if fields is None else out[fields]

    draws = [positive(12)] * count
    return S(function, *draws, call=call, dtypes=(np.float64,), only_real=True)


SAMPLES = [
    *(
        omitting(name, axis=1)
        for name in ("gmean", "sem", "skew", "median_abs_deviation")
    ),
    omitting("kurtosis", axis=1, keepdims=True),
    omitting("tmean", axis=None),
    omitting("circstd", axis=1),
    omitting("entropy", 2, axis=1),
    omitting("gzscore", fields=np.s_[:, :2], axis=1),
    omitting("lmoment", axis=1),
    omitting("jarque_bera", fields=np.s_[:2], axis=1),
    omitting("ttest_ind", 2, fields=np.s_[:2], axis=1),
    omitting("ttest_rel", 2, fields=np.s_[:2], axis=1),
    omitting("f_oneway", 2, fields=np.s_[:2], axis=(0, 1)),
]
