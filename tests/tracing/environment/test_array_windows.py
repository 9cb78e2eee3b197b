"""Parts of arrays between integers that change: one trace for all of one shape."""

import numpy as np

from srcgrad.tracing.environment.array_windows import is_window, written_index
from srcgrad.tracing.environment.changing_ints import FollowedInt
from srcgrad.tracing.environment.references import Argument


def test_which_indices_are_written_so():
    i = FollowedInt(Argument("i", 0), 4, reads=None)
    assert (
        written_index((Ellipsis, slice(None, i), None, -1))[0] == "..., :{}, None, -1"
    )
    assert written_index(slice(i, i + 2, 3))[0] == "{}:{}:3"
    assert written_index((slice(i, None), np.array([1]))) is None
    assert written_index((slice(i, None), [0])) is None
    assert is_window((0, slice(None, i)))
    assert not is_window((0, i))
    assert not is_window(slice(0, 3))
