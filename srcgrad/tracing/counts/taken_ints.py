"""``taken_int``: the integer that Python makes of a number in the graph: ``int(t)``.

It is a float of the graph, as one that counts is (``LoopCount``): an index, or a part
of a formula. So ``i = int(t); y[i] + (t - i) * (y[i + 1] - y[i])`` is one trace for all
``t``. Who looks at the integer gets it, under a guard.

>>> from srcgrad.modes import override
>>> from srcgrad.tracing.arrays.traced_array import TracedArray
>>> from srcgrad.tracing.graphs.recorder import Recorder
>>> recorder = Recorder()
>>> with override(recorder=recorder):
...     i = taken_int(recorder, math.floor, TracedArray.make(2.7, None))
...     print((2 * i + 1).concrete, float((2 * i + 1).as_float().value))
5 5.0
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.steps import Node
from srcgrad.tracing.arrays.python_numbers import is_followed
from srcgrad.tracing.counts.loop_counts import LoopCount, computed_int
from srcgrad.tracing.counts.loop_indices import MOST
from srcgrad.tracing.environment.symbolic import is_counted

# What makes an integer of a number.
ROUNDING = frozenset({int, round, math.trunc, math.floor, math.ceil})
# What finds where something is, or how much there is, in an array.
PLACES = frozenset(
    {np.argmax, np.argmin, np.nanargmax, np.nanargmin, np.searchsorted, np.digitize}
    | {np.count_nonzero}
)
KINDS = float, np.floating, np.integer


def taken_int(recorder: Any, function: Any, item: Any) -> LoopCount | None:
    """What stands for ``function(item)``; None if that is not to be in the graph."""
    raw = raw_of(item) if isinstance(item, ArrayProtocol) else None
    if not isinstance(raw, KINDS) or not abs(raw) < MOST:
        return None
    if function is round and not is_followed(item):
        return None  # a Variable's is a Variable
    # Of a larger one, or none at all, the tape makes what Python makes.
    if not (_is_place(recorder.writer, item) or _is_small(item)):
        return None
    made = computed_int(recorder, function, (item,), function(raw))
    made.is_small = True
    return made


def extreme_int(recorder: Any, function: Any, items: Sequence[Any]) -> LoopCount | None:
    """``min`` or ``max`` of integers, if some of them are in the graph."""
    counts = [*filter(is_counted, items)]
    others = [item for item in items if type(item) is int]
    if len(items) < 2 or not counts or len(counts) + len(others) < len(items):
        return None
    indices = [item.as_index() if is_counted(item) else item for item in items]
    number = function([*others, *(count.concrete for count in counts)])
    made = computed_int(recorder, function, indices, number)
    made.is_small = all(count.is_small for count in counts)
    made.may_grow = any(count.may_grow for count in counts)
    return made


def _is_small(number: Any) -> bool:
    return bool(abs(number) < float(MOST))


def _is_place(writer: Any, item: Any) -> bool:
    """Whether it has just been found as the place of an element, or as their count."""
    if not isinstance(item.value, np.integer):
        return False
    steps = writer.steps_from(writer.count() - 1)
    return any(
        type(step) is Node
        and step.function in PLACES
        and step.results == (writer.value_at(item),)
        for step in steps
    )
