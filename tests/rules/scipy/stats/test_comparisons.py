"""Every sample of the chapter; values that are SciPy's."""

import numpy as np
import pytest
import scipy.stats

from srcgrad.scipy import stats
from tests.variables import variable


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_dunnett_is_scipys(alternative):
    draws = np.random.default_rng(1)
    *samples, control = (draws.normal(size=n) for n in (4, 5, 3, 6))
    options = {"alternative": alternative}
    expected = scipy.stats.dunnett(
        *samples, control=control, rng=np.random.default_rng(0), **options
    )
    found = stats.dunnett(
        *map(variable, samples),
        control=variable(control),
        rng=np.random.default_rng(0),
        **options,
    )
    np.testing.assert_allclose(found.statistic.data, expected.statistic, rtol=1e-12)
    np.testing.assert_allclose(found.pvalue.data, expected.pvalue, rtol=1e-9)
    assert found.pvalue.requires_grad
