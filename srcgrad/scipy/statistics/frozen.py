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

from srcgrad.protocols import first_variable
from srcgrad.rules.libraries import REPLACEMENTS, replacement_of

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


def freezing(kind: Any) -> Callable[..., Any]:
    """What makes a frozen distribution, SciPy's own where there are no Variables."""

    @functools.wraps(type(kind).__call__)
    def freeze(*args: Any, **options: Any) -> Any:
        if first_variable((*args, *options.values())) is None:
            return kind(*args, **options)
        return Frozen(kind, *args, **options)

    return freeze


def on_variables(kind: Any, original: Any, names: list[str]) -> Callable[..., Any]:
    """A method of SciPy's frozen distributions, of points that are Variables."""

    @functools.wraps(original)
    def method(self: Any, *args: Any, **options: Any) -> Any:
        if first_variable((*args, *options.values())) is None:
            return original(self, *args, **options)
        held = getattr(self, "_shapes", None)
        held = [getattr(self, name) for name in names] if held is None else held
        given = dict(zip(names, held, strict=True))
        return called(getattr(kind, original.__name__), given, *args, **options)

    return method


for _name, _parameters in KINDS.items():
    _kind = getattr(stats, _name)
    REPLACEMENTS[_kind] = freezing(_kind)
    _frozen = getattr(_multivariate, f"{_name}_frozen")
    for _method in METHODS:
        if (_original := vars(_frozen).get(_method)) is not None:
            _reached = on_variables(_kind, _original, _parameters.split())
            REPLACEMENTS[_original] = _reached
