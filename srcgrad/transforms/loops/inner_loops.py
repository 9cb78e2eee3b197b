"""``looped``: one Loop for the same loop in all iterations of another one.

Each time it may run another number of times, with other numbers of the outer loop in
it. The body is that of the longest run; what another one has in the same place goes
into the Loop as an argument, if it is not the same.
"""

import contextlib
import itertools
import operator
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from srcgrad.graph import Graph
from srcgrad.loops import Loop
from srcgrad.steps import Guard, Node, Step, Value
from srcgrad.transforms.loops.endings import (
    FEWEST,
    Open,
    are_alike,
    is_steady,
    numbered,
    open_iterations,
)
from srcgrad.transforms.loops.iterations import Iteration, agree, is_same
from srcgrad.transforms.loops.known_counts import Instance, counted_down
from srcgrad.transforms.loops.regions import Region
from srcgrad.transforms.loops.slots import MisfitError, Slots, State, as_like

INDEX = np.dtype(np.int64)

# So many of the longest runs are tried: the first one may be another way.
MODELS = 3


class Looped(NamedTuple):
    """For each run its steps with the Loop; None: it is as it was.

    ``is_proven``: each of them has been seen to repeat.
    """

    contents: list[list[Step] | None]
    is_proven: bool


def looped(
    instances: Sequence[Instance],
    raws: MutableMapping[Value, Any],
    roll: Callable[[Graph, Sequence[Region]], Graph],
) -> Looped | None:
    """The same with a Loop; None if there can be none."""
    best: _Runs | None = None
    for way in _ways(instances, raws):
        most = sum(each is not None for each in way)
        for runs in _runs_of(way):
            covered = 0 if best is None else len(best.runs)
            if covered >= most:
                break
            if len(runs.runs) > covered:
                best = runs
    return None if best is None else best.looped(raws, roll)


def _ways(
    instances: Sequence[Instance], raws: MutableMapping[Value, Any]
) -> Iterator[Sequence[Instance | None]]:
    """What may be a Loop, best first; what is not is None."""
    if all(each.region.loop_heads is None for each in instances):
        yield from counted_down(instances, raws)
    elif all(each.region.loop_heads is not None for each in instances):
        yield instances


def _runs_of(instances: "Sequence[Instance | None]") -> "Iterator[_Runs]":
    """The same, where some may be none."""
    by_length = sorted(filter(None, instances), key=lambda each: each.count)
    for model in by_length[: -MODELS - 1 : -1]:
        turns, starts, end = (
            model.region.loop_heads,
            model.region.starts,
            model.region.end,
        )
        if turns is None or turns.most is not None:
            return
        for opened in open_iterations(turns, starts, end, model.steps):
            is_whole = len(opened.iterations) == model.count
            if opened.exit_condition.is_last or (model.is_known and not is_whole):
                continue
            with contextlib.suppress(MisfitError):
                yield _Runs(instances, model, opened)
                break


@dataclass(slots=True)
class _Run:
    """An instance with its iterations, and what it gives the parameters of the body.

    ``is_proven``: it has been seen to repeat.
    """

    instance: Instance
    iterations: list[Iteration]
    given: dict[Value, Any]
    is_proven: bool


