"""The backward graph of a loop: another loop, the other way round.

The body is differentiated once, by itself. What its backward graph reads of its forward
graph goes into lists, an item an iteration; the gradients of the consts add up.
"""

import functools
import operator
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.branches import Branch
from srcgrad.graph import Graph, Joint, Partition
from srcgrad.loops import ExitCondition, Loop
from srcgrad.steps import Guard, Node, Step, Value, values_in
from srcgrad.tracing.graphs.branch_gradients import BranchGradient
from srcgrad.tracing.graphs.joints import Linearized, distinct, edge_of, on_tape
from srcgrad.tracing.refusal import give_up
from srcgrad.transforms import BODY_PIPELINE, optimize, split
from srcgrad.transforms.loops.loop_bodies import (
    copied_views,
    in_backward,
    read_as_made,
    summed_inside,
)
from srcgrad.transforms.partition.late_updates import update_late
from srcgrad.transforms.partition.stages import without_marks
from srcgrad.updates import add_at, again, assign


def differentiated(
    graph: Graph,
    raws: Mapping[Value, Any],
    active: Sequence[bool],
    roots: Sequence[Value],
    inner: Collection[Value] = (),
    holds: bool = False,
) -> Joint:
    """A graph with loops, and its backward graph from some of its outputs.

    ``inner`` are those of these that others are computed from. ``holds``: what the way
    back reads of a loop is kept as it was computed.

    Raises
    ------
    Refusal
        If there is a loop that this does not cover.
    """
    linearized = Linearized(
        graph, raws, active, functools.partial(linearize_loop, holds)
    )
    return linearized.joint(roots, graph.inputs, inner)


def linearize_loop(
    holds: bool, linearized: Linearized, node: Node, args: Any
) -> list[Any]:
    """Put a loop on the tape, or a branch: its results."""
    if type(node.function) is Branch:
        return BranchGradient(linearized, node, args).results()
    return _LoopGradient(linearized, node, args, holds).results()


class _LoopGradient:
    """One loop, and what is known of it when the walk back comes by."""

    def __init__(
        self, linearized: Linearized, node: Node, args: Any, holds: bool
    ) -> None:
        self.linearized, self.node, self.holds = linearized, node, holds
        self.loop: Loop = node.function  # type: ignore[assignment]
        self.args = args
        self.body = self.loop.body
        count = len(self.loop.indices)
        flags = [_is_active(arg) for arg in args]
        # What is carried is active as soon as it was once.
        first = self.loop.xs
        while True:
            self.active = (*[False] * count, *flags)
            inner = Linearized(
                self.body, linearized.raws, self.active, self._linearize_loop
            )
            self._inner = inner
            self.flows = [inner.is_active(value) for value in self.body.outputs]
            before = list(flags)
            for number, flows in enumerate(self.flows[: self.loop.carried]):
                flags[first + number] = flags[first + number] or flows
            if flags == before:
                break
        self.flags = flags

    def results(self) -> list[Any]:
        """What the node gives, on the tape."""
        raws = [distinct(self.linearized.raw_of(value)) for value in self.node.results]
        flows = self._flows_of_results()
        edges = [edge_of(leaf) for arg in self.args for leaf in _leaves(arg)]
        return on_tape("LoopBackward", self.pull_back, edges, raws, flows)

    def _flows_of_results(self) -> list[bool]:
        loop = self.loop
        single = loop.carried + loop.last
        flows = self.flows[:single]
        for flow in self.flows[single : single + loop.ys]:
            flows += [flow] * loop.count
        return [*flows, *self.flows[single + loop.ys :]]

    def _linearize_loop(
        self, linearized: Linearized, node: Node, args: Any
    ) -> list[Any]:
        return linearize_loop(self.holds, linearized, node, args)

    # ----- Going back -----

    def pull_back(self, g: Sequence[Any]) -> Sequence[Any]:
        """Write down the loop the other way round: the gradients of the arguments."""
        incoming = self._incoming(g)
        body = self.body
        roots = [body.outputs[number] for number in incoming]
        partition = self._partition(roots)
        if not partition.gradients:
            give_up("has a loop through which nothing flows back")
        backward = _Backward(self, partition, incoming)
        writer = self.linearized.writer
        writer.replace_step(self.node, backward.forward_node())
        node = backward.node()
        for step in (*backward.zeros, node):
            writer.add_step(step)
        return backward.gradients()

    def _incoming(self, g: Sequence[Any]) -> dict[int, Any]:
        """For each output of the body through which gradients come, these."""
        loop = self.loop
        single = loop.carried + loop.last
        given: dict[int, Any] = dict(enumerate(g[:single]))
        for number in range(single, single + loop.ys):
            start = single + (number - single) * loop.count
            items = list(g[start : start + loop.count])
            given[number] = items if any(i is not None for i in items) else None
        lists = range(single + loop.ys, len(self.flows))
        given.update(zip(lists, g[len(g) - loop.lists :], strict=True))
        come = {number for number, each in given.items() if each is not None}
        come |= self._carried_into(come)
        return {
            number: given[number]
            for number, flows in enumerate(self.flows)
            if flows and number in come
        }

    def _carried_into(self, numbers: Collection[int]) -> set[int]:
        """What is carried that some outputs of the body depend on."""
        wanted = self.loop.needed_inside(self.body.outputs[each] for each in numbers)
        states = self.loop.parameters()[2]
        return {number for number, state in enumerate(states) if state in wanted}

    def _partition(self, roots: Sequence[Value]) -> Partition:
        if not self._inner.is_walked and _names_numbers(self.loop):
            joint = self._inner.joint(roots, self.body.inputs)
        else:
            # Before a loop of one iteration there has been another one.
            count = self.loop.count
            one, other = (1, count - 1) if count > 1 else (0, -1)
            joint = self._joint(roots, one)
            # What depends on the index must say so: else it differs at another one.
            if str(joint) != str(self._joint(roots, other)):
                give_up("has a loop whose gradient depends on the iteration's number")
        if self.holds:
            joint = replace(joint, held=read_as_made(joint))
        joint = without_marks(optimize(joint, passes=BODY_PIPELINE), mark=again)
        return split(copied_views(joint, self.loop.parameters()[2]))

    def _joint(self, roots: Sequence[Value], position: int) -> Joint:
        raws = dict(self.linearized.raws)
        for index, (start, step) in zip(
            self.loop.parameters()[0], self.loop.indices, strict=True
        ):
            raws[index] = np.int64(start + step * position)
        linearized = Linearized(self.body, raws, self.active, self._linearize_loop)
        return linearized.joint(roots, self.body.inputs)


