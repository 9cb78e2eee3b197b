"""Every sample of the chapter."""

from tests.rules.suite import RuleSuite
from tests.samples.scipy.multivariate_moments import SAMPLES


class TestSamples(RuleSuite):
    samples = SAMPLES
