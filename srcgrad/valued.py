"""Values from one formula, with the gradients of another.

What is most exact to compute may be worse to differentiate, or have no derivative.
Generated code has the value alone: its gradients have been found by then.

>>> import srcgrad
>>> slope = srcgrad.grad(lambda x: valued(x * x, 9.000001))
>>> slope(3.0)
6.0
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.facts import declare
from srcgrad.protocols import ArrayProtocol, dispatched


@dispatched
def valued(formula: Any, value: Any) -> Any:
    """A value, with the gradient of a formula for it, of its shape."""
    return value


declare(valued, elementwise=True, view="maybe")


def differentiated_as(formula: Callable[[], Any], value: Any) -> Any:
    """The same in rules; without need of the formula where nothing goes on the tape."""
    if not isinstance(value, ArrayProtocol):
        return value
    with np.errstate(all="ignore"):  # nobody looks at its own value
        return valued(formula(), value)