def _names_numbers(loop: Loop) -> bool:
    """Whether what depends on an iteration's number says so, in the gradient too.

    That is so where numbers are indices as they are, or become floats: the rules of
    these give them on. Others may compute with them.
    """
    numbers = set(loop.parameters()[0])
    readers = [step for step in loop.body.nodes if numbers.intersection(step.inputs)]
    return all(map(functools.partial(_names_number, numbers), readers))


def _names_number(numbers: set[Value], step: Step) -> bool:
    if type(step) is Guard or step.function not in INDEXING:
        return step.function is float
    array, index, *others = step.args
    parts = index if type(index) is tuple else (index,)
    inside = [part for part in parts if type(part) is not Value]
    return numbers.isdisjoint(values_in((array, others, inside)))


# What reads and writes at an index.
INDEXING = frozenset({operator.getitem, assign, add_at})


class _Backward:
    """The two nodes that become of a loop, from the partition of its body."""

    def __init__(
        self, source: _LoopGradient, partition: Partition, incoming: Mapping[int, Any]
    ) -> None:
        self.source, self.partition, self.incoming = source, partition, incoming
        self.loop = source.loop
        self.zeros: list[Node] = []
        self._fills = False
        indices, items, states, consts = self.loop.parameters()
        given = self.loop.given(source.node.args)
        self._indices = dict(zip(indices, self.loop.indices, strict=True))
        self._items = dict(zip(items, given[0], strict=True))
        self._states = states
        self._consts = dict(zip(consts, given[2], strict=True))
        self.saved = [
            value
            for value in partition.saved
            if not any(value in known for known in (self._indices, self._items))
            and value not in self._consts
        ]
        # As long as some list is, so many iterations there were.
        self._counting: dict[Value, Value] = {}
        if self.loop.exit_condition is not None and not self.saved:
            last = partition.forward.outputs[-1]
            if self.loop.lists:
                self._counting = {last.twin(): source.node.results[-1]}
            else:
                self.saved = [partition.forward.outputs[0]]
        self.lists = [
            replace(v, name=None, kind="list", hint=f"{self._called(v)}s")
            for v in self.saved
        ]

    def _called(self, value: Value) -> str:
        """What to call a value."""
        steps = self.partition.forward.nodes
        maker = next((s for s in steps if value in s.results), None)
        own = getattr(getattr(maker, "function", None), "__name__", "value")
        return value.name or value.hint or str(own)

    def forward_node(self) -> Node:
        """The loop as it was, which keeps what is read on the way back."""
        graph = self.partition.forward
        outputs = (*graph.outputs, *self.saved)
        loop = replace(
            self.loop,
            body=update_late(replace(graph, outputs=outputs), self._states),
            lists=self.loop.lists + len(self.lists),
        )
        node = self.source.node
        return replace(node, function=loop, out=(*node.results, *self.lists))

    def node(self) -> Node:
        """The loop the other way round."""
        self._begin()
        self._take_cotangents()
        self._take_sums()
        self._take_items()
        saved = set(self.partition.saved)
        saved.update(self._numbers)
        indices = [value for value in self._indices if value in saved]
        consts = [value for value in self._consts if value in saved]
        outputs = (*self._carried, *self._last, *self._ys)
        backward = self.partition.backward
        body = Graph(
            (*indices, *self._xs, *self._cotangents, *consts, *self._same),
            tuple(in_backward(node).renamed(self._other) for node in self._nodes),
            tuple(self._other.get(value, value) for value in outputs),
            {} if backward is None else backward.constants,
        )
        exit_condition = self.loop.exit_condition
        loop = Loop(
            update_late(body, self._cotangents),
            self.loop.count,
            tuple(self._indices[value] for value in indices),
            len(self._xs),
            len(self._carried),
            len(self._last),
            len(self._ys),
            is_reversed=True,
            fills=self._fills,
            exit_condition=exit_condition
            and ExitCondition(is_known=exit_condition.is_known),
        )
        outer = (self._consts[value] for value in consts)
        args = (*self._xs.values(), *self._first, *outer, *self._same.values())
        made = [value for values in self._of_each.values() for value in values]
        out = (*self._out, *made)
        where = self.source.node.where
        return Node(loop, args, out=out, where=where, in_backward=True)

    def _begin(self) -> None:
        """What the parts of the node are collected in."""
        backward = self.partition.backward
        self._nodes: list[Any] = [] if backward is None else list(backward.nodes)
        self._found = dict(
            zip(self.source.body.inputs, self.partition.gradients, strict=True)
        )
        # The two loops may stand in one function, where names are not to be shared.
        items = {v: replace(v, hint=self._called(v)) for v in self.saved}
        self._other: dict[Value, Value] = dict(items)
        saved = set(self.partition.saved)
        self._xs = {v: item for v, item in self._items.items() if v in saved}
        self._xs.update(zip(items.values(), self.lists, strict=True))
        self._xs.update(self._counting)
        # What is carried back, and what of it comes out.
        self._cotangents: list[Value] = []
        self._first: list[Any] = []
        self._carried: list[Value] = []
        self._last: list[Value] = []
        self._ys: list[Value] = []
        self._out: list[Value] = []
        # The numbers by which rows are taken.
        self._numbers: list[Value] = []
        # Cotangents that stay the same, and what they are.
        self._same: dict[Value, Any] = {}
        # The results, for inputs of the body; or the Variable that is one already.
        self._of: dict[Value, Any] = {}
        self._of_each: dict[Value, list[Value]] = {}

    def _carry(self, state: Value, first: Any, value: Value) -> Value:
        """Carry something back; what comes of it in the end."""
        self._cotangents.append(state)
        self._first.append(first)
        self._carried.append(value)
        self._out.append(replace(state, name=value.name))
        return self._out[-1]

    def _take_cotangents(self) -> None:
        """The cotangents of what was carried, of the last iteration, and of each."""
        cotangents = zip(self.incoming, self.partition.cotangents, strict=True)
        for number, cotangent in cotangents:
            given = self.incoming[number]
            if number >= self.loop.carried + self.loop.last + self.loop.ys:
                self._take_row(cotangent, given)
                continue
            if number >= self.loop.carried + self.loop.last:
                items = tuple(self._cotangent(cotangent, g) for g in given)
                self._xs[cotangent] = items
                continue
            parameter = self._states[number] if number < self.loop.carried else None
            gradient = None if parameter is None else self._found[parameter]
            is_same = gradient is cotangent and given is not None
            if parameter is not None and is_same:
                # What adds up has one cotangent in all iterations.
                self._same[cotangent] = self._cotangent(cotangent, given)
                self._of[parameter] = given
                continue
            result = self._carry(
                cotangent,
                self._cotangent(cotangent, given),
                self._fitting(cotangent, gradient, self._nodes),
            )
            # Of a loop that does not run the result is what was carried in.
            flows = gradient is not None or self.loop.may_be_empty
            if flows and parameter is not None:
                self._of[parameter] = result

    def _take_row(self, cotangent: Value, g: Any) -> None:
        """The cotangent of an item of a list: a row of that of all, by its number."""
        rows = self.source.linearized.writer.value_of(g)
        index = next((v for v, n in self._indices.items() if n == (0, 1)), None)
        if index is None:
            index = Value((), np.dtype(np.int64), None, "float", "i")
            self._indices[index] = 0, 1
        self._numbers.append(index)
        inner = rows.twin()
        self._same[inner] = rows
        self._nodes.insert(
            0, Node(operator.getitem, (inner, index), out=cotangent, in_backward=True)
        )

    def _take_sums(self) -> None:
        """The gradients of the consts, which add up."""
        for parameter, value in self._consts.items():
            gradient = self._found[parameter]
            if gradient is None:
                continue
            # The sum has the name; what is added to it needs none.
            hint = f"d{value.hint}" if value.hint else None
            total = replace(_plain(value), name=_d(value), hint=hint)
            _check(total, gradient)
            added = total.twin()
            self._of[parameter] = self._carry(total, self._zero(total), added)
            others = list(self.partition.gradients)
            others.remove(gradient)
            inside = summed_inside(self._nodes, gradient, total, added, others)
            if inside is not None:
                self._nodes = inside
                continue
            made = (node for node in self._nodes if gradient in node.results)
            maker = next(made, None)
            if gradient.name == total.name and maker is not None:
                self._other[gradient] = replace(gradient, name=None)
            where = None if maker is None else maker.where
            node = Node(np.add, (total, gradient), {}, added, where, in_backward=True)
            self._nodes.append(node)

    def _take_items(self) -> None:
        """The gradients of each item, and of what was carried in, but not on."""
        for number, parameter in enumerate(self._states):
            gradient = self._found[parameter]
            if gradient is not None and number not in self.incoming:
                _check(parameter, gradient)
                self._last.append(gradient)
                self._of[parameter] = gradient.twin()
                self._out.append(self._of[parameter])
        for parameter, sequence in self._items.items():
            gradient = self._found[parameter]
            if gradient is not None:
                _check(parameter, gradient)
                self._ys.append(gradient)
                made = [replace(gradient, name=_d(item)) for item in sequence]
                self._of_each[parameter] = made

    def gradients(self) -> list[Any]:
        """The gradients of the arguments, as the walk back gets them."""
        found: list[Any] = []
        _, items, states, consts = self.loop.parameters()
        given = self.loop.given(self.source.args)
        for parameter, sequence in zip(items, given[0], strict=True):
            made = self._of_each.get(parameter)
            for number, leaf in enumerate(_leaves(sequence)):
                value = None if made is None or not edge_of(leaf) else made[number]
                found.append(self._variable(value))
        for parameter, arg in zip(
            (*states, *consts), (*given[1], *given[2]), strict=True
        ):
            found.append(
                self._variable(self._of.get(parameter) if edge_of(arg) else None)
            )
        return found

    def _variable(self, value: Any) -> Any:
        """Something on the tape that stands for a result of the backward loop."""
        if type(value) is not Value:
            return value
        return self.source.linearized.stand_in(value)

    def _cotangent(self, like: Value, g: Any) -> Any:
        """A cotangent that comes in, or zeros."""
        if g is None:
            self._fills = True
            return self._zero(like)
        value = self.source.linearized.writer.value_of(g)
        _check(like, value)
        return value

    def _zero(self, like: Value) -> Any:
        """Zeros like a Value: an array of its own each time."""
        if like.kind != "array":
            return like.dtype.type(0)
        return self._zeros_to(like, self.zeros)

    def _zeros_to(self, like: Value, steps: list[Any]) -> Any:
        zeros = like.twin()
        size = like.shape[0] if len(like.shape) == 1 else like.shape
        kind = {} if like.dtype == np.float64 else {"dtype": like.dtype}
        steps.append(Node(np.zeros, (size,), kind, zeros, in_backward=True))
        return zeros

    def _fitting(self, like: Value, gradient: Value | None, nodes: list[Any]) -> Value:
        """What the cotangent of an iteration becomes for the one before it."""
        if gradient is not None:
            _check(like, gradient)
            return gradient
        self._fills = True
        if like.kind == "array":
            zeros: Value = self._zeros_to(like, nodes)
            return zeros
        out = replace(like, name=None)
        nodes.append(
            Node(np.multiply, (like.dtype.type(0), like.dtype.type(0)), out=out)
        )
        return out


def _check(like: Value, gradient: Value) -> None:
    """Refuse a gradient that is of another shape or dtype than what it is added to."""
    if (like.shape, like.dtype) != (gradient.shape, gradient.dtype):
        give_up("has a loop with a gradient of another kind")


def _plain(value: Value) -> Value:
    kind = "scalar" if value.kind == "float" else value.kind
    return replace(value, kind=kind, hint=None)


def _d(item: Any) -> str | None:
    named = next(iter(values_in(item)), None)
    return f"d{named.name}" if named is not None and named.name else None


def _leaves(arg: Any) -> Sequence[Any]:
    return arg if isinstance(arg, (tuple, list)) else (arg,)


def _is_active(arg: Any) -> bool:
    return any(edge_of(leaf) is not None for leaf in _leaves(arg))
