"""Functions with tangents of their own: those are the transposes of their rules."""

import numpy as np
import pytest

import srcgrad
from srcgrad.functional.jvp import Jvp
from srcgrad.pytree import flatten
from srcgrad.rules.registry import PRIMITIVES, TANGENTS, defjvp
from srcgrad.tracing.own_traces import remembered
from tests.cases import for_each
from tests.rules.suite import rng_of
from tests.samples import SAMPLES

CASES = [
    (sample, dtype)
    for sample in SAMPLES
    if sample.function in TANGENTS
    for dtype in sample.dtypes
    if dtype is not np.float32
]


def drawn(like, rng):
    """Numbers for each leaf, in its shape and dtype."""
    shape, dtype = np.shape(like), np.result_type(like)
    found = rng.normal(size=shape) + 0.5
    if dtype.kind == "c":
        found = found + 1j * rng.normal(size=shape)
    return np.asarray(found, dtype)[()]


def product(xs, ys):
    return sum(
        np.sum(np.real(x * np.conjugate(y))) for x, y in zip(xs, ys, strict=True)
    )


@for_each("sample, dtype", CASES, ids=lambda case: (case[0].id, case[1]))
def test_a_tangent_is_the_transpose_of_the_rule(sample, dtype):
    function, arrays = sample.problem(rng_of(sample), dtype)
    results = [np.result_type(leaf).kind for leaf in flatten(function(*arrays))[0]]
    places = [place for place, kind in enumerate(results) if kind in "fc"]

    def program(*args):
        leaves = flatten(function(*args))[0]
        return [leaves[place] for place in places]

    rng = np.random.default_rng(5)
    along = [drawn(array, rng) for array in arrays]
    value, tangent = srcgrad.jvp(program, arrays, along)
    _, back = srcgrad.vjp(program, *arrays)
    cotangents = [drawn(leaf, rng) for leaf in value]
    # Where phases are LAPACK's choice, the gradient of what depends on them is nan.
    expected, found = product(along, back(cotangents)), product(cotangents, tangent)
    if not np.isnan(expected):
        np.testing.assert_allclose(found, expected, 1e-8, 1e-8)


def test_what_is_unknown_back_is_unknown_forth():
    """A nan that a rule puts in the place of a cotangent is there in a tangent, too."""
    defective, along = np.array([[1.0, 1.0], [0.0, 1.0]]), np.eye(2)[::-1] + 0.5
    for function in (np.linalg.eigvals, lambda a: np.linalg.eig(a)[0]):
        for _ in range(3):
            assert np.isnan(srcgrad.jvp(function, (defective,), (along,))[1]).all()

    def rest_of_basis(a):
        return np.linalg.svd(a)[0][:, 2:]

    tall = np.arange(8.0).reshape(4, 2) ** 0.5
    assert np.isnan(srcgrad.jvp(rest_of_basis, (tall,), (tall[::-1].copy(),))[1]).all()


def eigenvectors(x):
    return np.linalg.eigh(x)


def singular(x):
    return np.linalg.svd(x, full_matrices=False)


def windows(x):
    return np.lib.stride_tricks.sliding_window_view(x, 2, axis=0).mean(axis=-1)


def running(x):
    return np.cumprod(x, axis=0)


@pytest.mark.parametrize("function", [eigenvectors, singular, windows, running])
def test_generated_code_has_no_trace_of_the_way_back(function):
    x = np.array([[2.0, 0.5, 0.1], [0.5, 1.0, 0.3], [0.1, 0.3, 3.0]])
    along = x[::-1].copy()
    expected = flatten(srcgrad.jvp(function, (x,), (along,)))[0]
    for _ in range(2):
        found = flatten(srcgrad.jvp(function, (x,), (along,)))[0]
        for ours, tape in zip(found, expected, strict=True):
            np.testing.assert_allclose(ours, tape, 1e-12, 1e-12)
    source = remembered(function, Jvp, False).source()
    assert not [word for word in ("DOUT", "scattered", "np.zeros") if word in source]


def test_in_other_transforms():
    """Twice, in a gradient, in a Hessian by the way there and back."""
    x = np.array([[2.0, 0.5], [0.5, 1.0]])

    def f(x):
        return np.sum(np.linalg.eigh(x)[1] ** 3) + np.prod(np.cumprod(x, axis=0))

    def slope(x, t):
        return srcgrad.jvp(f, (x,), (t,))[1]

    hessian = srcgrad.hessian(f)(x)
    along, other = np.eye(2), x[::-1].copy()
    expected = np.einsum("ijkl,ij,kl", hessian, along, other)
    for _ in range(3):
        twice = srcgrad.jvp(lambda x: slope(x, along), (x,), (other,))[1]
        back = np.sum(srcgrad.grad(slope)(x, along) * other)
        np.testing.assert_allclose([twice, back], expected, 1e-8)


def test_a_tangent_needs_no_more_data_than_the_rule_back():
    with pytest.raises(TypeError, match="more than the rule back"):
        defjvp(np.add, x1=lambda x2: lambda t: t)
    assert np.add in PRIMITIVES
    assert np.add not in TANGENTS
