"""Rules for ``scipy.special``: elliptic integrals and functions.

Their slopes in the parameter are Carlson's integrals, which have no 0 / 0 at ``m == 0``
where the usual formulas have one.
"""

import numpy as np
from scipy import special

from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.complexes import conj
from srcgrad.rules.registry import defvjp
from srcgrad.rules.scipy.ufuncs import defufunc


# ----- Carlson's integrals -----
def rf_slope(x, y, z):
    """The slope of ``elliprf`` in its last argument."""
    return special.elliprd(x, y, z) / -6.0


def rg_slope(x, y, z):
    """The slope of ``elliprg`` in its last argument."""
    integral = special.elliprf(x, y, z)
    return 0.25 * integral - z * special.elliprd(x, y, z) / 12.0


NEAR = 1e-5  # relative: what is taken for one changes the slope by its square


def are_near(x, y):
    return np.abs(x - y) <= NEAR * np.abs(y)


def rd_slope(x, y, z, out):
    """The slope of ``elliprd`` in its first argument.

    It is the same with the first and the last argument exchanged, so where these are
    near each other it is that with both at the mean.
    """
    is_one = are_near(x, z)
    usual = 0.5 * (special.elliprd(z, y, x) - out) / np.where(is_one, 1.0, x - z)
    return np.where(is_one, rd_slope_of_pairs(x, y, z), usual)


def rd_slope_of_pairs(x, y, z):
    """Where the first and the last argument are one, or all are, nearly."""
    mean = 0.5 * (x + z)
    is_zero = np.equal(y, 0)  # where the slope is infinite, times 0
    y = np.where(is_zero, 2.0 * mean, y)
    is_one = are_near(y, mean)
    here, turned = special.elliprd(mean, y, mean), special.elliprd(mean, mean, y)
    of_y = 0.5 * (turned - here) / np.where(is_one, 1.0, y - mean)
    of_all = -0.3 * ((3.0 * x + y + 3.0 * z) / 7.0) ** -2.5
    here = np.where(is_zero, special.elliprd(mean, 0.0, mean), here)
    share = np.where(is_zero, 0.0, y * of_y)
    return np.where(is_one, of_all, -(1.5 * here + share) / (4.0 * mean))


def rd_share(x, y, z, out):
    """The first argument times the slope in it, which is 0 at 0."""
    is_zero = np.equal(x, 0)
    x = np.where(is_zero, 2.0 * z, x)
    return np.where(is_zero, 0.0, x * rd_slope(x, y, z, out))


def rd_last_slope(x, y, z, out):
    """From the other slopes, since the integral is homogeneous."""
    rest = rd_share(x, y, z, out) + rd_share(y, x, z, out)
    return -(1.5 * out + rest) / z


def in_each(slope):
    """Rules of a symmetric function, by its slope in the last argument."""
    return {
        "x": lambda g, x, y, z: g * conj(slope(y, z, x)),
        "y": lambda g, x, y, z: g * conj(slope(z, x, y)),
        "z": lambda g, x, y, z: g * conj(slope(x, y, z)),
    }


defufunc(special.elliprf, "x, y, z", **in_each(rf_slope))
defufunc(special.elliprg, "x, y, z", **in_each(rg_slope))
defufunc(
    special.elliprd,
    "x, y, z",
    x=lambda g, x, y, z, out: g * conj(rd_slope(x, y, z, out)),
    y=lambda g, x, y, z, out: g * conj(rd_slope(y, x, z, out)),
    z=lambda g, x, y, z, out: g * conj(rd_last_slope(x, y, z, out)),
)


# ----- The integral of the third kind -----
def rj_slope(x, y, z, p, out):
    """The slope of ``elliprj`` in its first argument.

    Where the last one is near, both are one at the weighted mean: one of ``elliprd``.
    """
    is_one = are_near(p, x)
    usual = 0.5 * (out - special.elliprd(y, z, x)) / np.where(is_one, 1.0, p - x)
    mean = 0.6 * x + 0.4 * p
    merged = rd_last_slope(y, z, mean, special.elliprd(y, z, mean)) / 3.0
    return np.where(is_one, merged, usual)


def rj_last(g, x, y, z, p, out):
    """It is homogeneous of degree -3/2."""
    rest = -1.5 * out
    for first, second, third in ((x, y, z), (y, x, z), (z, x, y)):
        is_zero = np.equal(first, 0)  # where the slope is infinite, times 0
        slope = rj_slope(np.where(is_zero, 2.0 * p, first), second, third, p, out)
        rest = rest - np.where(is_zero, 0.0, first * slope)
    return g * conj(rest / p)


