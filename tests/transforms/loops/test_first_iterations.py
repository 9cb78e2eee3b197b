"""The first iterations of a loop that was recorded as one."""

from dataclasses import replace

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable, autograd
from srcgrad.graph import Graph, evaluate
from srcgrad.loops import Loop
from srcgrad.steps import Guard, Node, Value
from srcgrad.transforms.loops.first_iterations import from_entry, without_first
from srcgrad.transforms.loops.regions import Carried, Known

F8 = np.dtype(float)


def scalar(name, kind="scalar"):
    return Value((), F8, name, kind)


def counted(count):
    """Return ``h = h * 2 + i`` for ``i`` from 3 on, and what is known of it."""
    i, p, t, u, first, result = scalar("i", "float"), *map(scalar, "ptuhr")
    steps = Node(np.multiply, (p, 2.0), out=t), Node(np.add, (t, i), out=u)
    loop = Loop(Graph((i, p), steps, (u,)), count, ((3, 1),), carried=1)
    entry = (scalar("h0"),)
    known = Known(2, (Carried(p, first, u, result),), {}, count, entry=entry)
    return Node(loop, (first,), out=(result,)), known


def run(nodes, given, result):
    return evaluate(Graph((given,), tuple(nodes), (result,)), (1.0,))


def by_hand(numbers):
    h = 1.0
    for i in numbers:
        h = h * 2 + i
    return [h]


# ----- From its first iteration on -----


def other_way(known):
    return [Node(np.negative, known.entry, out=known.carried[0].first)]


def entered(node, known, steps, read=()):
    return from_entry(node, known, steps, lambda value: value in read, {})


def test_a_loop_begins_with_what_was_there_before_it():
    node, known = counted(4)
    whole = entered(node, known, other_way(known))
    assert run([whole], *known.entry, *whole.results) == by_hand(range(1, 7))


def test_it_does_not_if_somebody_reads_what_its_first_iterations_made():
    node, known = counted(4)
    steps = other_way(known)
    assert entered(node, known, steps, steps[0].results) is None


@pytest.mark.parametrize("entry", [None, scalar("h0", "float"), Value((2,), F8)])
def test_it_does_not_with_what_is_of_another_kind(entry):
    node, known = counted(4)
    known = replace(known, entry=(entry,))
    assert entered(node, known, []) is None


def test_it_does_not_if_its_body_must_be_another_way():
    node, known = counted(4)
    guard = Guard(scalar("t"), bool, True)
    body = node.function.body
    body = replace(body, nodes=(*body.nodes, guard))
    node = replace(node, function=replace(node.function, body=body))
    assert entered(node, known, other_way(known)) is None


# ----- Written out -----


def test_the_first_iteration_of_a_loop_comes_before_it():
    node, _ = counted(4)
    raws = {step.results[0]: 7.0 for step in node.function.body.nodes}
    steps, rest = without_first(node, raws)
    assert [step.function for step in steps] == [np.multiply, np.add]
    assert rest.function.count == 3
    (first,) = node.args
    assert run([*steps, rest], first, *node.results) == by_hand(range(3, 7))
    assert raws[steps[0].results[0]] == 7.0


def test_it_has_loops_of_its_own():
    inner, _ = counted(4)
    p, u = scalar("p"), scalar("u")
    body = Graph((p,), (replace(inner, args=(p,), out=(u,)),), (u,))
    first, result = scalar("h"), scalar("r")
    node = Node(Loop(body, 2, carried=1), (first,), out=(result,))
    [step], rest = without_first(node, {})
    bodies = step.function.body, inner.function.body
    assert not {*bodies[0].inputs}.intersection(bodies[1].inputs)
    found = run([step, rest], first, result)
    assert found == by_hand([*range(3, 7)] * 2)


# ----- As programs -----


def triangle(x, n):
    s = x[0]
    for i in range(n):
        for j in range(i):
            s = s * 0.5 + x[i] * x[j]
    return s


def steps_of(x, n):
    s = x[0]
    for i in range(n):
        t = np.sin(s) * x[i]
        s = s + t
    return s


@pytest.mark.parametrize("function", [triangle, steps_of])
def test_one_trace_is_for_all_counts(function):
    ours = srcgrad.value_and_grad(srcgrad.trace(function))
    theirs = srcgrad.value_and_grad(function).untraced
    x = np.linspace(0.1, 1.0, 9)
    for number, n in enumerate((4, 4, 7, 5, 8, 6, 0, 1, 9, 2)):
        if number == 6:  # from now on n is known to change
            known = ours.stats.traces
        (value, slope), (expected, right) = ours(x, n), theirs((x, n), {})
        assert type(value) is type(expected)
        np.testing.assert_allclose(value, expected, rtol=1e-12)
        np.testing.assert_allclose(slope, right, rtol=1e-12)
    assert (ours.stats.traces, ours.stats.misses) == (known, 0), ours.explain()
    assert "range(int(n))" in ours.source()


def weighted(x, y, n):
    s = x[0]
    for i in range(n):
        s = s * y[i]
    return s


def test_what_only_iterations_read_has_no_gradient_if_there_are_none():
    """So the first one stays before the loop, and a guard with it."""
    traced = srcgrad.trace(weighted)
    for n in (4, 4, 4, 7, 0, 1, 9, 0, 2):
        x, y = (Variable(np.linspace(a, 2.0, 9), requires_grad=True) for a in (1, 0.5))
        slopes = autograd.grad(traced(x, y, n), [x, y], allow_unused=True)
        assert (slopes[1] is None) == (n == 0)
        if n:
            expected = np.prod(y.data[:n]) / y.data[:n] * x.data[0]
            np.testing.assert_allclose(slopes[1].data[:n], expected, rtol=1e-12)
    assert traced.stats.compiled > 3, traced.explain()


def test_an_iteration_that_does_not_begin_changes_nothing():
    """Where there are none, what a loop carries is what it was, itself."""

    @srcgrad.trace
    def same(x, n):
        for _ in range(n):
            x = x * 0.5
        return x

    x = np.ones(3)
    for n in (3, 3, 3, 0, 0, 0):
        assert (same(x, n) is x) == (n == 0)
