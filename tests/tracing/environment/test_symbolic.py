"""What stands for a scalar of Python's: whatever Python asks it makes a node, or looks.

Who looks gets the number, and it is noted: as a guard, or by the loop. Nothing else
gets out. The tables go through all special methods and all methods of Python's scalars.
"""

import copy
import enum
import math
import operator
import pickle

import pytest

from srcgrad.modes import override
from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.steps import Guard
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.counts.arm_labels import ArmLabel, Labels
from srcgrad.tracing.counts.int_tests import IntTest
from srcgrad.tracing.counts.loop_counts import started
from srcgrad.tracing.counts.loop_indices import LoopIndex, Numbers
from srcgrad.tracing.counts.maybe_ints import ByArm
from srcgrad.tracing.counts.taken_ints import taken_int
from srcgrad.tracing.environment.changing_ints import FollowedInt
from srcgrad.tracing.environment.references import Argument
from srcgrad.tracing.environment.symbolic import Symbolic
from srcgrad.tracing.graphs.recorder import Recorder

# ----- What stands for a scalar -----


class Run:
    """A recorder, and how often something has been noted."""

    def __init__(self):
        self.recorder = Recorder()
        self.looks = 0

    def look(self, *given):
        self.looks += 1

    # As the environment of a run:
    pin = require = look

    def taken(self, reference, value):
        return self.float(value)

    def float(self, value):
        self.recorder.writer.write_plain(float, (value,), value, None)
        return TracedArray.make(value, None)

    def noted(self):
        steps = self.recorder.writer.steps_from(0)
        return self.looks + sum(type(step) is Guard for step in steps)


def loop_index(run, value, base=None):
    numbers = Numbers(None, run.recorder, run.look)
    numbers.begun = 1
    return LoopIndex(numbers, 0, value, 1, base)


def argument(run, value):
    return FollowedInt(Argument("n", 0), value, run)


INTS = {
    "of the environment": argument,
    "computed of that": lambda run, n: argument(run, n - 1) + 1,
    "of a loop": loop_index,
    "of two loops": lambda run, n: loop_index(run, n - 1, argument(run, 1)) + 1,
    "of a square": lambda run, n: loop_index(run, math.isqrt(n)) ** 2,
    "counted": lambda run, n: started(run.recorder, "k", n),
    "stepped": lambda run, n: started(run.recorder, "k", n - 1) + 1,
    "taken": lambda run, n: taken_int(run.recorder, int, run.float(n + 0.5)),
    "of an arm": lambda run, n: ByArm(n, run.float(float(n)), run.look),
}
BOOLS = {
    "of an arm": lambda run, b: Symbolic(b, run.float(float(b))),
    "or NumPy's": lambda run, b: ByArm(b, run.float(float(b)), run.look),
}


class State(enum.Enum):
    ON = "on"
    OFF = "off"


def label(run, value):
    labels = Labels()
    return ArmLabel(value, run.float(float(labels.code(value))), labels)


KINDS = {
    **{f"int {name}": (4, make) for name, make in INTS.items()},
    **{f"bool {name}": (True, make) for name, make in BOOLS.items()},
    "str of an arm": ("oft 1", label),
    "member of an Enum": (State.ON, label),
}

# ----- What Python may ask -----

BINARY = "add sub mul truediv floordiv mod pow lshift rshift and or xor".split()
ORDERS = "eq ne lt le gt ge".split()
OPERANDS = (3, 2.5, True, "f", None, 2j, [1], (1, 2))


def binary(function):
    return [lambda item, other=other: function(item, other) for other in OPERANDS]


def reflected(function):
    return [lambda item, other=other: function(other, item) for other in OPERANDS]


def function_of(name):
    return getattr(operator, f"__{name}__")


