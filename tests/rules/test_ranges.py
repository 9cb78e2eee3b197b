"""Ranges and powers: every sample."""

from tests.rules.suite import RuleSuite
from tests.samples.ranges import SAMPLES


class TestSamples(RuleSuite):
    samples = SAMPLES
