"""The graph: what the tape did, as data.

A ``Graph`` is a straight line of steps in SSA form. A ``Node`` calls one function on
values that came before it and gives new ones; a ``Guard`` checks that a value is what
it was.

>>> import numpy as np
>>> x, h = Value((3,), np.dtype(float), "x"), Value((3,), np.dtype(float), "h")
>>> graph = Graph(inputs=(x,), nodes=(Node(np.tanh, (x,), out=h),), outputs=(h,))
>>> print(graph)
h = tanh(x)
return h

A node's function may itself hold graphs, its *bodies*: see ``Structured``.
"""

import functools
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

import numpy as np

from srcgrad.protocols import first_variable
from srcgrad.steps import NESTED, Guard, Node, Step, Value, map_values

# What of Python's, and of NumPy's classes of numbers, takes a Variable for its number.
OF_PYTHON = frozenset({"math", "cmath"})
NUMBERS = (float, complex, np.inexact)
NO_KEYWORDS: dict[str, Any] = {}
# The formula of `_called`: these do not ask a Variable what to do.
NOT_DISPATCHED = frozenset({np.array, np.asarray, np.full})


# ----- Bodies -----
class Structured(Protocol):
    """A function that is made of graphs: a loop (``loops``), a branch.

    Whatever looks at a graph goes into the bodies of its nodes too: ``lint``, printing,
    ``walk``, the effects of a node, and ``transforms.optimize``.
    """

    @property
    def bodies(self) -> "tuple[Graph, ...]":
        """The graphs that it runs."""

    def with_bodies(self, bodies: "tuple[Graph, ...]") -> "Structured":
        """The same with other graphs, which compute the same."""

    def sources(self, node: Node) -> dict[Value, set[Value]]:
        """For each array that it gives the arrays in whose memory that may be."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run it."""


def map_bodies(transform: "Callable[[Graph], Graph]", step: Step) -> Step:
    """A step with ``transform`` applied to each body of its function."""
    bodies = step.bodies
    if type(step) is Guard or not bodies:
        return step
    changed = tuple(map(transform, bodies))
    if changed == bodies:  # graphs are equal if they are one object
        return step
    function: Any = step.function
    return replace(step, function=function.with_bodies(changed))


# ----- Graphs -----
# A pass gives back the type that it got: a Graph, or a Joint.
Program = TypeVar("Program", bound="Graph")
T = TypeVar("T")


def once(find: "Callable[[Any], T]") -> "Callable[[Any], T]":
    """Let a function of a graph be computed once a graph, which never changes.

    Who asks must not change what it gives.
    """

    @functools.wraps(find)
    def found(graph: "Graph") -> Any:
        known = graph.known
        if find not in known:
            known[find] = find(graph)
        return known[find]

    return found


@dataclass(frozen=True, eq=False, slots=True)
class Graph:
    """A program in SSA form: from ``inputs`` it computes ``outputs``.

    ``constants`` are arrays that the program holds.
    """

    inputs: tuple[Value, ...]
    nodes: tuple[Step, ...]
    outputs: tuple[Value, ...]
    constants: Mapping[Value, np.ndarray[Any, Any]] = field(default_factory=dict)
    # What has been found out of it: see `once`.
    known: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    @property
    def given(self) -> tuple[Value, ...]:
        """All that the program does not compute itself."""
        return (*self.inputs, *self.constants)

    @property
    def results(self) -> tuple[Value, ...]:
        """All that it is there to compute."""
        return self.outputs

    @property
    def functions(self) -> frozenset[Any]:
        """The functions that its nodes call, and None if there are guards."""
        return _functions(self)

    @property
    def has_bodies(self) -> bool:
        """Whether functions that it calls are made of graphs."""
        return _has_bodies(self)

    def only_users(self) -> dict[Value, Step | None]:
        """For each wanted Value the step that wants it; None if others do too."""
        users: dict[Value, Step | None] = dict.fromkeys(self.results)
        for step in self.nodes:
            for value in step.inputs:
                users[value] = None if value in users else step
        return users

    @once
    def origins(self) -> Mapping[Value, set[Value]]:
        """For each view the arrays in whose memory it may be; other Values have none.

        A view of a scalar is an array of its own.
        """
        origins: dict[Value, set[Value]] = {}
        for node in self.nodes:
            if type(node) is Guard or not node.shares_memory:
                continue
            for value, arrays in node.sources().items():
                sources = set[Value]()
                for array in arrays:
                    sources |= origins.get(array, {array})
                if sources:
                    origins[value] = sources
        return origins

    def with_nodes(
        self: Program, nodes: Iterable[Step], mapping: Mapping[Value, Value]
    ) -> Program:
        """The graph with other steps, and with other Values for some results."""
        outputs = tuple(mapping.get(value, value) for value in self.outputs)
        return replace(self, nodes=tuple(nodes), outputs=outputs)

    def __str__(self) -> str:
        return "\n".join(_lines(self, _Names()))

    def lint(self) -> None:
        """Check the form: every Value defined once, before its use.

        Raises
        ------
        ValueError
            Naming the node that breaks it.
        """
        defined = set(self.given)
        if len(defined) != len(self.given):
            raise ValueError("a Value is given twice among inputs and constants")
        for step in self.nodes:
            for value in step.inputs:
                if value not in defined:
                    raise ValueError(f"used before it is defined: {value} in {step}")
            for value in step.results:
                if value in defined:
                    raise ValueError(f"defined twice: {value} in {step}")
                defined.add(value)
            for body in step.bodies:
                body.lint()
        for value in self.results:
            if value not in defined:
                raise ValueError(f"returned but never defined: {value}")


