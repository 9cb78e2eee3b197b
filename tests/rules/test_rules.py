"""What holds for every sample of a rule: values, gradients, and traced calls."""

import itertools

import numpy as np
import pytest

import srcgrad
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.pytree import flatten
from srcgrad.tape.variable import Variable
from tests.rules.suite import (
    BY_NAME,
    FIRST,
    along_lines,
    as_user_code,
    assert_equal_leaves,
    assert_same,
    check_samples,
    gradients,
    in_turn,
    is_deep,
    mixed_gradients,
    one_in_turn,
    raw,
    results,
    rng_of,
    run_and_differentiate,
    takes,
)

# Each with how far a gradient may be from that in double precision.
DTYPES = {"f2": 3e-2, "f4": 1e-3, "c8": 1e-3, ">f8": 1e-12, ">f4": 1e-3, ">c16": 1e-12}


def strided(array):
    wide = np.zeros([2 * n for n in array.shape])
    return filled(wide[(slice(None, None, 2),) * array.ndim or ...], array)


def backwards(array):
    index = (slice(None, None, -1),) * array.ndim or ...
    return filled(np.empty(array.shape)[index], array)


def filled(array, values):
    array[...] = values
    return array


def read_only(array):
    array = np.array(array)
    array.flags.writeable = False
    return array


LAYOUTS = (lambda array: np.array(array, order="F"), strided, backwards, read_only)


# ----- The properties -----
def doubles(sample):
    """Its dtypes that differences can be taken in."""
    return [dtype for dtype in sample.dtypes if dtype is not np.float32]


def values_are_numpys(sample, config):
    """Its values and dtypes; and what shares memory shares a version."""
    for dtype in sample.dtypes:
        function, arrays = sample.problem(rng_of(sample), dtype)
        expected = flatten(function(*arrays))[0]
        variables = [Variable(array, requires_grad=True) for array in arrays]
        outs = results(function, variables)
        assert len(outs) == len(expected)
        for out, numpy in zip(outs, expected, strict=True):
            assert_same(raw(out), numpy, 1e-12 if dtype is not np.float32 else 1e-5)
        known = [v for v in (*variables, *outs) if isinstance(v, Variable)]
        for one, other in itertools.combinations(known, 2):
            if np.shares_memory(one.data, other.data):
                assert one.own_storage() is other.own_storage()


def gradients_are_differences(sample, config):
    for dtype in in_turn(sample, doubles(sample), config):
        function, arrays = sample.problem(rng_of(sample), dtype)
        if is_deep(config) or sum(map(np.size, arrays)) <= 12:
            assert gradcheck(function, tuple(arrays))
        else:
            assert gradcheck(*along_lines(function, arrays), rtol=1e-4)


def gradients_of_gradients_are_differences(sample, config):
    for dtype in one_in_turn(sample, doubles(sample), config):
        function, arrays = sample.problem(rng_of(sample), dtype)
        if is_deep(config) and sample.second_order:
            assert gradgradcheck(function, tuple(arrays))
        elif sample.second_order:
            assert gradgradcheck(*along_lines(function, arrays, count=1))


def complex_gradients_are_differences(sample, config):
    """Where NumPy takes complex numbers: in all arguments, in one of several."""
    function, arrays = sample.problem(rng_of(sample), np.complex128)
    each = range(len(arrays)) if len(arrays) > 1 else ()
    mixed = [[array.real for array in arrays] for _ in each]
    for number, mixture in zip(each, mixed, strict=True):
        mixture[number] = arrays[number]
    if np.complex128 not in sample.dtypes:
        mixed.append(arrays)
    for mixture in mixed if not sample.only_real else ():
        if takes(function, mixture):
            with np.errstate(all="ignore"):
                assert gradcheck(*along_lines(function, mixture), rtol=1e-4)


def gradients_have_the_dtype(sample, config):
    """It has the dtype of its argument, byte order included."""
    tolerances = dict(DTYPES)
    if np.float32 in sample.dtypes:
        tolerances["f4"] = sample.tolerance
    one = one_in_turn(sample, [*DTYPES], config)
    for name in {"f4", *one} if sample.id in FIRST else one:
        dtype, tolerance = np.dtype(name), tolerances[name]
        function, arrays = sample.problem(rng_of(sample), dtype)
        is_foreign = sample.only_native and not dtype.isnative
        if is_foreign or not takes(function, arrays):
            continue
        wide = np.dtype("c16" if dtype.kind == "c" else "f8")
        with np.errstate(all="ignore"):
            found = gradients(function, arrays)[1]
            expected = gradients(function, [a.astype(wide) for a in arrays])[1]
        for ours, theirs in zip(found, expected, strict=True):
            assert (ours is None) == (theirs is None)
            if ours is not None:
                assert ours.dtype == dtype
                assert_same(ours.astype(wide), theirs, tolerance)


def gradients_are_the_same_in_each_layout_and_of_each_subset(sample, config):
    """The other arguments are plain ndarrays; none is lost without an error."""
    function, arrays = sample.problem(rng_of(sample), np.float64)
    whole = gradients(function, arrays)
    for lay_out in one_in_turn(sample, LAYOUTS, config):
        found = gradients(function, [lay_out(array) for array in arrays])
        assert_equal_leaves(flatten(found)[0], flatten(whole)[0], 1e-12)
    for chosen in subsets(len(arrays)) if 1 < len(arrays) < 5 else ():
        found = mixed_gradients(function, arrays, chosen)
        if found is not None:
            wanted = list(itertools.compress(whole[1], chosen))
            assert_equal_leaves(found, wanted, 1e-12)


def subsets(count):
    """Which of so many there are: some, and not all of them."""
    every = itertools.product((False, True), repeat=count)
    return [chosen for chosen in every if any(chosen) and not all(chosen)]


def traces_are_the_tape(sample, config):
    """The first call, which records, and later ones, with other values."""
    for dtype in one_in_turn(sample, sample.dtypes, config):
        program = as_user_code(sample.operation)
        traced = srcgrad.trace(as_user_code(sample.call or sample.function))
        rtol = 1e-9 if dtype is not np.float32 else sample.tolerance
        for seed, calls in ((1, 2), (2, 1)):
            by_tape = run_and_differentiate(program, sample, seed, dtype)
            for _ in range(calls):
                ours = run_and_differentiate(traced, sample, seed, dtype)
                for found, expected in zip(ours, by_tape, strict=True):
                    assert_equal_leaves(found, expected, rtol)
        if sample.call is None:  # nothing but the function itself: no reason to refuse
            assert traced.stats.compiled, traced.explain()


# Each with what CI takes: all samples, or the firsts and a third (``check_samples``).
CHECKS = {
    values_are_numpys: None,
    gradients_are_differences: None,
    gradients_of_gradients_are_differences: 0,
    traces_are_the_tape: 1,
    gradients_have_the_dtype: 1,
    complex_gradients_are_differences: 2,
    gradients_are_the_same_in_each_layout_and_of_each_subset: 2,
}


@pytest.mark.deep
@pytest.mark.parametrize("name", BY_NAME)
def test_samples(name, pytestconfig):
    for check, third in CHECKS.items():
        check_samples(name, check, third, pytestconfig)
