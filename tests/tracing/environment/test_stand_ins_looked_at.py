"""What stands for a number, truth or label gives it away under a guard, or not at all.

All special and public methods of all stand-ins are called: where what comes of one is
plain, and is another thing for another number, somebody has been told.
"""

import contextlib
import itertools
import math
import operator
import warnings
from fractions import Fraction

import numpy as np
import pytest

from srcgrad.modes import override
from srcgrad.protocols import ArrayProtocol
from srcgrad.steps import Guard
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.capture.carrying import Indices
from srcgrad.tracing.counts.arm_labels import ArmLabel, Labels
from srcgrad.tracing.counts.loop_counts import LoopCount, computed_int, started
from srcgrad.tracing.counts.loop_indices import LoopIndex, LoopNumber, Numbers
from srcgrad.tracing.counts.loop_items import (
    ComputedItem,
    ItemNumber,
    LoopItem,
    Within,
)
from srcgrad.tracing.counts.maybe_ints import ByArm
from srcgrad.tracing.environment.changing_ints import FollowedInt
from srcgrad.tracing.environment.references import Argument
from srcgrad.tracing.environment.symbolic import Symbolic
from srcgrad.tracing.environment.texts import Text
from srcgrad.tracing.graphs.recorder import Recorder
from srcgrad.tracing.refusal import Refusal
from srcgrad.unboxing import number_at

OTHER = object()
# What methods are tried with; the numbers are not those that are stood for.
ARGUMENTS = [
    *((), (2,), (2.5,), (True,), (0.0,), (2j,), ("b",), (None,), (OTHER,), (-1, 7)),
    *((np.float64(2.5),), (np.int64(2),), (np.float32(2.5),), (np.array([1.0, 2.0]),)),
    *((Fraction(1, 3),), ([1, 2, 3],), ((), "big"), (4, "big"), (2, "x"), ("d",)),
]
# What Python asks by itself, rather than by the name of a method.
ASKED = [
    *(
        bool,
        int,
        float,
        complex,
        str,
        repr,
        hash,
        abs,
        round,
        operator.index,
        math.trunc,
    ),
    *(math.floor, math.ceil, math.sqrt, math.exp, range, list, len, iter, format, oct),
    *("abcdefgh".__getitem__, "x".__mul__, [1, 2, 3].index, {3: "c"}.get, [3].count),
    *({3, 2.5, True, "heating"}.__contains__, "of heating".find, "{}".format, set),
    *("%s".__mod__, "%d".__mod__, "%.2f".__mod__, np.arange(9.0).__getitem__, sum),
    *(np.zeros, np.int64, np.float64, np.array, np.exp, np.isnan, np.bool_, np.sign),
    *((3 + 2**60).__eq__, (2**60).__gt__, (2**60).__add__, (2**60).__rmod__),
    *(Fraction, divmod, pow, min, max, math.isclose, math.gcd, np.full, np.add),
]
# What says nothing of the number, or is Python's own affair.
NEVER = {
    *("__class__", "__init__", "__new__", "__getattribute__", "__getattr__", "__dir__"),
    *("__setattr__", "__delattr__", "__init_subclass__", "__subclasshook__"),
    *("__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__sizeof__"),
    *("__class_getitem__", "__doc__"),
}
# That of the tape, which no followed code gets to see.
OF_THE_TAPE = {"make", "backward", "register_hook", "kept"}


class Told:
    """A recorder, and whether it was told that Python depends on a number."""

    def __init__(self):
        self.recorder, self.count = Recorder(), 0

    def see(self):
        self.count += 1

    def pin(self, reference, value):
        self.see()

    def require(self, condition):
        self.see()

    def taken(self, reference, value):
        return followed(self, value)

    @property
    def is_told(self):
        steps = self.recorder.writer.steps_from(0)
        return self.count > 0 or any(isinstance(step, Guard) for step in steps)


def followed(told, value):
    made = TracedArray.make(value, None)
    told.recorder.add_input(made, "x")
    return made


def maybe(told, value):
    return ByArm(value, followed(told, float(value)), told.see)


def maybe_of_a_count(told, value):
    """That there is one arm then is not enough: what it gives is in the graph."""
    return ByArm(count(told, value), followed(told, float(value)), lambda: None)


def count(told, value):
    return started(told.recorder, "k", value)


def taken(told, value):
    number = followed(told, float(value))
    return computed_int(told.recorder, int, (number,), value)


def changing(told, value):
    return FollowedInt(Argument("n", 0), value, told)


def index(told, value):
    return LoopIndex(Numbers(None, told.recorder, told.see), 0, value, 1)


def computed(told, value):
    return LoopNumber("mul", (index(told, value), index(told, 1)), value)


def item(told, value):
    numbers = Numbers(None, told.recorder, told.see)
    numbers.begun, numbers.carrying = 1, Indices(told.recorder)
    at, given = LoopIndex(numbers, 0, 0, 1), np.arange(9)
    writer = told.recorder.writer
    args = writer.value_of(given), value
    found = writer.write_index(number_at, args, value)
    return LoopItem(value, Within(-9, 9), at, found, lambda: None)


def of_items(told, value):
    return item(told, value - 1) + 1


