"""Traced as untraced, whatever has changed in the world between the calls."""

import numpy as np
import pytest

import srcgrad
from tests.changing.programs import PROGRAMS, World
from tests.changing.seen import Said, Seen, names_of, same
from tests.changing.walks import Call, Outcome, rounds, walk
from tests.differences import slope_of


@pytest.mark.parametrize("name", PROGRAMS)
def test_of_arrays(name):
    program = PROGRAMS[name]
    traced = walk(program)
    if program.is_compiled:
        assert traced.stats.compiled, traced.explain()


# What an untraced function with Variables cannot do, and one with arrays can.
LIMITS = ("InplaceError", "a leaf Variable", "Variable")


@pytest.mark.parametrize("name", PROGRAMS)
def test_of_variables(name):
    """As untraced with Variables; or, where these cannot do it, as with arrays."""
    program = PROGRAMS[name]
    plain, untraced, world = World(program), World(program), World(program)
    traced = srcgrad.trace(world.function)
    is_limited = False
    for number, (change, factor) in enumerate(rounds(program)):
        for each in (plain, untraced, world):
            each.run(change)
        on_arrays = Outcome(plain, plain.function, Call(factor))
        by_tape = Outcome(untraced, untraced.function, Call(factor, True))
        ours = Outcome(world, traced, Call(factor, True))
        where = f"call {number}\n{traced.explain()}"
        is_limited = is_limited or not same(ours.exact, by_tape.exact)
        if not is_limited:
            assert (ours.gradient is None) == (by_tape.gradient is None), where
            pairs = zip(ours.gradient or (), by_tape.gradient or (), strict=True)
            for found, expected in pairs:
                np.testing.assert_allclose(found, expected, rtol=1e-12, err_msg=where)
        elif ours.error and any(limit in str(ours.error) for limit in LIMITS):
            return
        elif not same(ours.as_arrays, on_arrays.as_arrays):
            assert ours.as_arrays == on_arrays.as_arrays, where


def replayed(program, before, start):
    """The value at a start, in a world that has seen the same calls before."""
    world = World(program)
    for change, x in before[:-1]:
        world.run(change)
        called(world, world.function, x)
    world.run(before[-1][0])
    return called(world, world.function, start)


def called(world, function, x):
    with world, Said():
        try:
            return function(x, *world.names["extra"], **world.names["options"])
        except Exception as error:
            return type(error), str(error)


def is_number(value):
    return isinstance(value, (float, np.floating))


@pytest.mark.parametrize("name", PROGRAMS)
def test_of_gradients(name):
    """Values and worlds of calls through `value_and_grad`, gradients by differences."""
    program = PROGRAMS[name]
    untraced, world = World(program), World(program)
    traced = srcgrad.trace(world.function)
    before = []
    for number, (change, factor) in enumerate(rounds(program)):
        untraced.run(change)
        world.run(change)
        x = untraced.names["x"]
        if type(x) is not np.ndarray or x.dtype != float or x.size > 6:
            return
        x = factor * x
        before.append((change, x))
        expected = called(untraced, untraced.function, x)
        if not is_number(expected):
            called(world, traced, x)
            continue
        value, gradient = called(world, srcgrad.value_and_grad(traced), x)
        where = f"call {number}\n{traced.explain()}"
        if value is TypeError and "Variable" in gradient:  # what no tape can do
            return
        np.testing.assert_allclose(value, expected, rtol=1e-12, err_msg=where)
        ours, theirs = (Seen(True)(names_of(each)) for each in (world, untraced))
        if not same(ours, theirs):
            assert ours == theirs, where
        if factor == 1.0:  # the other call of each round is enough
            continue
        slope = slope_of(lambda v: replayed(program, before, v), x)
        np.testing.assert_allclose(gradient, slope, rtol=1e-6, atol=1e-7, err_msg=where)
