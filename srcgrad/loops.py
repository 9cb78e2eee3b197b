"""``Loop``: the function of a node that runs a graph, its body, again and again.

>>> import numpy as np
>>> f8 = np.dtype(float)
>>> x, h, t = Value((), f8, "x"), Value((), f8, "h"), Value((), f8, "t")
>>> nodes = (Node(np.multiply, (h, x), out=t),)
>>> power = Loop(Graph((h, x), nodes, (t,)), count=3, carried=1)
>>> power(1.0, 2.0)
(np.float64(8.0),)

As in JAX's ``scan``, a body takes, in this order, what depends on the iteration's
number: *indices*, and one item of each of the *xs*, which are sequences; what is
*carried* from one iteration to the next; and the *consts*, the same in all. It returns
what is carried on, then what is wanted of the *last* iteration, and one item of each of
the *ys*: the results of the node hold these item by item, or as a *list*, a Value of
that kind.

A loop whose count is not known before has an ``ExitCondition``: its body has a guard
that ends it. The way back goes over lists, which are as long as there were iterations.
"""

import itertools
import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from srcgrad.graph import Graph, evaluate
from srcgrad.steps import Guard, Node, Step, Value, values_in

# What gives the outputs of a graph for its inputs, as ``evaluate`` does.
Evaluate = Callable[[Graph, tuple[Any, ...]], list[Any]]


@dataclass(frozen=True, slots=True)
class ExitCondition:
    """How a loop ends whose count is known in the end only.

    Attributes
    ----------
    is_last : bool
        Whether the test comes last in an iteration, the results of which count then:
        ``while True: ...; if test: break``. Else nothing comes of the one in which it
        ends, and it comes first: ``while test: ...``.
    most : int or None
        After so many iterations the loop does not end like this any more.
    stops : bool
        After so many it ends, too, in the same way: ``while test and k < most: ...``.
    counts : bool
        Whether the test is that of a whole number, which is counted down, and is more
        than zero when the loop begins, unless the test comes first.
    is_known : bool
        Whether the number is known each time that the loop begins, and more than zero.
    """

    is_last: bool = False
    most: int | None = None
    stops: bool = False
    counts: bool = False
    is_known: bool = False


