"""How far data are from what is fitted to them: SciPy's numbers, and their slopes."""

import numpy as np
import pytest
import scipy.stats

import srcgrad
from srcgrad.scipy import stats
from tests.variables import variable

RNG = np.random.default_rng(0)
X = RNG.gamma(3.0, size=15)
NAMES = "norm expon logistic gumbel_l gumbel_r weibull_min".split()


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("name", NAMES)
def test_the_statistic(name):
    x = variable(X)
    found, expected = stats.anderson(x, name), scipy.stats.anderson(X, name)
    assert found.statistic.item() == pytest.approx(expected.statistic, rel=1e-10)
    np.testing.assert_array_equal(found.critical_values, expected.critical_values)
    found.statistic.backward()
    unit = np.eye(len(X))[4]
    ends = [
        scipy.stats.anderson(X + step * unit, name).statistic
        for step in (-1e-3, -5e-4, 5e-4, 1e-3)
    ]
    slope = (ends[0] - 8.0 * ends[1] + 8.0 * ends[2] - ends[3]) / 6e-3
    assert x.grad.data[4] == pytest.approx(slope, rel=1e-2, abs=1e-5)


def test_chances():
    found = stats.anderson(variable(X), "norm", method="interpolate")
    expected = scipy.stats.anderson(X, "norm", method="interpolate")
    assert found.pvalue.item() == pytest.approx(expected.pvalue)
    assert found.pvalue.requires_grad
    drawn = scipy.stats.MonteCarloMethod(n_resamples=9, rng=np.random.default_rng(0))
    assert 0.0 < stats.anderson(variable(X), "norm", method=drawn).pvalue <= 1.0
    with pytest.raises(srcgrad.NoRuleError, match="weibull_min"):
        stats.anderson(variable(X), "weibull_min", method="interpolate")
