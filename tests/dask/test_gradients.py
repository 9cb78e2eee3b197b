"""Gradients of all data: the same numbers as those of the data at once."""

import threading

import dask
import dask.array
import distributed
import numpy as np
import pytest
from scipy.optimize import minimize

import srcgrad
from srcgrad.dask import hvp, jacobian, value_and_grad
from tests.dask.losses import W, X, Y, logistic, mean_square, square, until
from tests.telling import in_full

x = dask.array.from_array(X, chunks=(10, 3))
y = dask.array.from_array(Y, chunks=10)
w = W["w"]


def assert_close(found, expected):
    leaves, structure = srcgrad.pytree.flatten(found)
    others, other = srcgrad.pytree.flatten(expected)
    assert structure == other
    for one, another in zip(leaves, others, strict=True):
        assert type(one) is type(another)
        np.testing.assert_allclose(one, another, rtol=1e-12)


@pytest.mark.parametrize("scheduler", ["threads", "sync", "processes"])
def test_it_is_that_of_all_data_without_a_cluster(scheduler):
    with dask.config.set(scheduler=scheduler, num_workers=1):
        found = value_and_grad(logistic, data=(x, y))(W)
    assert_close(found, srcgrad.value_and_grad(logistic)(W, X, Y))


@pytest.mark.filterwarnings("ignore:Running on a single-machine:UserWarning")
def test_all_schedulers_give_the_same_bits(client):
    of_all = value_and_grad(logistic, data=(x, y))
    first = of_all(W)
    for scheduler in ("threads", "sync", client):
        with dask.config.set(scheduler=scheduler):
            again = of_all(W)
        assert again[0] == first[0]
        assert again[1]["w"].tolist() == first[1]["w"].tolist()
    again = value_and_grad(logistic, data=(x.persist(), y.persist()))(W)
    assert again[1]["w"].tolist() == first[1]["w"].tolist()


def test_the_mean_is_weighted_by_rows(client):
    of_all = value_and_grad(mean_square, data=x, reduce="mean")
    assert_close(of_all(w), srcgrad.value_and_grad(mean_square)(w, X))
    some = of_all(w, blocks=[5, 1])
    rows = np.concatenate([X[50:], X[10:20]])
    assert_close(some, srcgrad.value_and_grad(mean_square)(w, rows))


