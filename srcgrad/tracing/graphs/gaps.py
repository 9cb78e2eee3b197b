"""``Gap``: iterations that a graph leaves out, of which it has those before and after.

>>> import numpy as np
>>> f8 = np.dtype(float)
>>> x, a, b, c, d = (Value((), f8, name) for name in "xabcd")
>>> steps = [Node(np.multiply, (h, x), out=new) for h, new in [(a, b), (b, c), (c, d)]]
>>> model = Model((steps[1],), ((-1, 0),), (b,), ((),))
>>> graph = Graph((x, a), tuple(steps), (d,))
>>> print(filled(graph, (), [Gap(model, 2, (d,))])[0])
b = multiply(a, x)
c = multiply(b, x)
t = multiply(c, x)
t_1 = multiply(t, x)
d = multiply(t_1, x)
return d
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from srcgrad.graph import Graph
from srcgrad.steps import Node, Step, Value
from srcgrad.transforms.loops.iterations import form_of_argument, map_leaves


class Model(NamedTuple):
    """An iteration that others are like.

    Attributes
    ----------
    nodes : tuple of Node
        Its steps, with one result each.
    sources : tuple of tuples of int
        For each step and operand, as how many steps before it is computed, this time or
        the last time, as a negative number; 0 for what is the same each time.
    first : tuple of Value
        What was computed in the iteration before.
    changes : tuple of tuples of int
        For each step by how much the integers in its index go up each time, if it has
        one: ``x[i, 0]``, ``x[i:i + 2]``.
    """

    nodes: tuple[Node, ...]
    sources: tuple[tuple[int, ...], ...]
    first: tuple[Value, ...]
    changes: tuple[tuple[int, ...], ...]

    @property
    def values(self) -> list[Value]:
        """What it computes."""
        return [node.results[0] for node in self.nodes]

    def steps(
        self, before: Sequence[Value], own: Sequence[Value], times: int
    ) -> list[Node]:
        """The same, perhaps not all of it, after an iteration with other results.

        It is so many ``times`` later.
        """
        known, size = [*before, *own], len(self.nodes)
        steps = []
        parts = zip(self.nodes, self.sources, self.changes, own, strict=False)
        for number, (node, sources, change, out) in enumerate(parts, size):
            pairs = zip(node.args, sources, strict=True)
            args = tuple([known[number + k] if k else arg for arg, k in pairs])
            if change:
                args = args[0], gone_on(args[1], change, times)
            steps.append(replace(node, args=args, kwargs={}, out=out))
        return steps


def change_between(index: Any, later: Any) -> tuple[int, ...] | None:
    """By how much each integer of an index goes up; None: something else differs.

    >>> change_between((1, slice(2, 4)), (2, slice(4, 6)))
    (1, 2, 2)
    """
    parts: tuple[list[Any], list[Any]] = [], []
    if form_of_argument(index, parts[0]) != form_of_argument(later, parts[1]):
        return None
    change = []
    for one, other in zip(*parts, strict=True):
        if type(one) is type(other) is int:
            change.append(other - one)
        elif one is not other:
            return None
    return tuple(change)


def gone_on(index: Any, change: Sequence[int], times: int) -> Any:
    """An index whose integers have gone up so many times."""
    if type(index) is int:
        return index + change[0] * times
    changes = iter(change)
    return map_leaves(
        lambda part: part + next(changes) * times if type(part) is int else part, index
    )


class Gap(NamedTuple):
    """So many iterations like a model, before one that computes ``after``."""

    model: Model
    number: int
    after: Sequence[Value]

    def is_even(self, values: Collection[Value]) -> bool:
        """Whether some values have the same places in the model as before it."""
        pairs = zip(self.model.first, self.model.values, strict=True)
        return all((one in values) == (other in values) for one, other in pairs)


def filled(
    graph: Graph, read: Collection[Value], gaps: Sequence[Gap]
) -> tuple[Graph, list[Value]]:
    """The graph with all iterations; and what is read, that in them included."""
    nodes, all_read = list(graph.nodes), [*read]
    for gap in gaps:
        nodes, values = _filled(nodes, gap, graph.outputs)
        known = set(read)
        is_read = [value in known for value in gap.model.values]
        for own in values:
            all_read += [v for v, yes in zip(own, is_read, strict=True) if yes]
    return replace(graph, nodes=tuple(nodes)), all_read


def _filled(
    nodes: Sequence[Step], gap: Gap, outputs: Sequence[Value]
) -> tuple[list[Step], Sequence[Sequence[Value]]]:
    """The steps with those of a gap, and what these compute."""
    model, after = gap.model, set(gap.after)
    places = [k for k, node in enumerate(nodes) if not after.isdisjoint(node.results)]
    if not places:  # nobody asks for it
        return [*nodes], ()
    values: list[Sequence[Value]] = []
    steps: list[Step] = []
    before: Sequence[Value] = model.values
    for times in range(1, gap.number + 1):
        own = [Value(v.shape, v.dtype, None, v.kind) for v in model.values]
        steps += model.steps(before, own, times)
        values.append(own)
        before = own
    instead = dict(zip(model.values, before, strict=True))
    last = [
        step.with_values(instead) if k in places else step
        for k, step in enumerate(nodes)
    ]
    behind = last[places[0] :]
    # What nobody asks for is not computed before it either: it cannot be continued.
    wanted = {*outputs}.union(*(step.inputs for step in behind))
    for step in reversed(steps):
        if not wanted.isdisjoint(step.results):
            wanted.update(step.inputs)
    asked = [step for step in steps if not wanted.isdisjoint(step.results)]
    return [*last[: places[0]], *asked, *behind], values
