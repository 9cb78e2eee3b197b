"""Python's numbers of the user's own Variables, under ``trace``: in the graph."""

import cmath
import functools
import json
import math
import operator
import random
import warnings

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from tests.differences import slope_of

POINTS = [np.array(p) for p in ([2.3, 3.1], [0.6, 1.7], [1.2, 0.4], [2.3, 3.1])]


def in_a_loop(x):
    t = 0.0
    for k in range(len(x)):
        t = t * x[k].item() + float(x[k])
    return t


def along_a_list(x):
    t = 0.0
    for v in x.tolist():
        t += v**2
    return t * x[0]


def in_both_arms(x):
    s = x[0].item() * 2 if x[0].item() > 1 else x[1].item()
    return s * np.sum(x)


def in_one_arm(x):
    s = 0.5
    if x[0] > 1:
        s = float(x[0])
    return s * np.sum(x)


def in_a_while(x):
    t = float(x[0])
    while t < 20.0:
        t = t * t + 1.0
    return t


def into_an_array(x):
    h = np.zeros(2)
    h[0] = float(x[0])
    h[1] = h[0] * x[1].item() ** 2
    return np.sum(h)


def into_a_variable(x):
    y = x * 2.0
    y[0] = float(x[1])
    return np.sum(y * y)


def on_the_tape(x):
    x.data  # noqa: B018 (what keeps the function on the tape)
    t = math.sin(float(x[0])) * sum(x.tolist())
    return t + np.sum(np.array(x.tolist()) ** 2) * min(x[0].item(), 9.0)


def on_the_tape_in_a_pattern(x):
    x.data  # noqa: B018
    match x[0].item():
        case float(v):
            return v * x[1]
        case _:
            return 0.0 * x[1]


def through_who_shuffles(x):
    x.data  # noqa: B018
    items = [x[0].item(), x[1].item(), 3.0]
    random.Random(1).shuffle(items)
    return items[0] * items[1] ** 2 * items[2] ** 3


PROGRAMS = {
    "float": lambda x: np.sum(x * float(x[0])),
    "item": lambda x: np.sum(x * x[0].item()),
    "item at a place": lambda x: np.sum(x * x.item(0)),
    "float as a result": lambda x: float(np.sum(x**2)),
    "what item is computed into": lambda x: np.sum(x**2).item() ** 2,
    "complex": lambda x: np.imag(np.exp(complex(0.0, x[0]))) * x[1],
    "complex of two": lambda x: (complex(x[0], x[1]) ** 2).real,
    "absolute": lambda x: abs(complex(x[0], x[1])),
    "elements of a list": lambda x: operator.mul(*x.tolist()) * x[0],
    "extremes": lambda x: max(x.tolist()) * min(x.tolist()) ** 2,
    "sum": lambda x: sum(x.tolist()) ** 2,
    "product": lambda x: math.prod(x.tolist()),
    "length": lambda x: math.hypot(float(x[0]), float(x[1])),
    "math of float": lambda x: math.sin(float(x[0])) * math.cos(x[1]),
    "cmath of float": lambda x: cmath.exp(complex(0.0, float(x[0]))).real * x[1],
    "mapped": lambda x: operator.mul(*map(float, x)),
    "reduced": lambda x: functools.reduce(lambda a, b: a * b, x.tolist()),
    "an array of numbers": lambda x: np.sum(np.array([float(x[0]), x[1].item()]) ** 2),
    "an array of a list": lambda x: np.sum(np.array(x.tolist()) ** 2 * x),
    "full": lambda x: np.sum(np.full(2, float(x[0])) * x),
    "a list to NumPy": lambda x: np.dot([x[0].item(), 2.0], x),
    "a bound": lambda x: np.sum(np.clip(x, None, 0.9 * x[0].item())),
    "an exponent": lambda x: 2.0 ** x[0].item() * x[1] ** float(x[0]),
    "the rest": lambda x: float(x[0]) // 1.0 * x[1] + float(x[0]) % 1.0 * x[1],
    "an integer": lambda x: round(float(x[0])) * x[1] + int(x[0].item()) * x[1],
    "a derivative": lambda x: srcgrad.grad(lambda t: t**3)(float(x[0])) * x[1],
    "in a derivative": lambda x: srcgrad.grad(lambda t: t**2 * x[0].item())(2.0),
    "a default": lambda x: (lambda a, b=float(x[0]): a * b)(x[1].item()),
    "linspace": lambda x: np.sum(np.linspace(0.0, float(x[0]), 4)) * x[1],
    "an open mesh": lambda x: np.sum(np.multiply(*np.ix_(x, x)) ** 2),
    "vectorize": lambda x: np.sum(np.vectorize(lambda v: v * float(x[0]))(x)),
    **{
        f.__name__: f
        for f in (in_a_loop, along_a_list, in_both_arms, in_one_arm, in_a_while)
    },
    **{f.__name__: f for f in (into_an_array, into_a_variable, on_the_tape)},
    **{f.__name__: f for f in (on_the_tape_in_a_pattern, through_who_shuffles)},
}


