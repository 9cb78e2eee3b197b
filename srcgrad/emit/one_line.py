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
LOOSE_NODES = OPERATION_NODES | OTHER_PRECEDENCES.keys()
WRITTEN_NUMBERS = (int, float, complex)


def text(tree: gast.AST, least: int = CHOICE) -> str:
    """Print an expression; in parentheses if it binds less tightly than ``least``.

    It keeps its text, for it is measured in each expression that it becomes a part of.
    """
    kind = tree.__class__
    if kind is gast.Name:  # as most are
        return tree.id  # type: ignore[no-any-return]
    fields = tree.__dict__
    if "flat" not in fields:
        is_known = kind in EXPRESSION_TEXTS
        flat = EXPRESSION_TEXTS[kind](tree) if is_known else _by_printer(tree)
        fields["flat"] = flat
    flat = fields["flat"]
    is_closed = not least or kind not in LOOSE_NODES or precedence(tree) >= least
    return flat if is_closed else f"({flat})"


def _by_printer(tree: gast.AST) -> str:
    printer = Printer()
    printer.dispatch(tree)
    return "".join(printer.parts)


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
        if kind in EXPRESSION_TEXTS:
            self.write(text(tree))
            return
        if kind not in self.methods:
            self.methods[kind] = getattr(type(self), f"_{kind.__name__}")
        self.methods[kind](self, tree)

    def _list(self, trees: list[gast.AST]) -> None:
        for tree in trees:
            self.dispatch(tree)


# ----- The text of each kind of expression -----
def _separated(trees: list[gast.AST]) -> str:
    """Expressions with commas between them."""
    return ", ".join([t.id if t.__class__ is gast.Name else text(t) for t in trees])


def _items(elements: list[gast.expr]) -> str:
    """What stands in a tuple; one element has a comma too."""
    flat = _separated(elements)
    return f"{flat}," if len(elements) == 1 else flat


def _name(tree: gast.Name) -> str:
    return tree.id  # type: ignore[no-any-return]


def _constant(tree: gast.Constant) -> str:
    value = tree.value
    if value is Ellipsis:
        return "..."
    if isinstance(value, (float, complex)):
        if value != value:
            raise ValueError("nan has no literal; write np.nan")
        return repr(value).replace("e+", "e").replace("inf", "1e309")
    return quoted(value) if isinstance(value, (str, bytes)) else repr(value)


def _binary(tree: gast.BinOp) -> str:
    symbol, level = OPERATOR_TEXTS[tree.op.__class__]
    if level == POWER:
        left, right = text(tree.left, ATOM), text(tree.right, SIGN)
        hugs = (
            not isinstance(tree.left, gast.UnaryOp)  # it is in parentheses
            and _is_simple(tree.left)
            and _is_simple(tree.right)
        )
        return f"{left}**{right}" if hugs else f"{left} ** {right}"
    return f"{text(tree.left, level)} {symbol} {text(tree.right, level + 1)}"


def _unary(tree: gast.UnaryOp) -> str:
    symbol = OPERATOR_TEXTS[tree.op.__class__][0]
    return symbol + text(tree.operand, operand_level(tree))


def _logical(tree: gast.BoolOp) -> str:
    symbol, level = OPERATOR_TEXTS[tree.op.__class__]
    return f" {symbol} ".join([text(value, level + 1) for value in tree.values])


def _choice(tree: gast.IfExp) -> str:
    body, test = text(tree.body, OR), text(tree.test, OR)
    return f"{body} if {test} else {text(tree.orelse)}"


def _compare(tree: gast.Compare) -> str:
    flat = text(tree.left, COMPARE + 1)
    for operator, right in zip(tree.ops, tree.comparators, strict=True):
        symbol = OPERATOR_TEXTS[operator.__class__][0]
        flat += f" {symbol} {text(right, COMPARE + 1)}"
    return flat


def _attribute(tree: gast.Attribute) -> str:
    value = tree.value
    if isinstance(value, gast.Constant) and type(value.value) in WRITTEN_NUMBERS:
        return f"({text(value)}).{tree.attr}"
    return f"{text(value, ATOM)}.{tree.attr}"


def _call(tree: gast.Call) -> str:
    return f"{text(tree.func, ATOM)}({_separated(tree.args + tree.keywords)})"


def _keyword(tree: gast.keyword) -> str:
    start = "**" if tree.arg is None else f"{tree.arg}="
    return start + text(tree.value)


def _starred(tree: gast.Starred) -> str:
    return f"*{text(tree.value, BIT_OR)}"


def _tuple(tree: gast.Tuple) -> str:
    return f"({_items(tree.elts)})"


def _list(tree: gast.List) -> str:
    return f"[{_separated(tree.elts)}]"


def _subscript(tree: gast.Subscript) -> str:
    is_bare = is_bare_index(tree.slice)
    index = _items(tree.slice.elts) if is_bare else text(tree.slice)
    return f"{text(tree.value, ATOM)}[{index}]"


def _slice(tree: gast.Slice) -> str:
    lower, upper, step = tree.lower, tree.upper, tree.step
    space = "" if all(map(_is_simple_bound, (lower, upper, step))) else " "
    flat = ":" if lower is None else f"{text(lower)}{space}:"
    if upper is not None:
        flat += f"{space}{text(upper)}{space if step is not None else ''}"
    return flat if step is None else f"{flat}:{space}{text(step)}"


EXPRESSION_TEXTS: dict[type, Callable[[Any], str]] = {
    gast.Name: _name,
    gast.Constant: _constant,
    gast.BinOp: _binary,
    gast.UnaryOp: _unary,
    gast.BoolOp: _logical,
    gast.IfExp: _choice,
    gast.Compare: _compare,
    gast.Attribute: _attribute,
    gast.Call: _call,
    gast.keyword: _keyword,
    gast.Starred: _starred,
    gast.Tuple: _tuple,
    gast.List: _list,
    gast.Subscript: _subscript,
    gast.Slice: _slice,
}


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
