"""Lists of Python's floats that loops fill are lists of Python's floats.

Generated programs fill a list in one of many ways, and do something with it that is
another thing for NumPy's floats: they divide by zero, take roots of what is negative,
meet arrays of float32.
"""

import itertools
import math
import statistics

import numpy as np
import pytest

import srcgrad
from tests.one_liners import execute

# How a list is filled: `a` is a float of Python's, `x` an array.
LOOPS = """\
s, l = a, [a]
while s > 1.0:
    s = s - 1.0
    l.append(s)
--
s, l = a, []
while s > 1.0:
    s = s - 0.7
    l.append(s - s)
--
s, l = -a, [-a]
while s < -0.5:
    s = s * 0.5
    l.append(s)
--
l = [a - 2.0]
while l[-1] > 0.4:
    l.append(l[-1] * 0.5 - 0.2)
--
s, l = a, []
for i in range(50):
    s = s * 0.5 - 0.01
    l.append(s)
    if s < 0.1:
        break
--
s, l = a, []
while True:
    s = s * 0.5 - 0.05
    l.append(s)
    if s < 0.1:
        break
--
s, l = a, []
for v in x:
    s = s * 0.6 - 0.1
    l.append(s)
    if s < 0.2:
        break
--
s, l = np.sum(x * x) * a, []
while s > 0.1:
    s = s * 0.6
    l.append(float(s) - 0.2)
--
s, l = np.sum(x * x) * a, [a]
while s > 0.1:
    s = s * 0.6
    l.append(s)
--
s, l = np.sum(x * x) * a, []
while s > 0.1:
    s = s * 0.6
    l.append(s - 0.2)
--
s, l = np.sum(x * x) * a, [np.array(a)]
while s > 0.1:
    s = s * 0.6
    l.append(s)
--
s, l = a, [a]
while s > 0.2:
    if s > 2.0:
        l.append(s)
    else:
        l.append(-s)
    s = s * 0.5
--
s, l = a, [a]
while s > 0.2:
    y = np.sin(s) if s > 2.0 else -s
    s = s * 0.5
    l.append(y)
--
t, l = 0.0, [0.0]
while t < a:
    t += 0.3
    l.append(t)
--
s, l = a, []
while s > 0.5:
    s = s * 0.8
    l.append(int(s * 3) - 1)
--
s, k = a, [a]
while s > 0.5:
    s = s * 0.6
    k.append(s)
l = [v - 1.0 for v in k]
--
s, k = a, [a]
while s > 0.5:
    s = s * 0.6
    k.append(s)
l = [max(k), -min(k), sum(k), k[0], k[-1]]
--
s, l = a, []
for i in range(len(x)):
    s = s * 0.5 - 0.2
    l.append(s)
--
l = [a * 0.5 - i for i in range(len(x))]
""".split("--\n")
# What is done with it.
USES = """\
max(l) ** 0.5; min(l) ** 0.5; (-l[0]) ** 0.5; 1 / min(l); 1.0 / l[-1]; l[-1] // 0
x32 * sum(l); x32 * max(l); x32 * l[0]; x32 * l[-1]; z64 * sum(l); np.float32(2) * l[1]
l; l[0]; l[1]; l[-1]; l[-2]; sorted(l); sum(l); sum(l) / len(l); sum(l, 0.0)
f"{l[0]} {max(l)}"; type(max(l)) is float; type(l[0]); isinstance(sum(l), np.float64)
math.sqrt(min(l)); math.log(l[-1]); math.prod(l); statistics.mean(l); divmod(l[-1], 0.0)
[v ** 0.5 for v in l]; [1.0 / v for v in l]; [*zip(l, l)]; [*enumerate(l)]
min(l, key=abs); max(l, default=1.0); max(v * 2.0 for v in l) ** 0.5; min(l) ** -1.5
np.sum(l); np.max(l) ** 0.5; np.array(l); np.mean(l) / 0.0; max(l), np.max(l)
round(l[0], 1); max(l) % min(l)
loop(l, 0.0); loop(l, x32); quotients(l); refilled(l); caught(l); largest(l)
"""
USES = [use.strip() for line in USES.splitlines() for use in line.split(";")]
HELPERS = """\
def loop(l, total):
    for v in l:
        total = total + v * v
    return total, v

def quotients(l):
    return sum(u / w for u, w in zip(l, l))

def refilled(l):
    roots = []
    for v in l:
        roots.append(v ** 0.5)
    return roots[0], roots[-1]

def caught(l):
    try:
        return 1.0 / min(l)
    except ZeroDivisionError:
        return "zero"

def largest(l):
    best = l[0]
    for i, v in enumerate(l):
        if v > best:
            best = v
    return best, best ** 0.5, i

"""
CALLS = [
    (3.5, 4),
    (2.5, 3),
    (6.5, 5),
    (0.5, 1),
    (2.25, 6),
    (9.5, 9),
    (4.25, 8),
    (3.5, 4),
]


def load(loop, use):
    lines = [*loop.splitlines(), f"return {use}"]
    text = HELPERS + "def f(a, x, x32, z64):\n"
    text += "".join(f"    {line}\n" for line in lines)
    return execute(text, "lists", {"np": np, "math": math, "statistics": statistics})[
        "f"
    ]


def outcome(function, *args):
    try:
        with np.errstate(all="ignore"):
            return function(*args)
    except Exception as error:
        return type(error), str(error)


def is_same(found, expected):
    """Whether kinds and dtypes are the same, and numbers but for rounding."""
    if type(found) is not type(expected):
        return False
    if isinstance(expected, (list, tuple)):
        pairs = itertools.zip_longest(found, expected)
        return all(is_same(own, theirs) for own, theirs in pairs)
    if not isinstance(expected, (float, complex, np.ndarray, np.generic)):
        return found == expected
    if getattr(found, "dtype", None) != getattr(expected, "dtype", None):
        return False
    return np.allclose(found, expected, 1e-6, 1e-13, equal_nan=True)


@pytest.mark.seeds(15)
def test_what_is_done_with_floats_of_a_list_is_done_with_pythons(seed):
    random = np.random.default_rng(seed)
    loop, use = random.choice(LOOPS), random.choice(USES)
    function = load(loop, use)
    traced = srcgrad.trace(function)
    x32, z64 = np.array([1.0, 2.0], np.float32), np.array([1.0 + 2.0j], np.complex64)
    for a, n in CALLS:
        args = a, np.random.default_rng(n).uniform(-1.0, 2.0, n), x32, z64
        found, expected = outcome(traced, *args), outcome(function, *args)
        assert is_same(found, expected), f"{loop}{use}\n{args}\n{found} {expected}"


def root_of_the_largest(a):
    s, found = a, [a]
    while s < -0.5:
        s = s * 0.5
        found.append(s)
    return max(found) ** 0.5, min(found) / len(found), found[0]


def test_they_are_one_trace_for_all_counts():
    traced = srcgrad.trace(root_of_the_largest)
    for a in (-5.0, -3.0, -9.0, -20.0, -100.0):
        assert is_same(traced(a), root_of_the_largest(a))
    assert traced.stats.traces == 1
