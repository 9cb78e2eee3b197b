"""Networks and regressions: layers as objects, as dicts, as lists."""

import logging

import numpy as np

from tests.scientific.programs import made, program

log = logging.getLogger(__name__)
RNG = np.random.default_rng(11)
X = RNG.normal(size=(10, 3))
Y = np.tanh(X @ np.array([0.5, -1.0, 0.3]))[:, None]
L2 = 1e-2


class Layer:
    def __init__(self, weights, bias):
        self.weights = np.asarray(weights)
        self.bias = bias

    def __call__(self, x):
        return np.tanh(self.weights.dot(x) + self.bias)


@program([0.6, 0.4, 0.9])
def network(p):
    """Layers as objects, made inside, with a running average that is updated."""
    layers = [Layer(np.outer([1.0, -0.5], p[:2]), p[2]), Layer([[p[0], p[1]]], 0.1)]
    average = np.zeros(1)
    for x in (np.array([0.3, -0.1]), np.array([0.5, 0.2])):
        for layer in layers:
            x = layer(x)
        average *= 0.9
        average += 0.1 * x
    (value,) = average
    return value


class Dense:
    def __init__(self, n_in, n_out, activation="tanh", seed=0):
        rng = np.random.default_rng(seed)
        self.W = rng.normal(size=(n_in, n_out)) / np.sqrt(n_in)
        self.b = np.zeros(n_out)
        self.activation = activation

    def forward(self, x):
        z = x @ self.W + self.b
        if self.activation == "tanh":
            return np.tanh(z)
        if self.activation == "relu":
            return np.maximum(z, 0)
        return z


class BatchNorm:
    """Running averages are stored at each call of the training."""

    def __init__(self, n, momentum=0.9):
        self.running_mean = np.zeros(n)
        self.running_var = np.ones(n)
        self.gamma, self.beta = np.ones(n), np.zeros(n)
        self.momentum = momentum
        self.training = True

    def forward(self, x):
        if self.training:
            mean, var = x.mean(axis=0), x.var(axis=0)
            m = self.momentum
            self.running_mean = m * self.running_mean + (1 - m) * mean
            self.running_var = m * self.running_var + (1 - m) * var
        else:
            mean, var = self.running_mean, self.running_var
        return self.gamma * (x - mean) / np.sqrt(var + 1e-5) + self.beta


class Sequential:
    def __init__(self, *layers):
        self.layers = list(layers)

    def __call__(self, x):
        for layer in self.layers:
            x = layer.forward(x)
        return x


class Regressor:
    """A model whose input is what is differentiated; parameters in attributes."""

    def __init__(self, norm):
        layers = [Dense(3, 5), Dense(5, 4, "relu", 1), Dense(4, 1, None, 2)]
        if norm:
            layers.insert(1, BatchNorm(5))
        self.net = Sequential(*layers)

    def loss(self, x, y):
        penalty = sum(
            np.sum(layer.W**2) for layer in self.net.layers if hasattr(layer, "W")
        )
        return np.mean((self.net(x) - y) ** 2) + L2 * penalty


made("perceptron", lambda: Regressor(norm=False).loss, X[:4], Y[:4])
made("batch_norm", lambda: Regressor(norm=True).loss, X[:4], Y[:4])

PARAMS = {
    "encoder": {"W": RNG.normal(size=(3, 2)), "b": np.zeros(2)},
    "decoder": [{"W": RNG.normal(size=(2, 3)), "b": np.zeros(3)}],
    "scale": 0.5,
}


@program(PARAMS, X)
def autoencoder(params, x):
    """Nested dicts and lists of layers."""
    encoder = params["encoder"]
    code = np.tanh(x @ encoder["W"] + encoder["b"])
    out = code
    for i, layer in enumerate(params["decoder"]):
        out = out @ layer["W"] + layer["b"]
        if i + 1 < len(params["decoder"]):
            out = np.tanh(out)
    loss = np.mean((params["scale"] * out - x) ** 2)
    log.debug("loss %.3f", loss)
    return loss


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


