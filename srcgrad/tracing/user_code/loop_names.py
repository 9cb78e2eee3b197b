"""``LoopNames``: the names that the loops of a definition bind, and who reads them.

>>> tree = gast.parse('''
... def f(x):
...     while x > 1:
...         k, y, unread = x, x * x, 0
...         x = k / y
...     return x
... ''').body[0]
>>> LoopNames(tree).of_loop(tree.body[0])
(('x',), ('x',))
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import gast

from srcgrad.tracing.user_code.counters import Counters, counters_of
from srcgrad.tracing.user_code.scopes import may_leave, stored_names
from srcgrad.tracing.user_code.stepped_floats import Stepped, stepped_in
from srcgrad.tracing.user_code.syntax_trees import nodes_in, statements_in

SCOPES = (gast.FunctionDef, gast.Lambda, gast.ClassDef)
# Who else runs between two iterations cannot be told.
LOOPS = (gast.For, gast.While)
COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
DECLARING = (gast.Global, gast.Nonlocal)
SUSPENDING = (gast.Yield, gast.YieldFrom, gast.Await)


class LoopNames:
    """The names that are read in a definition, each time once."""

    def __init__(self, definition: Any) -> None:
        body = [] if isinstance(definition, gast.Lambda) else definition.body
        loops = [n for n in statements_in(body) if isinstance(n, LOOPS)]
        nodes = nodes_in(definition) if loops else []  # or nobody asks
        self._reads = Counter(_reads(nodes))
        inner = [n for n in nodes if isinstance(n, SCOPES) and n is not definition]
        self._captured = {name for each in inner for name in _reads(nodes_in(each))}
        declared = (n.names for n in nodes if isinstance(n, DECLARING))
        self._declared = {name for names in declared for name in names}
        binding = (n for n in nodes if isinstance(n, (gast.For, *COMPREHENSIONS)))
        self._bindings = [*map(_binding_of, binding)]
        # For each loop what is bound right before it; and those within others.
        self._before: dict[Any, set[str]] = {}
        self._within = {
            each
            for outer in loops
            for each in nodes_in(outer)[1:]
            if isinstance(each, LOOPS)
        }
        for node in nodes:
            for block in ("body", "orelse", "finalbody"):
                self._note_block(getattr(node, block, None))

    def of_loop(self, loop: Any) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
        """What a loop binds and somebody reads; and of that what may be read later.

        None if it cannot be told what happens between iterations.
        """
        nodes = nodes_in(loop)
        if any(isinstance(node, SUSPENDING) for node in nodes):
            return None
        inside = Counter(_reads(nodes)) - Counter(_read_in_else(loop))
        known = {name for name in stored_names(loop) if self._reads[name]}
        fresh = _fresh(loop)
        is_within = loop in self._within
        again = {*inside} - self._before[loop] - fresh if is_within else {}
        later = {
            name
            for name in known
            if name in self._captured
            or self._reads[name] - self._read_in_others(loop, nodes, name)
            > inside[name]
            or name in again
        }
        bound = sorted(known - (fresh - later))
        may_leave = any(isinstance(n, (gast.Break, gast.Return)) for n in nodes)
        live = [name for name in bound if may_leave or name in later]
        return tuple(bound), tuple(live)

    def counters(self, loop: Any) -> Counters:
        """The names that count the iterations of a ``while``."""
        inside = Counter(_reads(nodes_in(loop)))

        def may_count(name: str) -> bool:
            return name in self._before[loop] and name not in self._declared

        def is_read(name: str) -> bool:
            return self._reads[name] > inside[name] or name in self._captured

        return counters_of(loop, may_count, is_read)

    def stepped(self, loop: Any) -> Stepped | None:
        """The names that a loop changes by themselves, which are bound before it."""
        return stepped_in(loop, self._before[loop] - self._declared)

    def is_read_later(self, loop: Any, name: str) -> bool:
        """Whether what a loop runs over is read when it has ended, or is about to."""
        nodes = nodes_in(loop)
        is_read_leaving = any(
            name in _reads(nodes_in(node))
            for node in nodes
            if isinstance(node, (gast.If, gast.Return)) and may_leave(node)
        )
        reads = _reads(nodes).count(name) + self._read_in_others(loop, nodes, name)
        is_read_after = self._reads[name] > reads
        is_read_after = is_read_after or name in _read_in_else(loop)
        return name in self._captured or is_read_after or is_read_leaving

    def _read_in_others(self, loop: Any, nodes: Iterable[Any], name: str) -> int:
        """How often a name is read where other loops, or comprehensions, bind it."""
        others = [each for each in self._bindings if name in each.reads]
        inside = {*nodes} if others else set()
        found: set[Any] = set()
        for each in others:
            if each.node not in inside and loop not in each.nodes:
                found |= each.reads[name]
        return len(found)

    def _note_block(self, statements: Any) -> None:
        """Note the loops among some statements, and what is bound before each."""
        if not isinstance(statements, list):
            return
        bound: set[str] = set()
        for each in statements:
            if isinstance(each, LOOPS):
                self._before[each] = set(bound)
            if isinstance(each, gast.Assign):
                bound |= stored_names(each)

    def is_unread(self, target: Any) -> bool:
        """Whether nobody reads what a loop runs over."""
        return not any(self._reads[name] for name in stored_names(target))


class Binding(NamedTuple):
    """A ``for``, or a comprehension, with its nodes, and who reads what it runs over.

    ``reads`` has the nodes that do, for each name, where that is bound.
    """

    node: Any
    nodes: frozenset[Any]
    reads: Mapping[str, set[Any]]


def _binding_of(node: Any) -> Binding:
    generators = [node] if isinstance(node, gast.For) else node.generators
    targets = set().union(*(stored_names(each.target) for each in generators))
    reads: dict[str, set[Any]] = {name: set() for name in targets}
    for part in _repeated(node):
        for each in _names_read(nodes_in(part)):
            if each.id in reads:
                reads[each.id].add(each)
    return Binding(node, frozenset(nodes_in(node)), reads)


def _repeated(loop: Any) -> list[Any]:
    """What is run in each iteration: all but what it runs over."""
    if isinstance(loop, gast.For):
        return list(loop.body)
    first, *others = loop.generators
    is_dict = isinstance(loop, gast.DictComp)
    made = [loop.key, loop.value] if is_dict else [loop.elt]
    return [*made, *first.ifs, *others]


def _read_in_else(loop: Any) -> list[str]:
    """The names that are read when a loop has come to its end."""
    return [name for each in loop.orelse for name in _reads(nodes_in(each))]


def _fresh(loop: Any) -> set[str]:
    """The names that are bound in each iteration before anybody reads them."""
    seen = _mentioned(getattr(loop, "test", None))
    fresh: set[str] = set()
    for statement in loop.body:
        mentioned = _mentioned(statement)
        if isinstance(statement, gast.Assign):
            stored = set().union(*map(stored_names, statement.targets))
            read = {*_reads(nodes_in(statement))}
            fresh |= stored - read - seen
        seen |= mentioned
    return fresh | _fresh_inside(loop)


def _fresh_inside(loop: Any) -> set[str]:
    """The same of names that only loops inside know, each of which binds them anew."""
    test = _mentioned(getattr(loop, "test", None))
    inside = [
        (_mentioned(each), _bound_again(each))
        for each in loop.body
        if isinstance(each, LOOPS) and not each.orelse
    ]
    known = {name for _, bound in inside for name in bound} - test
    for each in loop.body:
        if not isinstance(each, LOOPS) or each.orelse:
            known -= _mentioned(each)
    for mentioned, bound in inside:
        known -= mentioned - bound
    return known


def _bound_again(loop: Any) -> set[str]:
    """The same of a loop inside, with what that runs over: it may not run at all."""
    if isinstance(loop, gast.While):
        return _fresh(loop)
    return _fresh(loop) | stored_names(loop.target) - _mentioned(loop.iter)


def _mentioned(node: Any) -> set[str]:
    if node is None:
        return set()
    return {each.id for each in nodes_in(node) if isinstance(each, gast.Name)}


def _reads(nodes: Iterable[Any]) -> list[str]:
    return [node.id for node in _names_read(nodes)]


def _names_read(nodes: Iterable[Any]) -> list[Any]:
    return [
        node
        for node in nodes
        if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Load)
    ]
