"""``np.polynomial.Polynomial`` and its kin, of coefficients that are Variables.

They are NumPy's classes, with NumPy's own methods: these call functions that take
Variables.

>>> import srcgrad
>>> from numpy.polynomial import Polynomial
>>> srcgrad.grad(lambda a: (Polynomial([a, 1.0]) ** 2).deriv()(3.0))(2.0)
2.0
"""

import functools
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np
from numpy.polynomial import _polybase, polyutils
from numpy.polynomial._polybase import ABCPolyBase

from srcgrad.protocols import ArrayProtocol, first_variable, raw_of
from srcgrad.rules.libraries import OBJECTS, REPLACEMENTS, reaching
from srcgrad.rules.polynomial_families import (
    FAMILIES,
    mapdomain,
    mapparms,
    series,
    trimcoef,
)

KINDS = ("Polynomial", "Chebyshev", "Legendre", "Hermite", "HermiteE", "Laguerre")
USED = "add sub mul div pow val int der fit line roots fromroots".split()


def as_series(items: Any, trim: bool = True) -> list[Any]:
    """Coefficients, each of one axis: none is left away here."""
    return [
        series(np.stack(each) if isinstance(each, list) else each) for each in items
    ]


def getdomain(x: Any) -> Any:
    if np.iscomplexobj(raw_of(x)):
        return polyutils.getdomain(raw_of(x))
    return np.stack([np.min(x), np.max(x)])


NAMESPACE = vars(_polybase) | {
    "pu": SimpleNamespace(
        as_series=as_series,
        mapdomain=mapdomain,
        mapparms=mapparms,
        getdomain=getdomain,
        trimcoef=trimcoef,
    )
}


def anew(method: Any) -> Any:
    """A method of NumPy's that calls ours."""
    if isinstance(method, classmethod):
        return classmethod(anew(method.__func__))
    if not isinstance(method, FunctionType):
        return method
    copy = FunctionType(
        *(method.__code__, NAMESPACE, method.__name__, method.__defaults__),
        method.__closure__,
    )
    copy.__kwdefaults__ = method.__kwdefaults__
    return copy


class OfVariables:
    """What these do that NumPy's do in another way."""

    original: Any

    def __truediv__(self, other: Any) -> Any:
        own: Any = self
        inverse: Any = other
        if isinstance(other, ArrayProtocol) and np.shape(raw_of(other)) == ():
            return own * inverse**-1.0
        return METHODS["__truediv__"](own, other)

    def __call__(self, arg: Any) -> Any:
        return METHODS["__call__"](self, own_of(arg) if type(arg) in OWN else arg)

    def _get_coefficients(self, other: Any) -> Any:
        if type(other) is self.original:
            other = own_of(other)
        return METHODS["_get_coefficients"](self, other)


def reflected(name: str) -> Any:
    """An operator with one of NumPy's on the left."""

    def method(self: Any, other: Any) -> Any:
        if type(other) is self.original:
            return getattr(own_of(other), f"__{name}__")(self)
        return METHODS[f"__r{name}__"](self, other)

    return method


METHODS = {name: anew(method) for name, method in vars(ABCPolyBase).items()}
OPERATORS = "add sub mul floordiv mod divmod".split()
SKIPPED = ("__dict__", "__weakref__", "__abstractmethods__", "_abc_impl", "__slots__")


def own_class(kind: type, prefix: str) -> type:
    """A class like NumPy's, whose coefficients may be Variables."""
    namespace = {
        key: each
        for key, each in METHODS.items()
        if key not in SKIPPED and not getattr(each, "__isabstractmethod__", False)
    }
    namespace |= {key: vars(OfVariables)[key] for key in OVERRIDDEN}
    namespace |= {f"__r{name}__": reflected(name) for name in OPERATORS}
    for name in USED:
        numpys = getattr(FAMILIES[prefix], f"{prefix}{name}")
        namespace[f"_{name}"] = staticmethod(reaching(numpys))
    made = type(kind)(kind.__name__, (kind,), namespace | {"original": kind})
    made.__module__ = __name__
    return made


OVERRIDDEN = ("__truediv__", "__call__", "_get_coefficients")
OWN: dict[type, type] = {
    getattr(np.polynomial, name): own_class(getattr(np.polynomial, name), prefix)
    for name, prefix in zip(KINDS, FAMILIES, strict=True)
}


def own_of(item: Any) -> Any:
    """One that NumPy has made, as one of ours."""
    return OWN[type(item)](item.coef, item.domain, item.window, item.symbol)


def making(kind: type) -> Any:
    @functools.wraps(kind, updated=())
    def make(*args: Any, **kwargs: Any) -> Any:
        is_plain = first_variable((args, *kwargs.values())) is None
        return (kind if is_plain else OWN[kind])(*args, **kwargs)

    return make


def of_class(original: Any) -> Any:
    """A method of classes, which makes an object."""

    @functools.wraps(original)
    def method(cls: Any, *args: Any, **kwargs: Any) -> Any:
        is_plain = first_variable((args, *kwargs.values())) is None
        own = cls if is_plain else OWN.get(cls, cls)
        found = original if is_plain else METHODS[original.__name__].__func__
        return found(own, *args, **kwargs)

    return method


for _kind in OWN:
    REPLACEMENTS[_kind] = making(_kind)
    OBJECTS[_kind] = own_of
for _name in ("fit", "fromroots", "cast", "identity"):
    _original = vars(ABCPolyBase)[_name].__func__
    REPLACEMENTS[_original] = of_class(_original)
