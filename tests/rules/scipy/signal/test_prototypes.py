"""Every sample of the chapter."""

import pytest

from srcgrad.scipy import signal
from tests.variables import variable


def test_of_no_order_and_of_wrong_numbers():
    assert signal.ellipap(0, variable(2.0), 40.0)[2].item() == pytest.approx(10**-0.1)
    assert signal.kaiser_beta(variable(20.0)).item() == 0.0
    for call, message in (
        (lambda: signal.ellipap(1.5, variable(1.0), 40.0), "nonnegative integer"),
        (lambda: signal.ellipap(2, variable(0.0), 40.0), "Cannot design"),
        (lambda: signal.gammatone(variable(9.0), "iir"), "must be between 0"),
        (lambda: signal.gammatone(variable(0.2), "fir", 30), "order must be > 0"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
