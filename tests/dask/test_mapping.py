"""Many gradients, on Dask, joblib, and pools."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import dask
import joblib
import numpy as np
import pytest
from joblib.externals.loky import get_reusable_executor

import srcgrad
import srcgrad.dask
from tests.dask.losses import until
from tests.telling import in_full

# Pytest's own processes have threads.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")

power = 3.0
slope = srcgrad.grad(lambda w, k: np.sum(w**power) * k)
ARGUMENTS = [(np.arange(3.0), float(k)) for k in range(300)]
EXPECTED = [slope(*each) for each in ARGUMENTS]


class Bar:
    """What is called like ``tqdm``."""

    def __init__(self, total):
        self.total, self.count, self.is_closed = total, 0, False
        Bar.last = self

    def update(self, count):
        self.count += count

    def close(self):
        self.is_closed = True


def assert_maps(executor):
    found = srcgrad.dask.map(
        slope, iter(ARGUMENTS), executor=executor, batch_size=50, progress=Bar
    )
    np.testing.assert_array_equal(found, EXPECTED)
    assert (Bar.last.total, Bar.last.count, Bar.last.is_closed) == (6, 6, True)

    def inverse(k):
        return 1.0 / (k - 130)

    with pytest.raises(ZeroDivisionError) as caught:
        srcgrad.dask.map(inverse, range(300), executor=executor)
    assert in_full(caught.value).endswith("in call 130 of srcgrad.dask.map")
    assert srcgrad.dask.map(inverse, [], executor=executor) == []


def test_on_a_cluster(client):
    assert_maps(None)
    assert_maps(client)
    until(lambda: not client.futures)


@pytest.mark.parametrize("scheduler", ["threads", "sync"])
def test_on_dask_without_a_cluster(scheduler):
    with dask.config.set(scheduler=scheduler):
        assert_maps(None)


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_on_a_pool(kind):
    with kind(2) as pool:
        assert_maps(pool)


def test_on_joblib():
    try:
        assert_maps(joblib.Parallel(n_jobs=2))
    finally:
        get_reusable_executor().shutdown(wait=True)


class Two(Exception):  # noqa: N818
    """What can be pickled, but not back."""

    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


def raises_two(number):
    raise Two(1, number)


def test_an_error_that_does_not_come_back_from_a_pool():
    for pool in (ProcessPoolExecutor(1), get_reusable_executor(1)):
        with pool, pytest.raises(RuntimeError, match="Two: 1 and 5") as caught:
            srcgrad.dask.map(raises_two, [5], executor=pool)
        assert "in call 0 of srcgrad.dask.map" in in_full(caught.value)
    with ThreadPoolExecutor(1) as pool, pytest.raises(Two):
        srcgrad.dask.map(raises_two, [5], executor=pool)


@pytest.mark.parametrize("progress", [True, Bar(3)], ids=["True", "a bar"])
def test_what_makes_no_bar(progress):
    with pytest.raises(TypeError, match="progress makes a bar, but got") as caught:
        srcgrad.dask.map(slope, ARGUMENTS, progress=progress)
    assert "progress=tqdm.tqdm" in in_full(caught.value)


def test_batches_of_no_call():
    with pytest.raises(ValueError, match="batch_size is 1 or more, but got -1"):
        srcgrad.dask.map(slope, ARGUMENTS, batch_size=-1)


def test_what_is_no_executor():
    with pytest.raises(TypeError, match="executor is a pool, but got int") as caught:
        srcgrad.dask.map(slope, ARGUMENTS, executor=2)
    assert "joblib.Parallel(n_jobs=2)" in in_full(caught.value)
