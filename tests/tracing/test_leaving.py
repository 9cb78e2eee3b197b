"""What a call leaves behind holds ndarrays, and is one object where it was one."""

from collections import deque, namedtuple

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.leaving import LeftBehind, left
from srcgrad.tracing.own_array import OwnArray
from tests.changing.seen import Seen

Pair = namedtuple("Pair", "a b")


class Plain:
    pass


class Slots:
    __slots__ = ("a", "b")


class World:
    """What a function may store into."""

    def __init__(self):
        self.listed, self.named, self.queue = [0.0], {}, deque()
        self.plain, self.slots = Plain(), Slots()


world = World()


def keep(y):
    world.listed.append(y)


class Node:
    def __init__(self, y):
        self.y = y


def into_attributes(x, y):
    world.plain.a, world.slots.b = y, y[1:]
    world.plain.c = [np.zeros(2), y]
    world.plain.d = y
    world.plain.d += 1.0


def into_lists(x, y):
    world.listed.append(y)
    world.listed.append((1, Pair(y, x)))
    world.listed.insert(0, {"y": y})
    world.listed += [y]
    world.listed[1:2] = [y]


def into_dicts(x, y):
    world.named["k"] = y
    world.named.setdefault("z", y)
    world.named.update(u=y, w=[y])


def into_deques(x, y):
    world.queue.appendleft(y)
    world.queue.extend([y, 2.0])


def by_helpers(x, y):
    keep(y)
    world.listed.append(Node(y))
    world.plain.node = Node(y)


def into_closures(x, y):
    def inner():
        return y * 2.0

    world.listed.append(inner)
    return inner


def returned_and_kept(x, y):
    out = [y, {"y": y}]
    out.append(out[1])
    world.plain.out = out
    return out


def raises(x, y):
    world.plain.a = y
    raise ValueError("after all")


@pytest.mark.parametrize(
    "store",
    [
        *(into_attributes, into_lists, into_dicts, into_deques, by_helpers),
        *(into_closures, returned_and_kept, raises),
    ],
)
def test_it_is_as_if_untraced(store):
    def function(x):
        y = np.zeros(3)
        y[1:] = x[0]
        return store(x, y)

    def seen_after(called):
        world.__init__()
        results = []
        for _ in range(3):
            try:
                results.append(called(np.array([1.0, 2.0])))
            except ValueError as error:
                results.append(str(error))
        return Seen()((results, world))

    traced = srcgrad.trace(function)
    assert seen_after(traced) == seen_after(function), traced.explain()


def test_an_unchanged_result_is_itself():
    for result in ([1.0, (2.0, np.ones(2))], {"a": Pair(1, 2)}, Plain(), keep):
        assert left(result) is result
    holder = Slots()
    holder.b = OwnArray(np.ones(2))
    behind = LeftBehind(None, False)
    behind.note(holder)
    behind.settle()
    assert type(holder.b) is np.ndarray
