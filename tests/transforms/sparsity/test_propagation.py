"""No entry is missing: what an output depends on is in its pattern."""

import warnings

import numpy as np
import pytest

from srcgrad.graph import Graph, evaluate
from srcgrad.modes import enable_grad
from srcgrad.steps import Node, Value
from srcgrad.tracing.refusal import Refusal
from srcgrad.transforms.sparsity import sparsity
from srcgrad.updates import add_at, assign, scatter
from tests.rules.suite import FIRST
from tests.samples import SAMPLES
from tests.transforms.batching.test_batching_samples import problems, whole


def is_there(graph, x, y, inputs):
    """The pattern of an output by an input, as a matrix of truth values."""
    held = {}

    def note(node, result):
        results = result if isinstance(node.out, tuple) else (result,)
        held.update(zip(node.results, results, strict=True))

    evaluate(graph, inputs, note)
    held.update(zip(graph.inputs, inputs, strict=True))
    held.update(graph.constants)
    pattern = sparsity(graph.nodes, x, y, held.__getitem__)
    matrix = np.zeros((pattern.height, pattern.width), bool)
    matrix[pattern.rows, pattern.columns] = True
    return matrix


def changes(graph, k, inputs, outs):
    """For each element of an input which elements of the outputs change with it.

    What jumps, however short the step, does not: it has no derivative there.
    """
    for number in range(np.size(inputs[k])):
        moved = [_moved(graph, k, inputs, number, step) for step in (1e-3, 1e-6)]
        yield [
            np.ravel(np.abs(far - old) > 1e-9 * (1.0 + np.abs(old)))
            & np.ravel(~(np.abs(near - old) > 0.1 * np.abs(far - old)))
            for far, near, old in zip(*moved, outs, strict=True)
        ]


def _moved(graph, k, inputs, number, step):
    x = np.array(inputs[k])
    x.reshape(-1)[number] += step
    x = x if isinstance(inputs[k], np.ndarray) else x[()]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of integers that are none
        return evaluate(graph, (*inputs[:k], x, *inputs[k + 1 :]))


# Some functions, each by its first sample.
ALONE = [sample for sample in SAMPLES if sample.id in FIRST][::4]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("sample", ALONE, ids=lambda sample: sample.id)
def test_no_entry_is_missing(sample):
    """Forward and backward, by each argument and cotangent."""
    try:
        with enable_grad(), np.errstate(all="ignore"):
            joint, inputs, cotangents = problems(sample)
            graph = whole(joint)
            inputs = (*inputs[0], *cotangents[0])
            outs = evaluate(graph, inputs)
    except (Refusal, np.exceptions.AxisError):
        return  # it stays on the tape
    for k, x in enumerate(graph.inputs):
        if x.dtype.kind != "f":
            continue
        with np.errstate(all="ignore"):
            matrices = [is_there(graph, x, y, inputs) for y in graph.outputs]
            for number, changed in enumerate(changes(graph, k, inputs, outs)):
                for matrix, rows in zip(matrices, changed, strict=True):
                    assert not np.any(rows & ~matrix[:, number])


# ----- And few are too many -----
def array(*shape):
    return Value(shape, np.dtype(float))


def entries(function, *shapes, **options):
    """How many entries the pattern by the first argument has."""
    rng = np.random.default_rng(0)
    inputs = [array(*shape) for shape in shapes]
    raws = tuple(rng.normal(size=shape) for shape in shapes)
    y = array(*np.shape(function(*raws, **options)))
    graph = Graph(tuple(inputs), (Node(function, tuple(inputs), options, y),), (y,))
    return int(is_there(graph, inputs[0], y, raws).sum())


SPARSE = [
    (np.sin, [(5,)], {}, 5),
    (np.add, [(5,), (3, 5)], {}, 15),
    (np.sum, [(3, 4)], {"axis": 0}, 12),
    (np.sum, [(3, 4)], {"axis": 1, "keepdims": True}, 12),
    (np.mean, [(3, 4)], {}, 12),
    (np.cumsum, [(3, 4)], {"axis": 1}, 48),
    (np.sort, [(3, 4)], {}, 48),
    (np.reshape, [(3, 4)], {"shape": (4, 3)}, 12),
    (np.transpose, [(3, 4)], {}, 12),
    (np.roll, [(5,)], {"shift": 2}, 5),
    (np.diag, [(4,)], {}, 4),
    (np.tril, [(3, 3)], {}, 6),
    (np.repeat, [(3,)], {"repeats": 2}, 6),
    (np.matmul, [(3, 4), (4,)], {}, 12),
    (np.matmul, [(4,), (4, 2)], {}, 8),
    (np.matmul, [(2, 3, 4), (4, 5)], {}, 2 * 3 * 5 * 4),
    (np.dot, [(3, 4), (4, 2)], {}, 24),
    (np.pad, [(5,)], {"pad_width": 1}, 5),
    (np.pad, [(5,)], {"pad_width": 1, "mode": "wrap"}, 7),
    (np.convolve, [(6,), (3,)], {}, 18),
    (np.convolve, [(6,), (3,)], {"mode": "same"}, 16),
    (np.convolve, [(6,), (3,)], {"mode": "valid"}, 12),
    (np.convolve, [(2,), (5,)], {"mode": "same"}, 9),
]


@pytest.mark.parametrize(("function", "shapes", "options", "expected"), SPARSE)
def test_the_pattern_is_no_larger_than_it_is_known(function, shapes, options, expected):
    assert entries(function, *shapes, **options) == expected


def test_places_are_looked_at():
    x, places, y = array(5), Value((3,), np.dtype(int)), array(3)
    node = Node(np.take, (x, places), out=y)
    graph = Graph((x, places), (node,), (y,))
    matrix = is_there(graph, x, y, (np.ones(5), np.array([4, 0, 4])))
    assert np.argwhere(matrix).tolist() == [[0, 4], [1, 0], [2, 4]]


def test_what_is_added_at_places():
    index = np.array([0, 2, 0])
    x, g, y, z = array(4), array(3), array(4), array(4)
    scattered = Graph((g,), (Node(scatter, (g, index, (4,)), out=y),), (y,))
    matrix = is_there(scattered, g, y, (np.ones(3),))
    assert np.argwhere(matrix).tolist() == [[0, 0], [0, 2], [2, 1]]
    added = Graph((x, g), (Node(add_at, (x, index, g), out=z),), (z,))
    assert is_there(added, x, z, (np.ones(4), np.ones(3))).sum() == 4
    assert is_there(added, g, z, (np.ones(4), np.ones(3))).sum() == 3


def test_a_number_that_is_written_is_no_element():
    x, y = array(4), array(4)
    graph = Graph((x,), (Node(assign, (x, 1, 3.0), out=y),), (y,))
    assert is_there(graph, x, y, (np.ones(4),)).sum() == 3
    graph = Graph((x,), (Node(assign, (x, 1, 3), out=y),), (y,))
    assert is_there(graph, x, y, (np.ones(4),)).sum() == 3


def test_what_jumps_carries_nothing():
    x, h, y = array(4), Value((4,), np.dtype(bool)), array(4)
    nodes = (Node(np.greater, (x, 0.0), out=h), Node(np.where, (h, 1.0, 2.0), out=y))
    graph = Graph((x,), nodes, (y,))
    assert not is_there(graph, x, y, (np.ones(4),)).any()
