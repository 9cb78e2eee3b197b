"""The rule for ``np.einsum``: every sample, and what it refuses."""

import numpy as np
import pytest

from tests.rules.gradients import backward
from tests.rules.suite import RuleSuite
from tests.samples.einsum import SAMPLES


class TestSamples(RuleSuite):
    samples = SAMPLES


WIDE = np.ones((2, 3))
REFUSED = [
    (lambda x: np.einsum(WIDE, [0, 1], x, [1], [0]), (1.0, 2.0, 3.0), "as a string"),
]


@pytest.mark.parametrize(("function", "value", "message"), REFUSED)
def test_a_rule_says_what_it_cannot_do(function, value, message):
    with pytest.raises(NotImplementedError, match=message):
        backward(function, value)
