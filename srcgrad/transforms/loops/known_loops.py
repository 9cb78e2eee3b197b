"""``known_loop``: the ``Loop`` of a region of which one iteration was recorded as such.

>>> import numpy as np
>>> f8 = np.dtype(float)
>>> h, x, p, t, out = (Value((), f8, name) for name in ("h", "x", "p", "t", "out"))
>>> known = Known(0, (Carried(p, h, t, out),), {}, count=9)
>>> print(known_loop(known, [Node(np.multiply, (p, x), out=t)], [], {}, None).function.body)
t = multiply(p, x)
return t
"""

from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.graph import Graph
from srcgrad.loops import Loop
from srcgrad.steps import Guard, Node, Step, Value
from srcgrad.transforms.loops.regions import Carried, Known, Region

__all__ = ["Carried", "known_loop"]


def known_loop(
    known: Known,
    steps: Sequence[Step],
    inner: Sequence[Region],
    raws: MutableMapping[Value, Any],
    roll: Callable[..., Graph],
) -> Node:
    """The loop, of the steps of its iteration.

    ``inner`` are the regions in these, which ``roll`` rolls; ``raws`` gets what the
    Values of the body stood for.
    """
    parameters = [each.parameter for each in known.carried]
    inside = {*parameters, *known.indices}
    inside.update(value for step in steps for value in step.results)
    for each in inner:
        inside.update(value for own in each.known_loops() for value in own.values)
    around: dict[Value, Value] = {}
    firsts = [own.first for each in inner for own in _carried(each)]
    for value in (*(v for step in steps for v in step.inputs), *firsts):
        if value not in inside and value not in around:
            around[value] = replace(value)
            if value in raws:
                raws[around[value]] = raws[value]
    for index, (start, _) in known.indices.items():
        raws[index] = np.int64(start)
    nodes = tuple([step.with_values(around) for step in steps])
    outputs = tuple([around.get(each.output, each.output) for each in known.carried])
    inputs = (*known.indices, *parameters, *around.values())
    body = Graph(inputs, nodes, outputs)
    if inner:
        body = roll(body, [region.renamed(around) for region in inner])
    if known.ending is not None:
        body = replace(body, nodes=tuple(_with_test(body.nodes, known.test)))
    loop = Loop(
        body,
        known.count,
        tuple(known.indices.values()),
        carried=len(parameters),
        ending=known.ending,
    )
    args = (*(each.first for each in known.carried), *around)
    out = tuple([each.result for each in known.carried])
    return Node(loop, args, out=out, where=steps[0].where)


def _carried(region: Region) -> list[Carried]:
    return [each for known in region.known_loops() for each in known.carried]


def _with_test(steps: Sequence[Step], number: int) -> list[Step]:
    """The steps, with a guard of them as the test that ends the loop."""
    nodes = [*steps]
    guards = [place for place, step in enumerate(nodes) if type(step) is Guard]
    test: Any = nodes[guards[number]]
    nodes[guards[number]] = replace(test, ends=True)
    return nodes
