"""Rules for Python's own functions of numbers: ``math``, ``cmath``, ``float``, ``sum``.

The function itself computes, so its errors and the kind of its result are Python's:
``math.log(0)`` raises, and ``math.sin`` of an ndarray's element is a ``float``. Most
have the rules of a NumPy function. How a Variable reaches them: ``replacements``.
"""

import cmath
import functools
import math
import operator

import numpy as np

from srcgrad.facts import declare
from srcgrad.failing import fails
from srcgrad.function_parameters import SIGNATURES
from srcgrad.rules.complexes import conj
from srcgrad.rules.registry import PRIMITIVES, alias, defconstant, defvjp
from srcgrad.rules.slopes import hypotenuse, share_of_side
from srcgrad.unboxing import of_kind

# Those whose signature not every Python tells.
SIGNATURES.update(
    {
        math.log: "x, base=2.718281828459045",
        cmath.log: "z, base=2.718281828459045",
        math.hypot: "*coordinates",
        math.prod: "iterable, start=1",
        float: "x=0",
        complex: "real=0, imag=0",
        np.double: "x=0",
    }
)

# ----- The same as functions of NumPy -----
SAME_NAME = "sin cos tan sinh cosh tanh exp sqrt log10"
OTHER_NAME = {
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
}
OF_BOTH = OTHER_NAME | {name: getattr(np, name) for name in SAME_NAME.split()}
OF_REALS = {
    **{name: getattr(np, name) for name in "log2 log1p expm1 exp2 cbrt fabs".split()},
    **{name: getattr(np, name) for name in "degrees radians copysign fmod".split()},
    **{name: getattr(np, name) for name in "modf frexp ldexp nextafter".split()},
    "atan2": np.arctan2,
    "pow": np.power,
}
for _module, _table in ((math, OF_BOTH | OF_REALS), (cmath, OF_BOTH)):
    for _name, _original in _table.items():
        if hasattr(_module, _name):  # math.cbrt came with Python 3.11
            alias(getattr(_module, _name), _original)
alias(cmath.phase, np.angle)

# ----- Of one number -----
# The asymptotic series of the digamma function: Bernoulli's numbers over 2n.
DIGAMMA = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)
BELL = 2.0 / math.sqrt(math.pi)  # the slope of erf at 0


def digamma(x):
    """The derivative of ``math.lgamma``: its series, far enough to the right."""
    left = np.less(x, 0.5)
    right = np.where(left, 1.0 - x, x)
    out = 0.0
    for _ in range(8):
        out = out - 1.0 / right
        right = right + 1.0
    square = power = 1.0 / (right * right)
    out = out + np.log(right) - 0.5 / right
    for number in DIGAMMA:
        out = out - number * power
        power = power * square
    # The reflection; where it is not needed, its tangent might be zero. Its turns are
    # taken off before there is a pi to be rounded.
    angle = np.where(left, x, 0.25)
    mirrored = math.pi / np.tan(math.pi * (angle - np.round(angle)))
    return np.where(left, out - mirrored, out)


defvjp(math.erf, x=lambda g, x: g * BELL * np.exp(-x * x))
defvjp(math.erfc, x=lambda g, x: -g * BELL * np.exp(-x * x))
defvjp(math.gamma, x=lambda g, x, out: g * out * digamma(x))
defvjp(math.lgamma, x=lambda g, x: g * digamma(x))
defvjp(
    math.log,
    x=lambda g, x, base: g / np.log(base) / x,
    base=lambda g, base, out: -g * out / np.log(base) / base,
)
defvjp(
    cmath.log,
    z=lambda g, z, base: g / conj(z * np.log(base)),
    base=lambda g, base, out: -g * conj(out / (base * np.log(base))),
)


# ----- Of several -----
def length_back(g, sides, out):
    """The gradient of a length: along each side, and 0 where all are 0."""
    if len(sides) == 2:
        x, y = sides
        return [g * share_of_side(x, y, out), g * share_of_side(y, x, out)]
    size = hypotenuse(out)
    return [g * (side / size) for side in sides]


def differences(p, q):
    return [a - b for a, b in zip(p, q, strict=True)]


def product_back(g, factors, start):
    """For each factor, the product of the others; without a division by it."""
    before, after = [start], [1]
    for factor, other in zip(factors, reversed(factors), strict=True):
        before.append(before[-1] * factor)
        after.append(after[-1] * other)
    pairs = zip(before[:-1], reversed(after[:-1]), strict=True)
    return [g * conj(a * b) for a, b in pairs]


def whole_part(x, y, out):
    """How often ``y`` was taken off ``x`` by ``math.remainder``."""
    return np.round((x - out) / y)


defvjp(
    math.hypot,
    coordinates=lambda g, coordinates, out: length_back(g, coordinates, out),
)
defvjp(
    math.dist,
    p=lambda g, p, q, out: length_back(g, differences(p, q), out),
    q=lambda g, p, q, out: length_back(g, differences(q, p), out),
)
defvjp(
    math.remainder,
    x=lambda g: g,
    y=lambda g, x, y, out: -g * whole_part(x, y, out),
)
defvjp(math.fsum, seq=lambda g, seq: [g] * len(seq))
defvjp(
    math.prod,
    iterable=lambda g, iterable, start: product_back(g, iterable, start),
    start=lambda g, iterable: g * conj(functools.reduce(operator.mul, iterable, 1)),
)
defvjp(sum, iterable=lambda g, iterable: [g] * len(iterable), start=lambda g: g)
if hasattr(math, "sumprod"):  # Python 3.12
    defvjp(
        math.sumprod,
        p=lambda g, q: [g * b for b in q],
        q=lambda g, p: [g * a for a in p],
    )
if hasattr(math, "fma"):  # Python 3.13
    defvjp(math.fma, x=lambda g, y: g * y, y=lambda g, x: g * x, z=lambda g: g)


# ----- Numbers of one kind from those of another -----
defvjp(float, x=lambda g: g)
defvjp(of_kind, x=lambda g: g)
defvjp(complex, real=lambda g: g, imag=lambda g: -1j * g)
defvjp(
    cmath.rect,
    r=lambda g, phi: g * np.exp(-1j * phi),
    phi=lambda g, out: -1j * g * conj(out),
)
defvjp(np.double, x=lambda g: g)
for _name in "half single double longdouble csingle cdouble clongdouble".split():
    _kind = getattr(np, _name)
    declare(_kind, raises=True)
    alias(_kind, np.double)

# ----- Integers, truth values -----
for _module in (math, cmath):
    for _function in vars(_module).values():
        if callable(_function) and _function not in PRIMITIVES:
            defconstant(_function)
defconstant(round, fails)
