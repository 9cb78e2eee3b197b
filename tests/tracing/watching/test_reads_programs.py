"""What is read outside is read afresh at each call: the untraced function is right.

Each program has changes of its world; after each the traced function is called three
times, and gives what the untraced one gives, with the same gradients. How many of these
calls ran compiled is told, so that nothing falls back unseen.
"""

import contextlib
import dataclasses
import enum
import functools
import random
import types
from collections import namedtuple

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from tests.tracing.comparing import plain

X = np.array([0.5, -1.0, 2.0])


def parameter(*values):
    return Variable(np.array(values), requires_grad=True)


class Layer:
    scale = 2.0

    def __init__(self, *values):
        self.W = parameter(*values)
        self.b = np.zeros(3)
        self.on = True

    def __call__(self, x):
        return np.tanh(x * self.W + self.b) * self.scale if self.on else x


class Deeper(Layer):
    @property
    def half(self):
        return self.scale / 2.0

    @staticmethod
    def twice(x):
        return x * 2.0

    @classmethod
    def scaled(cls, x):
        return x * cls.scale

    def __call__(self, x):
        return Layer.__call__(self, self.twice(self.scaled(x))) * self.half


class Slots:
    __slots__ = ("rate",)

    def __init__(self, rate):
        self.rate = rate


@dataclasses.dataclass
class Config:
    rate: float = 0.1
    steps: int = 2
    names: tuple = ("a", "b")


class Mode(enum.Enum):
    LINEAR = 1
    SQUARE = 2


Point = namedtuple("Point", "x y")


def world():
    return types.SimpleNamespace(
        net=Deeper(1.0, 2.0, 3.0),
        layers=[Layer(1.0, 2.0, 3.0), Layer(0.5, 0.5, 0.5)],
        params={"W": parameter(1.0, 2.0, 3.0), "b": np.ones(3), "n": 2},
        config=Config(),
        rate=0.5,
        count=2,
        name="tanh",
        mode=Mode.LINEAR,
        point=Point(1.0, parameter(1.0, 1.0, 1.0)),
        slots=Slots(0.3),
        weights=np.array([1.0, 2.0, 3.0]),
        single=np.float32(2.0),
        function=np.tanh,
        partial=functools.partial(np.multiply, 3.0),
        keys={"a", "b"},
        flag=None,
    )


def tripled(x):
    return x * 3.0


# ----- Programs: w is the world, as a closure's variable -----


def programs(w):
    default = w.weights

    def reads_objects(x):
        return w.net(x).sum()

    def reads_layers(x):
        for layer in w.layers:
            x = layer(x)
        return x.sum()

    def reads_dict(x):
        for _ in range(w.params["n"]):
            x = x * w.params["W"] + w.params["b"]
        return x.sum()

    def reads_items(x):
        return sum(np.sum(p) for p in w.params.values()) * x.sum()

    def reads_config(x):
        for _ in range(w.config.steps):
            x = x - w.config.rate * x
        return x.sum() * len(w.config.names)

    def reads_numbers(x):
        return (x**w.count * w.rate * w.weights * w.single).sum()

    def reads_names(x):
        return getattr(np, w.name)(x).sum() if w.name != "none" else x.sum()

    def reads_mode(x):
        return x.sum() if w.mode is Mode.LINEAR else (x * x).sum()

    def reads_tuple(x):
        a, b = w.point
        return (x * a * b).sum() + w.point.x

    def reads_slots(x):
        return x.sum() * w.slots.rate

    def reads_function(x):
        return w.function(x).sum() + w.partial(x).sum()

    def reads_default(x, y=default, *, z=default):
        return (x * y * z).sum()

    def reads_set(x):
        return x.sum() * (2.0 if "a" in w.keys else 3.0)

    def reads_flag(x):
        return x.sum() if w.flag is None else (x * w.flag).sum()

    return {
        function.__name__: function
        for function in locals().values()
        if isinstance(function, types.FunctionType)
    }


def setting(path, value):
    """A change of an attribute somewhere in the world."""

    def change(w):
        *owners, last = path.split(".")
        for owner in owners:
            w = w[int(owner)] if owner.isdigit() else getattr(w, owner)
        setattr(w, last, value() if callable(value) else value)

    return change


def item(name, key, value):
    return lambda w: getattr(w, name).__setitem__(key, value)


