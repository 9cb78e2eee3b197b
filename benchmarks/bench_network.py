"""A two-layer network on a batch of 32: how near to gradients written by hand."""

import numpy as np
from ratios import Row, ratio, report

import srcgrad

BATCH = 32
WIDTHS = ((16, 16, 16), (16, 32, 16), (32, 32, 32))  # inputs, hidden, outputs


@srcgrad.trace
def loss(W1, b1, W2, b2, x, y):
    h = np.tanh(x @ W1 + b1)
    return np.mean((h @ W2 + b2 - y) ** 2)


def by_hand(W1, b1, W2, b2, x, y):
    h = np.tanh(x @ W1 + b1)
    r = h @ W2 + b2 - y
    value = np.mean(r * r)
    dr = (2.0 / r.size) * r
    dz = (dr @ W2.T) * (1.0 - h * h)
    return value, (x.T @ dz, dz.sum(axis=0), h.T @ dr, dr.sum(axis=0))


def rows(inputs: int, hidden: int, outputs: int) -> list[Row]:
    """Return the ratios for one choice of widths, after a look that all agree."""
    rng = np.random.default_rng(0)
    shapes = [(inputs, hidden), (hidden,), (hidden, outputs), (outputs,)]
    arrays = [rng.normal(size=shape) / np.sqrt(shape[0]) for shape in shapes]
    batch = rng.normal(size=(BATCH, inputs)), rng.normal(size=(BATCH, outputs))
    parameters = [srcgrad.Variable(array, requires_grad=True) for array in arrays]
    value_and_grad = srcgrad.value_and_grad(loss, argnums=(0, 1, 2, 3))

    def functional():
        return value_and_grad(*arrays, *batch)

    def hand():
        return by_hand(*arrays, *batch)

    def step(function):
        for parameter in parameters:
            parameter.grad = None
        function(*parameters, *batch).backward()

    _, expected = hand()
    step(loss)
    step(loss)
    for parameter, ours, theirs in zip(
        parameters, functional()[1], expected, strict=True
    ):
        assert np.allclose(ours, theirs)
        assert np.allclose(parameter.grad.data, theirs)

    measured = [
        ("value_and_grad", functional, 1.3),
        ("trace + backward()", lambda: step(loss), 1.6),
        ("tape + backward()", lambda: step(loss.__wrapped__), 5.0),
    ]
    widths = f"{inputs}-{hidden}-{outputs}"
    return [
        Row(f"{widths:8}  {name}", ratio(function, hand), budget, "x")
        for name, function, budget in measured
    ]


if __name__ == "__main__":
    report(
        f"Two-layer network, batch of {BATCH}, against NumPy by hand",
        [row for widths in WIDTHS for row in rows(*widths)],
    )
