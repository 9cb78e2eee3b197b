"""Distributions of ``scipy.stats`` for vectors and matrices that hold parameters.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import stats
>>> mean = srcgrad.Variable(np.zeros(2), requires_grad=True)
>>> stats.multivariate_normal(mean, np.eye(2)).logpdf(np.array([1.0, 3.0])).backward()
>>> mean.grad.data
array([1., 3.])
"""

import functools
import inspect
from collections.abc import Callable
from typing import Any

from scipy import stats
from scipy.stats import _multivariate

from srcgrad.rules.libraries import replacement_of
from srcgrad.scipy.replacing import stands_for

# Each kind with the parameters that its methods take; a frozen one of SciPy's has them
# as attributes.
KINDS = {
    "multivariate_normal": "mean cov allow_singular",
    "multivariate_t": "loc shape df",
    "matrix_normal": "mean rowcov colcov",
    "matrix_t": "mean row_spread col_spread df",
    "dirichlet": "alpha",
    "dirichlet_multinomial": "alpha n",
    "multinomial": "n p",
    "wishart": "df scale",
    "invwishart": "df scale",
    "vonmises_fisher": "mu kappa",
    "normal_inverse_gamma": "mu lmbda a b",
}
METHODS = ("logpdf", "pdf", "logpmf", "pmf")


class Frozen:
    """A distribution that holds Variables: its methods hand them on."""

    def __init__(self, kind: Any, *args: Any, **options: Any) -> None:
        given = inspect.signature(kind).bind(*args, **options)
        given.apply_defaults()
        self._kind = kind
        self._given = given.arguments | given.arguments.pop("kwds", {})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self._given:
            return self._given[name]
        return functools.partial(called, getattr(self._kind, name), self._given)

    def __repr__(self) -> str:
        return f"<srcgrad's frozen {type(self._kind).__name__}>"


def called(method: Any, given: Any, *args: Any, **options: Any) -> Any:
    """Call a method with what it takes of the parameters that are given."""
    taken = inspect.signature(method).parameters
    held = {name: value for name, value in given.items() if name in taken}
    return replacement_of(method)(*args, **held, **options)


def on_variables(kind: Any, name: str, names: list[str]) -> Callable[..., Any]:
    """A method of SciPy's frozen distributions, of points that are Variables."""

    def method(frozen: Any, *args: Any, **options: Any) -> Any:
        held = getattr(frozen, "_shapes", None)
        held = [getattr(frozen, each) for each in names] if held is None else held
        given = dict(zip(names, held, strict=True))
        return called(getattr(kind, name), given, *args, **options)

    return method


for _name, _parameters in KINDS.items():
    _kind = getattr(stats, _name)
    stands_for(_kind, functools.partial(Frozen, _kind))
    _frozen = vars(getattr(_multivariate, f"{_name}_frozen"))
    for _method in filter(_frozen.__contains__, METHODS):
        _own = on_variables(_kind, _method, _parameters.split())
        stands_for(_frozen[_method], _own)
