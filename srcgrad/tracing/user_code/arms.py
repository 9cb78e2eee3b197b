"""Which ``if`` statements have arms that only bind names, or write, and which names.

>>> code = '''
... def f(x, s):
...     if x > 0:
...         t = x * x
...         s = s + t
...     return s
... '''
>>> definition = gast.parse(code).body[0]
>>> statement = definition.body[0]
>>> plain_ifs(definition, {"x", "s", "t"})[statement]
Arms(names=('s',), before=('s',), augmented=(False,), returns=None, shared=())

Of these both arms may be run: nothing but the results tells which one it was. What
functions made inside of the definition know of its names, an arm binds there, too.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import gast

from srcgrad.emit.syntax import LOAD
from srcgrad.emit.syntax import function as function_definition
from srcgrad.tracing.user_code.copies import CAPTURE, capture_call, constant, name_read
from srcgrad.tracing.user_code.list_texts import names_shared
from srcgrad.tracing.user_code.plain_text import (
    bound_after,
    is_of_numbers,
    is_plain,
    returned,
    unbound_reads,
    writes,
)
from srcgrad.tracing.user_code.scopes import stored_names
from srcgrad.tracing.user_code.syntax_trees import nodes_in, placed, statements_in

SCOPES = (gast.FunctionDef, gast.Lambda, gast.ClassDef)


class Arms(NamedTuple):
    """What the arms of an ``if`` bind, of which some names are bound before.

    ``augmented``: which of these by ``+=`` and the like, that may change an object.
    ``returns``: they return, a tuple of so many or something else; then no names matter
    afterwards. ``shared``: what an inner function that an arm calls may read.
    """

    names: tuple[str, ...]
    before: tuple[str, ...]
    augmented: tuple[bool, ...]
    returns: int | None = None
    shared: tuple[str, ...] = ()


def plain_ifs(definition: Any, local: set[str]) -> dict[Any, Arms]:
    """The ``if`` statements of a definition that are plain."""
    if isinstance(definition, gast.Lambda):
        return {}
    if not any(isinstance(node, gast.If) for node in statements_in(definition.body)):
        return {}
    bound: dict[Any, set[str]] = {}
    arguments = definition.args
    parameters = {
        argument.id
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    }
    _bind(definition.body, parameters, bound)
    reads: dict[str, int] = {}
    for name in _read(definition.body):
        reads[name] = reads.get(name, 0) + 1
    shared = names_shared(definition, nodes_in(definition), SCOPES)
    found: dict[Any, Arms] = {}
    for node, before in bound.items():
        arms = _arms(node, before, reads, local, shared)
        if arms is not None:
            found[node] = arms
    return {node: arms for node, arms in found.items() if _are_all(node, found)}


def _are_all(node: Any, found: dict[Any, Arms]) -> bool:
    inner = [each for each in nodes_in(node) if isinstance(each, gast.If)]
    return all(each in found for each in inner)


def _read(statements: list[Any]) -> Iterator[str]:
    for statement in statements:
        for node in nodes_in(statement):
            if isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Store):
                yield node.id
            if isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name):
                yield node.target.id


def _bind(statements: list[Any], before: set[str], found: dict[Any, Any]) -> set[str]:
    """The names that are bound for certain after some statements."""
    bound = set(before)
    for each in statements:
        if isinstance(each, gast.If):
            found[each] = set(bound)
            bound = _bind(each.body, bound, found) & _bind(each.orelse, bound, found)
        elif isinstance(each, (gast.For, gast.While)):
            inner = bound | (
                stored_names(each.target) if isinstance(each, gast.For) else set()
            )
            _bind(each.body, inner, found)
            _bind(each.orelse, bound, found)
        elif isinstance(each, gast.With):
            _bind(each.body, bound, found)
        elif isinstance(each, (gast.Assign, gast.AugAssign)):
            bound |= stored_names(each)
        elif isinstance(each, gast.Delete):
            bound -= stored_names(each)
    return bound


def _arms(
    node: Any,
    before: set[str],
    reads: dict[str, int],
    local: set[str],
    shared: set[str],
) -> Arms | None:
    statements = [*node.body, *node.orelse]
    bound = set[str]().union(*map(stored_names, statements))
    values = _returned(node)
    # The test comes before them, whatever it does.
    if values is None and not all(is_plain(each) for each in statements):
        return None
    unbound = {
        name for arm in (node.body, node.orelse) for name in unbound_reads(arm, before)
    }
    if not bound <= local or not bound.isdisjoint(unbound):
        return None
    calls = [each.func for each in nodes_in(node) if isinstance(each, gast.Call)]
    if bound & shared - before and not all(map(is_of_numbers, calls)):
        return None  # what they are is not known, if there is anything
    names = [] if values is not None else _names(node, bound, before, reads)
    if names is None or not (names or values or writes(statements)):
        return None
    changed = {name for each in statements for name in _augmented(each)}
    first = tuple(sorted(bound & before))
    augmented = tuple(name in changed for name in first)
    returns = None if values is None else _count(values)
    own = tuple(name for name in first if name in shared)
    return Arms(tuple(names), first, augmented, returns, own)


def _returned(node: Any) -> list[Any] | None:
    """What both arms return, if they do."""
    arms = [returned(arm) for arm in (node.body, node.orelse)]
    return None if None in arms else [value for arm in arms for value in arm or ()]


def _names(
    node: Any, bound: set[str], before: set[str], reads: dict[str, int]
) -> list[str] | None:
    """The names that may be read afterwards; None if one may be bound, or not."""
    both = bound_after(node.body, set()) & bound_after(node.orelse, set())
    inside: dict[str, int] = {}
    for name in _read([*node.body, *node.orelse]):
        inside[name] = inside.get(name, 0) + 1
    lost = bound - before - both
    if any(reads.get(name, 0) != inside.get(name, 0) for name in lost):
        return None
    return sorted(bound - lost)


def _count(values: list[Any]) -> int:
    """How many elements all of some tuples have; 0 if they are no such tuples."""
    counts = {
        len(value.elts) if isinstance(value, gast.Tuple) else 0 for value in values
    }
    return counts.pop() if len(counts) == 1 else 0


def _augmented(statement: Any) -> Iterator[str]:
    for node in nodes_in(statement):
        if isinstance(node, gast.AugAssign):
            yield from stored_names(node)


# ----- Writing them -----


def branch(node: Any, arms: Arms) -> list[Any]:
    """An ``if`` statement, instrumented otherwise, as functions that are its arms.

    ``s, = __srcgrad__.branch(test, (orelse, then), (s,), (False,), ('s',))``
    """
    place = f"{node.lineno}_{node.col_offset}"
    parts = {"orelse": node.orelse, "then": node.body}
    functions = [
        _function(f"{CAPTURE}{word}_{place}", body, arms, node)
        for word, body in parts.items()
    ]
    given = (
        node.test,
        gast.Tuple([name_read(function.name) for function in functions], LOAD),
        gast.Tuple([name_read(name) for name in arms.before], LOAD),
        gast.Tuple([constant(each) for each in arms.augmented], LOAD),
    )
    if arms.returns is not None:
        call = capture_call("returned", *given, constant(arms.returns), at=node.test)
        return [*functions, placed(gast.Return(call), node.test)]
    names = gast.Tuple([constant(name) for name in arms.names], LOAD)
    call = capture_call("branch", *given, names, at=node.test)
    bound = gast.Assign([_stored(arms.names)], call, None)
    return [*functions, placed(bound, node.test)]


def _function(name: str, body: list[Any], arms: Arms, at: Any) -> Any:
    if arms.returns is None:
        results = gast.Tuple([name_read(each) for each in arms.names], LOAD)
        body = [*body, placed(gast.Return(results), at)]
    if arms.shared:
        # So an arm begins with what there was before it, too, whatever ran last.
        own = _stored(arms.shared)
        given = gast.Tuple([name_read(_given(each)) for each in arms.shared], LOAD)
        first = gast.Nonlocal([*arms.shared]), gast.Assign([own], given, None)
        body = [*(placed(each, at) for each in first), *body]
    parameters = [_given(n) if n in arms.shared else n for n in arms.before]
    return placed(function_definition(name, parameters, body), at)


def _stored(names: tuple[str, ...]) -> Any:
    store = gast.Store()
    return gast.Tuple([gast.Name(name, store, None, None) for name in names], store)


def _given(name: str) -> str:
    return f"{CAPTURE}{name}"
