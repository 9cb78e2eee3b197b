"""Rules for ``scipy.signal``: waves, by the time and by what shapes them."""

from scipy import signal

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.scipy.scipy_sources import as_in_scipy, on_variables
from srcgrad.rules.scipy.without import refuse

as_in_scipy(signal, "sweep_poly sawtooth gausspulse gauss_spline")
LINEAR = ("linear", "lin", "li", "quadratic", "quad", "q")


def chirp(t, f0, t1, f1, method="linear", *args, **options):
    """``scipy.signal.chirp``"""
    if method not in LINEAR and f0 == f1:
        refuse("chirp of one frequency", "use method='linear'")
    return on_variables(signal.chirp)(t, f0, t1, f1, method, *args, **options)


defined_as(signal.chirp, chirp)
