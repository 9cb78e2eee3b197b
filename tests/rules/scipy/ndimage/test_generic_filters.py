"""Every sample of the chapter."""

from tests.rules.suite import RuleSuite
from tests.samples.scipy.callbacks import SAMPLES


class TestSamples(RuleSuite):
    samples = SAMPLES
