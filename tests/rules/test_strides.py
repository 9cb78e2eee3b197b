"""What reads an array as it lies in memory has its gradient, wherever elements lie."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import srcgrad


def test_memory_that_is_no_element_is_refused():
    def odd(x):
        return np.sum(as_strided(x[::2], (2,), (x.itemsize,)))

    with pytest.raises(srcgrad.NoRuleError, match="no element of its argument"):
        srcgrad.grad(odd)(np.ones(4))
