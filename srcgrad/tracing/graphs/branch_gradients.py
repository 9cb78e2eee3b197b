"""The backward graph of a branch: another branch, on the same test.

Each arm is differentiated by itself. What its backward graph reads of its forward graph
it computes again; most often that is nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from srcgrad.branches import Branch
from srcgrad.graph import Graph, Joint, map_bodies
from srcgrad.steps import Node, Step, Value
from srcgrad.tracing.graphs.joints import Linearized, distinct, edge_of, on_tape
from srcgrad.tracing.refusal import give_up
from srcgrad.transforms import BODY_PIPELINE, optimize
from srcgrad.transforms.loops.loop_bodies import in_backward
from srcgrad.transforms.reading import nodes_needed


class _Arm(NamedTuple):
    """One arm, and its gradients by what goes into it, from some of its results.

    ``cotangents`` has their numbers.
    """

    graph: Graph
    joint: Joint | None
    cotangents: Mapping[int, Value]
    gradients: Sequence[Value | None]

    def needed(self, wanted: Sequence[int]) -> list[Any]:
        """The steps for some of the gradients."""
        if self.joint is None:
            return []
        gradients = [g for n in wanted if (g := self.gradients[n]) is not None]
        return nodes_needed(self.joint.nodes, gradients)

    def read(self, wanted: Sequence[int]) -> set[Value]:
        """What these read, and what the gradients are."""
        found = {value for step in self.needed(wanted) for value in step.inputs}
        return found | {g for n in wanted if (g := self.gradients[n]) is not None}


class BranchGradient:
    """One branch, and what is known of it when the walk back comes by."""

    def __init__(self, linearized: Linearized, node: Node, args: Any) -> None:
        self.linearized, self.node, self.args = linearized, node, args[1:]
        branch: Any = node.function
        self.active = [edge_of(arg) is not None for arg in self.args]
        self.arms = [self._linearized(arm) for arm in branch.bodies]
        self.flows = [
            any(arm.is_active(arm.graph.outputs[number]) for arm in self.arms)
            for number, _ in enumerate(node.results)
        ]

    def _linearized(self, arm: Graph) -> Linearized:
        return Linearized(
            arm, self.linearized.raws, self.active, self.linearized.linearize_loop
        )

    def results(self) -> list[Any]:
        """What the node gives, on the tape."""
        raws = [distinct(self.linearized.raw_of(value)) for value in self.node.results]
        edges = [edge_of(arg) for arg in self.args]
        return on_tape("BranchBackward", self.pull_back, edges, raws, self.flows)

    def pull_back(self, g: Sequence[Any]) -> Sequence[Any]:
        """Write down the branch of the gradients: those of the arguments."""
        writer = self.linearized.writer
        incoming = {
            number: writer.value_of(each)
            for number, each in enumerate(g)
            if each is not None and self.flows[number]
        }
        for number, value in incoming.items():
            _check(self.node.results[number], value)
        arms = [self._backward_of(linearized, incoming) for linearized in self.arms]
        found: list[Any] = [None] * len(self.args)
        wanted: list[int] = []
        for number, is_active in enumerate(self.active):
            gradients = [arm.gradients[number] for arm in arms]
            same = _same_in_all(arms, gradients)
            if same is not None:
                found[number] = g[same]
            elif is_active and any(each is not None for each in gradients):
                wanted.append(number)
        if not wanted:
            return found
        given = [
            number
            for number, _ in enumerate(self.args)
            if any(arm.graph.inputs[number] in arm.read(wanted) for arm in arms)
        ]
        kinds = [self._kind_of(number, arms) for number in wanted]
        bodies = [self._body(arm, given, incoming, wanted, kinds) for arm in arms]
        test, *outer = self.node.args
        args = (test, *(outer[number] for number in given), *incoming.values())
        out = tuple(
            replace(kind, name=_d(outer[number]), hint=_d(outer[number]))
            for number, kind in zip(wanted, kinds, strict=True)
        )
        where = self.node.where
        node = Node(Branch(*bodies), args, {}, out, where, in_backward=True)
        writer.add_step(node)
        for number, value in zip(wanted, out, strict=True):
            found[number] = self.linearized.stand_in(value)
        return found

    def _backward_of(
        self, linearized: Linearized, incoming: Mapping[int, Value]
    ) -> _Arm:
        arm = linearized.graph
        numbers = [n for n in incoming if linearized.is_active(arm.outputs[n])]
        if not numbers:
            return _Arm(arm, None, {}, [None] * len(arm.inputs))
        if linearized.is_walked:  # which has gone on with what is written down
            linearized = self._linearized(arm)
        roots = dict.fromkeys(arm.outputs[number] for number in numbers)
        joint = linearized.joint([*roots], arm.inputs)
        joint = optimize(joint, passes=BODY_PIPELINE)
        cotangents: dict[int, Value] = {}
        sums: list[Step] = []
        for root, whole in zip(roots, joint.cotangents, strict=True):
            same = [number for number in numbers if arm.outputs[number] is root]
            cotangents |= _parts_of(whole, same, sums)
        steps = (*sums, *map(_later, joint.nodes))
        joint = replace(joint, nodes=tuple(steps))
        return _Arm(arm, joint, cotangents, joint.gradients)

    def _kind_of(self, number: int, arms: Sequence[_Arm]) -> Value:
        """What the gradient by an argument is like."""
        found = [g for arm in arms if (g := arm.gradients[number]) is not None]
        like = self.arms[0].graph.inputs[number]
        for each in found:
            _check(like, each)
            if each.kind != found[0].kind:
                give_up("has a branch with gradients of several kinds")
        return replace(found[0], name=None, hint=None)

    def _body(
        self,
        arm: _Arm,
        given: Sequence[int],
        incoming: Mapping[int, Value],
        wanted: Sequence[int],
        kinds: Sequence[Value],
    ) -> Graph:
        """An arm of the branch back, with Values of its own."""
        joint = arm.joint
        steps: list[Step] = []
        outputs: list[Value] = []
        for number, kind in zip(wanted, kinds, strict=True):
            gradient = arm.gradients[number]
            if gradient is None:
                gradient = kind.twin()
                steps.append(_zero(gradient))
            outputs.append(gradient)
        steps = [*arm.needed(wanted), *steps]
        inputs = [
            *(arm.graph.inputs[number] for number in given),
            *(arm.cotangents.get(n, value.twin()) for n, value in incoming.items()),
        ]
        made = [value for step in steps for value in step.results]
        constants = {} if joint is None else joint.constants
        fresh = {value: value.twin() for value in (*inputs, *made, *constants)}
        read = {value for step in steps for value in step.inputs}.union(outputs)
        return Graph(
            tuple(fresh[value] for value in inputs),
            tuple(step.renamed(fresh) for step in steps),
            tuple(fresh[value] for value in outputs),
            {fresh[c]: array for c, array in constants.items() if c in read},
        )


def _later(step: Step) -> Step:
    """A step that is done again on the way back, and those in its bodies."""

    def inside(body: Graph) -> Graph:
        return replace(body, nodes=tuple(map(_later, body.nodes)))

    return in_backward(map_bodies(inside, step))


def _parts_of(
    whole: Value, numbers: Sequence[int], sums: list[Step]
) -> dict[int, Value]:
    """A cotangent for each of some results that are one Value; their sum is whole."""
    parts = {number: whole.twin() for number in numbers}
    (first, *others) = parts.values()
    for position, other in enumerate(others, 1):
        total = whole if position == len(others) else whole.twin()
        sums.append(Node(np.add, (first, other), out=total, in_backward=True))
        first = total
    return parts if others else dict.fromkeys(numbers, whole)


def _same_in_all(arms: Sequence[_Arm], gradients: Sequence[Any]) -> int | None:
    """The number of the result whose cotangent a gradient is, whichever arm ran."""
    return next(
        (
            number
            for number, cotangent in arms[0].cotangents.items()
            if gradients[0] is cotangent
            and gradients[1] is arms[1].cotangents.get(number, arms)
        ),
        None,
    )


def _zero(value: Value) -> Node:
    """The gradient where none flows."""
    zero = value.dtype.type(0)
    if value.kind == "array":
        return Node(np.zeros, (value.shape, value.dtype), out=value)
    return Node(value.dtype.type, (zero.item(),), out=value)


def _check(like: Value, gradient: Value) -> None:
    if (like.shape, like.dtype) != (gradient.shape, gradient.dtype):
        give_up("has a branch with a gradient of another kind")


def _d(item: Any) -> str | None:
    return f"d{item.name}" if type(item) is Value and item.name else None
