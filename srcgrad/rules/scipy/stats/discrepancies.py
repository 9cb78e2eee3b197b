"""Rules for ``scipy.stats.qmc``: how evenly points fill a cube; expected counts."""

import numpy as np
from scipy.stats import _qmc, contingency, qmc

from srcgrad.rules.scipy.scipy_sources import as_in_scipy, instead_of

as_in_scipy(qmc, "discrepancy update_discrepancy geometric_discrepancy scale")
as_in_scipy(contingency, "expected_freq margins")


def mean_of(of_two, n):
    return np.sum(np.prod(of_two, axis=-1)) / n**2


def centered(x, n):
    d, off = np.shape(x)[1], np.abs(x - 0.5)
    apart = np.abs(x[:, None] - x)
    one = np.sum(np.prod(1.0 + 0.5 * off - 0.5 * off**2, axis=1))
    two = 1.0 + 0.5 * off[:, None] + 0.5 * off - 0.5 * apart
    return (13.0 / 12.0) ** d - 2.0 / n * one + mean_of(two, n)


def wrapped(x, n):
    apart = np.abs(x[:, None] - x)
    return -((4.0 / 3.0) ** np.shape(x)[1]) + mean_of(1.5 - apart * (1.0 - apart), n)


def mixed(x, n):
    d, off = np.shape(x)[1], np.abs(x - 0.5)
    apart = np.abs(x[:, None] - x)
    one = np.sum(np.prod(5.0 / 3.0 - 0.25 * off - 0.25 * off**2, axis=1))
    two = 15.0 / 8.0 - 0.25 * (off[:, None] + off) - 0.75 * apart + 0.5 * apart**2
    return (19.0 / 12.0) ** d - 2.0 / n * one + mean_of(two, n)


def star(x, n):
    d = np.shape(x)[1]
    one = np.sum(np.prod(1.0 - x**2, axis=1))
    two = mean_of(1.0 - np.maximum(x[:, None], x), n)
    return np.sqrt(3.0**-d - 2.0 ** (1 - d) / n * one + two)


def of_all(formula):
    """A discrepancy, also of points to which one more will be added."""
    return lambda x, iterative, workers: formula(x, np.shape(x)[0] + bool(iterative))


def with_another(x, sample, before):
    """The centred discrepancy with one more point."""
    n = np.shape(sample)[0] + 1
    off, others = np.abs(x - 0.5), np.abs(sample - 0.5)
    one = np.prod(1.0 + 0.5 * off - 0.5 * off**2)
    two = 1.0 + 0.5 * off + 0.5 * others - 0.5 * np.abs(x - sample)
    both = 2.0 * np.sum(np.prod(two, axis=-1)) + np.prod(1.0 + off)
    return before - 2.0 / n * one + both / n**2


instead_of(_qmc._cy_wrapper_centered_discrepancy, of_all(centered))
instead_of(_qmc._cy_wrapper_wrap_around_discrepancy, of_all(wrapped))
instead_of(_qmc._cy_wrapper_mixture_discrepancy, of_all(mixed))
instead_of(_qmc._cy_wrapper_l2_star_discrepancy, of_all(star))
instead_of(_qmc._cy_wrapper_update_discrepancy, with_another)
