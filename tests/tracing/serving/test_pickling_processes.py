"""Functions in other processes: each compiles its own, and gives the same."""

import functools
import multiprocessing
import pickle

import cloudpickle
import dask
import joblib
import numpy as np
import pytest
from joblib.externals.loky import get_reusable_executor

import srcgrad
from srcgrad.pytree import flatten
from tests.parallel_programs import CALLS, ERRORS, W, error_of, leaf, no_leaf, run

# Pytest's own processes have threads.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")


def assert_same(found, call):
    leaves, structure = flatten(found)
    expected, other = flatten(run(call))
    assert structure == other
    for leaf_found, leaf_expected in zip(leaves, expected, strict=True):
        np.testing.assert_array_equal(leaf_found, leaf_expected, strict=True)


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_functions_with_names_go_to_processes(method):
    for call in CALLS.values():
        run(call)  # what is compiled here is no hindrance
    with multiprocessing.get_context(method).Pool(1) as pool:
        results = pool.map(run, CALLS.values(), chunksize=1)
        errors = pool.map(error_of, ERRORS.values())
        made = pool.apply(leaf)
        with pytest.raises(multiprocessing.pool.MaybeEncodingError, match="detach"):
            pool.apply(no_leaf)
    for call, found in zip(CALLS.values(), results, strict=True):
        assert_same(found, call)
    for call, error in zip(ERRORS.values(), errors, strict=True):
        expected = error_of(call)
        assert isinstance(expected, Exception)
        assert type(error) is type(expected)
        assert str(error) == str(expected)
    assert made.requires_grad
    assert made.data.tolist() == W.tolist()


# ----- Lambdas, functions in functions, classes in functions -----


def without_names():
    factor = 2.5

    def scaled(w):
        return factor * np.sum(w**4)

    class Model:
        stiffness = 3.0

        @srcgrad.trace
        def energy(self, w):
            return self.stiffness * np.sum(w**2)

        def work(self, w):
            return self.stiffness * np.sum(w)

    return {
        "a traced lambda": (srcgrad.trace(lambda w: np.sum(w**4)), W),
        "its gradient": (srcgrad.grad(lambda w: np.sum(w**4)), W),
        "a traced function in another": (srcgrad.trace(scaled), W),
        "its hessian": (srcgrad.hessian(scaled), W),
        "hvp": (functools.partial(srcgrad.hvp, scaled), W, W),
        "over a batch": (srcgrad.vmap(lambda w: factor * w**2), W),
        "a method of a class in it": (Model().energy, W),
        "its gradient as a method": (srcgrad.grad(Model().work), W),
    }


def test_plain_pickle_names_what_it_cannot_find():
    for function, *_ in without_names().values():
        with pytest.raises((pickle.PicklingError, AttributeError), match=r"[Cc]an't"):
            pickle.dumps(function)


def test_cloudpickle_takes_what_has_no_name():
    for call in without_names().values():
        run(call)
        function = pickle.loads(cloudpickle.dumps(call[0]))
        assert_same([function(*call[1:]) for _ in range(2)], call)


def test_joblib_takes_them_to_its_processes():
    calls = [*without_names().values(), *CALLS.values()]
    try:
        found = joblib.Parallel(n_jobs=2)(joblib.delayed(run)(call) for call in calls)
    finally:
        get_reusable_executor().shutdown(wait=True)
    for call, results in zip(calls, found, strict=True):
        assert_same(results, call)


@pytest.mark.parametrize("scheduler", ["threads", "processes"])
def test_dask_takes_them(scheduler):
    calls = [*without_names().values(), *CALLS.values()]
    tasks = [dask.delayed(call[0], pure=True)(*call[1:]) for call in calls]
    found = dask.compute(*tasks, scheduler=scheduler, num_workers=1)
    for call, result in zip(calls, found, strict=True):
        assert_same([result, result], call)
