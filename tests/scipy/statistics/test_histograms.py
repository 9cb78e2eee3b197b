"""The distribution of a histogram: the same as SciPy's, by counts and by edges."""

import numpy as np
import pytest
import scipy.stats

import srcgrad
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.scipy import stats
from tests.variables import variable

COUNTS, EDGES = np.array([1.0, 4.0, 2.0]), np.array([0.0, 1.0, 2.0, 3.0])
X, Q = np.array([-1.0, 0.3, 1.4, 2.9, 3.5]), np.array([0.1, 0.45, 0.95])
AT_POINTS = "pdf logpdf cdf logcdf sf logsf".split()
WHOLE = "mean var std median entropy".split()


@pytest.mark.parametrize("name", [*AT_POINTS, "ppf", "isf", *WHOLE])
def test_every_method(name):
    asked = () if name in WHOLE else (Q,) if name in ("ppf", "isf") else (X,)

    def function(counts, edges):
        made = stats.rv_histogram((counts, edges), density=False)
        found = getattr(made, name)(*asked)
        return found[1:4] if name.startswith("log") else found

    expected = getattr(scipy.stats.rv_histogram((COUNTS, EDGES)), name)(*asked)
    made = stats.rv_histogram((variable(COUNTS), EDGES))
    found = getattr(made, name)(*asked)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(found.data, expected, rtol=1e-12)
    assert gradcheck(function, (COUNTS, EDGES))
    assert gradgradcheck(function, (COUNTS, EDGES))
    traced = srcgrad.trace(function)
    for scale in (1.0, 1.0, 2.0):
        given = variable(COUNTS + scale), variable(EDGES)
        np.testing.assert_array_equal(traced(*given).data, function(*given).data)


def test_a_density_over_uneven_bins():
    edges = np.array([0.0, 1.0, 3.0, 4.0])
    given = variable(COUNTS), edges
    with pytest.warns(RuntimeWarning, match="Bin widths"):
        found = stats.rv_histogram(given).pdf(X)
    expected = scipy.stats.rv_histogram((COUNTS, edges), density=True).pdf(X)
    np.testing.assert_allclose(found.data, expected, rtol=1e-12)


def test_what_is_plain_is_scipys():
    made = stats.rv_histogram((COUNTS, EDGES))
    np.testing.assert_array_equal(
        made.rvs(size=2, random_state=0),
        scipy.stats.rv_histogram((COUNTS, EDGES)).rvs(size=2, random_state=0),
    )
    with pytest.raises(srcgrad.NoRuleError, match="'rvs' of an rv_histogram"):
        _ = stats.rv_histogram((variable(COUNTS), EDGES)).rvs
