"""Random programs that write at indices: updates, views, names, and lines."""

from dataclasses import replace
from typing import Any, NamedTuple

import hypothesis.strategies as st
import numpy as np

from srcgrad.graph import Joint
from srcgrad.steps import Location, Node
from srcgrad.updates import add_at, assign, scatter
from tests.transforms.interpret import record

SHAPES = [(3, 4), (3, 4), (3, 4), (3, 4), (4,), (4,), (3, 3), ()]
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan]
NUMBERS = [2.0, -0.5, 3, 0.0, 1.0, -1.0]
INDICES = [
    *(0, -1, slice(1, None), slice(None, -1), slice(None, None, 2), ..., [0, 2]),
    *([0, 0, 1], (0, 1), (slice(None), 0), (1, slice(None, 2)), (..., 1)),
]
OPERATIONS = [np.add, np.subtract, np.multiply, np.multiply]
VIEWS = [
    lambda x: x.T,
    lambda x: np.swapaxes(x, -1, -2),
    lambda x: np.reshape(x, -1),
    lambda x: np.expand_dims(x, 0),
    lambda x: np.broadcast_to(x, (3, 4)),
    lambda x: np.broadcast_to(x, (4,)),
    np.real,
    np.copy,
    np.negative,
    np.exp,
    lambda x: np.sum(x, axis=0),
    np.sum,
    lambda x: np.mean(x, axis=-1, keepdims=True),
    lambda x: x.T @ x,
]


def part(x, number):
    """``x`` at some index, and the index."""
    index = INDICES[number % len(INDICES)]
    return x[index], index


def updated(x, number, other, how):
    """``x[index] op= other``, as the tape records it, or ``op`` the other way round."""
    piece, index = part(x, number)
    if how % 7 == 0:
        piece, _ = part(x, how)  # of another place
    if how % 4 == 0 and piece.shape:
        piece = np.copy(piece)
    operation = OPERATIONS[how // 4 % len(OPERATIONS)]
    if how % 5 == 0 and other:  # by a number: the sign of a zero may be another
        operation = np.divide
    swapped = how % 3 == 0 and operation is not np.divide
    value = operation(other, piece) if swapped else operation(piece, other)
    return assign(x, index, value)


def stored(x, number, other, how):
    """``x[index] = other``, or a part of ``x`` itself, or zero."""
    index = INDICES[number % len(INDICES)]
    if how % 4 == 0:
        return assign(x, index, 0)
    return assign(x, index, part(x, how)[0] if how % 4 == 1 else other)


def added(x, number, other, how):
    """``x[index] += other``, on top of what is there, or of zeros."""
    piece, index = part(x, number)
    np.broadcast_to(other, piece.shape)  # it has to fit
    if how % 2:
        return x + scatter(other, index, x.shape)
    return add_at(x, index, other)


def moved(x, number, other, how):
    """What ``x[index] op= other`` is in a gradient: zero there, and then something."""
    piece, index = part(x, number)
    np.broadcast_to(other, piece.shape)
    return assign(x, index, 0) + scatter(piece * other, index, x.shape)


STEPS = [updated, updated, stored, added, moved]


def step(pool, numbers):
    """One operation on recent values."""
    a, b, number, kind, how = numbers
    x, other = pool[-1 - a % min(len(pool), 3)], pool[-1 - b % min(len(pool), 9)]
    if kind % 5 == 0:
        return VIEWS[number % len(VIEWS)](x)
    if how % 5 == 0:
        other = NUMBERS[b % len(NUMBERS)]
    elif how % 5 < 3:
        other = part(other, b)[0]
    if kind % 5 == 1:
        return OPERATIONS[number % len(OPERATIONS)](x, other)
    return STEPS[kind // 5 % len(STEPS)](x, number, other, how)


@st.composite
def arrays(draw, dtype):
    shape = draw(st.sampled_from(SHAPES))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    array = np.asarray(rng.uniform(0.5, 1.5, size=shape)).astype(dtype)
    if np.dtype(dtype).kind == "c":
        array = array * (1.0 - 0.5j)
    if draw(st.integers(0, 4)) == 0:
        where = rng.random(shape) < 0.3
        array = np.where(where, rng.choice(SPECIAL, size=shape), array).astype(dtype)
    return array if shape or draw(st.booleans()) else dtype(array)


class Program(NamedTuple):
    """A graph of both halves, and what it is run on."""

    graph: Joint
    inputs: list[Any]
    cotangents: list[Any]

    def __repr__(self):
        return f"Program({self.inputs}, {self.cotangents}):\n{self.graph}"


@st.composite
def programs(draw):
    """Programs whose graphs have names and lines."""
    dtype = draw(st.sampled_from([np.float64, np.float64, np.float32, np.complex128]))
    given = [
        draw(st.lists(arrays(dtype), min_size=1, max_size=size)) for size in (2, 2, 1)
    ]
    inputs, cotangents, constants = given
    constants = [np.array(c) for c in constants]
    seeds = draw(st.lists(st.integers(0, 2**32 - 1), min_size=3, max_size=16))
    steps = [np.random.default_rng(seed).integers(10**6, size=5) for seed in seeds]
    late = draw(st.integers(0, len(steps)))
    picked = draw(st.lists(st.integers(-4, 20), max_size=2))

    def function(*values):
        n, k = len(inputs), len(inputs) + len(cotangents)
        pool, late_values = [*values[k:], *values[:n]], list(values[n:k])
        forward = None
        for i, numbers in enumerate(steps):
            if i == late:
                forward = pool[:]
                pool += late_values
            try:
                made = step(pool, numbers.tolist())
            except (ValueError, TypeError, AttributeError, IndexError):
                continue  # shapes that do not fit
            if made.size < 100:
                pool.append(made)
        forward = forward or pool[:]
        outputs = [np.sum(forward[-1]), *(forward[i % len(forward)] for i in picked)]
        return outputs, [pool[-1 - 2 * i % len(pool)] for i in range(n)]

    with np.errstate(all="ignore"):
        graph = record(function, inputs, cotangents, constants)
    graph = dressed(graph, np.random.default_rng(draw(st.integers(0, 99))))
    return Program(graph, inputs, cotangents)


def dressed(graph, rng):
    """The graph with names, some of them for several values, and lines."""
    late = set(graph.cotangents)
    nodes, names, line = [], {}, 1
    for node in graph.nodes:
        line += int(rng.random() < 0.3)
        is_late = not late.isdisjoint(node.inputs)
        if is_late:
            late.update(node.results)
        where = Location("writes.py", line, f"line {line}")
        nodes.append(replace(node, where=where, in_backward=is_late))
        for value in node.results:
            if rng.random() < 0.5:
                names[value] = replace(value, name=_name(node, names, rng))
    nodes = [node.renamed(names) for node in nodes]
    return graph.with_nodes(nodes, names)


def _name(node: Node, names, rng):
    """A name, often that of an operand: the user has written ``h = h * 2.0``."""
    taken = [names[value].name for value in node.inputs if value in names]
    if taken and rng.random() < 0.7:
        return taken[0]
    return str(rng.choice(["h", "k", "dh"]))
