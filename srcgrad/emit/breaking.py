"""Expressions on several lines, where one of 88 columns is too short.

The layout is that of ``ruff format``: brackets break first, then operators, which start
their lines; what is exploded to one element a line ends in a comma.

>>> import gast
>>> tree = gast.parse("function(a_long_argument, another_argument)").body[0].value
>>> print(fitted(tree, indent=0, column=0, trail=50))
function(
    a_long_argument, another_argument
)
"""

from collections.abc import Callable, Iterable
from typing import Any

import gast

from srcgrad.emit.one_line import (
    ATOM,
    CHOICE,
    OPERATOR_TEXTS,
    is_bare_index,
    operand_level,
    precedence,
    sides,
    text,
)

# As `ruff format` has them.
WIDTH = 88
INDENT = 4

BRACKETS = (gast.Call, gast.Subscript, gast.Attribute, gast.List, gast.Tuple)
BROKEN_AT_OPERATORS = (gast.BinOp, gast.BoolOp, gast.Compare)


def fitted(
    tree: gast.AST, indent: int, column: int, trail: int = 0, least: int = CHOICE
) -> str:
    """Print an expression inside brackets: flat if it fits, else broken.

    It starts at ``column`` of a line indented by ``indent``, and ``trail`` columns come
    after it.
    """
    flat = text(tree, least)
    if column + len(flat) + trail <= WIDTH:
        return flat
    if precedence(tree) < least:
        return f"({on_own_line(tree, indent)})"
    layout = LAYOUTS.get(tree.__class__)
    return flat if layout is None else layout(tree, indent, column, trail)


def placed(tree: gast.expr, indent: int, column: int, trail: int = 0) -> str:
    """Print the value of a statement, in parentheses only if that helps."""
    flat = text(tree)
    if column + len(flat) + trail <= WIDTH:
        return flat
    hung = hanging(tree, indent, column, trail)
    if hung is not None and column + hung.index("\n") <= WIDTH:
        return hung
    if isinstance(tree, BROKEN_AT_OPERATORS) or indent + INDENT + len(flat) <= WIDTH:
        return f"({on_own_line(tree, indent)})"
    return flat if hung is None else hung


def hanging(tree: gast.expr, indent: int, column: int, trail: int) -> str | None:
    """Break the brackets at an expression's end; None if it does not end in any."""
    if isinstance(tree, BRACKETS):
        broken = fitted(tree, indent, column, trail)
        return broken if "\n" in broken else None
    if isinstance(tree, gast.UnaryOp):
        start, right = OPERATOR_TEXTS[tree.op.__class__][0], tree.operand
        least = operand_level(tree)
    elif isinstance(tree, BROKEN_AT_OPERATORS):
        terms = _terms(tree)
        if len(terms) > 2:
            return None  # these break at their operators first
        (left, _, level), (right, symbol, least) = terms
        start = f"{text(left, level)} {symbol} "
    else:
        return None
    if precedence(right) < least or isinstance(right, gast.Subscript):
        return None
    rest = hanging(right, indent, column + len(start), trail)
    return None if rest is None else start + rest


def on_own_line(tree: gast.AST, indent: int) -> str:
    """An expression on an indented line of its own, for between two brackets."""
    inner = indent + INDENT
    return f"\n{' ' * inner}{fitted(tree, inner, inner)}\n{' ' * indent}"


def enclosed(elements: list[Any], indent: int) -> str:
    """What stands between two brackets: all on one indented line, else exploded."""
    inner = indent + INDENT
    flat = ", ".join(map(text, elements))
    if inner + len(flat) <= WIDTH:
        return f"\n{' ' * inner}{flat}\n{' ' * indent}"
    if len(elements) == 1:
        return on_own_line(elements[0], indent)
    return exploded(elements, indent)


def exploded(elements: Iterable[gast.AST], indent: int) -> str:
    """One element a line, each with a comma."""
    inner = indent + INDENT
    lines = (f"{' ' * inner}{fitted(e, inner, inner, trail=1)},\n" for e in elements)
    return f"\n{''.join(lines)}{' ' * indent}"


