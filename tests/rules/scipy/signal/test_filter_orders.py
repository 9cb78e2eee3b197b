"""Every sample of the chapter."""

import pytest
import scipy.signal

import srcgrad
from srcgrad.scipy import signal
from tests.variables import variable


def test_what_has_no_derivative():
    with pytest.raises(srcgrad.NoRuleError, match="by a search"):
        signal.buttord([0.2, 0.6], variable([0.3, 0.5]), 1.0, 40.0)
    with pytest.raises(ValueError, match="does not have order selection"):
        signal.iirdesign(variable(0.2), 0.3, 1.0, 40.0, ftype="bessel")


def test_the_order_is_scipys():
    order, _ = signal.buttord(variable(0.2), 0.3, 1.0, 40.0)
    assert (type(order), order) == (int, scipy.signal.buttord(0.2, 0.3, 1.0, 40.0)[0])
