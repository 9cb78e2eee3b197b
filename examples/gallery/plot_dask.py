"""
Data in blocks
==============

A logistic regression on data that are made block by block, by Dask. One optimizer looks
at all blocks for each step, another at two that are drawn: the curves show what each
gets out of a pass over the data.
"""

# %%
# The data
# --------
# Nothing is computed yet: each block is made where, and when, it is needed.

import dask.array
import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize

from srcgrad.dask import value_and_grad

features = dask.array.random.default_rng(0).normal(
    size=(200_000, 10), chunks=(10_000, 10)
)
noise = dask.array.random.default_rng(1).logistic(size=200_000, chunks=10_000)
labels = dask.array.sign(features @ np.linspace(-1.0, 1.0, 10) + 0.5 + noise)


def loss(w, x, y):
    """Return the mean loss of a block."""
    return np.mean(np.logaddexp(0.0, -y * (x @ w[1:] + w[0])))


over_data = value_and_grad(loss, data=(features, labels), reduce="mean")
print(over_data)

# %%
# All blocks for each step
# ------------------------

curve = []


def evaluate(w):
    value, gradient = over_data(w)
    curve.append(value)
    return value, gradient


found = minimize(evaluate, np.zeros(11), jac=True, method="L-BFGS-B")
print(f"loss {found.fun:.6f} after {found.nfev} passes")

# %%
# Two blocks for each step
# ------------------------
# The loss of all data, which is for the picture only, is told after each pass.

w, rng, drawn = np.zeros(11), np.random.default_rng(0), [np.log(2.0)]
for _ in range(len(curve)):
    for _ in range(over_data.npartitions // 2):
        _, gradient = over_data(w, blocks=rng.choice(over_data.npartitions, 2, False))
        w -= 2.0 * gradient
    drawn.append(over_data(w)[0])

# %%
# The picture
# -----------

figure, axes = plt.subplots()
lowest = found.fun - 1e-9
axes.semilogy(np.array(curve) - lowest, ".-", label="all blocks (L-BFGS)")
axes.semilogy(np.array(drawn) - lowest, ".-", label="two blocks a step")
axes.set_xlabel("passes over the data")
axes.set_ylabel("loss, above the lowest")
axes.legend()
plt.show()
