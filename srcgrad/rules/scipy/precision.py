"""The precision that some functions of SciPy's compute in, whatever they are given."""

import numpy as np

ONE = np.float64(1.0)


def doubles(x):
    """``x`` in double precision.

    >>> doubles(np.float32(0.5)).dtype, doubles([1, 2]).dtype
    (dtype('float64'), dtype('float64'))
    """
    dtype = getattr(x, "dtype", None)
    # NumPy takes None for a dtype too.
    return x if dtype is not None and dtype in DOUBLES else np.multiply(x, ONE)


DOUBLES = (np.dtype(np.float64), np.dtype(np.complex128))
