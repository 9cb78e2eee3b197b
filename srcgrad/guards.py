"""Guards inside a graph: values that left it while the function was traced.

``expect`` is the function of a guard node. It has no result; generated code writes it as
an ``if`` that returns the reason for the miss.
"""

from typing import Any

import numpy as np

# How a value left the graph: what took it out, and how a message calls that.
ESCAPES = {
    bool: "bool",
    int: "int",
    float: "float",
    complex: "complex",
    np.shape: "shape of",
    np.ndarray.tobytes: "content of",
}


def expect(value: Any, convert: Any, observed: Any) -> bool:
    """Whether ``convert(value)`` is what it was when the function was traced.

    The sign of zero counts, and NaN is equal to NaN.

    >>> expect(np.float64(2.0), float, 2.0), expect(np.float64(0.0), float, -0.0)
    (True, False)
    """
    seen = convert(value)
    return bool(seen == observed and repr(seen) == repr(observed)) or (
        seen != seen and observed != observed
    )
