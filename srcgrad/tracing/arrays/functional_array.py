"""``FunctionalArray``: an array that a followed function has made, and may write into.

It stands for its content: an ndarray, or, once a Variable was stored in it, a Variable.
All names of the array, and all containers that hold it, hold the one
``FunctionalArray``; so a
write replaces the content, and everybody sees it. A part of it that NumPy would make a
view is a ``FunctionalView``, which knows how to take its content from the whole, and
writes
into that.

>>> from srcgrad import Variable
>>> h = FunctionalArray(np.zeros(3))
>>> tail = h[1:]
>>> tail[0] = Variable(np.array(2.0), requires_grad=True) * 3.0
>>> h.content
Variable containing:
array([0., 6., 0.])
[grad_fn=<AssignBackward>]
"""

import functools
import itertools
import operator
import sys
import weakref
from collections import UserList, deque
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.facts import Operation, facts_of
from srcgrad.modes import state
from srcgrad.operators import BINARY_OPERATORS
from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.pytree import flatten, unflatten
from srcgrad.tape.apply import apply
from srcgrad.tape.function import has_edge
from srcgrad.tape.inplace import can_hold, check_matmul
from srcgrad.tape.operands import joined, unwrap, variables_in
from srcgrad.tape.variable import Variable
from srcgrad.tape.versions import Storage, is_view
from srcgrad.tracing.arrays.mutation import assigned
from srcgrad.tracing.refusal import give_up
from srcgrad.views import is_basic

ARRAY_NUMBERS = itertools.count()


