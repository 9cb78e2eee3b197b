"""``scipy.stats.ecdf``: a step function, whose steps are where the data are.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import stats
>>> x = srcgrad.Variable(np.array([3.0, 1.0]), requires_grad=True)
>>> stats.ecdf(x).cdf.quantiles[0].backward()
>>> x.grad.data
array([0., 1.])
"""

import functools
from typing import Any

import numpy as np
from scipy import stats

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import REPLACEMENTS


@functools.wraps(stats.ecdf)
def ecdf(sample: Any) -> Any:
    """``scipy.stats.ecdf``: the chances are counts, the quantiles are data."""
    found = stats.ecdf(raw_of(sample))
    if first_variable(sample) is not None:
        found.cdf.quantiles = found.sf.quantiles = np.unique(sample)
    return found


REPLACEMENTS[stats.ecdf] = ecdf
