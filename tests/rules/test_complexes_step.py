"""Real gradients against complex steps, which no difference of numbers blurs.

The derivative of a function that is holomorphic, and real for real numbers, is the
imaginary part of ``f(x + i h)`` divided by ``h``, for a step as small as one likes.
"""

import numpy as np
import pytest

import srcgrad.autograd
from srcgrad import Variable
from srcgrad.pytree import flatten
from tests.cases import for_each
from tests.rules.suite import rng_of
from tests.samples import SAMPLES

STEP = 1e-200

# Functions that do not conjugate, take absolute values, or compare.
HOLOMORPHIC = {
    *(np.add, np.subtract, np.multiply, np.divide, np.negative, np.reciprocal),
    *(np.square, np.sqrt, np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10),
    *(np.log1p, np.sin, np.cos, np.tan, np.sinh, np.cosh, np.tanh, np.arctan),
    *(np.arcsinh, np.sum, np.mean, np.prod, np.cumsum, np.cumprod, np.diff),
    *(np.matmul, np.dot, np.inner, np.outer, np.tensordot, np.kron, np.cross),
    *(np.convolve, np.einsum, np.trace, np.polyval, np.polymul, np.polyint, np.vander),
    *(np.linalg.inv, np.linalg.solve, np.linalg.det, np.linalg.multi_dot),
    *(np.linalg.matrix_power, np.fft.fftshift, np.reshape, np.transpose, np.take),
    *(np.concatenate, np.stack, np.pad, np.roll, np.linspace, np.ediff1d),
}
CASES = [
    sample
    for sample in SAMPLES
    if sample.function in HOLOMORPHIC
    # Samples that take real parts, by themselves or by a dtype.
    and not sample.id.startswith("real-part")
    and "dtype" not in sample.kwargs
]


def test_each_function_has_samples():
    assert {sample.function for sample in CASES} == HOLOMORPHIC


@for_each("sample", CASES, ids=lambda sample: sample.id)
def test_gradients_are_complex_steps(sample):
    function, arrays = sample.problem(rng_of(sample), np.float64)
    rng = np.random.default_rng(0)
    directions = [rng.normal(size=array.shape) for array in arrays]
    moved = [x + 1j * STEP * d for x, d in zip(arrays, directions, strict=True)]
    variables = [Variable(array, requires_grad=True) for array in arrays]
    outs = flatten(function(*variables))[0]
    live = [(n, out) for n, out in enumerate(outs) if out.requires_grad]
    weights = [rng.normal(size=out.shape) for _, out in live]
    found = srcgrad.autograd.grad(
        [out for _, out in live], variables, weights, allow_unused=True
    )
    with np.errstate(all="ignore"):
        stepped = flatten(function(*moved))[0]
    slopes = [np.imag(stepped[n]) / STEP for n, _ in live]
    expected = sum(np.sum(w * slope) for w, slope in zip(weights, slopes, strict=True))
    terms = [
        np.sum(g.data * d)
        for g, d in zip(found, directions, strict=True)
        if g is not None
    ]
    scale = sum(np.sum(np.abs(w * s)) for w, s in zip(weights, slopes, strict=True))
    # Where all slopes are zero there is rounding alone.
    within = 1e-12 * scale + 1e-14
    assert sum(terms) == pytest.approx(expected, rel=1e-12, abs=within)