class FunctionalArray(ArrayProtocol):
    """An array made inside a followed function; ``content`` is what it holds now."""

    __slots__ = (
        *("__weakref__", "_content", "_views"),
        *("changes", "has_own_memory", "name", "number"),
    )

    stands_for_array = True

    def __init__(self, content: Any) -> None:
        self._content = content
        # How often the content was replaced: views look at it again then.
        self.changes = 0
        # Those that hold what they have seen of it, in a recording.
        self._views: list[weakref.ref[FunctionalView]] = []
        # Whether a write has made the content: nothing else lies in its memory.
        self.has_own_memory = False
        # What the user calls it, for a recording.
        self.name: str | None = None
        # Of two the older one has the smaller one.
        self.number = next(ARRAY_NUMBERS)

    @property
    def content(self) -> Any:
        """An ndarray, or a Variable."""
        return self._content

    @property
    def root(self) -> "FunctionalArray":
        """The whole array."""
        return self

    # ----- Being what it stands for -----

    @property
    def value(self) -> Any:
        """The ndarray itself."""
        return raw_of(self.content)

    @property
    def edge(self) -> Any:
        """The place in the graph."""
        return getattr(self.content, "edge", None)

    @property
    def storage(self) -> Any:
        """The version counter of the content."""
        return getattr(self.content, "storage", None)

    def own_storage(self) -> Storage:
        """The same, made when first asked for."""
        content = self.content
        return content.own_storage() if isinstance(content, Variable) else Storage()

    @staticmethod
    def make(value: Any, edge: Any) -> Any:
        """Wrap what was computed from such arrays alone."""
        return value if edge is None else Variable.make(value, edge)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.content, name)

    def _call(self, function: Operation, args: Any, kwargs: Any) -> Any:
        operands = contents(args)
        if isinstance(function, np.ufunc):  # `h * [x, 1.0]`
            operands = map(joined, operands)
        result = function(*operands, **contents(kwargs))
        if not facts_of(function).view:
            return result

        def take(content: Any) -> Any:
            """The same of other content."""
            others = [content if arg is self else arg for arg in args]
            named = {k: content if arg is self else arg for k, arg in kwargs.items()}
            return function(*contents(others), **contents(named))

        return self._viewed(result, take)

    def _viewed(self, result: Any, take: Callable[[Any], Any]) -> Any:
        """A result, as a view where it is one of the content."""
        if isinstance(result, (tuple, list)):
            parts = [
                self._viewed(each, _element_of(take, k))
                for k, each in enumerate(result)
            ]
            return type(result)(parts)
        return (
            FunctionalView(self, take)
            if is_view(raw_of(result), self.value)
            else result
        )

    def __getitem__(self, index: Any) -> Any:
        index = contents(index)
        if state.recorder is None:
            index = unwrap(index)  # of integers, which have no gradient
        take = functools.partial(_item, index=index)
        part = take(self.content)
        if is_basic(_with_numbers(index)) and isinstance(raw_of(part), np.ndarray):
            return FunctionalView(self, take, index)
        return _fresh(part)

    @property
    def flat(self) -> Any:
        """All elements in order, which may be written, however they lie in memory."""
        found = FunctionalView(self, lambda content: content.reshape(-1))
        found.repeats = True
        return found

    @flat.setter
    def flat(self, values: Any) -> None:
        self[...] = np.resize(array_of(values), self.shape)

    @property
    def real(self) -> Any:
        """``ndarray.real``, which may be written."""
        return super().real

    @real.setter
    def real(self, value: Any) -> None:
        (super().real if self.dtype.kind == "c" else self)[...] = value

    @property
    def imag(self) -> Any:
        """``ndarray.imag``, which may be written."""
        return super().imag

    @imag.setter
    def imag(self, value: Any) -> None:
        if self.dtype.kind != "c":
            raise TypeError("array does not have imaginary part to set")
        super().imag[...] = value

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self.content, dtype=dtype, copy=copy)

    def __bool__(self) -> bool:
        return bool(self.content)

    def __float__(self) -> float:
        return float(self.content)

    def __int__(self) -> int:
        return int(self.content)

    def __complex__(self) -> complex:
        return complex(self.content)

    def __index__(self) -> int:
        return operator.index(self.content)

    def __hash__(self) -> int:
        raise TypeError("unhashable type: 'numpy.ndarray'")

    def __repr__(self) -> str:
        return repr(self.content)

    def __str__(self) -> str:
        return str(self.content)

    def __format__(self, spec: str) -> str:
        return format(self.content, spec)

    def __copy__(self) -> "FunctionalArray":
        return FunctionalArray(np.copy(self.content))

    def __deepcopy__(self, memo: Any) -> "FunctionalArray":
        return self.__copy__()

    # ----- Writing -----

    def replace(self, content: Any) -> None:
        """Hold something else of the same shape and dtype from now on."""
        self._content = content
        self.changes += 1
        self.has_own_memory = False

    def let_out(self) -> None:
        """Somebody may go on looking at the memory: writes go to another from now."""
        self.root.has_own_memory = False

    def hold_view(self, view: "FunctionalView") -> None:
        """A view holds what it has seen, which is no longer so after a write."""
        self._views.append(weakref.ref(view))

    def _release_views(self) -> None:
        for reference in self._views:
            view = reference()
            if view is not None:
                view.release()
        self._views.clear()

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(value, FunctionalView) and value.is_part_of(self, index):
            return  # the end of `h[1:] += v`
        index, value = contents(index), array_of(value)
        if type(self._content) is np.ndarray and not variables_in((index, value)):
            self.to_write(value)[index] = value
            return
        self._release_views()
        self.rewrite(assigned(self, index, value))
        self.has_own_memory = True

    def to_write(self, value: Any = None) -> Any:
        """The ndarray, to be written into; of ``value``, maybe a part of it.

        What others hold, nodes of the tape above all, stays as it was.
        """
        if self._is_held(value):
            self.replace(self._content.copy("K"))
        return self._content

    def _is_held(self, value: Any) -> bool:
        array, base = self.holders()
        if type(value) is np.ndarray and value.base is not None:
            array -= value.base is self._content
            base -= value.base is self._content.base
        return array > ARRAY_ALONE or base > BASE_ALONE

    def holders(self) -> tuple[int, int]:
        """How often the ndarray, and what that is a view of, are referred to."""
        content = self._content
        base = content.base
        return sys.getrefcount(content), 0 if base is None else sys.getrefcount(base)

    def rewrite(self, content: Any) -> None:
        """``replace``, as a write of the user's."""
        if state.recorder is not None:
            state.recorder.replaced(self.content, content)
        self.replace(content)

    def fill(self, value: Any) -> None:
        """``ndarray.fill``."""
        self[...] = value

    def sort(self, axis: int = -1, **kwargs: Any) -> None:
        """``ndarray.sort``."""
        self[...] = np.sort(self.content, axis, **kwargs)

    def partition(self, *args: Any, **kwargs: Any) -> None:
        """``ndarray.partition``."""
        self[...] = np.partition(self.content, *args, **kwargs)

    def put(self, ind: Any, v: Any, mode: Any = "raise") -> None:
        """``ndarray.put``."""
        places = np.arange(self.size)
        np.put(places, ind, -1 - np.arange(np.size(ind)), mode)
        written = np.flatnonzero(places < 0)
        values = np.ravel(contents(v))
        self.flat[written] = values[(-1 - places[written]) % values.size]

    def view(self, *kinds: Any, **named: Any) -> "FunctionalArray":
        """``ndarray.view``"""
        if not kinds and not named:
            return FunctionalView(self, lambda content: content, ...)
        if state.recorder is not None:
            give_up("takes the parts of numbers by `view`")
        return FunctionalView(self, lambda content: content.view(*kinds, **named))

    def update(self, function: Operation, other: Any) -> "FunctionalArray":
        """``h += other`` and its kin."""
        other = array_of(other)
        if function is np.matmul:
            check_matmul(self, other)
        if type(self.content) is np.ndarray and not variables_in(other):
            content = self.to_write(other)
            function(content, other, out=content)
            return self
        content = self.content
        result: Any = function(content, other)
        if not can_hold(content, result) or not np.can_cast(
            result.dtype, content.dtype, "same_kind"
        ):
            raw = np.array(self.value)
            function(raw, raw_of(other), out=raw)  # NumPy's own error
        is_array = isinstance(raw_of(result), np.ndarray)  # of () it is a number
        is_alike = is_array and _is_alike(raw_of(result), raw_of(content))
        del content  # what nobody holds need not be copied
        if is_alike:
            self.rewrite(result)
        else:
            self[...] = result
        return self


