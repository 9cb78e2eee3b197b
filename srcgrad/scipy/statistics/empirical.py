"""``scipy.stats.ecdf``: a step function, whose steps are where the data are.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import stats
>>> x = srcgrad.Variable(np.array([3.0, 1.0]), requires_grad=True)
>>> stats.ecdf(x).cdf.quantiles[0].backward()
>>> x.grad.data
array([0., 1.])
"""

from typing import Any

import numpy as np
from scipy import stats

from srcgrad.scipy.replacing import replaces


@replaces(stats.ecdf)
def ecdf(found: Any, sample: Any) -> Any:
    """``scipy.stats.ecdf``: the chances are counts, the quantiles are data."""
    found.cdf.quantiles = found.sf.quantiles = np.unique(sample)
    return found
