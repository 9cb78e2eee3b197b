"""Two values of different kinds joined, then used: a trace gives what Python gives.

An ``if``, a conditional expression, ``and``, ``or``, ``max``, a loop: then a name is
one kind of number, or another, or no number at all. What is done with it gives the same
value, kind and error, whichever arms ran when the trace was made. Under
``value_and_grad`` it is what the tape gives.
"""

import itertools
import linecache
import math
import random
import statistics
import warnings

import numpy as np
import pytest

import srcgrad

NUMBERS = itertools.count()

# Of ``a``, a float; ``x``, ``s``, ``z``, ``i``: arrays of doubles, of less precision,
# complex ones, integers; ``n``, an integer; ``y``, an array of changing length.
KINDS = {
    "int": "int(a)|3|0|-2|len(x)|round(a)|math.floor(a)|n|n * 2|int(a) * 2 + 1|2 ** 60",
    "float": "a * 0.5|0.25|0.0|-0.0|float(x[0])|float(n)|a|1e200|abs(a)|float('nan')",
    "bool": "True|False|bool(x[0] > 0)|n > 1|not n|isinstance(a, float)|a == 0.5",
    "truth": "x[0] > 0|np.any(x > 1)|np.isfinite(x[1])|x[0] > x[1]",
    "float64": "x[0]|np.sin(a)|np.float64(2.5)|x.sum()|np.exp(x[1])|x[0] * a",
    "int64": "np.argmax(x)|np.int64(3)|i[0]|np.sum(i)|i[1] * 2|np.int64(2) ** 62",
    "float32": "s[0]|np.float32(0.5)|np.float32(a)|s.sum()",
    "complex": "complex(a, 1.0)|1j|a * 1j|complex(x[0], 0.0)",
    "complex64": "z[0]|z.sum()|np.complex64(1j)",
    "text": "'up'|'down'|str(n)",
    "none": "None",
    "array": "np.array(a)|np.array(2)|np.array(True)|x * 2.0|s * 2|i + 1",
}
NUMERIC = [*KINDS][:9]
TESTS = "a > 1.0|a > 1.0|x[0] > 0|n > 2|a * a < 2.0|x[0] + a > 1.0".split("|")
FORMS = """
if TEST:; k = ONE;else:; k = OTHER
k = ONE;if TEST:; k = OTHER
k = ONE;if TEST:; k = OTHER;elif ELSE:; k = THIRD
k = ONE if TEST else OTHER
k = TEST and ONE
k = TEST or ONE
k = ONE and OTHER
k = ONE or OTHER
k = max(ONE, OTHER)
k = min(ONE, OTHER)
k = pick(a, x, n, s, z, i)
k = ONE;for v in x:; if v > 0:;  k = OTHER
k = ONE;for v in y:; if v > a:;  k = OTHER;  break
k = ONE;for v in x:; if k:;  k = OTHER; else:;  k = THIRD
j = ONE if TEST else OTHER;k = j if ELSE else THIRD
j = ONE if TEST else OTHER;k = j * 2.0 if ELSE else THIRD
ks = [];for v in x:; ks.append(ONE if v > a else OTHER);k = ks[-1]
""".strip().splitlines()
# Some of them are beyond all bounds in the end, and some go round in 64 bits.
GROWING = """
k = ONE;for v in x:; if v > a:;  k = k + 1
k = ONE;for _ in range(n):; k += 0.5
k = n;for v in y:; k = k * 2 + (1 if v > a else 0)
k = i[0];for v in y:; k = k * 3
k = int(a);for v in y:; if v > 0:;  k = k + k + 1
k = np.int64(3);for v in y:; if v > 0:;  k = k * 2
k, j = n, 1;for v in y:; if v > a:;  k, j = k + j, k
k, m = n, 0;while m < n * 23:; m += 1; k = k + k + m
""".strip().splitlines()
USES = """
k|(k, a)|[k, 1.0]|{'k': k}|k % 3|k // 2|k * 2|2 * k|k + 1|1 - k|k / 2|k ** 2|2.0 ** k
-k|+k|abs(k)|~k|k & 1|k ^ True|k << 2|k and a|k or a|not k|k == 3|k != 0.25|k < 1
k > x[0]|3 >= k|k == np.array(True)|k is True|k is None|k is k|type(k)|type(k) is int
isinstance(k, int)|isinstance(k, float)|isinstance(k, np.generic)|hasattr(k, 'dtype')
str(k)|repr(k)|f'{k}'|f'{k!r:>9}'|format(k, '.3f')|'%s' % k|'%d' % k|f'{k:d}'|f'{k % 3}'
len(range(k))|x[k]|x[k:]|x[:k]|[1.0, 2.0, 3.0, 4.0][k]|'abcdefg'[k]
{3: 'a', 0.25: 'b', True: 'c'}.get(k)|k in (3, 0.25, None)|hash(k)|s * k|z * k|x * k
i * k|s * (k * 2)|z + (k - 1)|np.float32(2.0) * k|k * 1.0|1.0 * k|k * 1j|x + [k, k, k]
np.array([k, 1])|np.array(k)|np.array([k, x[0]])|np.full(2, k)|np.stack([k, k])
np.where(k, x, 0.0)|np.sum(k)|np.exp(k)|np.maximum(k, 1)|np.multiply(k, s)
np.result_type(k)|math.exp(k)|math.floor(k)|int(k)|float(k)|complex(k)|bool(k)
round(k)|round(k, 1)|divmod(k, 2)|max(k, 1.0)|min(k, 2)|max(k, x[0])|sum([k, k])
sorted([k, 1.0])|k.real|k.imag|k.conjugate()
k.is_integer()|k.as_integer_ratio()|k.bit_length()|k.hex()
k.numerator|k.dtype|k.shape|k.upper()|k.astype(float)|k.sum()|a if k else 2.0|1.0 / k
k if a > 1.0 else a|math.copysign(1.0, k)|k / k|x / k|(-1.5) ** k|k ** 0.5|k ** -1
np.sum(x, axis=k)|k + 2 ** 53 + 1
float(k) * x[0]|int(k) + 1|all([k, True])|np.logical_not(k)|np.sign(k)|twice(k)|box(k).v
k + s[0]|k * z[0]|k + n|k - i[0]|k @ x|np.sqrt(k)|k < 2 ** 60|k > 1e300|k + 2 ** 53
s[0] < k|i[0] == k|x[0] if k > 1 else k|np.float32(k)|np.int32(k)|np.complex64(k)
statistics.fmean([k, 1])|math.fsum([k, 0.1])|math.isclose(k, 3)|math.prod([k, 2])
"""
# Of what is small alone.
MAKES = "list(range(k))|np.arange(k)|'ab' * k|(1,) * k"
FRAME = """
def twice(v):
    return v + v
class box:
    def __init__(self, v):
        self.v = v
def pick(a, x, n, s, z, i):
    if TEST:
        return ONE
    return OTHER
def f(a, x, n, s, z, i, y):
    BODY
    return USE
def g(a, x, n, s, z, i, y):
    BODY
    return a * x[1] * (k if isinstance(k, float) else 2.0), USE
"""


