"""Alias analysis of results: each call gives arrays that nobody else holds.

>>> import numpy as np
>>> f8 = np.dtype(float)
>>> x, y = Value((3,), f8, "x"), Value((3,), f8, "y")
>>> z, dz = Value((3,), f8, "z"), Value((3,), f8, "dz")
>>> node = Node(np.add, (x, y), out=z)
>>> sum_of_two = Joint((x, y), (node,), (z,), cotangents=(dz,), gradients=(dz, dz))
>>> print(own_results(sum_of_two))
z = add(x, y)
dz_1 = copy(dz)
dz_2 = copy(dz)
return z; dz_1, dz_2
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from srcgrad.facts import facts_of
from srcgrad.graph import Graph, Joint, Program
from srcgrad.steps import Node, Step, Value
from srcgrad.transforms.reading import arrays, exposed, forward_steps
from srcgrad.transforms.rewrite import with_nodes


def own_results(graph: Graph) -> Graph:
    """Copy what a result would share with something that lives on.

    Each gradient becomes a writable array of its own: it is no input, cotangent or
    constant, nothing saved, no other gradient, nor a view of one. Of outputs only
    constants are copied: what the tape lets them share they share here.
    """
    graph = own_constants(graph)
    if isinstance(graph, Joint):
        graph = own_gradients(graph)
    return graph


def own_constants(graph: Program) -> Program:
    """Copy the constants that the caller could see through an output."""
    visible = exposed(graph)
    copies = {
        constant: Value(constant.shape, constant.dtype, constant.name)
        for constant in graph.constants
        if constant in visible
    }
    if not copies:
        return graph
    nodes: list[Step] = [
        Node(np.copy, (constant,), out=copy) for constant, copy in copies.items()
    ]
    for node in graph.nodes:
        is_visible = not visible.isdisjoint(node.results)
        nodes.append(node.with_values(copies) if is_visible else node)
    changed = with_nodes(graph, nodes, copies)
    if isinstance(graph, Joint):
        # Gradients are looked after one by one.
        changed = replace(changed, gradients=graph.gradients)  # type: ignore[call-arg]
    return changed


def own_gradients(graph: Joint) -> Joint:
    """Copy the gradients that share memory."""
    owners = _owners(graph)
    taken: set[Value | None] = {
        None,
        *graph.inputs,
        *graph.cotangents,
        *graph.constants,
    }
    if graph.cotangents:
        taken.update(value for node in forward_steps(graph) for value in node.results)
    else:  # nothing is saved
        taken.update(exposed(graph))
    gradients: list[Value | None] = []
    copies: dict[Value, list[Value]] = {}
    for gradient in graph.gradients:
        if gradient is not None and gradient.kind == "array":
            owner = owners.get(gradient, gradient)
            if owner in taken:
                copy = Value(gradient.shape, gradient.dtype, gradient.name)
                copies.setdefault(gradient, []).append(copy)
                gradient = copy
            else:
                taken.add(owner)
        gradients.append(gradient)
    if not copies:
        return graph
    nodes = list(_with_copies(graph.nodes, copies))
    known = {*graph.given, *graph.outputs, *graph.held, *graph.complete, *gradients}
    nodes = _with_names_of_copies(nodes, known)
    return replace(graph, nodes=tuple(nodes), gradients=tuple(gradients))


def _owners(graph: Joint) -> dict[Value, Value | None]:
    """For each view the array that it covers; None if it is no array of its own."""
    owners: dict[Value, Value | None] = {}
    for node in graph.nodes:
        if type(node) is Node and node.shares_memory:
            for value in node.results:
                owners[value] = _owner(node, value, owners)
    return owners


def _owner(node: Node, value: Value, owners: dict[Value, Value | None]) -> Value | None:
    if facts_of(node.function).view not in ("whole", "maybe"):
        return None
    sources = arrays(node.inputs)
    if not sources:
        return value  # a view of a scalar is an array of its own
    if len(sources) > 1 or np.prod(sources[0].shape) != np.prod(value.shape):
        return None
    return owners.get(sources[0], sources[0])


def _with_copies(
    nodes: Iterable[Step], copies: dict[Value, list[Value]]
) -> Iterator[Step]:
    """Make each copy just after what it is a copy of, or else at the end."""
    waiting = dict(copies)
    for node in nodes:
        yield node
        for value in node.results:
            for copy in waiting.pop(value, ()):
                yield _copy_of(node, value, copy)
    for value, made in waiting.items():
        yield from (Node(np.copy, (value,), out=copy) for copy in made)


def _with_names_of_copies(nodes: list[Step], known: set[Value | None]) -> list[Step]:
    """Call by its name the copy alone, if that is all that is made of a value."""
    uses = Counter(value for node in nodes for value in node.inputs)
    copied = [
        node.args[0]
        for node in nodes
        if type(node) is Node and node.function is np.copy and node.out in known
    ]
    unnamed = {
        value: replace(value, name=None)
        for value in copied
        if type(value) is Value and value.name
        if uses[value] == 1 and value not in known
    }
    return [node.renamed(unnamed) for node in nodes] if unnamed else nodes


def _copy_of(node: Step, value: Value, copy: Value) -> Node:
    if type(node) is Node and node.function is np.broadcast_to and node.args:
        # Four times as fast as a copy of the broadcast array (NumPy 2.4).
        return Node(np.full, (value.shape, node.args[0]), out=copy, where=node.where)
    return Node(np.copy, (value,), out=copy, where=node.where)
