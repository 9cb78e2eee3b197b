"""What a loop has kept is kept in a list, wherever it stands in an iteration."""

import numpy as np
import pytest

import srcgrad


def at_the_end(s):
    items = []
    while s > 0.3:
        s = s * 0.8
        items.append(s)
    return np.sum(np.array(items) ** 2)


def at_the_beginning(s):
    items = []
    while s > 0.3:
        items.append(s)
        s = s * 0.8
    return np.sum(np.array(items) ** 2)


def before_it_too(s):
    items = [s, 2.0 * s]
    while s > 0.3:
        s = s * 0.8
        items.append(np.sin(s))
    return np.sum(np.array(items) ** 2)


def twice(s):
    items, others = [], []
    while s > 0.3:
        items.append(s)
        s = s * 0.8
        others.append(s)
    return np.sum(np.array(items) * np.array(others)) + np.sum(np.array(items))


def behind_the_test(s):
    items = []
    while True:
        s = s * 0.8
        if s < 0.3:
            break
        items.append(s * s)
    return np.sum(np.array(items) ** 2)


LOOPS = (
    *(at_the_end, at_the_beginning, before_it_too, twice),
    behind_the_test,
)


@pytest.mark.parametrize("function", LOOPS)
def test_a_list_is_what_the_generated_loop_fills(function):
    gradient = srcgrad.value_and_grad(function)
    for s in (3.0, 2.0, 5.0, 0.9, 1.5, 8.0):
        value, slope = gradient(s)
        with srcgrad.set_stance("tape"):
            expected = gradient(s)
        np.testing.assert_allclose((value, slope), expected, 1e-12)
        assert value == pytest.approx(function(s), rel=1e-12)
    assert gradient.stats.traces == 1
    source = gradient.source()
    assert ".append(" in source
    assert source.count("    while ") == 1


def elsewhere_too(s):
    items = []
    while s > 0.3:
        s = s * 0.8
        items.append(s)
    return np.sum(np.array(items) ** 2) * s + items[-1]


def of_what_is_the_same(s):
    items, a = [], np.sin(s)
    while s > 0.3:
        s = s * 0.8
        items.append(a)
    return np.sum(np.array(items) ** 2)


def of_a_number(s):
    items = [s]
    while s > 0.3:
        s = s * 0.8
        items.append(2.0)
    return np.sum(np.array(items) ** 2) * s


def of_two_before(s):
    items, last, one = [], 1.0, s
    while s > 0.3:
        items.append(last)
        last, one, s = one, s, s * 0.8
    return np.sum(np.array(items) ** 2) * s


def of_some_that_were_there(s):
    items, number, given = [], 0, [s, s * 2.0, s * 3.0, s - 1.0] * 9
    while s > 0.3:
        s = s * 0.8
        items.append(given[number])
        number += 1
    return np.sum(np.array(items) ** 2) * s


def not_of_all(s):
    items, number = [], 0
    while s > 0.3:
        s = s * 0.8
        number += 1
        if number % 2:
            items.append(s)
    return np.sum(np.array(items) ** 2)


OTHERS = (
    *(elsewhere_too, of_what_is_the_same, of_a_number, of_two_before),
    *(of_some_that_were_there, not_of_all),
)


@pytest.mark.parametrize("function", OTHERS)
def test_what_else_is_read_of_the_items(function):
    gradient = srcgrad.value_and_grad(function)
    for s in (3.0, 2.0, 5.0, 0.9, 1.5, 8.0, 0.35, 0.2):
        try:
            value = function(s)
        except IndexError:
            with pytest.raises(IndexError):
                gradient(s)
            continue
        found, slope = gradient(s)
        with srcgrad.set_stance("tape"):
            np.testing.assert_allclose((found, slope), gradient(s), 1e-12)
        assert found == pytest.approx(value, rel=1e-12)
