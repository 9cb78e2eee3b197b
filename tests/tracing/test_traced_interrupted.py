"""Ctrl-C at any moment of a call leaves no state behind: the next calls are right."""

import random
import sys

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable, modes
from tests.conftest import mode_values

# Python itself swallows one that comes while a generator is closed.
pytestmark = pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)

X = np.array([0.5, -1.0, 2.0])


# A function of `sys.setprofile` holds on to the locals of what runs, in Python 3.10:
# arrays that a function has made are no more its own, which is an error then.
own_arrays = pytest.mark.skipif(
    sys.version_info < (3, 11), reason="locals are held by who looks on"
)


class Model:
    def __init__(self):
        self.W = np.eye(3) + 0.1
        self.rng = np.random.default_rng(3)
        self.hidden = np.zeros(3)

    def helper(self, x):
        return np.tanh(self.W @ x)

    def pure(self, x):
        """Nothing of it can be done halfway."""
        h = np.zeros(3)
        for k in range(3):
            h[k] = self.helper(x)[k] * 2.0
        return np.sum(h) if h[0] > -5.0 else 0.0

    def with_effects(self, x):
        noise = self.rng.normal(size=3)
        self.hidden = 0.5 * self.hidden + self.helper(x) + noise
        return np.sum(self.hidden**2)


class Interrupt:
    """Raise KeyboardInterrupt when so many functions have been entered."""

    def __init__(self, after):
        self.left = after

    def __call__(self, frame, event, arg):
        if event == "call":
            self.left -= 1
            if self.left == 0:
                sys.setprofile(None)
                raise KeyboardInterrupt

    def run(self, function, *args):
        sys.setprofile(self)
        try:
            function(*args)
        except KeyboardInterrupt:
            return True
        finally:
            sys.setprofile(None)
        return False


def by_value(traced):
    return traced(X.copy())


def by_variables(traced):
    x = Variable(X, requires_grad=True)
    traced(x).backward()
    return x.grad.data


def by_grad(traced):
    return srcgrad.grad(traced)(X)


CALLS = [by_value, by_variables, by_grad]


def moments(call, before):
    """How many functions are entered by a call that comes after so many others."""
    counter = Interrupt(-1)
    traced = srcgrad.trace(Model().pure)
    for _ in range(before):
        call(traced)
    counter.run(call, traced)
    return -1 - counter.left


@own_arrays
@pytest.mark.parametrize("before", [0, 1], ids=["recording", "compiled"])
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.seeds(1)
def test_the_next_calls_are_right(call, before, seed):
    value, gradient = srcgrad.value_and_grad(Model().pure)(X)
    expected = value if call is by_value else gradient
    count = moments(call, before)
    chosen = random.Random(seed).sample(range(1, count), min(12, count - 1))
    interrupted = 0
    for moment in sorted(chosen):
        traced = srcgrad.trace(Model().pure)
        for _ in range(before):
            call(traced)
        modes_before = mode_values(), modes.state.left_behind
        interrupted += Interrupt(moment).run(call, traced)
        assert (mode_values(), modes.state.left_behind) == modes_before, moment
        for _ in range(3):
            np.testing.assert_allclose(call(traced), expected, rtol=1e-12)
        assert traced.stats.compiled >= 2, (moment, traced.explain())
    # What was found once is not looked for again, so the last moments may not come.
    assert interrupted > len(chosen) // 2


@own_arrays
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.seeds(1)
def test_the_world_is_whole(call, seed):
    """What was interrupted may be done or not; arrays of ours are never left in it."""
    count = moments(call, 0)
    for moment in random.Random(seed).sample(range(1, count), 12):
        model = Model()
        traced = srcgrad.trace(model.with_effects)
        Interrupt(moment).run(call, traced)
        assert type(model.hidden) in (np.ndarray, Variable)
        state = model.rng.bit_generator.state
        other = Model()
        other.hidden = model.hidden
        other.rng.bit_generator.state = state
        for _ in range(3):
            ours, theirs = traced(X), other.with_effects(X)
            np.testing.assert_allclose(
                np.asarray(getattr(ours, "data", ours)),
                np.asarray(getattr(theirs, "data", theirs)),
                rtol=1e-12,
            )


def test_transforms_on_the_tape_leave_no_mode_changed():
    def f(x):
        return np.sum(np.array([x[0], srcgrad.grad(np.sin)(x[1])]) * float(x[2]))

    gradient = srcgrad.jacobian(srcgrad.grad(f))
    for each in (gradient, srcgrad.grad(f), lambda x: srcgrad.vjp(f, x)[1](1.0)):
        counter = Interrupt(-1)
        counter.run(each, X)
        for moment in random.Random(3).sample(range(1, -1 - counter.left), 30):
            before = mode_values()
            Interrupt(moment).run(each, X)
            assert mode_values() == before, moment
