"""Tangents in generated code: as one writes them, with no way there and back."""

import numpy as np
import pytest

import srcgrad
from srcgrad.functional.jvp import Jvp
from srcgrad.pytree import flatten, unflatten
from srcgrad.tape.turning import arbitrary
from srcgrad.tracing.own_traces import remembered
from tests.rules.suite import as_user_code, assert_equal_leaves, rng_of
from tests.samples import SAMPLES

CASES = [
    (sample, dtype)
    for sample in SAMPLES
    for dtype in sample.dtypes
    if dtype is not np.float32
]
# In an order of its own: the first few are of all chapters.
CASES = [CASES[number] for number in np.random.default_rng(0).permutation(len(CASES))]
# What stands for a cotangent where a tangent is the transpose of a transpose.
PLACEHOLDER = repr(float(arbitrary((), np.dtype(float), False)))
# Where it still is: complex vectors, of any phase, and full bases of a null space; and
# what is made of eigenvalues that may be complex.
DETOURS = {
    *("eig", "eigh", "svd", "polar", "orthogonal_procrustes", "poly", "residue"),
    *("ss2zpk", "ss2tf", "tf2sos", "funm", "dpss"),
}
# What has no result.
WITHOUT = {"out"}


def is_refused(error):
    return "no generated source" in str(error) or "must return floats" in str(error)


def ones_like(arg):
    leaves, structure = flatten(arg)
    ones = [np.ones_like(leaf) for leaf in leaves]
    for number, leaf in enumerate(leaves):
        if type(leaf) in (float, complex):
            ones[number] = type(leaf)(1.0)
    return unflatten(structure, ones)


@pytest.mark.seeds(25)
def test_no_cotangent_is_left_in_a_tangent(seed):
    if seed >= len(CASES):
        return
    sample, dtype = CASES[seed]
    if sample.id.partition("-")[0] in DETOURS | WITHOUT:
        return
    drawn = []

    def wrap(array):
        drawn.append(array)
        return array

    args, kwargs = sample.arguments(rng_of(sample), dtype, wrap)
    known = set(map(id, drawn))
    numbers = tuple(
        number
        for number, arg in enumerate(args)
        if not known.isdisjoint(map(id, flatten(arg)[0]))
    )
    if not numbers:
        return

    tangents = tuple(ones_like(args[number]) for number in numbers)
    jvp = remembered(as_user_code(sample.called), Jvp, False, numbers)
    try:
        with np.errstate(all="ignore"):
            for _ in range(3):
                found = jvp(tuple(args), tangents, **kwargs)
            with srcgrad.set_stance("tape"):
                expected = jvp(tuple(args), tangents, **kwargs)
        source = jvp.source()
    except (RuntimeError, TypeError) as error:
        if not is_refused(error):
            raise
        return  # it stays on the tape
    assert PLACEHOLDER not in source
    assert_equal_leaves(flatten(found)[0], flatten(expected)[0], 1e-7)
