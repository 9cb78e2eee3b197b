"""Python's syntax trees as gast's, and back, ready to be compiled: each in one walk.

The same as ``gast.ast_to_gast``, and as ``gast.gast_to_ast`` followed by
``ast.fix_missing_locations``, in a fraction of the time, which counts for functions of
thousands of lines.

>>> tree = gast.parse("x[0] = 1")
>>> ast.unparse(to_python(tree))
'x[0] = 1'
>>> gast.unparse(to_gast(ast.parse("x[0] = 1")))
'x[0] = 1'
"""

import ast
import functools
import operator
from collections.abc import Callable
from typing import Any

import gast

from srcgrad.tracing.syntax_trees import PLACE

Place = tuple[Any, ...]

START: Place = (1, 0, 1, 0)

place_of: Callable[[dict[str, Any]], Place] = operator.itemgetter(*PLACE)


# Operators and contexts, which have neither fields nor a place: one of each will do.
KINDS = (ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context)
LEAVES = [
    (getattr(ast, kind.__name__)(), kind())
    for kind in vars(gast).values()
    if isinstance(kind, type) and kind.__base__ in KINDS and hasattr(ast, kind.__name__)
]
PYTHONS_LEAVES = {type(leaf): python for python, leaf in LEAVES}
GASTS_LEAVES = {type(python): leaf for python, leaf in LEAVES}


# Fields that hold texts and numbers, never nodes.
PLAIN = frozenset("id attr kind type_comment level conversion lineno module".split())


@functools.cache
def fields_with_nodes(kind: Any) -> tuple[str, ...]:
    """The fields of a class of nodes, either's, that may hold nodes, or lists."""
    if kind.__name__ == "Constant":
        return ()
    return tuple(field for field in kind._fields if field not in PLAIN)


# ----- gast's as Python's -----
def to_python(node: Any, place: Place = START) -> Any:
    """A gast node, or a list of them, as Python's; ``place``: of what is around it."""
    kind = type(node)
    if kind is list:
        return [to_python(each, place) for each in node]
    if (leaf := PYTHONS_LEAVES.get(kind)) is not None or not issubclass(kind, ast.AST):
        return node if leaf is None else leaf
    special = TO_PYTHON.get(kind)
    if special is not None:
        return special(node, place)
    return _made(getattr(ast, kind.__name__), node.__dict__, place)


def _made(kind: Any, given: dict[str, Any], place: Place) -> Any:
    """A node of Python's, without its constructor, which asks many questions.

    What gast has beside Python's fields does no harm.
    """
    new = kind.__new__(kind)
    values = new.__dict__
    values.update(given)
    if "lineno" in given:
        place = place_of(given)
    elif kind._attributes:
        values.update(zip(PLACE, place, strict=True))
    for field in fields_with_nodes(kind):
        value = values.get(field)
        if value is not None:
            leaf = PYTHONS_LEAVES.get(type(value))
            values[field] = to_python(value, place) if leaf is None else leaf
    return new


def _name(node: Any, place: Place) -> Any:
    return _made(ast.Name, node.__dict__, place)


def _argument(node: Any, place: Place) -> Any:
    return _made(ast.arg, {**node.__dict__, "arg": node.id}, place)


def _arguments(node: Any, place: Place) -> Any:
    given = dict(node.__dict__)
    for field in ("posonlyargs", "args", "kwonlyargs"):
        given[field] = [_argument(each, place) for each in given[field]]
    for field in ("vararg", "kwarg"):
        each = given[field]
        given[field] = None if each is None else _argument(each, place)
    return _made(ast.arguments, given, place)


def _handler(node: Any, place: Place) -> Any:
    name = None if node.name is None else node.name.id
    return _made(ast.ExceptHandler, {**node.__dict__, "name": name}, place)


TO_PYTHON: dict[type, Callable[[Any, Place], Any]] = {
    gast.Name: _name,
    gast.arguments: _arguments,
    gast.ExceptHandler: _handler,
}


# ----- Python's as gast's -----
def to_gast(node: Any) -> Any:
    """A node of Python's, or a list of them, as gast's."""
    kind = type(node)
    if kind is list:
        return [to_gast(each) for each in node]
    if (leaf := GASTS_LEAVES.get(kind)) is not None or not issubclass(kind, ast.AST):
        return node if leaf is None else leaf
    special = TO_GAST.get(kind)
    if special is not None:
        return special(node)
    return _made_of(getattr(gast, kind.__name__), node)


def _made_of(kind: Any, node: Any, **more: Any) -> Any:
    """A node of gast's with all that one of Python's has, and maybe more."""
    new = kind.__new__(kind)
    values = new.__dict__
    values.update(node.__dict__)
    values.update(more)
    for field in fields_with_nodes(kind):
        value = values.get(field)
        if value is not None:
            leaf = GASTS_LEAVES.get(type(value))
            values[field] = to_gast(value) if leaf is None else leaf
    return new


def _gasts_name(node: Any) -> Any:
    return _made_of(gast.Name, node, annotation=None, type_comment=None)


def _gasts_argument(node: Any) -> Any:
    new = _made_of(gast.Name, node, id=node.arg, ctx=gast.Param())
    del new.arg
    return new


def _gasts_handler(node: Any) -> Any:
    name = node.name and gast.Name(node.name, gast.Store(), None, None)
    return _made_of(gast.ExceptHandler, node, name=name)


def _with_type_params(kind: Any) -> Callable[[Any], Any]:
    """A definition; before Python 3.12 it has no parameters for types."""

    def make(node: Any) -> Any:
        return _made_of(kind, node, type_params=getattr(node, "type_params", []))

    return make


TO_GAST: dict[type, Callable[[Any], Any]] = {
    ast.Name: _gasts_name,
    ast.arg: _gasts_argument,
    ast.ExceptHandler: _gasts_handler,
    ast.FunctionDef: _with_type_params(gast.FunctionDef),
    ast.AsyncFunctionDef: _with_type_params(gast.AsyncFunctionDef),
    ast.ClassDef: _with_type_params(gast.ClassDef),
    **{
        getattr(ast, name): gast.ast_to_gast
        for name in ("TypeVar", "TypeVarTuple", "ParamSpec")
        if hasattr(ast, name)
    },
}