PARAMETERS = {
    "an array": (w, lambda p, x: np.sum((x @ p) ** 2)),
    "single precision": (w.astype(np.float32), lambda p, x: np.sum((x @ p) ** 2)),
    "a number": (0.5, lambda p, x: np.sum((x * p) ** 2)),
    "a tuple": ((w, 0.5), lambda p, x: np.sum((x @ p[0] + p[1]) ** 2)),
    "a list": ([w, np.float32(0.5)], lambda p, x: np.sum((x @ p[0] * p[1]) ** 2)),
    "a dict in a dict": (
        {"inner": {"w": w, "none": None}, "b": np.array(0.5)},
        lambda p, x: np.sum((x @ p["inner"]["w"] * p["b"]) ** 2),
    ),
    "complex": (w + 0.5j, lambda p, x: np.sum(np.abs(x @ p) ** 2)),
    "an array of one element for a value": (
        w,
        lambda p, x: np.sum(x * p, keepdims=True),
    ),
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_gradients_are_of_the_kind_of_the_parameters(name):
    p, loss = PARAMETERS[name]
    value, gradient = value_and_grad(loss, data=x)(p)
    expected = srcgrad.value_and_grad(loss)(p, X)
    assert type(value) is np.float64
    assert value == pytest.approx(np.reshape(expected[0], ()), rel=1e-6)
    for one, another in zip(
        srcgrad.pytree.flatten(gradient)[0],
        srcgrad.pytree.flatten(expected[1])[0],
        strict=True,
    ):
        assert type(one) is type(another)
        if one is not None:
            assert np.result_type(one) == np.result_type(another)
            np.testing.assert_allclose(one, another, rtol=1e-5)


def test_single_precision_is_summed_in_double():
    data = np.full((40, 1), 0.1, np.float32)
    blocks = dask.array.from_array(data, chunks=(1, 1))
    value, _ = value_and_grad(lambda w, x: np.sum(x * w), data=blocks)(np.float32(1.0))
    assert value == 40 * float(np.float32(0.1))


def test_hessian_vector_products(client):
    of_all = hvp(logistic, data=(x, y))
    v = {"w": np.array([1.0, 2.0, -1.0]), "b": 0.5}
    assert_close(of_all(W, v), srcgrad.hvp(lambda w: logistic(w, X, Y), W, v))
    pair = hvp(lambda p, x: np.sum((x @ p[0] + p[1]) ** 4), data=x)
    expected = srcgrad.hvp(lambda w, b: np.sum((X @ w + b) ** 4), (w, 0.5), (w, 1.0))
    assert_close(pair((w, 0.5), (w, 1.0)), expected)


def test_it_fits_scipys_minimize(client):
    data = {"data": x, "reduce": "mean"}
    found = minimize(
        value_and_grad(mean_square, **data),
        np.zeros(3),
        jac=True,
        hessp=hvp(mean_square, **data),
        method="Newton-CG",
        options={"xtol": 1e-10},
    )
    np.testing.assert_allclose(found.x, np.linalg.lstsq(X, np.ones(57))[0], rtol=1e-6)


def test_further_arguments_go_to_the_loss(client):
    def loss(w, rate, power, x):
        return rate * np.sum((x @ w) ** power)

    of_all = value_and_grad(loss, data=x)
    product = hvp(loss, data=x)
    for further in ((0.5, 2), (0.25, 2), (0.5, 3)):
        expected = srcgrad.value_and_grad(loss)(w, *further, X)
        assert_close(of_all(w, *further), expected)
        along = srcgrad.hvp(lambda w, f=further: loss(w, *f, X), w, w)
        assert_close(product(w, w, *further), along)


def test_steps_along_random_blocks():
    blocks = dask.array.from_array(np.tile(X, (4, 1)), chunks=(57, 3))
    of_blocks = value_and_grad(mean_square, data=blocks, reduce="mean")
    rng, p = np.random.default_rng(0), np.zeros(3)
    for _ in range(300):
        _, gradient = of_blocks(p, blocks=rng.integers(of_blocks.npartitions, size=2))
        p = p - 0.1 * gradient
    np.testing.assert_allclose(p, np.linalg.lstsq(X, np.ones(57))[0], rtol=1e-6)


def test_what_is_sent_goes_to_each_worker_once(client):
    def received(dask_worker):
        return [
            key
            for each in dask_worker.transfer_incoming_log
            for key in each["keys"]
            if str(key).startswith("unpickled-")
        ]

    of_all = value_and_grad(square, data=dask.array.concatenate([x] * 10))
    of_all(w)
    found = client.run(received).values()
    assert any(found)
    assert all(len(keys) == len(set(keys)) for keys in found)


def test_nothing_is_left_behind(client):
    def left(dask_scheduler):
        return len(dask_scheduler.tasks)

    of_all = value_and_grad(logistic, data=(x, y))
    of_all(W)
    until(lambda: not client.futures)
    until(lambda: client.run_on_scheduler(left) == 0)


def test_what_is_persisted_stays_with_the_gradient(client):
    of_all = value_and_grad(square, data=(x + 0.0).persist())
    rows = jacobian(lambda w, x: x @ w, data=(x * 2.0).persist())(w)
    assert len(client.futures) == 12
    assert_close(of_all(w), srcgrad.value_and_grad(square)(w, X))
    np.testing.assert_array_equal(rows.compute(), 2.0 * X)
    del of_all, rows
    until(lambda: not client.futures)


def test_large_parameters(client):
    """Of more bytes than Dask likes to see in a graph."""
    p = np.linspace(0.0, 1.0, 1_500_000)
    blocks = dask.array.ones((4, 2), chunks=(1, 2))
    value, gradient = value_and_grad(
        lambda p, x: np.sum(p * p) * np.sum(x), data=blocks
    )(p)
    assert value == pytest.approx(8.0 * np.sum(p * p))
    np.testing.assert_allclose(gradient, 16.0 * p)


def test_threads_may_call_at_once(client):
    of_all = value_and_grad(logistic, data=(x, y))
    found = [None] * 4

    def call(k):
        with dask.config.set(scheduler=client):
            found[k] = of_all({"w": w * k, "b": 0.0})[0]

    threads = [threading.Thread(target=call, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = [logistic({"w": w * k, "b": 0.0}, X, Y) for k in range(4)]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_cluster_over_tcp_with_workers_of_its_own():
    workers = {
        k: {"cls": distributed.Worker, "options": {"nthreads": 1}} for k in range(2)
    }
    scheduler = {
        "cls": distributed.Scheduler,
        "options": {"dashboard_address": ":0", "host": "127.0.0.1", "port": 0},
    }
    with (
        distributed.SpecCluster(workers=workers, scheduler=scheduler) as cluster,
        distributed.Client(cluster),
    ):
        assert cluster.scheduler_address.startswith("tcp://127.0.0.1")
        found = value_and_grad(logistic, data=(x, y))(W)
    assert_close(found, srcgrad.value_and_grad(logistic)(W, X, Y))


# ----- What is refused -----


def test_a_value_that_is_not_one_number():
    with pytest.raises(TypeError, match="must return one real number") as caught:
        value_and_grad(lambda w, x: x @ w, data=x)(w)
    assert "in block 0 of 6" in in_full(caught.value)


def test_parameters_that_have_no_gradient(client):
    of_all = value_and_grad(square, data=x)
    with pytest.raises(TypeError, match="but got dtype int64"):
        of_all(np.ones(3, int))
    with pytest.raises(TypeError, match="is not differentiated again"):
        srcgrad.grad(lambda w: of_all(w)[0])(w)


@pytest.mark.parametrize("blocks", [[], [6], [-1]], ids=str)
def test_blocks_that_are_not_there(blocks):
    with pytest.raises(ValueError, match="blocks has numbers of 0 to 5"):
        value_and_grad(square, data=x)(w, blocks=blocks)


@pytest.mark.parametrize("kind", [list, np.array])
def test_a_mask_of_blocks(kind):
    with pytest.raises(TypeError, match="but got booleans") as caught:
        value_and_grad(square, data=x)(w, blocks=kind([False] * 5 + [True]))
    assert "np.flatnonzero(mask)" in in_full(caught.value)


def test_a_product_needs_a_vector():
    with pytest.raises(TypeError, match=r"missing 1 required .*'vector'"):
        hvp(square, data=x)(w)


def test_another_way_to_reduce():
    with pytest.raises(ValueError, match='reduce is "sum" or "mean"'):
        value_and_grad(square, data=x, reduce="max")


def test_its_repr_names_the_loss():
    assert repr(value_and_grad(square, data=x)) == "<square over 6 blocks>"
