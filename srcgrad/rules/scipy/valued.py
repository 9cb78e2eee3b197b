"""Values that SciPy computes, with the gradients of formulas for them.

A formula with a derivative may be less exact than what SciPy does, which has none:

>>> import srcgrad
>>> slope = srcgrad.grad(lambda x: valued(x * x, 9.000001))
>>> slope(3.0)
6.0
"""

from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.registry import defvjp


@dispatched
def valued(formula, value):
    """A value, with the gradient of a formula for it."""
    return value


defvjp(valued, formula=lambda g: g, value=None)
declare(valued, view="maybe")
