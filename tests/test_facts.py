"""The tables of facts about NumPy, held against NumPy itself."""

import contextlib
import operator
import os
import warnings

import numpy as np
import pytest

from srcgrad.facts import (
    SOMETIMES_VIEWS,
    STEPS,
    VIEWS,
    WHOLE_VIEWS,
    is_elementwise,
    is_pure,
    may_view,
)

ARRAYS = [
    np.ones((2, 3)),
    np.ones((3, 3)),
    np.ones((1, 2, 2)),
    np.ones(4),
    np.ones((2, 2), complex),
    np.array(2.0),
]
# Arguments that go with many functions, in the hope that each accepts some of them.
FURTHER = [(), (0,), (1,), (-1,), (0, 1), ((0,),), ((),), (None,), (None, 0), (2, 2)]
# These are no functions of an array, or set how NumPy behaves, or write to the screen.
NOT_TRIED = {"show_config", "show_runtime", "info", "test", "from_dlpack", "frombuffer"}
NOT_TRIED |= {"seterr", "seterrcall", "setbufsize", "set_printoptions"}

MODULES = {"np": np, "np.linalg": np.linalg, "np.fft": np.fft}
FUNCTIONS = {
    f"{prefix}.{name}": function
    for prefix, module in MODULES.items()
    for name in sorted(set(dir(module)) - NOT_TRIED)
    if callable(function := getattr(module, name))
    and not name.startswith("_")
    and not isinstance(function, type)
}


def results_of(function):
    """What a function makes of some arrays, each with the array."""
    for array in ARRAYS:
        for further in FURTHER:
            own = array.copy()
            with contextlib.suppress(Exception):
                out = function(own, *further)
                for result in out if isinstance(out, tuple | list) else (out,):
                    if isinstance(result, np.ndarray):
                        yield own, result


@pytest.fixture(autouse=True)
def _quiet(tmp_path):
    before = os.getcwd()
    os.chdir(tmp_path)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    os.chdir(before)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_said_to_be_new_is_new(name):
    function = FUNCTIONS[name]
    if is_pure(function) and not may_view(function):
        for own, result in results_of(function):
            assert not np.shares_memory(own, result)
            assert result.flags.writeable


@pytest.mark.parametrize("name", [n for n, f in FUNCTIONS.items() if f in WHOLE_VIEWS])
def test_whole_views_are_whole_and_writable(name):
    for own, result in results_of(FUNCTIONS[name]):
        if np.shares_memory(own, result):  # np.atleast_1d takes several arguments
            assert result.size == own.size
            assert result.flags.writeable


def test_tables_do_not_overlap():
    assert not VIEWS & SOMETIMES_VIEWS
    assert WHOLE_VIEWS < VIEWS
    assert all(map(may_view, VIEWS | SOMETIMES_VIEWS))
    assert all(map(is_pure, VIEWS | SOMETIMES_VIEWS | STEPS))


def test_functions_of_ufuncs():
    assert is_pure(np.add.reduce)
    assert not may_view(np.add.reduce)
    assert not is_pure(np.add.at)
    double = np.frompyfunc(lambda x: 2.0 * x, 1, 1)
    assert not is_pure(double)
    assert may_view(double)
    assert is_elementwise(double)
    assert not is_elementwise(np.sum)


def test_random_draws_and_unknown_functions_are_not_pure():
    generator = np.random.default_rng(0)
    for function in (generator.normal, np.random.rand, print, lambda x: x, np.copyto):
        assert not is_pure(function)
    assert is_pure(operator.getitem)
