"""The steps of a program: a call of one function, or a guard; and Values between them.

>>> x, h = Value((3,), np.dtype(float), "x"), Value((3,), np.dtype(float), "h")
>>> node = Node(np.tanh, (x,), out=h)
>>> node.inputs == (x,), node.has_effect, node.shares_memory
(True, False, False)
"""

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, final

import numpy as np

from srcgrad.facts import FACTS, UNKNOWN, Operation
from srcgrad.views import is_basic

# What may hold Values inside an argument, and what holds none, most often.
NESTED = frozenset({tuple, list, dict, slice})
ATOMS = frozenset({int, float, complex, bool, str, type(None), type(Ellipsis)})


# Values and nodes never change, but for names, which a recording settles when it ends.
# But to be frozen would make their making, which there is a lot of, take three times
# as long.


# ----- Values -----
@final
@dataclass(eq=False, slots=True)
class Value:
    """One array (or scalar) of the graph; compared by identity.

    ``name`` is the user's own name for it, ``d`` + name for a gradient, ``out`` for a
    result; ``hint`` is what to call it if it has to be called something.
    ``kind`` says what is there: ``"array"`` (an ndarray, maybe 0-d), ``"scalar"`` (a
    NumPy scalar), ``"float"`` (a Python number), ``"floats"`` (an array as lists of
    such in lists), or ``"list"`` (of what a loop keeps of each iteration; shape and
    dtype are those of one).
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    name: str | None = None
    kind: str = "array"
    hint: str | None = None

    def twin(self) -> "Value":
        """Another one of the same form and name."""
        return Value(self.shape, self.dtype, self.name, self.kind, self.hint)

    def called(self, name: str | None, hint: str | None) -> "Value":
        """Another one of the same form."""
        return Value(self.shape, self.dtype, name, self.kind, hint)

    @property
    def is_index(self) -> bool:
        """Whether it is an integer of Python's: the number of an iteration, say."""
        return self.kind == "float" and self.dtype.kind in "iu"

    @property
    def promoted(self) -> Any:
        """What promotion sees: a number of Python's has no precision of its own."""
        if self.kind != "float":
            return self.dtype
        return PYTHON_OF_KIND.get(self.dtype.kind, self.dtype)


PYTHON_OF_KIND = {"i": int, "f": float, "c": complex}


def values_in(item: Any) -> list[Value]:
    """The Values in an argument, nested sequences, dicts and slices included."""
    found: list[Value] = []
    if type(item) is Value:
        found.append(item)
    elif type(item) not in ATOMS:
        _collect(item, found)
    return found


def _collect(item: Any, found: list[Value]) -> None:
    if isinstance(item, (tuple, list)):
        items: Iterable[Any] = item
    elif isinstance(item, slice):
        items = item.start, item.stop, item.step
    elif isinstance(item, dict):
        items = item.values()
    else:
        return
    for element in items:
        if type(element) is Value:
            found.append(element)
        elif type(element) not in ATOMS:
            _collect(element, found)


def map_values(function: Callable[[Value], Any], item: Any) -> Any:
    """Rebuild an argument with ``function`` applied to each Value in it."""
    if type(item) is Value:
        return function(item)
    if type(item) in ATOMS:
        return item
    if isinstance(item, (tuple, list)):
        return type(item)(map_values(function, element) for element in item)
    if isinstance(item, dict):
        return {key: map_values(function, element) for key, element in item.items()}
    if isinstance(item, slice):
        parts = (item.start, item.stop, item.step)
        return slice(*(map_values(function, part) for part in parts))
    return item


def _inputs(items: tuple[Any, ...]) -> tuple[Value, ...]:
    if NESTED.isdisjoint(map(type, items)):  # as most are
        return tuple([item for item in items if type(item) is Value])
    found: list[Value] = []
    for item in items:
        if type(item) is Value:
            found.append(item)
        elif type(item) in NESTED:
            _collect(item, found)
    return tuple(found)


