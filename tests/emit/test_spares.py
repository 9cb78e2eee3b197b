"""Arrays that a function leaves to its next call: nobody else ever sees one."""

import gc
import sys
import threading
import weakref

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from srcgrad.emit import spares
from srcgrad.pytree import flatten, unflatten
from tests.cases import for_each

N = 150  # an array of N * N is large enough


def chain(x):
    y = np.sin(x) * 1.1 + 0.3
    return np.sum(np.tanh(y @ x) / (1.0 + y * y))


def returned(x):
    y = np.sin(x) * 1.1
    z = np.cos(y) + y
    return np.exp(-z * z)


def view_returned(x):
    y = np.sin(x) * x
    return (np.cos(y) * y)[::2].T


def several_returned(x):
    y = np.sin(x) * x
    z = np.cos(y) * y
    return y, z.T, np.sum(np.exp(-z))


def given_back(x):
    y = np.cos(np.sin(x) * x)
    return y.reshape(-1).reshape(N, N)


def views(x):
    y = np.sin(x) * x
    top, turned = y[: N // 2], y.T[: N // 2]
    z = np.cos(y) + y[::-1]
    return np.sum(np.tanh(z) * z) + np.sum(top * turned)


def chosen(x):
    y = np.maximum(np.sin(x) * x, 0.1)
    return np.sum(np.where(y > 0.3, y * y, np.abs(y - x)))


def written(x):
    y = np.sin(x) * x
    y[1:] += np.cos(y[:-1]) * y[:-1]
    y[0] = 0.5
    return np.sum(np.exp(-y * y))


def in_columns(x):
    y = np.sin(x.T) * x.T
    return np.sum(np.cos(y + x) * y)


def of_complex(x):
    y = np.exp(1j * x) * x
    return np.sum(np.real(y * np.conj(y) * np.cos(y)))


def in_float32(x):
    y = np.sin(x.astype(np.float32)) * np.float32(2.0)
    return np.sum(np.cos(y) * y, dtype=np.float64)


def looped(x):
    y = np.sin(x) * x
    z = np.cos(x) + y
    for _ in range(5):
        y = np.tanh(y @ x * 0.01) + z
    return np.sum(np.exp(-y * y))


def branched(x):
    y = np.sin(x) * x
    z = np.cos(y) * y if x[0, 0] > 0.0 else np.tanh(y) + y
    return np.sum(np.sin(z) * z)


PROGRAMS = (
    *(chain, returned, view_returned, several_returned, given_back, views, chosen),
    *(
        written,
        in_columns,
        of_complex,
        in_float32,
        looped,
        branched,
    ),
)
RANDOM = np.random.default_rng(0)
ARGUMENTS = [np.abs(RANDOM.normal(size=(N, N))) + 0.1 for _ in range(4)]
ARGUMENTS[2] = np.asfortranarray(ARGUMENTS[2])


def total(function):
    """The function as one of a number, whatever it returns."""

    def summed(x):
        found = function(x)
        return sum(np.sum(y * y) for y in (found if type(found) is tuple else (found,)))

    return summed


def by_value_and_grad(function, made=srcgrad.trace):
    ours = srcgrad.value_and_grad(made(total(function)))
    return lambda x: lambda: ours(x)


def by_results(function, made=srcgrad.trace):
    """The results themselves."""
    ours = made(function)
    return lambda x: lambda: ours(x)


def by_vjp(function, made=srcgrad.trace):
    ours = made(function)

    def begin(x):
        value, back = srcgrad.vjp(ours, x)
        parts, structure = flatten(value)
        ones = unflatten(structure, [np.ones_like(part) for part in parts])
        return lambda: (value, back(ones), back(ones))

    return begin


def by_backward(function, made=srcgrad.trace):
    """Twice, with what a hook sees on the way."""
    ours = made(total(function))

    def begin(x):
        leaf, seen = Variable(x.copy(), requires_grad=True), []
        middle = leaf * 1.0
        middle.register_hook(seen.append)
        value = ours(middle)

        def go_back():
            value.backward(retain_graph=True)
            first = leaf.grad.data
            value.backward()
            return value.data, first, leaf.grad.data, [g.data for g in seen]

        return go_back

    return begin


def by_second_derivative(function, made=srcgrad.trace):
    ours = made(total(function))

    def begin(x):
        leaf = Variable(x.copy(), requires_grad=True)
        value = ours(leaf)

        def go_back():
            (g,) = srcgrad.autograd.grad(value, leaf, create_graph=True)
            return g.data, srcgrad.autograd.grad(np.sum(g * g), leaf)[0].data

        return go_back

    return begin


WAYS = by_value_and_grad, by_results, by_vjp, by_backward, by_second_derivative


def leaves(found):
    return [np.asarray(leaf) for leaf in flatten(found)[0]]


def all_spares():
    """What all generated modules have left."""
    modules = [
        each for each in gc.get_objects() if type(each) is dict and "__lines__" in each
    ]
    left = [kept for each in modules for kept in each.get("spares", {}).values()]
    return [array for kept in left for array in kept]


def compiled(function, way):
    """What begins calls that are compiled, and what they are to give."""
    begin, otherwise = way(function), way(function, lambda untraced: untraced)
    for _ in range(3):
        begin(ARGUMENTS[0])()
    return begin, [leaves(otherwise(x)()) for x in ARGUMENTS]


def assert_same(found, expected):
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-9)


