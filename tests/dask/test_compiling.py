"""Traces are made in one place, and what has changed since is traced again."""

import gc
import warnings
from functools import partial

import dask.array
import numpy as np
import pytest

import srcgrad
from srcgrad.dask import hvp, jacobian, value_and_grad
from srcgrad.dask.compiling import MOST_MODULES
from tests.dask.losses import W, X, Y, logistic, many_ways, noisy, refuses_large
from tests.telling import in_full

x = dask.array.from_array(X, chunks=(10, 3))
y = dask.array.from_array(Y, chunks=10)
w = W["w"]


def traces():
    """How many traces there are in a process."""
    gc.collect()
    return sum(type(each).__name__ == "Trace" for each in gc.get_objects())


def traces_of_one_more():
    gradient = srcgrad.grad(many_ways)
    gradient.compile(w, X)
    return traces()


def assert_no_more(after, before):
    assert after.keys() == before.keys()
    assert all(after[worker] <= before[worker] for worker in after)


def over_blocks(loss, *args):
    """The value of a loss over blocks of ten rows, one by one."""
    return sum(
        loss(w, *(each[k : k + 10] for each in args)) for k in range(0, len(X), 10)
    )


def test_no_worker_traces(client):
    assert client.submit(traces_of_one_more, pure=False).result() > 0  # it does count
    before = client.run(traces)
    of_all = value_and_grad(logistic, data=(x, y))
    first = of_all(W)
    for _ in range(3):
        again = of_all({"w": w + 1.0, "b": 0.0})
    assert_no_more(client.run(traces), before)
    assert len(of_all._compiling._carried) == 2  # the last block is shorter
    np.testing.assert_array_equal(of_all(W)[1]["w"], first[1]["w"])
    assert again[0] != first[0]


def test_blocks_of_many_lengths_need_few_traces():
    chunks = ((3, 5, 7, 9, 11, 13, 9), 3)
    of_all = value_and_grad(lambda w, x: np.sum(np.tanh(x @ w)), data=x.rechunk(chunks))
    assert of_all(w)[0] == pytest.approx(np.sum(np.tanh(X @ w)), rel=1e-13)
    assert len(of_all._compiling._carried) <= 4


def test_blocks_that_go_other_ways(client):
    before = client.run(traces)
    of_all = value_and_grad(many_ways, data=x)
    assert of_all(w)[0] == pytest.approx(over_blocks(many_ways, X), rel=1e-13)
    assert_no_more(client.run(traces), before)
    assert of_all(w)[0] == of_all(w)[0]


def test_more_ways_than_modules_are_tried(monkeypatch):
    monkeypatch.setattr("srcgrad.dask.compiling.MOST_MODULES", 1)
    assert MOST_MODULES > 8
    of_all = value_and_grad(many_ways, data=x * (1.0 + dask.array.arange(57)[:, None]))
    scaled = X * (1.0 + np.arange(57)[:, None])
    with pytest.warns(RuntimeWarning, match="itself: it goes more than"):
        found = of_all(w)
    assert found[0] == pytest.approx(over_blocks(many_ways, scaled), rel=1e-12)


def test_what_has_no_source_is_told_once(client):
    of_all = value_and_grad(noisy, data=x)
    with pytest.warns(RuntimeWarning, match=r"it draws .* draw before the call") as got:
        of_all(w)
    assert "errors.html#on-each-worker" in str(got[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert of_all(w)[0] != of_all(w)[0]


def test_numbers_and_closures_that_have_changed(client):
    power, offset = 2.0, np.zeros(3)

    def loss(w, x):
        return np.sum(np.abs(x @ (w + offset)) ** power)

    of_all = value_and_grad(loss, data=x)
    for power in (2.0, 3.0, 2.0):
        assert of_all(w)[0] == pytest.approx(np.sum(np.abs(X @ w) ** power), rel=1e-12)
    offset[:] = 1.0
    expected = np.sum(np.abs(X @ (w + 1.0)) ** power)
    assert of_all(w)[0] == pytest.approx(expected, rel=1e-12)


def test_a_block_that_raises(client):
    data = np.ones((40, 3))
    data[25:] = 1000.0
    of_all = value_and_grad(
        refuses_large, data=dask.array.from_array(data, chunks=(10, 3))
    )
    with pytest.raises(ValueError, match="too large") as caught:
        of_all(w)
    assert in_full(caught.value).endswith("in block 2 of 4")
    last = caught.traceback[-1]
    assert last.path.name == "losses.py"
    assert "raise ValueError" in str(last.statement)
    with pytest.raises(ValueError, match="too large"):
        of_all(w)  # and again
    assert of_all(w, blocks=[0, 1])[0] == pytest.approx(20 * w.sum())


def test_blocks_are_not_written_into(client):
    def centred(w, x):
        x -= 1.0
        return np.sum(x @ w)

    with pytest.raises(ValueError, match="read-only") as caught:
        value_and_grad(centred, data=x)(w)
    assert in_full(caught.value).endswith("in block 0 of 6")


def test_other_parameters_are_traced_before_all_blocks_are_in_vain():
    of_all = value_and_grad(lambda w, x: np.sum(x[:, : len(w)] @ w), data=x)
    learnt = []
    learn = of_all._compiling.learn
    of_all._compiling.learn = lambda *args: learnt.append(args[1:]) or learn(*args)
    for parameters in (w, w[:2], w, w.astype(np.float32)):
        of_all(parameters)
    assert learnt == [(0, ""), (5, "")] * 3


def test_a_worker_that_fails_where_this_process_does_not(monkeypatch):
    of_all = hvp(lambda w, x: np.sum((x @ w) ** 3), data=x)
    of_all(w, w)
    monkeypatch.setattr(
        "srcgrad.dask.sums.received", lambda program: lambda *args: 1 / 0
    )
    with (
        pytest.warns(RuntimeWarning, match="itself: ZeroDivisionError"),
        pytest.raises(RuntimeError, match="a worker fails where this") as caught,
    ):
        of_all(w, w)
    assert "in block 0 of 6" in in_full(caught.value)


@pytest.mark.filterwarnings("error")
def test_a_partial_with_keywords_travels(client):
    def loss(w, x, scale, shift=0.0):
        return np.sum((x @ w - shift) ** 2) * scale

    found = value_and_grad(partial(loss, scale=2.0, shift=np.ones(1)), data=x)(w)
    assert found[0] == pytest.approx(loss(w, X, 2.0, 1.0), rel=1e-13)
    rows = jacobian(partial(lambda w, x, k: x @ w * k, k=2.0), data=x)(w)
    np.testing.assert_allclose(rows.compute(), 2.0 * X)


def test_generated_code_of_srcgrad_is_not_mistaken_for_blocks():
    """A traced loss is one function among others."""
    traced = srcgrad.trace(logistic)
    found = value_and_grad(traced, data=(x, y), reduce="sum")(W)
    assert found[0] == pytest.approx(logistic(W, X, Y), rel=1e-13)
