"""Rules for ``scipy.signal``: filters as polynomials, as roots, as sections.

Roots are the eigenvalues of a companion matrix; which of them make a section is
SciPy's choice, and a step.
"""

import warnings

import numpy as np
from scipy import signal

from srcgrad.rules.broadcasting import unbroadcast
from srcgrad.rules.complexes import conj
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import reaching
from srcgrad.rules.polynomials import without_leading_zeros
from srcgrad.rules.registry import defvjp
from srcgrad.rules.scipy.programs import assigned
from srcgrad.rules.scipy.without import refuse

BAD = "Badly conditioned filter coefficients (numerator): the results may be "
BAD += "meaningless"


# ----- Polynomials and roots -----
def normalize(b, a):
    """``scipy.signal.normalize``"""
    a = np.atleast_1d(a)
    if np.ndim(a) != 1:
        raise ValueError("Denominator polynomial must be rank-1 array.")
    if not np.any(a):
        raise ValueError("Denominator must have at least on nonzero element.")
    a = without_leading_zeros(a)
    b, a = np.atleast_2d(np.stack(b) if isinstance(b, list) else b) / a[0], a / a[0]
    small = np.all(np.abs(b) <= 1e-14, axis=0)
    if small[0]:
        warnings.warn(BAD, signal.BadCoefficients, stacklevel=2)
        first = int(np.argmin(small))
        b = b[:, first:] if not small[first] else b[:, -1:]
    return b[0] if np.shape(b)[0] == 1 else b, a


def tf2zpk(b, a):
    """``scipy.signal.tf2zpk``"""
    b, a = normalize(b, a)
    return np.roots(b / b[0]), np.roots(a), b[0]


def with_roots(roots):
    """As ``np.poly``; it is real where the imaginary parts are in pairs."""
    product = np.ones(1)
    for i in range(np.shape(roots)[0]):
        factor = np.concatenate([np.ones(1), -roots[i : i + 1]])
        product = np.convolve(product, factor)
    if np.iscomplexobj(product):
        imaginary = np.imag(roots)
        if np.all(np.sort(imaginary) == np.sort(-imaginary)):
            return np.real(product)
    return product


def zpk2tf(z, p, k):
    """``scipy.signal.zpk2tf``"""
    if np.ndim(z) > 1:
        gains = np.broadcast_to(k, np.shape(z)[:1])
        b = [gains[i] * with_roots(z[i]) for i in range(np.shape(z)[0])]
        return np.stack(b), with_roots(np.atleast_1d(p))
    return k * with_roots(np.atleast_1d(z)), with_roots(np.atleast_1d(p))


# ----- Sections -----
def sos2tf(sos):
    """``scipy.signal.sos2tf``"""
    b = a = np.ones(1)
    for row in range(np.shape(sos)[0]):
        b, a = np.polymul(b, sos[row, :3]), np.polymul(a, sos[row, 3:])
    return b, a


def two(roots):
    """Two complex roots: at the origin if there are fewer."""
    return np.concatenate([roots + 0j, np.zeros(2 - np.shape(roots)[0])])


def sos2zpk(sos):
    """``scipy.signal.sos2zpk``"""
    zeros, poles, gain = [], [], 1.0
    for row in range(np.shape(sos)[0]):
        z, p, k = tf2zpk(sos[row, :3], sos[row, 3:])
        zeros.append(two(z))
        poles.append(two(p))
        gain = gain * k
    return np.concatenate(zeros), np.concatenate(poles), gain


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
zpk2sos = reaching(signal.zpk2sos)


def tf2sos(b, a, pairing=None, *, analog=False):
    """``scipy.signal.tf2sos``"""
    return zpk2sos(*tf2zpk(b, a), pairing=pairing, analog=analog)


# ----- Of analog filters, by their roots -----
def missing(z, p):
    """How many more poles there are than zeros."""
    degree = np.size(p) - np.size(z)
    if degree < 0:
        raise ValueError(
            "Improper transfer function. Must have at least as many poles as zeros."
        )
    return degree


def bilinear_zpk(z, p, k, fs):
    """``scipy.signal.bilinear_zpk``"""
    z, p, twice = np.atleast_1d(z), np.atleast_1d(p), 2.0 * fs
    more = -np.ones(missing(z, p))
    gain = k * np.real(np.prod(twice - z) / np.prod(twice - p))
    z = np.concatenate([(twice + z) / (twice - z), more])
    return z, (twice + p) / (twice - p), gain


