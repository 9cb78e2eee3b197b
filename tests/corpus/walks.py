"""A world of its own for the untraced function, one for the traced: the same calls."""

import re
from functools import partial

import numpy as np
import optree
import pytest

import srcgrad
from srcgrad import InplaceError, Variable, autograd
from tests.corpus.programs import World
from tests.corpus.seen import Said, Seen, names_of, same, told
from tests.differences import slope_of, slopes_beside

FACTORS = (1.0, 1.0, 1.25, 1.0)
DRAW = "\nx, *extra = draw(__random__)\n"


class Outcome:
    """One call, and everything that can be seen of it and after it."""

    def __init__(self, world, function, call, stance="tape"):
        self.gradient = self.error = None
        with world, Said() as said, srcgrad.set_stance(stance):
            try:
                result, self.gradient = call(function, world.names)
            except Exception as error:
                result = self.error = type(error).__name__, str(error)
        # What the last calls gave is the caller's, and stays what it is.
        world.results = [*world.results[-2:], result]
        self.everything = world.results, names_of(world), said.all()
        # Untraced a number that is taken out of a Variable has no gradient.
        self.loses = any(
            "gradient is lost" in str(each.message) for each in said.caught
        )

    @property
    def exact(self):
        """To be asked for before the next call in this world."""
        return Seen()(self.everything)

    @property
    def as_arrays(self):
        return Seen(True)(self.everything)


class Call:
    """How `f` is called: with arrays, or with Variables for them."""

    def __init__(self, factor, as_variables=False, is_drawn=False, twice=False):
        self.factor, self.as_variables = factor, as_variables
        # Numbers that are drawn are Variables too; `twice`: with second derivatives.
        self.numbers_too, self.twice = as_variables and is_drawn, twice
        # One array stays one, and one Variable.
        self.made = {}

    def leaf(self, item):
        if self.numbers_too and type(item) is float:
            new = Variable(np.float64(item), requires_grad=True)
            self.made[id(new)] = new
            return new
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
        leaves = [
            leaf
            for leaf in optree.tree_leaves(result)
            if isinstance(leaf, Variable) and leaf.requires_grad
        ]
        given = [each for each in self.made.values() if isinstance(each, Variable)]
        second = second_derivatives(leaves[0], given) if self.twice and leaves else ()
        for leaf in leaves:
            leaf.backward(np.ones(leaf.shape, leaf.dtype), retain_graph=True)
        found = [*(v.grad for v in given), *second]
        return result, [None if g is None else g.data for g in found]


def second_derivatives(result, given):
    """The derivatives of the squares of the first ones."""
    options = {"allow_unused": True, "retain_graph": True}
    start = np.ones(result.shape, result.dtype)
    first = autograd.grad(result, given, start, create_graph=True, **options)
    squares = [np.sum(g * g) for g in first if g is not None and g.requires_grad]
    if not squares:
        return [None] * len(given)
    return autograd.grad(sum(squares[1:], squares[0]), given, **options)


def rounds(program, most=np.inf):
    """What is changed before some calls, and by what `x` is multiplied in them.

    Arguments are drawn as often as the program says, or at the most so often.
    """
    for change in ["", *program.changes]:
        if program.draws:
            yield change + DRAW, 1.0
            yield from [(DRAW, 1.0)] * (min(program.draws, most) - 1)
            continue
        for number, factor in enumerate(FACTORS):
            yield change if number == 0 else "", factor


def walk(program):
    """Call both with arrays, and compare all that can be seen, after each change.

    Give the traced function, and how many calls were errors.
    """
    untraced, world = World(program), World(program)
    traced, errors = srcgrad.trace(world.function), 0
    for number, (change, factor) in enumerate(rounds(program)):
        untraced.run(change)
        world.run(change)
        expected = Outcome(untraced, untraced.function, Call(factor))
        found = Outcome(world, traced, Call(factor), "default")
        errors += expected.error is not None
        ours, theirs = found.exact, expected.exact
        if not same(ours, theirs):
            assert ours == theirs, f"call {number}\n{traced.explain()}"
    return traced, errors


def check_traces(program, traced, errors=0):
    """What the title of a program says of its traces."""
    stats, text = traced.stats, traced.explain()
    if program.traces is not None:
        assert (stats.traces, stats.tape - errors) == (program.traces,) * 2, text
    if program.is_compiled:
        assert stats.compiled, text
    if program.refused is not None:
        assert not stats.compiled, text
        reasons = [
            each["reason"] for each in traced.explain(as_dict=True)["on_the_tape"]
        ]
        told = rf"part \d+>:\d+: .*{re.escape(program.refused)}"
        assert any(re.search(told, reason) for reason in reasons), text
        with pytest.raises(RuntimeError, match=rf"has no generated source: .*{told}"):
            traced.source()