# ----- Steps -----
@dataclass(frozen=True, slots=True)
class Location:
    """A line of the user's source."""

    filename: str
    line: int
    text: str = ""

    def __eq__(self, other: object) -> bool:
        # Asked for each step of each pair: most differ in their number.
        return self is other or (
            type(other) is Location
            and self.line == other.line
            and self.filename == other.filename
            and self.text == other.text
        )


@final
@dataclass(eq=False, slots=True)
class Node:
    """One call: ``out = function(*args, **kwargs)``.

    ``args`` and ``kwargs`` hold ``Value``s, plain constants, and tuples, lists, dicts
    and slices of these. ``out`` is a Value, or a tuple of them (several results).
    ``in_backward``: it ran in the backward pass, not in the user's own code.
    ``must_run``: it runs even if nobody wants its result, for it may raise an error.
    ``checkpoint``: the call of one that it ran in, whose steps the way back repeats.

    What every pass asks of every node is found out once: ``inputs`` are the Values
    among the arguments, in order, repeats included, and ``results`` those that it
    defines; ``bodies`` the graphs that its function is made of, none for NumPy's;
    ``has_effect`` says whether it does more than compute these (it takes random
    numbers, say), ``shares_memory`` whether one of them may be an argument, or a view
    of one.
    """

    function: Operation
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    out: "Value | tuple[Value, ...]" = ()
    where: Location | None = None
    in_backward: bool = False
    must_run: bool = False
    checkpoint: object = None
    inputs: tuple[Value, ...] = field(init=False, repr=False)
    results: tuple[Value, ...] = field(init=False, repr=False)
    bodies: tuple[Any, ...] = field(init=False, repr=False)
    has_effect: bool = field(init=False, repr=False)
    shares_memory: bool = field(init=False, repr=False)

    def __post_init__(self) -> None:
        args, out = self.args, self.out
        known = FACTS[self.function]
        self.bodies = bodies_of(self.function) if known is UNKNOWN else ()
        self.inputs = args
        for arg in args:
            if type(arg) is not Value:
                self.inputs = _inputs(args)
                break
        if self.kwargs:
            self.inputs = _inputs((*args, *self.kwargs.values()))
        self.results = (out,) if type(out) is Value else out
        self.has_effect = self.must_run or (known.effect != "" and self._has_effect())
        self.shares_memory = known.view != "" and self._shares_memory()

    def _has_effect(self) -> bool:
        bodies = self.bodies
        return not bodies or any(s.has_effect for body in bodies for s in body.nodes)

    def _shares_memory(self) -> bool:
        if self.function is operator.getitem:
            is_element = type(self.out) is Value and self.out.kind == "scalar"
            return is_basic(self.args[1]) and not is_element
        # Of one operand `einsum` may make a view.
        if self.function is np.einsum:
            return len(self.args) == 2
        return not self.bodies or bool(self.sources())

    def sources(self) -> "dict[Value, set[Value]]":
        """For each result that may be a view the arrays of which it may be one."""
        if self.bodies:
            function: Any = self.function
            sources: dict[Value, set[Value]] = function.sources(self)
            return sources
        if not self.shares_memory:
            return {}
        arrays = {value for value in self.inputs if value.kind == "array"}
        return dict.fromkeys(self.results, arrays)

    def with_values(self, mapping: Mapping[Value, Any]) -> "Node":
        """The node with other Values as its arguments; itself if none is replaced."""
        for value in self.inputs:
            if value in mapping:
                args, kwargs = self._arguments_with(mapping)
                return self.with_call(args, kwargs, self.out)
        return self

    def with_call(self, args: Any, kwargs: Any, out: Any) -> "Node":
        """The node with other arguments and results."""
        # Positions: this is done for each node by each pass.
        where, in_backward, must_run = self.where, self.in_backward, self.must_run
        known = where, in_backward, must_run, self.checkpoint
        return Node(self.function, args, kwargs, out, *known)

    def _arguments_with(self, mapping: Mapping[Value, Any]) -> tuple[Any, Any]:
        args, kwargs = [*self.args], self.kwargs

        def new(value: Value) -> Any:
            return mapping.get(value, value)

        for number, arg in enumerate(self.args):
            if type(arg) is Value:
                if arg in mapping:
                    args[number] = mapping[arg]
            elif type(arg) in NESTED:
                args[number] = map_values(new, arg)
        return tuple(args), map_values(new, {**kwargs}) if kwargs else {}

    def renamed(self, mapping: Mapping[Value, Value]) -> "Node":
        """The node with other Values as its arguments and results; itself, if none."""
        out: Any = self.out
        for value in self.results:
            if value in mapping:
                break
        else:
            return self.with_values(mapping)
        if type(out) is Value:
            out = mapping[out]
        else:
            out = tuple([mapping.get(value, value) for value in out])
        args, kwargs = self.args, self.kwargs
        for value in self.inputs:
            if value in mapping:
                args, kwargs = self._arguments_with(mapping)
                break
        return self.with_call(args, kwargs, out)

    def that_must_run(self) -> "Node":
        """The node as one that runs even if nobody wants its result."""
        where, checkpoint = self.where, self.checkpoint
        known = self.out, where, self.in_backward, True, checkpoint
        return Node(self.function, self.args, self.kwargs, *known)


