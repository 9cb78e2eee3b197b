"""Samples for the rules of ``srcgrad.rules.scipy.units``."""

import numpy as np
from scipy import constants

from srcgrad.rules.libraries import replacement_of
from tests.samples import S, positive


def scaled(function):
    """The speed of light is beyond what half precision holds."""
    return lambda x: replacement_of(function)(x * np.float64(1e8))


SAMPLES = [
    *(
        S(constants.convert_temperature, (3,), *scales)
        for scales in (("Celsius", "K"), ("kelvin", "F"), ("f", "Rankine"), ("R", "C"))
    ),
    *(
        S(function, positive(3), call=scaled(function), id=function.__name__)
        for function in (constants.lambda2nu, constants.nu2lambda)
    ),
]
