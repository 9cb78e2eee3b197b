"""Long runs of calls that are hard on a tracer: most never repeat.

Each is a function, and the arguments of its calls: the first is a Variable or holds
some.
"""

import itertools
import random
from collections.abc import Callable, Iterator

import numpy as np

from srcgrad import Variable

Calls = Iterator[tuple]


def leaf(value) -> Variable:
    """Return a Variable to differentiate by."""
    return Variable(value, requires_grad=True)


def powers(x, n):
    return np.sum(np.tanh(x) * n + np.exp(-x)) * 2.0


def sums(x):
    return np.sum(np.tanh(x) * 3 + np.exp(-x)) * 2.0


def alternating() -> Calls:
    """A step counter, and a fixed value, in turn."""
    return ((leaf(np.ones(5)), n if n % 2 else 0) for n in itertools.count())


def ever_new() -> Calls:
    return ((leaf(np.ones(5)), n) for n in itertools.count())


def batches() -> Calls:
    generator = np.random.default_rng(0)
    return ((leaf(np.ones(generator.integers(1, 100))),) for _ in itertools.count())


def matrices() -> Calls:
    draw = random.Random(0).randint
    return ((leaf(np.ones((draw(1, 30), draw(1, 30)))),) for _ in itertools.count())


def growing() -> Calls:
    return ((leaf(np.ones(n % 2000 + 1)),) for n in itertools.count())


def scaled(x, n):
    return x * x * n + x


def two_values() -> Calls:
    return ((leaf(0.5), n % 2) for n in itertools.count())


def titled(x, text):
    return x * x * len(text) + x / 3.0


def texts() -> Calls:
    return ((leaf(0.5), f"step {n}") for n in itertools.count())


def squared(x, items):
    return x * x * 2.0 + x


def unhashable() -> Calls:
    return ((leaf(0.5), {1, 2, n % 50}) for n in itertools.count())


def chosen(x, signs):
    for sign in signs:
        x = np.tanh(x) * 1.1 if sign > 0.5 else x + 0.3
    return x


def random_signs() -> Calls:
    draw = np.random.default_rng(0).random
    return ((leaf(np.ones(9)), draw(6).tolist()) for _ in itertools.count())


def mixed(x, y):
    return np.sum(x * y + x)


def kinds() -> Calls:
    draw = random.Random(0)
    floats = "f2 f4 f8 c8 c16 g".split()
    others = [*floats, *"i1 i2 i4 i8 u1 u2 u4 u8 ?".split()]
    return (
        (leaf(np.ones(4, draw.choice(floats))), np.ones(4, draw.choice(others)))
        for _ in itertools.count()
    )


def grown(x):
    return x if x > 100.0 else grown(x * 1.5 + 1.0)


def anywhere() -> Calls:
    draw = random.Random(0).uniform
    return ((leaf(draw(0.0, 100.0)),) for _ in itertools.count())


def squares(xs):
    total = 0.0
    for x in xs:
        total = total + x * x
    return total


def lists() -> Calls:
    draw = random.Random(0).randint
    return (([leaf(0.5) for _ in range(draw(1, 30))],) for _ in itertools.count())


def weighed(named):
    total = 0.0
    for name, x in named.items():
        total = total + x * len(name)
    return total


def dicts() -> Calls:
    draw = random.Random(0).randint
    return (
        ({f"w{draw(0, 99)}": leaf(0.5) for _ in range(4)},) for _ in itertools.count()
    )


def called(x, function):
    return np.sum(np.tanh(function(x)) * x)


def closures() -> Calls:
    def make(n: int) -> Callable:
        return lambda x: x * n

    return ((leaf(np.ones(3)), make(n)) for n in itertools.count())


class Model:
    """An object that is made for each call."""

    def __init__(self, w, is_big):
        self.w, self.is_big = w, is_big

    def run(self, x):
        return x * self.w + (1.0 if self.is_big else 2.0)


def ran(x, model):
    return model.run(x)


def models() -> Calls:
    draw = random.Random(0).random
    return (
        (leaf(np.ones(3)), Model(np.ones(3) * n, draw() < 0.5))
        for n in itertools.count()
    )


COUNTED = {"calls": 0}


def counted(x):
    COUNTED["calls"] += 1
    return x * x + COUNTED["calls"]


def scalars() -> Calls:
    return ((leaf(0.5),) for _ in itertools.count())


def untraceable(x):
    y = np.tanh(x) * x
    return np.sum(np.exp(y)) + float(id(y) % 7)


def vectors() -> Calls:
    return ((leaf(np.ones(5)),) for _ in itertools.count())


def deep(x, signs):
    for sign in signs:
        x = np.tanh(x) if sign > 0.5 else np.sqrt(x * x + 0.3)
    return np.sum(x)


def long_vectors() -> Calls:
    draw = np.random.default_rng(0).random
    return ((leaf(np.ones(20_000)), draw(6).tolist()) for _ in itertools.count())


# The name of a run, its function, the calls, and how many of them.
RUNS = (
    ("a step counter and a fixed value", powers, alternating, 10_000),
    ("a step counter", powers, ever_new, 10_000),
    ("batches of 1 to 99", sums, batches, 10_000),
    ("matrices of any shape", sums, matrices, 10_000),
    ("vectors that grow", sums, growing, 10_000),
    ("two values of a number", scaled, two_values, 10_000),
    ("texts, each a new one", titled, texts, 10_000),
    ("sets, which no key may be", squared, unhashable, 10_000),
    ("branches at random", chosen, random_signs, 10_000),
    ("dtypes at random", mixed, kinds, 10_000),
    ("recursion, by values", grown, anywhere, 10_000),
    ("lists of any length", squares, lists, 5_000),
    ("dicts with any keys", weighed, dicts, 10_000),
    ("closures, each a new one", called, closures, 10_000),
    ("objects, each a new one", ran, models, 10_000),
    ("a counter outside", counted, scalars, 10_000),
    ("what cannot be traced", untraceable, vectors, 10_000),
    ("branches at random, of long vectors", deep, long_vectors, 1_000),
)
