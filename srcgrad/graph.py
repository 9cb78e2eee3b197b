"""The joint forward and backward graph: what the tape did, as data.

A ``Graph`` is a straight line of ``Node``s in SSA form: each calls one NumPy function
on values that came before it and gives new ones.

>>> import numpy as np
>>> x, h = Value((3,), np.dtype(float), "x"), Value((3,), np.dtype(float), "h")
>>> graph = Graph(inputs=(x,), nodes=(Node(np.tanh, (x,), out=h),), outputs=(h,))
>>> print(graph)
h = tanh(x)
return h
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from srcgrad.facts import Operation

# What may hold Values inside an argument.
NESTED = frozenset({tuple, list, dict, slice})


@dataclass(frozen=True, eq=False, slots=True)
class Value:
    """One array (or scalar) of the graph; compared by identity.

    ``name`` is the user's own name for it, or ``d`` + name for a gradient; ``hint`` is
    what to call it if it has to be called something.
    ``kind`` says what NumPy holds there: ``"array"`` (an ndarray, maybe 0-d),
    ``"scalar"`` (a NumPy scalar), or ``"float"`` (a Python float).
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    name: str | None = None
    kind: str = "array"
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Location:
    """A line of the user's source."""

    filename: str
    line: int
    text: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class Node:
    """One call: ``out = function(*args, **kwargs)``.

    ``args`` and ``kwargs`` hold ``Value``s, plain constants, and tuples, lists, dicts
    and slices of these. ``out`` is a Value, a tuple of them (several results), or None
    (a guard: it has no result, and stays).
    """

    function: Operation
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    out: "Value | tuple[Value, ...] | None" = None
    where: Location | None = None

    @property
    def inputs(self) -> list[Value]:
        """The Values among the arguments, in order, repeats included."""
        found = []
        for item in (*self.args, *self.kwargs.values()):
            # Every pass asks every node, and most arguments are plain Values.
            if type(item) is Value:
                found.append(item)
            elif type(item) in NESTED:
                found.extend(values_in(item))
        return found

    @property
    def results(self) -> tuple[Value, ...]:
        """The Values that the node defines."""
        if self.out is None:
            return ()
        return self.out if isinstance(self.out, tuple) else (self.out,)


# How a value left the graph: what took it out, and how a message calls that.
ESCAPES = {
    bool: "bool",
    int: "int",
    float: "float",
    complex: "complex",
    np.shape: "shape of",
    np.ndarray.tobytes: "content of",
}


def expect(value: Any, convert: Any, observed: Any) -> bool:
    """Whether ``convert(value)`` is what it was when the function was traced.

    The sign of zero counts, and NaN is equal to NaN.

    >>> expect(np.float64(2.0), float, 2.0), expect(np.float64(0.0), float, -0.0)
    (True, False)
    """
    seen = convert(value)
    return bool(seen == observed and repr(seen) == repr(observed)) or (
        seen != seen and observed != observed
    )


@dataclass(frozen=True, eq=False, slots=True)
class Graph:
    """A program in SSA form, its backward half included.

    ``inputs`` and ``cotangents`` are given; ``outputs`` and ``gradients`` (one for each
    input, None where no gradient flows) are what it computes. ``constants`` are arrays
    that the program holds. A graph without a backward half has neither cotangents nor
    gradients; a backward half by itself has no outputs, and what was saved as inputs.
    """

    inputs: tuple[Value, ...]
    nodes: tuple[Node, ...]
    outputs: tuple[Value, ...]
    cotangents: tuple[Value, ...] = ()
    gradients: tuple[Value | None, ...] = ()
    constants: Mapping[Value, np.ndarray[Any, Any]] = field(default_factory=dict)

    @property
    def results(self) -> tuple[Value, ...]:
        """All that the graph computes: outputs, then the gradients that there are."""
        return self.outputs + tuple(g for g in self.gradients if g is not None)

    def __str__(self) -> str:
        names = _Names()
        lines = []
        for node in self.nodes:
            call = f"{_name_of(node.function)}({_arguments(node, names)})"
            outs = ", ".join(names[out] for out in node.results)
            lines.append(f"{outs} = {call}" if outs else call)
        returned = ", ".join(names[value] for value in self.outputs)
        if self.gradients:
            returned += "; " + ", ".join(
                "None" if g is None else names[g] for g in self.gradients
            )
        return "\n".join([*lines, f"return {returned}"])

    def lint(self) -> None:
        """Check the form: every Value defined once, before its use.

        Raises
        ------
        ValueError
            Naming the node that breaks it.
        """
        defined = {*self.inputs, *self.cotangents, *self.constants}
        if len(defined) != (
            len(self.inputs) + len(self.cotangents) + len(self.constants)
        ):
            raise ValueError("a Value is given twice among inputs and constants")
        for node in self.nodes:
            for value in node.inputs:
                if value not in defined:
                    raise ValueError(f"used before it is defined: {value} in {node}")
            for value in node.results:
                if value in defined:
                    raise ValueError(f"defined twice: {value} in {node}")
                defined.add(value)
        for value in self.results:
            if value not in defined:
                raise ValueError(f"returned but never defined: {value}")
        if self.outputs and len(self.gradients) not in (0, len(self.inputs)):
            raise ValueError("gradients and inputs differ in number")


