"""Samplers of every kind, and what they draw from."""

import numpy as np

import srcgrad
from srcgrad import Variable

PROBS = np.array([0.2, 0.5, 0.9])
WEIGHTS = np.array([[1.0, 2.0, 3.0, 0.0], [0.5, 0.0, 0.25, 0.25]])


def parameters(array):
    return Variable(np.array(array), requires_grad=True)


def generator():
    return np.random.default_rng(7)


SAMPLERS = {
    "bernoulli": lambda p, rng=None: p[0].bernoulli(rng=rng),
    "multinomial": lambda p, rng=None: p[1].multinomial(rng=rng),
    "with replacement": lambda p, rng=None: p[1].multinomial(3, True, rng=rng),
    "without": lambda p, rng=None: p[1].multinomial(3, rng=rng),
    "normal": lambda p, rng=None: srcgrad.normal(p[0], p[2], rng=rng),
}


def three():
    return parameters(PROBS), parameters(WEIGHTS), parameters([0.5, 1.0, 2.0])
