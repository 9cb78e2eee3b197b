"""dtypes in Python."""

from typing import Any

import numpy as np


def dtype_text(dtype: Any) -> str:
    """A dtype as an expression; ``np.bool`` is not in every NumPy.

    >>> dtype_text(np.dtype(np.float32)), dtype_text(np.dtype(bool))
    ('np.float32', 'np.bool_')
    >>> print(dtype_text(np.dtype(">f8")), dtype_text(np.dtype("U3")))
    np.dtype(">f8") np.dtype("<U3")
    """
    found = np.dtype(dtype)
    if found.kind == "b":
        return "np.bool_"
    if found.kind in "iufc" and found.isnative and found == np.dtype(found.type):
        return f"np.{found.name}"
    if found.names is not None:
        raise RuntimeError("it has arrays with fields: hand over an array for each")
    return f'np.dtype("{found.str}")'
