"""What stands for an argument, or for what is read outside, while a function runs."""

from typing import Any

import numpy as np

from srcgrad.tape.function import Edge
from srcgrad.tape.variable import Variable
from srcgrad.tracing.refusal import give_up
from srcgrad.tracing.traced_array import TracedArray


def stand_in(leaf: Any, seen: set[int], edge: Edge | None = None) -> Variable:
    """A Variable as it is; for an array or number one that stands for it.

    The recorder tells arrays apart by identity: ``seen`` are those that it has.
    ``edge`` is the place on the tape of what is no Variable.
    """
    if isinstance(leaf, Variable):
        if isinstance(leaf.value, np.bool_):  # see `Recorder.after`
            return type(leaf).make(np.array(leaf.value), leaf.edge)
        return leaf
    if isinstance(leaf, np.ndarray) and leaf.dtype.kind not in "fciub":
        give_up(f"an array has dtype {leaf.dtype}")
    return TracedArray.make(_distinct(leaf, seen), edge)


def _distinct(leaf: Any, seen: set[int]) -> Any:
    """The same array or number, as an object that the recorder has not seen."""
    if type(leaf) is float:
        return leaf * 1.0
    if not isinstance(leaf, np.ndarray):
        return leaf.copy()
    raw = leaf.view() if id(leaf) in seen else leaf
    seen.add(id(raw))
    return raw
