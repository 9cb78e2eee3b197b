"""Rules for ``scipy.integrate``: integrals of samples."""

from scipy import integrate

from srcgrad.rules.scipy.sources import as_in_scipy

as_in_scipy(
    integrate,
    "trapezoid cumulative_trapezoid simpson cumulative_simpson romb newton_cotes",
)