def number_of(result):
    return complex(result.value if isinstance(result, Variable) else result).real


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.filterwarnings("ignore:a number was taken out")
def test_a_number_of_a_variable_has_its_slope_under_trace(name):
    function = PROGRAMS[name]
    traced = srcgrad.trace(function)
    for point in POINTS:
        x = Variable(point.copy(), requires_grad=True)
        out = traced(x)
        untraced = functools.partial(
            lambda p: number_of(function(Variable(p))),
        )
        assert number_of(out) == pytest.approx(untraced(point), rel=1e-13)
        out.backward()
        expected = slope_of(untraced, point)
        np.testing.assert_allclose(x.grad.data, expected, rtol=1e-6, atol=1e-7)


def test_nothing_is_said_where_nothing_is_lost():
    names = [name for name in PROGRAMS if name != "through_who_shuffles"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in names:
            srcgrad.trace(PROGRAMS[name])(Variable(POINTS[0], requires_grad=True))


# ----- To all but derivatives they are numbers -----
KEPT = []


def kept(x):
    KEPT.append(x[0].item())
    KEPT.append({"loss": float(x[0]) * 2.0, "all": [x[1].item()]})
    return np.sum(x)


def kept_on_the_tape(x):
    x.data  # noqa: B018
    return kept(x)


def told(x):
    parts = f"{x[0].item()} {float(x[1])!r} {[x[0].item()]} {float(x[0]):.1f}"
    return parts + "%s" % x[1].item() + str(x[0].item()) + format(float(x[1]))  # noqa: UP031


def asked(x):
    a, b = x[0].item(), float(x[1])
    kinds = isinstance(a, float), isinstance(b, (int, float)), type(a), np.isscalar(b)
    return (*kinds, a == 2.3, b > 1.0, a in {2.3: 1}, a in [2.3], round(a, 1), int(b))


def told_by_a_library(x):
    return json.dumps({"a": x[0].item(), "b": [x[1].item()], "c": (1, x[0].item())})


def a_key(x):
    return {x[0].item(): 1.0, float(x[1]): 2.0}


def beside_the_loss(x):
    return (x * x)[0].data.item() * 1.0, x[0].item(), {"all": [x[1].item()]}


NUMBERS = (told, asked, told_by_a_library, a_key, beside_the_loss)


def on_tape(function):
    def run(x):
        x.data  # noqa: B018
        return function(x)

    return run


@pytest.mark.parametrize("function", NUMBERS)
@pytest.mark.filterwarnings("ignore:a number was taken out")
def test_a_number_of_a_variable_is_one(function):
    x = Variable(POINTS[0], requires_grad=True)
    for traced in (srcgrad.trace(function), srcgrad.trace(on_tape(function))):
        for _ in range(3):
            assert repr(traced(x)) == repr(function(x))


@pytest.mark.parametrize("function", [kept, kept_on_the_tape])
def test_what_is_kept_of_it_is_a_number(function):
    traced = srcgrad.trace(function)
    for _ in range(3):
        KEPT.clear()
        traced(Variable(POINTS[0], requires_grad=True))
        assert repr(KEPT) == "[2.3, {'loss': 4.6, 'all': [3.1]}]"


def test_a_number_without_a_gradient_stays_one():
    traced = srcgrad.trace(lambda x: (float(x[0]) * 2.0, x[1].item(), x.tolist()))
    for _ in range(3):
        assert repr(traced(Variable(POINTS[0]))) == "(4.6, 3.1, [2.3, 3.1])"
    with srcgrad.no_grad():
        out = traced(Variable(POINTS[0], requires_grad=True))
    assert repr(out) == "(4.6, 3.1, [2.3, 3.1])"


def test_a_library_that_knows_no_variables_loses_a_slope_with_a_warning():
    @srcgrad.trace
    def f(x):
        return float(json.loads(json.dumps([float(x[0])]))[0]) * x[1]

    for _ in range(3):
        with pytest.warns(RuntimeWarning, match="its gradient is lost"):
            f(Variable(POINTS[0], requires_grad=True))


# ----- Traced functions that call one another -----


@srcgrad.trace
def asked_for(x):
    return x[0].item()


@srcgrad.trace
def computed(x):
    return float(x[0]) * 2.0


class Model:
    @srcgrad.trace
    def asked_for(self, x):
        return {"all": [x[0].item(), computed(x)]}


def calling(x):
    return np.sum(x) * asked_for(x) + computed(x) * x[1]


def calling_a_method(x):
    number, twice = Model().asked_for(x)["all"]
    return np.sum(x) * number + twice * x[1]


@pytest.mark.parametrize("function", [calling, calling_a_method])
def test_what_item_gives_of_a_traced_function_is_a_number_to_who_calls_it(function):
    for traced in (srcgrad.trace(function), srcgrad.trace(on_tape(function))):
        for a, b in POINTS:
            x = Variable(np.array([a, b]), requires_grad=True)
            traced(x).backward()
            np.testing.assert_allclose(x.grad.data, [a + 2.0 * b, a + 2.0 * a])
