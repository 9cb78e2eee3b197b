"""``Box``: a graph as boxes in boxes and edges between them, to be laid out and drawn.

>>> import numpy as np
>>> x, h = Value((3,), np.dtype(float), "x"), Value((3,), np.dtype(float), "h")
>>> root, edges = boxes_of(Graph((x,), (Node(np.tanh, (x,), out=h),), (h,)))
>>> [box.title for box in root.inside]
['x', 'h = tanh(x)', 'h']
>>> [(edge.start.title, edge.end.title) for edge in edges]
[('x', 'h = tanh(x)'), ('h = tanh(x)', 'h')]
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from srcgrad.branches import Branch
from srcgrad.graph import Graph, Joint
from srcgrad.loops import Loop
from srcgrad.steps import Guard, Location, Node, Step, Value, values_in

# The characters of a title.
MOST_CHARACTERS = 36


@dataclass(eq=False)
class Box:
    """A step, a value that comes in or goes out, or what holds such boxes.

    ``kind`` is ``"step"``, ``"back"`` (a step of the way back), ``"guard"``,
    ``"value"``, ``"loop"``, ``"branch"``, ``"arm"``, ``"graph"``, or ``"bend"`` (where
    an edge passes by). ``x`` and ``y`` are those of its upper left corner, within the
    box around it.
    """

    kind: str
    title: str = ""
    note: str = ""
    tip: str = ""
    where: Location | None = None
    around: "Box | None" = None
    is_last: bool = False
    inside: "list[Box]" = field(default_factory=list)
    x: float = 0.0
    y: float = 0.0
    width: float = 0.0
    height: float = 0.0

    def put(self, box: "Box") -> "Box":
        """Put a box into this one, after the others."""
        box.around = self
        self.inside.append(box)
        return box

    @property
    def way(self) -> "list[Box]":
        """The boxes around it, from the outermost one, and itself."""
        return [*(self.around.way if self.around is not None else ()), self]


@dataclass(eq=False)
class Edge:
    """From where a value is made to where it is read.

    ``is_carried``: it is read in the next iteration. ``bends`` are the boxes that it
    passes by.
    """

    start: Box
    end: Box
    is_carried: bool = False
    bends: list[Box] = field(default_factory=list)


def boxes_of(graph: Graph) -> tuple[Box, list[Edge]]:
    """A graph as a box with all others in it, and the edges between these."""
    drawing = _Drawing()
    root = Box("graph")
    read = {value for step in graph.nodes for value in step.inputs} | {*graph.results}
    cotangents = graph.cotangents if isinstance(graph, Joint) else ()
    for value in (*graph.inputs, *graph.constants):
        if value in read:
            drawing.value(root, value)
    for value in cotangents:
        drawing.value(root, value)
    drawing.steps(root, graph.nodes)
    gradients = graph.gradients if isinstance(graph, Joint) else ()
    for result in dict.fromkeys((*graph.outputs, *gradients)):
        if result is not None:
            drawing.given_back(root, result)
    return root, drawing.edges


class _Drawing:
    """Boxes and edges as they come together; each Value is made in one box."""

    def __init__(self) -> None:
        self.edges: list[Edge] = []
        self._made: dict[Value, Box] = {}
        self._names: dict[Value, str] = {}

    def value(self, around: Box, value: Value, name: str = "") -> Box:
        """A box for a value that is there from the start."""
        self._made[value] = box = around.put(self._box_of(value, name))
        return box

    def _box_of(self, value: Value, name: str) -> Box:
        name, kind = name or self._name(value), _kind(value)
        return Box("value", _cut(name), kind, f"{name}: {kind}")

    def given_back(self, around: Box, value: Value, name: str = "") -> Box:
        """A box for a value that goes out."""
        box = self._box_of(value, name)
        box.is_last = True
        self._link([value], around.put(box))
        return box

    def steps(self, around: Box, steps: Iterable[Step]) -> None:
        for step in steps:
            if type(step) is Guard:
                self._guard(around, step)
            elif type(step.function) is Loop:
                self._loop(around, step, step.function)
            elif type(step.function) is Branch:
                self._branch(around, step, step.function)
            else:
                self._node(around, step)

    def _node(self, around: Box, node: Node) -> None:
        outs = ", ".join(value.name for value in node.results if value.name)
        expression = f"{_name_of(node.function)}({self._arguments(node)})"
        text = f"{outs} = {expression}" if outs else expression
        kinds = ", ".join(map(_kind, node.results))
        kind = "back" if node.in_backward else "step"
        box = Box(kind, _cut(text), _cut(kinds), f"{text}: {kinds}", node.where)
        self._link(node.inputs, around.put(box))
        self._made.update(dict.fromkeys(node.results, box))
        # As in generated code, a value without a name is called after its function.
        self._names.update(dict.fromkeys(node.results, _name_of(node.function)))
        for body in node.bodies:  # of a kind that is not known here
            self.steps(box, body.nodes)

    def _guard(self, around: Box, guard: Guard) -> None:
        shown = self._text(guard.value)
        test = f"{_name_of(guard.convert)}({shown}) is {guard.observed!r}"
        word = "goes on while" if guard.ends else "guard"
        box = Box("guard", _cut(f"{word} {test}"), "", f"{word} {test}", guard.where)
        self._link(guard.inputs, around.put(box))

    def _loop(self, around: Box, node: Node, loop: Loop) -> None:
        """A loop: its items and what it carries, the steps, and what comes of it."""
        title = _title_of(loop)
        box = around.put(Box("loop", title, tip=title))
        indices, items, states, consts = loop.parameters()
        xs, first, outer = loop.given(node.args)
        for value in indices:
            self.value(box, value)
        for values, sources in ((items, xs), (states, first)):
            for value, source in zip(values, sources, strict=True):
                self._link(values_in(source), self.value(box, value))
        for value, source in zip(consts, outer, strict=True):
            if type(source) is Value and source in self._made:
                self._made[value] = self._made[source]
                self._names[value] = self._name(source)
            else:  # a number, say, or a sequence of them
                self._link(values_in(source), self.value(box, value))
        self.steps(box, loop.body.nodes)
        carried, last, ys, lists = loop.computed()
        results = loop.results(node.results)
        for state, value, result in zip(states, carried, results[0], strict=True):
            out = self._result(box, value, [result])
            self.edges.append(Edge(out, self._made[state], is_carried=True))
        for value, result in zip(last, results[1], strict=True):
            self._result(box, value, [result])
        for value, each in zip(ys, loop.items_of(results[2]), strict=True):
            self._result(box, value, each)
        for value, result in zip(lists, results[3], strict=True):
            self._result(box, value, [result])

    def _branch(self, around: Box, node: Node, branch: Branch) -> None:
        test, *args = node.args
        box = around.put(Box("branch", f"if {self._text(test)}", where=node.where))
        self._link(values_in(test), box)
        outs = []
        for arm, word in zip(branch.bodies, ("then", "else"), strict=True):
            inner = box.put(Box("arm", word, where=node.where))
            for value, source in zip(arm.inputs, args, strict=True):
                if type(source) is Value and source in self._made:
                    self._made[value] = self._made[source]
                    self._names[value] = self._name(source)
                else:
                    self._link(values_in(source), self.value(inner, value))
            self.steps(inner, arm.nodes)
            outs.append(arm.outputs)
        for result, *values in zip(node.results, *outs, strict=True):
            self._result(box, values[0], [result])
            self._link(values[1:], self._made[result])

    def _result(self, around: Box, value: Value, results: Sequence[Value]) -> Box:
        """A box for what comes out of a box: the results of its node are made there."""
        name = next((n for r in results if (n := r.name or r.hint)), "")
        out = self.given_back(around, value, name or self._name(value))
        self._made.update(dict.fromkeys(results, out))
        return out

    def _link(self, values: Iterable[Value], end: Box) -> None:
        for start in dict.fromkeys(self._made.get(value) for value in values):
            if start is not None and start is not end:
                self.edges.append(Edge(start, end))

    # ----- Texts -----

    def _name(self, value: Value) -> str:
        return value.name or value.hint or self._names.get(value) or "·"

    def _arguments(self, node: Node) -> str:
        named = (f"{key}={self._text(item)}" for key, item in node.kwargs.items())
        return ", ".join([*map(self._text, node.args), *named])

    def _text(self, item: Any) -> str:
        if type(item) is Value:
            return self._name(item)
        if isinstance(item, tuple):
            inner = ", ".join(map(self._text, item))
            return f"({inner},)" if len(item) == 1 else f"({inner})"
        if isinstance(item, list):
            return f"[{', '.join(map(self._text, item))}]"
        if isinstance(item, slice):
            parts = item.start, item.stop, item.step
            start, stop, step = ("" if p is None else self._text(p) for p in parts)
            return f"{start}:{stop}:{step}" if step else f"{start}:{stop}"
        return str(item) if isinstance(item, np.generic) else repr(item)


def _name_of(function: Any) -> str:
    return getattr(function, "__name__", None) or repr(function)


def _title_of(loop: Loop) -> str:
    if loop.exit_condition is None:
        times = f"{loop.count} times"
    else:
        times = "as often as before" if loop.is_reversed else "until its test fails"
    return f"loop {times}{', in reverse order' if loop.is_reversed else ''}"


def _kind(value: Value) -> str:
    """What a value is: its dtype and shape."""
    if value.kind == "float":
        return getattr(value.promoted, "__name__", str(value.promoted))
    shape = f"[{', '.join(map(str, value.shape))}]" if value.shape else ""
    word = "list of " if value.kind == "list" else ""
    return f"{word}{value.dtype}{shape}"


def _cut(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 1]}…"
