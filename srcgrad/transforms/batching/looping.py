"""What has no batching rule: one call for each element, and ``np.stack``.

>>> from srcgrad.steps import Value
>>> x, h = Value((2, 5), np.dtype(float), "x"), Value((), np.dtype(float), "h")
>>> batcher = Batcher({}, 2)
>>> batcher.stands({(e := Value((5,), np.dtype(float))): x})
>>> node = Node(np.ptp, (e,), out=h)
>>> batcher.begin(node)
>>> _ = looped(batcher, node)
>>> for step in batcher.steps: print(step.function.__name__)
getitem
ptp
getitem
ptp
stack
"""

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.steps import Node, Value, map_values, values_in
from srcgrad.transforms.batching.batcher import Batcher


def looped(batcher: Batcher, node: Node) -> Any:
    """Add a node once for each element: what stands for its results."""
    each = [_called(batcher, node, number) for number in range(batcher.size)]
    stacked = tuple(
        batcher.call(
            np.stack,
            [results[k] for results in each],
            shape=(batcher.size, *value.shape),
            dtype=value.dtype,
        )
        for k, value in enumerate(node.results)
    )
    return stacked if isinstance(node.out, tuple) else stacked[0]


def _called(batcher: Batcher, node: Node, number: int) -> tuple[Value, ...]:
    """The results of a node for one element of the batch."""

    def element(value: Value) -> Value:
        if not batcher.is_batched(value):
            return value
        if value not in made:
            kind = "array" if value.shape else "scalar"
            one = made[value] = Value(value.shape, value.dtype, kind=kind)
            whole = batcher.of(value)
            batcher.call_for(one, operator.getitem, (whole, number))
            if value.kind == "float":  # which Python computes with in its own way
                made[value] = replace(value, name=None)
                python = complex if value.dtype.kind == "c" else float
                batcher.call_for(made[value], python, (one,))
        return made[value]

    made: dict[Value, Value] = {}
    args = map_values(element, node.args)
    kwargs = map_values(element, dict(node.kwargs))
    out = map_values(lambda value: replace(value, name=None), node.out)
    batcher.call_for(out, node.function, args, kwargs)
    return tuple(values_in(out))
