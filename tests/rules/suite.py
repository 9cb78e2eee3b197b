"""What holds for every sample of a rule: values, gradients, and traced calls.

A chapter's tests run it on the chapter's samples:

    class TestSamples(RuleSuite):
        samples = SAMPLES
"""

import itertools
import zlib

import numpy as np
import pytest

import srcgrad
import srcgrad.autograd
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.pytree import flatten
from srcgrad.tape.variable import Variable

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


class RuleSuite:
    """A test that asks for ``sample`` runs on each; for ``dtype``, with each of its.

    ``double`` is a dtype that differences can be taken in.
    """

    samples = ()

    def pytest_generate_tests(self, metafunc):
        names = [n for n in metafunc.fixturenames if n in ("sample", "dtype", "double")]
        rows = []
        for sample in self.samples:
            if names == ["sample"]:
                rows.append(pytest.param(sample, id=sample.id))
                continue
            for dtype in sample.dtypes:
                if "double" not in names or dtype is not np.float32:
                    name = f"{sample.id}-{dtype.__name__}"
                    rows.append(pytest.param(sample, dtype, id=name))
        metafunc.parametrize(names, rows)

    def test_forward_is_numpy(self, sample, dtype):
        function, arrays = sample.problem(rng_of(sample), dtype)
        expected = flatten(function(*arrays))[0]
        variables = [Variable(array, requires_grad=True) for array in arrays]
        found = [raw(out) for out in results(function, variables)]
        assert len(found) == len(expected)
        for out, numpy in zip(found, expected, strict=True):
            assert_same(out, numpy, 1e-12 if dtype is not np.float32 else 1e-5)

    def test_gradcheck(self, sample, double):
        function, arrays = sample.problem(rng_of(sample), double)
        assert gradcheck(function, tuple(arrays))

    def test_gradgradcheck(self, sample, double):
        if not sample.second_order:
            pytest.skip("differentiable once")
        function, arrays = sample.problem(rng_of(sample), double)
        assert gradgradcheck(function, tuple(arrays))

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

    def test_gradient_in_every_dtype(self, sample):
        """It has the dtype of its argument, byte order included."""
        for name, tolerance in DTYPES.items():
            dtype = np.dtype(name)
            function, arrays = sample.problem(rng_of(sample), dtype)
            if not takes(function, arrays):
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

    def test_gradient_in_every_layout(self, sample):
        function, arrays = sample.problem(rng_of(sample), np.float64)
        expected = gradients(function, arrays)
        for lay_out in LAYOUTS:
            found = gradients(function, [lay_out(array) for array in arrays])
            assert_equal_leaves(flatten(found)[0], flatten(expected)[0], 1e-12)

    def test_gradient_of_every_subset(self, sample):
        """The other arguments are plain ndarrays; none is lost without an error."""
        function, arrays = sample.problem(rng_of(sample), np.float64)
        if not 1 < len(arrays) < 5:
            return
        expected = gradients(function, arrays)[1]
        for chosen in itertools.product((False, True), repeat=len(arrays)):
            if any(chosen) and not all(chosen):
                found = mixed_gradients(function, arrays, chosen)
                if found is not None:
                    wanted = list(itertools.compress(expected, chosen))
                    assert_equal_leaves(found, wanted, 1e-12)

    def test_what_shares_memory_shares_a_version(self, sample):
        function, arrays = sample.problem(rng_of(sample), np.float64)
        variables = [Variable(array, requires_grad=True) for array in arrays]
        known = list(variables)
        for out in results(function, variables):
            if isinstance(out, Variable):
                for other in known:
                    if np.shares_memory(out.data, other.data):
                        assert out.own_storage() is other.own_storage()
                known.append(out)

    def test_traced_is_untraced(self, sample, dtype):
        """The first call, which records, and later ones, with other values."""
        program = as_user_code(sample)
        traced = srcgrad.trace(program)
        rtol = 1e-9 if dtype is not np.float32 else sample.tolerance
        for seed in (1, 1, 2, 3):
            tape, ours = (
                run_and_differentiate(
                    function, sample, np.random.default_rng(seed), dtype
                )
                for function in (program, traced)
            )
            for found, expected in zip(ours, tape, strict=True):
                assert_equal_leaves(found, expected, rtol)
        if sample.call is None:  # nothing but the function itself: no reason to refuse
            assert traced.stats.compiled, traced.explain()