@final
@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """``for index in range(count): carried = body(index, *xs, *carried, *consts)``.

    Attributes
    ----------
    body : Graph
        What one iteration computes.
    count : int
        How many there are.
    indices : tuple of (int, int)
        For each index where it starts, and its step.
    xs, carried, last, ys, lists : int
        How many of these there are; ``lists`` are the ys that are lists.
    is_reversed : bool
        Whether the last iteration runs first. All sequences are numbered as if it did
        not.
    fills : bool
        Whether it is a way back with zeros for cotangents that the tape would not have:
        where a derivative is infinite, they make a nan of nothing.
    exit_condition : ExitCondition or None
        If there is one, ``count`` is only what it once was.
    """

    body: Graph
    count: int
    indices: tuple[tuple[int, int], ...] = ()
    xs: int = 0
    carried: int = 0
    last: int = 0
    ys: int = 0
    lists: int = 0
    is_reversed: bool = False
    fills: bool = False
    exit_condition: ExitCondition | None = None

    __name__ = "loop"

    @property
    def bodies(self) -> tuple[Graph, ...]:
        """What it runs."""
        return (self.body,)

    def with_bodies(self, bodies: tuple[Graph, ...]) -> "Loop":
        """The same with another body, which computes the same."""
        return replace(self, body=bodies[0])

    @property
    def order(self) -> range:
        """The numbers of the iterations in the order in which they run."""
        return self._order(self.count)

    def _order(self, count: int) -> range:
        numbers = range(count)
        return numbers[::-1] if self.is_reversed else numbers

    @property
    def may_be_empty(self) -> bool:
        """Whether it may be that nothing runs: it gives what it carries at first."""
        exit_condition = self.exit_condition
        if exit_condition is None or exit_condition.is_known:
            return False
        return self.is_reversed or not exit_condition.is_last

    @property
    def before_test(self) -> int:
        """How many steps run once more in the iteration in which it ends.

        What was carried before is there after these, for nothing comes of them.
        """
        is_inside = self.exit_condition is not None and not self.exit_condition.is_last
        test = self.test if is_inside else None
        return 0 if test is None else self.body.nodes.index(test)

    @property
    def test(self) -> Guard | None:
        """The guard that ends it, if it has one."""
        guards = (step for step in self.body.nodes if type(step) is Guard)
        return next((guard for guard in guards if guard.ends), None)

    @property
    def countdown(self) -> int | None:
        """The place of what it carries only to count it down, if it does."""
        test = self.test
        if (
            self.exit_condition is None
            or not self.exit_condition.counts
            or test is None
        ):
            return None
        states, carried = self.parameters()[2], self.computed()[0]
        read = _operand(self._maker(test.value), (np.greater, operator.gt), 0.0)
        own = carried if self.exit_condition.is_last else states
        number = next((i for i, value in enumerate(own) if value is read), None)
        if number is None or test.observed is not True:
            return None
        state, left = states[number], carried[number]
        down = _operand(self._maker(left), (np.subtract, operator.sub), 1.0)
        inputs = [value for step in self.body.nodes for value in step.inputs]
        reads = sum(map(inputs.count, (state, left, test.value)))
        results = self.body.outputs.count(left) + self.body.outputs.count(state)
        return number if down is state and (reads, results) == (3, 1) else None

    def _maker(self, value: Any) -> Step | None:
        return next((step for step in self.body.nodes if value in step.results), None)

    # ----- The parts of a node and of its body -----

    def parameters(self) -> tuple[Sequence[Value], ...]:
        """The body's inputs: indices, items of the xs, carried, consts."""
        return _parts(self.body.inputs, (len(self.indices), self.xs, self.carried))

    def given(self, args: Sequence[Any]) -> tuple[Sequence[Any], ...]:
        """A node's arguments: xs, what is carried at first, consts."""
        return _parts(args, (self.xs, self.carried))

    def computed(self) -> tuple[Sequence[Value], ...]:
        """The body's outputs: carried, last, ys item by item, ys in lists."""
        return _parts(self.body.outputs, (self.carried, self.last, self.ys))

    def results(self, out: Sequence[Any]) -> tuple[Sequence[Any], ...]:
        """A node's results: carried, last, all items of ys, lists."""
        return _parts(out, (self.carried, self.last, self.ys * self.count))

    def items_of(self, ys: Sequence[Any]) -> Iterator[Sequence[Any]]:
        """Of all items of the ys, those of one after those of another."""
        for number in range(self.ys):
            yield ys[number * self.count : (number + 1) * self.count]

    def __call__(self, *args: Any) -> tuple[Any, ...]:
        return self.run(evaluate, args)

    def run(self, evaluate: Evaluate, args: Sequence[Any]) -> tuple[Any, ...]:
        """What it gives, where ``evaluate`` runs the body of an iteration."""
        if self.exit_condition is not None:
            return self._until_it_ends(self.exit_condition, evaluate, args)
        xs, state, consts = self.given(args)
        rest: Sequence[Any] = ()
        ys: list[Any] = [[None] * self.count for _ in range(self.ys + self.lists)]
        for number in self.order:
            indices = [start + step * number for start, step in self.indices]
            items = [sequence[number] for sequence in xs]
            found = evaluate(self.body, (*indices, *items, *state, *consts))
            state, rest = found[: self.carried], found[self.carried :]
            for sequence, item in zip(ys, rest[self.last :], strict=True):
                sequence[number] = item
        flat = [item for sequence in ys[: self.ys] for item in sequence]
        return (*state, *rest[: self.last], *flat, *ys[self.ys :])

    def _until_it_ends(
        self, exit_condition: ExitCondition, evaluate: Evaluate, args: Sequence[Any]
    ) -> tuple[Any, ...]:
        """The same of a loop that has an exit condition."""
        xs, state, consts = self.given(args)
        if self.is_reversed:
            known = replace(self, count=len(xs[0]), exit_condition=None)
            return known.run(evaluate, args)
        rest: Sequence[Any] = ()
        ys: list[list[Any]] = [[] for _ in range(self.lists)]
        goes_on = True
        left: Iterator[int] = itertools.count()
        if exit_condition.stops and exit_condition.most is not None:
            left = iter(range(exit_condition.most))
        for number in left:
            if not goes_on:
                break
            indices = [start + step * number for start, step in self.indices]
            goes_on = self._goes_on(evaluate, (*indices, *state, *consts))
            if not goes_on and not exit_condition.is_last:
                break
            found = evaluate(self.body, (*indices, *state, *consts))
            state, rest = found[: self.carried], found[self.carried :]
            for items, item in zip(ys, rest[self.last :], strict=True):
                items.append(item)
        return (*state, *rest[: self.last], *ys)

    def _goes_on(self, evaluate: Evaluate, given: tuple[Any, ...]) -> bool:
        """Whether the test of an iteration holds; no more of it runs."""
        guard, nodes = self.test, self.body.nodes
        assert guard is not None
        first = replace(
            self.body, nodes=nodes[: nodes.index(guard)], outputs=guard.inputs
        )
        (value,) = evaluate(first, given)
        return replace(guard, value=value).holds()

    # ----- What depends on what -----

    def needed_inside(self, wanted: Iterable[Value]) -> set[Value]:
        """What some outputs of the body depend on, in this iteration or before it."""
        states, carried = self.parameters()[2], self.computed()[0]
        needed = set(wanted)
        known = 0
        while known < len(needed):
            known = len(needed)
            for step in reversed(self.body.nodes):
                needed.update(inputs_needed(step, needed))
            pairs = zip(states, carried, strict=True)
            needed.update(value for state, value in pairs if state in needed)
        return needed

    def arguments_needed(self, node: Node, wanted: Collection[Value]) -> set[Value]:
        """The Values among a node's arguments that some of its results depend on."""
        inside = self.needed_inside(
            value for result, value, _ in self._placed(node) if result in wanted
        )
        parameters = self.body.inputs[len(self.indices) :]
        pairs = zip(parameters, node.args, strict=True)
        return {v for each, arg in pairs if each in inside for v in values_in(arg)}

    # ----- Memory -----

    def sources(self, node: Node) -> dict[Value, set[Value]]:
        """For each array that it gives the arrays in whose memory that may be.

        These are arguments, and results that come before it.
        """
        under = self._under(node)
        origins = self.body.origins()
        groups = self._groups(origins)
        inputs = {groups[value] for value in self.body.inputs}
        before: dict[tuple[Value, int], Value] = {}
        found: dict[Value, set[Value]] = {}
        for result, value, position in self._placed(node):
            group = groups[value]
            sources = set[Value]()
            for each in origins.get(value, {value}):
                sources |= under.get(each, set())
            # What is made in an iteration is another array each time.
            key = group, -1 if group in inputs else position
            if result.kind == "list":
                sources |= {v for (other, _), v in before.items() if other is group}
            elif result.kind == "array" and before.setdefault(key, result) != result:
                sources.add(before[key])
            if sources and result.kind in ("array", "list"):
                found[result] = found.get(result, set()) | sources
        return found

    def _placed(self, node: Node) -> Iterator[tuple[Value, Value, int]]:
        """The node's results: what they are of the body's, in which iteration."""
        carried, last, ys, lists = self.computed()
        results = self.results(node.results)
        final = self.order[-1]
        if self.may_be_empty:
            for result, state in zip(results[0], self.parameters()[2], strict=True):
                yield result, state, final
        for result, value in zip(
            (*results[0], *results[1]), (*carried, *last), strict=True
        ):
            yield result, value, final
        for value, items in zip(ys, self.items_of(results[2]), strict=True):
            for position, result in enumerate(items):
                yield result, value, position
        for result, value in zip(results[3], lists, strict=True):
            yield result, value, final

    def _under(self, node: Node) -> dict[Value, set[Value]]:
        """For the body's inputs, the arguments in whose memory they may be."""
        origins = self.body.origins()
        _, items, states, consts = self.parameters()
        xs, first, outer = self.given(node.args)
        parameters = (*items, *states, *consts)
        under = dict(zip(parameters, map(_arrays, (*xs, *first, *outer)), strict=True))
        for _ in states:  # what is carried may wander from one to the next
            for state, value in zip(states, self.computed()[0], strict=True):
                for source in origins.get(value, {value}):
                    under[state] = under[state] | under.get(source, set())
        return under

    def _groups(self, origins: Mapping[Value, set[Value]]) -> dict[Value, Value]:
        """The body's inputs and outputs, by memory that they may share at any time."""
        groups = {value: value for value in (*self.body.inputs, *self.body.outputs)}

        def join(one: Value, other: Value) -> None:
            old, new = groups.setdefault(one, one), groups.setdefault(other, other)
            for value, group in groups.items():
                groups[value] = new if group is old else group

        for state, value in zip(self.parameters()[2], self.computed()[0], strict=True):
            join(state, value)
        for value in self.body.outputs:
            for source in origins.get(value, ()):
                join(value, source)
        return groups


