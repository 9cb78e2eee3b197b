"""Rules for ``scipy.constants``: temperatures, wavelengths and frequencies."""

from scipy import constants

from srcgrad.rules.scipy.scipy_sources import as_in_scipy

as_in_scipy(constants, "convert_temperature lambda2nu nu2lambda")
