"""``defvjp`` of the user's: a rule may take the place of another, at any time.

>>> import numpy as np
>>> import srcgrad
>>> double = np.frompyfunc(lambda x: 2.0 * x, 1, 1)
>>> defvjp(double, x=lambda g: 3.0 * g)
>>> defvjp(double, x=lambda g: 2.0 * g)  # a cell of a notebook that is run again
>>> x = srcgrad.Variable(np.array([1.0]), requires_grad=True)
>>> double(x).backward()
>>> x.grad.data
array([2.])
"""

import functools
from collections.abc import Callable

from srcgrad.facts import Operation
from srcgrad.modes import REDEFINED, WITH_FAST_PATHS
from srcgrad.rules import registry
from srcgrad.rules.compositions import COMPOSITIONS
from srcgrad.rules.libraries import load_chapters
from srcgrad.rules.registry import PRIMITIVES, TANGENTS

# What higher layers do when a derivative is another one: traces have the old one.
ON_NEW_RULES: list[Callable[[], None]] = []


@functools.wraps(registry.defvjp, assigned=("__doc__",), updated=())
def defvjp(function: Operation, **vjps: Operation | None) -> None:
    load_chapters()  # they would bring rules of their own later
    is_new = function not in PRIMITIVES and function not in COMPOSITIONS
    registry.defvjp(function, **vjps)
    TANGENTS.pop(function, None)
    COMPOSITIONS.pop(function, None)
    if function in WITH_FAST_PATHS:
        REDEFINED.add(function)
    if not is_new:
        rules_have_changed()


def rules_have_changed() -> None:
    """Let go of all that has been made with a derivative that is another one now."""
    for let_go in ON_NEW_RULES:
        let_go()
