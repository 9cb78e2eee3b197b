"""Walks over syntax trees, Python's and gast's, that take time in proportion to them.

The same as ``ast.walk`` and ``ast.NodeTransformer``, in a fraction of the time, which
counts for functions of thousands of lines. They go to no operators and contexts, which
say all in their type.

>>> tree = ast.parse("x = y + f(z)")
>>> [type(node).__name__ for node in nodes_in(tree)]
['Module', 'Assign', 'Name', 'BinOp', 'Name', 'Call', 'Name', 'Name']
"""

import ast
import functools
from collections.abc import Callable
from typing import Any

from srcgrad.emit.python_trees import PLACE

# Fields without nodes, or with such that say all in their type.
LEAF_FIELDS = frozenset("ctx op ops id attr kind type_comment level conversion".split())


class _InnerFields(dict[Any, tuple[str, ...]]):
    """The fields of a class of nodes that other nodes may be in."""

    def __missing__(self, kind: Any) -> tuple[str, ...]:
        fields = () if kind.__name__ == "Constant" else kind._fields
        found = tuple(field for field in fields if field not in LEAF_FIELDS)
        return self.setdefault(kind, found)


_INNER_FIELDS = _InnerFields()


def children_of(node: Any) -> list[Any]:
    """The nodes in the fields of another one, in order."""
    found: list[Any] = []
    add_children(node, found)
    return found


def add_children(node: Any, found: list[Any]) -> None:
    """Append the nodes in the fields of another one to a list."""
    values = node.__dict__
    for field in _INNER_FIELDS[node.__class__]:
        value = values.get(field)
        if value is None:
            continue
        if type(value) is list:
            found += [each for each in value if isinstance(each, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)


def nodes_in(tree: Any) -> list[Any]:
    """All nodes of a tree, the outer ones first."""
    found = [tree]
    for node in found:  # it grows meanwhile
        add_children(node, found)
    return found


# Fields with statements, or with what has such fields: handlers, cases of a `match`.
BLOCK_FIELDS = ("body", "orelse", "finalbody", "handlers", "cases")


@functools.cache
def block_fields(kind: Any) -> tuple[str, ...]:
    """The fields of a class of nodes, other than expressions, with statements."""
    return tuple(field for field in BLOCK_FIELDS if field in kind._fields)


def inner_statements(statement: Any) -> list[Any]:
    """The statements that stand right in another one."""
    fields = block_fields(statement.__class__)
    return [each for field in fields for each in getattr(statement, field)]


def statements_in(body: list[Any]) -> list[Any]:
    """Some statements, and all that stand in them: a look at no expression."""
    found = [*body]
    for statement in found:  # it grows meanwhile
        found += inner_statements(statement)
    return found


def placed(new: Any, old: Any) -> Any:
    """A new node, in the place of another one: ``ast.copy_location``."""
    given, values = old.__dict__, new.__dict__
    for field in PLACE:
        if field in given:
            values[field] = given[field]
    return new


class Transformer:
    """Puts what ``visit_...`` gives in the place of each node of that class.

    In a list, that may be a list of nodes. Whatever has no such method is gone through.
    """

    _methods: dict[type[Any], Callable[[Any, Any], Any]]

    def __init_subclass__(cls) -> None:
        cls._methods = {}

    def visit(self, node: Any) -> Any:
        """What shall stand for a node."""
        kind = type(node)
        if (method := self._methods.get(kind)) is None:
            own, name = type(self), f"visit_{kind.__name__}"
            method = self._methods[kind] = getattr(own, name, own.generic_visit)
        return method(self, node)

    def generic_visit(self, node: Any) -> Any:
        """Visit the nodes in a node."""
        values = node.__dict__
        for field in _INNER_FIELDS[node.__class__]:
            value = values.get(field)
            if type(value) is list:
                values[field] = self._visited(value)
            elif isinstance(value, ast.AST):
                values[field] = self.visit(value)
        return node

    def _visited(self, nodes: list[Any]) -> list[Any]:
        found: list[Any] = []
        for node in nodes:
            new = self.visit(node) if isinstance(node, ast.AST) else node
            if type(new) is list:
                found += new
            else:
                found.append(new)
        return found