class _Runs:
    """All runs of a loop, beside the one that is the model.

    Raises
    ------
    MisfitError
        If they do not do the same.
    """

    def __init__(
        self, instances: Sequence[Instance | None], model: Instance, opened: Open
    ) -> None:
        self.opened, self.model = opened, model
        # So many first iterations stay before the Loop.
        self.first = model.count - len(opened.iterations)
        self.slots = Slots(opened.iterations, model.region.name)
        assert model.region.loop_heads is not None
        if not is_steady(opened, self.slots, model.region.loop_heads):
            raise MisfitError("not the same each time")
        self.states = [*self.slots.states.values()]
        numbers = [state.number for state in self.states]
        if any(s.lag > 1 for s in self.states) or len({*numbers}) < len(numbers):
            raise MisfitError("what comes from further back")
        self.at = opened.gone - model.region.starts[-1]
        self.instances = instances
        self.runs = [*filter(None, map(self._run, filter(None, instances)))]
        self.lifted: dict[Any, Value] = {}
        self.sums: dict[Any, Node] = {}
        if not any(run.instance is model for run in self.runs):
            raise MisfitError("what an iteration has computed is read later")
        self._align()

    def _run(self, instance: Instance) -> "_Run | None":
        """The iterations of an instance, if they agree with the model's."""
        own = instance.region.starts
        if len(own) <= self.first:
            return None
        expected: Any = self.opened.iterations[1].steps[self.at]
        iterations = []
        for start, end in itertools.pairwise(own[self.first :]):
            steps = [*instance.steps[start:end]]
            test = steps[self.at] if self.at < len(steps) else None
            if type(test) is not Guard or test.observed is not expected.observed:
                return None
            steps[self.at] = replace(test, ends=True)
            iterations.append(Iteration(steps))
        if not all(agree(self.opened.iterations[1], each) for each in iterations):
            return None
        last = instance.steps[own[-1] :]
        if len(last) <= self.at or not isinstance(last[self.at], Guard):
            return None
        told = numbered(self.slots, last[: self.at])
        later = instance.later.union(*(step.inputs for step in last[self.at + 1 :]))
        if None in told or not told.isdisjoint(later):
            return None
        is_proven = self._is_proven(instance, iterations)
        is_short = 0 < len(iterations) < FEWEST
        if not (self._is_like_model(instance) if is_short else is_proven):
            return None
        run = _Run(instance, iterations, {}, is_proven)
        return run if self._is_carried(run) else None

    def _is_like_model(self, instance: Instance) -> bool:
        """Whether Python saw the same kinds of things all the time.

        That too few iterations repeat is for the loop around to prove.
        """
        turns, own = instance.region.loop_heads, self.opened.heads[-1]
        if turns is None or turns.are_seen:
            return False
        heads = turns.heads[self.first :]
        return all(are_alike(head, own) for head in heads)

    def _is_carried(self, run: _Run) -> bool:
        """Whether nothing is read later but what is carried."""
        wanted = run.instance.later.union(
            value
            for step in run.instance.steps[run.instance.region.starts[-1] :]
            for value in step.inputs
        )
        own = {state.number for state in self.states}
        for each in run.iterations:
            for number, value in enumerate(each.numbers()):
                is_last = each is run.iterations[-1]
                if value in wanted and not (is_last and number in own):
                    return False
        return True

    # ----- What goes into each -----

    def _align(self) -> None:
        """Find for each slot of the body what the runs have there."""
        roles: dict[Value, Any] = {s.parameter: s for s in self.states}
        roles.update((value, key) for key, value in self.slots.indices.items())
        around = {*self.slots.around.values()}
        for number, filled in enumerate(self.slots.filled):
            for slot, item in enumerate(filled):
                lists = [
                    [each.slots[number][slot] for each in run.iterations]
                    for run in self.runs
                ]
                if type(item) is Value and isinstance(roles.get(item), State):
                    self._give_state(roles[item], lists)
                elif type(item) is Value and item in around:
                    self._give(item, [_one_of(items) for items in lists])
                elif type(item) is Value and item not in roles:
                    pass  # what the iteration itself has computed
                else:
                    step = roles[item][1] if type(item) is Value else 0
                    filled[slot] = self._number(item, number, slot, step, lists)

    def _give(self, parameter: Value, items: Sequence[Any]) -> None:
        for run, item in zip(self.runs, items, strict=True):
            if not is_same(run.given.setdefault(parameter, item), item):
                raise MisfitError("two things where the model has one")

    def _give_state(self, state: State, lists: Sequence[list[Any]]) -> None:
        """What it is at first; then each iteration has it from the one before."""
        model = self.opened.iterations[0].numbers()[state.number]
        for run, items in zip(self.runs, lists, strict=True):
            before = [each.numbers()[state.number] for each in run.iterations[:-1]]
            if any(a is not b for a, b in zip(items[1:], before, strict=True)):
                raise MisfitError("not carried")
        self._give(state.parameter, [as_like(items[0], model) for items in lists])

    def _number(
        self, item: Any, number: int, slot: int, step: int, lists: Sequence[list[Any]]
    ) -> Any:
        """A number in the text of the body: a parameter if it is not always that."""
        firsts = [items[0] for items in lists]
        for first, items in zip(firsts, lists, strict=True):
            expected = [first + step * n for n in range(len(items))] if step else []
            if step and items != expected:
                raise MisfitError("indices without an order")
            if not step and any(not is_same(each, first) for each in items):
                raise MisfitError("numbers without an order")
        if all(is_same(first, firsts[0]) for first in firsts):
            return item
        model = self.slots.iterations[1]
        kind = type(firsts[0])
        if kind is int and not model.is_place(number, slot):
            firsts, kind = [float(first) for first in firsts], float
            if step or not model.is_factor(number):
                raise MisfitError("constants")
        if kind not in (int, float):
            raise MisfitError("constants")
        start = self._lifted(kind, firsts)
        return self._sum(start, step) if step else start

    def _lifted(self, kind: type, items: Sequence[Any]) -> Value:
        """A parameter for numbers that the text of each run has."""
        key = kind, *map(repr, items)
        if key not in self.lifted:
            dtype = INDEX if kind is int else np.dtype(float)
            parameter = Value((), dtype, None, "float", "start")
            self.lifted[key] = parameter
            self._give(parameter, items)
        return self.lifted[key]

    def _sum(self, start: Value, step: int) -> Value:
        """The number of an iteration, from where a run has started to count."""
        if (start, step) not in self.sums:
            index = self.slots.indices.get((0, step))
            if index is None:
                index = Value((), INDEX, self.slots.name, "float", "i")
                self.slots.indices[0, step] = index
            out = Value((), INDEX, None, "float", "i")
            where = self.slots.iterations[1].steps[0].where
            node = Node(operator.add, (index, start), {}, out, where)
            self.sums[start, step] = node
        (found,) = self.sums[start, step].results
        return found

    # ----- The Loop -----

    def looped(
        self,
        raws: MutableMapping[Value, Any],
        roll: Callable[[Graph, Sequence[Region]], Graph],
    ) -> Looped:
        """The steps of each run, with the Loop."""
        loop, parameters = self._loop(raws, roll)
        runs = {id(run.instance): run for run in self.runs}
        contents = [
            self._content(loop, parameters, runs[id(each)])
            if each is not None and id(each) in runs
            else None
            for each in self.instances
        ]
        is_proven = self.model.is_known or all(
            id(each) in runs and runs[id(each)].is_proven for each in self.instances
        )
        return Looped(contents, is_proven)

    def _loop(
        self,
        raws: MutableMapping[Value, Any],
        roll: Callable[[Graph, Sequence[Region]], Graph],
    ) -> tuple[Loop, list[Value]]:
        slots, model = self.slots, self.slots.iterations[1]
        fresh = {v: replace(v) for step in model.steps for v in step.results}
        body = [*self.sums.values(), *slots.body(fresh)]
        read = {value for step in body for value in step.inputs}
        # Numbers that count from elsewhere each time count from zero now.
        slots.indices = {k: v for k, v in slots.indices.items() if v in read}
        slots.note_raws(raws)
        raws.update((fresh[v], raws[v]) for v in fresh if v in raws)
        mine = next(run for run in self.runs if run.instance is self.model)
        for parameter in self.lifted.values():
            raws[parameter] = np.asarray(mine.given[parameter])[()]
        for (start, step), node in self.sums.items():
            raws[node.results[0]] = raws[start] + step
        parameters = [
            *(state.parameter for state in self.states),
            *slots.around.values(),
            *self.lifted.values(),
        ]
        carried = [fresh[model.numbers()[state.number]] for state in self.states]
        if not carried:
            raise MisfitError("of such iterations nothing comes")
        inputs = (*slots.indices.values(), *parameters)
        graph = Graph(inputs, tuple(body), tuple(carried))
        second = in_iteration(self.model.region, self.first + 1)
        inner = [each.shifted(-len(self.sums)) for each in second]
        loop = Loop(
            roll(graph, inner),
            len(self.opened.iterations),
            tuple(slots.indices),
            carried=len(carried),
            exit_condition=replace(
                self.opened.exit_condition, is_known=self.model.is_known
            ),
        )
        return loop, parameters

    def _content(
        self, loop: Loop, parameters: Sequence[Value], run: _Run
    ) -> list[Step]:
        """The Loop as a step of a run, and what comes after it."""
        last = run.iterations[-1].numbers()
        out = tuple(last[state.number] for state in self.states)
        args = tuple(run.given[parameter] for parameter in parameters)
        where = run.iterations[0].steps[0].where
        node = Node(loop, args, out=out, where=where)
        before = run.instance.steps[: run.instance.region.starts[self.first]]
        return [*before, node, *self._behind(run.instance)]

    def _behind(self, instance: Instance) -> list[Step]:
        """What comes after the test that has ended a loop, and before it if wanted."""
        last = instance.steps[instance.region.starts[-1] :]
        test, behind = last[: self.at], last[self.at + 1 :]
        wanted = instance.later.union(*(step.inputs for step in behind))
        is_wanted = any(wanted.intersection(step.results) for step in test)
        return [*test, *behind] if is_wanted else behind

    def _is_proven(self, instance: Instance, iterations: list[Iteration]) -> bool:
        """Whether a run has been seen to repeat."""
        turns = instance.region.loop_heads
        if instance is self.model or instance.is_known:
            return True
        if turns is None or len(iterations) < FEWEST:
            return False
        heads = turns.heads[self.first :]
        own = Open(iterations, (), heads, self.opened.exit_condition, 0)
        if len(turns.heads) != instance.count + 1 or turns.are_seen:
            return False
        try:
            return is_steady(own, Slots(iterations), turns)
        except MisfitError:
            return False


def _one_of(items: Sequence[Any]) -> Any:
    if any(not is_same(item, items[0]) for item in items):
        raise MisfitError("not the same all the time")
    return items[0]


def in_iteration(region: Region, number: int) -> list[Region]:
    """The loops in an iteration, with the places that they have in that."""
    start, end = region.starts[number : number + 2]
    return [
        each.shifted(start).closed()
        for each in region.inner
        if start <= each.starts[0] and each.end <= end
    ]
