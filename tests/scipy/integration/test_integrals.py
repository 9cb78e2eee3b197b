"""Integrals, differentiated in their limits and parameters."""

import numpy as np
import pytest

import srcgrad
from srcgrad.scipy import integrate


@pytest.mark.parametrize("limit", [2.0, np.float32(2.0), np.array(2.0)])
def test_a_limit_of_any_kind(limit):
    high = srcgrad.Variable(limit, requires_grad=True)
    integrate.quad(lambda x: x**3, 0.0, high)[0].backward()
    assert high.grad.item() == pytest.approx(8.0)
