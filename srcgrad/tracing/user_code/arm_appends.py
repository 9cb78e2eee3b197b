"""What both arms of an ``if`` append to a list is appended after it.

>>> code = '''
... def f(x, cap):
...     over = []
...     for v in x:
...         if v > cap:
...             over.append(v - cap)
...             v = cap
...         else:
...             over.append(0.0)
...     return sum(over)
... '''
>>> function = gast.parse(code).body[0]
>>> append_later(function)
>>> print(gast.unparse(function.body[1]))
for v in x:
    if v > cap:
        over_item = v - cap
        v = cap
    else:
        over_item = 0.0
    over.append(over_item)

Of such a list nobody but the function knows, by no other name: that what is appended is
not there yet when the arm ends cannot be seen.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import gast

from srcgrad.tracing.user_code.copies import name_read
from srcgrad.tracing.user_code.list_texts import appended, names_shared, new_lists
from srcgrad.tracing.user_code.new_names import NewNames
from srcgrad.tracing.user_code.plain_text import is_expression, is_plain
from srcgrad.tracing.user_code.scopes import stored_names
from srcgrad.tracing.user_code.syntax_trees import nodes_in, placed, statements_in

# What is called with a list, and keeps nothing of it.
READERS = frozenset("len sum list tuple zip enumerate sorted min max".split())
AS_NUMPY = frozenset({"np", "numpy"})
BLOCKS = (gast.If, gast.For, gast.While)
SCOPES = (gast.FunctionDef, gast.Lambda, gast.ClassDef)


def append_later(definition: Any) -> None:
    """Have the appends of both arms behind each ``if`` of a definition."""
    if isinstance(definition, gast.Lambda):
        return
    if gast.If not in map(type, statements_in(definition.body)):
        return
    nodes = nodes_in(definition)
    lists = _own_lists(definition, nodes)
    if lists:
        names = NewNames({*_names(nodes)})
        _in_block(definition.body, lists, names)


def _own_lists(definition: Any, nodes: Sequence[Any]) -> set[str]:
    """The names of lists that the function makes, and that have no other name."""
    made: set[str] = set()
    plain: Counter[str] = Counter()
    for node in nodes:
        if isinstance(node, gast.Assign):
            for name, _ in new_lists(node):
                made.add(name)
                plain[name] += 1
        elif isinstance(node, gast.Subscript):
            plain.update(_names([node.value]))
        elif isinstance(node, gast.Return) and node.value is not None:
            is_tuple = isinstance(node.value, gast.Tuple)
            plain.update(_names(node.value.elts if is_tuple else [node.value]))
        elif (filled := appended(node)) is not None:
            plain[filled] += 1
        elif isinstance(node, gast.Call) and _keeps_nothing(node.func):
            plain.update(_names(node.args))
    every = Counter(node.id for node in nodes if isinstance(node, gast.Name))
    closed = names_shared(definition, nodes, SCOPES)
    return {name for name in made - closed if plain[name] == every[name]}


def _names(nodes: Sequence[Any]) -> Iterator[str]:
    return (node.id for node in nodes if isinstance(node, gast.Name))


def _keeps_nothing(function: Any) -> bool:
    if isinstance(function, gast.Attribute):
        return isinstance(function.value, gast.Name) and function.value.id in AS_NUMPY
    return isinstance(function, gast.Name) and function.id in READERS


# ----- Moving them -----


def _in_block(statements: list[Any], lists: set[str], names: NewNames) -> None:
    """The same in a block, and in those within it, in place."""
    for each in [*statements]:
        # Where an error is caught, it is seen what was appended before.
        if isinstance(each, BLOCKS):
            for block in (each.body, each.orelse):
                _in_block(block, lists, names)
        if isinstance(each, gast.If) and (later := _later(each, lists, names)):
            place = next(i for i, other in enumerate(statements) if other is each)
            statements[place + 1 : place + 1] = later


def _later(statement: Any, lists: set[str], names: NewNames) -> list[Any]:
    """What comes after an ``if``, whose arms bind that now; nothing if it stays."""
    arms = statement.body, statement.orelse
    found = [[_append_of(each, lists) for each in arm] for arm in arms]
    first, second = ([name for name in arm if name is not None] for arm in found)
    if not first or first != second or not all(map(_is_plain, arms, found)):
        return []
    later: list[Any] = []
    for arm, appends in zip(arms, found, strict=True):
        count = 0
        for number, name in enumerate(appends):
            if name is None:
                continue
            call = arm[number].value
            item = names.of((name, count), f"{name}_item")
            count += 1
            target = gast.Name(item, gast.Store(), None, None)
            bound = gast.Assign([target], call.args[0], None)
            if arm is statement.body:
                call = gast.Call(call.func, [name_read(item)], [])
                later.append(placed(gast.Expr(call), arm[number]))
            arm[number] = placed(bound, arm[number])
    return later


def _append_of(statement: Any, lists: set[str]) -> str | None:
    name = appended(statement.value) if isinstance(statement, gast.Expr) else None
    return name if name in lists else None


def _is_plain(arm: Sequence[Any], appends: Sequence[str | None]) -> bool:
    """Whether an arm only computes, but for what it appends, and reads no such list.

    It may do that before it has appended anything to it.
    """
    for name in filter(None, {*appends}):
        first = appends.index(name) + 1
        rest = [node for each in arm[first:] for node in nodes_in(each)]
        bound = set[str]().union(*map(stored_names, arm))
        if name in bound or [*_names(rest)].count(name) > appends[first:].count(name):
            return False
    return all(
        is_plain(each) if name is None else is_expression(each.value.args[0])
        for each, name in zip(arm, appends, strict=True)
    )
