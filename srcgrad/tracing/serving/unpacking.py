"""Functions that ask whether a call is like another one, and take it apart in one go.

They are made for a signature, and spare the calls that have it to make their own.

>>> weights = {"w": np.ones(3), "n": 2}
>>> unpacking = unpacking_of((weights,), {}, ())
>>> take = unpacking.take()
>>> take(({"w": np.zeros(3), "n": 2},), {}, ())
[array([0., 0., 0.]), 2]
>>> take(({"w": np.zeros(4), "n": 2},), {}, ())
>>> print("\\n".join(unpacking.lines))
if kwargs or bound or len(args) != 1:
    return MISS
(i1,) = args
if type(i1) is not dict or tuple(i1) != ('w', 'n'):
    return MISS
if [*map(type, i1)] != kinds_1:
    return MISS
(i2, i3,) = i1.values()
if type(i2) is not ndarray or i2.shape != (3,):
    return MISS
if i2.dtype is not dtype_2 and i2.dtype != dtype_2:
    return MISS
if type(i3) is not int or i3 != 2:
    return MISS
>>> unpacking.leaves
['i2', 'i3']
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import combinations
from textwrap import indent
from typing import Any

import numpy as np

from srcgrad.errors import PACKAGE
from srcgrad.policy import MOST_IN_PAIRS
from srcgrad.pytree import flatten, is_leaf
from srcgrad.tape.function import VOLATILE
from srcgrad.tape.variable import Variable
from srcgrad.tracing.environment.environment_matrix import is_sparse
from srcgrad.tracing.environment.objects import is_looked_into
from srcgrad.tracing.environment.signature import KEYED_BY_VALUE, NUMPY_KINDS

# The leaves of a call's arguments, or None where it has another signature. Whether
# gradients are on is not asked: there is one for each.
Take = Callable[[Any, Any, Any], "list[Any] | None"]


class _UnknownKindError(Exception):
    """What only a signature can tell apart."""


def unpacking_of(args: Any, kwargs: Any, bound: Any) -> "Unpacking | None":
    """How calls like this one are taken apart; None for arguments of other kinds."""
    try:
        return Unpacking(args, kwargs, bound)
    except _UnknownKindError:
        return None


def _check_keys(table: Iterable[Any]) -> None:
    """Accept texts only: what is derived from these may be written as it likes."""
    if not all(type(key) is str for key in table):
        raise _UnknownKindError


# What is larger has more digits than Python writes, and is given to the function.
MOST_BITS = 256


# Of all code that is made here: a frame of it is not the user's.
FILENAME = f"{PACKAGE}<a call taken apart>"


class Unpacking:
    """The statements that do it, as the keys of signatures are made.

    Attributes
    ----------
    lines : list of str
        They take ``args``, ``kwargs`` and ``bound``, and return ``MISS`` if these are
        of another signature.
    leaves : list of str
        The names that the leaves have got.
    raws : list of str
        The same, with a Variable's array or number in its place.
    edges : dict
        The names of the edges of those leaves that are Variables.
    scope : dict
        What else they take.
    """

    def __init__(self, args: Any, kwargs: Any, bound: Any) -> None:
        self.lines: list[str] = []
        self.leaves: list[str] = []
        self.raws: list[str] = []
        self.edges: dict[str, str] = {}
        self.scope: dict[str, Any] = {"ndarray": np.ndarray}
        self._count = 0
        self._held: list[Any] = []
        _check_keys(kwargs)
        tests = [
            f"tuple(kwargs) != {tuple(kwargs)}" if kwargs else "kwargs",
            f"len(bound) != {len(bound)}" if bound else "bound",
            f"len(args) != {len(args)}",
        ]
        self._require(" or ".join(tests))
        self._items(args, "args")
        self._items(kwargs.values(), "kwargs.values()")
        self._items(bound, "bound")
        self._tell_apart()

    def take(self) -> Take:
        """The function that gives the leaves of a call."""
        lines = [*self.lines, f"return [{', '.join(self.leaves)}]"]
        return self.function("take(args, kwargs, bound)", lines, {"MISS": None})

    def function(
        self, head: str, lines: Iterable[str], given: Mapping[str, Any]
    ) -> Callable[..., Any]:
        """Make a function of a call's arguments of statements."""
        source = f"def {head}:\n" + indent("\n".join(lines), "    ")
        scope = {**self.scope, **given}
        name = head.partition("(")[0]
        exec(compile(source, FILENAME, "exec", dont_inherit=True), scope)
        # Else it would be a cycle.
        return scope.pop(name)  # type: ignore[no-any-return]

    def _require(self, otherwise: str) -> None:
        self.lines += [f"if {otherwise}:", "    return MISS"]

    def _items(self, items: Iterable[Any], source: str) -> None:
        """Name what is in a container, of which the number of items is right."""
        named = []
        for item in items:
            self._count += 1
            named.append((f"i{self._count}", item))
        if named:
            self.lines.append(f"({', '.join(n for n, _ in named)},) = {source}")
        for name, item in named:
            self._item(name, item)

    def _item(self, name: str, item: Any) -> None:
        kind = type(item)
        if kind is tuple or kind is list:
            test = f"type({name}) is not {kind.__name__} or len({name}) != {len(item)}"
            self._require(test)
            self._items(item, name)
        elif kind is dict:
            _check_keys(item)
            self._require(f"type({name}) is not dict or tuple({name}) != {tuple(item)}")
            # A key of a class derived from `str` may be equal to a text.
            kinds = self._given([str] * len(item), "kinds")
            self._require(f"[*map(type, {name})] != {kinds}")
            self._items(item.values(), f"{name}.values()")
        elif kind is Variable:
            self._variable(name, item)
        else:
            self._leaf(name, item)
            self.leaves.append(name)
            self.raws.append(name)

    def _leaf(self, name: str, item: Any) -> None:
        self._require(self._test_of_leaf(name, item))
        if type(item) is np.ndarray:
            # Mostly there is one object for a dtype: to compare two takes longer.
            dtype = self._given(item.dtype, "dtype")
            self._require(f"{name}.dtype is not {dtype} and {name}.dtype != {dtype}")

    def _variable(self, name: str, item: Variable) -> None:
        """A Variable: what it holds, and whether it requires grad."""
        if any(item.value is other for other in self._held):
            raise _UnknownKindError  # see `_tell_apart`
        self._held.append(item.value)
        raw, edge = f"raw_{name}", f"edge_{name}"
        self._require(f"type({name}) is not {self._given(Variable, 'kind')}")
        self.lines += [f"{raw} = {name}.value", f"{edge} = {name}.edge"]
        if type(item.value) is np.ndarray:
            self._leaf(raw, item.value)
        else:
            kind = self._given(type(item.value), "kind")
            self._require(f"type({raw}) is not {kind}")
        volatile = self._given(VOLATILE, "volatile")
        if item.edge is None:
            self._require(f"{edge} is not None")
        elif item.edge is VOLATILE:
            self._require(f"{edge} is not {volatile}")
        else:
            self._require(f"{edge} is None or {edge} is {volatile}")
        self.leaves.append(name)
        self.raws.append(raw)
        self.edges[name] = edge

    def _tell_apart(self) -> None:
        """Require that no two Variables have one array: such calls are seldom."""
        names = [f"raw_{name}" for name in self.edges]
        if len(names) > MOST_IN_PAIRS:
            ids = ", ".join(f"id({name})" for name in names)
            self._require(f"len({{{ids}}}) != {len(names)}")
        elif len(names) > 1:
            pairs = combinations(names, 2)
            self._require(" or ".join(f"{a} is {b}" for a, b in pairs))

    def _test_of_leaf(self, name: str, leaf: Any) -> str:
        kind = type(leaf)
        if leaf is None:
            return f"{name} is not None"
        if kind is np.ndarray:
            return f"type({name}) is not ndarray or {name}.shape != {leaf.shape}"
        if kind is int and leaf.bit_length() > MOST_BITS:
            return f"type({name}) is not int or {name} != {self._given(leaf, 'number')}"
        if kind in KEYED_BY_VALUE:
            return f"type({name}) is not {kind.__name__} or {name} != {leaf!r}"
        is_object = is_leaf(flatten(leaf)[1]) and (
            is_looked_into(leaf) or is_sparse(leaf)
        )
        if kind is float or kind in NUMPY_KINDS or is_object:
            return f"type({name}) is not {self._given(kind, 'kind')}"
        raise _UnknownKindError

    def _given(self, item: Any, hint: str) -> str:
        """What the function calls an object; the hint is code, and ours."""
        for name, given in self.scope.items():
            if given is item:
                return name
        name = f"{hint}_{len(self.scope)}"
        self.scope[name] = item
        return name
