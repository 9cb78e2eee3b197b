"""What a loop may change: the form that Python sees, and the Variables in that."""

from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

from srcgrad.modes import override
from srcgrad.tracing.arrays.functional_array import FunctionalArray
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.capture.loop_states import LoopState, Unfit
from srcgrad.tracing.environment.objects import Twins
from srcgrad.tracing.graphs.recorder import Recorder


def number(value):
    return TracedArray.make(np.float64(value), None)


class Look:
    """A loop that has these names, and has found the ``old`` ones."""

    def __init__(self, names, old=(), written=(), objects=None, changed=()):
        self.frame = SimpleNamespace(f_locals=names)
        self.bound, self.left = (tuple(names), ()), None
        self.old, self.arrays, self.held = old, written, []
        self.objects = Twins(None) if objects is None else objects
        self.changed = {id(each): each for each in changed}

    def has_stored(self):
        return True

    def is_object(self, item):
        return self.objects.is_own(item)

    def hold(self, item):
        self.held.append(item)

    def is_old(self, item):
        return any(item is each for each in self.old)

    def written(self):
        return dict(enumerate(self.arrays))


@pytest.fixture
def recorder():
    found = Recorder()
    with override(recorder=found):
        yield found


def form(recorder, **names):
    return LoopState(recorder, Look(names), []).look_at().form


def array(value):
    return FunctionalArray(TracedArray.make(np.full(2, value), None))


def test_other_variables_of_one_kind_have_the_same_form(recorder):
    one = form(recorder, s=number(1.0), t=(number(2.0), 3), u=array(1.0))
    assert one == form(recorder, s=number(4.0), t=(number(5.0), 3), u=array(7.0))


ALIAS = number(1.0)


@pytest.mark.parametrize(
    ("names", "others"),
    [
        ({"k": 1}, {"k": 2}),
        ({"k": 0.0}, {"k": -0.0}),
        ({"k": 1}, {"k": 1.0}),
        ({"s": number(1.0)}, {"s": 1.0}),
        ({"s": number(1.0)}, {"s": TracedArray.make(1.0, None)}),
        ({"s": number(1.0)}, {"s": TracedArray.make(np.zeros(2), None)}),
        ({"s": ALIAS, "t": ALIAS}, {"s": number(1.0), "t": number(1.0)}),
        ({"s": (number(1.0),)}, {"s": [number(1.0)]}),
        ({"s": {"a": number(1.0)}}, {"s": {"b": number(1.0)}}),
        ({"s": number(1.0)}, {}),
    ],
)
def test_what_python_can_tell_apart_has_another_form(recorder, names, others):
    assert form(recorder, **names) != form(recorder, **others)


def test_a_view_has_no_form(recorder):
    with pytest.raises(Unfit):
        form(recorder, row=array(1.0)[1:])


def put(recorder, look, *values):
    state = LoopState(recorder, look, [])
    assert len(state.look_at().leaves) == len(values)
    state.put(iter(map(number, values)))
    names, recorder.rebound = recorder.rebound, {}
    return names


def test_variables_give_way_wherever_names_hold_them(recorder):
    s = number(1.0)
    names = {"s": s, "t": (s, 2), "u": [number(3.0)], "v": {"a": number(4.0)}, "k": 1}
    found = put(recorder, Look(names), 10.0, 30.0, 40.0)
    assert found["s"].value == 10.0
    assert found["t"][0] is found["s"]
    assert (found["u"][0].value, found["v"]["a"].value) == (30.0, 40.0)
    assert "k" not in found
    assert names["u"][0].value == 3.0  # who else has that list sees no other


def test_an_array_of_the_loops_own_gives_way_to_another_one(recorder):
    own = array(1.0)
    state = LoopState(recorder, Look({"u": own, "v": own}), [])
    state.put(iter([TracedArray.make(np.ones(2), None)]))
    found = recorder.rebound
    assert found["u"] is found["v"] is not own
    assert not state.is_lost
    found["u"][0] = number(5.0)
    assert state.is_lost


def test_an_array_that_was_there_before_is_another_one_to_nobody(recorder):
    own, new = array(1.0), TracedArray.make(np.full(2, 9.0), None)
    state = LoopState(recorder, Look({}, [own], [own]), [])
    state.put(iter([new]))
    assert recorder.rebound == {}
    assert own.content is new


def test_what_was_there_before_and_is_not_written_into_stays(recorder):
    own = array(1.0)
    state = LoopState(recorder, Look({"u": own}, [own]), [])
    assert state.look_at().leaves == []


class Point(NamedTuple):
    x: object
    y: object


def test_a_namedtuple_is_as_its_items_are(recorder):
    look = Look({"p": Point(number(1.0), 2)})
    assert (
        form(recorder, p=Point(number(3.0), 2))
        == LoopState(recorder, look, []).look_at().form
    )
    assert form(recorder, p=(number(3.0), 2)) != form(recorder, p=Point(number(3.0), 2))
    found = put(recorder, look, 5.0)["p"]
    assert (type(found), found.x.value, found.y) == (Point, 5.0, 2)


class Body:
    """An object of the user's."""


class Slotted:
    __slots__ = ("x",)


def body(objects, **attributes):
    made = objects.blank(Body)
    vars(made).update(attributes)
    return made


def test_an_object_of_the_loops_own_gives_way_to_another_one(recorder):
    objects = Twins(None)
    first = body(objects, x=number(1.0), name="a")
    other = body(objects, x=number(2.0), name="a")
    named = body(objects, x=number(2.0), name="b")
    forms = [
        LoopState(recorder, Look({"p": each, "q": each}, objects=objects), []).look_at()
        for each in (first, other, named)
    ]
    assert forms[0].form == forms[1].form != forms[2].form
    found = put(recorder, Look({"p": first, "q": first}, objects=objects), 5.0)
    assert found["p"] is found["q"] is not first
    assert type(found["p"]) is type(first)
    assert (found["p"].x.value, found["p"].name) == (5.0, "a")
    assert first.x.value == 1.0
    assert objects.is_own(found["p"])


def test_an_object_that_was_there_before_has_other_attributes(recorder):
    objects = Twins(None)
    old = body(objects, x=number(1.0))
    look = Look({"p": old}, old=[old], objects=objects, changed=[old])
    assert put(recorder, look, 5.0) == {}
    assert old.x.value == 5.0


def test_an_object_that_is_not_changed_is_itself(recorder):
    objects = Twins(None)
    old = body(objects, x=number(1.0))
    look = Look({"p": old}, old=[old], objects=objects)
    assert LoopState(recorder, look, []).look_at().leaves == []


def test_an_object_with_slots_has_no_form(recorder):
    objects = Twins(None)
    look = Look({"p": objects.blank(Slotted)}, objects=objects)
    with pytest.raises(Unfit):
        LoopState(recorder, look, []).look_at()
