"""``LoopState``: what a loop may change, and the Variables of the graph in that.

That is what the names hold that it binds, the arrays and lists that it writes into, and
what counts it down. What it holds has a form, which Python sees, and Variables, in the
places of which others can be put.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from srcgrad.tape.function import VOLATILE, has_edge
from srcgrad.tape.variable import Variable
from srcgrad.tracing.arrays.functional_array import FunctionalArray, FunctionalView
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.counts.collected import Collected
from srcgrad.tracing.counts.loop_counts import LoopCount
from srcgrad.tracing.environment.class_members import is_slot
from srcgrad.tracing.environment.trust import HOLDERS
from srcgrad.transforms.loops.iterations import meta_of

CONSTANT = frozenset({int, float, complex, bool, str, bytes, type(None), range})


class Unfit(Exception):  # noqa: N818 (no fault)
    """Something is there that has no form."""


class Head(NamedTuple):
    """What is there when an iteration begins: its form, and the Variables in that."""

    form: Any
    leaves: list[Any]


class LoopState:
    """``look`` knows the names of a loop, ``filled`` are the lists that it fills.

    Attributes
    ----------
    instead : dict
        What is put in the place of some objects, whatever else would be.
    """

    def __init__(self, recorder: Any, look: Any, filled: Sequence[Collected]) -> None:
        self._recorder, self._look, self._filled = recorder, look, filled
        self._names = look.bound[0]
        self.instead: dict[int, Any] = {}
        # The last items of lists that parameters stand for, and whether no more do.
        self._lent: list[tuple[Collected, int, Any]] = []
        self._is_over = False
        # The arrays that stand for others, which somebody else may hold if the loop has
        # put something into a container before.
        self._made: list[FunctionalArray] = []
        self._may_be_held = look.has_stored()
        # And the objects, of which the look tells whether they are changed.
        self._objects: list[Any] = []

    @property
    def is_lost(self) -> bool:
        """Whether something was written into that stands for something else."""
        if not self._may_be_held:
            return False
        changed = self._look.changed
        return any(each.changes for each in self._made) or any(
            id(each) in changed for each in self._objects
        )

    def _items(self) -> dict[Any, Any]:
        """What the loop may change, by name."""
        known, look = self._look.frame.f_locals, self._look
        items: dict[Any, Any] = {}
        if isinstance(look.left, Variable):
            items["left",] = look.left
        items.update((n, known[n]) for n in self._names if n in known)
        items.update((("array", k), each) for k, each in look.written().items())
        items.update((("list", k), each) for k, each in enumerate(self._filled))
        items.update(
            (("object", k), each)
            for k, each in enumerate(self._look.changed.values())
            if self._look.is_old(each)
        )
        return items

    def look_at(self) -> Head:
        leaves: list[Any] = []
        seen: dict[int, int] = {}
        form = [
            (name, self._form(item, leaves, seen))
            for name, item in self._items().items()
        ]
        return Head(form, leaves)

    def _form(self, item: Any, leaves: list[Any], seen: dict[int, int]) -> Any:
        """What Python sees of something; Variables of the graph go to a list."""
        kind = type(item)
        if kind in CONSTANT or isinstance(item, np.generic):
            return kind, repr(item)
        if is_tuple(item):
            return kind, *(self._form(each, leaves, seen) for each in item)
        if kind is TracedArray or kind is Variable:
            if item.edge is VOLATILE:
                raise Unfit
            if id(item) in seen:
                return kind, seen[id(item)]
            seen[id(item)] = len(seen)
            leaves.append(item)
            value = self._recorder.writer.value_of(item)
            return kind, meta_of(value), has_edge(item)
        if kind is LoopCount:
            kinds = item.name, item.is_product, item.is_small, item.may_grow
            if item.index is not None or item.of is not None:
                raise Unfit
            return kind, kinds, self._form(item.as_float(), leaves, seen)
        if kind is Collected:
            return kind, id(item), item.is_plain, *self._of_list(item, leaves, seen)
        is_object = self._look.is_object(item)
        if kind not in (list, dict, FunctionalArray) and not is_object:
            if isinstance(item, FunctionalView):
                raise Unfit
            self._look.hold(item)
            return kind, id(item)
        # What may be changed: which of those that are there it is.
        if id(item) in seen:
            return kind, seen[id(item)]
        seen[id(item)] = len(seen)
        self._look.hold(item)
        if self._is_as_it_was(item):
            return kind, *map(id, self._parts_of(item))
        if kind is list:
            return kind, *(self._form(each, leaves, seen) for each in item)
        if kind is dict:
            values = [self._form(each, leaves, seen) for each in item.values()]
            return kind, *map(repr, item), *values
        own: Any = id(item) if self._look.is_old(item) else None
        if is_object:
            values = [self._form(v, leaves, seen) for v in self._attributes(item)]
            return kind, own, *vars(item), *values
        content = item.content
        if type(content) is np.ndarray and not self._recorder.knows(content):
            own_bytes = content.shape, content.dtype.str, content.tobytes()
            return kind, own, own_bytes
        return kind, own, self._form(content, leaves, seen)

    def _is_as_it_was(self, item: Any) -> bool:
        """Whether something was there before the loop, which does not write into it."""
        written = [*self._look.written().values(), *self._look.changed.values()]
        return self._look.is_old(item) and not any(each is item for each in written)

    def _attributes(self, item: Any) -> list[Any]:
        """What an object holds that has nothing but attributes."""
        objects = self._look.objects
        kind = objects.kind_of(item)
        if kind in HOLDERS or id(item) in objects.opened or not has_dict_alone(kind):
            raise Unfit
        return [*vars(item).values()]

    def _parts_of(self, item: Any) -> list[Any]:
        """Something, and what it holds: all of it lives on."""
        if self._look.is_object(item):
            held = self._attributes(item)
        else:
            held = [item.content] if type(item) is FunctionalArray else [*item]
            held += item.values() if type(item) is dict else ()
        self._look.hold(held)
        return [item, *held]

    def _of_list(
        self, filled: Collected, leaves: list[Any], seen: dict[int, int]
    ) -> Iterator[Any]:
        """What a list goes on with: its array, and its last item if that is read."""
        if not any(filled is each for each in self._filled):
            raise Unfit
        if filled.state is not None:
            yield self._form(filled.state, leaves, seen)
        if filled.is_read:
            yield self._form(filled.items[-1], leaves, seen)

    def put(self, new: Iterator[Any]) -> None:
        """Put other Variables where those are that the loop changes."""
        seen: dict[int, Any] = {}
        for name, item in self._items().items():
            made = self._with(item, new, seen)
            if name == ("left",):
                self._look.left = made
            elif made is not item:
                self._recorder.rebound[name] = made

    def _with(self, item: Any, new: Iterator[Any], seen: dict[int, Any]) -> Any:
        kind = type(item)
        if is_tuple(item):
            parts = [self._with(each, new, seen) for each in item]
            if not any(map(_differ, parts, item)):
                return item
            return tuple(parts) if kind is tuple else kind._make(parts)
        if id(item) in seen:
            return seen[id(item)]
        if kind is TracedArray or kind is Variable:
            other = next(new)
            seen[id(item)] = self.instead.get(id(item), other)
            return seen[id(item)]
        if kind is LoopCount:
            return item.with_float(self._with(item.as_float(), new, seen))
        is_object = self._look.is_object(item)
        if kind not in (list, dict, FunctionalArray, Collected) and not is_object:
            return item
        if kind is not Collected and self._is_as_it_was(item):
            return item
        seen[id(item)] = item
        if kind is Collected:
            if item.state is not None:
                item.go_on_with(self._with(item.state, new, seen))
            if item.is_read:
                self._lend(item, self._with(item.items[-1], new, seen))
            return item
        made: Any = None
        if is_object:
            return self._object_with(item, new, seen)
        if kind is FunctionalArray:
            other = self._array_with(item, new, seen)
            made = self.instead.get(id(item), other)
        elif kind is list:
            made = [self._with(each, new, seen) for each in item]
        elif kind is dict:
            made = {key: self._with(each, new, seen) for key, each in item.items()}
        seen[id(item)] = made
        return made

    def _array_with(
        self, item: FunctionalArray, new: Iterator[Any], seen: dict[int, Any]
    ) -> FunctionalArray:
        """An array with another content: another one, if the loop makes it anew."""
        if not self._is_in_graph(item.content):
            return item
        content = self._with(item.content, new, seen)
        if self._look.is_old(item):
            item.replace(content)
            return item
        made = FunctionalArray(content)
        made.name = item.name
        self._made.append(made)
        return made

    def _object_with(self, item: Any, new: Iterator[Any], seen: dict[int, Any]) -> Any:
        """An object with other attributes: another one, if the loop makes it anew."""
        made = item
        if not self._look.is_old(item):
            made = self._look.objects.another(item)
            self._objects.append(made)
        seen[id(item)] = made
        for name, value in [*vars(item).items()]:
            vars(made)[name] = self._with(value, new, seen)
        return made

    def _lend(self, filled: Collected, parameter: Any) -> None:
        """Have a parameter as the last item of a list while the iteration runs."""
        if self._is_over:
            return  # the last item is that of the loop
        self._lent.append((filled, len(filled.items) - 1, filled.items[-1]))
        filled.items[-1] = parameter

    def take_back(self) -> None:
        """Have the last items again that there were."""
        self._is_over = True
        for filled, place, item in self._lent:
            filled.items[place] = item

    def _is_in_graph(self, content: Any) -> bool:
        return type(content) is not np.ndarray or self._recorder.knows(content)


def is_tuple(item: Any) -> bool:
    """Whether something is a tuple, or a namedtuple, and nothing else."""
    kind = type(item)
    return kind is tuple or (isinstance(item, tuple) and hasattr(kind, "_make"))


def has_dict_alone(kind: type) -> bool:
    """Whether all that objects of a class hold stands in their ``__dict__``."""
    return not any(is_slot(m) for base in kind.__mro__ for m in vars(base).values())


def _differ(one: Any, other: Any) -> bool:
    return one is not other
