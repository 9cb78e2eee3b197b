"""What holds for every sample of a rule: values, gradients, and traced calls.

A chapter's tests run it on the chapter's samples:

    class TestSamples(RuleSuite):
        samples = SAMPLES
"""

import zlib

import numpy as np
import pytest

import srcgrad
import srcgrad.autograd
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.pytree import flatten
from srcgrad.tape.variable import Variable


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

    def test_traced_is_untraced(self, sample, dtype):
        """The first call, which records, and later ones, with other values."""
        program = as_user_code(sample.operation)
        traced = srcgrad.trace(as_user_code(sample.call or sample.function))
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
    rng = np.random.default_rng(0)
    cotangents = [
        np.asarray(rng.uniform(0.5, 1.5, out.shape)).astype(out.dtype) for out in live
    ]
    found = srcgrad.autograd.grad(live, variables, cotangents, allow_unused=True)
    return [raw(out) for out in outs], [None if g is None else g.data for g in found]


def raw(out):
    return out.data if isinstance(out, Variable) else out


def assert_same(found, expected, rtol):
    """The same dtype and shape, and numbers as close as rounding allows."""
    assert np.shape(found) == np.shape(expected)
    assert np.result_type(found) == np.result_type(expected)
    scale = np.max(np.abs(expected), initial=1.0, where=np.isfinite(expected))
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * scale)


def as_user_code(function):
    """The call as a function in a user's program, all that it uses being arguments."""

    def program(*args, **kwargs):
        return function(*args, **kwargs)

    return program


def run_and_differentiate(program, sample, rng, dtype):
    """The results, and the gradients of a weighted sum of them."""
    variables = []

    def wrap(array):
        variables.append(Variable(array, requires_grad=True))
        return variables[-1]

    outs = flatten(program(*sample.arguments(rng, dtype, wrap), **sample.kwargs))[0]
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
