"""Which iterations of a loop that ends by a test may be rolled."""

import numpy as np

from srcgrad.graph import Graph
from srcgrad.loops import Loop
from srcgrad.steps import Guard, Node, Value
from srcgrad.transforms.loops.endings import Object, Turns
from srcgrad.transforms.loops.regions import Region
from srcgrad.transforms.loops.rolling import rolled

F8, B1 = np.dtype(float), np.dtype(bool)


def run(count, seen):
    """``while h > 1.0: h = h * x`` with so many iterations, as it was recorded.

    ``seen`` tells what Python saw before each, of the values of ``h``.
    """
    x, *h = (Value((), F8, "x"), *(Value((), F8, "h") for _ in range(count + 1)))
    steps, starts = [], []
    for number, value in enumerate(h):
        starts.append(len(steps))
        test = Value((), B1)
        is_last = number == count
        steps.append(Node(np.greater, (value, 1.0), out=test))
        steps.append(Guard(test, bool, not is_last))
        if not is_last:
            steps.append(Node(np.multiply, (value, x), out=h[number + 1]))
    heads = [seen(h, number) for number in range(count + 1)]
    turns = Turns(frozenset({"h"}), None, heads)
    region = Region(starts, len(steps), turns=turns)
    graph = Graph((x, h[0]), tuple(steps), (h[-1],))
    return rolled(graph, [region], {})


def loops(graph):
    functions = (getattr(step, "function", None) for step in graph.nodes)
    return [each for each in functions if isinstance(each, Loop)]


def test_a_test_that_comes_first():
    graph = run(4, lambda h, number: {"h": h[number]})
    (loop,) = loops(graph)
    assert not loop.ending.is_last
    assert loop(8.0, 0.5) == (1.0,)
    assert loop(0.5, 0.5) == (0.5,)
    assert loop(2.0**20, 0.5) == (1.0,)


def test_too_few():
    assert not loops(run(2, lambda h, number: {"h": h[number]}))


def test_what_python_sees_may_not_change():
    def counting(h, number):
        return {"h": h[number], "k": (int, repr(number))}

    def turned(h, number):
        return {"h": h[number], "g": h[number % 2]}

    def begun(h, number):
        return {"h": h[number], "k": (int, repr(min(number, 1)))}

    assert not loops(run(6, counting))
    assert not loops(run(6, turned))
    assert loops(run(6, begun))  # nobody reads `k` later


def test_arrays_made_anew_stand_for_each_other():
    def anew(h, number):
        return {"h": h[number], "a": Object(number, min(number, 1) or None)}

    def older(h, number):
        return {"h": h[number], "a": Object(7, number or None)}

    def in_turn(h, number):
        made = number - (number + 1) % 2
        return anew(h, number) | {"b": Object(made, number - made + 1)}

    def another(h, number):
        return {"h": h[number], "a": Object(number, None)}

    assert loops(run(6, anew))
    assert loops(run(6, older))  # one and the same array
    assert not loops(run(6, another))
    # It is `a` in every second iteration only: a write into `a` may be one into it.
    assert not loops(run(6, in_turn))
