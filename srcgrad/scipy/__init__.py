"""SciPy for Variables: its modules, with functions that reach their derivative rules.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import special
>>> x = srcgrad.Variable(np.array([1.0, 2.0]), requires_grad=True)
>>> special.logsumexp(x).backward()
>>> x.grad.data
array([0.26894142, 0.73105858])

Inside a function that srcgrad traces, ``scipy.special.logsumexp`` itself does the same.
What has no rule is SciPy's own function here.
"""

from srcgrad.scipy.mirror import MODULES, install, mirrored

__all__ = list(MODULES)

install(__name__)


def __getattr__(name: str) -> object:
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return mirrored(name)


def __dir__() -> list[str]:
    return __all__
