"""The calls that programs of the corpus are run with, in turn."""

from typing import NamedTuple

import numpy as np
import optree

from srcgrad import Variable


class Call(NamedTuple):
    """How one call differs from the first."""

    seed: int = 1
    n: int = 4
    sign: float = 1.0
    dtype: type = np.float64


# First call, other values, other signs (and branches), another shape, another dtype;
# and then the first ones again.
CALLS = {
    "first": Call(),
    "values": Call(seed=2),
    "branch": Call(seed=3, sign=-1.0),
    "values on that branch": Call(seed=4, sign=-1.0),
    "shape": Call(seed=5, n=6),
    "dtype": Call(seed=6, dtype=np.float32),
    "dtype again": Call(seed=7, dtype=np.float32),
    "first again": Call(seed=8),
}


def arguments(program, call):
    random = np.random.default_rng(call.seed)
    args = [s.make(random, *call[1:]) for s in program.args]
    kwargs = {k: s.make(random, *call[1:]) for k, s in program.kwargs.items()}
    return args, kwargs


def as_variables(tree):
    """Arrays and NumPy scalars as Variables that require grad where they can."""

    def convert(leaf):
        if not isinstance(leaf, (np.ndarray, np.generic)):
            return leaf
        return Variable(leaf, requires_grad=leaf.dtype.kind in "fc")

    return optree.tree_map(convert, tree, none_is_leaf=True)
