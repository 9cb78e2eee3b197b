"""One Loop for a loop that ran a few times, each time another number of times."""

import operator

import numpy as np

from srcgrad.steps import Guard, Node, Value
from srcgrad.transforms.loops.endings import Turns
from srcgrad.transforms.loops.inner_loops import looped
from srcgrad.transforms.loops.known_counts import Instance
from srcgrad.transforms.loops.regions import Region

F8 = np.dtype(float)


def number(name=None):
    return Value((), F8, name)


def run(count, x, first, place=0):
    """``while left > 0: s = s * x[place]; left -= 1``"""
    left, s, steps, starts, heads = number(), first, [], [], []
    for goes_on in [True] * count + [False]:
        starts.append(len(steps))
        heads.append({"s": s})
        test = Value((), np.dtype(bool))
        steps.append(Node(np.greater, (left, 0.0), out=test))
        steps.append(Guard(test, bool, goes_on, "left > 0"))
        if goes_on:
            item, product, less = number(), number("s"), number()
            steps.append(Node(operator.getitem, (x, place), out=item))
            steps.append(Node(np.multiply, (s, item), out=product))
            steps.append(Node(np.subtract, (left, 1.0), out=less))
            s, left = product, less
    region = Region(starts, len(steps))
    region.turns = Turns(frozenset({"s"}), None, heads)
    return Instance(steps, region, {s} if count else set())


def the_same(graph, inner):
    return graph


def test_each_run_gets_the_loop_of_the_longest():
    x, s = Value((9,), F8, "x"), number("s")
    runs = [run(4, x, s), run(3, x, s), run(1, x, s)]
    found = looped(runs, {}, the_same)
    loops = [content[0].function for content in found.contents]
    assert loops == [loops[0]] * 3
    assert not found.is_proven  # one iteration has shown nothing
    for content, each in zip(found.contents, runs, strict=True):
        assert len(content) == 1
        assert each.later <= {*content[0].results}


def test_numbers_in_the_text_of_a_run_are_arguments():
    x, s = Value((9,), F8, "x"), number("s")
    found = looped([run(4, x, s, place) for place in (0, 1, 2)], {}, the_same)
    assert found.is_proven
    assert [content[0].args[-1] for content in found.contents] == [0, 1, 2]


def test_a_run_that_does_other_things_stays():
    x, s = Value((9,), F8, "x"), number("s")
    other = run(2, x, s)
    item = other.steps[2]
    other.steps[2] = Node(np.sin, (s,), out=item.out)
    found = looped([run(4, x, s), other], {}, the_same)
    assert found.contents[1] is None


def test_what_is_read_later_and_not_carried_keeps_a_run_as_it_is():
    x, s = Value((9,), F8, "x"), number("s")
    other = run(3, x, s)
    other.later.add(other.steps[2].out)
    assert looped([run(4, x, s), other], {}, the_same).contents[1] is None
    assert looped([other, other], {}, the_same) is None
