"""``scipy.special.jacobi`` and kin: polynomials whose parameters are Variables."""

import functools
import inspect

import numpy as np
from scipy import special

from srcgrad.errors import NoRuleError, describe, here
from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import REPLACEMENTS

# The coefficients of the highest power.
LEADING = {
    special.jacobi: lambda n, alpha, beta: (
        special.poch(n + alpha + beta + 1.0, n) / (2.0**n * special.gamma(n + 1.0))
    ),
    special.genlaguerre: lambda n, alpha: (-1.0) ** n / special.gamma(n + 1.0),
    special.gegenbauer: lambda n, alpha: (
        2.0**n * special.poch(alpha, n) / special.gamma(n + 1.0)
    ),
    special.sh_jacobi: lambda n, p, q: 1.0,
}


class Polynomial:
    """One of a family; what SciPy's object has besides its values is refused."""

    def __init__(self, evaluate, leading, n, parameters):
        self.order, self._evaluate = n, evaluate
        self._leading, self._parameters = leading, parameters

    def __call__(self, x):
        found = self._evaluate(self.order, *self._parameters, x)
        return found if self._leading is None else found / self._leading

    def __getattr__(self, name):
        if name.startswith("__") or not hasattr(np.poly1d, name):
            raise AttributeError(name)
        raise NoRuleError(
            f"srcgrad has no derivative of {name!r} of a polynomial by its "
            f"parameters ({describe(here())}): call it at points"
        )


def made(original, evaluate, leading):
    """What takes SciPy's place, with the same arguments."""
    signature = inspect.signature(original)

    @functools.wraps(original)
    def polynomial(*args, **kwargs):
        if first_variable((*args, *kwargs.values())) is None:
            return original(*args, **kwargs)
        n, *parameters = signature.bind(*args, **kwargs).arguments.values()
        is_monic = len(parameters) == len(signature.parameters) - 1 and parameters.pop()
        original(raw_of(n), *map(raw_of, parameters))  # its errors
        scale = leading(n, *parameters) if is_monic else None
        return Polynomial(evaluate, scale, n, parameters)

    return polynomial


for _original, _leading in LEADING.items():
    _evaluate = getattr(special, f"eval_{_original.__name__}")
    REPLACEMENTS[_original] = made(_original, _evaluate, _leading)
