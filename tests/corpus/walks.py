"""A world of its own for the untraced function, one for the traced: the same calls."""

import re
from functools import partial

import numpy as np
import optree

import srcgrad
from srcgrad import InplaceError, Variable
from srcgrad.tracing.traced import Traced
from tests.corpus.programs import World
from tests.corpus.seen import Said, Seen, names_of, same
from tests.differences import slope_of, slopes_beside

FACTORS = (1.0, 1.0, 1.25, 1.0)


class Outcome:
    """One call, and everything that can be seen of it and after it."""

    def __init__(self, world, function, call):
        self.gradient = self.error = None
        stance = "default" if isinstance(function, Traced) else "tape"
        with world, Said() as said, srcgrad.set_stance(stance):
            try:
                result, self.gradient = call(function, world.names)
            except Exception as error:
                result = self.error = type(error).__name__, str(error)
        # What the last calls gave is the caller's, and stays what it is.
        world.results = [*world.results[-2:], result]
        everything = world.results, names_of(world), said.all()
        # Untraced a number that is taken out of a Variable has no gradient.
        self.loses = any(
            "gradient is lost" in str(each.message) for each in said.caught
        )
        self.exact, self.as_arrays = Seen()(everything), Seen(True)(everything)


class Call:
    """How `f` is called: with arrays, or with Variables for them."""

    def __init__(self, factor, as_variables=False):
        self.factor, self.as_variables = factor, as_variables
        # One array stays one, and one Variable.
        self.made = {}

    def leaf(self, item):
        if type(item) is not np.ndarray or item.dtype.kind not in "fc":
            return item
        if id(item) not in self.made:
            new = item
            if self.factor != 1.0:
                new = (self.factor * item).astype(item.dtype)
            if self.as_variables:
                new = Variable(new, requires_grad=True)
            self.made[id(item)] = new
        return self.made[id(item)]

    def arguments(self, names):
        tree = (names["x"], *names["extra"]), names["options"]
        return optree.tree_map(self.leaf, tree, none_is_leaf=True)

    def __call__(self, function, names):
        args, kwargs = self.arguments(names)
        result = function(*args, **kwargs)
        if not self.as_variables:
            return result, None
        for leaf in optree.tree_leaves(result):
            if isinstance(leaf, Variable) and leaf.requires_grad:
                leaf.backward(np.ones(leaf.shape, leaf.dtype), retain_graph=True)
        given = [each for each in self.made.values() if isinstance(each, Variable)]
        return result, [0 if v.grad is None else v.grad.data for v in given]


def rounds(program):
    """What is changed before some calls, and by what `x` is multiplied in them."""
    for change in ["", *program.changes]:
        for number, factor in enumerate(FACTORS):
            yield change if number == 0 else "", factor


def walk(program):
    """Call both with arrays, and compare all that can be seen, after each change."""
    untraced, world = World(program), World(program)
    traced = srcgrad.trace(world.function)
    for number, (change, factor) in enumerate(rounds(program)):
        untraced.run(change)
        world.run(change)
        expected = Outcome(untraced, untraced.function, Call(factor)).exact
        found = Outcome(world, traced, Call(factor)).exact
        if not same(found, expected):
            assert found == expected, f"call {number}\n{traced.explain()}"
    return traced


def check_traces(program, traced):
    """What the title of a program says of its traces."""
    stats, text = traced.stats, traced.explain()
    if program.traces is not None:
        assert (stats.traces, stats.tape) == (program.traces, program.traces), text
    if program.is_compiled:
        assert stats.compiled, text
    if program.refused is not None:
        assert not stats.compiled, text
        reasons = [
            each["reason"] for each in traced.explain(as_dict=True)["on_the_tape"]
        ]
        assert any(
            re.search(rf"part \d+>:\d+: .*{re.escape(program.refused)}", reason)
            for reason in reasons
        ), text


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


def walk_by_grad(program):
    """Values and worlds of calls through `value_and_grad`, gradients by differences.

    Give the traced function if all its calls could be differentiated, or else None.
    """
    untraced, world = World(program), World(program)
    traced = srcgrad.trace(world.function)
    before, is_differentiated = [], True
    for number, (change, factor) in enumerate(rounds(program)):
        untraced.run(change)
        world.run(change)
        x = untraced.names["x"]
        if type(x) is not np.ndarray or x.dtype != float or x.size > 6:
            return None
        x = factor * x
        before.append((change, x))
        expected = called(untraced, untraced.function, x)
        if not is_number(expected):
            called(world, traced, x)
            is_differentiated = False
            continue
        value, gradient = called(world, srcgrad.value_and_grad(traced), x)
        where = f"call {number}\n{traced.explain()}"
        if value is TypeError and "Variable" in gradient:  # what no tape can do
            return None
        if value is InplaceError and "has been written into" in gradient:  # nor this
            return None
        np.testing.assert_allclose(value, expected, 1e-12, 1e-15, err_msg=where)
        ours, theirs = (Seen(True)(names_of(each)) for each in (world, untraced))
        if not same(ours, theirs):
            assert ours == theirs, where
        if factor == 1.0:  # the other call of each round is enough
            continue
        slope = slope_of(lambda v: replayed(program, before, v), x)
        # What is small beside the rest is lost in a difference.
        atol = 1e-7 * max(1.0, float(np.max(np.abs(slope), initial=0.0)))
        if not np.allclose(gradient, slope, rtol=1e-6, atol=atol):
            again = partial(replayed, program, before)
            if not is_slope_of_shorter_steps(gradient, again, x, slope):
                sides = slopes_beside(again, x)
                assert is_between(gradient, sides, slope, atol), where
    return traced if is_differentiated else None


def is_slope_of_shorter_steps(gradient, function, x, slope):
    """Whether differences go there (of `sin(x ** 16)`), to what they still move by."""
    shorter = slope_of(function, x, 1e-7)
    shortest = slope_of(function, x, 1e-8)
    moved, still = np.abs(shorter - slope), np.abs(shortest - shorter)
    scale = np.max(np.abs(shorter), initial=1.0)
    goes = still < 0.1 * moved + 1e-6 * scale
    return bool(np.all(goes & (np.abs(gradient - shortest) < still + 1e-6 * scale)))


def is_between(gradient, sides, slope, atol):
    """Whether it is the slope, or where there is a tie one between those beside it."""
    least, most = np.minimum(*sides), np.maximum(*sides)
    width = 1e-4 * np.maximum(1.0, np.abs(slope))
    is_tie = most - least > 10.0 * width
    is_slope = np.isclose(gradient, slope, rtol=1e-6, atol=atol)
    fits = (least - width <= gradient) & (gradient <= most + width)
    return bool(np.all(np.where(is_tie, fits, is_slope)))
