"""``scipy.special.jacobi`` and kin: polynomials whose parameters are Variables."""

import numpy as np
from scipy import special

from srcgrad.protocols import raw_of
from srcgrad.rules.compositions import bound
from srcgrad.scipy.replacing import Refusing, stands_for

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


class Polynomial(Refusing):
    """One of a family; what SciPy's object has besides its values is refused."""

    KIND = "a polynomial by its parameters: call it at points"

    def __init__(self, evaluate, leading, n, parameters):
        self.order, self._evaluate = n, evaluate
        self._leading, self._parameters = leading, parameters

    def __call__(self, x):
        found = self._evaluate(self.order, *self._parameters, x)
        return found if self._leading is None else found / self._leading

    def __getattr__(self, name):
        if not hasattr(np.poly1d, name):
            raise AttributeError(name)
        return super().__getattr__(name)


def of_parameters(original, evaluate, leading):
    """What makes one of the family, of Variables."""

    def polynomial(*args, **kwargs):
        n, *parameters, is_monic = bound(original, args, kwargs).values()
        original(raw_of(n), *map(raw_of, parameters))  # its errors
        scale = leading(n, *parameters) if is_monic else None
        return Polynomial(evaluate, scale, n, parameters)

    return polynomial


for _original, _leading in LEADING.items():
    _evaluate = getattr(special, f"eval_{_original.__name__}")
    stands_for(_original, of_parameters(_original, _evaluate, _leading))