def truth(told, value):
    return Symbolic(value, followed(told, float(value)))


def maybe_true(told, value):
    return ByArm(value, followed(told, float(value)), told.see)


def maybe_numpys(told, value):
    given = followed(told, np.bool_(value))
    return ByArm(given, followed(told, float(value)), lambda: None)


def maybe_an_arms(told, value):
    return ByArm(truth(told, value), followed(told, float(value)), lambda: None)


def label(told, value):
    labels = Labels()
    for each in ("off", "heating"):
        labels.code(each)
    return ArmLabel(value, followed(told, float(labels.code(value))), labels)


def text(told, value):
    return Text("{}".format, (followed(told, float(value)),))


INTS, FLOATS = (3, 5), (3.0, 5.25)
STAND_INS = {
    "FollowedInt": (changing, INTS),
    "LoopIndex": (index, INTS),
    "LoopNumber": (computed, INTS),
    "LoopItem": (item, INTS),
    "ComputedItem": (of_items, INTS),
    "LoopCount": (count, INTS),
    "LoopCount, taken": (taken, INTS),
    "ByArm, an int": (maybe, INTS),
    "ByArm, an int of a LoopCount": (maybe_of_a_count, INTS),
    "Symbolic": (truth, (True, False)),
    "ByArm": (maybe_true, (True, False)),
    "ByArm of NumPy's": (maybe_numpys, (True, False)),
    "ByArm of a Symbolic": (maybe_an_arms, (True, False)),
    "ArmLabel": (label, ("heating", "off")),
    "Text": (text, INTS),
    **{
        f"TracedArray of {kind.__name__}": (followed, tuple(map(kind, of)))
        for kind, of in (
            *((float, FLOATS), (np.float64, FLOATS), (np.float32, FLOATS)),
            *((complex, (3.5j, 5.0)), (np.complex64, (3.5j, 5.0)), (np.int64, INTS)),
            *((np.bool_, (True, False)), (np.array, FLOATS), (np.array, INTS)),
        )
    },
}


def ways(value):
    """What may be done with a stand-in, by name."""
    names = {*dir(type(value)), *dir(object)} - NEVER - OF_THE_TAPE
    for name in sorted(names):
        for number, args in enumerate(ARGUMENTS):
            yield f"{name} {number}", lambda k, n=name, a=args: _method(k, n)(*a)
        yield f".{name}", lambda k, n=name: getattr(k, n)
    for number, ask in enumerate(ASKED):
        yield f"asked {number} {ask}", lambda k, f=ask: f(k)
        yield f"asked {number} {ask} 2", lambda k, f=ask: f(k, 2)
        yield f"asked {number} {ask} before", lambda k, f=ask: f(2, k)
    for name, function in vars(operator).items():
        if callable(function) and not name.startswith("_"):
            yield f"{name}", lambda k, f=function: f(k)
            for number, args in enumerate(ARGUMENTS):
                if len(args) == 1:
                    yield f"{name} {number}", lambda k, f=function, a=args: f(k, *a)
                    yield f"r{name} {number}", lambda k, f=function, a=args: f(*a, k)


def _method(item, name):
    special = name.startswith("__")
    found = getattr(type(item), name, None) if special else None
    return getattr(item, name) if found is None else found.__get__(item)


def is_plain(item):
    if isinstance(item, (ArrayProtocol, Symbolic, Text)) or callable(item):
        return False
    if isinstance(item, (tuple, list, set)):
        return all(map(is_plain, item))
    return item is not NotImplemented


def outcome(make, value, way):
    """What comes of it, and whether somebody was told; None if it is an error."""
    told = Told()
    with override(recorder=told.recorder), np.errstate(all="ignore"):
        stand_in = make(told, value)
        told.count, before = 0, told.is_told
        assert not before
        try:
            found = way(stand_in)
            if hasattr(type(found), "__next__"):
                found = list(itertools.islice(found, 9))
        except (Refusal, Exception):
            return None, True
        # A text asks what it is made of when somebody wants to know.
        return found, told.is_told


def differs(first, second):
    return repr(first) != repr(second)


@pytest.mark.parametrize("name", STAND_INS)
def test_no_number_is_given_away_without_a_guard(name):
    make, values = STAND_INS[name]
    silent = []
    with warnings.catch_warnings(), contextlib.redirect_stdout(None):
        warnings.simplefilter("ignore")
        for what, way in ways(values[0]):
            first, is_told = outcome(make, values[0], way)
            if not is_plain(first):
                continue
            second, is_told_too = outcome(make, values[1], way)
            is_guarded = is_told and is_told_too
            if not is_guarded and is_plain(second) and differs(first, second):
                silent.append((what, first, second))
    assert not silent


def test_there_is_no_other_stand_in():
    """Who adds a class adds it to the table above."""

    def below(kind):
        return {kind}.union(*map(below, kind.__subclasses__()))

    kinds = {cls for cls in below(Symbolic) if cls.__module__.startswith("srcgrad")}
    known = {FollowedInt, LoopIndex, LoopNumber, LoopCount, ByArm, ArmLabel}
    known |= {ItemNumber, LoopItem, ComputedItem}
    assert kinds == known | {Symbolic}
