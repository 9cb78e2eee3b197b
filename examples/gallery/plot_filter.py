"""
A learned filter
================

A picture with noise, and the same picture without. Which filter of 7 by 7 numbers takes
one nearest to the other? And what does it make of a picture that it has never seen?
"""

# %%
# The pictures
# ------------
# Discs of different sizes and shades, and strong noise.

import matplotlib.pyplot as plt
import numpy as np
import scipy.signal
from scipy.optimize import minimize

import srcgrad

rng = np.random.default_rng(0)
rows, columns = np.mgrid[:96, :96]


def make_picture(discs):
    """Return a picture, clean and with noise."""
    clean = np.zeros((96, 96))
    for _ in range(discs):
        row, column, radius = rng.uniform(0, 96), rng.uniform(0, 96), rng.uniform(6, 20)
        clean[np.hypot(rows - row, columns - column) < radius] = rng.uniform(-1, 1)
    return clean, clean + 0.5 * rng.normal(size=clean.shape)


clean, noisy = make_picture(20)

# %%
# Learning
# --------
# The filter is 49 numbers. ``scipy.signal`` does the convolution, and its gradient is a
# convolution too.


def apply(weights, picture):
    return scipy.signal.fftconvolve(picture, weights.reshape(7, 7), mode="same")


def loss(weights):
    return np.mean((apply(weights, noisy) - clean) ** 2)


start = np.zeros(49)
start[24] = 1.0  # the filter that changes nothing
found = minimize(srcgrad.value_and_grad(loss), start, jac=True, method="BFGS")
print(f"mean square error {loss(start):.4f} before, {loss(found.x):.4f} after")

# %%
# The pictures again
# ------------------
# Above the picture that was learnt from, below a new one; on the right the filter.

new_clean, new_noisy = make_picture(20)
figure, panels = plt.subplots(2, 4, figsize=(10, 5), layout="constrained")
shades = {"cmap": "gray", "vmin": -1.2, "vmax": 1.2}
for line, (want, have) in zip(
    panels, ((clean, noisy), (new_clean, new_noisy)), strict=True
):
    line[0].imshow(have, **shades)
    line[1].imshow(apply(found.x, have), **shades)
    line[2].imshow(want, **shades)
for axes, title in zip(
    panels[0], ("noisy", "filtered", "clean", "filter"), strict=True
):
    axes.set_title(title)
panels[0, 3].imshow(found.x.reshape(7, 7), cmap="viridis")
panels[1, 3].plot(found.x.reshape(7, 7)[3], "o-")
panels[1, 3].set(title="its middle row", xticks=[])
for axes in panels.ravel()[[0, 1, 2, 3, 4, 5, 6]]:
    axes.set(xticks=[], yticks=[])
plt.show()
