"""Optimisers and samplers that call a traced function thousands of times."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
import scipy.optimize

import srcgrad

RNG = np.random.default_rng(29)
X = RNG.normal(size=(40, 3))
Y = np.tanh(X @ np.array([0.5, -1.0, 0.3]) + 0.2)
TIMES = np.linspace(0.0, 2.0, 15)
DATA = 2.0 * np.exp(-1.3 * TIMES) + 0.5


def assert_mostly_compiled(traced, calls):
    assert traced.stats.calls >= calls
    assert traced.stats.compiled > 0.95 * traced.stats.calls, traced.explain()


def on_the_tape(function):
    """Value and gradient without any generated code."""
    transform = srcgrad.value_and_grad(function)
    return lambda *args: transform.untraced(args, {})


@pytest.fixture(params=["traced", "tape"])
def differentiated(request):
    """Makes the value and gradient of a function; what is traced is checked after."""
    made = []

    def make(function):
        if request.param == "tape":
            return on_the_tape(function)
        made.append(srcgrad.trace(function))
        return srcgrad.value_and_grad(made[-1])

    make.is_traced = request.param == "traced"
    yield make
    for traced in made:
        assert_mostly_compiled(traced, 100)


class Net:
    """Parameters in a dict, rebound at each step; a rate that a schedule changes."""

    def __init__(self):
        rng = np.random.default_rng(0)
        self.rate, self.steps = 0.05, 0
        self.params = {"W": 0.5 * rng.normal(size=(3, 4)), "b": np.zeros(4)}
        self.out = rng.normal(size=4)
        self.losses = []

    def loss(self, params, x, y):
        h = np.tanh(x @ params["W"] + params["b"])
        value = np.mean((h @ self.out - y) ** 2) + 1e-3 * np.sum(params["W"] ** 2)
        self.losses.append(float(value))
        return value


def test_minibatches(differentiated):
    net = Net()
    gradient = differentiated(net.loss)
    momentum = {name: np.zeros_like(p) for name, p in net.params.items()}
    for epoch in range(100):
        for first in range(0, len(X), 16):  # the last batch is smaller
            batch = slice(first, first + 16)
            _, slopes = gradient(net.params, X[batch], Y[batch])
            for name in net.params:
                momentum[name] = 0.9 * momentum[name] + slopes[name]
            net.params = {
                name: p - net.rate * momentum[name] for name, p in net.params.items()
            }
        net.rate = 0.05 / (1 + 0.05 * epoch)
    assert len(net.losses) == 300
    assert all(type(loss) is float for loss in net.losses)
    assert net.losses[-1] < 0.02


@dataclass
class Target:
    centre: np.ndarray
    scale: float
    evaluations: int = 0

    def potential(self, q):
        self.evaluations += 1
        z = (q - self.centre) / self.scale
        return 0.5 * np.sum(z**2) + 0.1 * np.sum(np.log1p(z**2))


def test_hamiltonian_monte_carlo(differentiated):
    target = Target(np.array([1.0, -1.0]), 0.5)
    gradient = differentiated(target.potential)
    rng = np.random.default_rng(5)
    q, samples = np.zeros(2), []
    for _ in range(60):
        p = rng.normal(size=2)
        value, slope = gradient(q)
        start, new = value + 0.5 * p @ p, q
        for _ in range(5):
            p = p - 0.1 * slope
            new = new + 0.2 * p
            value, slope = gradient(new)
            p = p - 0.1 * slope
        if rng.uniform() < math.exp(min(0.0, start - value - 0.5 * p @ p)):
            q = new
        samples.append(q)
    assert target.evaluations == 360
    expected = [1.0, -1.0]
    np.testing.assert_allclose(np.mean(samples[20:], axis=0), expected, atol=0.4)


def model(p, t, offset=0.0):
    return p[0] * np.exp(-p[1] * t) + p[2] + offset


def cost(p, t, y, weights):
    return np.sum(weights * (model(p, t) - y) ** 2)


@pytest.mark.parametrize("method", ["BFGS", "L-BFGS-B", "CG", "TNC", "SLSQP"])
def test_minimize_with_args(method):
    traced = srcgrad.trace(cost)
    gradient = srcgrad.value_and_grad(traced)
    for weight in (1.0, 2.0, 3.0):
        args = TIMES, DATA, np.full(15, weight)
        found = scipy.optimize.minimize(
            gradient, np.array([1.0, 1.0, 0.0]), args, jac=True, method=method
        )
        np.testing.assert_allclose(found.x, [2.0, 1.3, 0.5], atol=1e-2)
    assert traced.stats.tape == 1, traced.explain()


def test_least_squares_with_a_jacobian():
    def residuals(p, t, y, *, offset):
        return model(p, t, offset) - y

    traced = srcgrad.trace(residuals)
    jacobian = srcgrad.jacobian(traced)
    found = scipy.optimize.least_squares(
        traced,
        np.array([1.0, 1.0, 0.0]),
        jac=jacobian,
        args=(TIMES, DATA),
        kwargs={"offset": 0.1},
    )
    np.testing.assert_allclose(found.x, [2.0, 1.3, 0.4], rtol=1e-6)
    assert traced.stats.tape <= 2, traced.explain()


def test_curve_fit():
    def curve(t, a, b, c):
        return a * np.exp(-b * t) + c

    traced = srcgrad.trace(curve)

    def slopes(t, *p):
        return np.stack(srcgrad.jacobian(traced, argnums=(1, 2, 3))(t, *p), axis=1)

    found, _ = scipy.optimize.curve_fit(traced, TIMES, DATA, jac=slopes)
    np.testing.assert_allclose(found, [2.0, 1.3, 0.5], rtol=1e-6)
    assert traced.stats.compiled > traced.stats.tape, traced.explain()


def test_thousands_of_plain_calls():
    """Nelder and Mead, and a random walk whose temperature is an attribute."""

    class Walk:
        def __init__(self):
            self.temperature = 1.0

        def energy(self, x):
            return np.sum((x[1:] - x[:-1] ** 2) ** 2) + np.sum(x**2) / self.temperature

    walk = Walk()
    traced = srcgrad.trace(walk.energy)
    start = np.array([1.0, -0.5, 0.3])
    ours = scipy.optimize.minimize(traced, start, method="Nelder-Mead")
    theirs = scipy.optimize.minimize(walk.energy, start, method="Nelder-Mead")
    np.testing.assert_allclose(ours.x, theirs.x, atol=1e-6)
    rng, x = np.random.default_rng(1), start
    for step in range(1500):
        new = x + 0.1 * rng.normal(size=3)
        assert traced(new) == pytest.approx(walk.energy(new), rel=1e-12)
        if traced(new) - traced(x) < rng.exponential():
            x = new
        walk.temperature = 1.0 + 100.0 / (step + 1)
    assert_mostly_compiled(traced, 4500)


def test_newton_by_hessians():
    def rosenbrock(x, a):
        return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (a - x[:-1]) ** 2)

    traced = srcgrad.trace(rosenbrock)
    found = scipy.optimize.minimize(
        srcgrad.value_and_grad(traced),
        np.zeros(4),
        args=(1.0,),
        jac=True,
        hess=srcgrad.hessian(traced),
        method="Newton-CG",
        options={"xtol": 1e-10},
    )
    np.testing.assert_allclose(found.x, np.ones(4), atol=1e-4)


def test_a_root():
    def equations(v, k):
        return np.array([v[0] ** 2 + k * v[1] - 2.0, math.sin(v[0]) - v[1]])

    traced = srcgrad.trace(equations)
    for k in np.linspace(0.5, 1.5, 40):
        found = scipy.optimize.root(
            traced, np.array([1.0, 1.0]), args=(k,), jac=srcgrad.jacobian(traced)
        )
        np.testing.assert_allclose(equations(found.x, k), 0.0, atol=1e-8)
    assert traced.stats.compiled > 100, traced.explain()
