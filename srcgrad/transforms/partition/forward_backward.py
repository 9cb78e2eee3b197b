"""The partition into forward and backward, and the residuals between them.

>>> import numpy as np
>>> x, h, s, t = (Value((3,), np.dtype(float), name) for name in "xhst")
>>> dh, dx = (Value((3,), np.dtype(float), name) for name in ("dh", "dx"))
>>> nodes = (
...     Node(np.tanh, (x,), out=h),
...     Node(np.multiply, (h, h), out=s),
...     Node(np.subtract, (1.0, s), out=t),
...     Node(np.multiply, (dh, t), out=dx),
... )
>>> joint = Joint((x,), nodes, (h,), cotangents=(dh,), gradients=(dx,))
>>> partition = split(joint)
>>> print(partition.forward)
h = tanh(x)
return h
>>> [value.name for value in partition.saved]
['h']
>>> print(partition.backward)
s = multiply(h, h)
t = subtract(1.0, s)
dx = multiply(dh, t)
return dx

Saved is what the backward graph reads, but for views of an array that is kept anyway,
the negative of one, and the number of an iteration: they are made again. The result of
any other operation is saved even if it is cheap to compute again: time is what most
programs lack, and memory is `checkpoint`'s business.
"""

import operator
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from srcgrad.facts import facts_of
from srcgrad.graph import Graph, Joint, Partition
from srcgrad.steps import Node, Step, Value
from srcgrad.transforms.partition.stages import without_marks
from srcgrad.transforms.reading import (
    callers_memory,
    forward_steps,
    may_copy,
    nodes_needed,
)
from srcgrad.unboxing import number_at


def forward_of(graph: Joint) -> Graph:
    """The forward graph."""
    return _part(graph, graph.inputs, forward_steps(graph), graph.outputs)


def split(graph: Joint) -> Partition:
    """Divide a graph between the two functions that are made of it."""
    first = forward_steps(graph)
    forward = _part(graph, graph.inputs, first, graph.outputs)
    gradients = tuple(value for value in graph.gradients if value is not None)
    # Though nothing flows on to an input, hooks may look at each of several cotangents.
    complete = tuple(value for value in graph.complete if value is not None)
    results = (*gradients, *complete)
    if not results and len(graph.cotangents) < 2:
        return Partition(forward)
    done = set(map(id, first))
    later = [node for node in graph.nodes if id(node) not in done]
    later = nodes_needed(later, results)
    given = {*graph.inputs, *(value for node in first for value in node.results)}
    read = {value for node in later for value in node.inputs}.union(results) & given
    read.update(graph.held)
    saved, again = _choose(graph, first, read)
    later = list(_with_views(later, again, list(results)))
    inputs = (*saved, *graph.cotangents)
    in_full = _part(graph, inputs, later, results) if complete else None
    backward = _part(graph, inputs, later, gradients)
    if in_full is None:
        return Partition(forward, backward, saved, graph.gradients, graph.complete)
    backward = without_marks(backward)
    nodes = tuple(nodes_needed(backward.nodes, backward.outputs))
    return Partition(
        forward,
        replace(backward, nodes=nodes),
        saved,
        graph.gradients,
        graph.complete,
        in_full,
    )


def whole(graph: Joint) -> Partition:
    """One function for all, where no cotangent comes from outside."""
    gradients = tuple(value for value in graph.gradients if value is not None)
    results = (*graph.outputs, *gradients)
    return Partition(_part(graph, graph.inputs, graph.nodes, results))


def linear(graph: Joint) -> Partition:
    """A partition whose backward graph runs again and again: it does what it must.

    All that depends on no cotangent is computed, and saved, by the forward graph.
    """
    late = set(graph.cotangents)
    read: dict[Value, None] = {}
    for node in graph.nodes:
        if not late.isdisjoint(node.inputs):
            late.update(node.results)
            read.update(dict.fromkeys(node.inputs))
    made = {value for node in graph.nodes for value in node.results}
    held = tuple(value for value in read if value in made and value not in late)
    return replace(split(replace(graph, held=held)), gradients=())


def _part(
    graph: Joint,
    inputs: tuple[Value, ...],
    nodes: Sequence[Step],
    results: tuple[Value, ...],
) -> Graph:
    """Some of the steps, with the constants that these read."""
    read = {value for node in nodes for value in node.inputs}.union(results)
    constants = {c: array for c, array in graph.constants.items() if c in read}
    return Graph(inputs, tuple(nodes), results, constants)


def _choose(
    graph: Joint, first: list[Step], read: set[Value]
) -> tuple[tuple[Value, ...], dict[Value, Node]]:
    """What to save, in order of definition, and the views to make again instead."""
    wanted = set(read)
    as_it_was, callers = set(graph.residuals), callers_memory(graph)
    # What is kept anyway, and all views of that.
    near = {*graph.inputs, *graph.constants, *wanted}
    for node in first:
        if not (_is_free_view(node) or _is_given(node)):
            continue
        if _is_copy_of(node, callers):
            # What may be a copy of the caller's array is saved as what it is.
            as_it_was.update(node.results)
        elif near.issuperset(node.inputs):
            near.update(node.results)
    again: dict[Value, Node] = {}
    for node in reversed(first):
        value = node.out if type(node) is Node else None
        if type(value) is Value and value in wanted:
            assert type(node) is Node
            is_callers = value in as_it_was and _is_copy_of(node, callers)
            if value in graph.held or is_callers:
                continue  # by then the caller may have changed what it is made of
            kept = wanted if node.function is np.negative else near
            if _is_free(node) and kept.issuperset(node.inputs):
                wanted.remove(value)
                wanted.update(node.inputs)
                again[value] = node
    wanted -= graph.constants.keys()
    order = (*graph.inputs, *(value for node in first for value in node.results))
    return tuple(value for value in order if value in wanted), again


def _is_copy_of(node: Step, callers: frozenset[Value]) -> bool:
    """Whether a result may be a copy of what is in the caller's memory."""
    is_copy = may_copy(node) and not _is_given(node)
    return is_copy and not callers.isdisjoint(node.inputs)


def _is_free_view(node: Step) -> bool:
    """Whether a result is made without touching an element."""
    if type(node) is not Node:
        return False
    if node.function is operator.getitem:
        return node.shares_memory
    is_view = facts_of(node.function).view in ("whole", "fixed")
    return is_view or node.function is np.real


def _is_free(node: Node) -> bool:
    """Whether a value is made again rather than saved, if its argument is there."""
    is_free = node.function is np.negative or _is_of_index(node) or _is_given(node)
    return is_free or _is_free_view(node)


def _is_given(node: Step) -> bool:
    """Whether it is what a loop goes along: an element of an array of nobody else's."""
    return type(node) is Node and node.function is number_at


def _is_of_index(node: Node) -> bool:
    """Whether it is the number of an iteration as a float."""
    return node.function is float and all(value.is_index for value in node.inputs)


def _with_views(
    nodes: list[Step], again: dict[Value, Node], gradients: list[Value]
) -> Iterator[Step]:
    """Make each view just before its first use, as a part of the line that uses it."""
    order = {value: position for position, value in enumerate(reversed(again))}
    waiting = dict(again)

    def made_for(values: list[Value]) -> list[Node]:
        """The views that are still to be made for some values, in order."""
        views = []
        while values:
            if (view := waiting.pop(values.pop(), None)) is not None:
                views.append(view)
                values.extend(view.inputs)
        return sorted(views, key=lambda view: order[view.results[0]])

    for node in nodes:
        for view in made_for([*node.inputs]):
            yield replace(view, where=node.where)
        yield node
    yield from made_for(gradients)
