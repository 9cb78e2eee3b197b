"""Arrays taken apart into Python's floats."""

import operator

import numpy as np
import pytest

from srcgrad.graph import Graph
from srcgrad.policy import MOST_APART
from srcgrad.steps import Guard, Node, Value
from srcgrad.transforms.scalarize.unboxed_elements import Apart
from srcgrad.transforms.scalarize.unboxed_numbers import NotApartError
from srcgrad.updates import add_at, assign, scatter
from tests.transforms.interpret import record, run


def apart(graph):
    """The graph on floats."""
    taken = Apart(graph)
    for step in graph.nodes:
        taken.take(step)
    outputs = tuple(taken.give(value) for value in graph.outputs)
    found = Graph(graph.inputs, tuple(map(taken.named, taken.nodes)), outputs)
    found.lint()
    return found


X, A = np.array([0.5, -1.5, 2.0]), np.arange(9.0).reshape(3, 3) - 3.5

PROGRAMS = {
    "elements": lambda x, a: x[0] * x[-1] + a[1, 2] - a[0][1],
    "slices": lambda x, a: x[1:] * a[1, :2] - x[::-1][:2],
    "new axes": lambda x, a: np.reshape(x[:, None] * x, (9,))[2:4],
    "moved": lambda x, a: np.transpose(a)[0] + np.squeeze(a[:1]) + np.flip(x),
    "products": lambda x, a: a @ x + np.cross(x, a[0]) * np.dot(x, x),
    "matrices": lambda x, a: np.inner(a @ a, x) + np.outer(x, x)[1],
    "sums": lambda x, a: np.sum(a, axis=0) * np.sum(x) + np.trace(a),
    "length": lambda x, a: x / np.linalg.norm(x),
    "choices": lambda x, a: np.where(x > 0.0, np.sqrt(abs(x)), np.maximum(x, -1.0)),
    "put": lambda x, a: assign(assign(x, 0, x[1]), slice(1, None), a[0, :2]),
    "added": lambda x, a: add_at(scatter(x[:2], slice(1, None), (3,)), 1, a[0, 0]),
    "broadcast": lambda x, a: np.broadcast_to(x[0], (3,)) * 1.0,
    "constants": lambda x, a: x * np.array([1.0, 2.0, 3.0]) + 2,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_floats_give_the_same(name):
    graph = record(lambda x, a: (PROGRAMS[name](x, a),), (X, A))
    graph = Graph(graph.inputs, graph.nodes, graph.outputs)
    ((ours,), _), ((theirs,), _) = (
        run_floats(apart(graph), (X, A)),
        run(graph, (X, A)),
    )
    assert type(ours) is type(theirs)
    np.testing.assert_allclose(ours, theirs, 1e-15, strict=True)


def run_floats(graph, inputs):
    """Floats have no dtype that could be compared."""
    held = dict(zip(graph.inputs, inputs, strict=True))

    def value(item):
        if isinstance(item, Value):
            return held[item]
        return [value(each) for each in item] if isinstance(item, list) else item

    for node in graph.nodes:
        result = node.function(*map(value, node.args))
        outs = node.out if isinstance(node.out, tuple) else (node.out,)
        results = result if isinstance(node.out, tuple) else (result,)
        held.update(zip(outs, results, strict=True))
    return tuple(held[value] for value in graph.outputs), ()


def value(*shape, name=None, kind="array", dtype=float):
    return Value(shape, np.dtype(dtype), name, kind)


def in_two_parts(x):
    return add_at(scatter(x[0], 0, (2,)), 1, x[1])


def test_blanks_take_what_is_added():
    graph = record(lambda x, a: (in_two_parts(x),), (X, A))
    nodes = apart(Graph(graph.inputs, graph.nodes, graph.outputs)).nodes
    assert [node.function.__name__ for node in nodes] == ["elements", "array"]


def test_names_are_the_users():
    x, a, t, out = (value(3, name="x"), *(value(name=n, kind="scalar") for n in "ato"))
    nodes = (
        Node(operator.getitem, (x, 1), out=a),
        Node(np.exp, (a,), out=t),
        Node(np.multiply, (t, 2), out=out),
    )
    assert str(apart(Graph((x,), nodes, (out,)))).splitlines()[:3] == [
        "x_0, a, x_2 = elements(x)",
        "t = exp(a)",
        "o = mul(t, 2.0)",
    ]


def node(function, *args, out=None, **kwargs):
    return Node(function, args, kwargs, out or value(kind="scalar"))


N, B = value(kind="scalar"), value(kind="scalar", dtype=bool)
F4, LONG = value(kind="scalar", dtype=np.float32), value(MOST_APART + 1)


@pytest.mark.parametrize(
    "step",
    [
        node(np.sinh, N),
        node(np.add, N, N, dtype=np.float64),
        node(np.add, F4, F4, out=value(kind="scalar", dtype=np.float32)),
        node(np.multiply, N, F4),
        node(np.add, N, 10**400),
        node(operator.getitem, LONG, 1),
        node(operator.getitem, value(3), N),
        node(np.random.normal, N),
        node(np.floor, N),
        node(np.modf, N, out=(value(kind="scalar"), value(kind="scalar"))),
        Guard(value(3), np.ndarray.tobytes, b""),
        Guard(1.0, float, 1.0),
    ],
    ids=lambda step: getattr(getattr(step, "function", None), "__name__", "guard"),
)
def test_what_has_no_floats_is_refused(step):
    with pytest.raises(NotApartError):
        Apart(Graph((N, F4, LONG, *step.inputs), (step,), ())).take(step)


@pytest.mark.parametrize("function", [np.exp, np.sin, np.sqrt, np.tanh])
def test_what_decides_is_the_same_to_the_bit(function):
    """``math.exp`` and NumPy's differ in last places: the test would fork there."""
    out = value(kind="scalar")
    graph = Graph((N,), (node(function, N, out=out),), (out,))
    taken = Apart(graph, exact={out})
    taken.take(graph.nodes[0])
    outputs = (taken.give(out),)
    ours = Graph(graph.inputs, tuple(map(taken.named, taken.nodes)), outputs)
    for x in np.random.default_rng(0).uniform(0.0, 20.0, 200):
        (found,) = run_floats(ours, (x,))[0]
        assert found == function(x)
