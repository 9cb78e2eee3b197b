"""``matched``: what stands in some steps for the Values of a body that does the same.

>>> f8 = np.dtype(float)
>>> p, t, x, h = (Value((), f8, name) for name in "ptxh")
>>> body = Graph((p,), (Node(np.multiply, (p, 2.0), out=t),), (t,))
>>> found = matched(body, [Node(np.multiply, (x, 2.0), out=h)])
>>> found[p] is x, found[t] is h
(True, True)
>>> matched(body, [Node(np.multiply, (x, 3.0), out=h)]) is None
True
"""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from srcgrad.branches import Branch
from srcgrad.graph import Graph
from srcgrad.steps import Guard, Node, Step, Value
from srcgrad.transforms.loops.iterations import is_same, map_leaves, meta_of


def matched(body: Graph, steps: Sequence[Step]) -> dict[Value, Any] | None:
    """For each Value of a body what stands there in some steps; None: they differ.

    What the body takes stands for one thing, whatever that is.
    """
    if len(body.nodes) != len(steps):
        return None
    # Where a loop has ended, the loop says so.
    pairs = [
        pair
        for pair in zip(body.nodes, steps, strict=True)
        if not (_ends(pair[0]) and getattr(pair[1], "value", None) is True)
    ]
    mine, own = _Form(), _Form()
    if any(_form(a, mine) != _form(b, own) for a, b in pairs):
        return None
    found: dict[Value, Any] = {}
    made = {value for step in body.nodes for value in step.results} | mine.made
    for a, b in zip(mine.leaves, own.leaves, strict=True):
        if type(a) is not Value:
            if type(b) is Value or not is_same(a, b):
                return None
        elif a in found:
            if found[a] is not b and (type(b) is Value or not is_same(found[a], b)):
                return None
        elif (type(b) is Value and meta_of(a) != meta_of(b)) or (
            a in made and type(b) is not Value
        ):
            return None
        else:
            found[a] = b
    return found


def _ends(step: Step) -> bool:
    return type(step) is Guard and step.ends


class _Form:
    """What goes into some steps, and comes of them, one after another.

    ``made`` is what steps in arms make, ``given`` has what arms take.
    """

    def __init__(self) -> None:
        self.leaves: list[Any] = []
        self.made: set[Value] = set()
        self._given: dict[Value, Any] = {}

    def leaf(self, item: Any) -> None:
        """Note what stands somewhere."""
        self.leaves.append(self._given.get(item, item) if type(item) is Value else item)

    def form_of_arm(self, arm: Graph, args: Sequence[Any]) -> Any:
        """What must be the same about two arms, with what they take in its place."""
        given = [self._given.get(v, v) if type(v) is Value else v for v in args]
        self._given.update(zip(arm.inputs, given, strict=True))
        steps = tuple([_form(step, self) for step in arm.nodes])
        self.made.update(value for step in arm.nodes for value in step.results)
        self.made.update(arm.constants)
        for value in (*arm.outputs, *arm.constants):
            self.leaf(value)
        held = [np.asarray(array).tobytes() for array in arm.constants.values()]
        return steps, tuple(map(meta_of, arm.outputs)), held


def _form(step: Step, known: _Form) -> Any:
    """What must be the same about two steps; the rest goes to lists."""
    if type(step) is Guard:
        known.leaf(step.value)
        return "guard", step.convert, repr(step.observed)
    assert type(step) is Node
    if type(step.function) is Branch:
        test, *args = step.args
        known.leaf(test)
        arms = [known.form_of_arm(arm, args) for arm in step.function.bodies]
        for value in step.results:
            known.leaf(value)
        return "branch", arms, tuple(map(meta_of, step.results))
    shape = map_leaves(known.leaf, (step.args, tuple(step.kwargs.values())))
    for value in step.results:
        known.leaf(value)
    function: Any = step.function
    if step.bodies:
        function = _form_of_function(function)
    out = type(step.out) is tuple, tuple(map(meta_of, step.results))
    return function, repr(shape), tuple(step.kwargs), out, step.must_run


def _form_of_function(function: Any) -> Any:
    """What two loops, or branches, have in common that do the same."""
    own = tuple(
        (field.name, repr(getattr(function, field.name)))
        for field in fields(function)
        if not isinstance(getattr(function, field.name), Graph)
        and field.name != ("count" if getattr(function, "exit_condition", None) else "")
    )
    return type(function), own, tuple(map(_form_of_graph, function.bodies))


def _form_of_graph(graph: Graph) -> Any:
    """The text of a graph, with its constants: Values are numbers there."""
    numbers: dict[Value, Any] = {}

    def numbered(item: Any) -> Any:
        if type(item) is not Value:
            return type(item), repr(item)
        return numbers.setdefault(item, len(numbers)), meta_of(item)

    inner = _Form()
    inputs = tuple(map(numbered, graph.inputs))
    steps = tuple(_form(step, inner) for step in graph.nodes)
    leaves = tuple(map(numbered, inner.leaves))
    held = tuple(
        (numbers.get(value), np.asarray(array).tobytes())
        for value, array in graph.constants.items()
    )
    return inputs, steps, leaves, tuple(map(numbered, graph.outputs)), held
