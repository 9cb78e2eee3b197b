"""Which ``if`` statements have arms that do no more than bind names, and which names.

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
Arms(names=('s',), before=('s',), augmented=(False,), may_be_others=True)

Of these both arms may be run: nothing but the results tells which one it was.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import gast

from srcgrad.emit.syntax import LOAD
from srcgrad.emit.syntax import function as function_definition
from srcgrad.tracing.copies import WATCHER, constant, name_read, watched
from srcgrad.tracing.scopes import stored_names
from srcgrad.tracing.syntax_trees import nodes_in, placed

EXPRESSIONS = (
    *(gast.Name, gast.Constant, gast.BinOp, gast.UnaryOp, gast.Compare, gast.Call),
    *(gast.Subscript, gast.Attribute, gast.Tuple, gast.keyword),
    *(gast.BoolOp, gast.IfExp),
)
IDENTITY = (gast.Is, gast.IsNot, gast.In, gast.NotIn)


class Arms(NamedTuple):
    """What the arms of an ``if`` bind, of which some names are bound before.

    ``augmented``: which of these by ``+=`` and the like, that may change an object.
    ``may_be_others``: there is no such statement in the whole definition.
    """

    names: tuple[str, ...]
    before: tuple[str, ...]
    augmented: tuple[bool, ...]
    may_be_others: bool


def plain_ifs(definition: Any, local: set[str]) -> dict[Any, Arms]:
    """The ``if`` statements of a definition that are plain."""
    if isinstance(definition, gast.Lambda):
        return {}
    bound: dict[Any, set[str]] = {}
    arguments = definition.args
    parameters = {
        argument.id
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    }
    _bind(definition.body, parameters, bound)
    reads: dict[str, int] = {}
    if not any(isinstance(node, gast.If) for node in bound):
        return {}
    for name in _read(definition.body):
        reads[name] = reads.get(name, 0) + 1
    changes = any(next(_augmented(each), None) for each in definition.body)
    found: dict[Any, Arms] = {}
    for node, before in bound.items():
        arms = _arms(node, before, reads, local)
        if arms is not None:
            found[node] = arms._replace(may_be_others=not changes)
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
    node: Any, before: set[str], reads: dict[str, int], local: set[str]
) -> Arms | None:
    statements = [*node.body, *node.orelse]
    if not all(_is_plain(each, local) for each in statements):
        return None
    bound = set[str]().union(*map(stored_names, statements))
    both = _bind(node.body, set(), {}) & _bind(node.orelse, set(), {})
    inside: dict[str, int] = {}
    for name in _read(statements):
        inside[name] = inside.get(name, 0) + 1
    names = []
    for name in sorted(bound):
        if name in before or name in both:
            names.append(name)
        elif reads.get(name, 0) != inside.get(name, 0):
            return None  # it may be bound or not afterwards
    if not names or not bound <= local:
        return None
    plain = {name for each in statements for name in _assigned(each)}
    changed = {name for each in statements for name in _augmented(each)}
    if plain & changed - before or (changed - before) - plain:
        return None
    first = tuple(name for name in names if name in before)
    augmented = tuple(name in changed for name in first)
    return Arms(tuple(names), first, augmented, may_be_others=True)


def _assigned(statement: Any) -> Iterator[str]:
    for node in nodes_in(statement):
        if isinstance(node, gast.Assign):
            yield from stored_names(node)


def _augmented(statement: Any) -> Iterator[str]:
    for node in nodes_in(statement):
        if isinstance(node, gast.AugAssign):
            yield from stored_names(node)


def _is_plain(statement: Any, local: set[str]) -> bool:
    if isinstance(statement, gast.Pass):
        return True
    if isinstance(statement, gast.If):
        parts = [*statement.body, *statement.orelse]
        is_plain = all(_is_plain(each, local) for each in parts)
        return is_plain and is_expression(statement.test, local)
    if isinstance(statement, gast.AugAssign):
        targets = [statement.target]
    elif isinstance(statement, gast.Assign) and len(statement.targets) == 1:
        (target,) = statement.targets
        targets = target.elts if isinstance(target, gast.Tuple) else [target]
    else:
        return False
    are_names = all(isinstance(target, gast.Name) for target in targets)
    return are_names and is_expression(statement.value, local)


def is_expression(expression: Any, local: set[str]) -> bool:
    """Whether an expression may do no more than compute, so far as its text tells."""
    for node in nodes_in(expression):
        if not isinstance(node, EXPRESSIONS):
            return False
        if isinstance(node, gast.Compare) and any(
            isinstance(each, IDENTITY) for each in node.ops
        ):
            return False
        if isinstance(node, gast.Call) and (
            not _is_of_module(node.func, local)
            or any(each.arg in (None, "out") for each in node.keywords)
        ):
            return False
    return True


def _is_of_module(node: Any, local: set[str]) -> bool:
    """Whether it may be a function of a module: ``np.exp``, ``scipy.special.erf``."""
    while isinstance(node, gast.Attribute):
        node = node.value
    return isinstance(node, gast.Name) and node.id not in local


# ----- Writing them -----


def branch(node: Any, arms: Arms) -> list[Any]:
    """An ``if`` statement, instrumented otherwise, as functions that are its arms.

    ``s, = __srcgrad__.branch(test, (orelse, then), ('s',), (s,), (False,), True)``
    """
    place = f"{node.lineno}_{node.col_offset}"
    parts = {"orelse": node.orelse, "then": node.body}
    functions = [
        _function(f"{WATCHER}{word}_{place}", body, arms, node)
        for word, body in parts.items()
    ]
    given = (
        node.test,
        gast.Tuple([name_read(function.name) for function in functions], LOAD),
        gast.Tuple([constant(name) for name in arms.names], LOAD),
        gast.Tuple([name_read(name) for name in arms.before], LOAD),
        gast.Tuple([constant(each) for each in arms.augmented], LOAD),
        constant(arms.may_be_others),
    )
    store = gast.Store()
    targets = gast.Tuple([gast.Name(id, store, None, None) for id in arms.names], store)
    call = watched("branch", *given, at=node.test)
    bound = gast.Assign(targets=[targets], value=call, type_comment=None)
    return [*functions, placed(bound, node.test)]


def _function(name: str, body: list[Any], arms: Arms, at: Any) -> Any:
    results = gast.Tuple([name_read(each) for each in arms.names], LOAD)
    last = placed(gast.Return(results), at)
    made = function_definition(name, arms.before, [*body, last])
    return placed(made, at)
