"""The loop of a peephole pass: what it replaces, and what it leaves alone."""

import numpy as np

from srcgrad.graph import Graph
from srcgrad.steps import Node
from srcgrad.transforms.algebra.algebra import simplify_algebra
from srcgrad.transforms.rewrite import Term, rewrite
from tests.transforms.interpret import record, run, text, value_of

rng = np.random.default_rng(0)
x = rng.normal(size=(2, 3))


def test_names_are_kept():
    graph = record(lambda x: [np.exp(np.tanh(x) * 1.0)], [x])
    tanh, unit, exp = graph.nodes
    h = value_of(x, "h")
    unit = Node(unit.function, unit.args, {}, h)
    exp = Node(exp.function, (h,), {}, exp.out)
    graph = Graph(graph.inputs, (tanh, unit, exp), graph.outputs)
    assert text(simplify_algebra(graph)) == ["h = tanh(x)", "t = exp(h)", "return t"]


# ----- The loop itself, with rules made for it -----


def unsquare(node, rewriter):
    """``square(x) -> x * x``."""
    if node.function is np.square:
        h = Term.of(node.args[0])
        return h * h
    return None


def test_a_term_takes_the_place_of_its_node():
    graph = record(lambda x: [np.tanh(np.square(np.exp(x)))], [x])
    result = rewrite(graph, unsquare)
    assert text(result) == [
        "t = exp(x)",
        "t_1 = multiply(t, t)",
        "t_2 = tanh(t_1)",
        "return t_2",
    ]
    result.lint()
    np.testing.assert_array_equal(run(result, [x])[0], run(graph, [x])[0])


def test_a_graph_where_nothing_fits_is_the_same_object():
    graph = record(lambda x: [np.exp(x)], [x])
    assert rewrite(graph, unsquare) is graph


def test_new_nodes_are_offered_too():
    def simplify(node, rewriter):
        if node.function is np.exp2:
            return np.square(Term.of(node.args[0]))
        return unsquare(node, rewriter)

    graph = record(lambda x: [np.exp2(x) + 1.0], [x])
    assert text(rewrite(graph, simplify))[0] == "t = multiply(x, x)"


def test_what_nobody_wants_any_more_goes():
    def first_of_sum(node, rewriter):
        return Term.of(node.args[0]) if node.function is np.add else None

    graph = record(lambda x: [np.tanh(np.exp(x) + np.sin(np.cos(x)))], [x])
    assert text(rewrite(graph, first_of_sum)) == [
        "t = exp(x)",
        "t_1 = tanh(t)",
        "return t_1",
    ]
    kept = record(lambda x: [np.tanh(np.exp(x) + np.sin(x)), np.sin(x)], [x])
    assert "sin(x)" in str(rewrite(kept, first_of_sum))


def test_a_term_of_another_shape_or_dtype_is_refused():
    def narrower(node, rewriter):
        return Term.of(node.args[0]) if node.function is np.broadcast_to else None

    graph = record(lambda x: [np.exp(np.broadcast_to(x, (4, 2, 3)))], [x])
    assert rewrite(graph, narrower) is graph

    def single(node, rewriter):
        if node.function is np.exp:
            return np.exp(Term.of(rewriter.graph.inputs[1]))
        return None

    inputs = [x, x.astype(np.float32)]
    graph = record(lambda x, y: [np.exp(x) + 1.0, y * y], inputs)
    assert rewrite(graph, single) is graph


def test_the_maker_of_an_operand_is_what_computes_it():
    seen = {}

    def look(node, rewriter):
        for arg in node.args:
            maker = rewriter.maker(arg)
            seen[node.function] = maker and maker.function

    rewrite(record(lambda x: [np.tanh(np.exp(x))], [x]), look)
    assert seen == {np.exp: None, np.tanh: np.exp}
