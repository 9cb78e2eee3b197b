"""Every sample of the chapter."""

import numpy as np
import pytest

from srcgrad.scipy import linalg
from tests.rules.suite import RuleSuite
from tests.samples.scipy.solving import SAMPLES
from tests.variables import variable


class TestSamples(RuleSuite):
    samples = SAMPLES


@pytest.mark.parametrize("function", [linalg.ldl, linalg.orth, linalg.lstsq])
def test_of_stacks_of_matrices_there_is_no_derivative(function):
    """Which are as many as their columns: nothing else would be out of place."""
    a = variable(np.stack([np.eye(3) * k for k in (1.0, 2.0, 3.0)]))
    given = (a, np.ones((3, 3, 1))) if function is linalg.lstsq else (a,)
    with pytest.raises(NotImplementedError, match="of stacks of matrices"):
        function(*given)[0].sum().backward()