def values_in(item: Any) -> Iterator[Value]:
    """The Values in an argument, nested sequences, dicts and slices included."""
    if isinstance(item, Value):
        yield item
    elif isinstance(item, (tuple, list)):
        for element in item:
            yield from values_in(element)
    elif isinstance(item, dict):
        yield from values_in(list(item.values()))
    elif isinstance(item, slice):
        yield from values_in((item.start, item.stop, item.step))


def map_values(function: Callable[[Value], Any], item: Any) -> Any:
    """Rebuild an argument with ``function`` applied to each Value in it."""
    if isinstance(item, Value):
        return function(item)
    if isinstance(item, (tuple, list)):
        return type(item)(map_values(function, element) for element in item)
    if isinstance(item, dict):
        return {key: map_values(function, element) for key, element in item.items()}
    if isinstance(item, slice):
        parts = (item.start, item.stop, item.step)
        return slice(*(map_values(function, part) for part in parts))
    return item


class _Names(dict[Value, str]):
    """Print names: the hint, with a number where two Values share one."""

    def __init__(self) -> None:
        self.taken: dict[str, int] = {}

    def __missing__(self, value: Value) -> str:
        hint = value.name or value.hint or "t"
        name, count = hint, self.taken.get(hint, 0)
        while name in self.taken:
            count += 1
            name = f"{hint}_{count}"
        self.taken[hint] = count
        self.taken.setdefault(name, 0)
        self[value] = name
        return name


def _arguments(node: Node, names: _Names) -> str:
    def text(item: Any) -> str:
        if isinstance(item, Value):
            return names[item]
        if isinstance(item, tuple):
            inner = ", ".join(map(text, item))
            return f"({inner},)" if len(item) == 1 else f"({inner})"
        if isinstance(item, list):
            return f"[{', '.join(map(text, item))}]"
        if isinstance(item, slice):
            return f"slice({text(item.start)}, {text(item.stop)}, {text(item.step)})"
        return repr(item)

    named = (f"{key}={text(item)}" for key, item in node.kwargs.items())
    return ", ".join([*map(text, node.args), *named])


def _name_of(function: Operation) -> str:
    return getattr(function, "__name__", repr(function))


def evaluate(
    graph: Graph,
    inputs: tuple[Any, ...],
    seen: Callable[[Node, Any], None] | None = None,
) -> list[Any]:
    """Run the forward half on given inputs, node by node: its outputs.

    ``seen(node, result)`` is called for each node.

    The inputs may be ndarrays or Variables: on Variables this puts the program on the
    tape. Guards are not checked.

    >>> import numpy as np
    >>> x = Value((3,), np.dtype(float), "x")
    >>> h = Value((3,), np.dtype(float), "h")
    >>> graph = Graph(inputs=(x,), nodes=(Node(np.square, (x,), out=h),), outputs=(h,))
    >>> evaluate(graph, (np.arange(3.0),))
    [array([0., 1., 4.])]
    """
    held: dict[Value, Any] = dict(graph.constants)
    held.update(zip(graph.inputs, inputs, strict=True))
    for node in graph.nodes:
        if node.out is None:
            continue
        args = map_values(held.__getitem__, node.args)
        kwargs = map_values(held.__getitem__, dict(node.kwargs))
        result = node.function(*args, **kwargs)
        if seen is not None:
            seen(node, result)
        if isinstance(node.out, tuple):
            held.update(zip(node.out, result, strict=True))
        else:
            held[node.out] = result
    return [held[value] for value in graph.outputs]
