"""Eigenvalues of symmetric matrices and of pairs of them: every sample."""

from tests.rules.suite import RuleSuite
from tests.samples.scipy.symmetric_pairs import SAMPLES


class TestSamples(RuleSuite):
    samples = SAMPLES
