"""Other libraries as oracles, where they are installed: HIPS autograd, JAX, PyTorch.

None of them is needed by srcgrad or its other tests; `pip install autograd jax torch`.
"""

import importlib

import numpy as np
import pytest

import srcgrad
from srcgrad.pytree import flatten
from tests import peer_programs

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


def a_program(name, namespace=np):
    """A program, a loss that is made of it, where, and along what."""
    program, x = peer_programs.PROGRAMS[name]

    def f(x):
        return program(namespace, x)

    def loss(x):
        return namespace.sum(namespace.sin(f(x)))

    return f, loss, x, np.cos(x + 1.0)


def every_transform(library, name, namespace=np):
    """What all transforms give of a program, srcgrad's, or those of JAX."""
    f, loss, x, along = a_program(name, namespace)

    @library.custom_vjp
    def custom(x):
        return loss(x)

    back = library.grad(loss)
    custom.defvjp(lambda x: (loss(x), x), lambda x, g: (g * back(x),))
    value, f_vjp = library.vjp(f, x)
    _, f_jvp = library.linearize(f, x)
    is_ours = library is srcgrad
    jacobians = [
        srcgrad.jacobian(f, mode=mode)(x) if is_ours else jacobian(x)
        for mode, jacobian in zip(
            ("forward", "reverse", None),
            (None,) * 3
            if is_ours
            else (library.jacfwd(f), library.jacrev(f), library.jacrev(f)),
            strict=True,
        )
    ]
    hessian = library.hessian(loss)(x)
    found = {
        "grad": back(x),
        "value_and_grad": library.value_and_grad(loss)(x),
        "vjp": f_vjp(np.cos(np.asarray(value))[()])[0],
        "jvp": library.jvp(f, (x,), (along,)),
        "linearize": f_jvp(along),
        "jacobian": jacobians,
        "hessian": hessian,
        "hvp": srcgrad.hvp(loss, (x,), (along,))[0]
        if is_ours
        else library.jvp(back, (x,), (along,))[1],
        "vmap": library.vmap(f)(np.stack([x, x * 1.1])),
        "vmap of grad": library.vmap(back)(np.stack([x, x * 1.1])),
        "grad of jvp": library.grad(
            lambda x: namespace.sum(library.jvp(f, (x,), (along,))[1])
        )(x),
        "checkpoint": library.grad(library.checkpoint(loss))(x),
        "custom_vjp": library.grad(custom)(x),
        "sparse_jacobian": srcgrad.sparse_jacobian(f)(x).toarray()
        if is_ours
        else np.reshape(jacobians[0], (np.size(value), x.size)),
        "sparse_hessian": srcgrad.sparse_hessian(loss)(x).toarray()
        if is_ours
        else np.reshape(hessian, (x.size, x.size)),
    }
    if name in peer_programs.ELEMENTWISE:
        by_element = (
            srcgrad.elementwise_grad(f) if is_ours else library.vmap(library.grad(f))
        )
        if is_ours or name != "branching":  # which asks for the shape
            found["elementwise_grad"] = by_element(x)
    return found


def differences(function, x, along, h=1e-6):
    return (function(x + h * along) - function(x - h * along)) / (2.0 * h)


@pytest.mark.parametrize("name", peer_programs.PROGRAMS)
def test_transforms_are_what_differences_say(name):
    f, loss, x, along = a_program(name)
    found = every_transform(srcgrad, name)
    slope, slopes = differences(loss, x, along), differences(f, x, along)
    turn = differences(srcgrad.grad(loss), x, along)
    every = {
        "grad": np.sum(found["grad"] * along),
        "value_and_grad": np.sum(found["value_and_grad"][1] * along),
        "vjp": np.sum(found["vjp"] * along),
        "checkpoint": np.sum(found["checkpoint"] * along),
        "custom_vjp": np.sum(found["custom_vjp"] * along),
    }
    for transform, ours in every.items():
        np.testing.assert_allclose(ours, slope, 1e-5, 1e-7, err_msg=transform)
    jacobians = {f"jacobian {i}": each for i, each in enumerate(found["jacobian"])}
    flat = along.reshape(-1)
    of_f = {
        "jvp": found["jvp"][1],
        "linearize": found["linearize"],
        "sparse_jacobian": (found["sparse_jacobian"] @ flat).reshape(slopes.shape),
        **{
            key: np.tensordot(each, along, along.ndim)
            for key, each in jacobians.items()
        },
    }
    for transform, ours in of_f.items():
        np.testing.assert_allclose(ours, slopes, 1e-5, 1e-6, err_msg=transform)
    second = {
        "hessian": np.tensordot(found["hessian"], along, along.ndim),
        "hvp": found["hvp"],
        "sparse_hessian": (found["sparse_hessian"] @ flat).reshape(x.shape),
    }
    for transform, ours in second.items():
        np.testing.assert_allclose(ours, turn, 1e-4, 1e-5, err_msg=transform)
    if "elementwise_grad" in found:
        by_element = found["elementwise_grad"] * along
        np.testing.assert_allclose(by_element, slopes, 1e-5, 1e-6)
    both = np.stack([x, x * 1.1])
    np.testing.assert_allclose(found["vmap"], np.stack([f(each) for each in both]))


@pytest.mark.parametrize("name", peer_programs.PROGRAMS)
def test_transforms_agree(name):
    """On the tape, and as generated code."""
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    theirs = every_transform(jax, name, importlib.import_module("jax.numpy"))
    for _ in range(3):
        ours = every_transform(srcgrad, name)
        for transform, expected in theirs.items():
            for found, other in zip(
                flatten(ours[transform])[0], flatten(expected)[0], strict=True
            ):
                np.testing.assert_allclose(found, other, 1e-8, 1e-9, err_msg=transform)
