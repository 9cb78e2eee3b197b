import numpy as np
import pytest

from srcgrad import Variable
from srcgrad.modes import override
from srcgrad.tracing.graphs.compression import Compression
from srcgrad.tracing.graphs.recorder import Recorder


def recorded(function, size):
    """The compression for a function, in a recording; and its Jacobian in full."""
    x = Variable(np.linspace(0.5, 1.5, size), requires_grad=True)
    recorder = Recorder()
    with override(recorder=recorder):
        recorder.add_input(x, "x")
        return Compression.of(x, function(x))


def test_a_band_goes_row_by_row():
    made = recorded(lambda x: x[1:] * x[:-1], 6)
    assert (made.count, made.is_forward) == (2, False)
    like = np.zeros(5)
    np.testing.assert_array_equal(made.seeds(like).sum(axis=0), np.ones(5))


def test_a_full_column_goes_column_by_column():
    made = recorded(lambda x: x * x[0], 6)
    assert (made.count, made.is_forward) == (2, True)


@pytest.mark.parametrize("is_forward", [False, True])
def test_sums_give_the_entries(is_forward):
    def function(x):
        return x * x[0] if is_forward else np.concatenate([x, np.sum(x)[None]])

    made = recorded(function, 5)
    assert made.is_forward is is_forward
    matrix = np.zeros((made.pattern.height, made.pattern.width))
    matrix[made.pattern.rows, made.pattern.columns] = np.arange(
        1.0, 1.0 + len(made.pattern.columns)
    )
    if is_forward:
        sums = made.seeds(np.zeros(matrix.shape[1])) @ matrix.T
    else:
        sums = made.seeds(np.zeros(matrix.shape[0])) @ matrix
    expected = matrix[made.pattern.rows, made.pattern.columns]
    np.testing.assert_array_equal(made.entries(sums), expected)


def test_without_a_recording_all_entries_are_taken():
    x = Variable(np.ones(4), requires_grad=True)
    made = Compression.of(x, x[:3] * 2.0)
    assert (made.count, len(made.pattern.columns)) == (3, 12)


def test_what_does_not_depend_has_no_entries():
    x = Variable(np.ones(4), requires_grad=True)
    made = Compression.of(x, np.ones(3))
    assert (made.count, made.pattern.height, made.pattern.width) == (0, 3, 4)
    assert made.seeds(np.zeros(3)).shape == (0, 3)
