"""``Environment``: what a trace reads of its environment, and the guards on that.

It is written into the generated module as a function ``environment``, which runs before
``forward``: it gives what ``forward`` takes beside the arguments, or says what does not
fit.

>>> from srcgrad.emit.unparse import unparse
>>> from srcgrad.tracing.environment.references import Argument, Attribute
>>> model = Argument("model", 0)
>>> environment = Environment()
>>> environment.require(conditions.equals(Attribute(model, "n"), 3))
>>> environment.take(Attribute(model, "rate"), 0.5)
>>> print(unparse(gast.Module([environment.written(Scope())], [])), end="")
def environment(model):
    n = model.n
    if type(n) is not int or n != 3:
        return "`model.n` was 3"
    rate = model.rate
    if type(rate) is not float:
        return "`model.rate` was a float"
    return (rate,)
"""

import ast
import builtins
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import gast

from srcgrad.emit.checks import comment
from srcgrad.emit.names import Namespace
from srcgrad.emit.python_trees import to_gast
from srcgrad.emit.scope import Scope
from srcgrad.emit.syntax import constant, function, made, unary
from srcgrad.parsing import parsed
from srcgrad.steps import Location
from srcgrad.tracing.environment import conditions
from srcgrad.tracing.environment.assumptions import Assumptions
from srcgrad.tracing.environment.conditions import Condition
from srcgrad.tracing.environment.draws import Draw, state_of
from srcgrad.tracing.environment.iterators import Taken
from srcgrad.tracing.environment.references import Argument, Formula, Known, Reference


class Environment:
    """A list of what is found, in order: conditions, and what goes into the graph.

    Attributes
    ----------
    taken : list of Reference
        Where the graph's further inputs are found.
    values : list
        What was there when the function was traced.
    held : list of Reference
        Where the objects are found that its effects are about.
    objects : list
        These.
    ints : dict
        By what is said if an integer has changed: its place, as text.
    """

    def __init__(self) -> None:
        self.taken: list[Reference] = []
        self.values: list[Any] = []
        self.held: list[Reference] = []
        self.objects: list[Any] = []
        self.ints: dict[str, str] = {}
        self._steps: list[tuple[Condition | Reference, Location | None]] = []
        self._assumed: list[Condition] = []
        self._known: set[Any] = set()

    def require(self, condition: Condition, where: Location | None = None) -> None:
        """Note a condition, unless it has been noted before."""
        key = condition.references, condition.text, id(condition.subject)
        if key in self._known:
            return
        self._known.add(key)
        if condition.is_assumed:
            self._assumed.append(condition)
        else:
            self._steps.append((condition, where))

    def take(
        self, reference: Reference, leaf: Any, where: Location | None = None
    ) -> None:
        """Note that what is at a place goes into the graph, and of what kind it is."""
        if not isinstance(reference, (Formula, Draw)):
            self.require(conditions.is_like(reference, leaf), where)
        self._steps.append((reference, where))
        self.taken.append(reference)
        self.values.append(leaf)

    def draw(self, reference: Reference) -> None:
        """Note that a random number is drawn, though it is no input of the graph."""
        self._steps.append((reference, None))

    def count(self) -> int:
        """How many numbers and arrays were read."""
        return len(self.taken) + len(self.ints)

    def hold(self, reference: Reference, item: Any) -> int:
        """Note that what is at a place is wanted for an effect; its number there."""
        if reference not in self.held:
            self.held.append(reference)
            self.objects.append(item)
        return self.held.index(reference)

    @property
    def is_read(self) -> bool:
        """Whether anything is looked at that may be another in the next call."""
        return bool(self._steps or self.held)

    @property
    def conditions(self) -> Iterable[Condition]:
        """Those that are spelled out, in order."""
        return (step for step, _ in self._steps if isinstance(step, Condition))

    def assumptions(self) -> Assumptions:
        """The others."""
        return Assumptions(self._assumed)

    @property
    def has_draws(self) -> bool:
        """Whether random numbers are drawn, or items are taken of iterators."""
        return any(isinstance(reference, (Draw, Taken)) for reference, _ in self._steps)

    @property
    def arguments(self) -> Sequence[int]:
        """The leaves of the arguments that are looked into."""
        return sorted(self.parameters())

    def _roots(self) -> Iterable[Argument]:
        references = [*self.held]
        for step, _ in self._steps:
            references += step.references if isinstance(step, Condition) else (step,)
        while references:
            reference = references.pop()
            if isinstance(reference, Argument):
                yield reference
            else:
                references += [] if reference.parent is None else [reference.parent]
                references += reference.others

    # ----- As source -----

    def written(self, scope: Scope) -> gast.FunctionDef | None:
        """The function ``environment``; None if there is nothing to look at.

        If it draws random numbers, its last parameter is a list for the states.
        """
        if not self.is_read:
            return None
        return _Writer(scope, self).written(self._steps)

    def parameters(self) -> dict[int, Argument]:
        """The arguments that are looked into, by their numbers."""
        return {root.number: root for root in self._roots()}


