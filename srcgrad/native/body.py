"""The statements of one straight line of a kernel, as they come together."""

import operator
from collections.abc import Callable, Collection, Iterable
from typing import Any

import gast
import numpy as np

from srcgrad.branches import Branch
from srcgrad.deadline import check
from srcgrad.emit.breaking import INDENT, WIDTH
from srcgrad.emit.checks import comment, missed, reason
from srcgrad.emit.literals import written
from srcgrad.emit.names import Namespace
from srcgrad.emit.one_line import text
from srcgrad.emit.overwriting import overwriting
from srcgrad.emit.syntax import (
    assignment,
    attribute,
    call,
    compare,
    constant,
    name,
    target,
)
from srcgrad.facts import FACTS
from srcgrad.graph import Graph
from srcgrad.loops import Loop
from srcgrad.native.arrays import VIEWS, write_array
from srcgrad.native.clusters import Cluster, clusters, shape_of
from srcgrad.native.elements import (
    FLOAT,
    UnsupportedError,
    check_dtypes,
    is_elementwise,
)
from srcgrad.native.nests import Nest
from srcgrad.native.numbers import POWERS, is_said, number
from srcgrad.native.small_arrays import (
    elements_of,
    is_apart,
    named,
    write_apart,
)
from srcgrad.native.statements import empty, fails, stored
from srcgrad.native.structures import write_branch, write_loop
from srcgrad.steps import Guard, Location, Node, Step, Value, element_name

# Names that generated source reads, and so no value has.
KEPT_NAMES = frozenset(
    "abs bool float int len max min range reversed sum zip list "
    "ValueError FloatingPointError".split()
)
# Of these a guard may be.
GUARDED = frozenset({bool, int, float})


