"""Rules for ``scipy.signal``: elliptic and gammatone filters; Kaiser's formulas."""

from scipy import signal

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.scipy.scipy_sources import as_in_scipy

as_in_scipy(signal, "ellipap gammatone kaiser_atten")


def kaiser_beta(a):
    """``scipy.signal.kaiser_beta``"""
    if a > 50:
        return 0.1102 * (a - 8.7)
    return 0.5842 * (a - 21.0) ** 0.4 + 0.07886 * (a - 21.0) if a > 21 else 0.0 * a


def savgol_coeffs(window_length, polyorder, deriv=0, delta=1.0, pos=None, use="conv"):
    """``scipy.signal.savgol_coeffs``, by the time between samples"""
    order = window_length, polyorder, deriv
    return signal.savgol_coeffs(*order, pos=pos, use=use) / delta**deriv


defined_as(signal.kaiser_beta, kaiser_beta)
defined_as(signal.savgol_coeffs, savgol_coeffs)