class FunctionalView(FunctionalArray):
    """A part of a ``FunctionalArray``: ``take`` gets it from the content of the whole.

    ``index`` is where it is, if it was taken by indexing. ``repeats``: it is ``flat``,
    where values that are too few for what they are put into come again.
    """

    __slots__ = ("_index", "_root", "_take", "repeats")

    # Goes up where what was seen last is no longer known.
    looks = 0

    def __init__(
        self, root: FunctionalArray, take: Callable[[Any], Any], index: Any = None
    ) -> None:
        super().__init__(None)
        self._root, self._take, self._index = root, take, index
        self.changes = -1
        self.repeats = False

    @property
    def content(self) -> Any:
        """What is there now."""
        root = self._root
        whole, changes = root.content, root.changes + FunctionalView.looks
        if self._content is None or self.changes != changes:
            part = self._take(whole)
            self.changes = changes
            if type(whole) is np.ndarray:
                self._content = None  # to keep the part would be to hold the whole
                return part
            if isinstance(part, Variable) and state.recorder is None:
                # Later writes must not reach what is computed from it until then.
                part = type(part).make(np.array(part.value), part.edge)
            self._content = part
            if state.recorder is not None:
                self.root.hold_view(self)
                if is_view(raw_of(part), raw_of(whole)):
                    state.recorder.keep(part)
        return self._content

    def release(self) -> None:
        """Hold nothing of what was seen."""
        self._content = None

    @property
    def root(self) -> FunctionalArray:
        """The whole array."""
        return self._root.root

    def is_part_of(self, whole: FunctionalArray, index: Any) -> bool:
        """Whether it is what an index gives of an array."""
        return (
            self._root is whole
            and self._index is not None
            and (self._index is index or _same_index(self._index, index))
        )

    def to_write(self, value: Any = None) -> Any:
        """The part of the whole to be written into."""
        if self._is_of_parts():
            self._check_parts(value)
        self._root.to_write(value)
        return self.content

    def replace(self, content: Any) -> None:
        """Write the whole part."""
        if self._is_of_parts():
            self._check_parts(content)
        self._root[self._index if self._index is not None else self._places()] = content

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(value, FunctionalView) and value.is_part_of(self, index):
            return
        if self.repeats:
            value = self._repeated(index, value)
        if self._is_of_parts():
            value = array_of(value)
            self._check_parts(value)
            self.to_write()[raw_of(contents(index))] = raw_of(value)
            return
        own = self._index
        if own is not None and index is ...:
            self._root[own] = value
        elif _is_of_numbers(own) and is_basic(_with_numbers(contents(index))):
            self._root[_parts_of(own) + _parts_of(contents(index))] = value
        else:
            self._root[_places_at(self._places(), contents(index))] = value

    def _repeated(self, index: Any, value: Any) -> Any:
        values = array_of(value)
        shape = np.shape(raw_of(values))
        room = np.arange(self.size)[unwrap(contents(index))].shape if shape else ()
        return value if shape == room else np.resize(values, room)

    def _is_of_parts(self) -> bool:
        """Whether it has a part of each element: the real ones of complex numbers."""
        return bool(self.dtype != self._root.dtype)

    def _check_parts(self, value: Any) -> None:
        """Refuse what only NumPy writes into parts of elements."""
        if state.recorder is not None:
            give_up("writes into the real or imaginary parts of an array")
        is_lost = any(map(has_edge, variables_in(value)))
        if is_lost or isinstance(self.content, Variable):
            raise TypeError(
                "a Variable is written into the real or imaginary parts of an array: "
                "write `real + 1j * imag` instead"
            )

    def _places(self) -> Any:
        """Where its elements are in the whole: an index."""
        shape = self._root.shape
        numbers = np.arange(self._root.size).reshape(shape)
        return np.unravel_index(self._take(numbers), shape)