def inputs_needed(step: Step, wanted: Collection[Value]) -> Collection[Value]:
    """The inputs of a step that some Values depend on: of a loop not always all."""
    for value in step.results:
        if value in wanted:
            break
    else:
        return ()
    if type(step) is Node and type(step.function) is Loop:
        return step.function.arguments_needed(step, wanted)
    return tuple(step.inputs)


def owned_states(function: Loop) -> frozenset[Value]:
    """What is carried in arrays that nobody else sees, if the first one is such."""
    body = function.body
    origins = body.origins()
    states, carried = function.parameters()[2], function.computed()[0]

    def memory(value: Value) -> set[Value]:
        return origins.get(value, {value})

    owned = set()
    early, late = body.nodes[: function.before_test], body.nodes[function.before_test :]
    for number, (state, value) in enumerate(zip(states, carried, strict=True)):
        if _reads(early, state) and not _reads(late, state):
            continue  # it would be changed before the test
        others = (v for i, v in enumerate(body.outputs) if i != number)
        own = memory(value)
        is_apart = not any(own & memory(other) for other in others)
        is_alone = own <= {value, state} and value not in body.inputs
        if is_apart and is_alone and state.kind == value.kind in ("array", "floats"):
            owned.add(state)
    return frozenset(owned)


def _reads(steps: Iterable[Step], value: Value) -> bool:
    return any(value in step.inputs for step in steps)


