"""Programs as scientists write them: loops, lists, `math`, arrays that are filled."""

import math
from dataclasses import dataclass

import numpy as np

TIMES = np.linspace(0.0, 2.0, 9)
RNG = np.random.default_rng(7)
NOISE = RNG.normal(size=(12, 2)) * 0.1
DATA = 2.0 * np.exp(-1.3 * TIMES) + 0.5


def exponential_fit(p):
    """Residuals of a model, one after the other, in a list."""
    amplitude, rate, offset = p
    residuals = []
    for t, y in zip(TIMES, DATA, strict=True):
        residuals.append(amplitude * math.exp(-rate * t) + offset - y)
    return np.mean(np.square(residuals))


def lorentzian_peaks(p):
    """A spectrum that is filled peak by peak."""
    grid = np.linspace(-1.0, 1.0, 15)
    spectrum = np.zeros_like(grid)
    for centre, width in ((p[0], p[1]), (p[2], 0.3)):
        spectrum += width / np.pi / ((grid - centre) ** 2 + width**2)
    spectrum /= spectrum.max()
    return np.sum((spectrum - np.cos(grid)) ** 2)


def kalman_filter(p):
    """Position and velocity from positions; every estimate is kept."""
    q, r, dt = p[0], p[1], p[2]
    transition = np.array([[1.0, dt], [0.0, 1.0]])
    observe = np.array([[1.0, 0.0]])
    noise = q * np.array([[dt**3 / 3, dt**2 / 2], [dt**2 / 2, dt]])
    states = np.zeros((len(NOISE), 2))
    covariance = np.eye(2)
    state = np.zeros(2)
    log_likelihood = 0.0
    for k in range(len(NOISE)):
        state = transition @ state
        covariance = transition @ covariance @ transition.T + noise
        innovation = math.sin(0.3 * k) + NOISE[k, 0] - (observe @ state)[0]
        s = (observe @ covariance @ observe.T)[0, 0] + r
        gain = (covariance @ observe.T)[:, 0] / s
        state = state + gain * innovation
        covariance = (np.eye(2) - np.outer(gain, observe[0])) @ covariance
        states[k] = state
        log_likelihood -= 0.5 * (math.log(2 * math.pi * s) + innovation**2 / s)
    return log_likelihood + 1e-2 * np.sum(states[:, 1] ** 2)


def rotation(axis, angle):
    """Rodrigues' formula, element by element."""
    x, y, z = axis / np.linalg.norm(axis)
    c, s = math.cos(angle), math.sin(angle)
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + s * skew + (1 - c) * skew @ skew


def robot_arm(p):
    """Homogeneous transforms, one for each joint."""
    position = np.eye(4)
    for angle, axis in zip(p, np.eye(3), strict=True):
        joint = np.eye(4)
        joint[:3, :3] = rotation(axis + 0.1, angle)
        joint[:3, 3] = [0.0, 0.1, 1.0]
        position = position @ joint
    target = np.array([0.3, -0.2, 2.0])
    return float(np.linalg.norm(position[:3, 3] - target))


def runge_kutta(p):
    """Lotka and Volterra's equations, with a list of states."""
    alpha, beta, delta = p

    def slope(t, y):
        return np.array([alpha * y[0] - beta * y[0] * y[1], delta * y[0] * y[1] - y[1]])

    y, dt = np.array([1.0, 0.8]), 0.1
    trajectory = [y]
    for step in range(8):
        t = step * dt
        k1 = slope(t, y)
        k2 = slope(t + dt / 2, y + dt / 2 * k1)
        k3 = slope(t + dt / 2, y + dt / 2 * k2)
        k4 = slope(t + dt, y + dt * k3)
        y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        trajectory.append(y)
    trajectory = np.array(trajectory)
    return np.sum((trajectory - 1.0) ** 2)


def heat_equation(p):
    """Explicit steps on slices, in place."""
    u = np.zeros(12)
    u[0], u[-1] = p[0], p[1]
    diffusivity = p[2] * 0.2
    for _ in range(6):
        flux = u[1:] - u[:-1]
        u[1:-1] += diffusivity * (flux[1:] - flux[:-1])
        u[0] = 0.5 * (u[0] + u[1])
    return np.sum(u**2) - 0.5 * (u[0] ** 2 + u[-1] ** 2)


