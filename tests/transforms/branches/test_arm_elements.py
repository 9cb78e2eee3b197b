"""Which elements of arrays are at hand where a branch begins."""

import operator

import numpy as np

from srcgrad.steps import Location, Node, Value
from srcgrad.transforms.branches.arm_elements import Line, once, without_elements

F8 = np.dtype(float)
X = Value((9,), F8, "x")


def taken(place, line=1):
    out = Value((), F8, kind="scalar")
    where = Location("file.py", line)
    return Node(operator.getitem, (X, place), out=out, where=where)


def at_hand(line):
    """The elements, if what is known of each is that it is one of `X`."""
    return [*line.elements.values()]


def test_a_line_has_what_it_has_taken_itself():
    line, steps = Line(set(), set()), [taken(0, 1), taken(1, 2), taken(2, 2)]
    line.go_on(steps[:2])
    line.go_on(steps[2:])
    assert at_hand(line) == [steps[1].out, steps[2].out]


def test_an_iteration_has_nothing_of_the_one_before():
    steps = [taken(0), taken(1), taken(2)]
    line = Line(set(), {id(steps[1])})
    line.go_on(steps)
    assert at_hand(line) == [steps[1].out, steps[2].out]


def test_what_is_joined_is_no_element():
    steps = [taken(0), taken(1)]
    line = Line({steps[0].out}, set())
    line.go_on(steps)
    assert at_hand(line) == [steps[1].out]


def test_what_both_arms_take_is_taken_once():
    first, again, other, known = taken(0), taken(0), taken(1), taken(2)
    before = Line(set(), set())
    before.go_on([known])
    found, same = once([first, again, other, taken(2)], before.elements)
    assert found == [first, other]
    assert same[again.out] is first.out
    assert [*same.values()] == [first.out, known.out]


def test_elements_of_what_an_arm_makes_stay_in_it():
    made = Value((9,), F8)
    own = Node(operator.getitem, (made, 0), out=Value((), F8, kind="scalar"))
    steps = [Node(np.negative, (X,), out=made), own, taken(0)]
    assert without_elements(steps) == (steps[:2], steps[2:])
