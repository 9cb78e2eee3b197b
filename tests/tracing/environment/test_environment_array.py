"""Arrays from outside that are written into; whole programs: corpus/writes.txt."""

import numpy as np
import pytest

from srcgrad.tracing.environment.environment_array import are_apart, is_writeable

BASE = np.zeros((4, 5))
WINDOW = np.lib.stride_tricks.as_strided(np.zeros(9), (4, 3), (8, 8))
READ_ONLY = np.zeros(3)
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    "array", [BASE, BASE.T, BASE[:, 1], BASE[::2, ::-1], np.array(1.0), BASE[:0]]
)
def test_each_element_is_there_once(array):
    assert is_writeable(array)


@pytest.mark.parametrize(
    "array", [READ_ONLY, np.broadcast_to(1.0, (3,)), WINDOW, READ_ONLY[1:]]
)
def test_what_is_not_written_element_by_element(array):
    assert not is_writeable(array)


def test_arrays_apart():
    other = np.zeros(3)
    assert are_apart([BASE], [other, READ_ONLY])
    assert are_apart([BASE[0]], [BASE[1], other])
    assert not are_apart([BASE[0]], [other, BASE])
    assert not are_apart([BASE, other], [other])
    assert not are_apart([BASE[0], BASE[0]], [])
