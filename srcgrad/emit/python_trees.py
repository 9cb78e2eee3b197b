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

# Where a node starts and ends.
PLACE = ("lineno", "col_offset", "end_lineno", "end_col_offset")

Position = tuple[Any, ...]

START: Position = (1, 0, 1, 0)

place_of: Callable[[dict[str, Any]], Position] = operator.itemgetter(*PLACE)


# Operators and contexts, which have neither fields nor a place: one of each will do.
CONSTANT_NODES = (ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context)
LEAF_NODES = [
    (getattr(ast, kind.__name__)(), kind())
    for kind in vars(gast).values()
    if isinstance(kind, type)
    and kind.__base__ in CONSTANT_NODES
    and hasattr(ast, kind.__name__)
]
PYTHONS_LEAVES = {type(leaf): python for python, leaf in LEAF_NODES}
GASTS_LEAVES = {type(python): leaf for python, leaf in LEAF_NODES}


# Fields that hold texts and numbers, never nodes.
NO_NODES = frozenset("id attr kind type_comment level conversion lineno module".split())


@functools.cache
def fields_with_nodes(kind: Any) -> tuple[str, ...]:
    """The fields of a class of nodes, either's, that may hold nodes, or lists."""
    if kind.__name__ == "Constant":
        return ()
    return tuple(field for field in kind._fields if field not in NO_NODES)


# ----- gast's as Python's -----
def to_python(node: Any, place: Position = START) -> Any:
    """A gast node, or a list of them, as Python's; ``place``: of what is around it.

    The very nodes become Python's, which have the same fields; a node without a place
    must not stand in two.
    """
    kind: Any = type(node)
    if kind is list:
        return [to_python(each, place) for each in node]
    if (leaf := PYTHONS_LEAVES.get(kind)) is not None:
        return leaf
    if (form := NODE_FORMS.get(kind)) is None:
        return node
    pythons, fields, has_place, adapt = form
    if adapt is not None:
        adapt(node)
    values = node.__dict__
    node.__class__ = pythons
    if "lineno" in values:
        place = place_of(values)
    elif has_place:
        line, column, end_line, end_column = place
        values["lineno"], values["col_offset"] = line, column
        values["end_lineno"], values["end_col_offset"] = end_line, end_column
    for field in fields:
        value = values.get(field)
        if value is not None:
            leaf = PYTHONS_LEAVES.get(type(value))
            values[field] = to_python(value, place) if leaf is None else leaf
    return node


def _adapt_arguments(node: Any) -> None:
    """Where Python has ``arg``, gast has names."""
    every = [*node.posonlyargs, *node.args, *node.kwonlyargs, node.vararg, node.kwarg]
    for each in every:
        if each is not None:
            each.arg, each.__class__ = each.id, ast.arg


def _adapt_handler(node: Any) -> None:
    node.name = None if node.name is None else node.name.id


ADAPTED: dict[type, Callable[[Any], None]] = {
    gast.arguments: _adapt_arguments,
    gast.ExceptHandler: _adapt_handler,
}


def _form(kind: Any) -> tuple[Any, tuple[str, ...], bool, Any]:
    """How a class of gast's becomes Python's.

    Its class there, what may hold nodes, whether it has a place, what else to change.
    """
    pythons = getattr(ast, kind.__name__)
    has_place = bool(pythons._attributes)
    return pythons, fields_with_nodes(kind), has_place, ADAPTED.get(kind)


NODE_FORMS = {
    kind: _form(kind)
    for name, kind in (*vars(gast).items(), *vars(ast).items())
    if isinstance(kind, type)
    and issubclass(kind, ast.AST)
    # Python 3.13 has old ones under other names.
    and name == kind.__name__
    and hasattr(ast, name)
}


# ----- Python's as gast's -----
def to_gast(node: Any) -> Any:
    """A node of Python's, or a list of them, as gast's."""
    kind = type(node)
    if kind is list:
        return [to_gast(each) for each in node]
    if kind in GASTS_LEAVES:
        return GASTS_LEAVES[kind]
    is_node = kind in NODE_MAKERS or issubclass(kind, ast.AST)
    return NODE_MAKERS[kind](node) if is_node else node


def _made_of(kind: Any, node: Any, **more: Any) -> Any:
    """A node of gast's with all that one of Python's has, and maybe more."""
    new = kind.__new__(kind)
    new.__dict__ = values = {**node.__dict__, **more}
    for field in fields_with_nodes(kind):
        if field in values:
            value = values[field]
            if type(value) in GASTS_LEAVES:
                values[field] = GASTS_LEAVES[type(value)]
            elif value is not None:
                values[field] = to_gast(value)
    return new


def _gasts_name(node: Any) -> Any:
    new = gast.Name.__new__(gast.Name)
    new.__dict__ = values = {**node.__dict__, "annotation": None, "type_comment": None}
    values["ctx"] = GASTS_LEAVES[type(node.ctx)]
    return new


def _gasts_argument(node: Any) -> Any:
    new = _made_of(gast.Name, node)
    new.id, new.ctx = node.arg, gast.Param()
    del new.arg
    return new


def _gasts_handler(node: Any) -> Any:
    new = _made_of(gast.ExceptHandler, node)
    new.name = node.name and gast.Name(node.name, gast.Store(), None, None)
    return new


def _with_type_params(kind: Any) -> Callable[[Any], Any]:
    """A definition; before Python 3.12 it has no parameters for types."""

    def make(node: Any) -> Any:
        return _made_of(kind, node, type_params=getattr(node, "type_params", []))

    return make


NODE_MAKERS: dict[type, Callable[[Any], Any]] = {
    **{
        kind: functools.partial(_made_of, getattr(gast, name))
        for name, kind in vars(ast).items()
        if isinstance(kind, type) and issubclass(kind, ast.AST) and hasattr(gast, name)
    },
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