class _Source(NamedTuple):
    """A statement; or a test, and what is returned where that is not so."""

    text: str
    miss: str | None = None

    def statement(self, tree: ast.stmt) -> gast.stmt:
        """The same as a syntax node, of that which has been parsed."""
        node: Any = to_gast(tree)
        if self.miss is None:
            return node
        missed = made(gast.Return, value=constant(self.miss))
        return made(gast.If, test=negated(node.value), body=[missed], orelse=[])


class _Writer:
    """Writes ``environment``: each place that is used has a name there."""

    def __init__(self, scope: Scope, environment: Environment) -> None:
        self._scope = scope
        # The function's own names; the module's are its surroundings.
        self._names = Namespace(("environment", "np", "drawn", *dir(builtins)))
        self._held: dict[int, str] = {}
        self._found: dict[Reference, str] = {}
        self._body: list[_Source | gast.stmt] = []
        self._where: Location | None = None
        self._environment = environment
        roots = environment.parameters()
        self._parameters = [roots[number] for number in environment.arguments]
        # The generators whose states have been kept.
        self._kept: set[Reference] = set()
        for reference in self._parameters:
            self._found[reference] = self._names.fresh(reference.hint)

    def written(self, steps: Iterable[Any]) -> gast.FunctionDef:
        for step, where in steps:
            self._comment(where)
            if isinstance(step, Condition):
                self._check(step)
            else:
                self._find(step)
        references = (*self._environment.taken, *self._environment.held)
        taken = ", ".join(self._find(reference) for reference in references)
        self._add(f"return ({taken},)" if taken else "return ()")
        parameters = [self._found[reference] for reference in self._parameters]
        if self._environment.has_draws:
            parameters.append("drawn")
        return function("environment", parameters, self._statements())

    def _statements(self) -> list[gast.stmt]:
        """The body, whose sources are parsed at once."""
        sources = [each for each in self._body if type(each) is _Source]
        tree = parsed("\n".join([source.text for source in sources]))
        trees = dict(zip(sources, tree.body, strict=True))
        return [
            each.statement(trees[each]) if type(each) is _Source else each
            for each in self._body
        ]

    def _comment(self, where: Location | None) -> None:
        if where is not None and where != self._where:
            self._where = where
            self._body += comment(where, is_first=not self._body)

    def _check(self, condition: Condition) -> None:
        names = [self._find(reference) for reference in condition.references]
        text = condition.source(names, self._name)
        self._body.append(_Source(text, condition.miss or condition.text))

    def _find(self, reference: Reference) -> str:
        """The name of what is at a place; at its first use, it is looked up."""
        if reference not in self._found:
            if isinstance(reference, Known):
                self._found[reference] = self._name(reference.item, reference.hint)
                return self._found[reference]
            parent = "" if reference.parent is None else self._find(reference.parent)
            if isinstance(reference, Draw) and reference.parent not in self._kept:
                self._kept.add(reference.parent)  # type: ignore[arg-type]
                self._add(f"drawn.append({self._name(state_of, 'state_of')}({parent}))")
            others = [self._find(other) for other in reference.others]
            source = reference.source_of(parent, self._name, others)
            self._found[reference] = found = self._names.fresh(reference.hint)
            self._add(f"{found} = {source}")
        return self._found[reference]

    def _name(self, item: Any, hint: str) -> str:
        """What the function calls an object of the module's surroundings."""
        if id(item) not in self._held:
            name = self._scope.give(item, hint)
            while name in self._scope.injected and not self._names.reserve(name):
                name = self._scope.give(item, f"{hint}_then")
            self._held[id(item)] = name
        return self._held[id(item)]

    def _add(self, source: str) -> None:
        self._body.append(_Source(source))


def statement_of(source: str) -> Any:
    """One statement as a syntax node."""
    (statement,) = parsed(source).body
    return to_gast(statement)


def negated(test: Any) -> Any:
    """A condition that is true where another is not, as a person would write it."""
    if isinstance(test, gast.BoolOp) and isinstance(test.op, gast.And):
        return gast.BoolOp(gast.Or(), [negated(each) for each in test.values])
    if isinstance(test, gast.Compare) and type(test.ops[0]) in OPPOSITE_TESTS:
        opposite = OPPOSITE_TESTS[type(test.ops[0])]
        sides = test.comparators
        return made(gast.Compare, left=test.left, ops=[opposite], comparators=sides)
    if isinstance(test, gast.UnaryOp):
        return test.operand
    return unary(gast.Not(), test)


OPPOSITE_TESTS: dict[type, Any] = {
    gast.Is: gast.IsNot(),
    gast.IsNot: gast.Is(),
    gast.Eq: gast.NotEq(),
    gast.In: gast.NotIn(),
    gast.NotIn: gast.In(),
}
