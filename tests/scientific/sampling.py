"""Chains and draws, and scripts that keep their state in globals."""

import math

import numpy as np

from tests.scientific.programs import made, program


@program([0.6, 0.4, 0.9])
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


n_calls = 0
best = math.inf
NOISE = np.random.default_rng(8).normal(size=16)
VERBOSE = False


def make_script():
    """The state of a script, as when it starts."""
    global n_calls, best
    n_calls, best = 0, math.inf
    return objective


def objective(theta):
    """A script's objective: counts its calls, and keeps the best value."""
    global n_calls, best
    n_calls += 1
    mean, log_std = theta
    samples = mean + np.exp(log_std) * NOISE
    value = np.mean((samples**2 - 1.0) ** 2) - log_std
    if value < best:
        best = float(value)
    if VERBOSE:
        print(f"{n_calls}: {value:.4f}")
    return value


made("script_with_globals", make_script, [0.4, -0.3])


class ELBO:
    """Draws from a generator that goes on from call to call."""

    def __init__(self, seed=4, n_samples=3):
        self.rng = np.random.default_rng(seed)
        self.n_samples = n_samples
        self.trace = []

    def __call__(self, variational):
        mu, rho = variational["mu"], variational["rho"]
        sigma = np.log1p(np.exp(rho))
        total = 0.0
        for _ in range(self.n_samples):
            z = mu + sigma * self.rng.normal(size=mu.shape)
            total += -0.5 * np.sum(z**2) - np.sum((z - 1.0) ** 4) / 8
        entropy = np.sum(np.log(sigma))
        elbo = total / self.n_samples + entropy
        self.trace.append(elbo.item())
        return -elbo


made("variational_bayes", ELBO, {"mu": np.array([0.3, -0.2]), "rho": np.zeros(2)})


class Annealing:
    """A temperature that falls with each call, and energies that are kept."""

    def __init__(self):
        self.temperature = 1.0
        self.energies = {}

    def __call__(self, spins):
        energy = -np.sum(np.tanh(spins[1:]) * np.tanh(spins[:-1]))
        free = energy - self.temperature * np.sum(np.log(np.cosh(spins)))
        self.energies[len(self.energies)] = float(energy)
        self.temperature *= 0.95
        return free


made("annealing", Annealing, [0.2, 0.5, -0.1, 0.4])


def stratified(rng, n):
    return (np.arange(n) + rng.random(n)) / n


def make_integrator(seed=1):
    """A closure over a generator and a count."""
    rng = np.random.default_rng(seed)
    count = 0

    def integrate(p):
        nonlocal count
        count += 1
        u = stratified(rng, 8)
        weights = rng.permutation(8) / 28.0
        return np.sum(weights * np.exp(-p[0] * u) * np.cos(p[1] * u)) + 1e-3 * count

    return integrate


made("stratified_integral", make_integrator, [0.5, 1.5])


@program([0.3, 0.5])
def ising_mean_field(p):
    """A fixed point, by iteration until nothing moves, or an error."""
    coupling, field = p
    m = 0.5
    for _ in range(200):
        new = math.tanh(coupling * m + field)
        if abs(new - m) < 1e-13:
            break
        m = new
    else:
        raise RuntimeError("no convergence after 200 steps")
    return m
