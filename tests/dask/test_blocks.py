"""Data as blocks: what is taken, and what is refused."""

import dask
import dask.array
import dask.bag
import dask.dataframe
import numpy as np
import pandas
import pytest
import xarray

import srcgrad
from srcgrad.dask import value_and_grad
from srcgrad.dask.blocks import Blocks, Counting
from tests.dask.losses import X, Y, square
from tests.telling import in_full

x = dask.array.from_array(X, chunks=(10, 3))
w = np.array([0.1, -0.2, 0.3])
value, gradient = srcgrad.value_and_grad(square)(w, X)


def assert_is_that_of_all(found):
    assert found[0] == pytest.approx(value, rel=1e-13)
    np.testing.assert_allclose(found[1], gradient, rtol=1e-12)


def test_a_dataframe():
    frame = dask.dataframe.from_pandas(pandas.DataFrame(X), npartitions=4)
    assert_is_that_of_all(value_and_grad(square, data=frame)(w))


def test_a_dataframe_with_numbers_and_texts():
    frame = pandas.DataFrame({"a": [1.0, 2.0], "b": ["c", "d"]})
    frame = dask.dataframe.from_pandas(frame, npartitions=1)
    with pytest.raises(TypeError, match="these columns are no numbers: b"):
        value_and_grad(square, data=frame)


def test_a_bag_has_lists_for_blocks():
    bag = dask.bag.from_sequence([*X], npartitions=5).map(lambda row: row * 1.0)
    found = value_and_grad(lambda w, rows: square(w, np.stack(rows)), data=bag)(w)
    assert_is_that_of_all(found)


def test_a_list_of_delayed():
    blocks = [dask.delayed(dict)(x=X[k : k + 10]) for k in range(0, 57, 10)]
    found = value_and_grad(lambda w, block: square(w, block["x"]), data=blocks)(w)
    assert_is_that_of_all(found)


def test_rows_of_unknown_number_and_blocks_without_rows():
    is_large = X[:, 0] > 1.5
    some = x[x[:, 0] > 1.5]
    lengths = {int(np.sum(is_large[k : k + 10])) for k in range(0, 57, 10)}
    assert 0 in lengths
    for reduce, loss in (("sum", square), ("mean", lambda w, x: np.mean(x @ w))):
        found = value_and_grad(loss, data=some, reduce=reduce)(w)
        expected = srcgrad.value_and_grad(loss)(w, X[is_large])
        assert found[0] == pytest.approx(expected[0], rel=1e-13)
        np.testing.assert_allclose(found[1], expected[1], rtol=1e-12)


def test_no_rows_at_all():
    for data in (x[x[:, 0] > 100.0], x[:0]):
        with pytest.raises(ValueError, match="the blocks have no rows"):
            value_and_grad(square, data=data)(w)


def test_integers_and_single_precision():
    for dtype in (np.int32, np.float32):
        data = np.round(X * 4).astype(dtype)
        blocks = dask.array.from_array(data, chunks=(10, 3))
        found = value_and_grad(square, data=blocks)(w)
        expected = srcgrad.value_and_grad(square)(w, data)
        np.testing.assert_allclose(found[1], expected[1], rtol=1e-6)


def test_what_arrays_share_is_computed_once_for_a_block():
    made = []

    def make(block):
        made.append(block.shape)
        return block

    both = x.map_blocks(make, dtype=float, meta=np.empty((0, 0)))
    found = value_and_grad(lambda w, x, y: np.sum(x @ w * y), data=(both, both[:, 0]))
    with dask.config.set(scheduler="sync"):
        found(w, blocks=[0])  # the first time one block comes here
        made.clear()
        found(w)
    assert sorted(made) == [(7, 3)] * 2 + [(10, 3)] * 5  # the last is traced first


