"""
A trajectory: a pendulum swings up
==================================

A motor at the pivot is too weak to lift the pendulum at once. Which torque, at each of
120 moments, brings it upright and to rest? The gradient goes back through the
simulation of all the steps.
"""

# %%
# The simulation
# --------------
# The state is the angle, 0 where the pendulum hangs, and its rate. ``np.tanh`` keeps
# the torque within what the motor can do.

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize

import srcgrad

STEPS, DT, STRONGEST = 120, 0.1, 0.4  # the weight pulls with up to 1


def simulate(controls):
    """Return the angle and its rate after each step, and the torques."""
    torques = STRONGEST * np.tanh(controls)
    angle, rate = 0.0, 0.0
    angles, rates = np.zeros(STEPS + 1), np.zeros(STEPS + 1)
    for i in range(STEPS):
        rate = rate + DT * (torques[i] - np.sin(angle))
        angle = angle + DT * rate
        angles[i + 1] = angle
        rates[i + 1] = rate
    return angles, rates, torques


def cost(controls):
    """Return how far from upright and at rest it ends, and a little for the effort."""
    angles, rates, torques = simulate(controls)
    return (
        (angles[-1] - np.pi) ** 2
        + rates[-1] ** 2
        + 1e-4 * np.sum(torques**2)
        + 1e-3 * np.sum(np.diff(controls) ** 2)
    )


# %%
# The torques
# -----------

start = 0.5 * np.sin(np.arange(STEPS) * DT)
found = minimize(srcgrad.value_and_grad(cost), start, jac=True, method="L-BFGS-B")
angles, rates, torques = simulate(found.x)
print(f"ends {abs(angles[-1] - np.pi):.4f} from upright, at a rate of {rates[-1]:.4f}")

# %%
# The picture
# -----------
# The pendulum at each step, from light to dark; and the torque that is needed.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
colors = plt.cm.viridis_r(np.linspace(0.05, 1.0, STEPS + 1))
for angle, color in zip(angles, colors, strict=True):
    left.plot([0.0, np.sin(angle)], [0.0, -np.cos(angle)], color=color, linewidth=0.8)
left.plot(np.sin(angles), -np.cos(angles), "k-", linewidth=0.6)
left.scatter(np.sin(angles), -np.cos(angles), c=colors, s=14, zorder=3)
left.set(aspect="equal", title="the pendulum", xticks=[], yticks=[])

times = DT * np.arange(STEPS + 1)
right.plot(times, angles, label="angle")
right.step(times[:-1], torques, where="post", label="torque")
right.axhline(np.pi, color="0.7", linewidth=0.8, zorder=0)
right.set(xlabel="time")
right.legend()
plt.show()