def look_again() -> None:
    """Have views look at what they are of: what they have seen is an arm's."""
    FunctionalView.looks = next(ARRAY_NUMBERS)


def is_in_graph(item: Any) -> bool:
    """Whether something is an array that is computed, or comes in."""
    if isinstance(item, FunctionalArray):
        item = item.content
    return isinstance(item, ArrayProtocol)


def _item(content: Any, index: Any) -> Any:
    if type(content) is np.ndarray and variables_in(index):
        return apply(operator.getitem, (content, index), {})
    return content[index]


def _parts_of(index: Any) -> tuple[Any, ...]:
    return index if type(index) is tuple else (index,)


def _is_number(part: Any) -> bool:
    """Whether part of an index is an integer, which may be one in the graph."""
    return isinstance(raw_of(part), (int, np.integer)) and not isinstance(part, bool)


def _is_of_numbers(index: Any) -> bool:
    return index is not None and all(map(_is_number, _parts_of(index)))


def _with_numbers(index: Any) -> Any:
    """An index with any number for those in the graph."""
    return tuple([0 if _is_number(part) else part for part in _parts_of(index)])


def _places_at(places: Any, index: Any) -> Any:
    if any(map(_is_computed, _parts_of(index))):
        give_up("writes into a view at an index that is computed: write into the array")
    return tuple([place[index] for place in places])


