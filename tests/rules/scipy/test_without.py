"""What has no derivative is refused with the reason, and SciPy's own otherwise."""

import numpy as np
import pytest
import scipy.stats
from scipy import signal

import srcgrad
from srcgrad.scipy import stats
from tests.variables import variable

PLACES = np.linspace(0.0, 1.0, 9)
VALUES = np.sin(5.0 * PLACES)


def fitted(data):
    rng = np.random.default_rng(0)
    return stats.goodness_of_fit(scipy.stats.norm, data, n_mc_samples=9, rng=rng)


def test_the_error_gives_the_reason():
    with pytest.raises(
        srcgrad.NoRuleError, match=r"(?s)of goodness_of_fit\nat .*\nit draws"
    ):
        fitted(variable(VALUES))
    with pytest.raises(srcgrad.NoRuleError, match="goodness_of_fit"):
        stats.goodness_of_fit(scipy.stats.norm, data=variable(VALUES))


def test_without_a_gradient_it_is_scipys():
    expected = fitted(VALUES)
    for given in (VALUES, srcgrad.Variable(VALUES)):
        found = fitted(given)
        assert (found.statistic, found.pvalue) == (
            expected.statistic,
            expected.pvalue,
        )


@pytest.mark.parametrize(
    "peaks",
    [
        lambda x: signal.argrelmax(x)[0],
        lambda x: signal.argrelextrema(x, np.greater)[0],
        lambda x: signal.find_peaks_cwt(x, [1.0]),
        lambda x: signal.find_peaks(x)[0],
    ],
)
def test_generated_code_for_so_many_peaks_is_not_for_others(peaks):
    def loss(x):
        return len(peaks(x)) * x[0]

    gradient = srcgrad.grad(loss)
    three, two = [0.1, 1.0, 0.0, 2.0, 0.0, 0.5, 0.0], [0.1, 1.0, 0.5, 2.2, 1.5, 1.2, 0]
    for values in (three, three, two, two, three):
        x = np.array(values)
        assert gradient(x)[0] == len(peaks(x))
