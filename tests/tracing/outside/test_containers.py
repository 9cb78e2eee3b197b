"""Lists and dicts from outside do what they do, and note just what was looked at."""

import copy
import operator
from collections import OrderedDict, defaultdict

import pytest

from srcgrad.tracing.outside.containers import opened, stands_for
from srcgrad.tracing.outside.places import Known
from srcgrad.tracing.refusal import Refusal


class Notes:
    """Takes note like ``Reads``, and lets everything through as it is."""

    def __init__(self):
        self.texts = []

        self.changes = []

    def changes_of(self, item, place, function, args):
        self.changes.append((function, args))

    def require(self, condition):
        self.texts.append(condition.text)

    def enter(self, place, value):
        self.texts.append(place.text)
        return value

    def checked(self, seen):
        return seen

    def foreseen(self, error):
        return error


def followed(item):
    notes = Notes()
    return stands_for(Known("c", item), item, notes), notes.texts


def changing(item):
    notes = Notes()
    return stands_for(Known("c", item), item, notes), notes


LENGTH, KEYS = "the length of `c` was 3", "the keys of `c` were ['a', 'b']"
ALL = [LENGTH, "c[0]", "c[1]", "c[2]"]
LOOKS_AT_LISTS = [
    (lambda c: c[1], ["c[1]"]),
    (lambda c: c[-1], [LENGTH, "c[2]"]),
    (lambda c: c[1:], ALL),
    (lambda c: len(c), [LENGTH]),
    (lambda c: bool(c), [LENGTH]),
    (lambda c: [*c], ALL),
    (lambda c: list(reversed(c)), [LENGTH, "c[2]", "c[1]", "c[0]"]),
    (lambda c: 2 in c, ALL),
    (lambda c: c == [1, 2, 3], ALL),
    (lambda c: operator.eq([1, 2, 3], c), ALL),
    (lambda c: c < [2], ALL),
    (lambda c: operator.add([0], c), ALL),
    (lambda c: operator.add(c, [4]), ALL),
    (lambda c: c * 2, ALL),
    (lambda c: 2 * c, ALL),
    (lambda c: c.index(2), ALL),
    (lambda c: c.count(2), ALL),
    (lambda c: c.copy(), ALL),
    (lambda c: copy.copy(c), ALL),
    (lambda c: sum(c), ALL),
    (lambda c: max(c), ALL),
    (lambda c: [*zip(c, c, strict=True)], ALL),
    (lambda c: sorted(c), ALL),
    (lambda c: tuple(c), ALL),
    (lambda c: (lambda *args: args)(*c), ALL),
    (lambda c: (lambda a, b, d: (d, b, a))(*c), ALL),
    (lambda c: "".join(map(str, c)), ALL),
    (lambda c: repr(c), ALL),
    (lambda c: c[7], [LENGTH]),
]


def outcome(look, item):
    try:
        return look(item)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("number", range(len(LOOKS_AT_LISTS)))
def test_looks_at_a_list(number):
    look, expected = LOOKS_AT_LISTS[number]
    item = [1, 2, 3]
    seen, texts = followed(item)
    assert outcome(look, seen) == outcome(look, item)
    assert [*dict.fromkeys(texts)] == expected


LOOKS_AT_DICTS = [
    (lambda c: c["a"], ["c['a']"]),
    (lambda c: c.get("a"), ["`c` had a key 'a'", "c['a']"]),
    (lambda c: c.get("z", 5), ["`c` had no key 'z'"]),
    (lambda c: c["z"], ["`c` had no key 'z'"]),
    (lambda c: "a" in c, ["`c` had a key 'a'"]),
    (lambda c: len(c), ["the length of `c` was 2"]),
    (lambda c: bool(c), ["the length of `c` was 2"]),
    (lambda c: [*c], [KEYS]),
    (lambda c: [*c.keys()], [KEYS]),
    (lambda c: [*reversed(c)], [KEYS]),
    (lambda c: [*c.values()], [KEYS, "c['a']", "c['b']"]),
    (lambda c: [*c.items()], [KEYS, "c['a']", "c['b']"]),
    (lambda c: {**c}, [KEYS, "c['a']", "c['b']"]),
    (lambda c: dict(c), [KEYS, "c['a']", "c['b']"]),
    (lambda c: c | {"z": 1}, [KEYS, "c['a']", "c['b']"]),
    (lambda c: {"z": 1} | c, [KEYS, "c['a']", "c['b']"]),
    (lambda c: c == {"a": 1, "b": 2}, [KEYS, "c['a']", "c['b']"]),
    (lambda c: (lambda **kwargs: kwargs)(**c), [KEYS, "c['a']", "c['b']"]),
    (lambda c: "{a}".format_map(c), ["c['a']"]),
    (lambda c: sum(c.values()), [KEYS, "c['a']", "c['b']"]),
    (lambda c: c.copy(), [KEYS, "c['a']", "c['b']"]),
    (lambda c: repr(c), [KEYS, "c['a']", "c['b']"]),
]


