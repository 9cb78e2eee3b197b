"""Every formula is checked in ``test_moments``; here what it is at the edges."""

import numpy as np
import pytest
import scipy.stats

from srcgrad.rules.scipy.stats.moment_formulas import RAW


@pytest.mark.parametrize("ends", [(-np.inf, 1.0), (8.0, np.inf), (-9.0, -8.0)])
def test_intervals_without_an_end_and_far_out(ends):
    for n in (1, 2):
        expected = scipy.stats.truncnorm.moment(n, *ends)
        assert RAW["truncnorm"](n, *map(np.asarray, ends)) == pytest.approx(expected)