def lp2lp_zpk(z, p, k, wo=1.0):
    """``scipy.signal.lp2lp_zpk``"""
    z, p = np.atleast_1d(z), np.atleast_1d(p)
    return wo * z, wo * p, k * wo ** missing(z, p)


def lp2hp_zpk(z, p, k, wo=1.0):
    """``scipy.signal.lp2hp_zpk``"""
    z, p = np.atleast_1d(z), np.atleast_1d(p)
    more = np.zeros(missing(z, p))
    gain = k * np.real(np.prod(-z) / np.prod(-p))
    return np.concatenate([wo / z, more]), wo / p, gain


def around(x, wo):
    """Each root of a low-pass filter gives two, at both sides of a frequency."""
    apart = np.sqrt(x**2 - wo**2)
    return [x + apart, x - apart]


def lp2bp_zpk(z, p, k, wo=1.0, bw=1.0):
    """``scipy.signal.lp2bp_zpk``"""
    z, p = np.atleast_1d(z), np.atleast_1d(p)
    degree = missing(z, p)
    zeros = around(z * bw / 2.0 + 0j, wo)
    poles = np.concatenate(around(p * bw / 2.0 + 0j, wo))
    return np.concatenate([*zeros, np.zeros(degree)]), poles, k * bw**degree


def lp2bs_zpk(z, p, k, wo=1.0, bw=1.0):
    """``scipy.signal.lp2bs_zpk``"""
    z, p = np.atleast_1d(z), np.atleast_1d(p)
    more = 1j * wo * np.ones(missing(z, p))
    zeros = around(bw / 2.0 / z + 0j, wo)
    poles = np.concatenate(around(bw / 2.0 / p + 0j, wo))
    gain = k * np.real(np.prod(-z) / np.prod(-p))
    return np.concatenate([*zeros, more, -more]), poles, gain


# ----- The same by their polynomials -----
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

    return normalize(of(b), of(a))


def coefficients(*parts):
    """A polynomial, of which a coefficient may be a Variable."""
    return np.stack([np.multiply(part, 1.0) for part in parts])


def bilinear(b, a, fs=1.0):
    """``scipy.signal.bilinear``"""
    scale = np.sqrt(2.0 * fs)
    b, a = (without_leading_zeros(np.atleast_1d(c)) for c in (b, a))
    ends = np.array([1.0, -1.0]), np.array([1.0, 1.0])
    return substituted(b, a, scale * ends[0], ends[1] / scale)


def lp2lp(b, a, wo=1.0):
    """``scipy.signal.lp2lp``"""
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    n = max(np.size(b), np.size(a))
    powers = wo ** np.arange(n - 1.0, -1.0, -1.0)
    more = n - np.size(b), n - np.size(a)
    scale = powers[max(np.size(b) - np.size(a), 0)]
    return normalize(b * scale / powers[more[0] :], a * scale / powers[more[1] :])


def lp2hp(b, a, wo=1.0):
    """``scipy.signal.lp2hp``"""
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    n = max(np.size(b), np.size(a))
    powers = wo ** np.arange(0.0, n)

    def turned(c):
        size = np.size(c)
        return np.pad(c[::-1] * powers[:size], (0, n - size))

    return normalize(turned(b), turned(a))


def lp2bp(b, a, wo=1.0, bw=1.0):
    """``scipy.signal.lp2bp``: of ``(s ** 2 + wo ** 2) / (bw * s)``."""
    return substituted(b, a, coefficients(1.0, 0.0, wo * wo), coefficients(bw, 0.0))


def lp2bs(b, a, wo=1.0, bw=1.0):
    """``scipy.signal.lp2bs``: of ``bw * s / (s ** 2 + wo ** 2)``."""
    return substituted(b, a, coefficients(bw, 0.0), coefficients(1.0, 0.0, wo * wo))


for _own in (
    normalize,
    tf2zpk,
    zpk2tf,
    sos2tf,
    sos2zpk,
    tf2sos,
    bilinear,
    bilinear_zpk,
):
    defined_as(getattr(signal, _own.__name__), _own)
for _own in (lp2lp, lp2hp, lp2bp, lp2bs, lp2lp_zpk, lp2hp_zpk, lp2bp_zpk, lp2bs_zpk):
    defined_as(getattr(signal, _own.__name__), _own)