class LSTM:
    def __init__(self, n_in, n_hidden):
        rng = np.random.default_rng(5)
        self.n_hidden = n_hidden
        self.params = {
            gate: (
                0.5 * rng.normal(size=(n_hidden, n_in + n_hidden)),
                np.zeros(n_hidden),
            )
            for gate in ("forget", "input", "output", "cell")
        }

    def step(self, x, h, c):
        joined = np.concatenate([x, h])
        gates = {}
        for name, (W, b) in self.params.items():
            z = np.dot(W, joined) + b
            gates[name] = np.tanh(z) if name == "cell" else sigmoid(z)
        c = gates["forget"] * c + gates["input"] * gates["cell"]
        return gates["output"] * np.tanh(c), c

    def predict(self, sequence):
        h, c = np.zeros(self.n_hidden), np.zeros(self.n_hidden)
        outputs = np.zeros((len(sequence), self.n_hidden))
        for t, x in enumerate(sequence):
            h, c = self.step(x, h, c)
            outputs[t] = h
        return outputs

    def loss(self, sequence):
        return (self.predict(sequence)[-1] ** 2).sum()


made("lstm", lambda: LSTM(3, 2).loss, X[:5])

LABELS = (X[:, 0] > 0).astype(int)


@program(0.1 * RNG.normal(size=(4, 2)), X, LABELS, n_classes=2)
def softmax_regression(W, x, labels, n_classes):
    """One-hot targets, a column of ones, accuracy printed now and then."""
    ones = np.ones((x.shape[0], 1))
    logits = np.hstack([x, ones]) @ W
    logits -= logits.max(axis=1, keepdims=True)
    probabilities = np.exp(logits)
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    targets = np.eye(n_classes)[labels]
    assert probabilities.shape == targets.shape, "one column a class"
    return -np.sum(targets * np.log(probabilities)) / len(labels) + L2 * (W**2).sum()


@program([0.1, -0.2, 0.3], X, LABELS)
def hinge_by_samples(w, x, labels):
    """A support vector machine, sample by sample, with branches on margins."""
    loss = 0.5 * L2 * np.dot(w, w)
    violations = 0
    for xi, yi in zip(x, 2 * labels - 1, strict=True):
        margin = yi * np.dot(w, xi)
        if margin < 1:
            loss += (1 - margin) / len(x)
            violations += 1
    return loss


@program(RNG.normal(size=(4, 6)), n_heads=2)
def attention(x, n_heads):
    """Heads are split, masked, and put together in a list comprehension."""
    n, d = x.shape
    mask = np.triu(np.full((n, n), -1e9), k=1)
    heads = []
    for q in np.split(x, n_heads, axis=-1):
        scores = q @ q.T / np.sqrt(d // n_heads) + mask
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights = weights / weights.sum(-1, keepdims=True)
        heads.append(weights @ q)
    out = np.concatenate(heads, axis=-1) + x
    centred = out - out.mean(-1, keepdims=True)
    return np.mean((centred / np.sqrt(out.var(-1, keepdims=True) + 1e-5))[:, 0] ** 2)


KERNELS = {"edge": np.array([[1.0, 0.0, -1.0]] * 3), "blur": np.ones((3, 3)) / 9}


@program(RNG.normal(size=(3, 3)))
def small_convnet(kernel):
    """Convolution and pooling in loops, with fixed kernels from a dict."""
    image = np.sin(np.arange(64.0)).reshape(8, 8)

    def convolve(image, kernel):
        k = kernel.shape[0]
        rows, columns = (s - k + 1 for s in image.shape)
        out = np.zeros((rows, columns))
        for i in range(rows):
            for j in range(columns):
                out[i, j] = np.sum(image[i : i + k, j : j + k] * kernel)
        return out

    maps = [convolve(image, fixed * kernel) for fixed in KERNELS.values()]
    maps = np.maximum(np.stack(maps), 0)
    pooled = maps.reshape(2, 3, 2, 3, 2).max(axis=(2, 4))
    return np.linalg.norm(pooled)
