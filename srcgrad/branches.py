"""``Branch``: the function of a node that runs one of two graphs, its arms.

>>> import numpy as np
>>> f8 = np.dtype(float)
>>> r, s, a, b = (Value((), f8, name) for name in "rsab")
>>> then = Graph((r,), (Node(np.multiply, (r, r), out=a),), (a,))
>>> orelse = Graph((s,), (Node(np.absolute, (s,), out=b),), (b,))
>>> branch = Branch(then, orelse)
>>> branch(True, -3.0), branch(False, -3.0)
((np.float64(9.0),), (np.float64(3.0),))
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

from srcgrad.graph import Graph, evaluate
from srcgrad.steps import Guard, Node, Value


@final
@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """``then(*args) if test else orelse(*args)``: what a node does with (test, *args).

    Both arms take the same, and give results of the same kinds, dtypes and shapes.
    """

    then: Graph
    orelse: Graph

    __name__ = "branch"

    @property
    def bodies(self) -> tuple[Graph, ...]:
        """What it may run."""
        return self.then, self.orelse

    def with_bodies(self, bodies: tuple[Graph, ...]) -> "Branch":
        """The same with other arms, which compute the same."""
        return Branch(*bodies)

    def __call__(self, test: Any, *args: Any) -> tuple[Any, ...]:
        return tuple(evaluate(self.arm(test), args))

    def arm(self, test: Any) -> Graph:
        """The one that runs."""
        return self.then if test else self.orelse

    def sources(self, node: Node) -> dict[Value, set[Value]]:
        """For each array that it gives the arrays in whose memory that may be.

        These are arguments, and results that come before it.
        """
        found: dict[Value, set[Value]] = {}
        for arm in self.bodies:
            origins = arm.origins()
            given = dict(zip(arm.inputs, node.args[1:], strict=True))
            first: dict[Value, Value] = {}
            for result, value in zip(node.results, arm.outputs, strict=True):
                if result.kind != "array":
                    continue
                for memory in origins.get(value, {value}):
                    outer = given.get(memory, first.setdefault(memory, result))
                    is_array = type(outer) is Value and outer.kind == "array"
                    if is_array and outer is not result:
                        found.setdefault(result, set()).add(outer)
        return found


def form_of(branch: Branch) -> Any:
    """What two branches have in common that do the same with what they get."""
    return tuple(_form_of_arm(arm) for arm in branch.bodies)


def _form_of_arm(arm: Graph) -> Any:
    numbers: dict[Value, int] = {}
    given = set(arm.inputs)

    def form(item: Any) -> Any:
        if type(item) is Value:
            number = numbers.setdefault(item, len(numbers))
            # A number may stand where a scalar does in other iterations.
            is_number = item in given and item.dtype.kind == "f"
            kind = "scalar" if is_number and item.kind == "float" else item.kind
            return number, item.shape, item.dtype, kind
        if isinstance(item, (tuple, list)):
            return type(item), tuple(map(form, item))
        if isinstance(item, dict):
            return dict, tuple((key, form(each)) for key, each in item.items())
        if isinstance(item, slice):
            return slice, form((item.start, item.stop, item.step))
        return type(item), repr(item)

    inputs, steps = form(arm.inputs), []
    for step in arm.nodes:
        assert type(step) is not Guard
        function: Any = step.function
        function = form_of(function) if type(function) is Branch else function
        steps.append((function, form(step.args), form(step.kwargs), form(step.results)))
    return inputs, tuple(steps), form(arm.outputs)


# ----- What goes into the arms -----


def with_constants_inside(node: Node) -> Node:
    """The node of a branch with the constants among its arguments in its arms.

    What is given twice is given once.
    """
    branch: Any = node.function
    args = node.args[1:]
    outer = {number for number, arg in enumerate(args) if type(arg) is Value}
    firsts = {args[number]: number for number in sorted(outer, reverse=True)}
    again = {number: firsts[args[number]] for number in outer}
    arms = []
    for arm in branch.bodies:
        inputs = arm.inputs
        arm = _renamed(arm, {inputs[a]: inputs[b] for a, b in again.items() if a != b})
        constants = {
            inputs[number]: arg
            for number, arg in enumerate(args)
            if number not in outer and inputs[number] not in arm.outputs
        }
        arms.append((arm, constants))
    read = [
        {*arm.outputs, *(value for step in arm.nodes for value in step.inputs)}
        for arm, _ in arms
    ]
    kept = [
        number
        for number, _ in enumerate(args)
        if any(
            arm.inputs[number] in own and arm.inputs[number] not in constants
            for (arm, constants), own in zip(arms, read, strict=True)
        )
    ]
    bodies = [_with_constants(arm, constants, kept) for arm, constants in arms]
    new = (node.args[0], *(args[number] for number in kept))
    return Node(Branch(*bodies), new, {}, node.out, node.where, node.in_backward)


def _renamed(arm: Graph, values: Mapping[Value, Value]) -> Graph:
    """An arm that reads some of its inputs in the place of others."""
    if not values:
        return arm
    nodes = tuple(step.with_values(values) for step in arm.nodes)
    outputs = tuple(values.get(value, value) for value in arm.outputs)
    return Graph(arm.inputs, nodes, outputs, arm.constants)


def _with_constants(
    arm: Graph, constants: Mapping[Value, Any], kept: Sequence[int]
) -> Graph:
    nodes = []
    for step in arm.nodes:
        step = step.with_values(constants)
        if type(step) is Node and type(step.function) is Branch:
            step = with_constants_inside(step)
        nodes.append(step)
    inputs = tuple(arm.inputs[number] for number in kept)
    return Graph(inputs, tuple(nodes), arm.outputs, arm.constants)
