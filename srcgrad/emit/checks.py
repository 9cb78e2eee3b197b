"""Guards as tests in generated code, and the reasons that a miss gives.

>>> import numpy as np
>>> from srcgrad.emit.one_line import text
>>> from srcgrad.emit.syntax import name
>>> n = Value((), np.dtype(float), "n", kind="scalar")
>>> scope = Scope()
>>> scope.known[n] = name("n")
>>> guard = Guard(n, float, 2.5, Location("/home/me/loss.py", 12))
>>> text(missed(scope, guard))
'float(n) != 2.5'
>>> reason(guard)
'loss.py:12: float of `n` was 2.5'
"""

import ast
import functools
import math
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from srcgrad.emit.breaking import INDENT, WIDTH
from srcgrad.emit.literals import written
from srcgrad.emit.names import one_line
from srcgrad.emit.scope import Scope
from srcgrad.emit.syntax import (
    BlankLine,
    Comment,
    attribute,
    call,
    compare,
    constant,
)
from srcgrad.errors import short_name
from srcgrad.operators import COMPARISONS
from srcgrad.parsing import parsed
from srcgrad.selections import FEWEST, has_several, selected_shape
from srcgrad.steps import Guard, Location, Value
from srcgrad.views import layout_of

# The formula of these messages: how they call what took a value out of the graph.
ESCAPES = {
    np.shape: "shape of",
    selected_shape: "shape of",
    has_several: "count of",
    np.ndarray.tobytes: "content of",
    layout_of: "layout of",
}

# A reason stands on one line of generated code: `        return "..."`.
MOST_REASON = 71

INVERSE = {gast.Eq: gast.NotEq, gast.NotEq: gast.Eq}

DIFFERS = gast.NotEq()

ORDER_NODES = {own.ufunc.__name__: getattr(gast, own.syntax)() for own in COMPARISONS}


def missed(scope: Scope, guard: Guard) -> gast.expr:
    """Write down the test that is true where a guard fails."""
    return CHECKS[guard.convert](scope, guard.value, guard.observed)


def reason(guard: Guard) -> str:
    """Say in words what was expected of the value."""
    word = ESCAPES.get(guard.convert) or guard.convert.__name__
    start = f"{shown_location(guard.where)}{word.removesuffix(' of')} of "
    is_content = guard.convert is np.ndarray.tobytes
    end = " was different" if is_content else f" was {guard.observed!r}"
    if guard.convert is has_several:
        end = " was more than 1"
    room = max(MOST_REASON - len(start) - len(end) - len("``"), len("..."))
    subject = _subject(guard.value, guard.where)
    if subject is None:
        return f"{start}a value{end}"
    if len(subject) > room:
        subject = f"{subject[: room - len('...')]}..."
    return f"{start}`{subject}`{end}"


def shown_location(where: Location | None) -> str:
    """A line of the user's source, as comments and messages begin.

    >>> shown_location(Location("/home/me/loss.py", 6))
    'loss.py:6: '
    """
    return f"{short_name(where.filename)}:{where.line}: " if where else ""


def _subject(value: Any, where: Location | None) -> str | None:
    """What the user calls a value: its name, or the condition or line that it is in."""
    if type(value) is Value and value.name is not None:
        return value.name
    if where is None or not where.text:
        return None
    line = where.text.splitlines()[0].strip()
    return _condition(line) or line


@functools.lru_cache(maxsize=256)  # a line in a loop has a guard for each iteration
def _condition(line: str) -> str | None:
    """The condition of an ``if`` or ``while``, whatever else is on its line.

    >>> _condition("if x[0:2].any() > n: return x")
    'x[0:2].any() > n'
    >>> _condition("elif flag:")
    'flag'
    """
    for text in (line, f"{line}\n pass"):
        try:
            statements = parsed(text.removeprefix("el")).body
        except SyntaxError:
            continue
        if isinstance(statements[0], (ast.If, ast.While)):
            return ast.get_source_segment(text.removeprefix("el"), statements[0].test)
    return None


def _bool(scope: Scope, value: Any, observed: Any) -> gast.expr:
    expr = _as_operator(written(scope, value))
    return opposite(expr) if observed else expr


def opposite(expr: gast.expr) -> gast.expr:
    """``not expr``, as people write it; NaN is neither greater nor less."""
    if isinstance(expr, gast.UnaryOp) and isinstance(expr.op, gast.Not):
        return expr.operand
    if isinstance(expr, gast.Compare) and type(expr.ops[0]) in INVERSE:
        return compare(expr.left, INVERSE[type(expr.ops[0])](), expr.comparators[0])
    return gast.UnaryOp(gast.Not(), expr)


