"""What writes overwrite, put back: arrays that lie in each other in any way."""

import random

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

from srcgrad.tape.overwritten import Overwritten, as_before

VIEWS = [
    *(lambda a: a, lambda a: a.T, lambda a: a[1:], lambda a: a[:, ::-2]),
    *(lambda a: a[2], lambda a: a[:, 1], lambda a: a.reshape(-1)[3:9]),
    *(lambda a: a[1:3, None, 1:], lambda a: a[::-1], lambda a: a[3, 2:3]),
    *(lambda a: as_strided(a, (3, 4), (8, 8)), lambda a: a.view(np.int64)),
    *(lambda a: np.broadcast_to(a[0], (2, 4)), lambda a: a[:0], lambda a: a[1, 1, ...]),
]
INDICES = [..., 0, -1, slice(1, None), (slice(None), 2), [2, 0], (1, 2), (), None]
INDICES += [([0, 3], [1, 1]), (slice(None, None, 2), slice(1, 3))]


@pytest.mark.seeds(60)
def test_any_view_of_what_any_writes_have_changed(seed):
    rng = random.Random(seed)
    array = np.arange(16.0).reshape(4, 4)
    array = np.asfortranarray(array) if rng.random() < 0.3 else array
    seen = [view(array) for view in VIEWS]
    expected = [view.copy() for view in seen]
    writes = []
    for number in range(rng.randint(1, 4)):
        target = rng.choice([array, array.T, array[::-1], array[:, 1:]])
        index = rng.choice(INDICES)
        try:
            writes.append(Overwritten.of(target, index))
        except IndexError:
            continue
        target[index] = 100.0 + number
    for view, before in zip(seen, expected, strict=True):
        np.testing.assert_array_equal(as_before(view, writes), before)


def test_no_copy_is_made_of_what_did_not_change():
    array = np.zeros((3, 100))
    writes = [Overwritten.of(array, 1), Overwritten.of(array, (2, 5))]
    assert [write.before.size for write in writes] == [100, 1]
    assert as_before(array[0], writes) is not None
    row = array[0]
    assert as_before(row, writes) is row
    columns = array[:, ::2]
    assert as_before(columns, [Overwritten.of(array, (..., 1))]) is columns


def test_the_index_is_kept_as_it_was():
    array, index = np.arange(3.0), np.array([0])
    written = Overwritten.of(array, index)
    array[index] = 9.0
    index[0] = 2
    assert as_before(array, [written]).tolist() == [0.0, 1.0, 2.0]
