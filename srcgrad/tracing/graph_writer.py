"""``GraphWriter``: the graph of a run, as it is written down."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.errors import Where, describe, here, line_of
from srcgrad.graph import Guard, Joint, Location, Node, Step, Value
from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.tracing.refusal import give_up


class GraphWriter:
    """The steps so far, and the Values that stand for arrays and numbers.

    A raw array or number is known by its identity, and kept alive here, so that no
    identity is used twice. ``where`` is the line that the next steps belong to (None:
    the line that runs). ``in_backward`` is true from the moment that the backward pass
    begins.
    """

    def __init__(self) -> None:
        self.where: Location | None = None
        self.in_backward = False
        self._steps: list[Step] = []
        self._inputs: list[Value] = []
        self._constants: dict[Value, np.ndarray[Any, Any]] = {}
        self._values: dict[int, Value] = {}
        self._alive: list[Any] = []
        # What the user, or else we, call them; a Value itself never changes.
        self._names: dict[Value, str] = {}
        self._places: dict[Value, str] = {}
        self._hints: dict[Value, str] = {}
        # The user's names for arrays that depend on no input, by their identities.
        self._constant_names: dict[int, str] = {}
        self._locations: dict[Where, Location] = {}

    # ----- Values -----

    def knows(self, raw: Any) -> bool:
        """Whether an array or number is the value of something written down."""
        return id(raw) in self._values

    def define(self, raw: Any) -> Value:
        """A new Value, for an array or number that has come up."""
        kind = "scalar" if isinstance(raw, np.generic) else "float"
        if isinstance(raw, np.ndarray):
            # See `Recorder.after`: NumPy makes no 0-d arrays of bool by itself.
            kind = "array" if raw.shape or raw.dtype != bool else "scalar"
        dtype = getattr(raw, "dtype", None)
        dtype = np.result_type(raw) if dtype is None else dtype
        value = self._values[id(raw)] = Value(np.shape(raw), dtype, None, kind)
        self._alive.append(raw)
        return value

    def add_input(self, raw: Any, name: str, is_place: bool = False) -> Value:
        """A new Value that is an input of the graph.

        A name that only tells its place, ``params_0``, gives way to one by the user.
        """
        value = self.define(raw)
        self._inputs.append(value)
        (self._places if is_place else self._names)[value] = name
        return value

    def value_of(self, item: Any) -> Value:
        """The Value of an array; a constant if it does not depend on any input."""
        raw = raw_of(item)
        value = self._values.get(id(raw))
        return self._constant(raw) if value is None else value

    def _constant(self, raw: Any) -> Value:
        """Hold an array as it is now: its owner may change it later."""
        array = np.array(raw)
        if array.dtype.kind not in "fciub":
            give_up(f"uses an array of dtype {array.dtype}")
        value = Value(array.shape, array.dtype)
        self._constants[value] = array
        if (name := self._constant_names.get(id(raw))) is not None:
            self._names[value] = name
        return value

    def symbols(self, item: Any) -> Any:
        """An argument with Values for the Variables and arrays in it."""
        if isinstance(item, ArrayProtocol):
            if type(item.value) is np.ndarray or self.knows(item.value):
                return self.value_of(item)
            return item.value  # a number that depends on no input
        if isinstance(item, np.ndarray):
            return self.value_of(item)
        kind = type(item)
        if kind is tuple or kind is list:
            return kind(map(self.symbols, item))
        if kind is slice:
            return slice(*map(self.symbols, (item.start, item.stop, item.step)))
        return item

    # ----- Names -----

    def name(self, raw: Any, name: str) -> None:
        """Note the user's name for a result or constant, unless it has one already."""
        value = self._values.get(id(raw))
        if value is not None:
            self._names.setdefault(value, name)
        elif isinstance(raw, np.ndarray) and id(raw) not in self._constant_names:
            self._constant_names[id(raw)] = name
            self._alive.append(raw)

    def name_of(self, raw: Any) -> str | None:
        """The user's name for a result, if there is one."""
        value = self._values.get(id(raw))
        return None if value is None else self.name_of_value(value)

    def name_of_value(self, value: Value) -> str | None:
        """The user's name for a Value, or else its place among the arguments."""
        return self._names.get(value) or self._places.get(value)

    def hint(self, raw: Any, hint: str) -> None:
        """Note what to call a result that has no name, if it must be called."""
        value = self._values.get(id(raw))
        if value is not None:
            self._hints.setdefault(value, hint)

    # ----- Steps -----

    def write(
        self, function: Callable[..., Any], args: Any, kwargs: Any, out: Any
    ) -> None:
        """Write down a call, with Values in its arguments, and what came of it."""
        where, in_backward = self.current_location(), self.in_backward
        if isinstance(out, (tuple, list)):
            result: Any = tuple(map(self._result, out))
        else:
            result = self._result(out)
        self._steps.append(Node(function, args, kwargs, result, where, in_backward))
        if isinstance(out, (bool, int)):
            self._steps.append(Guard(result, type(out), out, where))

    def _result(self, out: Any) -> Value:
        if isinstance(out, ArrayProtocol):
            return self.define(out.value)
        return Value((), np.dtype(type(out)), None, "float")

    def guard(self, raw: Any, convert: Any, seen: Any) -> None:
        """Write down that a value was looked at; it must be the same again."""
        value = self._values.get(id(raw))
        if value is not None:
            self._steps.append(Guard(value, convert, seen, self.current_location()))

    def current_location(self) -> Location | None:
        """The line of the user's that runs."""
        if self.where is not None:
            return self.where
        where = here()
        return None if where is None else self.location(where)

    def location(self, where: Where) -> Location:
        """A line of the user's source."""
        location = self._locations.get(where)
        if location is None:
            text = describe(where)
            filename, line = line_of(where)
            source = text.removeprefix(f"{filename}:{line}").removeprefix(": ")
            location = self._locations[where] = Location(filename, line, source)
        return location

    # ----- The graph -----

    def joint(
        self,
        outputs: Sequence[Value],
        cotangents: Sequence[Value] = (),
        gradients: Sequence[Value | None] = (),
        complete: Sequence[Value | None] = (),
    ) -> Joint:
        """All that was written down, under its names."""
        named = {
            value: replace(
                value, name=self.name_of_value(value), hint=self._hints.get(value)
            )
            for value in (*self._names, *self._places, *self._hints)
        }

        def new(value: Value) -> Value:
            return named.get(value, value)

        return Joint(
            inputs=tuple(map(new, self._inputs)),
            nodes=tuple(step.renamed(named) for step in self._steps),
            outputs=tuple(map(new, outputs)),
            constants={new(value): array for value, array in self._constants.items()},
            cotangents=tuple(map(new, cotangents)),
            gradients=tuple(None if g is None else new(g) for g in gradients),
            complete=tuple(None if value is None else new(value) for value in complete),
        )
