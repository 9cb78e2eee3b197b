"""The rule for ``np.einsum``: every sample."""

from tests.rules.suite import RuleSuite
from tests.samples.einsum import SAMPLES


class TestSamples(RuleSuite):
    samples = SAMPLES
