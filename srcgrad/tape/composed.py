"""A function that is made of others, which run in its place."""

from typing import Any

import numpy as np

from srcgrad.facts import Operation
from srcgrad.modes import override, state
from srcgrad.protocols import ArrayProtocol
from srcgrad.tape.anomalies import Content, check_result
from srcgrad.tape.operands import LIST_TYPES, is_numpys, with_operands

# Modules whose functions give numbers, and no arrays of no dimensions.
OF_NUMBERS = "scipy.stats", "scipy.special", "scipy.spatial.distance"


def composed(
    function: Operation, composition: Operation, given: Any, raw: tuple[Any, Any]
) -> Any:
    """What the others make of the arguments; ``raw`` are these without Variables.

    ``NotImplemented``: the function is to run itself.
    """
    if state.checks_results:
        # What its parts give may be NaN on the way, where it is not chosen.
        with override(checks_results=False):
            out = composed(function, composition, given, raw)
        if out is not NotImplemented:
            check_result(function, Content.of(raw), out)
        return out
    args, kwargs = given
    raw_args, raw_kwargs = raw
    kinds = map(type, (*raw_args, *raw_kwargs.values()))
    if not (is_numpys(function) or LIST_TYPES.isdisjoint(kinds)):
        args, kwargs = with_operands(function, args, kwargs)
    try:
        out = composition(*args, **kwargs)
    except TypeError as error:
        # Arguments that it does not take: so says the function, in its own words.
        if error.__traceback__ is not None and error.__traceback__.tb_next is None:
            function(*raw_args, **raw_kwargs)
        raise
    return _as_number(function, out)


def _as_number(function: Operation, out: Any) -> Any:
    """What SciPy makes of the result of a composition without dimensions."""
    if not isinstance(out, ArrayProtocol) or type(out.value) is not np.ndarray:
        return out
    module = getattr(function, "__module__", None) or ""
    return out if out.value.ndim or not module.startswith(OF_NUMBERS) else out[()]
