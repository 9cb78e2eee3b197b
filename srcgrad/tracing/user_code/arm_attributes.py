"""What the arms of an ``if`` set of an object is set after it.

>>> code = '''
... def f(self, error, dt):
...     if error > 0:
...         self.integral += error * dt
...         self.count += 1
...     return self.integral
... '''
>>> function = gast.parse(code).body[0]
>>> held = set_later(function)
>>> print(gast.unparse(gast.Module(function.body, [])).strip())
self_integral = self.integral
self_count = self.count
if error > 0:
    self_integral += error * dt
    self_count += 1
self.integral = self_integral
self.count = self_count
return self.integral

Meanwhile nobody may look at the object, which only the run can tell (``Held``).
"""

import copy
from collections.abc import Iterator
from typing import Any

import gast

from srcgrad.emit.syntax import LOAD
from srcgrad.tracing.user_code.copies import name_read
from srcgrad.tracing.user_code.new_names import NewNames
from srcgrad.tracing.user_code.plain_text import is_of_numbers, is_plain
from srcgrad.tracing.user_code.scopes import stored_names
from srcgrad.tracing.user_code.syntax_trees import (
    Transformer,
    nodes_in,
    placed,
    statements_in,
)

BLOCKS = (gast.If, gast.For, gast.While)


def set_later(definition: Any) -> set[Any]:
    """Have what arms set behind each ``if`` of a definition, in place.

    What is given is where attributes are read before it, and set after it.
    """
    held: set[Any] = set()
    if isinstance(definition, gast.Lambda):
        return held
    if gast.If not in map(type, statements_in(definition.body)):
        return held
    nodes = nodes_in(definition)
    if any(_stores(nodes)):
        taken = {node.id for node in nodes if isinstance(node, gast.Name)}
        _in_block(definition.body, NewNames(taken), held)
    return held


def _stores(nodes: list[Any]) -> Iterator[Any]:
    """Where an attribute is set."""
    for node in nodes:
        if isinstance(node, gast.Attribute) and isinstance(node.ctx, gast.Store):
            yield node


def _in_block(statements: list[Any], names: NewNames, held: set[Any]) -> None:
    """The same in a block, and in those within it."""
    for each in [*statements]:
        # Where an error is caught, it is seen what was set before.
        if not isinstance(each, BLOCKS):
            continue
        instead = _instead(each, names, held) if isinstance(each, gast.If) else None
        if instead is None:
            for block in (each.body, each.orelse):
                _in_block(block, names, held)
        else:
            place = next(i for i, other in enumerate(statements) if other is each)
            statements[place : place + 1] = instead


def _instead(statement: Any, names: NewNames, held: set[Any]) -> list[Any] | None:
    """An ``if`` that binds names, and what comes before and after; None: it stays."""
    stores = [*_stores(nodes_in(statement))]
    if not stores or not all(isinstance(node.value, gast.Name) for node in stores):
        return None
    pairs = [*dict.fromkeys((node.value.id, node.attr) for node in stores)]
    if not _is_alone(statement, {owner for owner, _ in pairs}):
        return None
    new = _Renaming(names, pairs).visit(copy.deepcopy(statement))
    if not is_plain(new):
        return None
    before, after = [], []
    for owner, attribute in pairs:
        name = _name_of(names, owner, attribute)
        read = gast.Attribute(name_read(owner), attribute, LOAD)
        write = gast.Attribute(name_read(owner), attribute, gast.Store())
        held |= {read, write}
        target = gast.Name(name, gast.Store(), None, None)
        before.append(placed(gast.Assign([target], read, None), statement.test))
        after.append(placed(gast.Assign([write], name_read(name), None), new.test))
    return [*before, new, *after]


def _name_of(names: NewNames, owner: str, attribute: str) -> str:
    """What stands for ``owner.attribute``."""
    return names.of((owner, attribute), f"{owner}_{attribute}")


def _is_alone(statement: Any, owners: set[str]) -> bool:
    """Whether arms do no more with some objects than to read and set attributes."""
    nodes = nodes_in(statement)
    called = [node.func for node in nodes if isinstance(node, gast.Call)]
    inside = {id(node.value) for node in nodes if isinstance(node, gast.Attribute)}
    return (
        all(map(is_of_numbers, called))
        and owners.isdisjoint(stored_names(statement))
        and all(
            id(node) in inside
            for node in nodes
            if isinstance(node, gast.Name) and node.id in owners
        )
    )


class _Renaming(Transformer):
    """Puts names for some attributes."""

    def __init__(self, names: NewNames, pairs: list[tuple[str, str]]) -> None:
        self._names, self._pairs = names, pairs

    def visit_Attribute(self, node: Any) -> Any:
        owner = node.value
        if not isinstance(owner, gast.Name) or (owner.id, node.attr) not in self._pairs:
            return self.generic_visit(node)
        name = _name_of(self._names, owner.id, node.attr)
        return placed(gast.Name(name, node.ctx, None, None), node)