def _is_computed(part: Any) -> bool:
    """Whether a part of an index may be another number at another call."""
    recorder = state.recorder
    if recorder is None or not isinstance(part, IN_GRAPH):
        return False
    return isinstance(part, ArrayProtocol) or recorder.knows(part)


# Parts of an index that may be another one at another call.
IN_GRAPH = (ArrayProtocol, np.integer)


def _same_index(first: Any, second: Any) -> bool:
    if type(first) is not type(second) or isinstance(first, IN_GRAPH):
        return first is second
    if isinstance(first, tuple):
        return len(first) == len(second) and all(map(_same_index, first, second))
    return bool(first == second)


def _element_of(take: Callable[[Any], Any], k: int) -> Callable[[Any], Any]:
    return lambda content: take(content)[k]


def _install_augmented() -> None:
    def augmented(function: Operation) -> Operation:
        return lambda self, other: self.update(function, other)

    for own in BINARY_OPERATORS:
        setattr(FunctionalArray, f"__i{own.name}__", augmented(own.ufunc))


_install_augmented()


def _is_alike(first: Any, second: Any) -> bool:
    """Whether two arrays have the same shape and dtype, and lie alike in memory."""
    return all(
        getattr(first, name) == getattr(second, name)
        for name in ("shape", "dtype", "strides")
    )


# What may be such an array, or hold one.
HOLDING_TYPES = (FunctionalArray, tuple, list, dict, slice)


def contents(item: Any) -> Any:
    """An argument with what ``FunctionalArray``s stand for in their places."""
    kind = type(item)
    if issubclass(kind, FunctionalArray):
        return item.content
    if kind is tuple or kind is list:
        if any(issubclass(type(each), HOLDING_TYPES) for each in item):
            return kind([contents(each) for each in item])
    elif kind is dict:
        return {key: contents(each) for key, each in item.items()}
    elif kind is slice:
        return slice(*map(contents, (item.start, item.stop, item.step)))
    return item


def array_of(item: Any) -> Any:
    """The same as an array, if it is a list or a tuple with Variables in it."""
    return joined(contents(plain(item)))


# What NumPy takes for a list, and is none; or a tuple, such as one with names.
HOLDING_SEQUENCES = (list, tuple, deque, UserList)


def plain(item: Any) -> Any:
    """An argument with lists and tuples for what NumPy takes for these."""
    kind = type(item)
    if not issubclass(kind, HOLDING_SEQUENCES):
        return item
    found = [plain(each) for each in item]
    if kind is list or kind is tuple:
        is_same = all(map(operator.is_, found, item))
        return item if is_same else kind(found)
    return tuple(found) if issubclass(kind, tuple) else found


def contents_of(tree: Any) -> Any:
    """The same in containers of all kinds that transforms know, who may keep it."""
    leaves, structure = flatten(tree)
    found = [leaf for leaf in leaves if isinstance(leaf, FunctionalArray)]
    for own in found:
        own.let_out()
    if found:
        tree = unflatten(structure, list(map(contents, leaves)))
    return let_out(tree)


def let_out(items: Any) -> Any:
    """``contents`` of arguments, for who may keep it."""
    kind = type(items)
    if isinstance(items, FunctionalArray):
        items.let_out()
    elif kind in (tuple, list, dict):
        for item in items.values() if kind is dict else items:
            let_out(item)
    return contents(items)


# How often an ndarray is referred to if nobody holds it but the array itself, and what
# it is a view of.
ARRAY_ALONE, BASE_ALONE = FunctionalArray(np.zeros((1, 1)).reshape(1)).holders()


def _fresh(part: Any) -> Any:
    """A copy of some elements, which `h[indices] += v` writes into."""
    is_stand_in = isinstance(part, ArrayProtocol) and part.stands_for_array
    is_array = type(raw_of(part)) is np.ndarray
    return (
        FunctionalArray(part)
        if is_array and (is_stand_in or part is raw_of(part))
        else part
    )