CHANGES = {
    "reads_objects": [
        setting("net.W", lambda: parameter(3.0, 2.0, 1.0)),
        lambda w: w.net.W.data.fill(5.0),
        setting("net.b", np.ones(3)),
        lambda w: w.net.b.fill(7.0),
        setting("net.scale", 5.0),
        setting("net.on", False),
        setting("net", lambda: Deeper(1.0, 1.0, 1.0)),
        setting("net", lambda: Layer(1.0, 1.0, 1.0)),
    ],
    "reads_layers": [
        lambda w: w.layers.append(Layer(1.0, 1.0, 1.0)),
        lambda w: w.layers.reverse(),
        lambda w: w.layers.pop(),
        setting("layers.0.b", np.full(3, 0.5)),
        lambda w: w.layers.__setitem__(1, w.layers[0]),
        lambda w: w.layers.__setitem__(1, lambda x: x * 2.0),
        lambda w: w.layers.clear(),
    ],
    "reads_dict": [
        item("params", "n", 3),
        item("params", "n", True),
        item("params", "b", np.zeros(3)),
        item("params", "b", parameter(1.0, 1.0, 1.0)),
        lambda w: w.params.update(b=w.params["W"]),
        lambda w: w.params.update(extra=1),
    ],
    "reads_items": [
        lambda w: w.params.update(extra=parameter(1.0, 2.0)),
        lambda w: w.params.pop("extra"),
        item("params", "n", 7),
    ],
    "reads_config": [
        setting("config.rate", 0.7),
        setting("config.steps", 3),
        setting("config.names", ("a",)),
        setting("config", lambda: Config(0.2, 1)),
    ],
    "reads_numbers": [
        setting("count", 3),
        setting("count", 3.0),
        setting("rate", np.float64(0.25)),
        setting("weights", np.array([1.0, 2.0, 3.0], np.float32)),
        setting("weights", 2.0),
        lambda w: setattr(w, "weights", X),
        setting("single", np.float64(2.0)),
    ],
    "reads_names": [setting("name", "sin"), setting("name", "none")],
    "reads_mode": [setting("mode", Mode.SQUARE), setting("mode", 1)],
    "reads_tuple": [
        setting("point", lambda: Point(2.0, parameter(1.0, 2.0, 3.0))),
        setting("point", lambda: Point(2, parameter(1.0, 2.0, 3.0))),
    ],
    "reads_slots": [setting("slots.rate", 0.9), setting("slots.rate", 1)],
    "reads_function": [
        setting("function", lambda: np.sin),
        setting("function", lambda: tripled),
        setting("partial", lambda: functools.partial(np.multiply, 4.0)),
    ],
    "reads_default": [lambda w: w.weights.fill(2.0)],
    "reads_set": [lambda w: w.keys.discard("a"), lambda w: w.keys.clear()],
    "reads_flag": [
        setting("flag", 2.0),
        setting("flag", lambda: parameter(1.0, 2.0, 3.0)),
    ],
}


def result_and_gradients(function, w):
    x = Variable(X.copy(), requires_grad=True)
    found = [x, *_parameters(w)]
    for variable in found:
        variable.grad = None
    out = function(x)
    out.backward()
    return plain(out), [None if v.grad is None else plain(v.grad) for v in found]


def _parameters(w):
    layers = [w.net, *(each for each in w.layers if isinstance(each, Layer))]
    holders = [*w.params.values(), w.point[1], w.flag, *(each.W for each in layers)]
    return [each for each in holders if isinstance(each, Variable)]


@pytest.mark.parametrize("name", CHANGES)
def test_a_program_sees_each_change_of_its_world(name):
    w = world()
    function = programs(w)[name]
    traced = srcgrad.trace(function)
    for change in (lambda w: None, *CHANGES[name]):
        change(w)
        for _ in range(3):
            ours, theirs = (result_and_gradients(f, w) for f in (traced, function))
            assert ours == theirs
    calls = 3 * (1 + len(CHANGES[name]))
    assert traced.stats.compiled >= calls - len(CHANGES[name]) - 1, traced.explain()


def outcome(function, w):
    try:
        return result_and_gradients(function, w)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.seeds(3)