def owned_results(node: Node, own: Collection[Value]) -> set[Value]:
    """The results of a loop that are arrays which nobody else sees.

    ``own`` are such ones that are there before it, and are not looked at again. What an
    iteration may keep as it is may be the first one to the end.
    """
    function: Any = node.function
    states, owned = function.parameters()[2], owned_states(function)
    first, origins = function.given(node.args)[1], function.body.origins()
    carried, ends = function.results(node.results)[0], function.computed()[0]
    return {
        value
        for state, item, value, end in zip(states, first, carried, ends, strict=True)
        if state in owned
        and (
            item in own
            or not (function.may_be_empty or state in origins.get(end, {end}))
        )
    }


def _operand(
    step: Step | None, functions: tuple[Any, ...], number: float
) -> Value | None:
    """The Value in a step that is one of some functions of it and a number."""
    if type(step) is not Node or step.function not in functions or step.kwargs:
        return None
    value, other = step.args
    is_number = type(other) is float and other == number
    return value if is_number and type(value) is Value else None


def _parts(items: Sequence[Any], counts: Sequence[int]) -> tuple[Sequence[Any], ...]:
    """A sequence in parts of some lengths, and the rest."""
    parts, start = [], 0
    for count in counts:
        parts.append(items[start : start + count])
        start += count
    return (*parts, items[start:])


def _arrays(item: Any) -> set[Value]:
    items = item if isinstance(item, (tuple, list)) else (item,)
    return {
        value
        for value in items
        if type(value) is Value and value.kind in ("array", "list")
    }
