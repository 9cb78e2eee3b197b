"""What a function to differentiate returns: a value and aux, its leaves."""

from typing import Any

import numpy as np

from srcgrad.errors import located
from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.pytree import flatten
from srcgrad.tape.foreign import is_foreign, what_to_write


def value_of(result: Any) -> Any:
    """What is differentiated of ``(value, aux)``.

    Raises
    ------
    TypeError
        If it is no such pair.
    """
    if not isinstance(result, tuple) or len(result) != 2:
        raise located(
            TypeError(
                "with has_aux=True the function must return (value, aux), but it "
                f"returned {type(raw_of(result)).__name__}"
            )
        )
    return result[0]


def differentiable_leaves(value: Any, transform: str) -> list[Any]:
    """The leaves of a value but for None, all of which have derivatives.

    Raises
    ------
    TypeError
        If one has none.
    """
    leaves = [leaf for leaf in flatten(value)[0] if leaf is not None]
    for leaf in leaves:
        raw = raw_of(leaf)
        is_number = isinstance(
            leaf, (float, complex, np.ndarray, np.generic, ArrayProtocol)
        )
        if is_number and np.result_type(raw).kind in "fc":
            continue
        got = type(raw).__name__
        if is_number:
            got = f"an array of dtype {np.result_type(raw)}"
        hint = "return it as aux, with has_aux=True"
        raise located(
            TypeError(
                f"{transform}: a function to differentiate must return floats, "
                f"complex numbers and arrays of these, but it returned {got}"
            ),
            what_to_write(raw) if is_foreign(raw) else hint,
            kind="not-a-number",
        )
    return leaves


def are_close(x: Any, y: Any) -> bool:
    """Whether a function has given the same twice, up to rounding.

    On the tape and in generated code it may differ by that.

    >>> are_close(np.float64(0.3), 0.1 + 0.2), are_close(np.ones(2), np.ones(3))
    (True, False)
    """
    dtype = np.result_type(x)
    if (np.shape(x), dtype) != (np.shape(y), np.result_type(y)):
        return False
    if dtype.kind not in "fc":
        return np.array_equal(x, y)
    size = np.max(np.abs(y), initial=0.0, where=np.isfinite(y))
    tolerance = size * np.finfo(dtype).eps ** 0.75
    return bool(np.allclose(x, y, 0.0, tolerance, equal_nan=True))