def all_same(found, expected):
    for ours, right in zip(found, expected, strict=True):
        assert_same(ours, right)


@for_each(
    "function, way",
    [(program, way) for program in PROGRAMS for way in WAYS],
    lambda case: " ".join(each.__name__ for each in case),
)
def test_no_later_call_changes_what_one_gave(function, way):
    begin, expected = compiled(function, way)
    found = [leaves(begin(x)()) for x in ARGUMENTS]
    spare = all_spares()
    for leaf in (leaf for ours in found for leaf in ours):
        assert not any(np.may_share_memory(leaf, array) for array in spare)
    waiting = [begin(x) for x in ARGUMENTS]
    late = [leaves(go_back()) for go_back in waiting[::-1]]
    all_same(found, expected)
    all_same(late[::-1], expected)


@pytest.mark.parametrize("function", [chain, several_returned, chosen])
@pytest.mark.parametrize("way", WAYS)
def test_threads_have_arrays_of_their_own(function, way):
    begin, expected = compiled(function, way)
    found, interval = {}, sys.getswitchinterval()

    def run(number):
        x = ARGUMENTS[number]
        found[number] = [leaves(begin(x)()) for _ in range(8)]

    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
    finally:
        sys.setswitchinterval(interval)
    for number, right in enumerate(expected):
        for ours in found[number]:
            assert_same(ours, right)


def with_steps(function):
    ours = srcgrad.value_and_grad(srcgrad.trace(function))
    ours.compile(ARGUMENTS[0])
    assert "spares.pop" in ours.source()
    return ours


def growing(x):
    y = np.sin(x) * x
    return np.sum(np.cos(y) * np.exp(x) * y)


def test_a_call_in_the_middle_of_another_has_arrays_of_its_own():
    ours, other = with_steps(growing), ARGUMENTS[1]
    huge = np.where(np.arange(N) == 7, 800.0, ARGUMENTS[0])
    expected = ours(other)
    with np.errstate(all="ignore"):
        right = ours(huge)
        within = []
        with np.errstate(over="call", call=lambda *_: within.append(ours(other))):
            found = ours(huge)
    assert within
    assert_same(leaves(found), leaves(right))
    for each in within:
        assert_same(leaves(each), leaves(expected))


def test_an_error_in_the_middle_leaves_no_harm():
    ours, other = with_steps(growing), ARGUMENTS[1]
    expected = leaves(ours(other))
    for _ in range(3):
        with np.errstate(over="raise"), pytest.raises(FloatingPointError):
            ours(np.full((N, N), 800.0))
        assert_same(leaves(ours(other)), expected)


def test_what_is_read_in_the_order_of_memory_is_made_anew():
    """For arrays of the same shape may lie in memory in another way."""

    @srcgrad.trace
    def turned(x):
        y = np.cos(np.sin(x) * x)
        return np.ravel(y * x, order="K")

    for x in (ARGUMENTS[0], ARGUMENTS[0], ARGUMENTS[0], ARGUMENTS[2]):
        np.testing.assert_array_equal(turned(x), turned.__wrapped__(x))


def new_spares(before):
    """Those of the modules made since."""
    return [array for array in all_spares() if id(array) not in before]


def test_they_go_when_the_traces_do():
    before = {*map(id, all_spares())}
    traced = srcgrad.trace(chain)
    ours = srcgrad.value_and_grad(traced)
    for _ in range(4):
        ours(ARGUMENTS[0])
    left = [weakref.ref(array) for array in new_spares(before)]
    assert left
    assert all(ref() is not None for ref in left)
    traced.clear()
    assert all(ref() is None for ref in left)


def test_a_function_leaves_no_more_than_a_bound(monkeypatch):
    size = N * N * 8
    monkeypatch.setattr(spares, "MOST_SPARE", 2 * size)
    before = {*map(id, all_spares())}
    ours = with_steps(chain)
    for _ in range(3):
        ours(ARGUMENTS[0])
    assert 0 < sum(array.nbytes for array in new_spares(before)) <= 2 * size


def test_small_arrays_are_made_anew():
    ours = srcgrad.value_and_grad(srcgrad.trace(chain))
    ours.compile(ARGUMENTS[0][:20, :20])
    assert "spares.pop" not in ours.source()


def test_arrays_of_any_length_are_made_anew():
    """One of another length would not fit."""

    @srcgrad.trace
    def summed(x):
        total = np.sum(np.cos(np.sin(x) * x))
        for row in x:
            total = total + np.sum(np.sin(row) * 2.0)
        return total

    ours = srcgrad.value_and_grad(summed)
    for length in (5, 5, 7, 7, 6, 9, 8, 7, 5):
        x = np.linspace(0.0, 1.0, length * N * N).reshape(length, N * N)
        slopes = 2.0 * np.cos(x) - np.sin(np.sin(x) * x) * (np.cos(x) * x + np.sin(x))
        np.testing.assert_allclose(ours(x)[1], slopes)
    assert "is for any" in ours.explain()
