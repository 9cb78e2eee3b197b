"""A Bayesian neural network that knows what it does not know.

Each weight has a normal distribution; the network is trained on samples of them, by
the evidence lower bound ("Bayes by backprop"). Between the data its answers agree, and
far from them they do not.
"""

import numpy as np

import srcgrad

HIDDEN = 20
NOISE = 0.05
STEPS = 3000
RATE = 0.01
SIZES = (HIDDEN, HIDDEN, HIDDEN, 1)  # of W1, b1, W2, b2


def network(weights, x):
    """Return the answers of a network with one hidden layer."""
    W1, b1, W2, b2 = np.split(weights, np.cumsum(SIZES)[:-1])
    return np.maximum(x[:, None] * W1 + b1, 0.0) @ W2 + b2[0]


@srcgrad.trace
def loss(mean, log_spread, x, y, draw):
    """Return minus the evidence lower bound, from one draw of the weights."""
    spread = np.exp(log_spread)
    misfit = 0.5 * np.sum(((network(mean + spread * draw, x) - y) / NOISE) ** 2)
    # How far the weights' distribution is from the standard normal one.
    surprise = np.sum(0.5 * (mean**2 + spread**2 - 1.0) - log_spread)
    return misfit + surprise


def train(rng, x, y):
    """Return the means and the logarithms of the spreads, by Adam's steps."""
    size = sum(SIZES)
    parameters = [rng.normal(size=size), np.full(size, -4.0)]
    first = [np.zeros(size), np.zeros(size)]
    second = [np.zeros(size), np.zeros(size)]
    gradients_of = srcgrad.value_and_grad(loss, argnums=(0, 1))
    for step in range(1, STEPS + 1):
        _, gradients = gradients_of(*parameters, x, y, rng.normal(size=size))
        for i, gradient in enumerate(gradients):
            first[i] = 0.9 * first[i] + 0.1 * gradient
            second[i] = 0.999 * second[i] + 0.001 * gradient**2
            direction = first[i] / (1.0 - 0.9**step)
            scale = np.sqrt(second[i] / (1.0 - 0.999**step)) + 1e-8
            parameters[i] = parameters[i] - RATE * direction / scale
    return parameters


def main():
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(-1.5, -0.5, 40), rng.uniform(0.5, 1.5, 40)])
    y = np.sin(3.0 * x) * 0.5 + NOISE * rng.normal(size=x.size)
    mean, log_spread = train(rng, x, y)

    places = np.array([-3.0, -1.0, 0.0, 1.0, 3.0])
    draws = rng.normal(size=(200, mean.size))
    answers = np.stack([network(mean + np.exp(log_spread) * d, places) for d in draws])
    for place, middle, spread in zip(
        places, answers.mean(axis=0), answers.std(axis=0), strict=True
    ):
        print(f"at {place:4.1f}   {middle:6.2f}   give or take {spread:.2f}")
    print(f"{loss.stats.compiled} of {loss.stats.calls} calls ran compiled")

    error = network(mean, x) - y
    print(f"root mean square error {np.sqrt(np.mean(error**2)):.3f}")
    assert np.sqrt(np.mean(error**2)) < 3.0 * NOISE
    spreads = answers.std(axis=0)
    assert spreads[[0, 4]].min() > 2.0 * spreads[[1, 3]].max()
    assert loss.stats.compiled > 0.9 * loss.stats.calls


if __name__ == "__main__":
    main()
