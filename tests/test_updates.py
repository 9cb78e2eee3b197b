"""What NumPy does in place or by method, as functions."""

import numpy as np
import pytest

from srcgrad import updates
from srcgrad.facts import facts_of
from srcgrad.updates import add_at, assign, cast, scatter
from tests.variables import variable


@pytest.mark.parametrize(
    "function", [updates.cast, updates.assign, updates.scatter, updates.add_at]
)
def test_updates_have_no_effect_and_give_new_arrays(function):
    assert not facts_of(function).effect
    assert not facts_of(function).view


def test_assign_leaves_its_argument_alone():
    x = np.zeros((2, 3))
    out = assign(x, (slice(None), [0, 2]), 5.0)
    assert out.tolist() == [[5.0, 0.0, 5.0]] * 2
    assert not x.any()


INDICES = [1, -1, slice(None, None, 2), (0, ...), [0, 1, 1], np.array([True, False])]


@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_scatter_is_the_transpose_of_reading(index):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2, 3))
    g = rng.normal(size=x[index].shape)
    out = scatter(g, index, x.shape)
    np.testing.assert_allclose(np.sum(out * x), np.sum(g * x[index]))


@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_add_at_adds_what_scatter_makes(index):
    x = np.ones((2, 3))
    g = np.full(x[index].shape, 2.0)
    np.testing.assert_array_equal(add_at(x, index, g), x + scatter(g, index, x.shape))
    assert x.tolist() == [[1.0] * 3] * 2


def random_index(rng, shape):
    """Slices, integers, lists with repeats and masks, with new axes between."""
    length = rng.integers(1, 4)  # arrays of indices are of one length

    def of_axis(n):
        mask = np.zeros(n, bool)
        mask[rng.permutation(n)[: min(n, length)]] = True
        kinds = [
            slice(None),
            slice(None),
            slice(None, None, -2),
            int(rng.integers(-n, n)),
        ]
        kinds += [rng.integers(-n, n, length), rng.integers(-n, n, (2, 1))]
        kinds += [mask] * int(n >= length) + [np.int64(0), [0] * length]
        return [kinds[rng.integers(len(kinds))]] + [None] * int(rng.random() < 0.2)

    first, last = np.sort(rng.integers(0, len(shape) + 1, 2))
    before = [part for n in shape[:first] for part in of_axis(n)]
    if rng.random() < 0.5:
        return tuple(before)
    return (*before, Ellipsis, *(part for n in shape[last:] for part in of_axis(n)))


@pytest.mark.seeds(30)
def test_what_repeats_adds_up_at_any_index(seed):
    rng = np.random.default_rng(seed)
    for trial in range(20):
        shape = tuple(rng.integers(2, 5, rng.integers(1, 5)).tolist())
        index = random_index(rng, shape)
        if trial % 4 == 0:  # whole rows
            index = rng.integers(-shape[0], shape[0], (3, 2)[: trial % 8 // 4 + 1])
        if trial % 4 == 1:  # elements, from the end too
            index = tuple(rng.integers(-n, n, (3, 2)[trial % 8 // 4 :]) for n in shape)
        dtype = [np.float64, np.float32, np.complex128][trial % 3]
        x = np.asfortranarray(rng.normal(size=shape)).astype(dtype)
        picked = x[index].shape
        g = rng.normal(size=picked[trial % 2 :]).astype(dtype)  # it may be broadcast
        expected = x.copy()
        # It reads beyond the end of one row for an array of places (NumPy 2.4.6).
        np.add.at(expected, index, np.array(np.broadcast_to(g, picked)))
        rtol = 1e-12 if dtype is not np.float32 else 1e-5
        message = f"{shape}[{index}]"
        np.testing.assert_allclose(
            add_at(x, index, g), expected, rtol, rtol, err_msg=message
        )
        scattered = scatter(g, index, shape)
        np.testing.assert_allclose(scattered, expected - x, rtol, rtol, err_msg=message)
        assert scattered.dtype == dtype


def test_at_the_indices_of_an_array_without_axes():
    x = np.array(2.0)
    for index, expected in ((True, 5.0), (False, 2.0), (np.True_, 5.0), ((), 5.0)):
        assert add_at(x, index, np.array(3.0)) == expected


def test_on_variables_they_go_on_the_tape():
    x, g = variable([1.0, 2.0, 3.0]), variable([4.0, 5.0])
    out = add_at(assign(x, 0, g[0]), [1, 1], g) + scatter(g, [2, 2], (3,))
    assert out.data.tolist() == [4.0, 11.0, 12.0]
    (out * np.array([1.0, 10.0, 100.0])).sum().backward()
    assert x.grad.data.tolist() == [0.0, 10.0, 100.0]
    assert g.grad.data.tolist() == [111.0, 110.0]
    assert cast(x, np.float32).requires_grad
