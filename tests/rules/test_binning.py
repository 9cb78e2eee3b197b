"""Interpolation and histograms: every sample."""

from tests.rules.suite import RuleSuite
from tests.samples.binning import SAMPLES


class TestSamples(RuleSuite):
    samples = SAMPLES
