"""Writes into arrays from outside, after something was computed from them."""

import gc

import numpy as np
import pytest

import srcgrad
from srcgrad import InplaceError
from srcgrad.tape.function import next_order
from srcgrad.tape.plain_writes import MOST_REGIONS, NOTED, Written, is_written, note
from srcgrad.views import is_basic

w = np.ones(3)
held = {"w": w}


class Holder:
    w = w


holder = Holder()
holder.w = w
alias = {"deep": holder}


def item(x):
    y = np.sum(w * x)
    w[1] = 7.0
    return y


def fancy(x):
    y = np.sum(w * x)
    w[[0, 2]] += 7.0
    return y


def whole(x):
    y = np.sum(w * x)
    own = w
    own += 1.0
    return y


def part(x):
    y = np.sum(w[1:] * x[1:])
    tail = w[2:]
    tail *= 2.0
    return y


def attribute(x):
    y = np.sum(w * x)
    holder.w *= 2.0
    return y


def of_dict(x):
    y = np.sum(w * x)
    held["w"] -= 2.0
    return y


def by_method(x):
    y = np.sum(w * x)
    w.fill(3.0)
    return y


def by_function(x):
    y = np.sum(w * x)
    np.copyto(w, 3.0)
    return y


def at(x):
    y = np.sum(w * x)
    np.add.at(w, [1, 1], 2.0)
    return y


def out(x):
    y = np.sum(w * x)
    np.multiply(w, 2.0, out=w)
    return y


def positional_out(x):
    y = np.sum(w * x)
    np.multiply(w, 2.0, w)
    return y


compiled = srcgrad.trace(lambda x, w: np.sum(x * w * w))


def after_a_compiled_call(x):
    y = compiled(x, w)
    w[:] = 3.0
    return y


LOST = [item, fancy, whole, part, attribute, of_dict, by_method, by_function, at, out]
LOST += [positional_out, after_a_compiled_call]


@pytest.mark.parametrize("function", LOST, ids=lambda f: f.__name__)
@pytest.mark.parametrize("wrap", [lambda f: f, srcgrad.trace], ids=["plain", "trace"])
def test_what_the_gradient_needs_and_is_gone(function, wrap):
    run = srcgrad.grad(wrap(function))
    for _ in range(3):
        w[:] = 1.0
        with pytest.raises(
            InplaceError, match=r"(?s)has been written into since.*written into at"
        ):
            run(np.array([1.0, 2.0, 3.0]))


PLACES = [0, -1, (1, 1), (-1, 0), (), slice(1), slice(None, None, -1), np.int64(1), ...]
PLACES += [
    None,
    (0, slice(1, None)),
    (slice(None), 0),
    slice(np.int64(1)),
    True,
    [0, 1],
]


@pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")
@pytest.mark.parametrize("index", PLACES, ids=repr)
@pytest.mark.parametrize("part", [lambda a: a, lambda a: a.T, lambda a: a[:, 1:]])
def test_what_lies_at_an_index_is_noted(index, part):
    array = part(owner := np.zeros((2, 3)))
    before = next_order()
    Written(array)[index] = 1.0

    def noted():
        places = np.ndindex(owner.shape)
        return np.array([is_written(owner[(*each, ...)], before) for each in places])

    stored = owner.ravel() == 1.0
    assert np.all(noted() >= stored)
    if is_basic(index):
        assert np.all(noted() == stored)
    owner.shape = (3, 2)
    assert np.all(noted() >= stored)
    assert not is_written(owner, next_order())


def before(x):
    w[:] = 2.0
    return np.sum(w * x)


def elsewhere(x):
    y = np.sum(w[:2] * x[:2])
    w[2] = 5.0
    return y


def not_needed(x):
    y = np.sum(w + x)
    w[:] = 5.0
    return y


def a_number(x):
    y = w[0] * np.sum(x)
    w[:] = 5.0
    return y


def one_by_one(x):
    y = 0.0
    for t in range(3):
        w[t] = t
        y = y + np.sum(w[t : t + 1] * x[t])
    return y


def a_state(x):
    y = np.sum(w + x) ** 2
    w[:] = srcgrad.stop_gradient(x * 3.0)
    w[0] = srcgrad.stop_gradient(y)
    return y


KEPT = {
    before: [2.0, 2.0, 2.0],
    elsewhere: [1.0, 1.0, 0.0],
    not_needed: [1.0, 1.0, 1.0],
    a_number: [1.0, 1.0, 1.0],
    one_by_one: [0.0, 1.0, 2.0],
    a_state: [18.0, 18.0, 18.0],
}


@pytest.mark.parametrize("function", KEPT, ids=lambda f: f.__name__)
def test_what_the_gradient_does_not_need(function):
    w[:] = 1.0
    expected = KEPT[function]
    assert srcgrad.grad(function)(np.array([1.0, 2.0, 3.0])).tolist() == expected


def test_a_result_stored_into_it_says_what_to_write_instead():
    def element(x):
        w[1] = np.sum(x)
        return np.sum(x)

    def another_element(x):
        w[1] = x[0]
        return np.sum(x)

    def in_a_container(x):
        held["w"][1] += x[0]
        return np.sum(x)

    def all_of_it(x):
        w[:] = x * 2.0
        return np.sum(x)

    for function in (element, another_element, in_a_container, all_of_it):
        with pytest.raises(
            (TypeError, ValueError), match=r"store `srcgrad.stop_gradient\(...\)`"
        ):
            srcgrad.grad(function)(np.array([1.0, 2.0, 3.0]))


def test_an_element_that_is_deleted_is_numpys_error():
    def run(x):
        del w[0]
        return x

    with pytest.raises(ValueError, match="cannot delete array elements"):
        srcgrad.grad(run)(1.0)


def test_nothing_is_held_and_many_regions_become_one():
    array = np.zeros(2 * MOST_REGIONS)
    for i in range(MOST_REGIONS + 3):
        note(array[i : i + 1])
    assert is_written(array[-1:], -1)
    number = id(array)
    assert len(NOTED[number][1]) <= MOST_REGIONS
    del array
    gc.collect()
    assert number not in NOTED
