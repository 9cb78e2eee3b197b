"""Calls of SciPy's algorithms in traced functions: compiled as untraced, or refused."""

import functools
import math

import numpy as np
import pytest
from scipy import integrate, optimize, stats

import srcgrad
from srcgrad import Variable
from tests.differences import slope_of

TIMES = np.linspace(0.0, 1.0, 5)
RATE = 0.5
TABLE = {"k": 1.3}
LOG = []
EXACT = {"rtol": 1e-9, "atol": 1e-11}


class Model:
    def __init__(self):
        self.k, self.calls = 1.2, 0
        self.W = np.array([[0.1, 0.2], [0.3, -0.4]])

    def slope(self, t, y):
        return -self.k * np.tanh(self.W @ y)

    def counted(self, x):
        self.calls += 1
        return x * x - self.k


MODEL = Model()


def change(k):
    global RATE
    RATE = 0.5 + 0.1 * k
    TABLE["k"] = 1.3 + 0.1 * k
    MODEL.k = 1.2 + 0.1 * k
    MODEL.W[0, 0] = 0.1 * k


def states(slope, start, args=(), **options):
    options = {**EXACT, **options}
    found = integrate.solve_ivp(
        slope, (0.0, 1.0), start, t_eval=TIMES, args=args, **options
    )
    if not found.success:
        raise ValueError(found.message)
    return found.y


def decay(k, y):
    return -k * y


def decay_in_time(t, y, k):
    return -k * y


def reads_a_global(a):
    return np.sum(states(lambda t, y: -RATE * a * y, [1.0, 2.0]))


def reads_a_dict(a):
    return np.sum(states(lambda t, y: -TABLE["k"] * a * y, [1.0, 2.0]))


def calls_a_method(a):
    return a * np.sum(states(MODEL.slope, np.array([1.0, a])))


def calls_a_helper(a):
    return np.sum(states(lambda t, y: decay(a, y), [a, 2.0]))


def with_args(a):
    return np.sum(states(lambda t, y, k, b: -k * y + b, [1.0, 2.0], (a, RATE)))


def fills_an_array(a):
    def slope(t, y):
        found = np.zeros(3)
        for i in range(3):
            found[i] = -a * y[i] * (i + 1)
        return found

    return np.sum(states(slope, [1.0, 2.0, 3.0]))


def works_on_a_copy(a):
    def slope(t, y):
        y = y.copy()
        y[0] *= a
        return -y

    return np.sum(states(slope, [1.0, 2.0]))


def branches_by_state(a):
    def slope(t, y):
        return [-a * y[0] if y[0] > 0.7 else -0.7 * a, y[0]]

    return np.sum(states(slope, [1.0, 2.0]))


def of_what_it_gets(a):
    return (
        np.sum(states(lambda t, y: y, [a, 1.0]))
        + states(lambda t, y: [1.0, 0], [a, 1.0])[0, -1]
    )


def asks_how_it_went(a):
    found = integrate.solve_ivp(
        lambda t, y: -a * y, (0.0, 1.0), [1.0], t_eval=TIMES, **EXACT
    )
    return found.y[0, -1] + np.sum(found.t) + found.status


def by_odeint(a):
    y = integrate.odeint(lambda y, t, k: -k * y * y, np.array([1.0, a]), TIMES, (a,))
    z = integrate.odeint(lambda t, y: [-a * y[0] + t], [1.0], TIMES, tfirst=True)
    return np.sum(y[-1]) + z[-1, 0]


def by_quad(a):
    whole, _ = integrate.quad(lambda x, b, c: b * np.exp(-c * x), 0, a, args=(a, RATE))
    return whole + integrate.quad(lambda x: math.exp(-a * x * x), -np.inf, np.inf)[0]


def by_roots(a):
    def cube(x):
        return x**3 - a

    first = optimize.brentq(cube, 0.0, 3.0)
    second = optimize.root_scalar(cube, x0=1.0, fprime=lambda x: 3 * x**2).root
    third = optimize.newton(lambda x, b: x * x - b, 1.0, args=(a,))
    found = optimize.root(lambda x: [x[0] + x[1] ** 2 - a, x[0] - x[1]], [1.0, 1.0])
    last = optimize.fixed_point(lambda x: np.cos(0.5 * a * x), 0.5)
    fourth = optimize.fsolve(lambda x: x * x - a, [1.0])
    return first + second + third + found["x"][0] + fourth[0] + last


