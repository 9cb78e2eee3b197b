"""A ``Branch`` as an ``if`` statement, whose arms give names to the same things."""

from collections.abc import Iterator, Sequence
from typing import Any

import gast

from srcgrad.branches import Branch
from srcgrad.emit.expressions import computed
from srcgrad.emit.literals import written
from srcgrad.emit.syntax import Comment, assignment, sequence, target, unpack
from srcgrad.graph import Graph
from srcgrad.steps import Node, Step, Value


class BranchWriter:
    """Writes one branch into the statements of a function, or of a loop."""

    def __init__(self, body: Any, node: Node) -> None:
        # A `Body`, which stands above this.
        self.outer, self.node = body, node
        self.scope = body.scope
        self.function: Branch = node.function  # type: ignore[assignment]

    def write(self) -> None:
        """Add the statement."""
        outer, node = self.outer, self.node
        test, *args = node.args
        word = self._combined_by()
        for value in [*outer.pending]:
            if value in args and not (word and value is test):
                outer.settle(value)
        written_test = outer.fitted(node, lambda: written(self.scope, test))
        self._name_results()
        arms = []
        for arm, known in zip(self.function.bodies, (True, False), strict=True):
            own = [known if word and arg is test else arg for arg in args]
            arms.append(self._arm(arm, own))
        then, orelse = arms
        if word is not None:
            only = _assigned(then if word is gast.And else orelse)
            if only is not None:
                self._write_combined(word, written_test, only)
                return
        if not _does(then):
            written_test, then, orelse = _negated(written_test), orelse, then
        if _does(then):
            otherwise = orelse if _does(orelse) else []
            outer.emit(node.where, gast.If(written_test, then, otherwise))
        outer.where = None

    def _combined_by(self) -> type[gast.boolop] | None:
        """The word, if it is ``test and ...`` or ``test or ...``."""
        node = self.node
        if len(node.results) > 1 or node.results[0].dtype != bool:
            return None
        words: tuple[type[gast.boolop], ...] = gast.Or, gast.And
        for arm, word in zip(self.function.bodies, words, strict=True):
            given = dict(zip(arm.inputs, node.args[1:], strict=True))
            if not arm.nodes and given.get(arm.outputs[0]) is node.args[0]:
                return word
        return None

    def _write_combined(
        self, word: type[gast.boolop], test: gast.expr, only: gast.Assign
    ) -> None:
        """``a = test and value``, for an arm that is ``a = value``."""
        value = only.value
        is_same = isinstance(value, gast.BoolOp) and isinstance(value.op, word)
        others = value.values if is_same else [value]
        combined = gast.BoolOp(word(), [test, *others])
        (where,) = only.targets
        self.outer.emit(self.node.where, assignment(where, combined))

    def _name_results(self) -> None:
        outer, scope = self.outer, self.scope
        lent: set[Value] = set()
        for number, value in enumerate(self.node.results):
            if not outer.is_used(value):
                continue
            given = self._goes_on(number)
            if value in outer.takes_over or given is None or given in lent:
                outer.name(value, self.node)
                continue
            lent.add(given)  # to one result only: another may be it in the other arm
            id = scope.known[given].id
            for other in [*outer.pending]:
                if id in _names_in(scope.known[other]):
                    outer.settle(other)
            scope.names.share(value, id)
            scope.known[value] = scope.known[given]

    def _goes_on(self, number: int) -> Value | None:
        """The argument that a result is in one of the arms, if it lends its name."""
        result, outer = self.node.results[number], self.outer
        for arm in self.function.bodies:
            given = dict(zip(arm.inputs, self.node.args[1:], strict=True))
            value = given.get(arm.outputs[number])
            if type(value) is not Value or value.name != result.name:
                continue
            is_last = outer.users.get(value) is self.node and value not in outer.kept
            is_last = is_last and value in outer.made and value not in outer.lent
            is_name = isinstance(self.scope.known.get(value), gast.Name)
            if result.name and is_last and is_name and value.kind != "array":
                return value
        return None

    def _arm(self, arm: Graph, args: Sequence[Any]) -> list[gast.stmt]:
        scope, outer = self.scope, self.outer
        for parameter, arg in zip(arm.inputs, args, strict=True):
            scope.known[parameter] = written(scope, arg)
        inner = type(outer)(scope, arm, arm.outputs, {})
        inner.where, inner.lent = self.node.where, frozenset(arm.inputs)
        inner.given_back = set()  # all that an arm gives has its name in it
        steps = [step for step in arm.nodes if not self._is_zero(step)]
        late: list[tuple[Value, Value]] = []
        pairs = zip(self.node.results, arm.outputs, strict=True)
        for result, value in pairs:
            if not outer.is_used(result):
                continue
            # What is changed in place has its last name from the start.
            made = inner.overwriting.made_as(value)
            is_one = arm.outputs.count(value) == 1
            if is_one and self._names_at_once(arm, result, made):
                inner.takes_over[made] = result
            else:
                late.append((result, value))
        inner.write(steps)
        return [*inner.statements, *self._bound(late)]

    def _is_zero(self, step: Step) -> bool:
        """Whether it is a number of NumPy's and nothing else, which needs no name."""
        if type(step) is not Node or step.inputs:
            return False
        if not isinstance(step.function, type):
            return False
        (value,) = step.results
        self.scope.known[value] = (
            written(self.scope, float(*step.args))  # float(1) is 1.0
            if step.function is float
            else computed(self.scope, step)
        )
        return True

    def _names_at_once(self, arm: Graph, result: Value, value: Value) -> bool:
        """Whether a step can give its result the name: it has no other meaning then."""
        position = next(
            (i for i, step in enumerate(arm.nodes) if value in step.results), None
        )
        if position is None or value in self.scope.known:
            return False
        read = {v for step in arm.nodes[position + 1 :] for v in step.inputs}
        read.update(arm.outputs)
        id = self.scope.known[result].id
        return not any(
            id in _names_in(self.scope.known[parameter])
            for parameter in arm.inputs
            if parameter in read
        )

    def _bound(self, late: Sequence[tuple[Value, Value]]) -> Iterator[gast.stmt]:
        """``a, b = x, y``, for what has not the right name yet."""
        pairs = []
        for result, value in late:
            id, expr = self.scope.known[result].id, written(self.scope, value)
            if not (isinstance(expr, gast.Name) and expr.id == id):
                pairs.append((id, expr))
        bound: set[str] = set()
        is_swap = False
        for id, expr in pairs:
            is_swap = is_swap or not bound.isdisjoint(_names_in(expr))
            bound.add(id)
        if is_swap:
            yield unpack([id for id, _ in pairs], sequence(e for _, e in pairs))
        else:
            yield from (assignment(target(id), expr) for id, expr in pairs)


def _does(statements: Sequence[gast.stmt]) -> bool:
    return any(not isinstance(each, Comment) for each in statements)


def _assigned(statements: Sequence[gast.stmt]) -> gast.Assign | None:
    """The only statement, if that is an assignment."""
    found = [each for each in statements if not isinstance(each, Comment)]
    is_one = len(found) == 1 and isinstance(found[0], gast.Assign)
    return found[0] if is_one else None


def _negated(test: gast.expr) -> gast.expr:
    return gast.UnaryOp(gast.Not(), test)


def _names_in(expr: gast.expr) -> set[str]:
    return {node.id for node in gast.walk(expr) if isinstance(node, gast.Name)}
