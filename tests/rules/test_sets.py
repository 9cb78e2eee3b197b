"""Sets of values: every sample."""

from tests.rules.suite import RuleSuite
from tests.samples.sets import SAMPLES


class TestSamples(RuleSuite):
    samples = SAMPLES
