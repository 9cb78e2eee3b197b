"""Expressions as text on one line, with parentheses by precedence only.

astunparse knows every node but parenthesises every operation; numbers, strings, powers
and slices get the form that ``ruff format`` gives them.

>>> import gast
>>> text(gast.parse("(-(a + b)) * x[0:3, None] ** 2").body[0].value)
'-(a + b) * x[0:3, None] ** 2'
"""

from collections.abc import Callable
from typing import Any, ClassVar

import astunparse
import gast

CHOICE, OR, AND, NOT, COMPARE, BIT_OR, BIT_XOR, BIT_AND = range(8)
SHIFT, SUM, PRODUCT, SIGN, POWER, ATOM = range(8, 14)

# How each operator is written, and how tightly it binds.
OPERATOR_TEXTS: dict[type, tuple[str, int]] = {
    gast.Or: ("or", OR),
    gast.And: ("and", AND),
    gast.Not: ("not ", NOT),
    gast.Eq: ("==", COMPARE),
    gast.NotEq: ("!=", COMPARE),
    gast.Lt: ("<", COMPARE),
    gast.LtE: ("<=", COMPARE),
    gast.Gt: (">", COMPARE),
    gast.GtE: (">=", COMPARE),
    gast.Is: ("is", COMPARE),
    gast.IsNot: ("is not", COMPARE),
    gast.In: ("in", COMPARE),
    gast.NotIn: ("not in", COMPARE),
    gast.BitOr: ("|", BIT_OR),
    gast.BitXor: ("^", BIT_XOR),
    gast.BitAnd: ("&", BIT_AND),
    gast.LShift: ("<<", SHIFT),
    gast.RShift: (">>", SHIFT),
    gast.Add: ("+", SUM),
    gast.Sub: ("-", SUM),
    gast.Mult: ("*", PRODUCT),
    gast.MatMult: ("@", PRODUCT),
    gast.Div: ("/", PRODUCT),
    gast.FloorDiv: ("//", PRODUCT),
    gast.Mod: ("%", PRODUCT),
    gast.Invert: ("~", SIGN),
    gast.UAdd: ("+", SIGN),
    gast.USub: ("-", SIGN),
    gast.Pow: ("**", POWER),
}

OPERATION_NODES = frozenset({gast.BinOp, gast.UnaryOp, gast.BoolOp})
OTHER_PRECEDENCES: dict[type, int] = {gast.IfExp: CHOICE, gast.Compare: COMPARE}
WRITTEN_NUMBERS = (int, float, complex)


def text(tree: gast.AST, least: int = CHOICE) -> str:
    """Print an expression; in parentheses if it binds less tightly than ``least``.

    It keeps its text, for it is measured in each expression that it becomes a part of.
    """
    if tree.__class__ is gast.Name:  # as most are
        return tree.id  # type: ignore[no-any-return]
    flat: str | None = tree.__dict__.get("flat")
    if flat is None:
        printer = Printer()
        printer.dispatch(tree)
        flat = tree.flat = "".join(printer.parts)
    return f"({flat})" if precedence(tree) < least else flat


def precedence(tree: gast.expr) -> int:
    """How tightly an expression holds together."""
    kind = tree.__class__
    if kind in OPERATION_NODES:
        return OPERATOR_TEXTS[tree.op.__class__][1]
    return OTHER_PRECEDENCES.get(kind, ATOM)


def sides(operator: gast.operator) -> tuple[int, int]:
    """The least precedence of the operands that need no parentheses."""
    level = OPERATOR_TEXTS[operator.__class__][1]
    return (ATOM, SIGN) if level == POWER else (level, level + 1)


def operand_level(tree: gast.UnaryOp) -> int:
    """The same for the operand of a sign; a power has them in any case: ``-(x**2)``."""
    if precedence(tree.operand) == POWER:
        return ATOM
    return OPERATOR_TEXTS[tree.op.__class__][1]


