"""Programs of scientists: gradients on the tape and compiled, against differences."""

import importlib

import numpy as np
import optree
import pytest

import srcgrad
from srcgrad import Variable
from tests.differences import slope_of
from tests.scientific.programs import PROGRAMS, scaled

FIELDS = (
    "fits filters dynamics learning statistics finance images sampling engineering "
    "simulations"
).split()
for field in FIELDS:
    importlib.import_module(f"tests.scientific.{field}")

# What is not compiled yet, and what explain() says of it.
ON_THE_TAPE = {
    "reservoir_by_scipy": "does more than compute, in a function that is called back",
    "policy_gradient": "draws by `choice` from what is computed",
}
# What is compiled and seldom fits: what explain() says of the last call that did not.
SELDOM = {
    "annealing": "`len(self.energies)` was",
    "script_with_globals": "value < best",
    "batch_norm": "running_mean",  # becomes a Variable
}

# What a Variable's gradient needs is overwritten: an error.
OVERWRITTEN = {"softmax_regression"}

FACTORS = (1.0, 1.0, 1.003)


def by_grad(function, program, start):
    return srcgrad.value_and_grad(function)(start, *program.data, **program.keywords)


def by_value(function, program, start):
    return program.call(function, start), None


def by_variables(function, program, start):
    leaves = optree.tree_map(lambda leaf: Variable(leaf, requires_grad=True), start)
    value = program.call(function, leaves)
    if not isinstance(value, Variable):  # the program's own `return float(loss)`
        return value, None
    value.backward()
    return value.data, optree.tree_map(lambda leaf: leaf.grad.data, leaves)


def differences(program, before, start):
    """The gradient by differences, of a call that comes after some others."""
    leaves, tree = optree.tree_flatten(start)

    def value(number, leaf):
        function = program.make()
        for other in before:
            program.call(function, other)
        changed = [*leaves[:number], leaf, *leaves[number + 1 :]]
        return program.call(function, tree.unflatten(changed))

    kinds = [float if isinstance(leaf, float) else np.asarray for leaf in leaves]
    slopes = [
        slope_of(lambda v, i=i, kind=kind: value(i, kind(v)), leaf)
        for i, (leaf, kind) in enumerate(zip(leaves, kinds, strict=True))
    ]
    return tree.unflatten(slopes)


def assert_close(ours, expected, **tolerances):
    for a, b in zip(*map(optree.tree_leaves, (ours, expected)), strict=True):
        np.testing.assert_allclose(a, b, **tolerances)


@pytest.mark.parametrize("name", PROGRAMS)
def test_on_the_tape(name):
    program = PROGRAMS[name]
    value, gradient = by_grad(program.make(), program, program.start)
    expected = program.call(program.make(), program.start)
    # Where an array lies in memory may change the last place of a sum in BLAS.
    np.testing.assert_allclose(value, expected, rtol=1e-13)
    assert type(value) is type(expected)
    slopes = differences(program, [], program.start)
    assert_close(gradient, slopes, rtol=1e-5, atol=1e-6)


# With Variables, `float(loss)` is what it is untraced: a float, with a warning.
@pytest.mark.filterwarnings("ignore:a number was taken out")
@pytest.mark.parametrize("name", PROGRAMS)
def test_traced(name):
    program = PROGRAMS[name]
    untraced, traced = program.make(), srcgrad.trace(program.make())
    before = []
    calls = (by_grad, by_value, by_variables)
    for call in calls[: 2 if name in OVERWRITTEN else 3]:
        for factor in FACTORS:
            start = scaled(program.start, factor)
            value, gradient = call(traced, program, start)
            expected = program.call(untraced, start)
            np.testing.assert_allclose(value, expected, rtol=1e-12)
            if gradient is None:
                assert type(value) is type(expected)
            elif factor != 1.0:  # the call that is compiled, after others
                slopes = differences(program, before, start)
                assert_close(gradient, slopes, rtol=1e-5, atol=1e-6)
            before.append(start)
    if name in ON_THE_TAPE:
        assert traced.stats.compiled == 0
        assert ON_THE_TAPE[name] in traced.explain()
    elif name in SELDOM:
        assert SELDOM[name] in traced.explain()
    else:
        assert traced.stats.tape <= 3, traced.explain()
