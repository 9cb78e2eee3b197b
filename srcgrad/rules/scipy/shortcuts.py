"""Where SciPy's code takes another way for some value of a Variable: no derivative.

At ``if a[0] != 1: b = b / a[0]`` the slope by ``a[0]`` is lost exactly where it is 1. A
test in a copy is run again as if no Variable were equal to anything, where one is; if
that would lead another way, it is refused. What only complains is no way.

>>> tree = Ways("f").visit(ast.parse("y = 0.0 if x == 1 else x"))
>>> print(ast.unparse(ast.fix_missing_locations(tree)))
y = 0.0 if _way('f', 'x == 1', lambda _seen: _seen.compared('Eq', x, 1)) else x
"""

import ast
import copy
import operator
from typing import Any

import numpy as np

from srcgrad.facts import Operation
from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.rules.scipy.without import refuse

# What compares, and whether it is true where the operands are not equal.
KINDS: dict[str, tuple[Operation, bool]] = {
    "Eq": (operator.eq, False),
    "NotEq": (operator.ne, True),
    "In": (lambda a, b: a in b, False),
    "NotIn": (lambda a, b: a not in b, True),
    "equal": (np.equal, False),
    "not_equal": (np.not_equal, True),
    "array_equal": (np.array_equal, False),
}
# What asks whether elements are 0.
TRUTHS = ("any", "all", "count_nonzero")
# Expressions that may be a number.
VALUES = (ast.Name, ast.Attribute, ast.Subscript, ast.BinOp)
# Tests between ways that have the same slope where they meet.
SAFE: set[tuple[str, str]] = {
    # The roots come in pairs all around, and what is left out is 0.
    ("poly", "xp.all(xp.sort(xp.imag(roots)) == xp.sort(xp.imag(xp.conj(roots))))"),
    ("poly", "NX.all(NX.sort(roots) == NX.sort(roots.conjugate()))"),
    # One step more would change no digit.
    ("_arc_jac_sn", "ks[-1] != 0"),
    # The edges that it adds itself: a cutoff is refused there.
    ("firwin", "left == 0"),
    ("firwin", "right == 1"),
    # They are given ``a / a[0]``.
    ("lfiltic", "a[0] != 1.0"),
    ("lfilter_zi", "a[0] != 1.0"),
    ("lfilter_zi", "a[0] != 1"),  # from SciPy 1.18 on
    # The p-value is 1 all around, where `k` is the likeliest.
    ("binomtest", "k == p * n"),
    # It only complains.
    (
        "false_discovery_control",
        "xp.isdtype(ps.dtype, ('integral', 'real floating')) "
        "and xp.all(ps == xp.clip(ps, 0.0, 1.0))",
    ),
}
# Tests that are written otherwise, so that the way has the slope.
NO_INPUT = "U is None or (isinstance(U, int | float) and U == 0.0)"
INSTEAD: dict[tuple[str, str], str] = {
    ("lsim", "T[0] == 0"): "False",
    ("lsim", "T[0] > 0"): "T[0] >= 0",
    ("lsim", f"{NO_INPUT} or (not np.any(U))"): (
        f"{NO_INPUT} or not (_has_slope(U) or np.any(U))"
    ),
}


# ----- What the copies call -----
def has_slope(item: Any) -> bool:
    return isinstance(item, ArrayProtocol) and getattr(item, "requires_grad", False)


class Seen:
    """The comparisons of a test, as they are or as they are nearly everywhere."""

    def __init__(self, as_elsewhere: bool = False) -> None:
        self._as_elsewhere = as_elsewhere
        self.is_special = False

    def compared(self, kind: str, a: Any, b: Any, *functions: Operation) -> Any:
        compare, elsewhere = KINDS[kind]
        (compare,) = functions or (compare,)
        found = compare(a, b)
        is_asked = has_slope(a) or has_slope(b)
        return self._told(found, raw_of(found), elsewhere) if is_asked else found

    def truth(self, x: Any) -> Any:
        """``x``, which is asked whether it is 0."""
        return self._told(x, np.not_equal(x.value, 0), True) if has_slope(x) else x

    def _told(self, found: Any, raw: Any, elsewhere: bool) -> Any:
        if self._as_elsewhere:
            return np.full(np.shape(raw), elsewhere)
        self.is_special |= bool(np.any(np.not_equal(raw, elsewhere)))
        return found


