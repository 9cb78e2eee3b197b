"""Rules for numbers between two ends: every sample."""

from tests.rules.suite import RuleSuite
from tests.samples.ranges import SAMPLES


class TestSamples(RuleSuite):
    samples = SAMPLES
