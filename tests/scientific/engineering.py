"""Structures, arms, prices, queues: as engineers and economists write them."""

import enum
import math
from collections import defaultdict, deque, namedtuple
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy import linalg as la

from tests.scientific.programs import program

random = np.random.RandomState(3)


# ----- An epidemic in compartments -----
class Stage(enum.Enum):
    S = 0
    E = 1
    I = 2  # noqa: E741
    R = 3


@dataclass
class Rates:
    beta: float
    sigma: float
    gamma: float

    @property
    def r0(self):
        return self.beta / self.gamma


class SEIR:
    def __init__(self, population, dt=0.5):
        self.population, self.dt = population, dt

    def slope(self, y, p):
        s, e, i, _ = (y[stage.value] for stage in Stage)
        caught = p.beta * s * i / self.population
        return np.array([-caught, caught - p.sigma * e, p.sigma * e - p.gamma * i, 0.0])

    def simulate(self, y0, p, days):
        out = np.empty((int(days / self.dt) + 1, 4))
        out[0] = y0
        for k in range(len(out) - 1):
            k1 = self.slope(out[k], p)
            k2 = self.slope(out[k] + self.dt * k1, p)
            out[k + 1] = out[k] + self.dt / 2 * (k1 + k2)
        return out


seir = SEIR(1000.0)
cases = np.array([3.0, 4.0, 4.0, 6.0, 7.0])


@program([0.5, 0.2, 0.15])
def seir_fit(theta):
    p = Rates(*theta)
    path = seir.simulate(np.array([990.0, 5.0, 5.0, 0.0]), p, days=5)
    infected = path[::2, Stage.I.value][: len(cases)]
    return np.sum(infected - cases * np.log(infected)) + 0.1 * (p.r0 - 2.5) ** 2


# ----- An arm of joints -----
class Joint:
    def __init__(self, length, axis="z"):
        self.length, self.axis = length, axis

    def transform(self, q):
        c, s = np.cos(q), np.sin(q)
        T = np.eye(4)
        match self.axis:
            case "z":
                T[:3, :3] = [[c, -s, 0], [s, c, 0], [0, 0, 1]]
            case "y":
                T[:3, :3] = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
        T[0, 3] = self.length
        return T


arm = [Joint(1.0), Joint(0.7, "y"), Joint(0.5)]


@program([0.1, 0.5, -0.3], np.array([1.2, 0.8, 0.3]))
def arm_of_joints(q, target):
    T = reduce(
        lambda A, jq: A @ jq[0].transform(jq[1]), zip(arm, q, strict=True), np.eye(4)
    )
    error = T[:3, 3] - target
    return error @ error + 0.1 * sum(max(0.0, abs(qi) - 0.4) ** 2 for qi in q)


# ----- A truss, assembled at indices that repeat -----
elements = np.array([[0, 1, 2, 3], [2, 3, 4, 5], [0, 1, 4, 5]])
stiffness = np.array([[2.0, 0.3, -1.0, 0.1], [0.3, 1.5, 0.2, -0.4]])
stiffness = np.vstack([stiffness, stiffness[:, [2, 3, 0, 1]]])
stiffness = stiffness @ stiffness.T + np.eye(4)


@program([0.5, 0.7, 0.4], penalty=3.0)
def stiff_structure(density, penalty):
    K = np.zeros((6, 6))
    for e, dofs in enumerate(elements):
        K[np.ix_(dofs, dofs)] += (1e-3 + density[e] ** penalty) * stiffness
    free = np.array(sorted(set(range(6)) - {0, 1}))
    load = np.zeros(6)
    load[3] = -1.0
    u = np.zeros(6)
    u[free] = la.solve(K[np.ix_(free, free)], load[free])
    compliance = 0.0
    for e, dofs in enumerate(elements):
        compliance += (1e-3 + density[e] ** penalty) * u[dofs] @ stiffness @ u[dofs]
    return compliance + 10 * max(0.0, density.mean() - 0.5) ** 2


# ----- An option on a tree -----
class Style(enum.Enum):
    EUROPEAN = "european"
    AMERICAN = "american"


@dataclass
class Market:
    rate: float = 0.03
    style: Style = Style.AMERICAN
    steps: int = 5


market = Market()


@program([100.0, 0.2], strike=105.0)
def option_on_a_tree(p, strike):
    s0, sigma = p
    n, dt = market.steps, 1.0 / market.steps
    u = np.exp(sigma * np.sqrt(dt))
    q = (np.exp(market.rate * dt) - 1 / u) / (u - 1 / u)
    discount = math.exp(-market.rate * dt)
    v = np.maximum(strike - s0 * u ** np.arange(n, -n - 1, -2), 0.0)
    for k in range(n - 1, -1, -1):
        v[: k + 1] = discount * (q * v[: k + 1] + (1 - q) * v[1 : k + 2])
        if market.style is Style.AMERICAN:
            s = s0 * u ** np.arange(k, -k - 1, -2)
            v[: k + 1] = np.maximum(v[: k + 1], strike - s)
    return v[0]


# ----- Learning by differences in time, from a queue -----
Transition = namedtuple("Transition", "state action reward after done")


