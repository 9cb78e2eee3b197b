"""Rules for products of vectors, matrices and tensors: every sample, refusals."""

import numpy as np
import pytest

from tests.rules.gradients import backward
from tests.rules.suite import RuleSuite
from tests.samples.products import SAMPLES


class TestSamples(RuleSuite):
    samples = SAMPLES


@pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional vectors:DeprecationWarning")
def test_vectors_in_the_plane_have_no_cross_product():
    def cross(x):
        return np.cross(x, np.ones(2))

    if np.lib.NumpyVersion(np.__version__) >= "2.5.0":
        pytest.skip("nor has NumPy from 2.5 on")
    with pytest.raises(NotImplementedError, match="3 elements"):
        backward(cross, [1.0, 2.0])