@dataclass
class Option:
    strike: float
    rate: float
    maturity: float

    def price(self, spot, volatility):
        def phi(z):
            return 0.5 * (1.0 + math.erf(z / math.sqrt(2.0)))

        spread = volatility * math.sqrt(self.maturity)
        d1 = math.log(spot / self.strike) + (self.rate + volatility**2 / 2)
        d1 = d1 / spread
        discount = math.exp(-self.rate * self.maturity)
        return spot * phi(d1) - self.strike * discount * phi(d1 - spread)


OPTIONS = [Option(0.5, 0.02, 1.0), Option(0.7, 0.01, 0.5)]


def black_scholes(p):
    """Prices as scalars, from objects in a list."""
    prices = [option.price(p[0], p[1]) for option in OPTIONS]
    target = np.full(len(prices), 0.1) * p[2]
    return sum((price - t) ** 2 for price, t in zip(prices, target, strict=True))


def hidden_markov(p):
    """The forward algorithm in logarithms, with a table that is filled."""
    stay = 1.0 / (1.0 + math.exp(-p[0]))
    table = np.log(np.array([[stay, 1 - stay], [1 - stay, stay]]))
    means = np.array([p[1], p[2]])
    signal = np.sin(np.arange(6.0))
    alpha = np.empty((len(signal), 2))
    alpha[0] = np.log(0.5) - 0.5 * (signal[0] - means) ** 2
    for t in range(1, len(signal)):
        for j in range(2):
            terms = alpha[t - 1] + table[:, j]
            top = max(terms)
            alpha[t, j] = top + math.log(sum(math.exp(v - top) for v in terms))
            alpha[t, j] -= 0.5 * (signal[t] - means[j]) ** 2
    return -np.logaddexp(*alpha[-1])


class Layer:
    def __init__(self, weights, bias):
        self.weights = np.asarray(weights)
        self.bias = bias

    def __call__(self, x):
        return np.tanh(self.weights.dot(x) + self.bias)


def spring_network(p):
    """Masses on springs: forces are added up at indices that repeat."""
    positions = np.array([[0.0, 0.0], [1.0, 0.1], [0.4, 0.9]]) * p[0]
    first, second = np.array([0, 1, 2]), np.array([1, 2, 0])
    velocities = np.zeros((3, 2))
    energies = []
    for _ in range(4):
        edges = positions[second] - positions[first]
        lengths = np.sqrt(np.sum(edges**2, axis=1))
        pull = p[1] * (lengths - 1.0) / lengths
        forces = np.zeros_like(positions)
        np.add.at(forces, first, pull[:, None] * edges)
        np.add.at(forces, second, -pull[:, None] * edges)
        velocities += 0.1 * forces
        velocities *= 1.0 - 0.1 * abs(p[2])
        positions += 0.1 * velocities
        energies.append(0.5 * p[1] * ((lengths - 1.0) ** 2).sum())
    return np.dot(energies, np.arange(1.0, 5.0))


def autoregression(p):
    """A residual for each step, from a window of the last two."""
    window = [0.1, 0.2]
    total = 0.0
    for t in range(8):
        predicted = p[0] * window[-1] + p[1] * window[-2]
        predicted = predicted / math.hypot(1.0, predicted)
        observed = math.sin(t) * p[2]
        total += (observed - predicted) ** 2
        window.append(predicted)
        window = window[1:]
    return math.sqrt(total / 8)


def network(p):
    """Layers as objects, made inside, with a running average that is updated."""
    layers = [Layer(np.outer([1.0, -0.5], p[:2]), p[2]), Layer([[p[0], p[1]]], 0.1)]
    average = np.zeros(1)
    for x in (np.array([0.3, -0.1]), np.array([0.5, 0.2])):
        for layer in layers:
            x = layer(x)
        average *= 0.9
        average += 0.1 * x
    (value,) = average
    return value


def metropolis(p):
    """A chain whose random numbers are drawn inside, by a seed."""
    rng = np.random.default_rng(3)
    chain = np.empty(6)
    current = p[0]
    for i in range(len(chain)):
        proposal = current + p[1] * rng.normal()
        ratio = math.exp(min(0.0, 0.5 * (current**2 - proposal**2) / p[2]))
        if rng.uniform() < ratio:
            current = proposal
        chain[i] = current
    return np.mean(chain**2) + chain.std()


PROGRAMS = {
    program.__name__: program
    for program in (
        *(exponential_fit, lorentzian_peaks, kalman_filter, robot_arm, runge_kutta),
        *(heat_equation, black_scholes, hidden_markov, spring_network),
        *(autoregression, network, metropolis),
    )
}