def program(draw):
    """Two functions with one join: one of which the use is the result, or beside it."""
    kinds = [*KINDS] if draw.random() < 0.2 else NUMERIC
    parts = {
        name: draw.choice(KINDS[draw.choice(kinds)].split("|"))
        for name in ("ONE", "OTHER", "THIRD")
    }
    parts |= {name: draw.choice(TESTS) for name in ("TEST", "ELSE")}
    uses, forms = [*USES.replace("\n", "|").strip("|").split("|"), "k | True"], GROWING
    if draw.random() < 0.7:
        uses, forms = uses + MAKES.split("|"), FORMS
    use = draw.choice(uses)
    lines = draw.choice(forms).replace("; ", ";    ").split(";")
    source = FRAME.replace("BODY", "\n    ".join(map(_indented, lines)))
    for name, text in (parts | {"USE": use}).items():
        source = source.replace(name, text)
    name = f"generated_joins_{next(NUMBERS)}.py"
    linecache.cache[name] = len(source), None, source.splitlines(True), name
    namespace = {
        "np": np,
        "math": math,
        "statistics": statistics,
        "__name__": name[:-3],
    }
    exec(compile(source, name, "exec"), namespace)
    return namespace["f"], namespace["g"]


def _indented(line):
    """A line of a form, in which one space is one level (the first is four by now)."""
    text = line.lstrip(" ")
    deeper = len(line) - len(text) - 4
    return " " * (4 + 4 * deeper) + text if deeper >= 0 else text


def arguments(draw):
    """Calls that go all ways, some of them twice."""
    kind = draw.choice((float, np.float64))
    rng = np.random.default_rng(draw.randrange(2**30))
    lengths = draw.choice([(70,) * 7, (5, 6, 7, 65, 70, 6, 66)])
    for length in lengths:
        a = draw.choice((0.5, 1.2, 2.2, -3.0, 3.3, 0.0, -0.0, 1.7, 5.2, -1.5))
        x = rng.normal(size=3) + draw.choice((-1.5, 0.0, 1.5))
        s, z = x.astype(np.float32), (x + 1j).astype(np.complex64)
        i = np.array([draw.choice((0, 1, 2, 5)), 2])
        yield kind(a), x, draw.choice(range(5)), s, z, i, rng.normal(size=length) + 0.5


def outcome(function, args):
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(*args)
    except Exception as error:
        return type(error)


def assert_same(ours, theirs):
    """The same kinds of the same values, but for rounding."""
    assert type(ours) is type(theirs)
    if isinstance(theirs, (tuple, list)):
        for pair in zip(ours, theirs, strict=True):
            assert_same(*pair)
    elif isinstance(theirs, dict):
        assert_same([*ours.items()], [*theirs.items()])
    elif getattr(theirs, "dtype", None) == np.dtype(object):
        assert_same(ours.tolist(), theirs.tolist())  # of integers beyond 64 bits
    elif isinstance(theirs, (np.ndarray, np.generic, float, complex)):
        dtype = np.result_type(theirs)
        assert (np.shape(ours), np.result_type(ours)) == (np.shape(theirs), dtype)
        is_exact = dtype.kind not in "fc"
        rtol = 0.0 if is_exact else 16 * float(np.finfo(dtype).eps)
        np.testing.assert_allclose(ours, theirs, rtol, 0.0)
    else:
        assert ours == theirs


@pytest.mark.seeds(8)
def test_what_is_joined_is_what_python_has(seed):
    draw = random.Random(seed)
    f, g = program(draw)
    traced, ours, tapes = (
        srcgrad.trace(f),
        *(srcgrad.value_and_grad(each, has_aux=True) for each in (srcgrad.trace(g), g)),
    )
    for args in arguments(draw):
        assert_same(outcome(traced, args), outcome(f, args))
        with srcgrad.set_stance("tape"):
            expected = outcome(tapes, args)
        assert_same(outcome(ours, args), expected)
        plain = outcome(g, args)
        if not isinstance(expected, type) and not isinstance(plain, type):
            assert_same(expected[0][0], plain[0])
