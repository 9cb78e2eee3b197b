"""Every sample of the chapter, and what SciPy refuses."""

import numpy as np
import pytest
import scipy.signal

from srcgrad.scipy import signal
from tests.variables import variable


def test_windows_of_one_point():
    for name in ("gaussian", "exponential", "dpss"):
        args = (1, None, variable(2.0)) if name == "exponential" else (1, variable(0.4))
        found = getattr(signal.windows, name)(*args)
        np.testing.assert_array_equal(found, [1.0])


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("kaiser_bessel_derived", (5, 2.0)),
        ("exponential", (5, 1.0, 2.0)),
        ("dpss", (5, 7.0)),
        ("get_window", (("hann", 2.0), 5)),
        ("get_window", (("nonsense", 2.0), 5)),
    ],
)
def test_errors_are_scipys(name, args):
    with pytest.raises(ValueError, match=r".") as expected:
        getattr(scipy.signal.windows, name)(*args)
    if isinstance(args[0], tuple):
        ours = (args[0][0], variable(args[0][1])), *args[1:]
    else:
        ours = *args[:-1], variable(args[-1])
    with pytest.raises(ValueError, match=r".") as found:
        getattr(signal.windows, name)(*ours)
    assert str(found.value)[:7] == str(expected.value)[:7]
