"""All programs of the corpus: traced as untraced, whatever changes between calls."""

import numpy as np
import pytest

import srcgrad
from tests.corpus.programs import PROGRAMS, World
from tests.corpus.seen import same, told
from tests.corpus.walks import Call, Outcome, check_traces, rounds, walk, walk_by_grad

GIVEN = [name for name, program in PROGRAMS.items() if not program.draws]


@pytest.mark.parametrize("name", GIVEN)
def test_of_arrays(name):
    program = PROGRAMS[name]
    check_traces(program, *walk(program))


# What an untraced function with Variables cannot do, and one with arrays can.
LIMITS = ("InplaceError", "a leaf Variable", "Variable")
# Two calls of these are with second derivatives: a recorded one, and a compiled one.
MOST_DRAWS = 6


@pytest.mark.parametrize("name", PROGRAMS)
def test_of_variables(name):
    """As untraced with Variables; or, where these cannot do it, as with arrays."""
    program = PROGRAMS[name]
    plain, untraced, world = World(program), World(program), World(program)
    traced, on_tape = srcgrad.trace(world.function), untraced.function
    if program.draws:  # as a followed function, which puts Variables into arrays
        on_tape = srcgrad.trace(on_tape)
    is_limited = False
    for number, (change, factor) in enumerate(rounds(program, MOST_DRAWS)):
        for each in (plain, untraced, world):
            each.run(change)
        on_arrays = Outcome(plain, plain.function, Call(factor))
        # To record second derivatives takes a while: now and then is enough.
        options = True, program.draws > 0, program.draws > 0 and number % 3 == 1
        call, same_call = Call(factor, *options), Call(factor, *options)
        by_tape = Outcome(untraced, on_tape, call)
        ours = Outcome(world, traced, same_call, "default")
        is_limited = is_limited or not same(ours.exact, by_tape.exact)
        if is_limited and any(limit in str(ours.error) for limit in LIMITS):
            return
        with told(traced, number):
            if not is_limited:
                check_gradients(program, ours, by_tape)
                continue
            found, expected = ours.as_arrays, on_arrays.as_arrays
            if not same(found, expected):
                assert found == expected


def check_gradients(program, ours, by_tape):
    if by_tape.loses:
        assert ours.gradient is not None  # it has one, see `of_gradients`
        return
    assert (ours.gradient is None) == (by_tape.gradient is None)
    close = (1e-8, 1e-10) if program.draws else (1e-12, 0.0)
    for found, expected in zip(
        ours.gradient or (), by_tape.gradient or (), strict=True
    ):
        if found is None or expected is None:
            assert found is expected or not program.draws
            found = 0.0 if found is None else found
            expected = 0.0 if expected is None else expected
        np.testing.assert_allclose(found, expected, *close)


@pytest.mark.parametrize("name", PROGRAMS)
def test_of_gradients(name):
    program = PROGRAMS[name]
    walked = walk_by_grad(program)
    if walked is None and program.draws:
        walked = walk(program)
    if walked is not None and (program.traces is not None or program.draws):
        check_traces(program, *walked)