@pytest.mark.parametrize("kind", [dict, OrderedDict])
@pytest.mark.parametrize("number", range(len(LOOKS_AT_DICTS)))
def test_looks_at_a_dict(number, kind):
    look, expected = LOOKS_AT_DICTS[number]
    item = kind({"a": 1, "b": 2})
    seen, texts = followed(item)
    assert outcome(look, seen) in (outcome(look, item), outcome(look, dict(item)))
    # To make a list of them, Python asks for the length first.
    noted = [text for text in dict.fromkeys(texts) if "length" not in text]
    assert noted == [text for text in expected if "length" not in text]


CHANGES = [
    ([1], lambda c: c.__setitem__(slice(None), [1])),
    ([1], lambda c: c.sort()),
    ([1], lambda c: c.__imul__(2)),
    ([1], lambda c: (c.insert(0, 2), len(c))),
    ([1], lambda c: (c.__delitem__(0), c[0])),
    ({1: 2}, lambda c: c.popitem()),
    ({1: 2}, lambda c: (c.pop(1), 1 in c)),
    (defaultdict(lambda: 1), lambda c: c["a"]),
]


def appends(c):
    c.append(4)
    c += [5, 6]
    c[0] = 7
    c[-1] = 8
    return [*c], len(c), c[1], c[3], c[-2], c[2:], 8 in c, 6 in c


def sets(c):
    c["z"] = 1
    c.update({"a": 5}, y=2)
    c |= {"x": 3}
    first = c.setdefault("a", 9), c.setdefault("w", 4)
    return first, [*c], len(c), c["z"], c.get("y"), "w" in c, [*c.items()], c == {}


@pytest.mark.parametrize(
    ("item", "change"),
    [([1, 2, 3], appends), ({"a": 1, "b": 2}, sets), (OrderedDict(b=1), sets)],
)
def test_changes_are_seen_at_once_and_made_later(item, change):
    expected = copy.deepcopy(item)
    before = copy.deepcopy(item)
    seen, notes = changing(item)
    assert change(seen) == change(expected)
    assert item == before
    for function, args in notes.changes:
        function(item, *args)
    assert item == expected
    assert list(item) == list(expected)


TAKING = [
    ([1, 2, 3], lambda c: c.pop(0)),
    ([1, 2, 3], lambda c: c.pop()),
    ([], lambda c: c.pop()),
    ([1, 2, 3], lambda c: c.__delitem__(slice(None, -1))),
    ([1, 2, 3], lambda c: c.__delitem__(5)),
    ([1, 2, 3], lambda c: (c.append(4), c.clear(), c.append(5))),
    ([1, 2, 3], lambda c: (c.insert(1, 9), c.reverse())),
    ({"a": 1, "b": 2}, lambda c: c.pop("a")),
    ({"a": 1, "b": 2}, lambda c: (c.pop("z", 5), c.__delitem__("b"))),
    ({"a": 1}, lambda c: c.pop("z")),
    ({"a": 1}, lambda c: (c.clear(), c.__setitem__("b", 2), [*c.items()], len(c))),
    ({"a": 1}, lambda c: (c.clear(), "a" in c, c.get("a", 3), c.setdefault("a", 4))),
    ([1, 2], lambda c: (c.clear(), len(c), c.append(3), c[-1], c.pop())),
    ([1, 2], lambda c: (c.append(3), c.clear(), c[0])),
]


@pytest.mark.parametrize("number", range(len(TAKING)))
def test_what_is_taken_out_is_taken_out_later(number):
    item, change = TAKING[number]
    expected, before = copy.deepcopy(item), copy.deepcopy(item)
    seen, notes = changing(item)
    assert outcome(change, seen) == outcome(change, expected)
    assert item == before
    for function, args in notes.changes:
        function(item, *args)
    assert item == expected


def test_changes_do_not_look_at_what_is_there():
    for item, change in (
        ([1, 2], lambda c: c.append(3)),
        ([1, 2], lambda c: c.extend([3])),
        ({"a": 1}, lambda c: c.__setitem__("b", 2)),
        ({"a": 1}, lambda c: c.update(b=2)),
    ):
        seen, notes = changing(item)
        change(seen)
        assert notes.texts == []


@pytest.mark.parametrize("number", range(len(CHANGES)))
def test_changes_are_refused(number):
    item, change = CHANGES[number]
    before = copy.deepcopy(item)
    with pytest.raises(Refusal):
        change(followed(item)[0])
    assert item == before


def test_keys_that_are_no_literals_are_refused():
    seen, _ = followed({("a", 1): 1, len: 2})
    assert seen["a", 1] == 1
    for look in (lambda: seen[len], lambda: len in seen, lambda: [*seen]):
        with pytest.raises(Refusal):
            look()


def test_what_is_opened_is_the_functions_own():
    seen, _ = followed([1, 2])
    made = opened(([seen], {"a": seen}))
    assert made == ([[1, 2]], {"a": [1, 2]})
    assert type(made[0][0]) is list
