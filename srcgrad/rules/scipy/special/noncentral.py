"""Rules for ``scipy.special``: the noncentral chi-square and F distributions.

Each is a mixture of central ones, whose degrees of freedom grow with a Poisson count:
so is each slope, of theirs. The sum goes over all counts where its terms matter.
"""

import math

import numpy as np
from scipy import special

from srcgrad.errors import NoRuleError, located
from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.libraries import reaching
from srcgrad.rules.registry import defconstant
from srcgrad.rules.scipy.special.incomplete import beta_density, beta_in_a, beta_in_b
from srcgrad.rules.scipy.special.probability import chi_square_in_v
from srcgrad.rules.scipy.special.searches import definverse, defslopes

LONGEST = 20_000

logsumexp = reaching(special.logsumexp)


@dispatched
def counts_around(nc, peak):
    """The counts that matter, of weights that are largest at ``nc / 2`` or ``peak``."""
    peaks = np.stack(np.broadcast_arrays(0.5 * nc, peak))
    peaks = peaks[np.isfinite(peaks) & (peaks >= 0.0)]
    low, high = (np.min(peaks), np.max(peaks)) if peaks.size else (0.0, 0.0)
    first = np.floor(max(low - 10.0 * np.sqrt(low) - 40.0, 0.0))
    last = np.ceil(high + 10.0 * np.sqrt(high) + 40.0)
    if last - first > LONGEST:
        raise located(
            NoRuleError(
                "srcgrad has no derivative of a noncentral distribution so far from "
                "a central one"
            ),
            "it is a sum of too many terms",
        )
    return np.arange(first, last + 1.0)


defconstant(counts_around)
declare(counts_around, shape_by_value=True, raises=True)


def mixture(nc, counts, terms):
    """The sum of terms, weighted by how likely each count is."""
    half = 0.5 * np.expand_dims(nc, -1)
    logs = special.xlogy(counts, half) - half - special.gammaln(counts + 1.0)
    return np.sum(np.exp(logs) * terms, axis=-1)


def columns(*arrays):
    return [np.expand_dims(x, -1) for x in np.broadcast_arrays(*arrays)]


def log_mixture(nc, counts, logs):
    """The logarithm of a mixture, from those of its terms: none is out of range."""
    half = 0.5 * np.expand_dims(nc, -1)
    logs = logs + special.xlogy(counts, half) - half - special.gammaln(counts + 1.0)
    return logsumexp(logs, axis=-1)


# ----- Chi-square -----
def chi_square_in_df(x, df, nc):
    counts = counts_around(nc, 0.5 * np.sqrt(x * nc))
    x, df = columns(x, df, nc)[:2]
    return mixture(nc, counts, chi_square_in_v(df + 2.0 * counts, x))


def noncentral_density(x, df, nc):
    distance = np.sqrt(x) - np.sqrt(nc)
    bessel = special.ive(0.5 * df - 1.0, np.sqrt(x * nc))
    scale = (x / nc) ** (0.25 * df - 0.5)
    return 0.5 * np.exp(-0.5 * distance * distance) * scale * bessel


def chi_square_in_nc(x, df, nc):
    return -noncentral_density(x, df + 2.0, nc)


CHI_SQUARE = {"x": noncentral_density, "df": chi_square_in_df, "nc": chi_square_in_nc}


def log_chi_square(x, df, nc):
    """The log-density; by ``df`` there is no Bessel function to go through."""
    if not getattr(df, "requires_grad", False):
        order, roots = 0.5 * df - 1.0, (np.sqrt(x), np.sqrt(nc))
        apart = roots[0] - roots[1]
        out = special.xlogy(0.5 * order, x / nc) - 0.5 * apart * apart
        return out + np.log(0.5 * special.ive(order, roots[0] * roots[1]))
    counts = counts_around(nc, 0.5 * np.sqrt(x * nc))
    x, df, _ = columns(x, df, nc)
    half = 0.5 * df + counts
    logs = special.xlogy(half - 1.0, 0.5 * x) - 0.5 * x - special.gammaln(half)
    return log_mixture(nc, counts, logs) - math.log(2.0)


# ----- F, through the share ``dfn f / (dfn f + dfd)`` -----
class Share:
    """The share, what is needed of it, and the counts."""

    def __init__(self, dfn, dfd, nc, f):
        self.nc, self.a, self.b = nc, 0.5 * dfn, 0.5 * dfd
        whole = dfn * f + dfd
        self.share, self.in_f = dfn * f / whole, dfn * dfd / (whole * whole)
        # Where the weight times the density of the share is largest.
        part = 0.5 * nc * self.share
        middle = part - self.a
        root = np.sqrt(middle**2 + 4.0 * part * (self.a + self.b))
        peak = 0.5 * (middle + root)
        self.counts = counts_around(nc, peak)

    def sum(self, term):
        """The mixture of a function of the central shapes and the share."""
        a, b, share, _ = columns(self.a, self.b, self.share, self.nc)
        return mixture(self.nc, self.counts, term(a + self.counts, b, share))


def log_f(f, dfn, dfd, nc):
    """The log-density."""
    share = Share(dfn, dfd, nc, f)
    a, b, y, _ = columns(share.a, share.b, share.share, nc)
    a = a + share.counts
    logs = special.xlogy(a - 1.0, y) + special.xlog1py(b - 1.0, -y)
    logs = logs - special.betaln(a, b)
    return log_mixture(nc, share.counts, logs) + np.log(share.in_f)


def f_in_f(dfn, dfd, nc, f):
    share = Share(dfn, dfd, nc, f)
    return share.in_f * share.sum(beta_density)


def f_in_nc(dfn, dfd, nc, f):
    def fall(a, b, y):  # what one more count takes away
        return beta_density(a, b, y) * y * (1.0 - y) / a

    return -0.5 * Share(dfn, dfd, nc, f).sum(fall)


def f_in_dfn(dfn, dfd, nc, f):
    share = Share(dfn, dfd, nc, f)
    slope = share.in_f * f / dfn
    return 0.5 * share.sum(beta_in_a) + slope * share.sum(beta_density)


def f_in_dfd(dfn, dfd, nc, f):
    share = Share(dfn, dfd, nc, f)
    slope = share.in_f * f / dfd
    return 0.5 * share.sum(beta_in_b) - slope * share.sum(beta_density)


F = {"dfn": f_in_dfn, "dfd": f_in_dfd, "nc": f_in_nc, "f": f_in_f}


defslopes(special.chndtr, CHI_SQUARE)
definverse(special.chndtrix, "p, df, nc", CHI_SQUARE, "x")
for _found, _parameters in (("df", "x, p, nc"), ("nc", "x, df, p")):
    _function = getattr(special, f"chndtri{_found}")
    definverse(_function, _parameters, CHI_SQUARE, _found, forward=special.chndtr)
defslopes(special.ncfdtr, F)
definverse(special.ncfdtri, "dfn, dfd, nc, p", F, "f")
for _found, _parameters in (
    ("dfn", "p, dfd, nc, f"),
    ("dfd", "dfn, p, nc, f"),
    ("nc", "dfn, dfd, p, f"),
):
    _function = getattr(special, f"ncfdtri{_found}")
    definverse(_function, _parameters, F, _found, forward=special.ncfdtr)
