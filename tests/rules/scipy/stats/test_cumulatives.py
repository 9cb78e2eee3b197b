"""The formulas are SciPy's distribution functions."""

import numpy as np
import pytest
import scipy.stats
from scipy.stats._distr_params import distcont

from srcgrad.rules.scipy.stats.cumulatives import CUMULATIVES

ARGS = [(name, args) for name, args in distcont if name in CUMULATIVES]


@pytest.mark.parametrize(("name", "args"), ARGS)
def test_values(name, args):
    distribution = getattr(scipy.stats, name)
    x = distribution.ppf([0.05, 0.3, 0.6, 0.95], *args)
    found = CUMULATIVES[name](x, *map(np.asarray, args))
    np.testing.assert_allclose(found, distribution.cdf(x, *args), rtol=1e-7)


def test_each_is_tried():
    assert {name for name, _ in ARGS} == set(CUMULATIVES)
