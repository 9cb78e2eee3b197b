"""Which samples CI takes, their gradients, and how these are compared."""

import itertools
import zlib
from collections import defaultdict

import numpy as np

import srcgrad
import srcgrad.autograd
from srcgrad.pytree import flatten
from srcgrad.tape.variable import Variable
from tests.samples import SAMPLES

FIRST = {*{each.function or each.call: each.id for each in reversed(SAMPLES)}.values()}
BY_NAME = defaultdict(list)
for sample in SAMPLES:
    BY_NAME[sample.id.partition("-")[0]].append(sample)


# ----- Which samples CI takes; with `--deep` these are all -----
def is_deep(config):
    return config.getoption("--deep") > 1


def in_turn(sample, items, config):
    """All items for the first sample of a function, and with ``--deep``; else one."""
    return items if sample.id in FIRST else one_in_turn(sample, items, config)


def one_in_turn(sample, items, config):
    """One of the items, for each sample another; with ``--deep`` all."""
    if is_deep(config):
        return items
    return [items[zlib.crc32(sample.id.encode()) % len(items)]]


def check_samples(name, check, third, config):
    """Check what holds for the samples of a name, and say for which it does not.

    For all, or for the first of each function and one ``third`` of the others.
    """
    for sample in BY_NAME[name]:
        if third is None or third in in_turn(sample, range(3), config):
            try:
                check(sample, config)
            except Exception as error:
                told = f"{sample.id}: {check.__name__}: {error}"
                raise AssertionError(told) from error


# ----- Gradients -----
def along_lines(function, arrays, count=3):
    """Some weighted sums of the results, by steps along some lines.

    They take as many differences as there are lines, and a gradient that is wrong
    anywhere is wrong along a random line.
    """
    rng = np.random.default_rng(0)

    def drawn(like):
        size = (count, *np.shape(like))
        is_complex = np.iscomplexobj(raw(like))
        return rng.normal(size=size) + (1j * rng.normal(size=size) if is_complex else 0)

    lines = [drawn(array) for array in arrays]
    outs = flatten(function(*arrays))[0]
    weights = [drawn(out) if np.result_type(out).kind in "fc" else None for out in outs]

    def sums(*steps):
        moved = (
            array + sum(step * way for step, way in zip(steps, ways, strict=True))
            for array, ways in zip(arrays, lines, strict=True)
        )
        pairs = [*zip(results(function, moved), weights, strict=True)]
        return [
            sum(np.sum(out * each[number]) for out, each in pairs if each is not None)
            for number in range(count)
        ]

    return sums, (np.zeros(()),) * count


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
    cotangents = cotangents_of(outs)
    found = srcgrad.autograd.grad(live, variables, cotangents, allow_unused=True)
    return [raw(out) for out in outs], [None if g is None else g.data for g in found]


def takes(function, arrays):
    """Whether NumPy (SciPy) itself can make floats or complex numbers of the arrays."""
    try:
        with np.errstate(all="ignore"):
            outs = flatten(function(*arrays))[0]
    except (TypeError, ValueError, RuntimeError, SystemError, Warning):
        return False  # or not well enough: it warns
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
        live, variables, cotangents_of(outs), allow_unused=True
    )
    return [None if g is None else g.data for g in found]


def cotangents_of(outs):
    """One for each result that requires grad, whichever of the others do."""
    rng = np.random.default_rng(0)
    us = [np.asarray(rng.uniform(0.5, 1.5, np.shape(out))) for out in outs]
    return [
        u.astype(out.dtype)
        for u, out in zip(us, outs, strict=True)
        if getattr(out, "requires_grad", False)
    ]


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


def run_and_differentiate(program, sample, seed, dtype):
    """The results, and the gradients of a weighted sum of them."""
    rng, variables = np.random.default_rng(seed), []

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
