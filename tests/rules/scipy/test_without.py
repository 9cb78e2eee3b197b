"""What has no derivative is refused with the reason, and SciPy's own otherwise."""

import numpy as np
import pytest
import scipy.linalg

import srcgrad
from srcgrad.scipy import linalg
from tests.variables import variable


def test_the_error_gives_the_reason():
    with pytest.raises(srcgrad.NoRuleError, match=r"of expm_cond \(.*\): it is an es"):
        linalg.expm_cond(variable(np.eye(2)))
    with pytest.raises(srcgrad.NoRuleError, match="expm_cond"):
        linalg.expm_cond(A=variable(np.eye(2)))


def test_without_a_gradient_it_is_scipys():
    constant = srcgrad.Variable(np.eye(2))
    expected = scipy.linalg.expm_cond(np.eye(2))
    assert linalg.expm_cond(np.eye(2)) == expected
    assert linalg.expm_cond(constant) == expected
