"""What functions take from around them is differentiated as what is in ``args``."""

import dataclasses
import functools
import math

import numpy as np
import pytest
import scipy.integrate
import scipy.optimize

import srcgrad
from srcgrad.scipy import integrate, optimize
from srcgrad.scipy.captures import captured, opened
from tests.variables import variable

GLOBAL = variable(2.0)


def of_global(x):
    return x * x - GLOBAL


def of_cell(a):
    return lambda x: x * x - a


def of_tuple(a):
    pair = (a, 1.0)
    return lambda x: x * x - pair[0] * pair[1]


def of_default(a):
    return lambda x, a=a: x * x - a


def of_inner_function(a):
    def square(x):
        return x * x - a

    return lambda x: sum(square(each) for each in (x,))


def of_partial(a):
    return functools.partial(lambda x, a: x * x - a, a=a)


def of_itself(a):
    def f(x, depth=1):
        return f(x, depth - 1) if depth else x * x - a

    return f


class Square:
    def __init__(self, a):
        self.terms = [{"a": a}]
        self.itself = self

    def __call__(self, x):
        return x * x - self.itself.terms[0]["a"]


class Buffered:
    def __init__(self, a):
        self.work, self.powers = np.zeros(2), np.zeros(2)
        self.powers[0], self.powers[1] = a, 1.0

    def residual(self, x):
        self.work[0] = x * x - self.powers[0]
        self.work[1] = 0.0
        return self.work[0] * self.powers[1] + self.work[1]


class Slots:
    __slots__ = ("a", "nothing")

    def __init__(self, a):
        self.a = a

    @property
    def value(self):
        return self.a

    def residual(self, x):
        return x * x - self.value


@dataclasses.dataclass(frozen=True)
class Model:
    parts: tuple[Slots, ...]

    def residual(self, x):
        return sum(part.residual(x) for part in self.parts)


def of_method(a):
    return Square(a).__call__


def of_object(a):
    return Square(a)


def of_slots(a):
    return Slots(a).residual


def of_buffers(a):
    return Buffered(a).residual


def of_model(a):
    model = Model((Slots(a),))
    return lambda x: model.residual(x)


@pytest.mark.parametrize(
    "make",
    [of_cell, of_tuple, of_default, of_inner_function, of_partial, of_itself],
)
def test_where_a_function_finds_a_variable(make):
    found = srcgrad.grad(lambda a: optimize.brentq(make(a), 0.0, 5.0, xtol=1e-14))(2.0)
    assert found == pytest.approx(0.5 / np.sqrt(2.0))


def test_a_global():
    optimize.brentq(of_global, 0.0, 5.0).backward()
    assert GLOBAL.grad.item() == pytest.approx(0.5 / np.sqrt(2.0))


@pytest.mark.parametrize("make", [of_method, of_object, of_slots, of_model, of_buffers])
def test_where_an_object_holds_a_variable(make):
    def root(a):
        return scipy.optimize.brentq(make(a), 0.0, 5.0, xtol=1e-14)

    for function in (root, srcgrad.trace(root)):
        gradient = srcgrad.grad(function)
        for a in (2.0, 3.0, 2.0):
            assert gradient(a) == pytest.approx(0.5 / np.sqrt(a))
    assert srcgrad.trace(root)(variable(4.0)).requires_grad


def test_a_variable_that_is_in_no_attribute_is_an_error():
    hidden = iter([variable(2.0)] * 99)
    for call in (
        lambda: optimize.brentq(lambda x: x * x - next(hidden), 0.0, 5.0),
        lambda: integrate.solve_ivp(
            lambda t, y: y * next(hidden), (0.0, 1.0), [1.0], args=()
        ),
        lambda: integrate.odeint(lambda y, t: y * next(hidden), [1.0], [0.0, 1.0]),
    ):
        with pytest.raises(srcgrad.NoRuleError, match="pass it on"):
            call()


def test_in_a_transformed_function_under_scipys_own_names():
    def loss(k):
        end = scipy.integrate.solve_ivp(
            lambda t, y: -k * y, (0.0, 1.0), [1.0], rtol=1e-9, atol=1e-9
        ).y[0, -1]
        area = scipy.integrate.dblquad(
            lambda y, x: k * x * y, 0.0, 1.0, lambda x: 0.0, lambda x: k * x
        )[0]
        least = scipy.optimize.minimize_scalar(lambda x: (x - k) ** 2).x
        return end + area + least

    expected = -np.exp(-2.0) + 1.5 + 1.0
    assert srcgrad.grad(loss)(2.0) == pytest.approx(expected, rel=1e-6)


def test_args_and_what_is_around_together():
    def area(a, b):
        return integrate.quad(lambda x, b: a * x + b, 0.0, 1.0, args=(b,))[0]

    assert srcgrad.grad(area, argnums=(0, 1))(2.0, 3.0) == pytest.approx((0.5, 1.0))


def test_what_is_captured_and_what_is_opened():
    a = variable(2.0)
    function = of_cell(a)
    assert captured([function, np.sum, len]) == [a]
    assert captured(lambda x: x) == []
    assert opened(function, [a])(3.0, 1.0) == 8.0


def of_arrays(t, y, k):
    return np.array([-k * y[0], k * y[0] - math.sqrt(k) * y[1]])


def of_a_buffer(t, y, k):
    slope = np.zeros(2)
    slope[0] = -k * y[0]
    slope[1] = -slope[0] - math.sqrt(k) * y[1]
    return slope


@pytest.mark.parametrize("slope", [of_arrays, of_a_buffer])
def test_a_function_that_is_handed_to_scipy_is_followed(slope):
    def end(k):
        return scipy.integrate.solve_ivp(
            slope, (0.0, 1.0), np.array([1.0, 0.0]), args=(k,), rtol=1e-9, atol=1e-9
        ).y[1, -1]

    difference = (end(2.0 + 1e-5) - end(2.0 - 1e-5)) / 2e-5
    assert srcgrad.grad(end)(2.0) == pytest.approx(difference, rel=1e-5)


calls, scale = 0, None


class Counting:
    """What a function changes is seen, as often as SciPy's algorithm calls it."""

    def __init__(self, k):
        self.k, self.seen, self.last = k, [], None
        self.state = {"k": k, "calls": 0, "gone": None}

    def residual(self, x):
        global calls
        calls -= 1
        note_call()
        calls += 1
        self.state["calls"] += 1
        self.state.pop("gone", None)
        self.seen.append(float(x))
        self.last = self.state
        return x * x - self.k * self.state["k"] * scale


def note_call():
    global calls
    calls += 1


def counted(k):
    global calls, scale
    calls, scale = 0, k
    counting = Counting(k)
    root = scipy.optimize.brentq(counting.residual, 0.0, 5.0)
    is_own = counting.last is counting.state and "gone" not in counting.state
    return root, (calls, counting.state["calls"], len(counting.seen), is_own)


def test_effects_are_those_of_the_algorithm():
    _, expected = counted(2.0)
    assert expected == (calls, calls, calls, True)
    gradient, found = srcgrad.grad(counted, has_aux=True)(2.0)
    assert gradient == pytest.approx(1.5 * np.sqrt(2.0))  # of k ** 1.5
    assert found == expected


def test_what_is_bound_anew_before_the_way_back():
    square = Square(variable(2.0))
    a, root = square.terms[0]["a"], optimize.brentq(square, 0.0, 5.0)
    square.terms[0]["a"], square.itself = variable(3.0), None
    root.backward()
    assert a.grad.item() == pytest.approx(0.5 / np.sqrt(2.0))