class Printer(astunparse.Unparser):  # type: ignore[misc]
    """Collects the text of expressions in ``parts``."""

    # The method for each class of nodes, as they are met; each subclass has its own.
    methods: ClassVar[dict[type, Callable[..., None]]] = {}

    def __init_subclass__(cls) -> None:
        cls.methods = {}

    def __init__(self) -> None:  # not the base's, which prints a tree to a file
        self.parts: list[str] = []
        self.write = self.parts.append
        self.future_imports: list[str] = []
        self._indent = 0

    def fill(self, text: str = "") -> None:
        self.write("\n" + "    " * self._indent + text)

    def dispatch(self, tree: Any) -> None:
        kind = tree.__class__
        method = self.methods.get(kind)
        if method is None:
            method = self.methods[kind] = getattr(type(self), f"_{kind.__name__}")
        method(self, tree)

    def operand(self, tree: gast.expr, least: int) -> None:
        """Print an expression inside another."""
        if tree.__class__ is gast.Name:  # as most are
            self.write(tree.id)
            return
        is_closed = precedence(tree) >= least
        if not is_closed:
            self.write("(")
        flat = tree.__dict__.get("flat")
        if flat is None:
            self.dispatch(tree)
        else:
            self.write(flat)
        if not is_closed:
            self.write(")")

    def separated(self, trees: list[gast.AST]) -> None:
        """Print expressions with commas between them."""
        for i, tree in enumerate(trees):
            if i:
                self.write(", ")
            self.operand(tree, CHOICE)

    def items(self, elements: list[gast.expr]) -> None:
        """Print what stands in a tuple; one element has a comma too."""
        self.separated(elements)
        if len(elements) == 1:
            self.write(",")

    def _list(self, trees: list[gast.AST]) -> None:
        for tree in trees:
            self.dispatch(tree)

    def _Constant(self, tree: gast.Constant) -> None:
        value = tree.value
        if value is Ellipsis:
            self.write("...")
        elif isinstance(value, (str, bytes)):
            self.write(quoted(value))
        elif value != value:
            raise ValueError("nan has no literal; write np.nan")
        elif isinstance(value, (float, complex)):
            self.write(repr(value).replace("e+", "e").replace("inf", "1e309"))
        else:
            self.write(repr(value))

    def _BinOp(self, tree: gast.BinOp) -> None:
        symbol = OPERATOR_TEXTS[tree.op.__class__][0]
        left, right = sides(tree.op)
        self.operand(tree.left, left)
        hugs = symbol == "**" and (
            not isinstance(tree.left, gast.UnaryOp)  # it is in parentheses
            and _is_simple(tree.left)
            and _is_simple(tree.right)
        )
        self.write(symbol if hugs else f" {symbol} ")
        self.operand(tree.right, right)

    def _UnaryOp(self, tree: gast.UnaryOp) -> None:
        self.write(OPERATOR_TEXTS[tree.op.__class__][0])
        self.operand(tree.operand, operand_level(tree))

    def _BoolOp(self, tree: gast.BoolOp) -> None:
        symbol, level = OPERATOR_TEXTS[tree.op.__class__]
        for i, value in enumerate(tree.values):
            if i:
                self.write(f" {symbol} ")
            self.operand(value, level + 1)

    def _IfExp(self, tree: gast.IfExp) -> None:
        self.operand(tree.body, OR)
        self.write(" if ")
        self.operand(tree.test, OR)
        self.write(" else ")
        self.operand(tree.orelse, CHOICE)

    def _Compare(self, tree: gast.Compare) -> None:
        self.operand(tree.left, COMPARE + 1)
        for operator, right in zip(tree.ops, tree.comparators, strict=True):
            self.write(f" {OPERATOR_TEXTS[operator.__class__][0]} ")
            self.operand(right, COMPARE + 1)

    def _Attribute(self, tree: gast.Attribute) -> None:
        value = tree.value
        if isinstance(value, gast.Constant) and type(value.value) in WRITTEN_NUMBERS:
            self.write("(")
            self.dispatch(value)
            self.write(")")
        else:
            self.operand(value, ATOM)
        self.write(f".{tree.attr}")

    def _Call(self, tree: gast.Call) -> None:
        self.operand(tree.func, ATOM)
        self.write("(")
        self.separated(tree.args + tree.keywords)
        self.write(")")

    def _Starred(self, tree: gast.Starred) -> None:
        self.write("*")
        self.operand(tree.value, BIT_OR)

    def _Tuple(self, tree: gast.Tuple) -> None:
        self.write("(")
        self.items(tree.elts)
        self.write(")")

    def _Subscript(self, tree: gast.Subscript) -> None:
        self.operand(tree.value, ATOM)
        self.write("[")
        if is_bare_index(tree.slice):
            self.items(tree.slice.elts)
        else:
            self.dispatch(tree.slice)
        self.write("]")

    def _Slice(self, tree: gast.Slice) -> None:
        bounds = (tree.lower, tree.upper, tree.step)
        space = "" if all(map(_is_simple_bound, bounds)) else " "
        if tree.lower is not None:
            self.dispatch(tree.lower)
            self.write(space)
        self.write(":")
        if tree.upper is not None:
            self.write(space)
            self.dispatch(tree.upper)
            if tree.step is not None:
                self.write(space)
        if tree.step is not None:
            self.write(":" + space)
            self.dispatch(tree.step)


def is_bare_index(index: gast.expr) -> bool:
    """Whether an index is a tuple that goes without parentheses."""
    return (
        isinstance(index, gast.Tuple)
        and bool(index.elts)
        # `x[*rest]` is new in Python 3.11.
        and not any(isinstance(part, gast.Starred) for part in index.elts)
    )


def quoted(value: str | bytes) -> str:
    """A string in double quotes, unless that takes more backslashes."""
    literal = repr(value)
    double, single = ('"', "'") if isinstance(value, str) else (b'"', b"'")
    if literal[-1] == '"' or value.count(double) > value.count(single):  # type: ignore[arg-type]
        return literal
    prefix, body = literal.split("'", 1)
    body = body[:-1].replace("\\'", "'").replace('"', '\\"')
    return f'{prefix}"{body}"'


def _is_simple(operand: gast.expr) -> bool:
    """Whether `**` stands without spaces beside it."""
    if isinstance(operand, gast.UnaryOp):
        return not isinstance(operand.op, gast.Not) and _is_simple(operand.operand)
    if isinstance(operand, gast.Attribute):
        return _is_simple_path(operand)
    return isinstance(operand, gast.Name) or (
        isinstance(operand, gast.Constant)
        and not isinstance(operand.value, (str, bytes))
    )


def _is_simple_path(operand: gast.expr) -> bool:
    while isinstance(operand, gast.Attribute):
        operand = operand.value
    return isinstance(operand, gast.Name)


def _is_simple_bound(bound: gast.expr | None) -> bool:
    """Whether the colon of a slice stands without spaces beside it."""
    while isinstance(bound, gast.UnaryOp) and not isinstance(bound.op, gast.Not):
        bound = bound.operand
    return bound is None or isinstance(bound, (gast.Constant, gast.Name))
