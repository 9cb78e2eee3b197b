"""Rules for ``scipy.constants``: temperatures, wavelengths and frequencies."""

import numpy as np
from scipy import constants

from srcgrad.rules.compositions import defined_as

ZERO = constants.zero_Celsius
TO_KELVIN = {
    "c": lambda t: t + ZERO,
    "k": lambda t: t,
    "f": lambda t: (t - 32) * 5 / 9 + ZERO,
    "r": lambda t: t * 5 / 9,
}
FROM_KELVIN = {
    "c": lambda t: t - ZERO,
    "k": lambda t: t,
    "f": lambda t: (t - ZERO) * 9 / 5 + 32,
    "r": lambda t: t * 9 / 5,
}
NAMES = {"celsius": "c", "kelvin": "k", "fahrenheit": "f", "rankine": "r"}


def scale_of(name):
    short = NAMES.get(name.lower(), name.lower())
    if short not in TO_KELVIN:
        raise NotImplementedError(
            f"{name!r} is unsupported: supported scales are Celsius, Kelvin, "
            "Fahrenheit, and Rankine"
        )
    return short


def convert_temperature(val, old_scale, new_scale):
    """``scipy.constants.convert_temperature``"""
    return FROM_KELVIN[scale_of(new_scale)](TO_KELVIN[scale_of(old_scale)](val))


def light_over(x):
    """``scipy.constants.lambda2nu`` and ``nu2lambda``, which are the same."""
    return np.divide(constants.c, x)


defined_as(constants.convert_temperature, convert_temperature)
defined_as(constants.lambda2nu, light_over)
defined_as(constants.nu2lambda, light_over)
