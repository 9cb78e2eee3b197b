"""Rules of ufuncs by the names that SciPy gives to their arguments."""

import numpy as np
import pytest

from srcgrad.function_parameters import SIGNATURES
from srcgrad.rules.registry import PRIMITIVES
from srcgrad.rules.scipy.ufuncs import defufunc


@pytest.mark.usefixtures("rules_are_restored")
def test_the_rules_ask_for_arguments_by_name():
    own = np.frompyfunc(lambda base, factor: base * factor, 2, 1)
    defufunc(own, "base, factor", base=lambda g, factor: g * factor)
    try:
        assert list(PRIMITIVES[own].parameters) == ["base", "factor"]
        assert PRIMITIVES[own].rules["base"].needs == ("factor",)
    finally:
        del SIGNATURES[own]
