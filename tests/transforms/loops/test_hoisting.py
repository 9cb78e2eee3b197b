"""What a loop would compute anew in each iteration is computed before it."""

import numpy as np
import pytest

import srcgrad
from srcgrad.graph import Graph
from srcgrad.loops import Loop
from srcgrad.steps import Node, Value
from srcgrad.transforms.loops.hoisting import hoisted

pytestmark = pytest.mark.usefixtures("short_loops_too")

A = np.array([[0.5, -0.2], [0.1, 0.4]])


def decay(p):
    """Parameters are read where they are used."""
    y, z = 1.0, 0.0
    for _ in range(40):
        y, z = y - 0.1 * p[0] * y * p[2], z + 0.1 * p[1] * y - p[2] * p[0] * z
    return y * z


def kept(p):
    states = []
    h = p[:2]
    for _ in range(40):
        h = np.tanh(A @ h) + p[2]
        states.append(p[1] * h)
        states.append(p[:2])
    return np.sum(np.array(states)[::3])


def nested(p):
    s = 0.0
    for i in range(8):
        for _ in range(10):
            s = np.sin(s * p[1]) + p[0] * i
        s = s * p[2]
    return s


def converged(p):
    """It may be that nothing runs."""
    x = p[0]
    while abs(x * x - p[1]) > 1e-8:
        x = 0.5 * (x + p[1] / x)
    return x * p[2]


def arms(p):
    s = 0.0
    for _ in range(20):
        s = s + p[0] if s < p[1] else s * 0.5 - p[2]
    return s


def filled(p):
    """What is changed in place is made in each iteration."""
    s = 0.0
    for _ in range(40):
        row = -p
        row[1] = s
        s = 0.5 * s + np.sin(np.sum(row * row)) * p[0]
    return s


@pytest.mark.parametrize("function", [decay, kept, nested, converged, arms, filled])
@pytest.mark.parametrize("form", ["value_and_grad", "trace", "jvp"])
def test_programs_are_what_they_are_on_the_tape(function, form):
    if form == "trace":
        ours = srcgrad.trace(function)
        ours = by_variables(ours)
    elif form == "jvp":

        def ours(p):
            return srcgrad.jvp(function, (p,), (p * p,))

    else:
        ours = srcgrad.value_and_grad(function)
    for point in ([0.5, 0.3, 0.2], [0.5, 0.25, 0.7], [1.5, 2.0, -0.5], [0.5, 0.3, 0.2]):
        found = ours(np.array(point))
        with srcgrad.set_stance("tape"):
            expected = ours(np.array(point))
        for mine, tapes in zip(found, expected, strict=True):
            np.testing.assert_allclose(mine, tapes, rtol=1e-10)


def by_variables(traced):
    def called(p):
        variable = srcgrad.Variable(p, requires_grad=True)
        value = traced(variable)
        value.backward()
        return value.data, variable.grad.data

    return called


def loop_of(function):
    """The statements of its loop, forward."""
    ours = srcgrad.value_and_grad(function)
    for _ in range(2):
        ours(np.array([0.5, 0.3, 0.2]))
    forward = ours.source().split("def forward(")[1]
    lines = iter(forward.split("    for ")[1].split("\n")[1:])
    return [line for line in lines if line.startswith(" " * 8) and "#" not in line]


def test_elements_are_read_once():
    assert loop_of(decay)
    assert not any("p[" in line for line in loop_of(decay))


@pytest.mark.parametrize(
    ("operation", "moves"),
    [(np.negative, True), (np.log, False), (np.linalg.inv, False)],
)
def test_what_may_raise_or_signal_stays_where_it_is(operation, moves):
    a, b, h, t, u, out = (Value((2, 2), np.dtype(float)) for _ in range(6))
    nodes = Node(operation, (a,), out=t), Node(np.add, (h, t), out=u)
    loop = Loop(Graph((h, a), nodes, (u,)), 9, carried=1)
    graph = hoisted(Graph((b,), (Node(loop, (b, b), out=(out,)),), (out,)), {})
    assert len(graph.nodes) == 1 + moves
