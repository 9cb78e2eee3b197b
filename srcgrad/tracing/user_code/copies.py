"""What the two kinds of copies of a user's function have in common.

A copy shares the original's globals, closure cells, filename and line numbers, so
tracebacks and messages show the user's own lines. What it calls is a cell more.
"""

import __future__

from types import CodeType
from typing import Any

import gast

from srcgrad.codes import PerCode
from srcgrad.emit.python_trees import to_python
from srcgrad.emit.syntax import LOAD, made
from srcgrad.emit.syntax import function as function_definition
from srcgrad.parsing import compiled
from srcgrad.tracing.user_code.sources import Uninstrumentable, codes_in
from srcgrad.tracing.user_code.syntax_trees import nodes_in, placed

CAPTURE = "__srcgrad__"
COPY = "__srcgrad_copy__"

# The bits of a code object's flags that tell of `from __future__ import ...`.
FUTURE = 0
for _name in __future__.all_feature_names:
    FUTURE |= getattr(__future__, _name).compiler_flag

# Without anything to capture, the copy's code is equal to the original's.
_copied: PerCode[bool] = PerCode()


def is_copied(code: CodeType) -> bool:
    """Whether a code object is that of a copy, or of a function defined inside one."""
    return bool(_copied.get(code))


def compile_definition(definition: Any, code: CodeType) -> CodeType:
    """Compile a definition inside a function that provides its free variables."""
    if isinstance(definition, gast.Lambda):
        body = [gast.Return(value=definition)]
    else:
        # Under its own name it would be a local of `outer`, and hide the global that a
        # recursive function calls.
        definition.name = COPY
        definition.decorator_list = []
        definition.returns = None
        body = [definition]
    outer = function_definition("outer", (*code.co_freevars, CAPTURE), body)
    module = to_python(gast.Module(body=[outer], type_ignores=[]))
    flags = code.co_flags & FUTURE
    whole = compiled(module, code.co_filename, flags)
    (outer_code,) = (c for c in whole.co_consts if isinstance(c, CodeType))
    for inner in outer_code.co_consts:
        if isinstance(inner, CodeType) and inner.co_name in (COPY, "<lambda>"):
            copy = inner.replace(co_name=code.co_name)
            for each in codes_in(copy):
                _copied.put(each, True)
            return copy
    raise Uninstrumentable(f"{code.co_name} cannot be compiled again")


def without_defaults(definition: Any) -> None:
    """Leave the outermost definition's defaults and annotations to the original."""
    arguments = definition.args
    # They stand for the original's, which the copy gets.
    arguments.defaults = [constant(None) for _ in arguments.defaults]
    arguments.kw_defaults = [d and constant(None) for d in arguments.kw_defaults]
    drop_annotations(arguments)


def drop_annotations(arguments: Any) -> None:
    """Leave out the annotations of some parameters."""
    for argument in nodes_in(arguments):
        if isinstance(argument, gast.Name):
            argument.annotation = None


# ----- Nodes -----


def capture_call(method: str, *args: Any, at: Any) -> Any:
    """``__srcgrad__.method(*args)``"""
    call = made(gast.Call, func=capture_method(method), args=[*args], keywords=[])
    return placed(call, at)


def capture_method(name: str) -> Any:
    """``__srcgrad__.name``, in the place of what is around it."""
    return made(gast.Attribute, value=name_read(CAPTURE), attr=name, ctx=LOAD)


def name_read(name: str) -> Any:
    """A name that is read."""
    return made(gast.Name, id=name, ctx=LOAD, annotation=None, type_comment=None)


def constant(value: Any) -> Any:
    """A number, string or None."""
    return made(gast.Constant, value=value, kind=None)
