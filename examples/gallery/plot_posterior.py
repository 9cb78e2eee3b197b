"""
A posterior, drawn by Hamiltonian Monte Carlo
=============================================

How many accidents to expect depends on the traffic, but how exactly? After 40 counts
not one pair of parameters is right, but a cloud of them. Hamiltonian Monte Carlo draws
from this cloud: it follows the gradient of the log-probability, like a ball that rolls
in a bowl.
"""

# %%
# The data, and the probability of the parameters
# -----------------------------------------------
# Counts follow a Poisson distribution, whose rate is ``exp(a + b * traffic)``.

import matplotlib.pyplot as plt
import numpy as np

import srcgrad

rng = np.random.default_rng(1)
traffic = rng.uniform(-1.0, 1.0, 40)
counts = rng.poisson(np.exp(0.5 + 1.2 * traffic))


def log_probability(p):
    """Return the log-probability of the parameters, but for a constant."""
    log_rate = p[0] + p[1] * traffic
    return np.sum(counts * log_rate - np.exp(log_rate)) - 0.5 * p @ p / 3.0**2


# %%
# The sampler
# -----------
# Each draw starts with a push in a random direction, takes 15 steps of leapfrog, and is
# kept with a probability that makes up for the error of the steps.

value_and_slope = srcgrad.value_and_grad(log_probability)


def draw(p, step=0.05):
    """Return the next parameters of the chain."""
    value, slope = value_and_slope(p)
    push = rng.normal(size=2)
    energy = value - 0.5 * push @ push
    q = p
    for _ in range(15):
        push = push + 0.5 * step * slope
        q = q + step * push
        new_value, slope = value_and_slope(q)
        push = push + 0.5 * step * slope
    gain = new_value - 0.5 * push @ push - energy
    return q if np.log(rng.uniform()) < gain else p


chain = [np.array([1.2, 0.2])]
for _ in range(2000):
    chain.append(draw(chain[-1]))
draws = np.array(chain[200:])
print("mean  ", draws.mean(axis=0).round(2))
print("spread", draws.std(axis=0).round(2))
print(srcgrad.explain(log_probability).splitlines()[1].strip())

# %%
# The picture
# -----------
# On the left the cloud, and the way of the first draws into it; on the right what it
# says about the rates.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
a, b = np.meshgrid(np.linspace(-0.4, 1.6, 120), np.linspace(-1.0, 2.2, 120))
grid = np.stack([a.ravel(), b.ravel()], axis=1)
heights = srcgrad.vmap(log_probability)(grid).reshape(a.shape)
left.contour(a, b, heights - heights.max(), levels=-(np.arange(8.0)[::-1] ** 2) / 2)
left.plot(*draws.T, ".", markersize=2, color="0.3", alpha=0.5)
left.plot(*np.array(chain[:8]).T, "o-", color="tab:red", markersize=3, linewidth=1)
left.set(xlabel="a", ylabel="b", title="probable parameters")
left.set(xlim=(-0.4, 1.6), ylim=(-1.0, 2.2))

x = np.linspace(-1.0, 1.0, 100)
rates = np.exp(draws[:, :1] + draws[:, 1:] * x)
right.plot(x, rates[::20].T, color="tab:blue", alpha=0.1, linewidth=0.8)
right.plot(x, np.exp(0.5 + 1.2 * x), "k:", label="true rate")
right.plot(traffic, counts, "k.", label="counted")
right.set(xlabel="traffic", title="probable rates")
right.legend()
plt.show()
