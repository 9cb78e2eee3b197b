"""What a compiled call pays for reading the world: arrays, and guards on the rest."""

from dataclasses import dataclass, field

import numpy as np
from ratios import Row, difference, report

import srcgrad


@dataclass
class Settings:
    """Values that decide something."""

    depth: int = 2
    activation: str = "tanh"
    bias: bool = True
    norm: str = "l2"
    residual: bool = False
    clip: int = 5
    mode: str = "train"
    seed: int = 3
    scale: int = 2
    dropout: object = None
    tied: bool = False
    order: int = 1
    device: str = "cpu"
    warmup: int = 10


@dataclass
class Net:
    """Six arrays, and what they are used by."""

    settings: Settings = field(default_factory=Settings)

    def __post_init__(self):
        rng = np.random.default_rng(0)
        self.W1, self.W2, self.W3 = rng.normal(size=(3, 8, 8))
        self.b1, self.b2, self.b3 = rng.normal(size=(3, 8))

    def loss(self, x):
        s = self.settings
        decided = (
            *(s.depth, s.activation, s.bias, s.norm, s.residual, s.clip, s.mode),
            *(s.seed, s.scale, s.dropout, s.tied, s.order, s.device, s.warmup),
        )
        h = np.tanh(x @ self.W1 + self.b1) if decided[1] == "tanh" else x
        h = np.tanh(h @ self.W2 + self.b2)
        return np.sum((h @ self.W3 + self.b3) ** 2)


def row_of_reads():
    """``environment()`` of six arrays and twenty guards."""
    net, x = Net(), np.ones((4, 8))
    traced = srcgrad.trace(net.loss)
    for _ in range(3):
        traced(x)
    (entry,) = traced._cache.entries(None)
    (trace,) = entry.traces
    guards = len([*trace.guards.environment.conditions])
    assert (len(trace.guards.environment.taken), guards) == (6, 21)
    leaves = [x, net]
    assert len(trace.guards.read(leaves, [])) == 6
    microseconds = 1e6 * difference(lambda: trace.guards.read(leaves, []), lambda: None)
    return Row(f"reads of 6 arrays, {guards} guards", microseconds, 6.0, "us")


def loss(x, W1, b1, W2, b2, W3, b3):
    h = np.tanh(x @ W1 + b1)
    return np.sum((np.tanh(h @ W2 + b2) @ W3 + b3) ** 2)


def row_of_arguments():
    """The same arrays read from outside, against their being arguments: whole calls."""
    net, x = Net(), np.ones((4, 8))
    arrays = net.W1, net.b1, net.W2, net.b2, net.W3, net.b3
    reading, given = srcgrad.trace(net.loss), srcgrad.trace(loss)
    for _ in range(3):
        reading(x)
        given(x, *arrays)
    more = difference(lambda: reading(x), lambda: given(x, *arrays))
    return Row("a call that reads, over one that is given", 1e6 * more, 6.0, "us")


if __name__ == "__main__":
    report("The environment of a function", [row_of_reads(), row_of_arguments()])
