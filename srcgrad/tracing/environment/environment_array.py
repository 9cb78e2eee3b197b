"""``EnvironmentArray``: an array of the environment that a traced function writes into.

While the function is recorded nothing of the environment changes: the array is as one
of the function's own, whose content at the start is an input of the graph. What was
written is an effect (``effects``): the user's array gets it when the run is over.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from srcgrad.modes import state
from srcgrad.protocols import raw_of
from srcgrad.tape.function import has_edge
from srcgrad.tape.operands import variables_in
from srcgrad.tape.variable import Variable
from srcgrad.tracing.arrays.functional_array import (
    FunctionalArray,
    FunctionalView,
    array_of,
    contents,
)
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.environment.references import Reference
from srcgrad.tracing.refusal import give_up


class EnvironmentArray(FunctionalArray):
    """An array found at a reference.

    ``note(own, index, value)`` is told of each write; no index: all may be another.
    """

    __slots__ = ("array", "note", "reference", "start")

    def __init__(
        self,
        content: Variable,
        array: np.ndarray[Any, Any],
        reference: Reference,
        note: Callable[..., None],
    ) -> None:
        super().__init__(content)
        self.array, self.reference, self.note = array, reference, note
        # What stood for it before the first write.
        self.start = content

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(value, FunctionalView) and value.is_part_of(self, index):
            return
        value = array_of(value)
        self._check(value)
        if isinstance(value, (list, tuple, np.ndarray)):
            value = np.array(value)
        index = contents(index)
        super().__setitem__(index, value)
        self.note(self, _as_is(index), value)

    def update(self, function: Any, other: Any) -> FunctionalArray:
        """``h += other`` and its kin."""
        self._check(contents(other))
        before = self.changes
        super().update(function, other)
        if self.changes != before:
            self.note(self, None, None)
        return self

    def _check(self, value: Any) -> None:
        """Refuse what the tape decides: gradients that would be lost, errors."""
        given = variables_in(value)
        if state.grad_enabled and any(map(has_edge, given)):
            give_up(
                f"stores what has a gradient in `{self.reference.text}`, which it "
                "found in its environment"
            )
        if not all(each.stands_for_array for each in given):
            give_up(
                f"stores a Variable in `{self.reference.text}`, which it found in "
                "its environment"
            )
        if not is_writeable(self.array):
            give_up(
                f"writes into `{self.reference.text}`, which is read-only or a window"
            )


def _as_is(index: Any) -> Any:
    """An index as it is now: what is in its arrays may change; integers, as inputs."""
    if type(index) is tuple:
        return tuple(map(_as_is, index))
    recorder = state.recorder
    if isinstance(index, np.integer) and recorder is not None and recorder.knows(index):
        return TracedArray.make(index, None)
    return index.copy() if type(index) is np.ndarray else index


def is_found(item: Any) -> bool:
    """Whether it stands for an array of the environment, or a part, to write into."""
    return isinstance(
        item.root if isinstance(item, FunctionalView) else item, EnvironmentArray
    )


def left_of(item: Any) -> Any:
    """What leaves a function for an array that it may write into."""
    if isinstance(item, EnvironmentArray):
        return item  # the user's own is found again
    if is_found(item):
        give_up(
            f"keeps or returns a part of `{item.root.reference.text}`, and writes there"
        )
    return contents(item)


def check_not_written(items: Iterable[Any]) -> None:
    """Refuse to differentiate by what a function writes into, by any of its names."""
    for item in items:
        if isinstance(item, EnvironmentArray):
            give_up(f"differentiates by `{item.reference.text}`, which it writes into")


def is_writeable(array: np.ndarray[Any, Any]) -> bool:
    """Whether all elements may be written, each of which is there once."""
    flags = array.flags
    if not flags.writeable:
        return False
    return flags.forc or _is_apart_from_itself(array)


def _is_apart_from_itself(array: np.ndarray[Any, Any]) -> bool:
    """Whether no two elements are in the same memory, as in a sliding window."""
    reach = array.itemsize
    for stride, count in sorted(zip(map(abs, array.strides), array.shape, strict=True)):
        if count > 1 and stride < reach:
            return False
        reach = max(reach, stride * count)
    return True


def are_apart(written: Sequence[Any], others: Sequence[Any]) -> bool:
    """Whether nothing of what is written is in the memory of something else."""
    arrays = [raw_of(item) for item in (*written, *others)]
    owners = {id(each) for each in arrays if each.base is None}
    if len(owners) == len(arrays):
        return True
    return not any(
        np.may_share_memory(array, other)
        for number, array in enumerate(arrays[: len(written)])
        for other in arrays[number + 1 :]
    )
