"""What a traced function returns: how it is made again, and what it may not be."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.pytree import children
from srcgrad.steps import Value
from srcgrad.tape.function import VOLATILE, has_edge
from srcgrad.tape.variable import Variable
from srcgrad.tracing.capture.lasting_objects import (
    IMMUTABLE,
    is_lasting,
    is_of_environment,
)
from srcgrad.tracing.environment.containers import Followed
from srcgrad.tracing.environment.environment_array import EnvironmentArray
from srcgrad.tracing.graphs.interface import Output
from srcgrad.tracing.graphs.recorder import Recorder
from srcgrad.tracing.refusal import InFull, give_up


def containers_in(item: Any, *further: type) -> Iterator[Any]:
    """The mutable containers in arguments or a result, and those of further types."""
    if isinstance(item, Followed):
        return  # one of the environment, which stays what it is
    if isinstance(item, (list, dict, deque, *further)):
        yield item
    if isinstance(item, dict):
        item = tuple(item.values())
    if isinstance(item, (tuple, list, deque)):
        for element in item:
            yield from containers_in(element, *further)


def has_made_keys(result: Any) -> bool:
    """Whether a dict in a result has keys that are not the same at each call."""
    if isinstance(result, Followed):
        return False
    if isinstance(result, dict) and not all(map(is_lasting, result)):
        return True
    return any(map(has_made_keys, children(result)))


def has_twice(items: Iterable[Any]) -> bool:
    """Whether one object is there twice, as far as that can be told."""
    ids = [id(item) for item in items if not _is_plain_tuple(item)]
    return len(set(ids)) < len(ids)


def _is_plain_tuple(item: Any) -> bool:
    """Whether it is a tuple of numbers and the like: Python may make one of two."""
    return isinstance(item, tuple) and all(
        isinstance(each, IMMUTABLE) or _is_plain_tuple(each) for each in item
    )


def outputs_of(
    recorder: Recorder, leaves: Sequence[Any], inputs: Sequence[Variable]
) -> tuple[tuple[Output, ...], list[Value]]:
    """How each leaf of the result is made, and the graph's outputs."""
    outputs: list[Output] = []
    values: list[Value] = []
    seen: dict[int, int] = {}
    for number, leaf in enumerate(leaves):
        given = _as_given(leaf)
        source = next((i for i, v in enumerate(inputs) if v is given), None)
        if source is not None:
            outputs.append(Output("input", source))
        elif isinstance(leaf, EnvironmentArray):
            give_up(f"returns `{leaf.reference.text}`, which it writes into")
        elif is_of_texts(leaf):
            give_up("keeps or returns a part of an array of strings of the environment")
        elif isinstance(leaf, IMMUTABLE) and is_of_environment(leaf):
            outputs.append(Output("static", leaf))
        elif id(leaf) in seen:
            outputs.append(Output("same", seen[id(leaf)]))
        elif type(leaf) is np.ndarray or isinstance(leaf, ArrayProtocol):
            if recorder.is_in_copies(raw_of(leaf)):
                raise InFull
            outputs.append(_computed(leaf, len(values)))
            recorder.name("out", leaf)
            values.append(recorder.writer.value_of(leaf))
        else:
            give_up(f"returns a {type(leaf).__name__}")
        seen.setdefault(id(leaf), number)
    constants = _constants(leaves, outputs)
    if any(np.shares_memory(a, b) for a, b in combinations(constants, 2)):
        give_up("returns constants in the same memory")
    return tuple(outputs), values


def _as_given(leaf: Any) -> Any:
    """What stood for the caller's array when the run began, also if it writes there."""
    return leaf.start if isinstance(leaf, EnvironmentArray) else leaf


def is_of_texts(leaf: Any) -> bool:
    """Whether it is in the memory of a copy of an array of the environment.

    Such a copy is of bytes; what is untraced a part of the user's array would not be.
    """
    while isinstance(leaf, (np.ndarray, np.void)):
        leaf = leaf.base
    return isinstance(leaf, bytes)


def _constants(leaves: Sequence[Any], outputs: Sequence[Output]) -> list[Any]:
    """The leaves of a result that are made anew of constants."""
    pairs = zip(leaves, outputs, strict=True)
    return [leaf for leaf, output in pairs if output.kind == "constant"]


def _computed(leaf: Any, position: int) -> Output:
    if not isinstance(leaf, Variable):
        return Output("constant", position)
    return Output(
        "array" if leaf.stands_for_array else "variable",
        position,
        has_grad=has_edge(leaf) and not leaf.stands_for_array,
        volatile=leaf.edge is VOLATILE,
    )


def given_back(
    leaf: Any, wrapped: Sequence[Any], originals: Sequence[Any], recorder: Recorder
) -> Any:
    """A leaf of the result as the untraced function would have returned it."""
    leaf = _as_given(leaf)
    stands_for_array = isinstance(leaf, ArrayProtocol) and leaf.stands_for_array
    for wrapper, original in zip(wrapped, originals, strict=True):
        if wrapper is leaf:
            return original
        # A transform gives back what it was given under another name.
        is_array = isinstance(wrapper, ArrayProtocol) and wrapper.stands_for_array
        if is_array and stands_for_array and wrapper.value is leaf.value:
            return original
    if stands_for_array:
        return recorder.writer.given_back(leaf.value)
    if isinstance(leaf, Variable):
        leaf.value = recorder.writer.given_back(leaf.value)
    return leaf
