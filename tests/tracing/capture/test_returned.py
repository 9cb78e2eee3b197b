"""What traced functions return: objects and memory, as untraced."""

import itertools

import numpy as np
import pytest

import srcgrad
from srcgrad.protocols import raw_of
from srcgrad.pytree import flatten
from tests.variables import variable


def one_array_twice(x):
    a = x * 2.0
    return a, [a], {"a": a}


def a_part(x):
    a = x * 2.0
    return a, a[:2], a[::-1], a.reshape(3, 1)


def parts_of_the_argument(x):
    return x, x[:2], x, x.reshape(3, 1)


def copies_of_the_argument(x):
    return x, x * 1.0, +x, x - 0, x.copy(), x.astype(float), np.conj(x)


def one_list_twice(x):
    both = [x * 2.0]
    return both, both


def one_tuple_twice(x):
    pair = x * 2.0, x * 3.0
    return [pair, {"pair": pair}]


def constants_in_one_memory(x):
    ones = np.ones(3)
    return ones, ones[:2], x * 2.0


def one_constant_twice(x):
    ones = np.ones(3)
    return ones, ones, x * 2.0


def relations(result):
    """Which leaves are one object, which share memory, which containers are one."""
    leaves, _ = flatten(result)
    raws = [raw_of(leaf) for leaf in leaves]
    pairs = list(itertools.combinations(range(len(leaves)), 2))
    held = list(containers_in(result))
    return (
        [leaves[i] is leaves[k] for i, k in pairs],
        [np.shares_memory(raws[i], raws[k]) for i, k in pairs],
        [a is b for a, b in itertools.combinations(held, 2)],
    )


def containers_in(item):
    if isinstance(item, (tuple, list, dict)):
        yield item
        for each in item.values() if isinstance(item, dict) else item:
            yield from containers_in(each)


@pytest.mark.parametrize("as_argument", [variable, np.array])
@pytest.mark.parametrize(
    "function",
    [
        *(one_array_twice, a_part, parts_of_the_argument, copies_of_the_argument),
        *(one_list_twice, one_tuple_twice, constants_in_one_memory),
        one_constant_twice,
    ],
)
def test_results_are_one_object_or_share_memory_as_untraced(function, as_argument):
    traced = srcgrad.trace(function)
    for _ in range(3):
        x = as_argument([1.0, 2.0, 3.0])
        assert relations(traced(x)) == relations(function(x))


def what_it_writes_into(x, y):
    y *= 0.5
    return np.sum(x * x), y


def that_twice_and_beside_a_copy(x, y):
    for i in range(len(y)):
        y[i] = y[i] + 1.0
    return np.sum(x), [y, y.copy(), y]


def what_a_transform_within_gives_back(x, y):
    (value, own), _ = srcgrad.value_and_grad(what_it_writes_into, has_aux=True)(x, y)
    own[1] = 7.0
    return value, (own, y)


@pytest.mark.parametrize("transform", [srcgrad.value_and_grad, srcgrad.hessian])
@pytest.mark.parametrize(
    "function",
    [
        *(what_it_writes_into, that_twice_and_beside_a_copy),
        what_a_transform_within_gives_back,
    ],
)
def test_an_argument_that_is_written_into_is_given_back_itself(function, transform):
    call = transform(function, has_aux=True)
    for n in (3, 3, 3, 4, 3):
        x, y, twin = np.arange(n) + 1.0, np.ones(n), np.ones(n)
        aux = [leaf for leaf in flatten(call(x, y))[0] if leaf.shape == (n,)]
        _, expected = function(x, twin)
        theirs = flatten(expected)[0]
        assert sum(leaf is y for leaf in aux) == sum(leaf is twin for leaf in theirs)
        np.testing.assert_array_equal(y, twin)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, n: {n: x * 2.0},
        lambda x, n: [x * 2.0, {"a": {(n, 1): None}}],
        lambda x, n: {n + 1: {n: [x]}, "b": n},
    ],
)
def test_keys_are_numbers_and_not_what_stands_for_them(function):
    traced = srcgrad.trace(function)
    for n in map(np.int64, (2, 3, 2)):
        x = variable([1.0, 2.0])
        expected, found = function(x, n), traced(x, n)
        assert flatten(found)[1] == flatten(expected)[1]
        assert repr(found).count("Variable") == repr(expected).count("Variable")