def test_programs_see_changes_in_any_order(seed):
    choose = random.Random(seed).choice
    changes = [change for each in CHANGES.values() for change in each]
    w = world()
    functions = programs(w)
    traced = {name: srcgrad.trace(function) for name, function in functions.items()}
    for _ in range(25):
        # There may be nothing left to change, or something of another kind.
        with contextlib.suppress(LookupError, AttributeError):
            choose(changes)(w)
        for name, function in functions.items():
            for _ in range(2):
                assert outcome(traced[name], w) == outcome(function, w), name
    assert sum(each.stats.compiled for each in traced.values()) > 300


# ----- Identity -----


def test_two_names_for_one_variable_are_told_apart_from_two_variables():
    w = types.SimpleNamespace(a=parameter(1.0, 2.0, 3.0))
    w.b = w.a
    function = lambda x: (x * w.a * w.b).sum()  # noqa: E731
    traced = srcgrad.trace(function)
    for _ in range(2):
        for _ in range(3):
            found = []
            for f in (traced, function):
                w.a.grad = w.b.grad = None
                f(X).backward()
                found.append((plain(w.a.grad), plain(w.b.grad)))
            assert found[0] == found[1]
        w.b = parameter(3.0, 2.0, 1.0)
    assert traced.stats.compiled == 4


def test_an_argument_may_be_what_is_read_outside():
    w = types.SimpleNamespace(a=parameter(1.0, 2.0, 3.0))
    other = parameter(1.0, 1.0, 1.0)
    function = lambda v: (v * w.a).sum()  # noqa: E731
    traced = srcgrad.trace(function)
    for v in (w.a, other, w.a, other):
        found = []
        for f in (traced, function):
            v.grad = w.a.grad = None
            f(v).backward()
            found.append((plain(v.grad), plain(w.a.grad)))
        assert found[0] == found[1]
    assert traced.stats.compiled == 2


def test_is_compares_objects_outside():
    w = types.SimpleNamespace(a=Layer(1.0, 1.0, 1.0))
    w.b = w.a
    traced = srcgrad.trace(lambda x: x * (2.0 if w.a is w.b else 3.0))
    for _ in range(2):
        assert plain(traced(X)) == plain(X * 2.0)
    w.b = Layer(1.0, 1.0, 1.0)
    for _ in range(2):
        assert plain(traced(X)) == plain(X * 3.0)
    w.b = w.a
    assert plain(traced(X)) == plain(X * 2.0)
    assert traced.stats.compiled == 3


# ----- Objects as arguments -----


def step(state, config):
    for _ in range(config.steps):
        state = state * (1.0 - config.rate)
    return state.sum()


def test_an_object_as_an_argument_is_looked_into():
    traced = srcgrad.trace(step)
    for config in (Config(), Config(0.5), Config(0.5, 3), Config(0.1, 2)):
        for _ in range(2):
            assert plain(traced(X, config)) == plain(step(X, config))
    assert traced.stats.traces == 2
    assert traced.stats.compiled == 6


def test_one_object_given_twice_is_told_apart_from_two():
    function = lambda a, b: a.W * 2.0 + b.W  # noqa: E731
    traced = srcgrad.trace(function)
    one, two = Layer(1.0, 2.0, 3.0), Layer(4.0, 5.0, 6.0)
    for a, b in [(one, one), (one, two), (two, one), (two, two)] * 2:
        assert plain(traced(a, b)) == plain(function(a, b))
    assert traced.stats.compiled >= 4


# ----- What is refused -----


class Computed:
    __getattr__ = staticmethod(len)


class Odd:
    W = 1.0

    def __getattribute__(self, name):
        return object.__getattribute__(self, name)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (Computed, "which its class computes"),
        (Odd, "a Odd"),
        (lambda: types.SimpleNamespace(W=bytearray(b"a")), "bytearray"),
        (lambda: types.SimpleNamespace(W=np.ma.array([1.0])), "MaskedArray"),
        (lambda: types.SimpleNamespace(W=np.array(["a"], object)), "dtype object"),
    ],
)
def test_what_cannot_be_told_stays_on_the_tape(make, reason):
    w = make()

    def function(x):
        w.W  # noqa: B018
        return x * 2.0

    traced = srcgrad.trace(function)
    for _ in range(3):
        assert plain(traced(X)) == plain(X * 2.0)
    assert traced.stats.compiled == 0
    assert reason in traced.explain()
