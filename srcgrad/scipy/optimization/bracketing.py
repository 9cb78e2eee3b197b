"""``scipy.optimize.bracket``: its three points are made of the points before.

Each step goes to where a parabola has its minimum, or by a fixed ratio; which one is a
choice that holds between jumps. The user's function is called on Variables, as it is.
"""

import numpy as np
from scipy import optimize

from srcgrad.protocols import raw_of
from srcgrad.scipy.optimization.finite_differences import is_of_numbers
from srcgrad.scipy.replacing import replaces

GOLDEN, TINY = 1.618034, 1e-21  # as SciPy has them


class Calls:
    """The user's function, and what it has given where."""

    def __init__(self, func, args):
        self._func, self._args, self.seen = func, args, {}

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


@replaces(optimize.bracket, is_looking=True, is_plain=is_of_numbers)
def bracket(func, xa, xb, args, grow_limit, maxiter):
    f = Calls(func, args)
    # As numbers of NumPy's, which SciPy makes of them.
    a, b = (np.multiply(x, 1.0) for x in (xa, xb))
    found = search(f, a, b, grow_limit, maxiter)
    # SciPy's own answer to the same values: its numbers, or its error.
    raws = map(raw_of, (xa, xb, (), grow_limit))
    optimize.bracket(lambda x: f.seen[float(x)], *raws, maxiter)
    return found
