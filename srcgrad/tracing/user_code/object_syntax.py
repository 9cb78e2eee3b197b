"""Where Python's syntax runs special methods, in the text of a followed copy.

>>> given = lambda text: gast.parse(text).body[0].value
>>> def shown(node):
...     return gast.unparse(node).replace("__srcgrad__.", "")
>>> print(shown(seen(given("p"))), shown(seen(given("[1, 2]"))))
seen(p) [1, 2]
>>> print(shown(tested(either(given("p or q < 3")))), shown(either(given("p or q"))))
seen(p) or q < 3 real(seen(p) or q)
>>> from srcgrad.tracing.user_code.syntax_trees import nodes_in
>>> tree = gast.parse("for i in range(n):\\n  for j in range(i): j = 2.0 * i")
>>> names = counter_names(nodes_in(tree))
>>> [is_number(given(text), names) for text in ("i + 1", "-2 * i", "i * n", "j")]
[True, True, False, False]
"""

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Any

import gast

from srcgrad.tracing.user_code.copies import capture_call, name_read
from srcgrad.tracing.user_code.syntax_trees import Transformer

# Expressions that are no object of the user's.
PLAIN_SYNTAX = (
    *(gast.Constant, gast.JoinedStr, gast.Tuple, gast.List, gast.Dict, gast.Set),
    *(gast.ListComp, gast.GeneratorExp, gast.Lambda),
)


def seen(node: Any) -> Any:
    """What is given to Python where it runs special methods of what a node is."""
    is_none = isinstance(node, (*PLAIN_SYNTAX, gast.Starred))
    return node if is_none else capture_call("seen", node, at=node)


def tested(node: Any) -> Any:
    """The same where it is asked whether something is true."""
    both = node.args[0] if isinstance(node, gast.Call) and node.args else None
    if isinstance(both, gast.BoolOp) and node.func.attr == "real":
        both.values[-1] = tested(both.values[-1])
        return both
    is_not = isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not)
    return node if is_not or isinstance(node, gast.Compare) else seen(node)


def either(node: Any) -> Any:
    """``a and b``, which is one of the two."""
    node.values[:-1] = map(tested, node.values[:-1])
    return capture_call("real", node, at=node)


class ObjectSyntax(Transformer):
    """What tests, loops and the like do with objects of the user's.

    ``asks``: in what is gone through there may be some. A function inside, which may be
    left behind as it is, asks if the one around it ``knows`` of such a class.
    """

    asks = True
    knows = False

    def seen(self, node: Any) -> Any:
        """What is given to Python for a node."""
        return seen(node) if self.asks else node

    def tested(self, node: Any) -> Any:
        """The same where it is asked whether it is true."""
        return tested(node) if self.asks else node

    def _inner(self, node: Any) -> Any:
        before, self.asks = self.asks, self.knows
        self.generic_visit(node)
        self.asks = before
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _inner

    def _test(self, node: Any) -> Any:
        self.generic_visit(node)
        node.test = self.tested(node.test)
        return node

    visit_If = visit_While = visit_IfExp = visit_Assert = _test

    def visit_UnaryOp(self, node: Any) -> Any:
        self.generic_visit(node)
        is_test = isinstance(node.op, gast.Not)
        node.operand = (self.tested if is_test else self.seen)(node.operand)
        return node

    def visit_BoolOp(self, node: Any) -> Any:
        self.generic_visit(node)
        return either(node) if self.asks else node

    def visit_For(self, node: Any) -> Any:
        self.generic_visit(node)
        node.iter = self.seen(node.iter)
        return node

    def visit_comprehension(self, node: Any) -> Any:
        self.visit_For(node)
        node.ifs = list(map(self.tested, node.ifs))
        return node

    def _value(self, node: Any) -> Any:
        self.generic_visit(node)
        node.value = self.seen(node.value)
        return node

    visit_FormattedValue = visit_YieldFrom = _value

    def visit_Starred(self, node: Any) -> Any:
        is_taken_apart = isinstance(node.ctx, gast.Load)
        return self._value(node) if is_taken_apart else self.generic_visit(node)

    def visit_withitem(self, node: Any) -> Any:
        self.generic_visit(node)
        node.context_expr = self.seen(node.context_expr)
        return node


def read(target: Any) -> Any:
    """The expression that reads what a name, or an attribute of one, is."""
    if isinstance(target, gast.Name):
        return name_read(target.id)
    return gast.Attribute(value=read(target.value), attr=target.attr, ctx=gast.Load())


def counter_names(nodes: Iterable[Any]) -> set[str]:
    """The names that are bound by ``for i in range(...)`` alone, of a definition."""
    bound: Counter[str] = Counter()
    counting: Counter[str] = Counter()
    for node in nodes:
        if isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load):
            bound[node.id] += 1
        elif isinstance(node, (gast.For, gast.comprehension)):
            of = node.iter.func if isinstance(node.iter, gast.Call) else None
            if getattr(of, "id", None) == "range" and isinstance(
                node.target, gast.Name
            ):
                counting[node.target.id] += 1
        elif isinstance(node, (gast.Global, gast.Nonlocal)):
            bound.update(node.names)
    return {name for name, count in counting.items() if bound[name] == count}


def is_number(node: Any, counters: Collection[str]) -> bool:
    """Whether an expression is made of numbers and counters alone."""
    if isinstance(node, gast.BinOp):
        return is_number(node.left, counters) and is_number(node.right, counters)
    if isinstance(node, gast.UnaryOp):
        return is_number(node.operand, counters)
    if isinstance(node, gast.Constant):
        return type(node.value) in (int, float)
    return isinstance(node, gast.Name) and node.id in counters
