"""What a call leaves behind holds ndarrays, and is one object where it was one."""

from collections import deque, namedtuple

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from srcgrad.tracing.arrays.functional_array import FunctionalArray
from srcgrad.tracing.following.leaving import LeftBehind, left

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


def test_an_unchanged_result_is_itself():
    for result in ([1.0, (2.0, np.ones(2))], {"a": Pair(1, 2)}, Plain(), keep):
        assert left(result) is result
    holder = Slots()
    holder.b = FunctionalArray(np.ones(2))
    behind = LeftBehind()
    behind.note(holder)
    behind.settle()
    assert type(holder.b) is np.ndarray


# ----- In transforms -----


def test_what_a_function_computes_on_with_keeps_its_gradient():
    @srcgrad.trace
    def keeps(x, kept):
        kept.append(x * x)
        return np.sum(x)

    def calls(x):
        kept = []
        keeps(x, kept)
        return np.sum(kept[0])

    def nested(x):
        kept = [x * 2.0]

        def inner(z):
            kept.append(x * z)
            return np.sum(x * z * z)

        srcgrad.grad(inner)(1.0)
        return np.sum(kept[0]) + np.sum(kept[1])

    def of_lists(x):
        out = []
        for k in range(3):
            out.append(x * k)
        return out

    x = np.array([1.0, 2.0])
    assert srcgrad.grad(calls)(x).tolist() == [2.0, 4.0]
    assert srcgrad.grad(nested)(x).tolist() == [3.0, 3.0]
    assert srcgrad.vjp(of_lists, x)[1]([np.ones(2)] * 3)[0].tolist() == [3.0, 3.0]
    traced = srcgrad.trace(nested)
    for stance, function in (
        *(("default", nested), ("default", traced), ("default", traced)),
        ("tape", traced),
    ):
        variable = srcgrad.Variable(x, requires_grad=True)
        with srcgrad.set_stance(stance):
            function(variable).backward()
        assert variable.grad.data.tolist() == [3.0, 3.0]


def test_the_user_gets_no_variable_of_a_transform():
    world.__init__()

    def loss(x):
        world.listed.append(x * x)
        world.listed.append((1.0, {"y": x}))
        world.plain.last = np.sum(x)
        return np.sum(x * x)

    def around(x):
        return x * np.sum(srcgrad.grad(loss)(x))

    for function in (srcgrad.grad(loss), srcgrad.trace(around), around):
        for _ in range(3):
            function(np.array([1.0, 2.0]))
    assert {type(each) for each in world.listed} == {float, np.ndarray, tuple}
    assert type(world.listed[-1][1]["y"]) is np.ndarray
    assert type(world.plain.last) is np.float64


def test_what_augmented_assignments_add_is_arrays_too():
    world.__init__()
    listed, named, queue = world.listed, world.named, world.queue

    def loss(x):
        nonlocal listed, named, queue
        listed += [x * x]
        named |= {"y": x}
        queue += (np.sum(x),)
        return np.sum(x * x)

    with srcgrad.set_stance("tape"):
        srcgrad.grad(loss)(np.array([1.0, 2.0]))
    assert type(listed[-1]) is type(named["y"]) is np.ndarray
    assert type(queue[0]) is np.float64


def test_numbers_of_a_transform_are_keys_by_their_values():
    seen, memo = set(), {}

    def loss(x):
        key = float(x[0]), "key"
        memo[key] = memo.get(key, 0) + 1
        seen.add(x[1])
        return np.sum(x) * memo[key]

    for first, expected in ((1.0, 3.0), (1.0, 6.0), (3.0, 5.0), (1.0, 9.0)):
        value, _ = srcgrad.value_and_grad(loss)(np.array([first, 2.0]))
        assert value == expected
        assert value == np.sum([first, 2.0]) * memo[first, "key"]
    assert repr(memo) == "{(1.0, 'key'): 3, (3.0, 'key'): 1}"
    assert seen == {2.0}
    assert type(seen.pop()) is np.float64


def test_what_a_traced_function_keeps_in_a_transform_is_arrays():
    kept = World()
    last = None

    @srcgrad.trace
    def loss(w, n):
        nonlocal last
        last = total = np.sum(w**2) * n
        kept.plain.best = total
        kept.listed.append(Pair(w * n, [total]))
        return total

    def doubled(w, n):
        return loss(w, n) * 2.0

    for function in (loss, doubled, srcgrad.trace(doubled)):
        gradient = srcgrad.grad(function)
        for n in (1, 2, 2, 3):
            gradient(np.ones(2), n)
            seen = last, kept.plain.best, *kept.listed[-1].b, kept.listed[-1].a
            assert [type(each) for each in seen] == [np.float64] * 3 + [np.ndarray]


def test_what_a_transform_has_computed_is_looked_through_once():
    start, looks = Variable([1.0], requires_grad=True), []

    class Watched(type(np.sin(start).edge[0])):
        __slots__ = ()

        @property
        def edges(self):
            looks.append(self)
            return (start.edge,)

    own = object.__new__(Watched)
    left_behind, items = LeftBehind.within(None, 1, start), [0.0, 0.0]
    left_behind.note(items)
    items[:] = [Variable.make(np.ones(1), (own, 0)) for _ in items]
    left_behind.settle()
    assert [type(item) for item in items] == [np.ndarray] * 2
    assert len(looks) == 1


@pytest.mark.parametrize("kind", [float, np.float64, np.float32])
@pytest.mark.parametrize("factor", [2.0, 1j])
def test_a_number_is_a_key_by_its_value(kind, factor):
    """A dict with other keys than it was made with ends the process."""

    def f(a):
        k = a * factor
        return a * 2.0, ({k: 1}, {k, a}, [{"a": {a: k}}])

    slope = srcgrad.value_and_grad(f, has_aux=True)
    for _ in range(3):
        found = slope(kind(1.5))[0]
        with srcgrad.set_stance("tape"):
            expected = slope(kind(1.5))[0]
        assert repr(found[1]) == repr(expected[1]) == repr(f(kind(1.5))[1])
