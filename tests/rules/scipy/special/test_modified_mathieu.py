"""Every sample of the chapter."""

from tests.rules.suite import RuleSuite
from tests.samples.scipy.modified_mathieu import SAMPLES


class TestSamples(RuleSuite):
    samples = SAMPLES
