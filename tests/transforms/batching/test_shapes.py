import numpy as np
import pytest

from tests.transforms.batching.cases import loops_of

CALLS = [
    (np.reshape, (2, 6), {"shape": (3, 4)}),
    (np.reshape, (2, 6), {"shape": (3, -1), "order": "F"}),
    (np.ravel, (2, 3), {"order": "F"}),
    (np.expand_dims, (2, 3), {"axis": (0, -1)}),
    (np.squeeze, (1, 3, 1), {}),
    (np.squeeze, (1, 3, 1), {"axis": -1}),
    (np.transpose, (2, 3, 4), {}),
    (np.transpose, (2, 3, 4), {"axes": (-1, 0, 1)}),
    (np.swapaxes, (2, 3, 4), {"axis1": 0, "axis2": -1}),
    (np.moveaxis, (2, 3, 4), {"source": (0, 1), "destination": (-1, 0)}),
    (np.flip, (2, 3), {}),
    (np.flip, (2, 3), {"axis": -1}),
    (np.fliplr, (2, 3), {}),
    (np.flipud, (2, 3), {}),
    (np.rot90, (2, 3), {"k": 3}),
    (np.roll, (2, 3), {"shift": 2}),
    (np.roll, (2, 3), {"shift": (1, -1), "axis": (0, 1)}),
    (np.broadcast_to, (3, 1), {"shape": (2, 3, 4)}),
    (np.diag, (3,), {"k": -1}),
    (np.diag, (3, 4), {"k": 1}),
    (np.diagflat, (2, 2), {"k": 1}),
    (np.diagonal, (3, 4, 2), {"offset": 1, "axis1": 0, "axis2": 1}),
    (np.trace, (3, 4), {}),
    (np.tril, (3, 4), {"k": 1}),
    (np.triu, (2, 3, 4), {}),
    (np.tile, (2, 3), {"reps": 2}),
    (np.tile, (3,), {"reps": (2, 1, 2)}),
    (np.repeat, (2, 3), {"repeats": 2}),
    (np.repeat, (2, 3), {"repeats": (1, 2), "axis": 0}),
    (np.pad, (2, 3), {"pad_width": 1}),
    (np.pad, (2, 3), {"pad_width": ((1, 0), (0, 2)), "mode": "edge"}),
    (np.lib.stride_tricks.sliding_window_view, (4, 5), {"window_shape": (2, 3)}),
    (
        np.lib.stride_tricks.sliding_window_view,
        (4, 5),
        {"window_shape": 3, "axis": -1},
    ),
]


@pytest.mark.parametrize(
    ("function", "shape", "options"),
    CALLS,
    ids=lambda item: getattr(item, "__name__", str(item)),
)
def test_each_element_is_as_alone(function, shape, options):
    assert not loops_of(function, shape, **options)


def test_axes_that_are_left_to_the_loop():
    assert loops_of(np.tril, (3,)) == ["tril"]
    assert loops_of(np.pad, (2, 3), pad_width={0: 1}) == ["pad"]


def test_several_at_least():
    assert not loops_of(np.atleast_2d, (3,), ())
    assert not loops_of(np.broadcast_arrays, (3,), (2, 1))