defufunc(
    special.elliprj,
    "x, y, z, p",
    x=lambda g, x, y, z, p, out: g * conj(rj_slope(x, y, z, p, out)),
    y=lambda g, x, y, z, p, out: g * conj(rj_slope(y, x, z, p, out)),
    z=lambda g, x, y, z, p, out: g * conj(rj_slope(z, x, y, p, out)),
    p=rj_last,
)


@dispatched
def rc_last(x, y):
    """``elliprd(x, y, y)``, whose own slopes are 0 / 0."""
    return special.elliprd(x, y, y)


def rc_last_slope(x, y, out):
    """The slope in ``y``, by the homogeneous one."""
    is_one = are_near(x, y)
    usual = 1.5 * (np.sqrt(x) / (y * y) - out) / np.where(is_one, 1.0, y - x)
    return np.where(is_one, -1.2 * ((x + 6.0 * y) / 7.0) ** -2.5, usual)


defvjp(
    rc_last,
    x=lambda g, x, y, out: -g * conj((1.5 * out + y * rc_last_slope(x, y, out)) / x),
    y=lambda g, x, y, out: g * conj(rc_last_slope(x, y, out)),
)
declare(rc_last)
defufunc(
    special.elliprc,
    "x, y",
    x=lambda g, x, y: g * conj(rf_slope(y, y, x)),
    y=lambda g, x, y: g * conj(rc_last(x, y)) / -3.0,
)

# ----- Complete integrals -----


def first_kind_slope(m):
    return special.elliprd(0.0, 1.0, 1.0 - m) / 6.0


def second_kind_slope(m):
    return special.elliprd(0.0, 1.0 - m, 1.0) / -6.0


defufunc(special.ellipk, "m", m=lambda g, m: g * first_kind_slope(m))
defufunc(special.ellipe, "m", m=lambda g, m: g * second_kind_slope(m))
defufunc(special.ellipkm1, "p", p=lambda g, p: g * rf_slope(0.0, 1.0, p))

# ----- Incomplete integrals, of angles beyond a quarter turn too -----


def turned_back(phi):
    """The sine and the squared cosine of an angle, and the half turns in it."""
    sine, cosine = np.sin(phi), np.cos(phi)
    half_turns = np.round(phi / np.pi)
    return sine * np.cos(np.pi * half_turns), cosine * cosine, half_turns


def first_kind_in_m(phi, m):
    sine, cosine_squared, half_turns = turned_back(phi)
    inner = special.elliprd(cosine_squared, 1.0, 1.0 - m * sine * sine)
    return sine**3 * inner / 6.0 + 2.0 * half_turns * first_kind_slope(m)


def second_kind_in_m(phi, m):
    sine, cosine_squared, half_turns = turned_back(phi)
    inner = special.elliprd(cosine_squared, 1.0 - m * sine * sine, 1.0)
    return 2.0 * half_turns * second_kind_slope(m) - sine**3 * inner / 6.0


def root(phi, m):
    return np.sqrt(1.0 - m * np.sin(phi) ** 2)


defufunc(
    special.ellipkinc,
    "phi, m",
    phi=lambda g, phi, m: g / root(phi, m),
    m=lambda g, phi, m: g * first_kind_in_m(phi, m),
)
defufunc(
    special.ellipeinc,
    "phi, m",
    phi=lambda g, phi, m: g * root(phi, m),
    m=lambda g, phi, m: g * second_kind_in_m(phi, m),
)

# ----- Jacobi's functions -----


def jacobi_in_argument(g, m, out):
    of_sn, of_cn, of_dn, of_angle = g
    sn, cn, dn, _ = out
    return (of_sn * cn - of_cn * sn + of_angle) * dn - of_dn * m * sn * cn


def jacobi_in_parameter(g, m, out):
    of_sn, of_cn, of_dn, of_angle = g
    sn, cn, dn, angle = out
    slope = -dn * first_kind_in_m(angle, m)
    of_dn = -0.5 * of_dn * sn * (sn + 2.0 * m * cn * slope) / dn
    return (of_sn * cn - of_cn * sn + of_angle) * slope + of_dn


defufunc(special.ellipj, "u, m", u=jacobi_in_argument, m=jacobi_in_parameter)


# ----- The arithmetic-geometric mean -----
def mean_slope(a, b, out):
    inner = special.elliprd(0.0, b * b, a * a)  # both may be negative
    return out * out * np.abs(a) * inner * (2.0 / (3.0 * np.pi))


defufunc(
    special.agm,
    "a, b",
    a=lambda g, a, b, out: g * mean_slope(a, b, out),
    b=lambda g, a, b, out: g * mean_slope(b, a, out),
)
