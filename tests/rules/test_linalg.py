"""Rules for solving, inverses, least squares and determinants: every sample."""

from tests.rules.suite import RuleSuite
from tests.samples.linalg import SAMPLES


class TestSamples(RuleSuite):
    samples = SAMPLES
