"""Gradients of data that one machine does not hold, by Dask.

What is here takes a plain function of one block of the data. Its gradient is written as
source once, travels to the workers as that, and runs on each block where it lies.

>>> import dask.array
>>> import numpy as np
>>> import srcgrad.dask
>>> x = dask.array.arange(1000.0, chunks=100)
>>> def loss(w, x):
...     return np.sum((w * x - 1.0) ** 2)
>>> value_and_grad = srcgrad.dask.value_and_grad(loss, data=x)
>>> value_and_grad(0.0)
(np.float64(1000.0), -999000.0)
"""

try:
    import dask  # noqa: F401 (only whether they are there)
    import distributed  # noqa: F401
except ImportError as error:
    raise ImportError(
        "srcgrad.dask needs Dask: pip install 'srcgrad[dask]'", name=error.name
    ) from error

from srcgrad.dask.gradients import hvp, value_and_grad
from srcgrad.dask.jacobians import jacobian
from srcgrad.dask.mapping import map

__all__ = ["hvp", "jacobian", "map", "value_and_grad"]
