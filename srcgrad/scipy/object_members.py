"""Attributes of SciPy's objects that hold numbers, where these objects hold Variables.

SciPy's own methods read the numbers. Whoever else asks for one of them gets it with its
derivative, or an error if none is known.

>>> import srcgrad
>>> class Doubled:
...     def __init__(self, x):
...         self.x = srcgrad.protocols.raw_of(x)
>>> class OfVariables(WithMembers, Doubled):
...     MEMBERS = {"x": lambda self: 2.0 * self.own}
...     def __init__(self, x):
...         super().__init__(x)
...         self.own, self.has_variables = x, True
>>> x = srcgrad.Variable(3.0, requires_grad=True)
>>> OfVariables(x).x.backward()
>>> x.grad.item()
2.0
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np

from srcgrad.scipy.algorithm_results import with_slope_of
from srcgrad.scipy.parameters import refuse


class WithMembers:
    """An object of SciPy's made of Variables, if ``has_variables``.

    Attributes
    ----------
    MEMBERS : mapping
        From the name of an attribute to what it is, from the object; or to None, if
        nothing is known of it; from that of a method to why it is refused.
    """

    MEMBERS: ClassVar[Mapping[str, Callable[[Any], Any] | str | None]] = {}
    has_variables = False

    def __getattribute__(self, name: str) -> Any:
        kind = type(self)
        if name not in kind.MEMBERS or not super().__getattribute__("has_variables"):
            return super().__getattribute__(name)
        formula = kind.MEMBERS[name]
        if isinstance(formula, str):
            return lambda *args, **kwargs: refuse(kind.__name__, formula)
        if formula is None:
            refuse(kind.__name__, f"by its `{name}`")
        found = super().__getattribute__(name)
        own = formula(self)  # type: ignore[misc]
        if not isinstance(found, np.ndarray):
            return own
        return with_slope_of(found, np.reshape(own, found.shape))

    def raw(self, name: str) -> Any:
        """An attribute as SciPy's methods read it."""
        return super().__getattribute__(name)
