"""Arguments that NumPy does not look through for a Variable, though it may be one.

NumPy asks the arguments of a call whether one of them knows what to do: the arrays, not
the numbers beside them.

>>> import srcgrad
>>> x = srcgrad.Variable(2.0, requires_grad=True)
>>> asked(np.pad, (np.zeros(2), 1), {"constant_values": x})
Variable containing:
array([2., 0., 0., 2.])
[grad_fn=<PadBackward>]
"""

from typing import Any

import numpy as np

from srcgrad.facts import Operation
from srcgrad.function_parameters import names_of
from srcgrad.protocols import first_variable

# The formula of this module: by functions; of reductions it is `initial`.
UNASKED = {
    np.interp: ("left", "right", "period"),
    np.nan_to_num: ("nan", "posinf", "neginf"),
    np.pad: ("constant_values", "end_values"),
    np.piecewise: ("funclist",),
    np.select: ("default",),
    np.unwrap: ("discont", "period"),
}


def unasked_from(function: Operation, names: list[str]) -> tuple[int, frozenset[str]]:
    """From which place on there are such arguments, and their names."""
    found = UNASKED.get(function, ("initial",))
    places = [names.index(name) for name in found if name in names]
    return min(places, default=len(names)), frozenset(found if places else ())


def asked(function: Operation, args: Any, kwargs: Any) -> Any:
    """A call of a function where a Variable may be among such arguments."""
    names, _ = names_of(function)
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    _, hidden = unasked_from(function, names)
    found = first_variable([given.get(name) for name in hidden])
    if found is None:
        return function(*args, **kwargs)
    ufunc = getattr(function, "__self__", None)
    if not isinstance(ufunc, np.ufunc):
        return found._call(function, args, kwargs)
    kwargs = {**dict(zip(names[1:], args[1:], strict=False)), **kwargs}
    return found.__array_ufunc__(ufunc, function.__name__, args[0], **kwargs)
