"""The distribution of a histogram: the same as SciPy's, by counts and by edges."""

import numpy as np
import pytest
import scipy.stats

from srcgrad.scipy import stats
from tests.variables import variable

COUNTS, EDGES = np.array([1.0, 4.0, 2.0]), np.array([0.0, 1.0, 2.0, 3.0])
X, Q = np.array([-1.0, 0.3, 1.4, 2.9, 3.5]), np.array([0.1, 0.45, 0.95])


def test_a_density_over_uneven_bins():
    edges = np.array([0.0, 1.0, 3.0, 4.0])
    given = variable(COUNTS), edges
    with pytest.warns(RuntimeWarning, match="Bin widths"):
        found = stats.rv_histogram(given).pdf(X)
    expected = scipy.stats.rv_histogram((COUNTS, edges), density=True).pdf(X)
    np.testing.assert_allclose(found.data, expected, rtol=1e-12)
