"""Rules of functions that join arrays, split them, repeat, insert: every sample."""

from tests.rules.suite import RuleSuite
from tests.samples.joining import SAMPLES


class TestSamples(RuleSuite):
    samples = SAMPLES
