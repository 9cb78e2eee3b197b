"""Every sample of the chapter."""

from scipy import special

from tests.rules.suite import RuleSuite
from tests.samples.scipy.gammas import SAMPLES
from tests.variables import variable


class TestSamples(RuleSuite):
    samples = SAMPLES


def test_the_sign_of_gamma_carries_no_gradient():
    assert not special.gammasgn(variable([-0.5, 2.0])).requires_grad