FUNCTION, BODIES = map(operator.attrgetter, ("function", "bodies"))


@once
def _functions(graph: Graph) -> frozenset[Any]:
    return frozenset(map(FUNCTION, graph.nodes))


@once
def _has_bodies(graph: Graph) -> bool:
    return any(map(BODIES, graph.nodes))


@once
def walk(graph: Graph) -> Sequence[Step]:
    """All steps of a graph, those in bodies before the node that runs them."""
    if not graph.has_bodies:
        return graph.nodes
    steps: list[Step] = []
    for step in graph.nodes:
        for body in step.bodies:
            steps += walk(body)
        steps.append(step)
    return steps


@dataclass(frozen=True, eq=False, slots=True)
class Joint(Graph):
    """Forward and backward in one graph: what a run on the tape is recorded as.

    From ``inputs`` it computes ``outputs``, and from these and a cotangent for each
    output that has one, ``gradients``: one for each input, None where none flows.
    ``complete`` has for each cotangent whose output others are computed from the sum of
    it and what flows back from those (a node ``mark_complete``), and None for the rest.
    ``residuals`` are what the tape has computed and saved for the way back, so that the
    caller cannot change them any more; passes may drop those that nobody wants, but for
    some, ``held``. ``derives``: it is of a transform, and ``gradients`` are what that
    derives, of tangents in the place of cotangents, if there are any. ``fills``:
    zeros flow back where on the tape nothing does, so that a nan may be one of nothing.
    """

    cotangents: tuple[Value, ...] = ()
    gradients: tuple[Value | None, ...] = ()
    complete: tuple[Value | None, ...] = ()
    residuals: tuple[Value, ...] = ()
    held: tuple[Value, ...] = ()
    derives: bool = False
    fills: bool = False

    @property
    def given(self) -> tuple[Value, ...]:
        """Inputs, constants, and cotangents."""
        return (*self.inputs, *self.constants, *self.cotangents)

    @property
    def results(self) -> tuple[Value, ...]:
        """Outputs, what is held, and the gradients and complete cotangents."""
        found = (*self.held, *self.gradients, *self.complete)
        return self.outputs + tuple([value for value in found if value is not None])

    def with_nodes(
        self, nodes: Iterable[Step], mapping: Mapping[Value, Value]
    ) -> "Joint":
        """The graph with other steps, and with other Values for some results."""

        def new(values: tuple[Value | None, ...]) -> Any:
            return tuple(v if v is None else mapping.get(v, v) for v in values)

        return replace(
            self,
            nodes=tuple(nodes),
            outputs=new(self.outputs),
            gradients=new(self.gradients),
            complete=new(self.complete),
            residuals=new(self.residuals),
            held=new(self.held),
        )

    def lint(self) -> None:
        """Check the form."""
        Graph.lint(self)
        if not self.derives and len(self.gradients) not in (0, len(self.inputs)):
            raise ValueError("gradients and inputs differ in number")


