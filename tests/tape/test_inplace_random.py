"""Random programs that write in place: right values and gradients, or an error.

Each program also runs traced, with the same result or error.
"""

import random
import re

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from tests.one_liners import execute

# No ties, and nothing near the thresholds that the statements compare with.
X = np.array([[0.3137, -0.7411, 1.1239], [0.9173, 0.2291, -1.3317]])
V = np.array([0.5331, 1.2179, -0.4427])

STATEMENTS = """
y += v
y *= 2.0
y[0] += v
y[1:] *= 1.5
y[:, 0] -= v[0]
y[0] = y[1]
y[1] = v
y[:, 1:] = y[:, :-1]
y[m] = 0.5
y[[0, 0, 1]] += v
y[0, 1] *= s * 0.1
y[y > 0.5] *= 2.0
np.exp(y * 0.1, out=y)
np.copyto(y, v)
np.add.at(y, ([0, 0], [1, 1]), v[:2])
y.tanh_()
y.clamp_(-3.0, 3.0)
y.sort()
y = np.sin(y)
y = y + u
y = y + w.sum()
y = y * w.mean()
y = y * s * 0.01
y = y.T.copy().T
y = y.reshape(3, 2).reshape(2, 3)
y = z.T * 1.0
w = y * y
w = y[0] * v
w = y + 1.0
u = y[0]
u *= 0.5
u[0] = v[1]
z = y.T
z[0] += 1.0
z *= 0.5
d = y.detach()
s = y.sum()
s += 1.0
del u, z, d
""".strip().splitlines()

FIRST = """
y = x * 1.0
m = np.array([[True, False, True], [False, True, False]])
w = d = x + 1.0
u = v + 1.0
z = x.T + 1.0
s = v.sum()
""".strip().splitlines()


def program(lines):
    """A function of x and v with a source that the tracer finds."""
    body = "".join(f"    {line}\n" for line in [*FIRST, *lines])
    source = f"def run(x, v):\n{body}    return (y * y).sum()\n"
    return execute(source, "program", {"np": np})["run"]


def in_numpy(line):
    """The statement for ndarrays, which have no such methods."""
    line = re.sub(r"y\.tanh_\(\)", "np.tanh(y, out=y)", line)
    line = re.sub(r"y\.clamp_\((.*)\)", r"np.clip(y, \1, out=y)", line)
    return line.replace("y.detach()", "y")


def outcome(run, sign=1.0):
    """Value and gradients, or the error."""
    x = Variable(sign * X, requires_grad=True)
    v = Variable(sign * V, requires_grad=True)
    try:
        out = run(x, v)
        out.backward()
    except (RuntimeError, NameError) as error:
        return type(error), str(error).split("(")[0]
    grads = [each.grad for each in (x, v)]
    return [out.item(), *(None if g is None else g.data for g in grads)]


def numerical(run, number):
    values = [X.copy(), V.copy()]
    value, found = values[number], []
    for i in np.ndindex(value.shape):
        slope = 0.0
        for step in (1e-5, -1e-5):
            before = value[i]
            value[i] += step
            slope += run(*values) / (2 * step)
            value[i] = before
        found.append(slope)
    return np.reshape(found, value.shape)


def equal(a, b):
    if a is None or b is None:
        return a is b
    return np.allclose(a, b, rtol=1e-9)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.seeds(8)
def test_random_programs(seed):
    rng = random.Random(seed)
    right = 0
    for _ in range(30):
        lines = [rng.choice(STATEMENTS) for _ in range(rng.randint(1, 6))]
        found = outcome(program(lines))
        if isinstance(found, tuple):
            continue
        plain = program(map(in_numpy, lines))
        value = plain(X.copy(), V.copy())
        if abs(value) < 1e5:
            right += 1
            assert np.isclose(found[0], value), lines
            for number, g in enumerate(found[1:]):
                g = np.zeros_like([X, V][number]) if g is None else g
                expected = numerical(plain, number)
                assert np.allclose(g, expected, rtol=1e-4, atol=1e-3), lines
    assert right > 5


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.seeds(8)
def test_random_programs_traced(seed):
    rng = random.Random(seed + 1000)
    compiled = 0
    for _ in range(10):
        lines = [rng.choice(STATEMENTS) for _ in range(rng.randint(1, 6))]
        run = program(lines)
        traced = srcgrad.trace(run)
        for sign in (1.0, 1.0, -1.0, 1.0):
            expected, found = outcome(run, sign), outcome(traced, sign)
            if isinstance(expected, tuple):
                assert found == expected, lines
            else:
                assert all(map(equal, found, expected)), lines
        compiled += traced.stats.compiled
    assert compiled > 0
