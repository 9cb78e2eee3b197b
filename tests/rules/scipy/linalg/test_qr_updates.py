"""Every sample of the chapter, and what is refused."""

import numpy as np
import pytest

from srcgrad.scipy import linalg
from tests.variables import variable


def test_what_has_no_derivative():
    q, r = linalg.qr(np.arange(6.0).reshape(3, 2) ** 2)
    turned = variable(q) * 1.0j
    with pytest.raises(NotImplementedError, match="complex numbers"):
        np.sum(np.abs(linalg.qr_delete(turned, r + 0.0j, 0)[1])).backward()
    q = variable(q)
    np.sum(linalg.qr_insert(q, r, np.ones((2, 2)), 0)[0]).backward()
    assert np.all(np.isnan(q.grad.data))  # columns that are chosen
