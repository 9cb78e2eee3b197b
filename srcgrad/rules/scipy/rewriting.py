"""The source of SciPy's functions, in which what writes into an array makes a new one.

>>> tree = Copying().visit(parsed("x[1:] += float(y)"))
>>> print(ast.unparse(ast.fix_missing_locations(tree)))
x = _updated(x, _places[1:], _augmented('add', x[1:], _float(y)))
"""

import ast
import copy
import functools
import inspect
import textwrap
from types import CodeType
from typing import Any

from srcgrad.parsing import compiled, parsed
from srcgrad.rules.scipy.shortcuts import Ways, called

OPERATORS = {
    "Add": "add",
    "Sub": "sub",
    "Mult": "mul",
    "Div": "truediv",
    "Mod": "mod",
    "FloorDiv": "floordiv",
    "Pow": "pow",
    "MatMult": "matmul",
    "BitXor": "xor",
    "BitAnd": "and_",
    "BitOr": "or_",
    "LShift": "lshift",
    "RShift": "rshift",
}
BUILTINS = ("float", "complex", "type")
# What is called to have a number of that type.
TYPES = ("float64", "float32", "complex128")
# NumPy's functions that write into their first argument.
WRITING = ("place", "putmask", "copyto", "put_along_axis", "sort")


class Copying(ast.NodeTransformer):
    """What writes into an array makes a new one."""

    def visit_FunctionDef(self, node: Any) -> Any:
        node.decorator_list = []
        return self.generic_visit(node)

    def visit_ImportFrom(self, node: Any) -> Any:
        return [
            ast.Assign(
                [ast.Name(each.asname or each.name, ast.Store())],
                called("_imported", ast.Constant(node.module), ast.Constant(each.name)),
            )
            for each in node.names
        ]

    def visit_Assign(self, node: Any) -> Any:
        self.generic_visit(node)
        first, *others = node.targets
        return node if others else self._bound(first, node.value)

    def visit_AugAssign(self, node: Any) -> Any:
        self.generic_visit(node)
        target, name = node.target, OPERATORS[type(node.op).__name__]
        if isinstance(target, ast.Attribute):
            return node
        now: Any = ast.parse(ast.unparse(target), mode="eval").body
        value = called("_augmented", ast.Constant(name), now, node.value)
        return self._bound(target, value)

    def visit_Expr(self, node: Any) -> Any:
        self.generic_visit(node)
        call = node.value
        if not isinstance(call, ast.Call):
            return node
        for keyword in call.keywords:
            if keyword.arg == "out":
                call.keywords.remove(keyword)
                return self._bound(keyword.value, call)
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        if name == "setflags":
            return ast.Pass()
        if name == "set":  # of `xpx.at(x, i)`, or `xpx.at(x)[i]`
            inner: Any = call.func.value  # type: ignore[attr-defined]
            inner = getattr(inner, "value", inner)
            is_at = isinstance(inner, ast.Call)
            return self._bound(ast.Name(inner.args[0].id), call) if is_at else node
        if name == "sort" and not call.args:
            call.args = [call.func.value]  # type: ignore[attr-defined]
        if name not in WRITING or not isinstance(call.args[0], ast.Name):
            return node
        call.func = ast.Name(f"_{name}", ast.Load())
        return self._bound(ast.Name(call.args[0].id), call)

    def visit_Call(self, node: Any) -> Any:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in BUILTINS:
            node.func.id = f"_{node.func.id}"
        if isinstance(node.func, ast.Attribute) and node.func.attr in TYPES:
            node.args.insert(0, node.func)
            node.func = ast.Name("_typed", ast.Load())
        return node

    def _bound(self, target: Any, value: Any) -> Any:
        """``target = value``, of which an item of an array makes a new array."""
        owners = ast.Name, ast.Attribute
        if isinstance(target, ast.Subscript) and isinstance(target.value, owners):
            place = ast.Subscript(
                ast.Name("_places", ast.Load()), target.slice, ast.Load()
            )
            value = called("_updated", target.value, place, value)
            target = copy.copy(target.value)
        target.ctx = ast.Store()
        return ast.Assign([target], value)


@functools.cache
def factory_of(code: CodeType) -> CodeType:
    """A function of what a function is closed around, which makes the copy."""
    tree = parsed(textwrap.dedent(inspect.getsource(code)))
    tree = Copying().visit(Ways(code.co_name).visit(tree))
    (made,) = tree.body
    made.args.defaults = [ast.Constant(None) for _ in made.args.defaults]
    made.args.kw_defaults = [
        each and ast.Constant(None) for each in made.args.kw_defaults
    ]
    for arg in ast.walk(made.args):
        if isinstance(arg, ast.arg):
            arg.annotation = None
    # Under its own name it would hide the global one that it may call.
    made.returns, made.name = None, "_made"
    outer: Any = parsed(f"def _factory({', '.join(code.co_freevars)}): ...")
    outer.body[0].body = [made, ast.Return(ast.Name(made.name, ast.Load()))]
    ast.increment_lineno(outer, code.co_firstlineno - 1)
    return compiled(ast.fix_missing_locations(outer), code.co_filename)
