"""Functions that leave the real line: every sample."""

from tests.rules.suite import RuleSuite
from tests.samples.scimath import SAMPLES


class TestSamples(RuleSuite):
    samples = SAMPLES