def of_minima(a):
    def loss(w):
        return np.sum((w - a) ** 2) + a * np.sum(np.cos(w))

    found = optimize.minimize(loss, np.ones(2), tol=1e-9)
    bounds = [(0.0, 1.0), (0.0, 4.0)]
    bounded = optimize.minimize(loss, np.ones(2), method="L-BFGS-B", bounds=bounds)
    of_one = optimize.minimize_scalar(lambda x: (x - a * a) ** 2 + x)
    return np.sum(found.x) + found.fun + np.sum(bounded.x) + of_one.x * of_one.fun


def of_least_squares(a):
    found = optimize.least_squares(
        lambda p, t: p[0] * np.exp(-p[1] * t) - np.exp(-a * t) - 0.1 * t,
        [1.0, 1.0],
        args=(TIMES,),
        **dict.fromkeys(("xtol", "ftol", "gtol"), 1e-13),
    )
    return found.x[1] + found.cost


def of_compositions(a):
    known, values = [0.0, 1.0, 4.0], [0.0, 1.0, 2.0]

    def slope(t, y):
        return a * np.polyval([1.0, -2.0, 0.5], y) - np.median([y[0], y[1], 9.0]) * y

    first = optimize.brentq(lambda x: 2.0 * stats.norm.cdf(x) - a, -3.0, 3.0)
    second = optimize.brentq(lambda x: np.interp(x, known, values) - a, 0.0, 4.0)
    return np.sum(states(slope, [0.3, 0.6])) + first + second


def curve(t, b, c):
    return b * np.exp(-c * t)


def of_curves(a):
    times = np.linspace(0.0, 2.0, 9)
    data = curve(times, a, RATE) + 0.01 * np.cos(9 * times)
    best, spread = optimize.curve_fit(curve, times, data)
    again, absolute = optimize.curve_fit(
        lambda t, b, c: curve(t, b * a, c),
        *(times, data, [1.0, 1.0]),
        sigma=np.full(9, 0.1),
        absolute_sigma=True,
        xtol=1e-13,
    )
    return np.sum(best) + np.sum(spread) + again[0] + absolute[1, 1]


def of_older_minimisers(a):
    def loss(x):
        return (x[0] - a) ** 2 + (x[1] * a - 1.0) ** 2

    exact = {"xtol": 1e-10, "ftol": 1e-12, "disp": False}
    first = optimize.fmin(loss, [0.0, 0.0], **exact)
    second = optimize.fmin_powell(loss, [0.0, 0.0], **exact)
    third = optimize.brent(lambda x: (x - a) ** 2, tol=1e-10)
    return np.sum(first) + second[1] + third * a


def of_a_partial(a):
    return optimize.brentq(functools.partial(lambda p, x: x * x - p, a), 0.0, 4.0)


def in_a_loop(a):
    total = 0.0
    for k in range(3):
        total += optimize.brentq(lambda x: x * x - a * (k + 1), 0.0, 8.0)  # noqa: B023
    return total


def of_lists(a):
    found = integrate.solve_ivp(
        decay_in_time, [0, 1], [1, 2], args=[a], t_eval=[0, 0.5, 1], **EXACT
    )
    again = integrate.solve_ivp(
        lambda t, y: decay(a, y), (0, 1), (1, a), t_eval=range(2), **EXACT
    )
    last = integrate.odeint(lambda y, t, k: -k * y, [1, 2], [0, 0.5, 1], args=(a,))
    least = optimize.minimize(lambda x: (x - a) ** 2 + a, 0.5, tol=1e-9)
    inside = optimize.minimize_scalar(lambda x: (x - a) ** 2 + a, bracket=(0, 1))
    cut, _ = integrate.quad(lambda x: a * abs(x - a / 4), 0, 1, points=[a / 4])
    return np.sum(found.y) + again.y[0, 1] + last[2, 0] + least.fun + inside.fun + cut