REFUSED = {
    "a numpy array": (X, TypeError, "but got ndarray", "from_array"),
    "a list of arrays": ([x], TypeError, "but got list", "data=(x, y)"),
    "a dict of arrays": ({"x": x}, TypeError, "but got dict", "data=(x, y)"),
    "an array of xarray": (
        xarray.DataArray(X).chunk(dim_0=10),
        TypeError,
        "but got DataArray",
        "its .data",
    ),
    "a number": (3, TypeError, "but got int", ""),
    "one delayed": (dask.delayed(X), TypeError, "but got Delayed", "[block]"),
    "nothing": ((), ValueError, "no data", ""),
    "an empty list": ([], ValueError, "no data", ""),
    "chunks of columns": (x.rechunk((10, 2)), ValueError, "whole rows", "rechunk"),
    "one number": (x.sum(), ValueError, "whole rows", ""),
    "other rows": ((x, x.rechunk((11, 3))), ValueError, "other chunks", "x.chunks"),
    "other rows of the same blocks": (
        (x[:20], x[:20].rechunk(((9, 11), 3))),
        ValueError,
        "10, 10 and 9, 11",
        "x.chunks",
    ),
    "other blocks": (
        (x, dask.bag.from_sequence([*Y], npartitions=5)),
        ValueError,
        "6, 5 blocks",
        "the same chunks",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_says_what_to_do(name):
    data, kind, message, cure = REFUSED[name]
    with pytest.raises(kind, match=message) as caught:
        value_and_grad(square, data=data)
    assert cure in in_full(caught.value)
    assert in_full(caught.value).endswith("#data-in-blocks")


def test_rows_that_do_not_go_together():
    one, other = x[x[:, 0] > 0.0], x[x[:, 1] > 0.0]
    with pytest.raises(ValueError, match="rows, which is not one number") as caught:
        value_and_grad(lambda w, x, y: np.sum(x @ w) + np.sum(y), data=(one, other))(w)
    assert "in block 0 of 6" in in_full(caught.value)


def test_a_bag_beside_an_array():
    bag = dask.bag.from_delayed([dask.delayed([1.0] * n) for n in (10, 9)])
    of_all = value_and_grad(lambda w, x, items: np.sum(x @ w), data=(x[:20], bag))
    with pytest.raises(ValueError, match="has 9, 10 rows") as caught:
        of_all(w)
    assert "in block 1 of 2" in in_full(caught.value)


def test_rows_of_a_block():
    count = Counting(are_aligned=True)
    assert count.rows_of(({"x": X, "k": 3.0},)) == 57
    assert count.rows_of(({"x": X, "y": [*Y]}, 4.0)) == 57
    assert Counting(are_aligned=False).rows_of((4.0,)) == 1
    assert Counting(are_aligned=False).rows_of((X, np.ones(4))) == 57
    assert Counting(are_aligned=True, bags=(1,)).rows_of((X, [0.0] * 57)) == 57
    assert Blocks((x, x)).rows == [10, 10, 10, 10, 10, 7]
    assert Blocks((x, [dask.delayed(X)] * 6)).rows == [None] * 6


def test_a_mean_over_blocks_that_are_tuples_of_arrays():
    blocks = [dask.delayed((X[:50], Y[:50])), dask.delayed((X[50:], Y[50:]))]

    def loss(w, block):
        return np.mean((block[0] @ w - block[1]) ** 2)

    found = value_and_grad(loss, data=blocks, reduce="mean")(w)
    assert found[0] == pytest.approx(loss(w, (X, Y)), rel=1e-13)


UNCOUNTED = {
    "numbers": [1.0, 2.0],
    "rows": [*X[:5]],
    "columns": [X, Y],
    "pairs": [(X[0], Y[0]), (X[1], Y[1])],
    "rows in a dict": {"x": [*X[:5]], "y": Y[:5]},
    "an object": slice(3),
    "a number": 3.0,
}


@pytest.mark.parametrize("name", UNCOUNTED)
def test_blocks_whose_rows_cannot_be_counted(name):
    blocks = [dask.delayed(lambda: UNCOUNTED[name])()]
    of_all = value_and_grad(lambda w, block: np.sum(w), data=blocks, reduce="mean")
    with pytest.raises(ValueError, match="rows of a block cannot be counted") as caught:
        of_all(w)
    assert 'reduce="sum"' in in_full(caught.value)
    of_sum = value_and_grad(lambda w, block: np.sum(w), data=blocks)
    assert of_sum(w)[0] == np.sum(w)


def test_futures_are_to_be_delayed(client):
    futures = client.scatter([X[:30], X[30:]])
    with pytest.raises(TypeError, match="but got list") as caught:
        value_and_grad(square, data=futures)
    assert "[delayed(f) for f in futures]" in in_full(caught.value)
    assert_is_that_of_all(value_and_grad(square, data=[*map(dask.delayed, futures)])(w))


@pytest.mark.filterwarnings("ignore:each worker runs")
def test_blocks_that_are_frames():
    frames = [pandas.DataFrame(X[:30]), pandas.DataFrame(X[30:])]
    loss = lambda w, frame: np.mean((frame.to_numpy() @ w) ** 2)  # noqa: E731
    blocks = [dask.delayed(frame) for frame in frames]
    found = value_and_grad(loss, data=blocks, reduce="mean")(w)
    assert found[0] == pytest.approx(np.mean((X @ w) ** 2), rel=1e-13)
    bag = dask.bag.from_sequence(frames, npartitions=2)
    in_bag = value_and_grad(lambda w, items: loss(w, items[0]), data=bag)(w)
    assert in_bag[0] == pytest.approx(sum(loss(w, frame) for frame in frames))
