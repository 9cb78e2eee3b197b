"""Other libraries as oracles, where they are installed: HIPS autograd, JAX, PyTorch.

None of them is needed by srcgrad or its other tests; `pip install autograd jax torch`.
"""

import importlib

import numpy as np
import pytest

import srcgrad
from srcgrad.pytree import flatten

ARRAYS = {
    "x": np.linspace(-1.3, 1.7, 12).reshape(4, 3),
    "w": np.linspace(0.4, -0.9, 6).reshape(3, 2),
    "v": np.array([0.3, -0.7, 1.1]),
}

# Programs in what NumPy and its likenesses share: `n` is the namespace.
PROGRAMS = {
    "network": (lambda n, x, w: n.mean(n.tanh(x @ w) ** 2), "xw"),
    "log_sum_exp": (lambda n, x: n.sum(n.log(n.sum(n.exp(x), 1))), "x"),
    "ratios": (lambda n, x, v: n.sum(x / (1.0 + v * v) - n.sqrt(v * v + 1.0)), "xv"),
    "branches": (lambda n, x: n.sum(n.where(x > 0, x * x, n.sin(x))), "x"),
    "slices": (lambda n, x: n.sum((x[1:] - x[:-1] ** 2) ** 2) + x[0, 0], "x"),
    "products": (lambda n, v, w: n.sum((v @ w) ** 3), "vw"),
    "powers": (lambda n, x: n.sum(n.abs(x) ** 1.5 + 2.0**x), "x"),
}

PEERS = ("autograd", "jax", "torch")


def peer_gradients(peer, program, arrays):
    """The gradients that another library gives."""
    library = pytest.importorskip(peer)
    argnums = tuple(range(len(arrays)))
    if peer == "torch":
        tensors = [library.tensor(array, requires_grad=True) for array in arrays]
        return [
            g.numpy()
            for g in library.autograd.grad(program(library, *tensors), tensors)
        ]
    namespace = importlib.import_module(f"{peer}.numpy")
    if peer == "jax":
        library.config.update("jax_enable_x64", True)
    return library.grad(lambda *args: program(namespace, *args), argnums)(*arrays)


@pytest.mark.parametrize("peer", PEERS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_agree(peer, name):
    program, letters = PROGRAMS[name]
    arrays = [ARRAYS[letter] for letter in letters]
    expected = peer_gradients(peer, program, arrays)
    argnums = tuple(range(len(arrays)))

    def ours(*args):
        return program(np, *args)

    for function in (ours, srcgrad.trace(ours)):
        gradient = srcgrad.grad(function, argnums)
        for _ in range(2):
            for found, theirs in zip(gradient(*arrays), expected, strict=True):
                np.testing.assert_allclose(found, theirs, rtol=1e-12, atol=1e-12)


# ----- Transforms -----


def with_each(library, namespace, program, args):
    """What all transforms of a library give, by the first argument or by all."""
    along = tuple(np.cos(arg) for arg in args)

    def f(*args):
        return program(namespace, *args)

    value, tangent = library.jvp(f, args, along)
    _, f_jvp = library.linearize(f, *args)
    _, f_vjp = library.vjp(f, *args)
    gradient = library.grad(f)
    product = library.jvp(gradient, (args[0], *args[1:]), along)[1]
    return {
        "value_and_grad": library.value_and_grad(f)(*args),
        "jvp": (value, tangent),
        "linearize": f_jvp(*along),
        "vjp": f_vjp(np.ones_like(value)[()]),
        "hessian": library.hessian(f)(*args),
        "jvp of grad": product,
        "vmap": library.vmap(library.grad(f), (None,) * (len(args) - 1) + (0,))(
            *args[:-1], np.stack([args[-1], 2.0 * args[-1]])
        )
        if len(args) > 1
        else (),
    }


@pytest.mark.parametrize("name", PROGRAMS)
def test_transforms_agree(name):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    program, letters = PROGRAMS[name]
    args = tuple(ARRAYS[letter] for letter in letters)
    theirs = with_each(jax, importlib.import_module("jax.numpy"), program, args)
    for _ in range(3):
        ours = with_each(srcgrad, np, program, args)
        for transform, expected in theirs.items():
            for found, other in zip(
                flatten(ours[transform])[0], flatten(expected)[0], strict=True
            ):
                np.testing.assert_allclose(
                    found, other, 1e-10, 1e-12, err_msg=transform
                )