SPECIAL = {
    **{f"__{name}__": binary(function_of(name)) for name in (*BINARY, *ORDERS)},
    **{f"__r{name}__": reflected(function_of(name)) for name in BINARY},
    # To `%` of a text what has items is a mapping.
    "__rmod__": reflected(operator.mod)[:3],
    "__divmod__": binary(divmod),
    "__rdivmod__": reflected(divmod),
    "__abs__": [abs],
    "__neg__": [operator.neg],
    "__pos__": [operator.pos],
    "__invert__": [operator.invert],
    "__bool__": [bool, operator.not_, lambda item: 1 if item else 2],
    "__int__": [int],
    "__float__": [float],
    "__complex__": [complex],
    "__index__": [operator.index, range, lambda item: "abcdef"[item], hex, chr],
    "__round__": [round, lambda item: round(item, -1), lambda item: round(item, 1)],
    "__trunc__": [math.trunc],
    "__floor__": [math.floor],
    "__ceil__": [math.ceil],
    "__hash__": [hash, lambda item: {item: 1}, lambda item: {4: 1, "f": 2}.get(item)],
    "__str__": [str, lambda item: f"{item}", lambda item: operator.mod("%s", item)],
    "__repr__": [repr, lambda item: f"{item!r:>9}", lambda item: str([item]), ascii],
    "__format__": [format, lambda item: format(item, "5"), "{:x}".format],
    "__len__": [len],
    "__getitem__": [lambda item: item[0], lambda item: item[::-1]],
    "__iter__": [list, lambda item: next(iter(item)), lambda item: [*item], sorted],
    "__contains__": [lambda item: "f" in item],
    "__copy__": [copy.copy, copy.deepcopy, lambda item: copy.deepcopy([item])],
    "__reduce__": [lambda item: pickle.loads(pickle.dumps(item))],
}
# Searches in containers, and what is written in C.
MORE = {
    "pow": [lambda item: pow(item, 2, 5), lambda item: pow(item, 2, None)],
    "in": [lambda item: item in [7, 4], lambda item: [4, "f"].count(item)],
    "key": [lambda item: {item}, lambda item: item in {4, True, "oft 1"}],
    "sum": [
        lambda item: sum([item, 1]),
        lambda item: max(item, 3),
        lambda i: min(i, 9),
    ],
    "join": [lambda item: ",".join([item, "f"]), lambda item: "f" + item],
    "bytes": [bytes, lambda item: bytearray([item])],
}
# C tells a text from a number by its type, and by no method.
OF_NUMBERS = {
    "math": [math.sqrt, lambda item: math.isclose(item, 4.0), math.factorial],
    "parts": [lambda item: complex(1.0, item), lambda item: math.gcd(item, 6)],
    "text": [lambda item: operator.mod("%d", item), lambda item: "a" * item],
}
# What is the class's, or an object's as an object.
OF_OBJECTS = frozenset(
    "__class__ __delattr__ __dir__ __doc__ __getattribute__ __init__ __new__ "
    "__init_subclass__ __setattr__ __sizeof__ __subclasshook__ __getstate__ "
    "__getnewargs__ __reduce_ex__ __getformat__ __static_attributes__".split()
)
GIVEN = {
    "to_bytes": (2, "big"),
    "from_bytes": (b"a", "big"),
    "fromhex": ("0x1.8p+1",),
    "from_number": (2,),
    "center": (9,),
    "ljust": (9,),
    "rjust": (9,),
    "zfill": (9,),
    "join": (["a", "b"],),
    "partition": ("f",),
    "rpartition": ("f",),
    "replace": ("f", "g"),
    "translate": ({102: "g"},),
    "maketrans": ("a", "b"),
    "format_map": ({},),
    "removeprefix": ("o",),
    "removesuffix": ("1",),
    **dict.fromkeys(
        "count endswith find index rfind rindex startswith".split(), ("f",)
    ),
}
# Of the class, not of the number.
OF_CLASSES = frozenset("from_bytes fromhex from_number maketrans".split())


def method(name):
    def asked(item):
        if isinstance(item, Symbolic) and not hasattr(type(item.concrete), name):
            raise AttributeError  # a name of our own
        found = getattr(item, name)
        return found(*GIVEN.get(name, ())) if callable(found) else found

    return asked


PYTHONS = (int, float, complex, bool, str)
METHODS = {
    name: [method(name)]
    for kind in PYTHONS
    for name in dir(kind)
    if not name.startswith("_") and name not in OF_CLASSES
}
ASKED = {**SPECIAL, **MORE, **OF_NUMBERS, **METHODS}
CASES = [
    (kind, asked)
    for kind, (number, _) in KINDS.items()
    for asked in ASKED
    if not (isinstance(number, str) and asked in OF_NUMBERS)
]


def test_the_tables_are_complete():
    special = {n for kind in PYTHONS for n in dir(kind) if n.startswith("__")}
    of_tests = {"__setformat__"}  # Python 3.10 has it for its own tests
    assert special <= SPECIAL.keys() | OF_OBJECTS | of_tests


# ----- What comes of it -----


def outcome(function, item):
    """What a function gives; or the type of its error."""
    try:
        return function(item), None
    except Exception as error:
        return None, type(error)


def is_in_graph(item):
    return isinstance(item, (ArrayProtocol, Symbolic, IntTest))


def numbers_in(item):
    """The concrete numbers of a result that is in the graph, or has parts that are."""
    if isinstance(item, (tuple, list, set)):
        return type(item)(map(numbers_in, item))
    if isinstance(item, dict):
        return {numbers_in(key): value for key, value in item.items()}
    if isinstance(item, Symbolic):
        return item.concrete
    return raw_of(item)


def is_alike(found, expected):
    if isinstance(found, (set, dict)):
        return found == expected and [*map(type, found)] == [*map(type, expected)]
    if isinstance(found, float):
        return found == expected or (found != found and expected != expected)
    if hasattr(type(expected), "__next__") or type(found) is type(len):
        return type(found) is type(expected)
    return type(found) is type(expected) and found == expected


def has_graph(item):
    if isinstance(item, (tuple, list)):
        return any(map(has_graph, item))
    return is_in_graph(item)


def fault(run, function, item, number):
    """What is wrong with what a function gives of what stands for a number."""
    noted = run.noted()
    expected, error = outcome(function, number)
    found, own_error = outcome(function, item)
    if error or own_error:
        return None if error is own_error else f"{own_error}, and not {error}"
    if not is_alike(numbers_in(found), expected):
        return f"{found!r}, and not {expected!r}"
    if has_graph(found) or run.noted() > noted:
        return None
    return f"{expected!r} gets out, and nothing is noted"


@pytest.mark.parametrize(("kind", "asked"), CASES)
def test_it_makes_a_node_or_looks(kind, asked):
    number, make = KINDS[kind]
    faults = []
    for place, function in enumerate(ASKED[asked]):
        run = Run()
        with override(recorder=run.recorder):
            found = fault(run, function, make(run, number), number)
        if found is not None:
            faults.append((asked, place, found))
    assert not faults
