"""Every sample of the chapter, and a basis that is chosen."""

import numpy as np
import scipy.linalg

from srcgrad.scipy import linalg
from tests.variables import variable


def test_a_basis_that_is_chosen_has_no_gradient():
    a = variable(np.array([[1.0, 2.0, 3.0, 4.0]]))
    weights = np.arange(12.0).reshape(4, 3)
    (linalg.null_space(a) * weights).sum().backward()
    assert np.all(np.isnan(a.grad.data))
    assert scipy.linalg.null_space(a.data).shape == (4, 3)
