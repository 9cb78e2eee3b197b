"""Rules for ``scipy.signal``: filters as polynomials, as roots, as sections.

Roots are the eigenvalues of a companion matrix; which of them make a section is
SciPy's choice, and a step.
"""

import numpy as np
from scipy import signal

from srcgrad.rules.broadcasting import unbroadcast
from srcgrad.rules.complexes import conj
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import reaching
from srcgrad.rules.polynomials import without_leading_zeros
from srcgrad.rules.registry import defvjp
from srcgrad.rules.scipy.programs import assigned
from srcgrad.rules.scipy.scipy_sources import as_in_scipy
from srcgrad.rules.scipy.without import refuse


def roots_back(g, roots, sections):
    """In each root: by the other root and the scale of the section that it is in."""
    lead, middle, last = sections[:, 0], sections[:, 1], sections[:, 2]
    at = np.reshape(roots, (-1, 1))
    misses = np.abs((lead * at + middle) * at + last) / np.abs(lead)
    section = assigned(np.repeat(misses, 2, axis=1))[1] // 2
    lead, other = lead[section], -(middle / lead)[section] - roots
    return g[section, 2] * conj(lead * other) - g[section, 1] * conj(lead)


def check_sections(pairing, analog):
    if analog or pairing == "minimal":
        refuse("zpk2sos of analog filters", "use zpk2tf")


def zeros_back(g, z, out, pairing, analog):
    check_sections(pairing, analog)
    return roots_back(g[:, :3], z, out[:, :3])


def poles_back(g, p, out, pairing, analog):
    check_sections(pairing, analog)
    return roots_back(g[:, 3:], p, out[:, 3:])


def gain_back(g, k, k_shape, out):
    return unbroadcast(np.sum(g[:1, :3] * out[:1, :3]) / k, k_shape)


defvjp(signal.zpk2sos, z=zeros_back, p=poles_back, k=gain_back)
as_in_scipy(
    signal,
    "normalize tf2zpk zpk2tf sos2tf sos2zpk tf2sos bilinear_zpk lp2lp lp2bp "
    "lp2bs lp2lp_zpk lp2hp_zpk lp2bp_zpk lp2bs_zpk",
)


def substituted(b, a, above, below):
    """Put ``above / below`` for the variable; these are polynomials."""
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    n = max(np.size(b), np.size(a)) - 1
    powers = [np.ones(1)], [np.ones(1)]
    for row, factor in zip(powers, (above, below), strict=True):
        for _ in range(n):
            row.append(np.convolve(row[-1], factor))

    def of(c):
        size = np.size(c)
        parts = [
            c[size - 1 - k] * np.convolve(powers[0][k], powers[1][n - k])
            for k in range(size)
        ]
        total = parts[0]
        for part in parts[1:]:
            total = np.polyadd(total, part)
        return total

    return reaching(signal.normalize)(of(b), of(a))


def bilinear(b, a, fs=1.0):
    """``scipy.signal.bilinear``"""
    scale = np.sqrt(2.0 * fs)
    b, a = (without_leading_zeros(np.atleast_1d(c)) for c in (b, a))
    ends = np.array([1.0, -1.0]), np.array([1.0, 1.0])
    return substituted(b, a, scale * ends[0], ends[1] / scale)


def lp2hp(b, a, wo=1.0):
    """``scipy.signal.lp2hp``, by the frequency too where it is 1"""
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    n = max(np.size(b), np.size(a))
    powers = wo ** np.arange(0.0, n)

    def turned(c):
        size = np.size(c)
        return np.pad(c[::-1] * powers[:size], (0, n - size))

    return reaching(signal.normalize)(turned(b), turned(a))


defined_as(signal.bilinear, bilinear)
defined_as(signal.lp2hp, lp2hp)
