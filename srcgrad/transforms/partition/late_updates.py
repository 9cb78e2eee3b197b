"""Updates at an index wait for those who want the array as it was before.

What is read first may be changed in place after that, and need not be copied.

>>> import operator
>>> import numpy as np
>>> from srcgrad.graph import Graph
>>> from srcgrad.updates import assign
>>> f8 = np.dtype(float)
>>> x, h, y, z = (Value((3,), f8, name) for name in "xhyz")
>>> s = Value((), f8, "s", "scalar")
>>> nodes = (
...     Node(np.exp, (x,), out=h),
...     Node(assign, (h, 0, 0.0), out=y),
...     Node(operator.getitem, (h, 0), out=s),
...     Node(np.multiply, (y, s), out=z),
... )
>>> print(update_late(Graph((x,), nodes, (z,))))
h = exp(x)
s = getitem(h, 0)
y = assign(h, 0, 0.0)
z = multiply(y, s)
return z
"""

from collections import Counter
from collections.abc import Collection, Sequence

from srcgrad.graph import Graph, Program
from srcgrad.steps import Node, Step, Value
from srcgrad.updates import UPDATES
from srcgrad.views import is_basic

# Where a step stands: at its number, or after another one that stands there.
Position = tuple[int, ...]


def update_late(graph: Program, owned: Collection[Value] = ()) -> Program:
    """Move each ``assign`` and ``add_at`` down to after all who read its array.

    ``owned`` are those of the inputs that may be changed in place too.
    """
    if graph.functions.isdisjoint(UPDATES):
        return graph
    updates = [
        step for step in graph.nodes if type(step) is Node and step.function in UPDATES
    ]
    order = _Order(graph, updates, owned)
    for node in reversed(updates):
        order.move_down(node)
    if not order.has_changed:
        return graph
    steps = sorted(graph.nodes, key=lambda step: order.places[id(step)])
    return graph.with_nodes(steps, {})


class _Order:
    """The places of the steps, and who reads which memory."""

    def __init__(
        self, graph: Graph, updates: Sequence[Node], owned: Collection[Value]
    ) -> None:
        self.has_changed = False
        self.made = {value for step in graph.nodes for value in step.results}.union(
            owned
        )
        self.places: dict[int, Position] = {
            id(step): (number,) for number, step in enumerate(graph.nodes)
        }
        self.origins = origins = graph.origins()
        # Of what updates give, and of what they change.
        self.users: dict[Value, list[Step]] = {each.results[0]: [] for each in updates}
        self.readers: dict[Value, list[Step]] = {each.args[0]: [] for each in updates}
        self.followers: Counter[int] = Counter()
        for step in graph.nodes:
            for value in step.inputs:
                if value in self.users:
                    self.users[value].append(step)
                if value in self.readers:
                    self.readers[value].append(step)
                if value in origins:
                    for array in self.readers.keys() & origins[value]:
                        self.readers[array].append(step)

    def move_down(self, node: Node) -> None:
        """Move an update to just after the last step that reads the array it changes.

        Where what it gives is wanted before that, it stays.
        """
        array, index, _ = node.args
        if array not in self.made or array in self.origins or not is_basic(index):
            return  # it is copied anyway, or there may be an error, which has its time
        last = max(self.readers[array], key=lambda step: self.places[id(step)])
        users = (self.places[id(step)] for step in self.users[node.results[0]])
        after = self.places[id(last)]
        if last is node or after >= min(users, default=(*after, 1)):
            return
        # Those that come to stand there later were before this one.
        self.followers[id(last)] += 1
        self.places[id(node)] = (*after, 1, -self.followers[id(last)])
        self.has_changed = True
