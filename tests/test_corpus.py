"""All programs of the corpus: traced as untraced, whatever changes between calls."""

import numpy as np
import pytest

import srcgrad
from tests.corpus.programs import PROGRAMS, World
from tests.corpus.seen import same
from tests.corpus.walks import Call, Outcome, check_traces, rounds, walk, walk_by_grad


@pytest.mark.parametrize("name", PROGRAMS)
def test_of_arrays(name):
    program = PROGRAMS[name]
    check_traces(program, walk(program))


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
        if not is_limited and by_tape.loses:
            assert ours.gradient is not None, where  # it has one, see `of_gradients`
        elif not is_limited:
            assert (ours.gradient is None) == (by_tape.gradient is None), where
            pairs = zip(ours.gradient or (), by_tape.gradient or (), strict=True)
            for found, expected in pairs:
                np.testing.assert_allclose(found, expected, rtol=1e-12, err_msg=where)
        elif ours.error and any(limit in str(ours.error) for limit in LIMITS):
            return
        elif not same(ours.as_arrays, on_arrays.as_arrays):
            assert ours.as_arrays == on_arrays.as_arrays, where


@pytest.mark.parametrize("name", PROGRAMS)
def test_of_gradients(name):
    program = PROGRAMS[name]
    traced = walk_by_grad(program)
    if traced is not None and program.traces is not None:
        check_traces(program, traced)
