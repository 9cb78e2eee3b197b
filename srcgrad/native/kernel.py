"""Kernels: a graph as the source of one function that Numba compiles.

>>> from srcgrad.steps import Node
>>> x, y = (Value((99,), np.dtype(float), name) for name in "xy")
>>> graph = Graph((x,), (Node(np.exp, (x,), out=y),), (y,))
>>> print(kernel_of(graph, "exp").text, end="")
import numpy as np
<BLANKLINE>
<BLANKLINE>
def exp(x):
    y = np.empty((99,))
    for i in range(99):
        y_1 = np.exp(x[i])
        y[i] = y_1
    return y
"""

from dataclasses import dataclass
from math import prod
from typing import Any

import gast
import numpy as np

from srcgrad.emit.lower import apart, imports_of, scope_of
from srcgrad.emit.names import identifier
from srcgrad.emit.scope import Scope
from srcgrad.emit.syntax import (
    assignment,
    call,
    function,
    name,
    sequence,
    target,
)
from srcgrad.emit.unparse import unparse
from srcgrad.graph import Graph
from srcgrad.native.body import KEPT_NAMES, KernelBody
from srcgrad.native.elements import Bits, UnsupportedError, check_dtypes
from srcgrad.native.numbers import converted
from srcgrad.native.reductions import BLOCK
from srcgrad.native.small_arrays import is_small
from srcgrad.native.statements import empty
from srcgrad.native.structures import list_of, output_of
from srcgrad.steps import Value

# So many numbers are copied into an array that the caller makes.
MOST_FILLED = 256


@dataclass(frozen=True, eq=False)
class Kernel:
    """A function as source.

    Attributes
    ----------
    imports, definition : str
        The source, in two parts.
    name : str
        What the function is called.
    given : tuple of Value
        Its parameters, as they are in the graph;
    constants : tuple of ndarray
        and the arrays that are given after these.
    outputs : tuple of Value
        What it gives.
    preludes : frozenset of str
        The functions of ``machine`` that it calls.
    """

    imports: str
    definition: str
    name: str
    given: tuple[Value, ...]
    constants: tuple[np.ndarray[Any, Any], ...]
    outputs: tuple[Value, ...]
    preludes: frozenset[str]

    @property
    def filled(self) -> tuple[Value, ...]:
        """The small arrays among the outputs, which are made by who calls it.

        For so few numbers it takes longer to make a NumPy array of what Numba has.
        """
        return tuple(
            value
            for value in self.outputs
            if value.shape
            and value.kind == "array"
            and prod(value.shape) <= MOST_FILLED
        )

    @property
    def text(self) -> str:
        """The source."""
        parts = self.imports.rstrip(), self.definition.rstrip()
        return "\n\n\n".join(filter(None, parts)) + "\n"


def _is_filled(value: Value) -> bool:
    is_array = len(value.shape) > 0 and value.kind == "array"
    return is_array and prod(value.shape) <= MOST_FILLED


class KernelWriter:
    """What all bodies of a kernel have in common.

    ``contiguous`` lie row by row, ``turned`` column by column; ``axes`` are those that
    a list of items has before them; ``elements`` are those of small arrays, as
    expressions; ``bits`` tells how many whole numbers have; ``said`` are the names of
    what NumPy may warn of.
    """

    def __init__(self, graph: Graph, id: str, threads: int) -> None:
        self.threads = threads
        self.scope = scope_of(Scope, [graph])
        for builtin in (*KEPT_NAMES, id, *PRELUDES):
            self.scope.claim(builtin)
        self.contiguous: set[Value] = set()
        self.turned: set[Value] = set()
        self.axes: dict[Value, tuple[gast.expr, ...]] = {}
        self.elements: dict[Value, Any] = {}
        self.bits = Bits()
        self.said: set[str] = set()
        self.preludes: set[str] = set()
        self._arrays: dict[str, np.ndarray[Any, Any]] = {}
        self._buffers: dict[int, str] = {}

    def holds(
        self,
        value: Value,
        expr: gast.expr | None = None,
        is_contiguous: bool = False,
        elements: Any = None,
    ) -> None:
        """A value is there, as an array or number, or by its elements.

        Of what it was before, in another loop that computes the same, nothing is left.
        """
        self.contiguous.discard(value)
        self.turned.discard(value)
        self.elements.pop(value, None)
        self.scope.known.pop(value, None)
        self.axes.pop(value, None)
        if expr is not None:
            self.scope.known[value] = expr
        if elements is not None:
            self.elements[value] = elements
        if is_contiguous:
            self.contiguous.add(value)

    def prelude(self, id: str) -> str:
        """The name of a function that a kernel calls."""
        self.preludes.add(id)
        return id

    def constant(self, array: np.ndarray[Any, Any]) -> gast.expr:
        """A constant array, as a further parameter."""
        id = self.scope.names.fresh("C")
        self._arrays[id] = np.ascontiguousarray(array)
        return name(id)

    def buffer(self, number: int) -> str:
        """The name of an array for the numbers of a block, made at the start."""
        if number not in self._buffers:
            self._buffers[number] = self.scope.names.fresh("terms")
        return self._buffers[number]

    def made_buffers(self) -> list[gast.stmt]:
        """The statements that make these."""
        return [
            assignment(target(id), empty(self.scope, BLOCK))
            for id in self._buffers.values()
        ]

    @property
    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """The constants, by their names."""
        return self._arrays


PRELUDES = tuple(
    "added barrier chosen dotted grown heard largest pairwise prange quiet rolled "
    "smallest".split()
)


def kernel_of(graph: Graph, called: str, threads: int = 1) -> Kernel:
    """Write a graph as the source of a function, for so many threads.

    Raises
    ------
    UnsupportedError
        If there is no machine code for something in it.
    """
    id = identifier(called)
    check_dtypes(graph.inputs)
    writer = KernelWriter(graph, id, threads)
    body = KernelBody(writer, graph)
    parameters = []
    for value in graph.inputs:
        parameters.append(body.fresh(value))
        given = name(parameters[-1])
        writer.holds(value, given, bool(value.shape))
        if value.kind == "list":
            writer.axes[value] = (call(name("len"), [given]),)
    for value, array in graph.constants.items():
        check_dtypes([value])
        if not value.shape:
            number = converted(writer.scope, array.item(), value.dtype)
            writer.holds(value, number)
            continue
        if is_small(value):
            find = lambda x: converted(writer.scope, x, value.dtype)  # noqa: E731, B023
            found = np.vectorize(find, otypes=[object])(array)
            writer.holds(value, elements=found)
            continue
        writer.holds(value, writer.constant(array), is_contiguous=True)
    body.write(graph.nodes)
    results = [
        list_of(body, value) if value.kind == "list" else output_of(body, value)
        for value in graph.outputs
    ]
    result = results[0] if len(results) == 1 else sequence(results)
    body.statements.append(gast.Return(result))
    statements = [*writer.made_buffers(), *body.statements]
    defined = function(id, [*parameters, *writer.arrays], statements)
    if writer.scope.injected or writer.scope.statements:
        raise UnsupportedError("an object of the program's is left to NumPy")
    statements = apart(filter(None, imports_of(writer.scope.imports)))
    return Kernel(
        unparse(gast.Module(statements, [])),
        unparse(gast.Module([defined], [])),
        id,
        graph.inputs,
        tuple(writer.arrays.values()),
        graph.outputs,
        frozenset(writer.preludes),
    )
