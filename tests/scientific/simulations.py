"""Simulations with a state: SciPy's algorithms, lattices, agents, batches of data."""

import numpy as np
import scipy.integrate
import scipy.optimize

from tests.scientific.programs import made, program


class Reservoir:
    """Rates are attributes, which functions for SciPy find; calls are counted."""

    def __init__(self):
        self.rates, self.dose, self.calls = None, 2.0, 0

    def outflow(self, t):
        self.calls += 1
        return self.dose * np.exp(-self.rates["out"] * t) * self.rates["in"]

    def balance(self, level):
        return self.rates["in"] - self.rates["out"] * level - 0.1 * level**3

    def lost(self, p):
        self.rates = {"in": p[0], "out": p[1]}
        level = scipy.optimize.brentq(self.balance, 0.0, 10.0, xtol=1e-13)
        return np.sqrt(scipy.integrate.quad(self.outflow, 0.0, 2.0)[0] / level)


made("reservoir_by_scipy", lambda: Reservoir().lost, [0.9, 0.4])

# ----- A lattice -----
VELOCITIES = np.array([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1]])
SHARES = np.array([1 / 3] + [1 / 6] * 4)
opposite = [0, 3, 4, 1, 2]
wall = np.zeros((5, 4), bool)
wall[:, 0] = wall[2, 2] = True


@program([0.9, 0.2])
def lattice_boltzmann(p):
    """Particles collide, bounce off walls, and move."""
    relaxation, push = p
    populations = SHARES[:, None, None] * np.ones(wall.shape)
    populations[1] += push
    for _ in range(6):
        density = populations.sum(axis=0)
        flow = np.einsum("qd,qxy->dxy", VELOCITIES, populations) / density
        along = np.einsum("qd,dxy->qxy", VELOCITIES, flow)
        balance = SHARES[:, None, None] * density * (1 + 3 * along)
        populations += -(populations - balance) / relaxation
        populations[:, wall] = populations[opposite][:, wall]
        for q, velocity in enumerate(VELOCITIES):
            populations[q] = np.roll(populations[q], velocity, axis=(0, 1))
    return np.sum(flow[0][~wall] ** 2)


class Walker:
    """It draws its steps by a policy, and is told what they were worth."""

    moves = np.array([[0, 1], [0, -1], [1, 0], [-1, 0]])

    def __init__(self, seed=2):
        self.rng, self.rewards = np.random.default_rng(seed), []

    def loss(self, logits):
        position, loss = np.zeros(2, int), 0.0
        for _ in range(5):
            own = logits[position.sum() % 3]
            weights = np.exp(own - np.max(own))
            p = weights / weights.sum()
            action = self.rng.choice(4, p=np.asarray(p))
            position = np.clip(position + self.moves[action], 0, 3)
            reward = 1.0 if position.sum() > 2 else -0.1
            self.rewards.append(reward)
            loss -= reward * np.log(p[action])
        return loss


made("policy_gradient", lambda: Walker().loss, 0.3 * np.ones((3, 4)))


class Batches:
    """Rows in another order in each epoch, some at a time."""

    def __init__(self, size=4, seed=0):
        self.rng, self.size, self.step = np.random.default_rng(seed), size, 0
        self.rows = self.rng.normal(size=(12, 3))
        self.targets = np.sin(self.rows @ np.ones(3))
        self.order = self.rng.permutation(12)
        self.history = []

    def loss(self, w):
        self.step += 1
        start = self.step * self.size % 12
        chosen = self.order[start : start + self.size]
        error = np.tanh(self.rows[chosen] @ w) - self.targets[chosen]
        self.history.append(float(error @ error))
        return np.mean(error**2)


made("batches", lambda: Batches().loss, [0.4, -0.3, 0.2])
