"""What a loop goes along: as many items, and the same ones, as Python gives."""

import itertools

import numpy as np
import pytest

from srcgrad.tracing.counts.listed_rows import OwnDict, OwnRows
from srcgrad.tracing.counts.rows import ArrayRows, Numbered, Picked, Reversed, Zipped
from srcgrad.tracing.refusal import Refusal

NUMBERS, PAIRS = [3, 1, 4, 1], [(0, 1), (2, 5), (3, 3)]
ARRAY = np.array([0.5, 1.5, 2.5, 3.5, 4.5])


def own(items):
    return OwnRows(items, None)


def array(items):
    return ArrayRows(items, lambda item, number: item[number])


ROWS = {
    "a list": (lambda: own(NUMBERS), NUMBERS),
    "a tuple": (lambda: own((0.5, 1.5)), (0.5, 1.5)),
    "a range": (lambda: own(range(2, 9, 3)), range(2, 9, 3)),
    "an array": (lambda: array(ARRAY), ARRAY),
    "a dict": (lambda: OwnDict({3: 1, 4: 2}.items(), None), {3: 1, 4: 2}.items()),
    "a zip": (
        lambda: Zipped([own(NUMBERS), own(PAIRS)]),
        zip(NUMBERS, PAIRS, strict=False),
    ),
    "a strict zip": (
        lambda: Zipped([own(NUMBERS), array(ARRAY[:4])], True),
        zip(NUMBERS, ARRAY[:4], strict=True),
    ),
    "a numbered list": (lambda: Numbered(own(PAIRS), 5), enumerate(PAIRS, 5)),
    "a reversed list": (lambda: Reversed(own(PAIRS)), reversed(PAIRS)),
    "all in one": (
        lambda: Numbered(Zipped([Reversed(own(NUMBERS)), own(PAIRS)]), 1),
        enumerate(zip(reversed(NUMBERS), PAIRS, strict=False), 1),
    ),
    "combinations": (
        lambda: Picked(own([*itertools.combinations(range(4), 2)]), [own(NUMBERS)] * 2),
        itertools.combinations(NUMBERS, 2),
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_rows_have_the_items_that_python_gives(name):
    make, items = ROWS[name]
    rows, expected = make(), [*items]
    assert (rows.count, rows.are_in_graph()) == (len(expected), True)
    numbers = itertools.takewhile(rows.has, itertools.count())
    assert [rows.at(number) for number in numbers] == expected


def test_a_zip_ends_with_the_first_part_that_does():
    numbers = [*NUMBERS]
    rows = Zipped([own(numbers), own(PAIRS)])
    assert rows.has(2)
    del numbers[2:]
    assert not rows.has(2)


def test_a_strict_zip_is_refused_if_one_part_ends_before():
    numbers = [*NUMBERS]
    rows = Zipped([own(numbers), own(NUMBERS)], True)
    numbers.pop()
    with pytest.raises(Refusal, match="sequences of different lengths"):
        rows.has(3)


def test_combinations_are_refused_if_what_they_are_of_changes():
    numbers = [*NUMBERS]
    pool = own(numbers)
    rows = Picked(own([*itertools.combinations(range(4), 2)]), [pool, pool])
    assert rows.are_in_graph()
    assert rows.has(0)
    numbers[0] = 7
    with pytest.raises(Refusal, match="while it changes them"):
        rows.has(1)


def test_names_say_which_parts_are_taken_apart():
    lists = [[0, 1], [2, 3]]
    for names, are_in_graph in ((("i", ("j", "k")), True), (("i", "pair"), False)):
        rows = Numbered(own(lists), 0)
        rows.take_apart(names)
        assert rows.are_in_graph() is are_in_graph
        rows = Zipped([own(NUMBERS), own(lists)])
        rows.take_apart(names)
        assert rows.are_in_graph() is are_in_graph
    rows = Reversed(own(lists))
    rows.take_apart(("j", "k"))
    assert rows.are_in_graph()
