"""Floats that a loop keeps for the way back, though to compute them again is cheaper.

To add or to multiply two of Python's floats takes less time than to put one into a list
and to take it out again.

>>> import numpy as np
>>> f8 = np.dtype(float)
>>> a, h, x, y, u, t = (Value((), f8, n, "float") for n in "ahxyut")
>>> g, b, k, d, r, dx = (Value((), f8, n, "float") for n in ("g", "b", *"kdr", "dx"))
>>> hs, ts = (Value((), f8, name, "list") for name in ("hs", "ts"))
>>> first = Graph((h, a), (Node(operator.mul, (h, a), out=t),), (t, h, t))
>>> back = Graph((k, d, g), (Node(operator.mul, (g, d), out=r),), (r,))
>>> there = Node(Loop(first, 9, (), 0, 1, lists=2), (1.0, x), out=(y, hs, ts))
>>> again = Node(Loop(back, 9, (), 2, 1, is_reversed=True), (hs, ts, 1.0), out=(dx,))
>>> print(recomputed(Graph((x,), (there, again), (y, dx))))
y, hs = loop(1.0, x)
    body(h, a):
        t = mul(h, a)
        return t, h
dx = loop(hs, 1.0, x)
    body(k, g, a_1):
        d = mul(k, a_1)
        r = mul(g, d)
        return r
return y, dx
"""

import itertools
import operator
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

from srcgrad.graph import Graph, map_bodies
from srcgrad.loops import Loop
from srcgrad.policy import MOST_AGAIN
from srcgrad.steps import Node, Step, Value, map_values
from srcgrad.transforms.reading import nodes_needed

# What takes less time than to keep a float; so many of these do.
CHEAP = frozenset(
    {operator.add, operator.sub, operator.mul, operator.truediv, operator.neg}
)


def recomputed(graph: Graph) -> Graph:
    """Compute in a loop back what is cheap to compute of what the loop there keeps."""
    if not graph.has_bodies:
        return graph
    steps = [map_bodies(recomputed, s) if s.bodies else s for s in graph.nodes]
    for position, back in enumerate(steps):
        if not (type(back) is Node and type(back.function) is Loop):
            continue
        lists = {v for v in back.function.given(back.args)[0] if _is_list(v)}
        makers = [i for i, s in enumerate(steps[:position]) if lists & {*s.results}]
        others = {v for step in steps if step is not back for v in step.inputs}
        if len(makers) == 1 and lists.isdisjoint(others.union(graph.outputs)):
            pair = _Pair(steps[makers[0]], back, lists)
            steps[makers[0]], steps[position] = pair.there(), pair.back()
    return replace(graph, nodes=tuple(steps))


def _is_list(item: Any) -> bool:
    return type(item) is Value and item.kind == "list"


class _Pair:
    """A loop, and the one back over what it keeps.

    ``known`` has for values in the one's body what they are in the other's; ``again``
    the steps that are new there, by their results; ``spent`` are lists that go.
    """

    def __init__(self, there: Any, back: Any, lists: Collection[Value]) -> None:
        self.one, self.two = there, back
        function = there.function
        self.made = {v: s for s in function.body.nodes for v in s.results}
        self.given = dict(
            zip(function.parameters()[3], function.given(there.args)[2], strict=True)
        )
        xs, _, consts = back.function.given(back.args)
        _, items, _, inside = back.function.parameters()
        self.xs = [*zip(xs, items, strict=True)]
        self.consts = [*zip(consts, inside, strict=True)]
        self.known: dict[Value, Any] = {}
        self.again: dict[Value, Node] = {}
        self.spent: set[Value] = set()
        ys = zip(
            function.computed()[3], function.results(there.results)[3], strict=True
        )
        item_of = {items: item for items, item in self.xs if _is_list(items)}
        pairs = {value: items for value, items in ys if items in lists}
        order = [*(v for v in pairs if v not in self.made), *self.made]
        for value in order:
            if value in pairs:
                self._choose(value, pairs[value], item_of[pairs[value]])

    def _choose(self, value: Value, items: Value, item: Value) -> None:
        """Decide whether a value goes on being kept."""
        steps = self._steps_for(value)
        # The loop back runs as often as there are items.
        if steps and len(self.spent) + 1 < len(self.xs):
            self.spent.add(items)
            for step in steps:
                out = item if step.out is value else replace(step.results[0], name=None)
                args = map_values(self._inside, step.args)
                self.known[step.results[0]] = out
                self.again[out] = Node(step.function, args, {}, out, in_backward=True)
        self.known[value] = item

    def _steps_for(self, value: Value) -> list[Any]:
        """The steps that compute a value of what is known, in order; none if many."""
        found: list[Any] = []
        waiting = [value]
        while waiting:
            value = waiting.pop()
            if value in self.known or value in self.given:
                continue
            step: Any = self.made.get(value)
            is_cheap = step is not None and step.function in CHEAP
            if not is_cheap or len(found) == MOST_AGAIN:
                return []
            found.append(step)
            waiting += step.inputs
        return found[::-1]

    def _inside(self, value: Value) -> Any:
        """What a value of the one's body is in the other's."""
        if value in self.known:
            return self.known[value]
        outer = self.given[value]
        for arg, parameter in self.consts:
            if arg is outer:
                return parameter
        if type(outer) is not Value:
            return outer
        self.consts.append((outer, value.twin()))
        return self.consts[-1][1]

    # ----- What becomes of them -----

    def there(self) -> Any:
        """The loop that keeps, with fewer lists."""
        loop, node = self.one.function, self.one
        *single, lists = loop.computed()
        results = loop.results(node.results)[3]
        pairs = [p for p in zip(lists, results, strict=True) if p[1] not in self.spent]
        outputs = (*itertools.chain(*single), *(value for value, _ in pairs))
        body = replace(loop.body, outputs=outputs)
        out = tuple(value for value in node.results if value not in self.spent)
        function = replace(loop, body=body, lists=len(pairs))
        return replace(node, function=function, out=out)

    def back(self) -> Any:
        """The loop back, with more steps."""
        loop, node = self.two.function, self.two
        indices, _, states, _ = loop.parameters()
        xs = [pair for pair in self.xs if pair[0] not in self.spent]
        inside = [parameter for _, parameter in self.consts]
        inputs = (*indices, *(item for _, item in xs), *states, *inside)
        body = replace(loop.body, inputs=inputs, nodes=tuple(self._steps_back()))
        first = loop.given(node.args)[1]
        args = (*(items for items, _ in xs), *first, *(arg for arg, _ in self.consts))
        function = replace(loop, body=body, xs=len(xs))
        return replace(node, function=function, args=args)

    def _steps_back(self) -> Iterator[Step]:
        """The steps back, and before each those that are new, as a part of its line."""
        waiting = dict(self.again)
        for step in self.two.function.body.nodes:
            needed = nodes_needed(waiting.values(), step.inputs)
            for new in needed:
                del waiting[new.results[0]]
                yield replace(new, where=getattr(step, "where", None))
            yield step
        yield from waiting.values()
