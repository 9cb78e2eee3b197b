"""Programs that are reported and profiled; their line numbers stand in tests."""

import numpy as np

import srcgrad

RATE = np.linspace(0.1, 0.5, 3)
GENERATOR = np.random.default_rng(3)


def step(W, h, x):
    z = W @ h + x
    return np.tanh(z)


def rnn(W, x, limit):
    h = np.zeros(3)
    for t in range(40):
        h = step(W, h, x[t])
    total = np.sum(h)
    if total > limit:
        out = total * 2
    else:
        out = np.sin(total + 1)
    return out


def newton(x):
    while np.abs(x * x - 2.0) > 1e-9:
        x = x - (x * x - 2.0) / (2.0 * x)
    return x


def comprehended(x):
    parts = [np.sum(np.sin(row * x)) for row in np.ones((60, 3))]
    return sum(parts)


def decays(x):
    for _ in range(50):
        x = x - RATE * np.sin(x)
    return np.sum(x * x)


def cube(x):
    return np.sum(x**3)


def vector(x):
    return np.sin(x) * x


def noisy(x):
    print("drawn")
    return np.sum((x + GENERATOR.normal(size=3)) ** 2)


def fills(x, out):
    out[:] = 7.0
    return np.sum(x * x)


def ignores(x):
    with np.errstate(divide="ignore"):
        return np.sum(np.log(x) + 1.0 / x)


def allocates(x):
    h = np.exp(x)
    return np.sum(h * h)


class Model:
    """An object whose method is traced."""

    scale = 3.0

    @srcgrad.trace
    def loss(self, x):
        """The sum of what it makes of an array."""
        return np.sum(np.tanh(self.scale * x))


@srcgrad.custom_vjp
def sine(x):
    return np.sin(x)


sine.defvjp(lambda x: (np.sin(x), x), lambda x, g: (g * np.cos(x),))


def uses_own_rule(x):
    return np.sum(sine(x) * x)


again = srcgrad.checkpoint(vector)


def computes_again(x):
    return np.sum(again(again(x)))


def nested(x):
    for _ in range(40):
        for k in range(30):
            x = x - 0.01 * np.sin(x) * k
    return np.sum(x)
