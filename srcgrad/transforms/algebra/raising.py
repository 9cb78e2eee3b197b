"""What may raise an error runs, whether or not somebody wants its result.

>>> import numpy as np
>>> from srcgrad.graph import Graph
>>> from srcgrad.transforms.algebra.dce import eliminate_dead_code
>>> f8 = np.dtype(float)
>>> S, L, t, y = (Value((2, 2), f8, name) for name in "SLty")
>>> nodes = (
...     Node(np.linalg.cholesky, (S,), out=L),
...     Node(np.negative, (S,), out=t),
...     Node(np.multiply, (S, S), out=y),
... )
>>> print(eliminate_dead_code(keep_what_raises(Graph((S,), nodes, (y,)))))
L = cholesky(S)
y = multiply(S, S)
return y

That holds for the user's own code. The gradients that are not wanted, the tape does not
compute either.
"""

from dataclasses import replace
from typing import TypeGuard

import numpy as np

from srcgrad.facts import facts_of
from srcgrad.graph import Graph, Joint, Program, map_bodies
from srcgrad.steps import Node, Step, Value, values_in
from srcgrad.transforms.reading import arguments, nodes_needed
from srcgrad.updates import assign

# What makes other numbers of numbers.
FLOATING_TYPES = (float, complex, np.float64)


def keep_what_raises(graph: Program) -> Program:
    """Mark the nodes of the user's code that may raise an error.

    A floating-point error may be one too, under ``np.errstate``. But what computes
    something that is wanted need not be marked for that: whatever becomes of it in
    other passes meets these errors as well.
    """
    functions = [each for each in graph.functions if each is not None]
    raising = {each for each in functions if each is assign or facts_of(each).raises}
    # Of a transform nobody asks for the value on the way to its gradient.
    is_whole = isinstance(graph, Joint) and graph.derives
    needed = set(graph.nodes if is_whole else nodes_needed(graph.nodes, graph.results))
    marked: dict[Step, Step] = {
        node: node.that_must_run()
        for node in graph.nodes
        if (node.function in raising or node not in needed)
        if _is_users(node) and _may_fail(node, node in needed)
    }
    for late in _after_cotangents(graph) if marked else ():
        marked.pop(late, None)
    if not marked:
        return graph
    nodes = [marked.get(node, node) for node in graph.nodes]
    return replace(graph, nodes=tuple(nodes))


def _after_cotangents(graph: Graph) -> list[Step]:
    """The steps that depend on a cotangent: no code of the user's."""
    late = set(graph.cotangents) if isinstance(graph, Joint) else set[Value]()
    found = []
    for node in graph.nodes:
        if not late.isdisjoint(node.inputs):
            late.update(node.results)
            found.append(node)
    return found


def keep_what_signals(graph: Program) -> Program:
    """Mark all that may meet a floating-point error, which the user's code catches.

    What is wanted may be computed without it: the slope of a logarithm, say.
    """
    nodes = []
    for node in graph.nodes:
        node = map_bodies(keep_what_signals, node)
        if _is_users(node) and may_signal(node):
            node = node.that_must_run()
        nodes.append(node)
    return replace(graph, nodes=tuple(nodes))


def _is_users(node: Step) -> TypeGuard[Node]:
    return type(node) is Node and not (node.in_backward or node.must_run)


def _may_fail(node: Node, is_needed: bool) -> bool:
    return may_raise(node) or (not is_needed and may_signal(node))


def may_raise(node: Node) -> bool:
    """Whether a node may raise where it did not when it was recorded.

    The shapes are the same, the constants too, and no truth value is out of bounds.
    """
    known = facts_of(node.function)
    if node.function is assign and puts_floats_among_integers(node):
        return True
    if node.function in FLOATING_TYPES and all(map(_is_number, node.inputs)):
        return False
    if not known.raises or not known.raises_by:
        return known.raises
    given = arguments(node)
    return any(
        value.dtype.kind != "b"
        for name in known.raises_by.split()
        for value in values_in(given.get(name))
    )


def _is_number(value: Value) -> bool:
    return value.shape == () and value.dtype.kind in "biufc"


def puts_floats_among_integers(node: Node) -> bool:
    """Whether it stores what may be no integer: NaN, or too large."""
    stored = values_in(node.args[2])
    return node.results[0].dtype.kind in "iu" and any(
        value.dtype.kind == "f" for value in stored
    )


def may_signal(node: Node) -> bool:
    """Whether a node may meet a floating-point error."""
    known = facts_of(node.function)
    is_inexact = any(value.dtype.kind in "fc" for value in node.results)
    return known.signals and (is_inexact or known.steps)  # 1 // 0 is one too
