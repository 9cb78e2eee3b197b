"""Rules for ``scipy.special``: the noncentral t distribution.

``nctdtr(df, nc, t)`` is the mean of ``ndtr(t s - nc)``, where ``df s ** 2`` has the
chi-square distribution. So each slope is an integral over ``u = log(s)`` of a product
of exponentials with a single peak, ``k u - A exp(2 u) + B exp(u)``; Gauss's rule is
exact to rounding on either side of it, if a long tail to the left has nodes of its own.
"""

import math

import numpy as np
from scipy import special

from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.libraries import reaching
from srcgrad.rules.registry import defconstant
from srcgrad.rules.scipy.special.incomplete import (
    DEPTH,
    NODES,
    WEIGHTS,
    gamma_in_a,
    halved,
    root,
)
from srcgrad.rules.scipy.special.noncentral import columns
from srcgrad.rules.scipy.special.searches import definverse, defslopes

NEAR = 6.0

logsumexp = reaching(special.logsumexp)


@dispatched
def stretches(k, df, nc, t):
    """The peak, and how far there is anything to integrate: to both sides."""
    square, product = 0.5 * (t * t + df), t * nc
    with np.errstate(all="ignore"):
        spread = np.sqrt(product * product + 8.0 * square * k)
        peak = np.where(
            product > 0,
            (product + spread) / (4.0 * square),
            2.0 * k / (spread - product),
        )
        height = square * peak * peak
        right = root(
            lambda d: height * np.expm1(d) ** 2 + k * (np.expm1(d) - d),
            lambda d: (2.0 * height * np.exp(d) + k) * np.expm1(d),
            np.minimum(
                np.log1p(np.sqrt(DEPTH / height)), np.log(2.0 * (DEPTH / k + 1.0))
            ),
        )
        left = halved(  # not convex
            lambda d: height * np.expm1(-d) ** 2 + k * (np.expm1(-d) + d) < DEPTH,
            *(np.zeros_like(k), DEPTH / k + 1.0),
        )
    return np.stack([np.log(peak), right, left])


defconstant(stretches)
declare(stretches)


class Nodes:
    """Values of ``u`` in three stretches, the weights there, and the arguments."""

    def __init__(self, more, df, nc, t):
        is_valid = np.isfinite(nc) & np.isfinite(df) & (df > 0)
        self.is_known = is_known = is_valid & np.isfinite(t)
        self.outside = np.where(is_valid & np.isinf(t), 0.0, np.nan)
        self.df, self.nc, self.t = columns(
            *(np.where(is_known, x, 1.0) for x in (df, nc, t))
        )
        peak, right, left = stretches(self.df + more, self.df, self.nc, self.t)
        near = np.minimum(left, NEAR)
        far = left - near
        u = (peak + right * NODES, peak - near * NODES, peak - near - far * NODES)
        self.u = np.concatenate(u, axis=-1)
        self.s = np.exp(self.u)
        sizes = [size * WEIGHTS for size in (right, near, far)]
        self.weights = np.concatenate(sizes, axis=-1)
        self.apart = self.t * self.s - self.nc

    def log_density(self):
        """Of ``u``."""
        a = 0.5 * self.df
        shape = self.df * self.u - a * self.s * self.s
        return shape + a * np.log(a) - special.gammaln(a) + math.log(2.0)

    def log_normal(self):
        return -0.5 * self.apart * self.apart - 0.5 * math.log(2.0 * math.pi)

    def sum(self, values):
        found = np.sum(self.weights * values, axis=-1)
        return np.where(self.is_known, found, self.outside)


def log_density(t, df, nc):
    """The log-density."""
    nodes = Nodes(1.0, df, nc, t)
    logs = nodes.log_density() + nodes.log_normal() + nodes.u
    found = logsumexp(logs, b=nodes.weights, axis=-1)
    return np.where(nodes.is_known, found, np.nan)


def in_t(df, nc, t):
    nodes = Nodes(1.0, df, nc, t)
    return nodes.sum(np.exp(nodes.log_density() + nodes.log_normal() + nodes.u))


def in_nc(df, nc, t):
    nodes = Nodes(0.0, df, nc, t)
    return -nodes.sum(np.exp(nodes.log_density() + nodes.log_normal()))


def in_df(df, nc, t):
    """How the shares of ``s`` move, times the normal density there."""
    nodes = Nodes(1.0, df, nc, t)
    a, s = 0.5 * nodes.df, nodes.s
    moved = gamma_in_a(a, a * s * s) + np.exp(nodes.log_density()) / nodes.df
    return -0.5 * nodes.sum(nodes.t * s * np.exp(nodes.log_normal()) * moved)


T = {"df": in_df, "nc": in_nc, "t": in_t}

defslopes(special.nctdtr, T)
definverse(special.nctdtrit, "df, nc, p", T, "t")
definverse(special.nctdtridf, "p, nc, t", T, "df", forward=special.nctdtr)
definverse(special.nctdtrinc, "df, p, t", T, "nc", forward=special.nctdtr)
