"""``scipy.optimize.bracket``: its three points are made of the points before.

Each step goes to where a parabola has its minimum, or by a fixed ratio; which one is a
choice that holds between jumps. The user's function is called on Variables, as it is.

>>> import srcgrad
>>> from srcgrad.scipy import optimize
>>> start = srcgrad.Variable(1.0, requires_grad=True)
>>> found = optimize.bracket(lambda x: (x - 3.0) ** 2, 0.0, start)
>>> found[1].backward()  # the minimum itself, wherever it starts
>>> round(start.grad.item(), 6)
0.0
"""

import functools
from typing import Any

import numpy as np
from scipy import optimize

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import LOOKING, REPLACEMENTS
from srcgrad.scipy.captures import captured

GOLDEN, TINY = 1.618034, 1e-21  # as SciPy has them


class Calls:
    """The user's function, and what it has given where."""

    def __init__(self, func, args):
        self._func, self._args, self.seen = func, args, dict[float, Any]()

    def __call__(self, x):
        found = self._func(x, *self._args)
        self.seen[float(raw_of(x))] = raw_of(found)
        return found


def lowest(a, b, c, fa, fb, fc):
    """Where the parabola through three points has its minimum."""
    first, second = (b - a) * (fb - fc), (b - c) * (fb - fa)
    apart = second - first
    twice = 2.0 * (TINY if np.abs(raw_of(apart)) < TINY else apart)
    return b - ((b - c) * second - (b - a) * first) / twice


def search(f, a, b, grow_limit, maxiter):
    """SciPy's points and values, and the number of calls; it ends where SciPy does."""
    fa, fb = f(a), f(b)
    if fa < fb:
        a, b, fa, fb = b, a, fb, fa
    c = b + GOLDEN * (b - a)
    fc, count, steps = f(c), 3, 0
    while fc < fb and steps <= maxiter:
        steps, count = steps + 1, count + 1
        w, limit = lowest(a, b, c, fa, fb, fc), b + grow_limit * (c - b)
        if (w - c) * (b - w) > 0.0:
            fw = f(w)
            if fw < fc:
                return b, w, c, fb, fw, fc, count
            if fw > fb:
                return a, b, w, fa, fb, fw, count
            w, count = c + GOLDEN * (c - b), count + 1
        elif (w - limit) * (limit - c) >= 0.0:
            w = limit
        elif (w - limit) * (c - w) > 0.0:
            fw = f(w)
            if fw < fc:
                b, c, fb, fc = c, w, fc, fw
                w, count = c + GOLDEN * (c - b), count + 1
            else:
                a, b, c, fa, fb, fc = b, c, w, fb, fc, fw
                continue
        else:
            w = c + GOLDEN * (c - b)
        a, b, c, fa, fb, fc = b, c, w, fb, fc, f(w)
    return a, b, c, fa, fb, fc, count


def bracket(func, xa=0.0, xb=1.0, args=(), grow_limit=110.0, maxiter=1000):
    """``scipy.optimize.bracket``"""
    if first_variable((xa, xb, args, grow_limit)) is None and not captured(func):
        return optimize.bracket(func, xa, xb, args, grow_limit, maxiter)
    f = Calls(func, args)
    # As numbers of NumPy's, which SciPy makes of them.
    a, b = (np.multiply(x, 1.0) for x in (xa, xb))
    found = search(f, a, b, grow_limit, maxiter)
    # SciPy's own answer to the same values: its numbers, or its error.
    raws = map(raw_of, (xa, xb, (), grow_limit))
    optimize.bracket(lambda x: f.seen[float(x)], *raws, maxiter)
    return found


REPLACEMENTS[optimize.bracket] = functools.wraps(optimize.bracket)(bracket)
LOOKING.add(REPLACEMENTS[optimize.bracket])