@final
@dataclass(frozen=True, eq=False, slots=True)
class Guard:
    """A check that ``convert(value)`` is what was observed when the graph was recorded.

    It defines nothing, and stays where it is. The graph holds only while it holds; the
    sign of zero counts, and NaN is equal to NaN. One that ``ends`` a loop, in whose
    body it is, says only whether that goes on.

    >>> Guard(np.float64(2.0), float, 2.0).holds()
    True
    >>> Guard(np.float64(0.0), float, -0.0).holds()
    False
    """

    value: Any
    convert: Any
    observed: Any
    where: Location | None = None
    ends: bool = False

    function: ClassVar[None] = None
    has_effect: ClassVar[bool] = True  # it may end the program
    shares_memory: ClassVar[bool] = False
    results: ClassVar[tuple[Value, ...]] = ()
    bodies: ClassVar[tuple[Any, ...]] = ()

    @property
    def inputs(self) -> tuple[Value, ...]:
        """The Value that is looked at, if it is no constant."""
        value = self.value
        return (value,) if type(value) is Value else tuple(values_in(value))

    def with_values(self, mapping: Mapping[Value, Any]) -> "Guard":
        """The guard on another Value."""
        if mapping.keys().isdisjoint(self.inputs):
            return self
        new = map_values(lambda value: mapping.get(value, value), self.value)
        return replace(self, value=new)

    renamed = with_values

    def holds(self) -> bool:
        """Whether it holds; for a constant."""
        value = self.value
        if isinstance(value, np.ndarray) and self.convert in (int, float, complex):
            value = value.item()  # of one element, with whatever axes
        seen, observed = self.convert(value), self.observed
        return bool(seen == observed and repr(seen) == repr(observed)) or (
            seen != seen and observed != observed
        )


Step = Node | Guard


# ----- Bodies -----
def bodies_of(function: Any) -> tuple[Any, ...]:
    """The graphs that a node's function is made of; none, for NumPy's."""
    bodies: tuple[Any, ...] = getattr(function, "bodies", ())
    return bodies


def element_name(node: Step | None) -> str | None:
    """What to call ``x[0]`` or ``x[2, -1]``: ``x_0``, ``x_2_last``."""
    if type(node) is not Node or node.function is not operator.getitem:
        return None
    x, index = node.args
    parts = index if isinstance(index, tuple) else (index,)
    if type(x) is not Value or x.name is None or not parts:
        return None
    if not all(type(part) is int and part >= -1 for part in parts):
        return None
    return "_".join([x.name, *("last" if part < 0 else str(part) for part in parts)])
