"""
A network that tells two spirals apart
======================================

Two spirals, wound around each other, and a network of two hidden layers that
learns which point belongs to which. The loss is NumPy, the training a loop of a few
lines.
"""

# %%
# The data
# --------

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np

import srcgrad

rng = np.random.default_rng(0)
turn = np.sqrt(rng.uniform(0.05, 1.0, 200)) * 3.0 * np.pi
arm = np.stack([turn * np.cos(turn), turn * np.sin(turn)], axis=1) / 10.0
x = np.concatenate([arm, -arm]) + 0.02 * rng.normal(size=(400, 2))
y = np.repeat([1.0, -1.0], 200)

# %%
# The network
# -----------
# Parameters are a list of pairs; the gradient is a list of pairs too.


def network(layers, x):
    """Return a score for each point: above 0 for the first spiral."""
    for W, b in layers[:-1]:
        x = np.tanh(x @ W + b)
    W, b = layers[-1]
    return (x @ W + b)[:, 0]


def loss(layers, x, y):
    return np.mean(np.logaddexp(0.0, -y * network(layers, x)))


sizes = (2, 24, 24, 1)
layers = [
    (2.0 * rng.normal(size=(m, n)) / np.sqrt(m), rng.normal(size=n))
    for m, n in pairwise(sizes)
]

# %%
# Training
# --------
# Adam's steps, on one vector of all parameters.

vector, unflatten = srcgrad.flatten(layers)
slope_of = srcgrad.value_and_grad(lambda v: loss(unflatten(v), x, y))
mean, square = np.zeros_like(vector), np.zeros_like(vector)
history = []
for step in range(1, 1501):
    value, slope = slope_of(vector)
    mean = 0.9 * mean + 0.1 * slope
    square = 0.99 * square + 0.01 * slope**2
    scale = np.sqrt(square / (1.0 - 0.99**step)) + 1e-8
    vector = vector - 0.02 * mean / (1.0 - 0.9**step) / scale
    history.append(value)
right = np.mean(np.sign(network(unflatten(vector), x)) == y)
print(
    f"loss {history[0]:.2f} before, {history[-1]:.1e} after; {100 * right:.1f} % right"
)

# %%
# The picture
# -----------

figure, (left, after) = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
grid = np.linspace(-1.15, 1.15, 160)
a, b = np.meshgrid(grid, grid)
points = np.stack([a.ravel(), b.ravel()], axis=1)
score = network(unflatten(vector), points).reshape(a.shape)
left.contourf(a, b, np.tanh(score / 4.0), levels=21, cmap="RdBu", alpha=0.8)
left.scatter(*x.T, c=y, cmap="gray", s=12, edgecolors="k", linewidths=0.4)
left.set(aspect="equal", xticks=[], yticks=[], title="which spiral?")
after.semilogy(history)
after.set(xlabel="step", title="loss")
plt.show()
