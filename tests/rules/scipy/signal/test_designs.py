"""Every sample of the chapter, and what is refused."""

import pytest

import srcgrad
from srcgrad.scipy import signal
from tests.variables import variable


def test_what_has_no_derivative():
    with pytest.raises(srcgrad.NoRuleError, match="only by `Q`"):
        signal.iircomb(variable(0.5), 30.0)


def test_errors_are_scipys():
    for call, message in (
        (lambda: signal.butter(2, variable(1.5)), "must be 0 < Wn < 1"),
        (lambda: signal.butter(2, variable(-0.5)), "must be greater than 0"),
        (lambda: signal.butter(2, variable([0.5, 0.2]), "band"), "must be less than"),
        (lambda: signal.butter(2, variable(0.5), analog=True, fs=2.0), "fs cannot be"),
        (lambda: signal.iirnotch(variable(1.5), 30.0), "0 < w0 < 1"),
        (lambda: signal.firwin(5, variable(1.5)), "Invalid cutoff"),
        (lambda: signal.firwin(4, variable(0.5), pass_zero=False), "at the Nyquist"),
        (lambda: signal.firls(4, [0, 1], variable([1.0, 0.0])), "must be odd"),
        (lambda: signal.iircomb(0.6, variable(30.0)), "divisible by w0"),
        (lambda: signal.firwin2(5, [0.0, 0.5], variable([1.0, 0.0])), "end with fs/2"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
