"""What is differentiated in the tests: functions that workers may import."""

import os
import time
from pathlib import Path

import numpy as np

rng = np.random.default_rng(34)
X = rng.normal(size=(57, 3))
Y = (rng.random(57) < 0.5).astype(float)
W = {"w": np.array([0.1, -0.2, 0.3]), "b": 0.5}
SCALE, TABLE = 1.0, np.ones(3)


class Settings:
    gain = 1.0


def logistic(w, x, y):
    z = x @ w["w"] + w["b"]
    return np.sum(np.logaddexp(0.0, z) - y * z)


def mean_square(w, x):
    return np.mean((x @ w - 1.0) ** 2)


def square(w, x):
    return np.sum((x @ w - 1.0) ** 2)


def many_ways(w, x):
    """Go another way for blocks of other sizes of numbers."""
    size, power = float(np.max(np.abs(x))), 1
    while size > 1.5:
        size, power = size / 1.5, power + 1
    return np.sum((x @ w) ** power)


def refuses_large(w, x):
    if np.max(x) > 100.0:
        raise ValueError("too large")
    return np.sum(x @ w)


def noisy(w, x):
    return np.sum((x @ w) * np.random.normal(size=len(x)))


def tanhs(w, x):
    return np.tanh(x @ w["w"] + w["b"])


def scaled(w, x):
    return SCALE * (np.cos(x @ w) if np.max(x) > 50.0 else x @ w)


def told(w, x):
    """Cannot be traced."""
    return np.sum(x @ w * TABLE[0]) * SCALE * Settings.gain * len(f"{x[0, 0]:.2f}")


def flags(folder):
    """Where a block that waits says who waits, and what it waits for."""
    return Path(folder, "started"), Path(folder, "go")


def waiting(block, folder):
    """The block, which waits to be let go if it is the one."""
    started, go = flags(folder)
    if block[0, 0] == X[30, 0]:
        part = started.with_suffix(".part")
        part.write_text(str(os.getpid()))
        part.replace(started)
        until(go.exists)
    return block


def until(holds, seconds=120):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
