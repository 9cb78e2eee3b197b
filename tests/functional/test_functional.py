"""All transforms of some sixty functions, beside finite differences and each other.

Each is called again and again: on the tape, recorded, and as generated code.
"""

import numpy as np
import pytest

import srcgrad
from srcgrad.pytree import flatten, unflatten
from tests.differentiable import FUNCTIONS

CALLS = 4
STEP = 1e-6

EACH = pytest.mark.parametrize("name", FUNCTIONS)


def vector_of(tree):
    """All numbers in a container, one after the other."""
    leaves = [np.ravel(leaf) for leaf in flatten(tree)[0] if leaf is not None]
    return np.concatenate(leaves) if leaves else np.zeros(0)


def like(tree, vector):
    """Numbers in the form of a container."""
    leaves, structure = flatten(tree)
    made, start = [], 0
    for leaf in leaves:
        if leaf is None:
            made.append(None)
            continue
        part = vector[start : start + np.size(leaf)]
        start += np.size(leaf)
        is_number = not isinstance(leaf, np.ndarray)
        made.append(type(leaf)(part[0]) if is_number else part.reshape(leaf.shape))
    return unflatten(structure, made)


def kinds_of(tree):
    leaves, structure = flatten(tree)
    return structure, [(type(leaf), np.shape(leaf)) for leaf in leaves]


def differences(f, args):
    """The Jacobian of all results by all arguments."""
    start = vector_of(args)
    columns = []
    for k in range(start.size):
        step = np.zeros(start.size)
        step[k] = STEP
        ends = [vector_of(f(*like(args, start + s))) for s in (step, -step)]
        columns.append((ends[0] - ends[1]) / (2.0 * STEP))
    return np.stack(columns, axis=1)


@pytest.fixture(scope="module")
def jacobians():
    return {name: differences(f, args) for name, (f, args) in FUNCTIONS.items()}


def direction_like(tree, seed):
    return like(tree, np.random.default_rng(seed).normal(size=vector_of(tree).size))


def scalar(f):
    """The same as a function with one real value."""

    def total(*args):
        leaves = [leaf for leaf in flatten(f(*args))[0] if leaf is not None]
        return sum(np.sum(leaf * np.cos(leaf)) for leaf in leaves)

    return total


@EACH
def test_jvp(name, jacobians):
    f, args = FUNCTIONS[name]
    for seed in range(CALLS):
        t = direction_like(args, seed)
        value, tangent = srcgrad.jvp(f, args, t)
        assert kinds_of(value) == kinds_of(f(*args)) == kinds_of(tangent)
        np.testing.assert_allclose(vector_of(value), vector_of(f(*args)), rtol=1e-12)
        expected = jacobians[name] @ vector_of(t)
        np.testing.assert_allclose(vector_of(tangent), expected, 1e-5, 1e-6)


@EACH
def test_vjp(name, jacobians):
    f, args = FUNCTIONS[name]
    for seed in range(CALLS):
        value, f_vjp = srcgrad.vjp(f, *args)
        np.testing.assert_allclose(vector_of(value), vector_of(f(*args)), rtol=1e-12)
        for k in range(2):
            g = direction_like(value, 10 * seed + k)
            found = f_vjp(g)
            assert kinds_of(found) == kinds_of(tuple(args))
            expected = vector_of(g) @ jacobians[name]
            np.testing.assert_allclose(vector_of(found), expected, 1e-5, 1e-6)


@EACH
def test_linearize(name):
    f, args = FUNCTIONS[name]
    for seed in range(CALLS):
        value, f_jvp = srcgrad.linearize(f, *args)
        for k in range(2):
            t = direction_like(args, 10 * seed + k)
            expected = srcgrad.jvp(f, args, t)
            assert kinds_of((value, f_jvp(*t))) == kinds_of(expected)
            np.testing.assert_allclose(
                vector_of(f_jvp(*t)), vector_of(expected[1]), 1e-12, 1e-14
            )


@pytest.mark.one_in(3)
@EACH
@pytest.mark.parametrize("mode", ["reverse", "forward", None])
def test_jacobian(name, mode, jacobians):
    f, args = FUNCTIONS[name]
    argnums = tuple(range(len(args)))
    sizes = [vector_of(arg).size for arg in args]
    edges = np.cumsum([0, *sizes])
    for _ in range(CALLS):
        found = srcgrad.jacobian(f, argnums, mode=mode)(*args)
        results = [leaf for leaf in flatten(f(*args))[0] if leaf is not None]
        blocks = [leaf for leaf in flatten(found)[0] if leaf is not None]
        inputs = [leaf for arg in args for leaf in flatten(arg)[0] if leaf is not None]
        assert [np.shape(block) for block in blocks] == [
            np.shape(result) + np.shape(each) for result in results for each in inputs
        ]
        rows = [
            np.concatenate(
                [
                    np.reshape(block, (np.size(result), -1))
                    for block in blocks[k * len(inputs) : (k + 1) * len(inputs)]
                ],
                axis=1,
            )
            for k, result in enumerate(results)
        ]
        np.testing.assert_allclose(np.concatenate(rows), jacobians[name], 1e-5, 1e-6)
    assert edges[-1] == jacobians[name].shape[1]


@EACH
def test_gradients_and_hessians(name):
    f, args = FUNCTIONS[name]
    total = scalar(f)
    argnums = tuple(range(len(args)))
    gradient = srcgrad.grad(total, argnums)
    slope = differences(total, args)[0]
    curvature = differences(gradient, args)
    for seed in range(CALLS):
        value, g = srcgrad.value_and_grad(total, argnums)(*args)
        np.testing.assert_allclose(value, total(*args), rtol=1e-12)
        assert kinds_of(g) == kinds_of(tuple(args)) == kinds_of(gradient(*args))
        np.testing.assert_allclose(vector_of(g), slope, 1e-4, 1e-6)
        v = direction_like(tuple(args), seed)
        product = srcgrad.hvp(total, tuple(args), v)
        assert kinds_of(product) == kinds_of(tuple(args))
        expected = curvature @ vector_of(v)
        np.testing.assert_allclose(vector_of(product), expected, 1e-4, 1e-4)


@EACH
def test_hessian_by_the_first_argument(name):
    f, args = FUNCTIONS[name]
    total = scalar(f)
    leaves = [leaf for leaf in flatten(args[0])[0] if leaf is not None]
    for seed in range(CALLS):
        found = srcgrad.hessian(total)(*args)
        blocks = [leaf for leaf in flatten(found)[0] if leaf is not None]
        v = direction_like(args[0], seed)
        others = [np.zeros_like(vector_of(arg)) for arg in args[1:]]
        zeros = [like(arg, other) for arg, other in zip(args[1:], others, strict=True)]
        product = srcgrad.hvp(total, tuple(args), (v, *zeros))[0]
        parts = [leaf for leaf in flatten(v)[0] if leaf is not None]
        n = len(leaves)
        mine = [
            sum(
                np.reshape(blocks[i * n + k], (np.size(leaves[i]), -1))
                @ np.ravel(parts[k])
                for k in range(n)
            )
            for i in range(n)
        ]
        np.testing.assert_allclose(
            np.concatenate(mine), vector_of(product), 1e-9, 1e-10
        )
