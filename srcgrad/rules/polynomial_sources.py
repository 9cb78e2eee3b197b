"""NumPy's functions of polynomials that need no rule: its own source runs on Variables.

>>> import numpy as np
>>> import srcgrad
>>> srcgrad.grad(lambda p: np.polyder(p)[0])(np.array([1.0, 2.0, 3.0]))
array([2., 0., 0.])
"""

from typing import Any

import numpy as np

from srcgrad.rules.compositions import defined_as
from srcgrad.rules.scipy.scipy_sources import on_variables

for _name in "polyadd polysub polydiv polyder polyint poly roots polyfit".split():
    _function: Any = getattr(np, _name)
    defined_as(_function, on_variables(_function.__wrapped__))
