"""Items as arrays: which lists have such, and that these are the same numbers."""

import numpy as np
import pytest

from srcgrad.tracing.environment.columns import (
    arrays_in,
    columns_of,
    described,
    taken_apart,
    written_out,
)

ALIKE = {
    "int": [3, -1, 4],
    "float": [0.5, -0.0, np.inf],
    "(int, int)": [(0, 1), (2, 3)],
    "(int, float)": [(0, 0.5), (1, 2.5)],
    "((int, int), float)": [((0, 1), 0.5), ((1, 1), 2.5)],
    "(int,)": [(1,), (2,)],
    "float64[2]": [np.array([0.5, 1.0]), np.array([2.0, 3.0])],
    "(int, float64[1, 2])": [(1, np.ones((1, 2))), (3, np.zeros((1, 2)))],
}
UNLIKE = [
    [],
    [1, 2.0],
    [1, True],
    [True],
    [None],
    ["a"],
    [1j],
    [np.int64(1)],
    [np.float64(1.0)],
    [2**20 + 1],
    [-(2**20) - 1],
    [2**70],
    [()],
    [(1,), (1, 2)],
    [(1, 2), (1, 2.0)],
    [(1, 2), [1, 2]],
    [[1, 2]],
    [(1, [2, 3])],
    [np.ones(2), np.ones(3)],
    [np.ones(2), np.ones(2, np.float32)],
    [np.ones((2, 3)).T],
    [np.array(1.0)],
    [np.array(["a"])],
]


@pytest.mark.parametrize("words", ALIKE)
def test_items_that_are_alike_have_columns(words):
    items = ALIKE[words]
    form = columns_of(items)
    assert described(form) == words
    assert rebuilt(form, len(items)) == [as_texts(item) for item in items]


def rebuilt(form, count):
    """The items, of the arrays in columns, as texts."""

    def part(form, number):
        if hasattr(form, "parts"):
            return form.kind(part(each, number) for each in form.parts)
        row = form.array[number]
        return repr(row.tolist() if form.place is None else row[form.place].item())

    return [part(form, number) for number in range(count)]


def as_texts(item):
    if isinstance(item, tuple):
        return tuple(map(as_texts, item))
    return repr(item.tolist() if isinstance(item, np.ndarray) else item)


@pytest.mark.parametrize("items", UNLIKE, ids=repr)
def test_other_items_have_none(items):
    assert columns_of(items) is None
    assert taken_apart(items, False) == ("",)


def test_lists_have_columns_if_they_are_taken_apart():
    form = columns_of([[0, 1], [2, 3]], True)
    assert described(form) == "[int, int]"
    assert len(arrays_in(form)) == 1
    assert columns_of([(0, [1])], True) is None  # somebody may keep the inner one


def test_integers_know_their_bounds():
    form = columns_of([(3, 0), (-2, 5)])
    assert [(part.least, part.most) for part in form.parts] == [(-2, 5), (-2, 5)]


def test_numbers_are_written_out_exactly():
    assert written_out([0.0, 1]) != written_out([-0.0, 1])
    assert written_out([1]) != written_out([1.0])
    assert written_out([1]) != written_out([True])
    assert written_out([object()]) is None
