"""A walk back has the loops of the run, the other way round."""

import itertools

import numpy as np

from srcgrad.steps import Node, Value
from srcgrad.tracing.graphs.rewinding import Rewinding
from srcgrad.transforms.loops.regions import Region

F8 = np.dtype(float)


def steps_of(count):
    values = [Value((), F8) for _ in range(count + 1)]
    return [Node(np.sin, (a,), out=b) for a, b in itertools.pairwise(values)]


def walked(steps, loops, places, each=1):
    """Walk back by some places, each of which takes a step."""
    results = [step.out for step in steps]
    walk = Rewinding(steps, loops)
    for place in places:
        walk.comes_to(results[place])
        steps += steps_of(each)
    walk.ends()
    return loops


def test_iterations_come_the_other_way_round():
    run, back = walked(steps_of(6), [Region([0, 2, 4, 6], 6)], [5, 4, 3, 2, 1, 0])
    assert run.rewinds == []
    assert (back.starts, back.end, back.rewinds) == ([6, 8, 10], 12, [4, 2, 0])


def test_loops_nest_as_they_did():
    inner = [Region([1, 2, 3], 3), Region([4, 5, 6], 6)]
    loops = [Region([0, 3, 6], 6, inner)]
    _, back = walked(steps_of(6), loops, [5, 4, 3, 2, 1, 0])
    assert (back.starts, back.end, back.rewinds) == ([6, 9], 12, [3, 0])
    assert [each.starts for each in back.inner] == [[6, 7], [9, 10]]
    assert [each.end for each in back.inner] == [8, 11]
    assert [each.rewinds for each in back.inner] == [[5, 4], [2, 1]]


def test_a_walk_back_of_a_walk_back_goes_forwards():
    steps, loops = steps_of(3), [Region([0, 1, 2, 3], 3)]
    walked(steps, loops, [2, 1, 0])
    walked(steps, loops, [5, 4, 3])
    assert loops[2].rewinds == loops[1].starts[::-1]


def test_what_is_in_no_loop_ends_one():
    _, back = walked(steps_of(4), [Region([0, 1, 2], 2)], [1, 0, 3])
    assert (back.starts, back.end) == ([4, 5], 6)


def test_iterations_that_it_does_not_come_to_have_none():
    _, back = walked(steps_of(4), [Region([0, 1, 2, 3], 4)], [3, 1])
    assert back.rewinds == [3, 1]
