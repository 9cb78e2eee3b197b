"""``scipy.integrate.solve_bvp``, by what its functions take from around them.

The values on SciPy's mesh are the root of its equations: how a cubic goes from one
point of the mesh to the next, and what holds at the ends.
"""

import functools

import numpy as np
from scipy import integrate

from srcgrad.protocols import raw_of
from srcgrad.rules.libraries import LOOKING, REPLACEMENTS
from srcgrad.scipy.captures import captured, opened
from srcgrad.scipy.interpolation.hermites import CubicHermiteSpline
from srcgrad.scipy.optimization.implicit import Solution
from srcgrad.scipy.parameters import as_array, refuse, refusing


@functools.wraps(integrate.solve_bvp)
def solve_bvp(fun, bc, x, y, p=None, S=None, **options):
    around = captured([fun, bc])
    raw = [variable.value for variable in around]
    slope, ends = opened(fun, around), opened(bc, around)
    found = integrate.solve_bvp(
        refusing(lambda *args: as_array(slope(*args, *raw))),
        refusing(lambda *args: as_array(ends(*args, *raw))),
        *map(raw_of, (x, y, p, S)),
        **options,
    )
    if not around:
        return found
    if S is not None:
        refuse("integrate.solve_bvp", "with a singular term `S`")
    shape, mesh = found.y.shape, found.x
    size = found.y.size

    def parts(state):
        rest = () if found.p is None else (state[size:],)
        return np.reshape(state[:size], shape), rest

    def residual(state, *values):
        y, rest = parts(state)
        steps = defects(lambda x, y: as_array(slope(x, y, *rest, *values)), mesh, y)
        held = as_array(ends(y[:, 0], y[:, -1], *rest, *values))
        return np.concatenate([np.reshape(steps, -1), np.reshape(held, -1)])

    state = np.ravel(found.y)
    if found.p is not None:
        state = np.concatenate([state, found.p])
    out = Solution.apply(residual, state, *around)
    found.y, rest = parts(out)
    found.yp = as_array(fun(mesh, found.y, *rest))
    found.sol = CubicHermiteSpline(mesh, found.y, found.yp, axis=1)
    if rest:
        found.p = rest[0]
    return found


def defects(slope, x, y):
    """By how much each step misses the next point of the mesh."""
    h, f = np.diff(x), slope(x, y)
    middle = 0.5 * (y[:, 1:] + y[:, :-1]) - h / 8.0 * (f[:, 1:] - f[:, :-1])
    at_middle = slope(x[:-1] + 0.5 * h, middle)
    return y[:, 1:] - y[:, :-1] - h / 6.0 * (f[:, :-1] + f[:, 1:] + 4.0 * at_middle)


REPLACEMENTS[integrate.solve_bvp] = solve_bvp
LOOKING.add(solve_bvp)
