"""What holds for every sample of a rule: values, gradients, and traced calls."""

import itertools

import numpy as np
import pytest

import srcgrad
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.pytree import flatten
from srcgrad.tape.variable import Variable
from tests.rules.suite import (
    along_lines,
    as_user_code,
    assert_equal_leaves,
    assert_same,
    gradients,
    in_turn,
    mixed_gradients,
    raw,
    results,
    rng_of,
    run_and_differentiate,
    takes,
)
from tests.samples import SAMPLES

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


class TestSamples:
    """A test that asks for ``sample`` runs on each; for ``dtype``, with each of its.

    ``double`` is a dtype that differences can be taken in, ``turn`` one in turn.
    """

    def pytest_generate_tests(self, metafunc):
        params = "sample", "dtype", "double", "turn"
        names = [name for name in metafunc.fixturenames if name in params]
        rows = []
        for sample in SAMPLES:
            dtypes = sample.dtypes
            if names == ["sample"]:
                rows.append(pytest.param(sample, id=sample.id))
                continue
            if "turn" in names:
                dtypes = in_turn(sample, dtypes, metafunc.config)
            for dtype in dtypes:
                if "double" not in names or dtype is not np.float32:
                    name = f"{sample.id}-{dtype.__name__}"
                    rows.append(pytest.param(sample, dtype, id=name))
        metafunc.parametrize(names, rows)

    def test_forward_is_numpy(self, sample, dtype):
        """Its values and dtypes; and what shares memory shares a version."""
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

    def test_gradcheck(self, sample, double, pytestconfig):
        function, arrays = sample.problem(rng_of(sample), double)
        if pytestconfig.getoption("--deep") > 1 or sum(map(np.size, arrays)) <= 24:
            assert gradcheck(function, tuple(arrays))
        else:
            assert gradcheck(*along_lines(function, arrays), rtol=1e-4)

    def test_gradgradcheck(self, sample, double, pytestconfig):
        if not sample.second_order:
            pytest.skip("differentiable once")
        function, arrays = sample.problem(rng_of(sample), double)
        if pytestconfig.getoption("--deep") > 1 or sum(map(np.size, arrays)) <= 6:
            assert gradgradcheck(function, tuple(arrays))
        else:
            assert gradgradcheck(*along_lines(function, arrays, count=1))

    def test_float32_gradient(self, sample):
        if np.float32 not in sample.dtypes:
            pytest.skip("complex only")
        function, arrays = sample.problem(rng_of(sample), np.float32)
        single = gradients(function, arrays)[1]
        double = gradients(function, [array.astype(np.float64) for array in arrays])[1]
        for found, expected in zip(single, double, strict=True):
            assert (found is None) == (expected is None)
            if found is not None:
                assert found.dtype == np.float32
                assert_same(found.astype(np.float64), expected, sample.tolerance)

    def test_complex_gradcheck(self, sample):
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
                    assert gradcheck(function, tuple(mixture))

    def test_gradient_in_every_dtype(self, sample, pytestconfig):
        """It has the dtype of its argument, byte order included."""
        for name, tolerance in in_turn(sample, [*DTYPES.items()], pytestconfig):
            dtype = np.dtype(name)
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

    def test_gradient_in_every_layout_and_of_every_subset(self, sample, pytestconfig):
        """The other arguments are plain ndarrays; none is lost without an error."""
        function, arrays = sample.problem(rng_of(sample), np.float64)
        whole = gradients(function, arrays)
        for lay_out in in_turn(sample, LAYOUTS, pytestconfig):
            found = gradients(function, [lay_out(array) for array in arrays])
            assert_equal_leaves(flatten(found)[0], flatten(whole)[0], 1e-12)
        if not 1 < len(arrays) < 5:
            return
        expected = whole[1]
        for chosen in itertools.product((False, True), repeat=len(arrays)):
            if any(chosen) and not all(chosen):
                found = mixed_gradients(function, arrays, chosen)
                if found is not None:
                    wanted = list(itertools.compress(expected, chosen))
                    assert_equal_leaves(found, wanted, 1e-12)

    def test_traced_is_untraced(self, sample, turn):
        """The first call, which records, and later ones, with other values."""
        program = as_user_code(sample.operation)
        traced = srcgrad.trace(as_user_code(sample.call or sample.function))
        rtol = 1e-9 if turn is not np.float32 else sample.tolerance
        for seed in (1, 1, 2, 3):
            tape, ours = (
                run_and_differentiate(
                    function, sample, np.random.default_rng(seed), turn
                )
                for function in (program, traced)
            )
            for found, expected in zip(ours, tape, strict=True):
                assert_equal_leaves(found, expected, rtol)
        if sample.call is None:  # nothing but the function itself: no reason to refuse
            assert traced.stats.compiled, traced.explain()