class KernelBody:
    """One function, or the body of a loop, or an arm, in the middle of it.

    ``kernel`` is what they have in common: the scope, and which arrays lie row by row.
    ``kept`` are wanted in the end; ``owned`` may be written into; ``is_loop``: whether
    it runs again and again.
    """

    def __init__(
        self, kernel: Any, graph: Graph, owned: Collection[Value] = ()
    ) -> None:
        self.kernel, self.scope, self.graph = kernel, kernel.scope, graph
        self.statements: list[gast.stmt] = []
        self.where: Location | None = None
        self.is_loop = False
        self.kept = frozenset(graph.results)
        self.overwriting = overwriting(graph, self.kept, owned)
        self._users = graph.only_users()
        self._readers: dict[Value, set[Step]] = {}
        for step in graph.nodes:
            for value in step.inputs:
                self._readers.setdefault(value, set()).add(step)

    def write(self, steps: Iterable[Step]) -> None:
        """Add the statements of some steps.

        Raises
        ------
        UnsupportedError
            If there is no machine code for one.
        """
        check()
        for each in clusters(steps, self.overwriting):
            if type(each) is Cluster:
                for step in each.steps:
                    check_dtypes(step.results)
                Nest(self, each).write()
            elif type(each) is Guard:
                self._check(each)
            else:
                self._write(each)  # type: ignore[arg-type]

    def _write(self, step: Node) -> None:
        if not step.bodies and FACTS[step.function].effect:
            raise UnsupportedError("what does more than compute is left to NumPy")
        check_dtypes(step.results)
        if type(step.function) is Loop:
            write_loop(self, step)
        elif type(step.function) is Branch:
            write_branch(self, step)
        elif is_apart(step) and not self._stays_in_memory(step):
            write_apart(self, step)
        elif is_elementwise(step) and not step.results[0].shape:
            self.kernel.bits.take(step)
            self._check_division(step)
            self.number(step)
        else:
            write_array(self, step)

    def _check_division(self, step: Node) -> None:
        """Python raises where NumPy has ``inf / 0.0``, and no processor has a flag."""
        if step.function is operator.truediv and step.results[0].kind == "float":
            divisor = step.args[1]
            if type(divisor) is Value:
                is_zero = compare(written(self.scope, divisor), gast.Eq(), constant(0))
                self.miss(is_zero, "division by zero", step.where)

    def check_power(self, step: Node) -> None:
        """Of an exponent 0.5 NumPy makes a root, if it is one number for an array."""
        if step.function in POWERS:
            exponent = step.args[1]
            if type(exponent) is Value and not exponent.shape:
                read = written(self.scope, exponent)
                test = compare(read, gast.Eq(), constant(0.5))
                self.miss(test, "a root that may be nan", step.where)

    def _stays_in_memory(self, step: Node) -> bool:
        """Whether a small array is a view of one in memory, for loops over more."""
        if step.function not in VIEWS or not step.inputs:
            return False
        if step.inputs[0] in self.kernel.elements:
            return False
        readers = self._readers.get(step.results[0], ())
        return any(shape_of(reader) is not None for reader in readers)

    def _check(self, guard: Guard) -> None:
        """A guard of NumPy's tier, which takes the call if it fails, and says why."""
        self.miss(self.test(guard), reason(guard), guard.where)

    def test(self, guard: Guard) -> gast.expr:
        """What is true where a guard fails."""
        value, observed = guard.value, guard.observed
        is_number = type(value) is Value and not value.shape
        # Of zeros the sign counts, and nan is no number that it could be equal to.
        is_odd = guard.convert is float and (not observed or observed != observed)
        if guard.convert not in GUARDED or not is_number or is_odd:
            raise UnsupportedError("such a guard is left to NumPy")
        return missed(self.scope, guard)

    def miss(self, test: gast.expr, why: str, where: Location | None) -> None:
        """Leave the call to NumPy's tier where a test is true."""
        self.emit(where, fails(test, why))

    # ----- What is computed -----

    def number(
        self, step: Node, own: Collection[Step] = (), is_stored: bool = False
    ) -> None:
        """Compute a number: in its place, if one step of the same line reads it.

        ``own`` are the steps of the cluster that this one is of.
        """
        (out,) = step.results
        expr = number(self.scope, step, self.kernel)
        # A constant stays one; a name may get another value.
        is_plain = isinstance(expr, gast.Constant)
        if not is_stored and (is_plain or self._waits(step, out, own, expr)):
            self.kernel.holds(out, expr)
            return
        id = self.fresh(out, step)
        if is_said(expr, self.kernel.said):
            self.kernel.said.add(id)
        self.emit(step.where, assignment(target(id), expr))
        self.kernel.holds(out, name(id))
        if not is_stored and not own:
            self.hold(step, out, [name(id)])
        elif not is_stored and step.must_run:
            self.must_run(out, [name(id)])

    def hold(self, step: Node, out: Value, numbers: Iterable[gast.expr]) -> None:
        """Have numbers computed where they stand, if NumPy may warn of them there.

        Else the processor does that where they are read: in one arm of a branch, or
        after a loop.
        """
        is_far = self.is_loop and out in self.kept
        if is_far or any(reader.bodies for reader in self._readers.get(out, ())):
            said = self.kernel.said
            self.must_run(out, (each for each in numbers if is_said(each, said)))
        elif step.must_run:
            self.must_run(out, numbers)

    def hold_unread(self, out: Value, numbers: Iterable[gast.expr]) -> None:
        """The same of what a branch or loop gives, and nobody reads."""
        if not self._readers.get(out) and out not in self.kept:
            self.must_run(out, numbers)

    def must_run(self, out: Value, numbers: Iterable[gast.expr]) -> None:
        """Have something computed that nobody may want, but NumPy may warn of."""
        for each in numbers if out.dtype == FLOAT else ():
            barrier = call(name(self.kernel.prelude("barrier")), [each])
            self.emit(None, gast.Expr(barrier))

    def _waits(
        self, step: Node, out: Value, own: Collection[Step], expr: gast.expr
    ) -> bool:
        user = self._users.get(out)
        if type(user) is not Node or out in self.kept or out.name is not None:
            return False
        is_near = (
            user in own if own else is_elementwise(user) and not user.results[0].shape
        )
        is_line = user.where is step.where or user.where == step.where
        return is_near and is_line and len(text(expr)) < WIDTH - 4 * INDENT

    def define(self, node: Node, expr: gast.expr, is_contiguous: bool = False) -> None:
        """Give what a node computes a name."""
        (out,) = node.results
        id = self.fresh(out, node)
        self.emit(node.where, assignment(target(id), expr))
        self.kernel.holds(out, name(id), is_contiguous)

    def array(self, value: Value) -> gast.expr:
        """An array, as something to read; of numbers, it is made here."""
        elements = self.kernel.elements.get(value)
        if value not in self.scope.known and elements is not None:
            id = self.fresh(value)
            made = empty(self.scope, value.shape, value.dtype)
            self.emit(None, assignment(target(id), made))
            for place in np.ndindex(value.shape):
                self.emit(None, stored(name(id), place, elements[place]))
            self.scope.known[value] = name(id)
            self.kernel.contiguous.add(value)
        return written(self.scope, value)

    def elements(self, value: Value) -> Any:
        """The elements of a small array, as an array of expressions."""
        known = self.kernel.elements
        if value not in known:
            read = elements_of(self.array(value), value.shape)
            known[value] = named(self, value.name or value.hint or "x", read)
        return known[value]

    def give_elements(self, step: Node, out: Value, elements: Any) -> None:
        """What a step gives, by elements."""
        self.emit(step.where)
        hint = out.name or out.hint or str(getattr(step.function, "__name__", "x"))
        found = named(self, hint, elements)
        self.hold(step, out, found.reshape(-1))
        if out.shape:
            self.kernel.holds(out, elements=found)
        else:
            self.kernel.holds(out, found[()])

    def row_by_row(self, value: Value) -> gast.expr:
        """An array that lies row by row, a copy if it does not."""
        expr = self.array(value)
        if value in self.kernel.contiguous:
            return expr
        return call(self.scope.numpy("ascontiguousarray"), [expr])

    def for_blas(self, value: Value) -> gast.expr:
        """An array for BLAS, which reads a transposed one as it is."""
        expr = self.array(value)
        return expr if value in self.kernel.turned else self.row_by_row(value)

    # ----- Names and statements -----

    def fresh(self, value: Value, node: Node | None = None) -> str:
        """A new name for a value."""
        hint = value.name or value.hint or element_name(node)
        if not hint or hint == "_":
            hint = str(getattr(getattr(node, "function", None), "__name__", "value"))
        names: Namespace = self.scope.names
        return names.fresh(hint)

    def is_read_elsewhere(self, value: Value, own: Collection[Step]) -> bool:
        """Whether something but these steps wants a value."""
        return value in self.kept or not self._readers.get(value, set()) <= set(own)

    def emit(self, where: Location | None, *statements: gast.stmt) -> None:
        """Add statements, after a comment if the user's line is another one."""
        if where is not None and where is not self.where and where != self.where:
            self.statements += comment(where, is_first=not self.statements)
            self.where = where
        self.statements.extend(statements)

    def inner_statements(self, write: Callable[[], object]) -> list[gast.stmt]:
        """The statements that ``write`` adds, for the inside of a loop."""
        outer, self.statements = self.statements, []
        write()
        inner, self.statements = self.statements, outer
        return inner

    def copied(self, value: Any) -> gast.expr:
        """An array of its own with what is in another one."""
        return call(attribute(self.array(value), "copy"), [])
