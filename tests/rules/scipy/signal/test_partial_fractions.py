"""Every sample of the chapter, and what is refused."""

import numpy as np
import pytest
import scipy.signal

import srcgrad
from srcgrad.scipy import signal
from tests.variables import variable


def test_a_pole_that_counts_twice():
    a = np.array([1.0, -1.0, 0.25])
    with pytest.raises(srcgrad.NoRuleError, match="only by the numerator"):
        signal.residue([1.0], variable(a))


def test_nothing_above_the_line():
    for name in ("residue", "residuez"):
        a = np.array([1.0, 0.9, 0.2])
        found = getattr(signal, name)(variable([0.0]), a)
        expected = getattr(scipy.signal, name)([0.0], a)
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_errors_are_scipys():
    for name, args in (
        ("residue", ([1.0], [0.0])),
        ("residuez", ([1.0], [0.0, 1.0])),
        ("unique_roots", ([1.0], 1e-3, "median")),
        ("invres", ([1.0], [1.0], [], 1e-3, "median")),
    ):
        with pytest.raises(ValueError, match=r".") as expected:
            getattr(scipy.signal, name)(*args)
        with pytest.raises(ValueError, match=r".") as found:
            getattr(signal, name)(variable(args[0]), *args[1:])
        assert str(found.value) == str(expected.value)