@dataclass(frozen=True, eq=False, slots=True)
class Partition:
    """A joint graph, divided.

    ``forward`` computes the outputs, and ``saved`` on the way; from these and then the
    cotangents ``backward`` computes the gradients that there are (None: there are
    none). ``gradients`` has for each input of ``forward`` the Value of its gradient, or
    None. If there are ``complete`` cotangents (see ``Joint``), ``in_full`` is the
    backward graph with these as further outputs. ``unboxed`` does the same on
    Python's floats where these give what NumPy does, and raise elsewhere.
    """

    forward: Graph
    backward: Graph | None = None
    saved: tuple[Value, ...] = ()
    gradients: tuple[Value | None, ...] = ()
    complete: tuple[Value | None, ...] = ()
    in_full: Graph | None = None
    unboxed: "Partition | None" = None

    @property
    def cotangents(self) -> tuple[Value, ...]:
        """The inputs of ``backward`` that are not saved."""
        return () if self.backward is None else self.backward.inputs[len(self.saved) :]

    def lint(self) -> None:
        """Check the form of the graphs; and that what is saved is defined, and read.

        Raises
        ------
        ValueError
            Naming the node that breaks it.
        """
        forward = self.forward
        replace(forward, outputs=(*forward.outputs, *self.saved)).lint()
        for graph in (self.backward, self.in_full):
            if graph is not None:
                graph.lint()
                if graph.inputs[: len(self.saved)] != self.saved:
                    raise ValueError(
                        "what is saved is not what the backward graph takes"
                    )
        if self.unboxed is not None:
            self.unboxed.lint()


# ----- Printing -----
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


def _lines(graph: Graph, names: _Names) -> Iterator[str]:
    for step in graph.nodes:
        if type(step) is Guard:
            convert = _name_of(step.convert)
            shown = _text(step.value, names)
            yield f"guard {convert}({shown}) is {step.observed!r}"
            continue
        call = f"{_name_of(step.function)}({_arguments(step, names)})"
        outs = ", ".join(names[out] for out in step.results)
        yield f"{outs} = {call}" if outs else call
        for body in step.bodies:
            yield f"    body({', '.join(names[value] for value in body.inputs)}):"
            yield from (f"        {line}" for line in _lines(body, names))
    returned = ", ".join(names[value] for value in graph.outputs)
    if isinstance(graph, Joint) and graph.gradients:
        found = ("None" if g is None else names[g] for g in graph.gradients)
        returned += f"; {', '.join(found)}"
    yield f"return {returned}"


def _text(item: Any, names: _Names) -> str:
    if type(item) is Value:
        return names[item]
    if isinstance(item, tuple):
        inner = ", ".join(_text(element, names) for element in item)
        return f"({inner},)" if len(item) == 1 else f"({inner})"
    if isinstance(item, list):
        return f"[{', '.join(_text(element, names) for element in item)}]"
    if isinstance(item, slice):
        parts = (item.start, item.stop, item.step)
        return f"slice({', '.join(_text(part, names) for part in parts)})"
    return repr(item)


def _arguments(node: Node, names: _Names) -> str:
    named = (f"{key}={_text(item, names)}" for key, item in node.kwargs.items())
    return ", ".join([*(_text(arg, names) for arg in node.args), *named])


def _name_of(function: Any) -> str:
    return getattr(function, "__name__", None) or repr(function)


# ----- Running -----
def evaluate(
    graph: Graph,
    inputs: tuple[Any, ...],
    seen: Callable[[Node, Any], None] | None = None,
) -> list[Any]:
    """Run a graph on given inputs, node by node: its outputs.

    ``seen(node, result)`` is called for each node. The inputs may be ndarrays or
    Variables: on Variables this puts the program on the tape. Guards are not checked.

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
        if type(node) is Guard:
            continue
        if node.kwargs or not NESTED.isdisjoint(map(type, node.args)):
            args = map_values(held.__getitem__, node.args)
            kwargs = map_values(held.__getitem__, dict(node.kwargs))
        else:  # most arguments are plain Values and numbers
            args = [held[arg] if type(arg) is Value else arg for arg in node.args]
            kwargs = NO_KEYWORDS
        result = _called(node.function, args, kwargs)
        if seen is not None:
            seen(node, result)
        if isinstance(node.out, tuple):
            held.update(zip(node.out, result, strict=True))
        else:
            held[node.out] = result
    return [held[value] for value in graph.outputs]


def _called(function: Any, args: Any, kwargs: Any) -> Any:
    """Call a function, those too that do not ask a Variable what to do."""
    is_number = isinstance(function, type) and issubclass(function, NUMBERS)
    of_python = getattr(function, "__module__", None) in OF_PYTHON
    if is_number or of_python or function in NOT_DISPATCHED:
        variable = first_variable((*args, *kwargs.values()))
        if variable is not None:
            return variable._call(function, args, kwargs)
    return function(*args, **kwargs)