def replayed(program, before, start):
    """The value at a start, in a world that has seen the same calls before."""
    world = World(program)
    for change, x in before[:-1]:
        world.run(change)
        called(world, world.function, x)
    world.run(before[-1][0])
    return called(world, world.function, start)


def called(world, function, x, *extra):
    extra = extra or world.names["extra"]
    with world, Said():
        try:
            return function(x, *extra, **world.names["options"])
        except Exception as error:
            return type(error), str(error)


def is_number(value):
    return isinstance(value, (float, np.floating))


def walk_by_tape(program):
    """The same of drawn arguments: values and gradients `by` some of them."""
    untraced, tape, world = World(program), World(program), World(program)
    traced, errors = srcgrad.trace(world.function), 0
    for number, (change, _) in enumerate(rounds(program)):
        for each in (untraced, tape, world):
            each.run(change)
        args = untraced.names["x"], *untraced.names["extra"]
        expected = called(untraced, untraced.function, *args)
        floats = tuple(i for i, arg in enumerate(args) if is_differentiable(arg))
        chosen = untraced.names.get("by", floats)
        with srcgrad.set_stance("tape"):
            on_tape = srcgrad.value_and_grad(tape.function, chosen)
            by_tape = called(tape, on_tape, *args)
        value, found = called(world, srcgrad.value_and_grad(traced, chosen), *args)
        with told(traced, number):
            if not (is_error(expected) or is_number(expected)):
                return None
            if is_error(expected) or is_error(by_tape):
                assert (value, found) in (expected, by_tape)
                errors += 1
                continue
            _, slopes = by_tape
            assert type(value) is type(expected)
            np.testing.assert_allclose(value, expected, 1e-12, 1e-13)
            for ours, theirs in zip(found, slopes, strict=True):
                np.testing.assert_allclose(ours, theirs, 1e-9, 1e-12)
        if number == 0 and untraced.names.get("is_smooth"):
            check_first_slope(program, change, args, chosen[0], slopes[0])
    return traced, errors


def check_first_slope(program, change, args, place, slope):
    """Differences, in a world that has seen no calls before."""

    def value(v):
        world = World(program)
        world.run(change)
        return called(world, world.function, *args[:place], v, *args[place + 1 :])

    steps = slope_of(value, args[place])
    atol = 1e-6 * max(1.0, float(np.max(np.abs(steps), initial=0.0)))
    np.testing.assert_allclose(slope, steps, 1e-5, atol)


def is_error(outcome):
    return isinstance(outcome, tuple) and isinstance(outcome[0], type)


def is_differentiable(arg):
    if isinstance(arg, np.ndarray):
        return arg.dtype.kind == "f"
    return is_number(arg)


# What an untraced function with Variables cannot do, and one with arrays can.
LIMITS = ("InplaceError", "a leaf Variable", "Variable")
# Two calls of these are with second derivatives: a recorded one, and a compiled one.
MOST_DRAWS = 6


def check_variables(program):
    """Call both with Variables; where untraced these cannot do it, as with arrays."""
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


def walk_by_grad(program):
    """Values and worlds of calls through `value_and_grad`, gradients by differences.

    Give what `walk` gives if all its calls could be differentiated, or else None.
    """
    if program.draws:
        return walk_by_tape(program)
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
            if number == 0:
                return None
            called(world, traced, x)
            is_differentiated = False
            continue
        value, gradient = called(world, srcgrad.value_and_grad(traced), x)
        if value is TypeError and "Variable" in gradient:  # what no tape can do
            return None
        if value is InplaceError and "has been written into" in gradient:  # nor this
            return None
        with told(traced, number):
            np.testing.assert_allclose(value, expected, 1e-12, 1e-15)
            ours, theirs = (Seen(True)(names_of(each)) for each in (world, untraced))
            if not same(ours, theirs):
                assert ours == theirs
            if factor != 1.0:  # one call of each round is enough
                check_differences(program, before, x, gradient)
    return (traced, 0) if is_differentiated else None


def check_differences(program, before, x, gradient):
    """The gradient of the last call, in worlds that have seen those before it."""
    again = partial(replayed, program, before)
    slope = slope_of(again, x)
    # What is small beside the rest is lost in a difference.
    atol = 1e-7 * max(1.0, float(np.max(np.abs(slope), initial=0.0)))
    assert (
        np.allclose(gradient, slope, rtol=1e-6, atol=atol)
        or is_slope_of_shorter_steps(gradient, again, x, slope)
        or is_between(gradient, slopes_beside(again, x), slope, atol)
    )


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
