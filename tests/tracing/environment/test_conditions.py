"""What a condition lets pass: just what a trace was made for."""

import numpy as np
import pytest

from srcgrad import Variable
from srcgrad.tracing.environment import conditions
from srcgrad.tracing.environment.references import Known

PLACE = Known("item", None)


def holds(condition, *items):
    namespace = {f"item_{i}": item for i, item in enumerate(items)}

    def name(item, hint):
        namespace[f"held_{id(item)}"] = item
        return f"held_{id(item)}"

    return eval(condition.source([*namespace], name), namespace)


NUMBERS = [1, True, 1.0, 1 + 0j, "1", b"1", None, False, 0, -0.0, "", ...]


@pytest.mark.parametrize("value", [n for n in NUMBERS if type(n) is not float])
def test_a_constant_is_equal_and_of_the_same_type(value):
    condition = conditions.equals(PLACE, value)
    passing = [other for other in NUMBERS if holds(condition, other)]
    assert [(type(p), p) for p in passing] == [(type(value), value)]


def variable(raw, **flags):
    return Variable(raw, **flags)


LEAVES = [
    np.zeros(3),
    np.zeros(3, np.float32),
    np.zeros((3, 1)),
    np.zeros(3).astype(">f8"),
    np.ma.array([1.0, 2.0, 3.0]),
    np.float64(1.0),
    np.float32(1.0),
    1.0,
    1,
    variable(np.zeros(3)),
    variable(np.zeros(3), requires_grad=True),
    variable(np.zeros(3), volatile=True),
    variable(np.zeros(4), requires_grad=True),
    variable(np.zeros(3, np.float32), requires_grad=True),
    variable(np.float64(1.0), requires_grad=True),
    None,
    [0.0, 0.0, 0.0],
]


@pytest.mark.parametrize(
    "number",
    [i for i, leaf in enumerate(LEAVES) if not isinstance(leaf, np.ma.MaskedArray)],
)
def test_an_input_is_of_the_same_kind_shape_and_dtype(number):
    leaf = LEAVES[number]
    condition = conditions.is_like(PLACE, leaf)
    assert [other is leaf for other in LEAVES] == [
        holds(condition, other) for other in LEAVES
    ]


def test_containers_have_the_same_length_and_keys():
    length = conditions.has_length(PLACE, 2)
    assert holds(length, [1, 2])
    assert not holds(length, [1])
    for keys, others in [
        (("a", "b"), [("b", "a"), ("a",), ("a", "b", "c")]),
        ((1, 2), [(True, 2), (1.0, 2), (2, 1)]),
    ]:
        condition = conditions.has_keys(PLACE, keys)
        assert holds(condition, dict.fromkeys(keys))
        assert not any(holds(condition, dict.fromkeys(other)) for other in others)
    assert holds(conditions.has_key(PLACE, "a"), {"a": 1})
    assert not holds(conditions.has_key(PLACE, "a"), {})
    assert holds(conditions.has_no_key(PLACE, "a"), {})
    assert not holds(conditions.has_no_key(PLACE, "a"), {"a": 1})


def test_one_object_or_two():
    one, two = [], []
    assert holds(conditions.are_one(PLACE, PLACE), one, one)
    assert not holds(conditions.are_one(PLACE, PLACE), one, two)
    assert holds(conditions.are_two(PLACE, PLACE), one, two)
    assert not holds(conditions.are_two(PLACE, PLACE), one, one)


class Model:
    rate = 1.0

    def method(self): ...

    @property
    def size(self): ...


def test_members_of_a_class():
    model = Model()
    method = conditions.has_method(PLACE, "method", Model.method)
    size = conditions.has_class_member(PLACE, "size", Model.__dict__["size"])
    assert holds(method, model)
    assert holds(size, model)
    other = Model()
    other.method = Model().method.__func__.__get__(1)
    assert holds(method, other)
    other.method = (lambda self: 1).__get__(other)
    assert not holds(method, other)
    assert holds(conditions.lacks(PLACE, "width"), model)
    model.width = 3
    assert not holds(conditions.lacks(PLACE, "width"), model)