def way(name: str, text: str, test: Operation) -> Any:
    """The outcome of a test, unless it loses a slope."""
    seen = Seen()
    found = test(seen)
    if seen.is_special and bool(test(Seen(as_elsewhere=True))) != bool(found):
        refuse(f"`{name}`", f"it takes a shortcut at these values, by `{text}`")
    return found


# ----- How they come to call it -----
def called(name: str, *args: Any) -> Any:
    first, *members = name.split(".")
    function: Any = ast.Name(first, ast.Load())
    for member in members:
        function = ast.Attribute(function, member, ast.Load())
    return ast.Call(function, list(args), [])


class Marking(ast.NodeTransformer):
    """What in a test compares, or is asked whether it is 0."""

    def visit_Compare(self, node: Any) -> Any:
        self.generic_visit(node)
        if not any(type(op).__name__ in KINDS for op in node.ops):
            return node
        parts = [node.left, *node.comparators]
        pairs = zip(parts, node.ops, copy.deepcopy(parts[1:]), strict=False)
        made = [self._pair(*pair) for pair in pairs]
        return made[0] if len(made) == 1 else ast.BoolOp(ast.And(), made)

    def _pair(self, left: Any, op: Any, right: Any) -> Any:
        kind = type(op).__name__
        if kind not in KINDS:
            return ast.Compare(left, [op], [right])
        return called("_seen.compared", ast.Constant(kind), left, right)

    def visit_Call(self, node: Any) -> Any:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Attribute):
            return node
        name = node.func.attr
        if name in KINDS and len(node.args) == 2 and not node.keywords:
            return called("_seen.compared", ast.Constant(name), *node.args, node.func)
        if name in TRUTHS:  # a function of the first argument, or a method
            node.func.value = asked(node.func.value)
            node.args[:1] = map(asked, node.args[:1])
        return node

    def visit_BoolOp(self, node: Any) -> Any:
        self.generic_visit(node)
        node.values = list(map(asked, node.values))
        return node

    def visit_UnaryOp(self, node: Any) -> Any:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            node.operand = asked(node.operand)
        return node


def asked(node: Any) -> Any:
    return called("_seen.truth", node) if isinstance(node, VALUES) else node


class Ways(ast.NodeTransformer):
    """The tests of a function of this name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def visit_If(self, node: Any) -> Any:
        if not complains(node):
            node.test = self._way(node.test)
        for part in node.body, node.orelse:
            part[:] = map(self.visit, part)
        return node

    def visit_While(self, node: Any) -> Any:
        node.test = self._way(node.test)
        return self.generic_visit(node)

    visit_IfExp = visit_While

    def visit_comprehension(self, node: Any) -> Any:
        node.ifs = list(map(self._way, node.ifs))
        return self.generic_visit(node)

    def visit_Lambda(self, node: Any) -> Any:
        is_way = [arg.arg for arg in node.args.args] == ["_seen"]
        return node if is_way else self.generic_visit(node)

    def visit_BoolOp(self, node: Any) -> Any:
        """``x or y``, which is one of the values."""
        text = ast.unparse(node)
        node.values[:-1] = [
            self._way(each) if isinstance(each, VALUES) else each
            for each in node.values[:-1]
        ]
        return self._way(node, text)

    def visit_UnaryOp(self, node: Any) -> Any:
        is_test = isinstance(node.op, ast.Not)
        return self._way(node) if is_test else self.generic_visit(node)

    def visit_Assert(self, node: Any) -> Any:
        return node

    def _way(self, test: Any, text: str = "") -> Any:
        # A name that is bound in a lambda would be lost.
        if any(isinstance(each, ast.NamedExpr) for each in ast.walk(test)):
            return test
        text = text or ast.unparse(test)
        if (self._name, text) in SAFE:
            return test
        if (self._name, text) in INSTEAD:
            place, text = test, INSTEAD[self._name, text]
            test = ast.parse(text, mode="eval").body
            for each in ast.walk(test):
                ast.copy_location(each, place)
        marked = asked(Marking().visit(test))
        if "_seen." not in ast.unparse(marked):
            return marked
        names = ast.arguments([], [ast.arg("_seen")], None, [], [], None, [])
        again = ast.Lambda(names, marked)
        return called("_way", ast.Constant(self._name), ast.Constant(text), again)


def complains(node: Any) -> bool:
    """Whether an ``if`` does nothing but raise an error, or warn."""
    calls = [getattr(each, "value", None) for each in node.body]
    warns = all(
        isinstance(call, ast.Call) and ast.unparse(call.func).endswith("warn")
        for call in calls
    )
    return isinstance(node.body[-1], ast.Raise) or (warns and not node.orelse)
