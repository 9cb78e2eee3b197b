"""What stands for an argument, or for what is read outside, while a function runs."""

from typing import Any

import numpy as np

from srcgrad.tape.function import Edge
from srcgrad.tape.variable import Variable
from srcgrad.tracing.recorder import Recorder
from srcgrad.tracing.refusal import give_up
from srcgrad.tracing.traced_array import TracedArray


def stand_in(
    recorder: Recorder, leaf: Any, seen: dict[int, Any], edge: Edge | None = None
) -> Variable:
    """A Variable as it is; for an array or number one that stands for it.

    The recorder tells arrays apart by identity: ``seen`` are those that it has, with
    what they belong to. ``edge`` is the place on the tape of what is no Variable.
    """
    if isinstance(leaf, Variable):
        return _variable(recorder, leaf, seen)
    if isinstance(leaf, np.ndarray) and leaf.dtype.kind not in "fciub":
        give_up(f"an array has dtype {leaf.dtype}")
    return TracedArray.make(_distinct(leaf, seen), edge)


def _variable(recorder: Recorder, leaf: Variable, seen: dict[int, Any]) -> Variable:
    made: Variable = leaf
    raw = recorder.writer.distinct(leaf.value)
    if raw is not leaf.value:
        made = type(leaf).make(raw, leaf.edge)
    elif seen.setdefault(id(leaf.value), leaf) is not leaf:
        raw = _distinct(leaf.value, seen)
        made = type(leaf).make(raw, leaf.edge, leaf.own_storage())
    return made


def _distinct(leaf: Any, seen: dict[int, Any]) -> Any:
    """The same array or number, as an object that the recorder has not seen."""
    if type(leaf) is float:
        return leaf * 1.0
    if not isinstance(leaf, np.ndarray):
        return leaf.copy()
    raw = leaf.view() if id(leaf) in seen else leaf
    seen[id(raw)] = leaf
    return raw
