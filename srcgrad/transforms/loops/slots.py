"""``Slots``: what goes into the steps of some iterations, and where it comes from.

>>> import numpy as np
>>> from srcgrad.steps import Node
>>> x, *h = (Value((), np.dtype(float), name) for name in "xabcd")
>>> steps = [Node(np.multiply, (h[i], x), out=h[i + 1]) for i in range(3)]
>>> slots = Slots([Iteration([step]) for step in steps])
>>> [value.name for value in slots.arguments]
['a', 'x']
"""

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from srcgrad.steps import Guard, Step, Value
from srcgrad.transforms.loops.iterations import Iteration, is_same, meta_of, rebuilt


class MisfitError(Exception):
    """Iterations differ in a way for which there is no form."""


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """What is carried: a result of the iteration before, or another state as it was.

    ``lag`` is how many iterations before result ``number`` was computed.
    """

    parameter: Value
    first: Any
    number: int
    lag: int
    before: "State | None"


class Slots:
    """The parameters of a body, and the arguments of its loop.

    Parameters
    ----------
    iterations : sequence of Iteration
        What they do; the second one is the model.
    name : str, optional
        The user's for the index.

    Raises
    ------
    MisfitError
        If there is a slot that has none.
    """

    def __init__(
        self, iterations: Sequence[Iteration], name: str | None = None
    ) -> None:
        self.iterations = iterations
        self.count = len(iterations)
        self.name = name
        self.indices: dict[tuple[int, int], Value] = {}
        self.each: dict[Any, tuple[Value, tuple[Any, ...]]] = {}
        self.states: dict[Any, State] = {}
        self.around: dict[Value, Value] = {}
        self._place = {
            value: (place, number)
            for place, each in enumerate(iterations)
            for value, number in each.own.items()
        }
        self._model = iterations[1]
        self.filled = [
            [self._fill(number, slot) for slot, _ in enumerate(leaves)]
            for number, leaves in enumerate(self._model.slots)
        ]
        # The first one has the name: the user's own, most likely, counts 0, 1, 2.
        self.indices = dict(sorted(self.indices.items(), key=_place_in_order))

    def place_of(self, value: Value) -> tuple[int, int] | None:
        """Which result of which iteration a Value is."""
        return self._place.get(value)

    # ----- What there is in the end -----

    @property
    def parameters(self) -> tuple[Value, ...]:
        """The inputs of the body."""
        return (
            *self.indices.values(),
            *(parameter for parameter, _ in self.each.values()),
            *(state.parameter for state in self.states.values()),
            *self.around.values(),
        )

    @property
    def arguments(self) -> tuple[Any, ...]:
        """What the loop gets for them; indices it makes itself."""
        each = (items for _, items in self.each.values())
        return (*each, *(s.first for s in self.states.values()), *self.around)

    @property
    def carried_numbers(self) -> set[int]:
        """The results whose last values are carried out."""
        return {state.number for state in self.states.values() if state.lag == 1}

    @property
    def outer(self) -> dict[Value, Value]:
        """For the parameters of what is around, that itself."""
        return {parameter: value for value, parameter in self.around.items()}

    def carried_on(self, own: Sequence[Value]) -> list[Value]:
        """What each state becomes, of the results of an iteration."""
        return [
            own[state.number] if state.before is None else state.before.parameter
            for state in self.states.values()
        ]

    def before(self, own: Sequence[Value], lag: int, number: int) -> Value:
        """What a result was so many iterations before, in terms of the last one."""
        if not lag:
            return own[number]
        states = self.states.values()
        return next(
            state.parameter
            for state in states
            if (state.lag, state.number) == (lag, number)
        )

    def results(
        self, kept: Sequence[int], raws: MutableMapping[Value, Any]
    ) -> list[Value]:
        """What is carried out in the end; of what is kept anyway a Value of its own."""
        taken, results = set(kept), []
        for state in self.states.values():
            value = self.iterations[-state.lag].numbers()[state.number]
            if state.lag > 1 or state.number in taken:
                own, value = value, value.twin()
                _note(raws, value, own)
            taken.add(state.number)
            results.append(value)
        return results

    def body(self, fresh: Mapping[Value, Value]) -> Iterator[Step]:
        """The steps of the body; ``fresh`` has its Values for those of the model."""
        for step, filled in zip(self._model.steps, self.filled, strict=True):
            leaves = iter(
                [fresh.get(leaf, leaf) if _is(leaf) else leaf for leaf in filled]
            )
            if type(step) is Guard:
                yield replace(step, value=rebuilt(step.value, leaves))
                continue
            args = rebuilt(step.args, leaves)
            kwargs = {key: rebuilt(item, leaves) for key, item in step.kwargs.items()}
            out: Any = tuple(fresh[value] for value in step.results)
            out = out if isinstance(step.out, tuple) else out[0]
            yield step.with_call(args, kwargs, out)

    def note_raws(self, raws: MutableMapping[Value, Any]) -> None:
        """Add what the parameters stood for in the model."""
        for (start, step), parameter in self.indices.items():
            raws[parameter] = np.int64(start + step)
        for parameter, items in self.each.values():
            _note(raws, parameter, items[1])
        for state in self.states.values():
            source = self._at(state, 1)
            _note(raws, state.parameter, source)
        for value, parameter in self.around.items():
            _note(raws, parameter, value)

    def _at(self, state: State, place: int) -> Any:
        """What is carried when an iteration begins."""
        while place and state.before is not None:
            state, place = state.before, place - 1
        if not place:
            return state.first
        return self.iterations[place - 1].numbers()[state.number]

    # ----- Slot by slot -----

    def _fill(self, number: int, slot: int) -> Any:
        """What stands in a slot of the body."""
        items = [each.slots[number][slot] for each in self.iterations]
        own = items[1]
        if _is(own) and own in self._model.own:
            return own  # `agree` has seen that it is so in all
        if all(item is own for item in items):
            return self._same(own)
        if not any(map(_is, items)):
            return self._constants(items, number, slot)
        return self._values(items)

    def _same(self, item: Any) -> Any:
        if not _is(item):
            return item
        if item in self._place:
            raise MisfitError("what one iteration computes, and others go on with")
        if item not in self.around:
            self.around[item] = item.twin()
        return self.around[item]

    def _constants(self, items: list[Any], number: int, slot: int) -> Any:
        if all(is_same(item, items[0]) for item in items):
            return items[0]
        if type(items[0]) is float:
            return self._item(
                items, Value((), np.dtype(float), None, "float", "number")
            )
        if type(items[0]) is int and self._model.is_factor(number):
            items = [float(item) for item in items]
            return self._item(items, Value((), np.dtype(float), None, "float", "k"))
        if type(items[0]) is not int or not self._model.is_place(number, slot):
            raise MisfitError("constants")
        start, step = items[0], items[1] - items[0]
        if items != [start + step * place for place in range(self.count)]:
            raise MisfitError("indices without an order")
        key = start, step
        if key not in self.indices:
            index = Value((), np.dtype(np.int64), self.name, "float", "i")
            self.indices[key] = index
        return self.indices[key]

    def _values(self, items: list[Any]) -> Any:
        places = [self._place.get(item) if _is(item) else None for item in items]
        last = places[-1]
        if last is None:
            if any(place is not None for place in places):
                raise MisfitError("at times from inside, at times from outside")
            model = next(item for item in items if _is(item))
            if model.kind == "float":
                raise MisfitError("Python numbers")
            return self._item([as_like(item, model) for item in items], model)
        lag, result = self.count - 1 - last[0], last[1]
        own = [(place - lag, result) for place in range(lag, self.count)]
        if lag < 1 or lag >= self.count - 1 or places != [None] * lag + own:
            raise MisfitError("carried now and then")
        model = self.iterations[0].numbers()[result]
        return self._state(result, [as_like(item, model) for item in items[:lag]])

    def _item(self, items: list[Any], model: Value) -> Value:
        key = tuple(item if _is(item) else repr(item) for item in items)
        if key not in self.each:
            names = {item.name for item in items if _is(item)}
            name = names.pop() if len(names) == 1 else None
            self.each[key] = replace(model, name=name), tuple(items)
        return self.each[key][0]

    def _state(self, number: int, first: list[Any]) -> Value:
        """The parameter for a result of so many iterations ago."""
        keys = (item if _is(item) else repr(item) for item in first)
        key = (number, *keys)
        if key not in self.states:
            before = None
            if len(first) > 1:
                self._state(number, first[1:])
                before = self.states[key[:1] + key[2:]]
            model = self.iterations[0].numbers()[number]
            if before is not None:
                model = replace(
                    model, name=None, hint=f"{model.name or 'value'}_before"
                )
            self.states[key] = State(model.twin(), first[0], number, len(first), before)
        return self.states[key].parameter


def _place_in_order(index: tuple[tuple[int, int], Value]) -> tuple[int, int]:
    start, step = index[0]
    return abs(step), start


def _is(item: Any) -> bool:
    return type(item) is Value


def as_like(item: Any, model: Value) -> Any:
    """An item that is of a kind with a Value; a number becomes a scalar.

    Raises
    ------
    MisfitError
        If it is not.
    """
    if _is(item):
        if meta_of(item) != meta_of(model):
            raise MisfitError("kinds")
        return item
    if (
        model.kind != "scalar"
        or model.dtype.kind != "f"
        or type(item) not in (int, float)
    ):
        raise MisfitError("kinds")
    scalar = model.dtype.type(item)
    if scalar != item:
        raise MisfitError("a number that is not the same in another precision")
    return scalar


def _note(raws: MutableMapping[Value, Any], value: Value, item: Any) -> None:
    if not _is(item):
        raws[value] = item
    elif item in raws:
        raws[value] = raws[item]
