"""Functions that call the user's: every sample."""

from tests.rules.suite import RuleSuite
from tests.samples.calling import SAMPLES


class TestSamples(RuleSuite):
    samples = SAMPLES
