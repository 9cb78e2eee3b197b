"""
A fit, and how sure it is
=========================

Two damped oscillations, measured with noise. The Jacobian of the residuals is what
``least_squares`` needs to find the parameters, and what tells how sure they are: it
gives the band around the curve.
"""

# %%
# The data
# --------

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import least_squares

import srcgrad


def model(p, t):
    """Return the sum of two damped oscillations."""
    size, decay, frequency, phase = p.reshape(4, 2, 1)
    return np.sum(size * np.exp(-decay * t) * np.sin(frequency * t + phase), axis=0)


rng = np.random.default_rng(0)
truth = np.array([1.0, 0.6, 0.25, 0.1, 3.0, 4.1, 0.0, 1.0])
t = np.sort(rng.uniform(0.0, 8.0, 60))
y = model(truth, t) + 0.08 * rng.normal(size=t.size)

# %%
# The fit
# -------


def residuals(p):
    return model(p, t) - y


start = np.array([0.8, 0.8, 0.2, 0.2, 2.9, 4.3, 0.0, 0.5])
found = least_squares(residuals, start, jac=srcgrad.jacobian(residuals))
J = srcgrad.jacobian(residuals)(found.x)
variance = np.sum(found.fun**2) / (t.size - truth.size)
covariance = variance * np.linalg.inv(J.T @ J)
for value, spread, true in zip(
    found.x, np.sqrt(np.diag(covariance)), truth, strict=True
):
    print(f"{value:6.3f}   give or take {spread:.3f}   true {true:.3f}")

# %%
# The picture
# -----------
# How a parameter moves the curve is another Jacobian. With the covariance of the
# parameters it gives the spread of the curve at each time.

times = np.linspace(0.0, 11.0, 400)
slopes = srcgrad.jacobian(lambda p: model(p, times))(found.x)
spread = np.sqrt(np.sum((slopes @ covariance) * slopes, axis=1))
curve = model(found.x, times)

figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
axes.axvspan(8.0, 11.0, color="0.95")
axes.fill_between(times, curve - 2 * spread, curve + 2 * spread, alpha=0.3)
axes.plot(times, curve, label="fitted, with two standard errors")
axes.plot(times, model(truth, times), "k:", linewidth=1, label="true")
axes.plot(t, y, "k.", markersize=4, label="measured")
axes.set(xlabel="time", xlim=(0.0, 11.0))
axes.legend(loc="upper right")
plt.show()