COMPILED = [
    *(reads_a_global, reads_a_dict, calls_a_method, calls_a_helper, with_args),
    *(fills_an_array, works_on_a_copy, branches_by_state, of_what_it_gets),
    *(asks_how_it_went, by_odeint, by_quad, by_roots, of_a_partial, in_a_loop),
    *(of_minima, of_least_squares, of_lists, of_curves, of_older_minimisers),
    of_compositions,
]


@pytest.mark.parametrize("function", COMPILED)
def test_it_is_one_node_of_the_graph(function):
    traced = srcgrad.trace(function)
    of_traced = srcgrad.value_and_grad(traced)
    for k, a in enumerate((1.5, 1.6, 1.45)):
        change(k)
        expected = function(a)
        value = traced(a)
        assert type(value) is type(expected)
        np.testing.assert_allclose(value, expected, rtol=1e-13)
        value, gradient = of_traced(a)
        np.testing.assert_allclose(value, expected, rtol=1e-13)
        by_tape = srcgrad.value_and_grad(function).untraced((a,), {})
        assert type(value) is type(by_tape[0])
        np.testing.assert_allclose(gradient, by_tape[1], rtol=1e-7)
        # What an algorithm finds is exact to some digits: the step is large.
        by_differences = slope_of(function, a, step=1e-4)
        np.testing.assert_allclose(gradient, by_differences, rtol=1e-3)
    assert traced.stats.compiled == 4, traced.explain()


def with_a_list(a):
    seen = []

    def residual(x):
        seen.append(x)
        return x * x - a

    return optimize.brentq(residual, 0.0, 4.0) * len(seen)


def with_a_list_in_args(a):
    seen = []

    def residual(x, a, seen):
        seen.append(x)
        return x * x - a

    return optimize.brentq(residual, 0.0, 4.0, args=(a, seen)) * len(seen)


def with_nonlocal(a):
    n = 0

    def residual(x):
        nonlocal n
        n += 1
        return x * x - a

    return optimize.brentq(residual, 0.0, 4.0) * n


def appends_outside(a):
    def residual(x):
        LOG.append(x)
        return x * x - a

    return optimize.brentq(residual, 0.0, 4.0)


def changes_an_object(a):
    return a * optimize.brentq(MODEL.counted, 0.0, 4.0)


def writes_into_what_it_gets(a):
    def residual(x):
        x[0] = x[0] * 1.0
        return x * x - a

    return optimize.fsolve(residual, np.array([1.0]))[0]


def draws(a):
    return optimize.brentq(lambda x: x * x - a + 0 * np.random.rand(), 0.0, 4.0)


def ignores_errors(a):
    def residual(x):
        with np.errstate(all="ignore"):
            return x * x - a + 0.0 * np.sqrt(x + 9.0)

    return optimize.brentq(residual, 0.0, 4.0)


def asks_for_counts(a):
    found = integrate.solve_ivp(lambda t, y: -a * y, (0.0, 1.0), [1.0], t_eval=TIMES)
    return found.nfev * a


def integrates_twice(a):
    def inner(x):
        return integrate.quad(lambda y: a * x * y, 0, 1)[0]

    return integrate.quad(inner, 0, 1.0)[0]


def prints(a):
    print("before")
    options = {"disp": True}
    return optimize.minimize(lambda x: (x - a) ** 2, [1.0], options=options).x[0]


def says_how_it_went(a):
    return optimize.fmin(lambda x: (x[0] - a) ** 2, [1.0])[0]


REFUSED = {
    says_how_it_went: "calls `fmin` without `disp=False`, so that it prints",
    prints: "calls `minimize` with `disp`, which prints",
    with_a_list: "leaves something behind in `residual`",
    with_a_list_in_args: "leaves something behind in `residual`",
    with_nonlocal: "leaves something behind in `residual`",
    appends_outside: "does more than compute, in a function that is called back",
    changes_an_object: "does more than compute, in a function that is called back",
    writes_into_what_it_gets: "changes an array in `residual`",
    draws: "draws by `rand`, in a function that is called back",
    ignores_errors: "calls `np.errstate` in a function that is called back",
    asks_for_counts: "reads `nfev` of what `solve_ivp` gives",
    integrates_twice: "calls `quad` in a function that is called back",
}


