"""What rules need for complex numbers, at no cost for real ones.

PyTorch's convention: the gradient of a real function is its direction of ascent, so a
holomorphic function multiplies its cotangent by the conjugate of its derivative.
"""

import numpy as np


def conj(x):
    """Return the complex conjugate, which for real data is ``x`` itself, not a copy."""
    return np.conjugate(x) if is_complex(x) else x


def adjoint(x):
    """Return the conjugate transpose of each matrix; for real data it is a view."""
    x = conj(x)
    return x.T if x.ndim == 2 else np.swapaxes(x, -1, -2)


def is_complex(x):
    """Whether the dtype is complex; decided without looking at the value.

    >>> is_complex(2.0), is_complex(2j), is_complex(np.ones(2, np.complex64))
    (False, True, True)
    """
    dtype = getattr(x, "dtype", None)
    if dtype is not None:
        return dtype.kind == "c"
    return np.iscomplexobj(x) if isinstance(x, (list, tuple)) else type(x) is complex