def _call(tree: gast.Call, indent: int, column: int, trail: int) -> str:
    arguments = tree.args + tree.keywords
    head = text(tree.func, ATOM)
    if not arguments or column + len(head) + 1 > WIDTH:
        end = f"({', '.join(map(text, arguments))})"
        return fitted(tree.func, indent, column, trail + len(end), ATOM) + end
    return f"{head}({enclosed(arguments, indent)})"


def _subscript(tree: gast.Subscript, indent: int, column: int, trail: int) -> str:
    value = text(tree.value, ATOM)
    if column + len(value) + 1 > WIDTH:
        end = text(tree)[len(value) :]
        return fitted(tree.value, indent, column, trail + len(end), ATOM) + end
    bare = is_bare_index(tree.slice)
    if bare and len(tree.slice.elts) == 1:
        return f"{value}[{exploded(tree.slice.elts, indent)}]"
    return f"{value}[{enclosed(tree.slice.elts if bare else [tree.slice], indent)}]"


def _attribute(tree: gast.Attribute, indent: int, column: int, trail: int) -> str:
    if isinstance(tree.value, gast.Constant):
        return text(tree)
    end = f".{tree.attr}"
    return fitted(tree.value, indent, column, trail + len(end), ATOM) + end


def _list(tree: gast.List, indent: int, column: int, trail: int) -> str:
    return f"[{exploded(tree.elts, indent)}]" if tree.elts else "[]"


def _tuple(tree: gast.Tuple, indent: int, column: int, trail: int) -> str:
    return f"({exploded(tree.elts, indent)})" if tree.elts else "()"


def _keyword(tree: gast.keyword, indent: int, column: int, trail: int) -> str:
    start = "**" if tree.arg is None else f"{tree.arg}="
    return start + fitted(tree.value, indent, column + len(start), trail)


def _unary(tree: gast.UnaryOp, indent: int, column: int, trail: int) -> str:
    symbol = OPERATOR_TEXTS[tree.op.__class__][0]
    start = column + len(symbol)
    return symbol + fitted(tree.operand, indent, start, trail, operand_level(tree))


def _operation(tree: gast.expr, indent: int, column: int, trail: int) -> str:
    """Each operator of one precedence starts a line."""
    lines: list[str] = []
    for operand, symbol, least in _terms(tree):
        start = f"{symbol} " if lines else ""
        at = indent + len(start) if lines else column
        lines.append(start + fitted(operand, indent, at, trail, least))
    return f"\n{' ' * indent}".join(lines)


def _terms(tree: Any) -> list[tuple[Any, str, int]]:
    """Operands, the operators before them, and the least precedence without brackets.

    Of ``a + b - c`` these are the three terms; a long sum is no deep recursion.
    """
    if isinstance(tree, gast.BoolOp):
        symbol, level = OPERATOR_TEXTS[tree.op.__class__]
        return [(value, symbol, level + 1) for value in tree.values]
    level = precedence(tree)
    if isinstance(tree, gast.Compare):
        symbols = [OPERATOR_TEXTS[operator.__class__][0] for operator in tree.ops]
        operands = (tree.left, *tree.comparators)
        return [
            (o, s, level + 1) for o, s in zip(operands, ["", *symbols], strict=True)
        ]
    terms = []
    least_left, least_right = sides(tree.op)
    while True:
        terms.append((tree.right, OPERATOR_TEXTS[tree.op.__class__][0], least_right))
        tree = tree.left
        if precedence(tree) != level or least_left > level:
            return [(tree, "", least_left), *reversed(terms)]


LAYOUTS: dict[type, Callable[[Any, int, int, int], str]] = {
    gast.Call: _call,
    gast.Subscript: _subscript,
    gast.Attribute: _attribute,
    gast.List: _list,
    gast.Tuple: _tuple,
    gast.keyword: _keyword,
    gast.UnaryOp: _unary,
    gast.BinOp: _operation,
    gast.BoolOp: _operation,
    gast.Compare: _operation,
}
