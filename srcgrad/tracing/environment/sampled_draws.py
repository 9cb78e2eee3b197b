"""Random numbers of a distribution that is computed: ``rng.normal(mean, scale)``.

A generator knows numbers alone. Where a Variable moves or scales what is drawn, that is
drawn without it, and moved and scaled then: NumPy does the same, number for number.
Integers that are drawn do not follow a probability that moves a little, but for jumps:
they have no gradient, like any other step.

>>> import srcgrad
>>> def drawn(scale):
...     rng = np.random.default_rng(1)
...     return rng.normal(10.0, scale)
>>> drawn(2.0), srcgrad.value_and_grad(drawn)(2.0)
(10.691168384129572, (10.691168384129572, 0.345584192064786))
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from srcgrad.errors import NoRuleError, located
from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.tape.operands import joined, unwrap, variables_in
from srcgrad.tracing.arrays.functional_array import contents
from srcgrad.tracing.environment.draws import is_draw

NUMPY_GENERATORS = (np.random.Generator, np.random.RandomState)


class Family(NamedTuple):
    """Distributions that are one, moved and scaled.

    ``standard``: draws that one with a size, from the generator's methods;
    ``parameters``: the names of its own, and what they are if nothing is said;
    ``formed``: what becomes of what is drawn.
    """

    standard: Callable[[Any, Any], Any]
    parameters: dict[str, float]
    formed: Callable[..., Any]


def _named(name: str, *args: Any) -> Callable[[Any, Any], Any]:
    return lambda rng, size: getattr(rng, name)(*args, size)


def _uniform(rng: Any, size: Any) -> Any:
    is_legacy = isinstance(rng, np.random.RandomState)
    return rng.random_sample(size) if is_legacy else rng.random(size)


def _moved(z: Any, loc: Any, scale: Any) -> Any:
    return loc + scale * z


_PLACED = {"loc": 0.0, "scale": 1.0}
DISTRIBUTIONS = {
    "normal": Family(_named("standard_normal"), _PLACED, _moved),
    "laplace": Family(_named("laplace", 0.0, 1.0), _PLACED, _moved),
    "logistic": Family(_named("logistic", 0.0, 1.0), _PLACED, _moved),
    "gumbel": Family(_named("gumbel", 0.0, 1.0), _PLACED, _moved),
    "lognormal": Family(
        _named("standard_normal"),
        {"mean": 0.0, "sigma": 1.0},
        lambda z, mean, sigma: np.exp(mean + sigma * z),
    ),
    "uniform": Family(
        _uniform,
        {"low": 0.0, "high": 1.0},
        lambda z, low, high: low + (high - low) * z,
    ),
    "exponential": Family(
        _named("standard_exponential"), {"scale": 1.0}, lambda z, scale: scale * z
    ),
    "rayleigh": Family(
        _named("rayleigh", 1.0), {"scale": 1.0}, lambda z, scale: scale * z
    ),
}

# What is drawn by these is integers.
STEPPED_DRAWS = frozenset(
    "binomial geometric hypergeometric integers logseries multinomial "
    "multivariate_hypergeometric negative_binomial poisson randint zipf".split()
)


# Others, on which it is tried whether NumPy has an error to raise.
_TRIAL: Any = np.random.default_rng(0)
_LEGACY_TRIAL: Any = np.random.RandomState(0)


def is_numpys_draw(function: Any) -> bool:
    """Whether it is a method that draws, of a generator of NumPy's."""
    owner = getattr(function, "__self__", None)
    return isinstance(owner, NUMPY_GENERATORS) and is_draw(function)


def sampled(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """``function(*args, **kwargs)``, a generator's method, of Variables or not.

    Raises
    ------
    NoRuleError
        If what is drawn has a gradient that is not known.
    """
    args, kwargs = contents(args), contents(kwargs)
    if not variables_in((*args, *kwargs.values())):
        return function(*args, **kwargs)
    name, rng = function.__name__, function.__self__
    plain, named = unwrap(args), _unwrapped(kwargs)
    if name in STEPPED_DRAWS:
        return function(*plain, **named)
    is_legacy = isinstance(rng, np.random.RandomState)
    getattr(_LEGACY_TRIAL if is_legacy else _TRIAL, name)(*plain, **named)
    if name in ("choice", "permutation"):
        return _picked(function, *args, **kwargs)
    if name not in DISTRIBUTIONS:
        raise located(
            NoRuleError(f"srcgrad has no derivative of a draw by `{name}`"),
            "draw standard numbers and compute with them, or hand over "
            "`srcgrad.stop_gradient(...)` of its parameters",
        )
    return _of_family(DISTRIBUTIONS[name], rng, args, kwargs)


def _unwrapped(kwargs: Mapping[str, Any]) -> dict[str, Any]:
    return {key: unwrap(each) for key, each in kwargs.items()}


def _of_family(family: Family, rng: Any, args: Any, kwargs: Mapping[str, Any]) -> Any:
    names = [*family.parameters, "size"]
    given = {**family.parameters, "size": None, **kwargs}
    given |= dict(zip(names, args, strict=False))
    size = given.pop("size")
    parameters = {key: _in_doubles(joined(each)) for key, each in given.items()}
    shapes = [np.shape(raw_of(each)) for each in parameters.values()]
    shape = np.broadcast_shapes(*shapes)
    size = shape if size is None and shape else size
    return family.formed(family.standard(rng, size), **parameters)


def _in_doubles(item: Any) -> Any:
    """A parameter as NumPy takes it: in double precision."""
    dtype = getattr(item, "dtype", None)
    return item if dtype in (None, float) else item.astype(float)


def _picked(function: Any, a: Any, *rest: Any, **kwargs: Any) -> Any:
    """Elements of an array, of which the places are drawn."""
    array: Any = joined(a)
    rest, kwargs = unwrap(rest), _unwrapped(kwargs)
    if not isinstance(array, ArrayProtocol) or not array.ndim:
        return function(unwrap(a), *rest, **kwargs)
    axis = kwargs.pop("axis", 0)
    places = function(array.shape[axis], *rest, **kwargs)
    take: Any = np.take  # of a Variable
    return take(array, places, axis=axis)
