"""Every sample of the chapter, and what is refused."""

import numpy as np
import pytest
import scipy.linalg

from srcgrad.scipy import linalg
from tests.rules.suite import RuleSuite
from tests.samples.scipy.bands import SAMPLES
from tests.variables import variable


class TestSamples(RuleSuite):
    samples = SAMPLES


def test_what_has_no_derivative():
    ab = np.array([[0.0, 0.5, 0.5], [3.0, 3.0, 3.0]])
    part = linalg.eigvals_banded(variable(ab), select="i", select_range=(0, 1))
    with pytest.raises(NotImplementedError, match="a part of the eigenvalues"):
        part.sum().backward()


def test_a_basis_that_is_chosen_has_no_gradient():
    a = variable(np.array([[1.0, 2.0, 3.0, 4.0]]))
    weights = np.arange(12.0).reshape(4, 3)
    (linalg.null_space(a) * weights).sum().backward()
    assert np.all(np.isnan(a.grad.data))
    assert scipy.linalg.null_space(a.data).shape == (4, 3)