class Replay:
    def __init__(self, capacity):
        self.buffer = deque(maxlen=capacity)

    def push(self, *args):
        self.buffer.append(Transition(*args))

    def __len__(self):
        return len(self.buffer)

    def __iter__(self):
        return iter(self.buffer)


replay = Replay(4)
for number in range(6):
    state, after = random.randn(2, 3)
    replay.push(state, number % 2, float(number % 3), after, number == 4)


@program(random.randn(3, 2), gamma=0.9)
def temporal_differences(Q, gamma):
    loss = 0.0
    for t in replay:
        q = t.state @ Q
        target = t.reward if t.done else t.reward + gamma * np.max(t.after @ Q)
        delta = q[t.action] - target
        loss += 0.5 * delta**2 if abs(delta) < 1 else abs(delta) - 0.5
    return loss / len(replay)


# ----- Values on a graph -----
edges = {(0, 1): 1.0, (1, 2): 0.5, (0, 3): 0.2, (1, 3): 0.7}
observed = {0: np.array([1.0, 0.0]), 3: np.array([0.0, 1.0])}


@program(random.randn(4, 2))
def smooth_on_a_graph(f):
    A = np.zeros((len(f), len(f)))
    for (i, j), weight in edges.items():
        A[i, j] = A[j, i] = weight
    scale = np.diag(1 / np.sqrt(A.sum(1)))
    L = np.eye(len(f)) - scale @ A @ scale
    return np.trace(f.T @ L @ f) + sum(
        np.sum((f[i] - y) ** 2) for i, y in observed.items()
    )


def log_softmax(z):
    m = z.max(axis=-1, keepdims=True)
    return z - m - np.log(np.exp(z - m).sum(axis=-1, keepdims=True))


# ----- Pairs that belong together, by labels -----
batch = {
    "anchor": random.randn(4, 3),
    "positive": random.randn(4, 3),
    "label": np.array(list("aabc")),
}


@program({"encoder": {"W": random.randn(3, 2), "b": random.randn(2)}, "scale": 0.5})
def contrastive(params):
    def encode(v):
        h = np.tanh(v @ params["encoder"]["W"] + params["encoder"]["b"])
        return h / la.norm(h, axis=-1, keepdims=True)

    logits = encode(batch["anchor"]) @ encode(batch["positive"]).T / params["scale"]
    same = batch["label"][:, None] == batch["label"][None, :]
    log_p = log_softmax(logits)
    return -((log_p * same).sum(axis=1) / same.sum(axis=1)).mean()


# ----- Where letters are in a sequence -----
@program(random.randn(4, 3), "ab")
def aligned_letters(logits, word):
    vocabulary = {letter: i + 1 for i, letter in enumerate("ab")}
    log_p = log_softmax(logits)
    path = [0]
    for letter in word:
        path += [vocabulary[letter], 0]
    alpha = np.full((len(log_p), len(path)), -1e30)
    alpha[0, 0], alpha[0, 1] = log_p[0, path[0]], log_p[0, path[1]]
    for t in range(1, len(log_p)):
        for s in range(len(path)):
            terms = [alpha[t - 1, s]]
            if s > 0:
                terms.append(alpha[t - 1, s - 1])
            if s > 1 and path[s] not in (0, path[s - 2]):
                terms.append(alpha[t - 1, s - 2])
            m = max(terms)
            alpha[t, s] = m + np.log(sum(np.exp(a - m) for a in terms))
            alpha[t, s] += log_p[t, path[s]]
    return -np.logaddexp(alpha[-1, -1], alpha[-1, -2])


# ----- A fit that only rises -----
@program([1.0, 3.0, 2.0, 4.0, 3.5, 6.0])
def rising_fit(y):
    blocks = []
    for v in y:
        blocks.append([v, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (v1, n1), (v2, n2) = blocks[-2:]
            blocks[-2:] = [[(v1 * n1 + v2 * n2) / (n1 + n2), n1 + n2]]
    fit = np.concatenate([np.repeat(v, n) for v, n in blocks])
    return np.sum((fit - np.arange(6.0)) ** 2) + np.sum((y - fit) ** 2)


# ----- Steps of an optimiser, differentiated -----
class Adam:
    def __init__(self, rate=0.1, betas=(0.9, 0.999)):
        self.rate, self.betas = rate, betas
        self.state = defaultdict(lambda: {"m": 0.0, "v": 0.0, "t": 0})

    def update(self, params, gradients):
        for name, p in params.items():
            s = self.state[name]
            s["t"] += 1
            for key, beta, power in zip("mv", self.betas, (1, 2), strict=True):
                s[key] = beta * s[key] + (1 - beta) * gradients[name] ** power
            m = s["m"] / (1 - self.betas[0] ** s["t"])
            v = s["v"] / (1 - self.betas[1] ** s["t"])
            yield name, p - self.rate * m / (np.sqrt(v) + 1e-8)


inputs, outputs = random.randn(5, 2), random.randn(5)


@program({"w": random.randn(2), "b": 0.3})
def unrolled_adam(start):
    optimiser, params = Adam(), dict(start)
    for _ in range(3):
        error = inputs @ params["w"] + params["b"] - outputs
        gradients = {"w": 2 * inputs.T @ error / 5, "b": 2 * error.mean()}
        params = dict(optimiser.update(params, gradients))
    return np.mean((inputs @ params["w"] + params["b"] - outputs) ** 2)