def _as_operator(expr: gast.expr) -> gast.expr:
    """Write a comparison of Python floats, a call elsewhere, as a condition."""
    if not isinstance(expr, gast.Call) or not isinstance(expr.func, gast.Attribute):
        return expr
    operator = ORDER_NODES.get(expr.func.attr)
    if operator is None or len(expr.args) != 2 or expr.keywords:
        return expr
    return compare(expr.args[0], operator, expr.args[1])


def _number(scope: Scope, kind: type, value: Any) -> gast.expr:
    """A value as a Python number; an array of one element may have axes."""
    shape = value.shape if type(value) is Value else np.shape(value)
    if shape and math.prod(shape) == 1:
        return call(attribute(written(scope, value), "item"), [])
    return call(scope.reference(kind), [written(scope, value)])


def _int(scope: Scope, value: Any, observed: Any) -> gast.expr:
    converted = _number(scope, int, value)
    return compare(converted, DIFFERS, written(scope, observed))


def _float(scope: Scope, value: Any, observed: Any) -> gast.expr:
    converted = written(scope, value)
    if type(value) is not Value or value.kind != "float":
        converted = _number(scope, float, value)
    return _differs(scope, converted, observed, observed == 0)


def _complex(scope: Scope, value: Any, observed: Any) -> gast.expr:
    converted = _number(scope, complex, value)
    has_zero = observed.real == 0 or observed.imag == 0
    return _differs(scope, converted, observed, has_zero)


def _differs(
    scope: Scope, converted: gast.expr, observed: Any, has_zero: bool
) -> gast.expr:
    if observed != observed:
        return gast.UnaryOp(gast.Not(), call(scope.numpy("isnan"), [converted]))
    if has_zero:  # the sign of zero counts, and shows in the text
        text = call(scope.reference(repr), [converted])
        return compare(text, DIFFERS, constant(repr(observed)))
    return compare(converted, DIFFERS, written(scope, observed))


def _shape(scope: Scope, value: Any, observed: Any) -> gast.expr:
    if type(value) is Value and value.kind == "float":
        shape = call(scope.numpy("shape"), [written(scope, value)])
    else:
        shape = attribute(written(scope, value), "shape")
    return compare(shape, DIFFERS, written(scope, observed))


def _several(scope: Scope, value: Any, observed: Any) -> gast.expr:
    count = call(scope.reference(len), [written(scope, value)])
    return compare(count, gast.Lt() if observed else gast.GtE(), constant(FEWEST))


def _content(scope: Scope, value: Any, observed: Any) -> gast.expr:
    content = call(attribute(written(scope, value), "tobytes"), [])
    return compare(content, DIFFERS, written(scope, observed))


def _layout(scope: Scope, value: Any, observed: Any) -> gast.expr:
    array = written(scope, value)
    if isinstance(observed, tuple):
        return compare(attribute(array, "strides"), DIFFERS, written(scope, observed))
    flag = "c_contiguous" if observed == "C" else "fnc"
    return gast.UnaryOp(gast.Not(), attribute(attribute(array, "flags"), flag))


def _is_complex(scope: Scope, value: Any, observed: Any) -> gast.expr:
    test = call(scope.numpy("iscomplexobj"), [written(scope, value)])
    return gast.UnaryOp(gast.Not(), test) if observed else test


# The formula of these tests: who writes which.
CHECKS: dict[Any, Callable[[Scope, Any, Any], gast.expr]] = {
    bool: _bool,
    int: _int,
    float: _float,
    complex: _complex,
    np.shape: _shape,
    selected_shape: _shape,
    has_several: _several,
    np.iscomplexobj: _is_complex,
    np.ndarray.tobytes: _content,
    layout_of: _layout,
}


# ----- Comments -----
def comment(where: Location, is_first: bool) -> list[gast.stmt]:
    """A comment with a line of the user's, apart from what comes before."""
    return [*([] if is_first else [BlankLine()]), Comment(quoted(where))]


@functools.lru_cache(maxsize=1024)  # forward and backward, on arrays and on floats
def quoted(where: Location) -> str:
    """A line of the user's source, as long as a comment may be."""
    line = where.text.strip().partition("\n")[0]
    whole = one_line(
        f"{shown_location(where)}{line}"
        if line
        else shown_location(where)[: -len(": ")]
    )
    room = WIDTH - INDENT - len("# ")
    return whole if len(whole) <= room else f"{whole[: room - 4]} ..."
