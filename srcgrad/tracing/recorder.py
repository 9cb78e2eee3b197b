"""The recorder: writes down what the tape does, as a ``Graph``.

The tape tells it about every operation (``modes.state.recorder``); it never looks for
itself. What it cannot write down it refuses, and the call stays on the tape.
"""

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any, NoReturn

import numpy as np

from srcgrad.errors import Where, caller, describe, here, line_of
from srcgrad.facts import facts_of
from srcgrad.graph import Graph, Location, Node, Value, expect
from srcgrad.protocols import ArrayProtocol
from srcgrad.rules.registry import PRIMITIVES
from srcgrad.tape.function import VOLATILE, Function, sequence_like
from srcgrad.tape.variable import Variable


class Refusal(BaseException):
    """A traced function does what generated code would not cover.

    Not an ``Exception``: no ``except`` clause of the user's may swallow it.
    """


class UserError(Exception):
    """A traced function raises an error; which, the run on the tape will tell."""


class Recorder:
    """One function call, as a graph."""

    def __init__(self) -> None:
        self._nodes: list[Node] = []
        self._constants: dict[Value, np.ndarray[Any, Any]] = {}
        # Keyed by the identity of the raw array or scalar, which is kept alive here, so
        # that no identity is used twice.
        self._values: dict[int, Value] = {}
        self._alive: list[Any] = []
        self._of_edge: dict[tuple[Function, int], Value] = {}
        self._inputs: list[Value] = []
        self._input_storages: list[Any] = []
        self._locations: dict[Where, Location] = {}
        self._where: Location | None = None
        # The copies of the `backward` of the user's Functions, by the calls' nodes.
        self._backwards: dict[Function, Callable[..., Any]] = {}
        self._is_in_backward = False

    # ----- What the tracer says -----

    def add_input(self, variable: Variable, name: str) -> Value:
        """Make a Variable an input of the graph."""
        value = self._define(variable.value, name)
        self._inputs.append(value)
        self._of_edge_add(variable, value)
        if type(variable.value) is np.ndarray:
            self._input_storages.append(variable.own_storage())
        return value

    def name(self, name: str, item: Any) -> None:
        """Note the user's name for a result."""
        if isinstance(item, ArrayProtocol):
            value = self._values.get(id(item.value))
            if value is not None and value.name is None:
                _rename(value, name)

    def value_of(self, item: Any) -> Value:
        """The Value of a result; a constant if it does not depend on any input."""
        raw = item.value if isinstance(item, ArrayProtocol) else item
        value = self._values.get(id(raw))
        return self._constant(raw) if value is None else value

    def graph(
        self,
        outputs: Sequence[Value],
        cotangents: Sequence[Value] = (),
        gradients: Sequence[Value | None] = (),
    ) -> Graph:
        """What has been recorded."""
        return Graph(
            inputs=tuple(self._inputs),
            nodes=tuple(self._nodes),
            outputs=tuple(outputs),
            cotangents=tuple(cotangents),
            gradients=tuple(gradients),
            constants=dict(self._constants),
        )

    def cotangent(self, variable: Variable, value: Value) -> tuple[Variable, Value]:
        """A cotangent for an output: ones, as an input of the backward half."""
        ones = Variable.make(np.ones(variable.shape, variable.dtype), None)
        if type(variable.value) is not np.ndarray:
            ones = Variable.make(variable.dtype.type(1.0), None)
        return ones, self._define(ones.value, f"d{value.name or 'out'}")

    @property
    def has_user_backward(self) -> bool:
        """Whether there are gradients that a user has written, right or wrong."""
        return bool(self._backwards)

    def inlined(self, node: Function, backward: Callable[..., Any]) -> None:
        """Note the copy of the ``backward`` that goes with a call."""
        self._backwards[node] = backward

    def refuse(self, reason: str) -> NoReturn:
        """Give up: this function stays on the tape."""
        frame = caller(2)
        place = "" if frame is None else describe((frame.f_code, frame.f_lasti))
        raise Refusal(f"{place}: {reason}" if place else reason)

    # ----- What the tape says -----

    def knows(self, raw: Any) -> bool:
        """Whether an array is the value of something recorded."""
        return id(raw) in self._values

    def about_to(
        self, function: Callable[..., Any], args: Any, kwargs: Any
    ) -> tuple[Any, Any]:
        """Refuse what is not known to be pure, before it runs.

        Returns the arguments, with options taken out of the graph: a float argument of
        the traced function may be the ``ord`` of a norm, and no rule can follow that.
        """
        primitive = PRIMITIVES.get(function)
        if primitive is None:
            name = getattr(function, "__name__", repr(function))
            self.refuse(f"{name} is not known to be free of effects")
        if primitive.rules:
            operands = primitive.rules.keys() | primitive.without
            names = tuple(primitive.parameters)
            if primitive.variadic is None:
                args = tuple(
                    arg if name in operands else self._option(arg)
                    for name, arg in zip_longest(names[: len(args)], args)
                )
            kwargs = {
                name: arg if name in operands else self._option(arg)
                for name, arg in kwargs.items()
            }
        return args, kwargs

    def _option(self, item: Any) -> Any:
        """A number that is an option rather than an operand: its value, guarded."""
        if isinstance(item, ArrayProtocol) and type(item.value) is float:
            return float(item)  # type: ignore[arg-type]
        return item

    def distinct(self, raw: Any) -> Any:
        """A result with an identity of its own.

        All ``np.bool_`` that are true are one object; a 0-d array stands for it.
        """
        if isinstance(raw, np.bool_):
            return np.array(raw)
        if isinstance(raw, (tuple, list)):
            return sequence_like(raw, list(map(self.distinct, raw)))
        return raw

    def saw(
        self, function: Callable[..., Any], args: Any, kwargs: Any, out: Any
    ) -> None:
        """Write down an operation that has run."""
        if facts_of(function).of_metadata:
            return  # of shapes and dtypes, which the signature fixes
        self._write(function, self.symbols(args), kwargs, out)
        if facts_of(function).shape_by_value or _selects(function, args):
            for result in out if isinstance(out, (tuple, list)) else (out,):
                self._guard(result, np.shape, result.shape)

    def saw_written(
        self, function: Callable[..., Any], args: Any, kwargs: Any, target: Any
    ) -> None:
        """Write down an in-place operation as one that gives a new value."""
        name = self._values[id(target.value)].name if self.knows(target.value) else None
        self._write(function, args, kwargs, target)
        if name is not None:
            self.name(name, target)

    def symbols(self, item: Any) -> Any:
        """The Values of the Variables and arrays in an argument."""
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

    def taken_out(self, variable: Variable, convert: Any, seen: Any) -> None:
        """A value leaves the graph: the trace holds only while it is the same."""
        if convert not in (bool, int, float, complex):
            if variable.size != 1 or isinstance(seen, list):
                self.refuse("takes the elements of an array out of the graph")
            convert = type(seen)
        self._guard(variable, convert, seen)

    def escapes(self, variable: Variable, attribute: str) -> None:
        """Refuse an access that would take an array out of the recorder's sight."""
        self.refuse(
            f"uses `{attribute}` of an array, which generated code cannot follow"
        )

    def detached(self, variable: Variable, detached: Variable) -> None:
        """Nothing: both have the same array, and so the same Value."""

    def writes(self, target: Any) -> None:
        """Refuse in-place changes of anything that the caller can see."""
        storage = target.own_storage()
        if any(storage is own for own in self._input_storages):
            self.refuse("changes one of its arguments in place")
        if not self.knows(target.value):
            self.refuse("changes an array in place that it did not compute")
        if storage.sharing() > 1:
            self.refuse("changes an array in place of which there is a view")
        if self._is_in_backward:
            self.refuse("changes an array in place in the backward of a Function")

    def backward_of(self, node: Any, grads: Sequence[Any]) -> Any:
        """Run the copy of the ``backward`` of a user's Function."""
        backward = self._backwards.get(node)
        if backward is None:
            self.refuse(f"goes back through {node.name()}, which it has not seen run")
        before = self._where, self._is_in_backward
        self._where, self._is_in_backward = None, True  # its lines are the user's own
        try:
            return backward(node.context, *grads)
        finally:
            self._where, self._is_in_backward = before

    def gradient_of(self, node: Function, g: Any) -> None:
        """The engine is about to go through a node, with this cotangent."""
        self._where = None if node.where is None else self._location(node.where)
        for number, each in enumerate(g if node.metas is not None else (g,)):
            value = self._of_edge.get((node, number))
            if value is not None and isinstance(each, ArrayProtocol):
                self._name_gradient(each, value, node)

    def _name_gradient(self, g: Any, value: Value, node: Function) -> None:
        """Call the gradient of ``h`` ``dh``; of what has no name it is only a hint."""
        if value.name is not None:
            self.name(f"d{value.name}", g)
        elif self.knows(g.value) and self._values[id(g.value)].hint is None:
            hint = f"d{_hint_of(node)}"
            object.__setattr__(self._values[id(g.value)], "hint", hint)

    # ----- Writing -----

    def _write(
        self, function: Callable[..., Any], args: Any, kwargs: Any, out: Any
    ) -> None:
        kwargs = {key: self.symbols(item) for key, item in kwargs.items()}
        if isinstance(out, (tuple, list)):
            result: Any = tuple(self._result(each) for each in out)
        else:
            result = self._result(out)
        self._nodes.append(Node(function, args, kwargs, result, self._here()))
        if isinstance(out, (bool, int)):
            self._append_guard(result, type(out), out)

    def _result(self, out: Any) -> Value:
        if isinstance(out, ArrayProtocol):
            value = self._define(out.value, None)
            self._of_edge_add(out, value)
            return value
        return Value((), np.dtype(type(out)), None, "float")

    def _define(self, raw: Any, name: str | None) -> Value:
        kind = "scalar" if isinstance(raw, np.generic) else "float"
        if isinstance(raw, np.ndarray):
            # See `distinct`: NumPy makes no 0-d arrays of bool by itself.
            kind = "array" if raw.shape or raw.dtype != bool else "scalar"
        dtype = getattr(raw, "dtype", None)
        value = Value(
            np.shape(raw), np.result_type(raw) if dtype is None else dtype, name, kind
        )
        self._values[id(raw)] = value
        self._alive.append(raw)
        return value

    def _constant(self, raw: Any) -> Value:
        """Hold an array as it is now: its owner may change it later."""
        array = np.array(raw)
        if array.dtype.kind not in "fciub":
            self.refuse(f"uses an array of dtype {array.dtype}")
        value = Value(array.shape, array.dtype)
        self._constants[value] = array
        return value

    def _of_edge_add(self, variable: Any, value: Value) -> None:
        if variable.edge is not None and variable.edge is not VOLATILE:
            self._of_edge[variable.edge] = value

    def _guard(self, variable: Any, convert: Any, seen: Any) -> None:
        if self.knows(variable.value):
            self._append_guard(self._values[id(variable.value)], convert, seen)

    def _append_guard(self, value: Value, convert: Any, seen: Any) -> None:
        if self._is_in_backward:
            self.refuse("looks at values in the backward of a Function")
        self._nodes.append(Node(expect, (value, convert, seen), where=self._here()))

    def _here(self) -> Location | None:
        if self._where is not None:
            return self._where
        where = here()
        return None if where is None else self._location(where)

    def _location(self, where: Where) -> Location:
        location = self._locations.get(where)
        if location is None:
            text = describe(where)
            filename, line = line_of(where)
            source = text.removeprefix(f"{filename}:{line}").removeprefix(": ")
            location = self._locations[where] = Location(filename, line, source)
        return location


def _rename(value: Value, name: str) -> None:
    """Give a Value its name while it is recorded; after that Values are frozen."""
    object.__setattr__(value, "name", name)


def _hint_of(node: Function) -> str:
    return node.name().removesuffix("Backward").lower()


def _selects(function: Callable[..., Any], args: Any) -> bool:
    """Whether an index picks elements by a mask: the shape depends on values."""
    if getattr(function, "__name__", "") != "getitem":
        return False
    index = args[1]
    parts = index if isinstance(index, tuple) else (index,)
    return any(isinstance(p, ArrayProtocol) and p.dtype == bool for p in parts)
