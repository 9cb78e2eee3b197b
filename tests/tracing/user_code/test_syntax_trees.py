"""Walks find what Python's own find, in the same order."""

import ast
from pathlib import Path

import gast
import pytest

import srcgrad
from srcgrad.tracing.user_code.syntax_trees import Transformer, children_of, nodes_in

FILES = sorted(Path(srcgrad.__file__).parent.rglob("*.py"))[::8]
LEAVES = (ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context)


def kinds(nodes):
    return [type(node) for node in nodes if not isinstance(node, LEAVES)]


@pytest.mark.parametrize("parse", [ast.parse, gast.parse])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_all_nodes_are_found(path, parse):
    tree = parse(path.read_text(encoding="utf-8"))
    assert kinds(nodes_in(tree)) == kinds(ast.walk(tree))
    for node in ast.walk(tree):
        assert kinds(children_of(node)) == kinds(ast.iter_child_nodes(node))


class Doubling(Transformer):
    """Names are said twice, passes go."""

    def visit_Name(self, node):
        node.id *= 2
        return node

    def visit_Pass(self, node):
        return []

    def visit_Expr(self, node):
        return [self.generic_visit(node), ast.Break()]


def test_what_a_method_gives_takes_a_nodes_place():
    tree = Doubling().visit(ast.parse("for x in y:\n    pass\n    f(x + 1, *z)\n"))
    assert ast.unparse(tree).split("\n") == [
        "for xx in yy:",
        "    ff(xx + 1, *zz)",
        "    break",
    ]