@pytest.mark.parametrize("function", REFUSED)
def test_what_is_refused_runs_on_the_tape(function):
    traced = srcgrad.trace(function)
    for a in (1.5, 1.6):
        before = MODEL.calls, len(LOG)
        expected = function(a)
        between = MODEL.calls, len(LOG)
        assert traced(a) == expected
        after = MODEL.calls, len(LOG)
        assert [x - y for x, y in zip(after, between, strict=True)] == [
            x - y for x, y in zip(between, before, strict=True)
        ]
    assert traced.stats.compiled == 0
    assert REFUSED[function] in traced.explain()


def test_an_error_is_scipys_own():
    traced = srcgrad.trace(lambda a: optimize.brentq(lambda x: x * x - a, 0.0, 2.0))
    for a in (2.0, 3.0):
        assert traced(a) ** 2 == pytest.approx(a)
    with pytest.raises(ValueError, match="must have different signs"):
        traced(5.0)
    assert traced(3.5) ** 2 == pytest.approx(3.5)
    assert traced.stats.compiled == 2


def test_a_way_that_was_not_seen_is_a_miss():
    def function(a):
        return optimize.brentq(lambda x: x - a if x > 0.5 else 3 * x - 4 * a, 0.0, 2.0)

    traced = srcgrad.trace(function)
    values = [traced(a) for a in (1.0, 1.2, 0.1, 0.12, 1.1)]
    assert values == [function(a) for a in (1.0, 1.2, 0.1, 0.12, 1.1)]
    gradients = [srcgrad.grad(traced)(a) for a in (1.0, 1.2, 0.1)]
    np.testing.assert_allclose(gradients, [1.0, 1.0, 4 / 3])


def test_how_it_ended_is_a_part_of_the_path():
    def function(a):
        found, exit_condition = optimize.leastsq(
            lambda x: [x[0] - a, x[1] * a - 1], [0.0, 0]
        )
        return found[1] * exit_condition

    traced = srcgrad.trace(function)
    for a in (1.5, 1.6, 1.45, 1.6, 1.45, 1.5):
        assert type(traced(a)) is np.float64
        assert traced(a) == pytest.approx(function(a), rel=1e-12)
    assert traced.stats.compiled >= 6
    for a in (1.5, 2.0):
        assert srcgrad.grad(function)(a) == pytest.approx(-function(a) / a)


@srcgrad.trace
def both(a, b):
    x = optimize.brentq(lambda x: x**3 + b * x - a, 0.0, 4.0)
    return x * x


@pytest.mark.parametrize("create_graph", [False, True])
def test_variables_go_through_it(create_graph):
    for a, b in ((1.5, 1.0), (1.6, 0.9)):
        found = []
        for stance in ("default", "tape"):
            leaves = [Variable(np.array(v), requires_grad=True) for v in (a, b)]
            with srcgrad.set_stance(stance):
                value = both(*leaves)
            grads = srcgrad.autograd.grad(value, leaves, create_graph=create_graph)
            if create_graph:
                grads += srcgrad.autograd.grad(grads[0], leaves)
            found.append([value.item(), *(g.item() for g in grads)])
        np.testing.assert_allclose(*found, rtol=1e-9)
    assert both.stats.compiled > 0


def test_second_derivatives_run_on_the_tape():
    def function(a):
        return optimize.brentq(lambda x: x * x - a, 0.0, 4.0)

    second = srcgrad.grad(srcgrad.grad(function))
    for a in (1.5, 2.0):
        assert second(a) == pytest.approx(-0.25 * a**-1.5)
        assert srcgrad.jvp(function, (a,), (1.0,))[1] == pytest.approx(0.5 * a**-0.5)


def writes_afterwards(a):
    w = np.array([1.0, 2.0])
    found = np.sum(optimize.fsolve(lambda x: x * x - w * a, np.ones(2)))
    w[0] = 4.0
    return found


@pytest.mark.parametrize("function", [in_a_loop, writes_afterwards])
@pytest.mark.parametrize("stance", ["default", "tape"])
def test_what_it_reads_is_as_it_was_on_the_way_back(function, stance):
    with srcgrad.set_stance(stance):
        slopes = [srcgrad.grad(function)(a) for a in (1.5, 1.6)]
    expected = [slope_of(function, a) for a in (1.5, 1.6)]
    np.testing.assert_allclose(slopes, expected, rtol=1e-6)
