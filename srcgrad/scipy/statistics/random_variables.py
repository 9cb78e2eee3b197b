"""``scipy.stats.Normal``, ``Uniform`` and their kin, which hold Variables.

Each is one of the older distributions, at a place and of a scale.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import stats
>>> sigma = srcgrad.Variable(np.array(2.0), requires_grad=True)
>>> (2.0 * stats.Normal(mu=1.0, sigma=sigma) + 3.0).logpdf(9.0).backward()
>>> sigma.grad.item()
0.0
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats
from scipy.stats import _distribution_infrastructure as infrastructure

from srcgrad.errors import NoRuleError, located
from srcgrad.rules.libraries import REPLACEMENTS, replacement_of
from srcgrad.scipy.replacing import Refusing, stands_for

# SciPy's new names of the older distributions' methods.
POINTWISE = {
    "logpdf": "logpdf",
    "pdf": "pdf",
    "logpmf": "logpmf",
    "pmf": "pmf",
    "logcdf": "logcdf",
    "cdf": "cdf",
    "logccdf": "logsf",
    "ccdf": "sf",
    "icdf": "ppf",
    "iccdf": "isf",
}
OF_LOGARITHMS = {"ilogcdf": "ppf", "ilogccdf": "isf"}
WHOLE = {
    "mean": "mean",
    "median": "median",
    "variance": "var",
    "standard_deviation": "std",
    "entropy": "entropy",
}
SHAPES = {"skewness": "s", "kurtosis": "k"}


class RandomVariable(Refusing):
    """One of the older distributions, with shapes, at a place and of a scale."""

    def __init__(
        self, kind: Any, shapes: Any, loc: Any = 0.0, scale: Any = 1.0
    ) -> None:
        self._kind, self._shapes, self._loc, self._scale = kind, shapes, loc, scale

    def _call(self, name: str, *args: Any, **options: Any) -> Any:
        place = {"loc": self._loc} if hasattr(self._kind, "pmf") else self._place
        method = replacement_of(getattr(self._kind, name))
        return method(*args, **self._shapes, **place, **options)

    @property
    def parts(self) -> tuple[Any, ...]:
        """What it is made of."""
        return self._kind, self._shapes, self._loc, self._scale

    @property
    def _place(self) -> dict[str, Any]:
        return {"loc": self._loc, "scale": self._scale}

    def __getattr__(self, name: str) -> Any:
        if name in POINTWISE:
            return functools.partial(self._at, POINTWISE[name])
        if name in WHOLE:
            return functools.partial(self._whole, WHOLE[name])
        if name in OF_LOGARITHMS:
            own = OF_LOGARITHMS[name]
            return lambda p, **options: self._at(own, np.exp(p), **options)
        if name in SHAPES:
            return functools.partial(self._moment, SHAPES[name])
        return super().__getattr__(name)

    def _at(self, name: str, x: Any, *, method: Any = None) -> Any:
        return self._call(name, x)

    def cdf(self, x: Any, y: Any = None, *, method: Any = None) -> Any:
        first = self._call("cdf", x)
        return first if y is None else self._call("cdf", y) - first

    def support(self) -> tuple[Any, Any]:
        """From where to where there is any density."""
        low, high = self._kind.support(**self._shapes)
        if hasattr(self._kind, "pmf"):
            return low + self._loc, high + self._loc
        return low * self._scale + self._loc, high * self._scale + self._loc

    def _whole(self, name: str, *, method: Any = None) -> Any:
        return self._call(name)

    def _moment(self, kind: str, *, method: Any = None, convention: str = "") -> Any:
        excess = 0.0 if kind == "s" or convention == "excess" else 3.0
        return self._call("stats", moments=kind) + excess

    # ----- At another place, of another scale -----
    def __add__(self, loc: Any) -> "RandomVariable":
        return RandomVariable(self._kind, self._shapes, self._loc + loc, self._scale)

    def __mul__(self, factor: Any) -> "RandomVariable":
        if hasattr(self._kind, "pmf") or not np.all(factor > 0):
            raise NotImplementedError(
                "srcgrad's random variables are multiplied by positive numbers, and "
                "only if they are continuous"
            )
        place = self._loc * factor, self._scale * factor
        return RandomVariable(self._kind, self._shapes, *place)

    def __sub__(self, loc: Any) -> Any:
        return self + -loc

    def __truediv__(self, divisor: Any) -> Any:
        return self * (1.0 / divisor)

    __radd__, __rmul__, __array_ufunc__ = __add__, __mul__, None

    def __repr__(self) -> str:
        given = self._shapes | self._place
        values = ", ".join(f"{name}={value}" for name, value in given.items())
        return f"<srcgrad's random variable {self._kind.name}({values})>"


# ----- What makes them -----
def normal(mu: Any = 0.0, sigma: Any = 1.0) -> RandomVariable:
    return RandomVariable(stats.norm, {}, mu, sigma)


def uniform(a: Any, b: Any) -> RandomVariable:
    return RandomVariable(stats.uniform, {}, a, b - a)


def logistic() -> RandomVariable:
    return RandomVariable(stats.logistic, {})


def binomial(n: Any, p: Any) -> RandomVariable:
    return RandomVariable(stats.binom, {"n": n, "p": p})


def made(dist: Any) -> Callable[..., RandomVariable]:
    """``scipy.stats.make_distribution`` of one of the older distributions."""
    kind = getattr(dist, "_original", dist)
    if not isinstance(kind, (stats.rv_continuous, stats.rv_discrete)):
        found: Callable[..., RandomVariable] = stats.make_distribution(kind)
        return found
    return lambda **shapes: RandomVariable(kind, shapes)


OF_CLASSES: dict[type, Callable[..., RandomVariable]] = {
    stats.Normal: normal,
    stats.Uniform: uniform,
    stats.Logistic: logistic,
    stats.Binomial: binomial,
}


def making(original: type, own: Callable[..., RandomVariable]) -> Callable[..., Any]:
    @functools.wraps(original, updated=())
    def make(*, tol: Any = None, validation_policy: Any = None, **given: Any) -> Any:
        return own(**given)

    return make


# ----- SciPy's own, of points that are Variables -----
def held(given: Any) -> Any:
    """What an object of SciPy's stands for."""
    names = given._original_parameters
    if isinstance(given, infrastructure.ShiftedScaledDistribution):
        return held(given._dist) * given.scale + given.loc
    for kind, own in OF_CLASSES.items():
        if isinstance(given, kind):
            return own(**names)
    raise located(
        NoRuleError(f"srcgrad has no derivative of {type(given).__name__}"),
        "use the distribution of the same name in scipy.stats",
    )


def of_points(name: str) -> Callable[..., Any]:
    return lambda given, *args, **options: getattr(held(given), name)(*args, **options)


for _class, _own in OF_CLASSES.items():
    REPLACEMENTS[_class] = making(_class, _own)
REPLACEMENTS[stats.make_distribution] = made
for _name in (*POINTWISE, *OF_LOGARITHMS):
    _original = getattr(infrastructure.UnivariateDistribution, _name)
    stands_for(_original, of_points(_name))
