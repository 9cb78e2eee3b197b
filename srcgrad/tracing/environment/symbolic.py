"""``Symbolic``: a scalar of Python's that is no constant of a trace; its one way out.

It is a number in the graph, ``as_float``, and some number in the run that is recorded.
Operators make nodes where a subclass says so. Whatever Python itself has to know (an
index, a text, a key of a dict, a call into C) goes through ``look``: it notes a guard,
and gives the number. Who reads ``concrete`` sees to it that nothing depends on it.

>>> class Loud(Symbolic):
...     def look(self):
...         print("looked at")
...         return self.concrete
>>> done = Loud(True, 1.0)
>>> done.as_float(), bool(done)
(1.0, True)
>>> str(done)
looked at
'True'
"""

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.operators import BINARY_OPERATORS, COMPARISONS
from srcgrad.tracing.environment.references import Known, Reference

PYTHONS = {own.name: own.python for own in BINARY_OPERATORS}
PYTHONS_ORDER = {own.name: own.python for own in COMPARISONS}


class Symbolic:
    """The scalar ``concrete`` of this run; a truth, if it is no subclass's.

    Attributes
    ----------
    is_changing : bool
        Whether it comes into the graph where a float is asked for, and not before.
    is_counted : bool
        Whether it is an integer that the graph computes.
    leads : bool
        Whether the operators of others leave it to this one.
    """

    __slots__ = ("_float", "concrete")

    __array_ufunc__ = None  # operators of arrays leave it to us

    is_changing = is_counted = leads = False

    def __init__(self, concrete: Any, as_float: Any) -> None:
        self.concrete, self._float = concrete, as_float

    # ----- Out of the graph -----

    def look(self) -> Any:
        """The scalar itself, for Python to depend on."""
        self._float._taken_out(int, int(self._float.value))
        return self.concrete

    @property
    def reference(self) -> Reference:
        """For who finds it again at each call: the constant, as it is looked at."""
        return Known(repr(self.look()), self.concrete)

    @property
    def is_truth(self) -> bool:
        """Whether it is true or false."""
        return isinstance(self.concrete, (bool, np.bool_))

    # ----- In the graph -----

    def as_float(self) -> Any:
        """The number in the graph, as a float."""
        return self._float

    def as_index(self) -> Any:
        """The number as an index of an array."""
        return self.look()

    @property
    def loop_state(self) -> Any:
        """What the head of a loop sees of it; None if that is which object it is."""
        return (self._float,)

    # ----- What Python asks -----

    def _operate(self, name: str, other: Any, is_reflected: bool) -> Any:
        pair = self.look(), as_seen(other)
        return PYTHONS[name](*(pair[::-1] if is_reflected else pair))

    def _compare(self, name: str, other: Any) -> Any:
        return PYTHONS_ORDER[name](self.look(), as_seen(other))

    def __bool__(self) -> bool:
        return bool(self.look() if self.is_changing else self._float != 0.0)

    def __pos__(self) -> Any:
        return +self.look() if self.is_truth else self

    def __pow__(self, other: Any, modulus: Any = None) -> Any:
        if modulus is None:
            return self._operate("pow", other, False)
        return pow(self.look(), as_seen(other), as_seen(modulus))

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __reduce_ex__(self, protocol: Any) -> Any:
        scalar = self.look()
        return type(scalar), (scalar,)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.look(), name)


def looking(function: Callable[..., Any]) -> Any:
    """A method that looks, and does with the scalar what a function does."""
    return lambda self, *args: function(self.look(), *args)


def _install() -> None:
    def binary(name: str, is_reflected: bool) -> Any:
        return lambda self, other: self._operate(name, other, is_reflected)

    def compared(name: str) -> Any:
        return lambda self, other: self._compare(name, other)

    for name in PYTHONS:
        if name != "pow":
            setattr(Symbolic, f"__{name}__", binary(name, False))
        setattr(Symbolic, f"__r{name}__", binary(name, True))
    for name in PYTHONS_ORDER:
        setattr(Symbolic, f"__{name}__", compared(name))
    of_python: Any
    for of_python in (
        *(int, float, complex, str, repr, format, abs, round, hash, divmod),
        *(math.trunc, math.floor, math.ceil),
    ):
        setattr(Symbolic, f"__{of_python.__name__}__", looking(of_python))
    for name in ("index", "invert", "neg"):
        setattr(Symbolic, f"__{name}__", looking(getattr(operator, name)))
    Symbolic.__rdivmod__ = looking(lambda mine, other: divmod(as_seen(other), mine))  # type: ignore[attr-defined]


_install()


def as_seen(item: Any) -> Any:
    """An argument with the scalars themselves, for code that depends on them."""
    kind = type(item)
    if issubclass(kind, Symbolic):
        return item.look()
    if kind is tuple or kind is list:
        found = [as_seen(each) for each in item]
        is_same = all(new is old for new, old in zip(found, item, strict=True))
        return item if is_same else kind(found)
    if kind is slice:
        return slice(*map(as_seen, (item.start, item.stop, item.step)))
    return item


def looked_at(item: Any) -> Any:
    """The scalar itself, if something stands for one."""
    return item.look() if isinstance(item, Symbolic) else item


def concrete_of(item: Any) -> Any:
    """The same, for who takes care that nothing depends on it."""
    return item.concrete if isinstance(item, Symbolic) else item


def is_number(item: Any) -> bool:
    """Whether it stands for an integer or a truth."""
    return isinstance(item, Symbolic) and isinstance(item.concrete, (int, np.bool_))


def is_counted(item: Any) -> bool:
    """Whether it is an integer that the graph computes."""
    return isinstance(item, Symbolic) and item.is_counted


def is_changing(item: Any) -> bool:
    """Whether it is an integer that is a float of the graph where it is asked for."""
    return isinstance(item, Symbolic) and item.is_changing
