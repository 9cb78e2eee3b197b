"""Train a two-layer network on handwritten digits, through generated source.

The loss is plain NumPy. `@srcgrad.trace` runs it on the tape once, writes its forward
and backward pass down as Python source, and runs that source from the second call on.
"""

import statistics
from time import perf_counter

import numpy as np
from sklearn.datasets import load_digits
from tqdm import tqdm

import srcgrad

HIDDEN = 32
EPOCHS = 30
BATCH = 32
RATE = 0.1
MOMENTUM = 0.9


@srcgrad.trace
def loss(W1, b1, W2, b2, images, targets):
    """Return the mean cross-entropy of a batch; a row of targets is 1 at its digit."""
    hidden = np.tanh(images @ W1 + b1)
    scores = hidden @ W2 + b2
    # The scores stay far below 700, where exp would overflow.
    log_total = np.log(np.sum(np.exp(scores), axis=1))
    return np.mean(log_total - np.sum(targets * scores, axis=1))


def loss_by_hand(W1, b1, W2, b2, images, targets):
    """Return the same loss and its four gradients, written by hand in NumPy."""
    hidden = np.tanh(images @ W1 + b1)
    scores = hidden @ W2 + b2
    exp_scores = np.exp(scores)
    total = exp_scores.sum(axis=1, keepdims=True)
    value = np.mean(np.log(total[:, 0]) - (targets * scores).sum(axis=1))

    dscores = (exp_scores / total - targets) / len(images)
    dhidden = (dscores @ W2.T) * (1.0 - hidden * hidden)
    gradients = (
        images.T @ dhidden,
        dhidden.sum(axis=0),
        hidden.T @ dscores,
        dscores.sum(axis=0),
    )
    return value, gradients


def load_data(rng):
    """Return images and one-hot targets: 1437 to train with, 360 to test with."""
    images, digits = load_digits(return_X_y=True)
    order = rng.permutation(len(images))
    images, targets = images[order] / 16.0, np.eye(10)[digits[order]]
    return images[:-360], targets[:-360], images[-360:], targets[-360:]


def make_parameters(rng, pixels):
    """Return W1, b1, W2, b2."""
    values = (
        rng.normal(size=(pixels, HIDDEN)) / np.sqrt(pixels),
        np.zeros(HIDDEN),
        rng.normal(size=(HIDDEN, 10)) / np.sqrt(HIDDEN),
        np.zeros(10),
    )
    return [srcgrad.Variable(value, requires_grad=True) for value in values]


def batches(rng, images, targets):
    """Yield shuffled batches; the last 29 images of an epoch wait for the next one.

    A batch of another size would be another trace, which is right but not needed here.
    """
    order = rng.permutation(len(images))
    for start in range(0, len(order) - BATCH + 1, BATCH):
        chosen = order[start : start + BATCH]
        yield images[chosen], targets[chosen]


def backward_step(loss, parameters, images, targets):
    """Run the loss forward and backward; leave the gradients in the parameters."""
    for parameter in parameters:
        parameter.zero_grad()
    value = loss(*parameters, images, targets)
    value.backward()
    return value


def train(rng, parameters, images, targets):
    """Descend with momentum; return the mean loss of each epoch."""
    velocities = [srcgrad.Variable(np.zeros(p.shape)) for p in parameters]
    history = []
    # disable=None: no bar where the output is not a terminal.
    for _ in tqdm(range(EPOCHS), desc="training", unit="epoch", disable=None):
        values = []
        for batch in batches(rng, images, targets):
            values.append(backward_step(loss, parameters, *batch).item())
            with srcgrad.no_grad():
                for parameter, velocity in zip(parameters, velocities, strict=True):
                    velocity *= MOMENTUM
                    velocity += parameter.grad
                    parameter -= RATE * velocity
        history.append(statistics.mean(values))
    return history


def accuracy(parameters, images, targets):
    """Return the fraction of images whose highest score is at the right digit."""
    W1, b1, W2, b2 = (parameter.data for parameter in parameters)
    scores = np.tanh(images @ W1 + b1) @ W2 + b2
    return np.mean(scores.argmax(axis=1) == targets.argmax(axis=1))


def median_times(functions, rounds=200):
    """Return each function's median time; they take turns, so that noise hits all."""
    times = {name: [] for name in functions}
    for _ in range(rounds):
        for name, function in functions.items():
            start = perf_counter()
            function()
            times[name].append(perf_counter() - start)
    return {name: statistics.median(taken) for name, taken in times.items()}


def main():
    rng = np.random.default_rng(0)
    train_images, train_targets, test_images, test_targets = load_data(rng)
    parameters = make_parameters(rng, train_images.shape[1])

    history = train(rng, parameters, train_images, train_targets)
    stats = loss.stats
    calls, compiled = stats.calls, stats.compiled

    print(loss.source())
    for epoch in range(0, EPOCHS, 5):
        print(f"epoch {epoch + 1:2}   loss {history[epoch]:.4f}")
    print(f"epoch {EPOCHS}   loss {history[-1]:.4f}")

    right = accuracy(parameters, test_images, test_targets)
    print(f"\ntest accuracy {right:.3f}")
    print(f"{compiled} of {calls} calls ran compiled, {stats.traces} traced")

    batch = train_images[:BATCH], train_targets[:BATCH]
    arrays = [parameter.data for parameter in parameters]
    by_hand = loss_by_hand(*arrays, *batch)
    value = backward_step(loss, parameters, *batch)
    assert np.allclose(value.item(), by_hand[0])
    for parameter, gradient in zip(parameters, by_hand[1], strict=True):
        assert np.allclose(parameter.grad.data, gradient)

    times = median_times(
        {
            "by hand in NumPy": lambda: loss_by_hand(*arrays, *batch),
            "traced": lambda: backward_step(loss, parameters, *batch),
            "on the tape": lambda: backward_step(loss.__wrapped__, parameters, *batch),
        }
    )
    print("\ntime per step (loss and gradients), median:")
    for name, seconds in times.items():
        ratio = seconds / times["by hand in NumPy"]
        print(f"  {name:18}{seconds * 1e6:8.1f} us   x {ratio:.2f}")

    assert right >= 0.95
    assert compiled > 0.95 * calls


if __name__ == "__main__":
    main()
