"""Jacobians with the rows of the data, as Dask arrays."""

import dask.array
import numpy as np
import pytest

import srcgrad
from srcgrad.dask import jacobian
from tests.dask import losses
from tests.dask.losses import W, X, refuses_large, scaled, square, tanhs
from tests.telling import in_full

x = dask.array.from_array(X, chunks=(10, 3))


def test_the_rows_are_those_of_the_data(client):
    found = jacobian(tanhs, data=x)(W)
    expected = srcgrad.jacobian(tanhs)(W, X)
    assert found["w"].chunks == ((10, 10, 10, 10, 10, 7), (3,))
    for name in W:
        assert found[name].shape == expected[name].shape
        assert found[name].dtype == expected[name].dtype
        np.testing.assert_allclose(found[name].compute(), expected[name], rtol=1e-13)
    normal = (found["w"].T @ found["w"]).compute()
    np.testing.assert_allclose(normal, expected["w"].T @ expected["w"], rtol=1e-12)


def test_several_numbers_a_row():
    function = lambda w, x: np.sin(x * w)  # noqa: E731
    w = np.ones(3)
    of_all = jacobian(function, data=x)
    found = of_all(w)
    assert found.shape == (57, 3, 3)
    expected = srcgrad.jacobian(function)(w, X)
    np.testing.assert_allclose(found.compute(), expected, rtol=1e-13)
    np.testing.assert_allclose(
        of_all(2 * w)[0], srcgrad.jacobian(function)(2 * w, X)[0]
    )


def test_rows_of_unknown_number():
    some = x[x[:, 0] > 1.5]
    found = jacobian(tanhs, data=some)(W)["w"]
    assert np.isnan(found.shape[0])
    expected = srcgrad.jacobian(tanhs)(W, X[X[:, 0] > 1.5])["w"]
    np.testing.assert_allclose(found.compute(), expected, rtol=1e-13)


def test_a_function_that_gives_no_rows():
    with pytest.raises(ValueError, match="a row for each row of a block") as caught:
        jacobian(square, data=x)(W["w"])
    assert "in block 0 of 6" in in_full(caught.value)


def test_a_block_that_raises():
    data = np.ones((30, 3))
    data[25] = 1000.0
    blocks = dask.array.from_array(data, chunks=(10, 3))

    def checked(w, x):
        refuses_large(w, x)
        return x @ w

    of_all = jacobian(checked, data=blocks)
    with pytest.raises(ValueError, match="too large") as caught:
        of_all.prepare(np.ones(3))
    assert in_full(caught.value).endswith("in block 2 of 3")
    with pytest.raises(RuntimeError, match="no trace is for block 2") as caught:
        of_all(np.ones(3)).compute()
    assert ".prepare(parameters)" in in_full(caught.value)


def test_other_ways_are_those_of_the_modules_of_this_process(client, monkeypatch):
    monkeypatch.setattr("tests.dask.losses.SCALE", 5.0)
    one_large = np.where(np.arange(57) == 24, 100.0, 0.0)[:, None]
    of_all = jacobian(scaled, data=x + one_large)
    with pytest.raises(RuntimeError, match="no trace is for block 2"):
        of_all(W["w"]).compute()
    of_all.prepare(W["w"])
    found, data = of_all(W["w"]), X + one_large
    blocks = [data[k : k + 10] for k in range(0, 57, 10)]
    each = [srcgrad.jacobian(scaled)(W["w"], block) for block in blocks]
    losses.SCALE = 9.0  # between the call and its computation
    np.testing.assert_allclose(found.compute(), np.concatenate(each), rtol=1e-13)


@pytest.mark.parametrize(
    "function",
    [
        lambda w, x: np.stack([x @ w] * (2 if x[0, 0] > 0.0 else 3), 1),
        lambda w, x: (x @ w).astype(np.float32 if x[0, 0] > 0.0 else np.float64),
    ],
    ids=["shapes", "dtypes"],
)
def test_blocks_of_other_rows_of_the_jacobian(function):
    of_all = jacobian(function, data=x)
    of_all.prepare(W["w"])
    with pytest.raises(ValueError, match="the Jacobian of a block has rows") as caught:
        of_all(W["w"]).compute()
    assert "in block" in in_full(caught.value)


def test_what_no_trace_is_for_at_all(client):
    of_all = jacobian(lambda w, x: x @ w * len(f"{x[0, 0]:.2f}"), data=x)
    with pytest.warns(RuntimeWarning, match="itself: .*, so what is changed in them"):
        found = of_all(W["w"])
    lengths = [len(f"{row[0]:.2f}") for row in X[::10]]
    expected = X * np.repeat(lengths, 10)[:57, None]
    np.testing.assert_allclose(found.compute(), expected, rtol=1e-13)


def test_no_rows():
    with pytest.raises(ValueError, match="the blocks have no rows"):
        jacobian(tanhs, data=x[:0])(W)


def test_its_repr_names_the_function():
    assert repr(jacobian(tanhs, data=x)) == "<jacobian of tanhs over 6 blocks>"
