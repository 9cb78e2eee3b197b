"""Every sample of the chapter, and what is refused."""

import numpy as np
import pytest

import srcgrad
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.scipy import stats
from tests.rules.suite import RuleSuite
from tests.samples.scipy.descriptive import SAMPLES
from tests.variables import variable


class TestSamples(RuleSuite):
    samples = SAMPLES


def test_a_power_mean_is_smooth_in_a_power_of_zero():
    given = [variable([0.3, 0.7, 2.0]), variable(0.0)]
    assert gradcheck(stats.pmean, given, eps=1e-4)
    assert gradgradcheck(stats.pmean, given, eps=1e-4)


def test_a_statistic_of_too_few_is_nan():
    with np.errstate(all="ignore"):
        assert np.isnan(stats.kstat(variable([0.5, 1.0]), 3).data)


def test_what_has_no_derivative():
    x = variable(np.ones(4))
    for call, message in (
        (lambda: stats.skew(x, nan_policy="omit"), "choose the data before"),
        (lambda: stats.tmean(x, limits=(0, 1)), "choose the data before"),
        (lambda: stats.moment(x, [1, 2]), "call it for each"),
    ):
        with pytest.raises(srcgrad.NoRuleError, match=message):
            call()