def rng_of(sample):
    """The same numbers at every run, and others for every sample."""
    return np.random.default_rng(zlib.crc32(sample.id.encode()))


def results(function, variables):
    """What a function gives, as a flat list."""
    return flatten(function(*variables))[0]


def gradients(function, arrays):
    """The results as ndarrays, and the gradients of a weighted sum of them."""
    variables = [Variable(array, requires_grad=True) for array in arrays]
    outs = results(function, variables)
    live = [out for out in outs if getattr(out, "requires_grad", False)]
    cotangents = cotangents_of(live)
    found = srcgrad.autograd.grad(live, variables, cotangents, allow_unused=True)
    return [raw(out) for out in outs], [None if g is None else g.data for g in found]


def takes(function, arrays):
    """Whether NumPy itself can make floats or complex numbers of the arrays."""
    try:
        with np.errstate(all="ignore"):
            outs = flatten(function(*arrays))[0]
    except (TypeError, ValueError, np.exceptions.ComplexWarning):
        return False
    return bool(arrays) and any(np.result_type(out).kind in "fc" for out in outs)


def mixed_gradients(function, arrays, chosen):
    """The gradients in some of the arrays; None if the call is refused."""
    mixed = [
        Variable(array, requires_grad=True) if is_chosen else array
        for array, is_chosen in zip(arrays, chosen, strict=True)
    ]
    variables = list(itertools.compress(mixed, chosen))
    try:
        outs = results(function, mixed)
    except (TypeError, ValueError) as error:
        if "Variable" in f"{error} {error.__cause__}":  # it is refused for that
            return None
        raise
    live = [out for out in outs if getattr(out, "requires_grad", False)]
    found = srcgrad.autograd.grad(
        live, variables, cotangents_of(live), allow_unused=True
    )
    return [None if g is None else g.data for g in found]


def cotangents_of(outs):
    rng = np.random.default_rng(0)
    return [
        np.asarray(rng.uniform(0.5, 1.5, out.shape)).astype(out.dtype) for out in outs
    ]


def raw(out):
    return out.data if isinstance(out, Variable) else out


def assert_same(found, expected, rtol):
    """The same dtype and shape, and numbers as close as rounding allows."""
    assert np.shape(found) == np.shape(expected)
    assert np.result_type(found) == np.result_type(expected)
    scale = np.max(np.abs(expected), initial=1.0, where=np.isfinite(expected))
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * scale)


def as_user_code(sample):
    """The call as a function in a user's program, all that it uses being arguments."""
    function = sample.called

    def program(*args, **kwargs):
        return function(*args, **kwargs)

    return program


def run_and_differentiate(program, sample, rng, dtype):
    """The results, and the gradients of a weighted sum of them."""
    variables = []

    def wrap(array):
        variables.append(Variable(array, requires_grad=True))
        return variables[-1]

    args, kwargs = sample.arguments(rng, dtype, wrap)
    outs = flatten(program(*args, **kwargs))[0]
    live = [out for out in outs if getattr(out, "requires_grad", False)]
    us = [rng.uniform(0.5, 1.5, out.shape).astype(out.dtype) for out in live]
    found = srcgrad.autograd.grad(live, variables, us, allow_unused=True)
    return outs, found


def assert_equal_leaves(found, expected, rtol):
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        assert type(ours) is type(theirs)
        if theirs is not None:
            assert_same(raw(ours), raw(theirs), rtol)
