"""``Lookups``: the names, attributes and texts of one function that is recorded.

What is outside is entered, or made sure of; see ``reads``.
"""

import builtins
import contextlib
import enum
import logging
import operator
from collections import ChainMap
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from srcgrad.protocols import ArrayProtocol, meant
from srcgrad.rules.compressed import Compressed
from srcgrad.tape.function import Function
from srcgrad.tape.methods.writing import Writable
from srcgrad.tracing.algorithms.solving import Found
from srcgrad.tracing.arrays.replacements import is_unbound
from srcgrad.tracing.counts.of_lengths import selected_shape
from srcgrad.tracing.outside import attribute_dicts, conditions
from srcgrad.tracing.outside.attribute_dicts import AttributeDict
from srcgrad.tracing.outside.changing_ints import FollowedInt
from srcgrad.tracing.outside.containers import KINDS, Followed, FollowedSet
from srcgrad.tracing.outside.draws import DRAWS, GENERATORS
from srcgrad.tracing.outside.members import member_of
from srcgrad.tracing.outside.objects import Parent
from srcgrad.tracing.outside.outside_matrix import matrix_member
from srcgrad.tracing.outside.places import Attribute, Cell, Global, Known
from srcgrad.tracing.outside.texts import Text, is_live, of_parts
from srcgrad.tracing.outside.trust import (
    FOLLOWED,
    LOOKING,
    PLAIN_TYPES,
    is_added,
    is_code,
    is_constant,
    is_library,
    is_library_function,
    is_namedtuple,
    is_text,
    says_of_itself,
)
from srcgrad.tracing.outside.with_statements import (
    OF_STACKS,
)
from srcgrad.tracing.refusal import give_up
from srcgrad.tracing.watching.attributes import CALLED, Getter
from srcgrad.tracing.watching.comprehending import Comprehending
from srcgrad.tracing.watching.effects import all_as_told
from srcgrad.tracing.watching.user_functions import FOLLOWED_OF_CONTEXT, is_apply

# What may be called of a Logger: it is an effect.
LOGGING = frozenset("debug info warning error critical exception log".split())
# What it is asked.
ASKING = frozenset("isEnabledFor getEffectiveLevel hasHandlers".split())
# Those of Python itself; what else is put there may change.
BUILTINS = dict(vars(builtins))


class Lookups(Comprehending):
    """What the instrumented copy calls where something is read."""

    def outside(self, name: str, value: Any) -> Any:
        """A name that the function does not bind itself."""
        cell = self._cells.get(name)
        namespace: Any = self._globals if cell is None else cell
        return self._reads.remembered(
            (id(namespace), name), lambda: self._entered(name, cell, value)
        )

    def outside_attribute(self, name: str, value: Any, attr: str) -> Any:
        """An attribute of what such a name is: ``np.sin``."""
        return self.attribute(self.outside(name, value), attr)

    def counter(self, name: str, value: Any) -> Any:
        """The same of a name that is about to be changed: ``n += 1``."""
        self._reads.expects_change(name)
        return self.outside(name, value)

    def _entered(self, name: str, cell: CellType | None, value: Any) -> Any:
        if cell is not None:
            return self._reads.enter(Cell(name, cell), value)
        if name in self._globals:
            return self._reads.enter(Global(name, self._globals), value)
        self._reads.require(conditions.is_global_still_missing(name, self._globals))
        if vars(builtins).get(name) is value and value is not BUILTINS.get(name):
            return self._reads.enter(
                Attribute(Known("builtins", builtins), name), value
            )
        return value

    def attribute(self, item: Any, name: str) -> Any:
        """``item.name``"""
        if self._reads.held:
            self._reads.held.check(item, name)
        if isinstance(item, FollowedInt):
            item = item.seen()
        if isinstance(item, ArrayProtocol):
            self._recorder.writer.note_asked((item,))
            told = selected_shape(self._recorder, item, name)
            if told is None:
                told = self._recorder.lengths.attribute(item, name)
            if told is not None:
                return told
            return self._array_attribute(item, name)
        if type(item) is Found:
            return item.member(name)
        if isinstance(item, GENERATORS):
            if name not in DRAWS:
                give_up(f"uses `{name}` of a random generator")
            return getattr(item, name)
        if isinstance(item, Parent):
            return item.attribute(name)
        if isinstance(item, Compressed):
            return matrix_member(item, name)
        if self._reads.twins.is_own(item):
            return self._reads.twins.attribute(item, name)
        is_array = type(item) is np.ndarray  # of texts
        if not is_array and self._reads.place_of(item) is not None:
            found = self._reads.attribute(item, name)
            return self._got(found, name) if type(found) is Getter else found
        if type(item) is AttributeDict:
            return attribute_dicts.attribute(self, item, name)
        value = getattr(item, name)
        if isinstance(item, ModuleType):
            return self._member(item, name, value)
        if isinstance(item, type) and item.__module__ == "builtins":
            return value
        if isinstance(item, type) and not is_library_function(item):
            return self._reads.class_attribute(item, name, value)
        if isinstance(item, (Followed, FollowedSet, Text)):
            return value
        if isinstance(item, logging.Logger):
            is_known = name in LOGGING or name in ASKING
            return value if is_known else give_up(f"reads `{name}` of a Logger")
        if isinstance(item, enum.Enum):
            return self._reads.member_attribute(item, name, value)
        if type(item) is contextlib.ExitStack and name in OF_STACKS:
            return value
        if says_of_itself(item, name) or type(item) is ChainMap:
            return value
        if isinstance(item, FunctionType) and not is_library_function(item):
            return self._reads.function_attribute(item, name, value)
        if isinstance(item, PLAIN_TYPES):
            base, member = member_of(type(item), name)
            if is_namedtuple(base) and isinstance(member, (FunctionType, property)):
                return self._reads.twins.found(item, base, member, name)
            if is_added(item, name):
                give_up(f"reads the attribute `{name}` of a {type(item).__name__}")
            if name not in LOOKING and id(item) in self._reads.containers:
                give_up(f"changes an argument by `.{name}`")
            return value
        if is_library_function(item):
            return self._member_of_library(item, name, value)
        if id(item) in self._reads.contexts and name in FOLLOWED_OF_CONTEXT:
            return value
        if is_apply(value):
            return value
        self._refuse_user_function(item)
        return give_up(f"reads the attribute `{name}` of an object")

    def _got(self, found: Getter, name: str) -> Any:
        """What a property gives; of a cached one it is an attribute from then on."""
        value = self.call(MethodType(found.function, found.item), *found.names)
        if found.is_kept:
            self.changes()
            self._reads.set_attribute(found.item, name, value)
        return value

    def _array_attribute(self, item: ArrayProtocol, name: str) -> Any:
        if item.stands_for_array:
            # Or the error that the ndarray raises.
            found = getattr(meant(item.value), name)
            return found if name == "__class__" else getattr(item, name)
        is_change = name.endswith("_") and hasattr(Writable, name)  # `exp_`
        if not (hasattr(np.ndarray, name) or name in FOLLOWED or is_change):
            give_up(f"uses `{name}` of a Variable, which is the tape's")
        return getattr(item, name)

    def _member(self, module: ModuleType, name: str, value: Any) -> Any:
        if is_library(module):
            return self._member_of_library(module, name, value)
        place = Attribute(Known(module.__name__, module), name)
        return self._reads.remembered(
            (id(vars(module)), name), lambda: self._reads.enter(place, value)
        )

    def _member_of_library(self, owner: Any, name: str, value: Any) -> Any:
        """Code and constants are made sure of, and data may change."""
        namespace = getattr(owner, "__dict__", {})
        text = getattr(owner, "__name__", type(owner).__name__)
        is_own = namespace.get(name) is value
        if is_unbound(value):  # a class of NumPy's cannot be changed
            return value
        if isinstance(owner, type) and name in CALLED:
            return value
        if is_code(value):
            if is_own:  # somebody may put a function of his own there
                self._reads.stays(owner, text, name, value)
            return value
        if is_own and type(value) in KINDS:
            place = Attribute(Known(text, owner), name)
            return self._reads.remembered(
                (id(namespace), name), lambda: self._reads.enter(place, value)
            )
        if not is_constant(value) or not is_own:
            give_up(f"reads `{text}.{name}`, which may change")
        self._reads.stays(owner, text, name, value)
        return value

    def formatted(self, *parts: Any) -> Any:
        """An f-string, of texts and of ``(value, conversion, spec)``."""
        values = [part if type(part) is str else part[0] for part in parts]
        is_plain = all(type(part) is str or part[1] != "r" for part in parts)
        return self._text(of_parts, parts, {}, values, is_plain)

    def _text(
        self, function: Any, args: Any, kwargs: Any, values: Any, is_plain: bool = True
    ) -> Any:
        """A text that a function makes of its arguments, ``values`` among them."""
        if any(map(is_live, values)):
            if not is_plain and any(map(_has_place_on_tape, values)):
                give_up("tells of the `grad_fn` of a Variable")
            return Text(function, tuple(map(all_as_told, args)), all_as_told(kwargs))
        self._reads.look_at([*values])
        if not is_text([*values]):
            give_up("makes a text of an array, which depends on NumPy's print options")
        return function(*args, **kwargs)

    def remainder(self, first: Any, second: Any) -> Any:
        """``first % second``"""
        if isinstance(first, (str, Text)):
            values = [second, *(second if type(second) is tuple else ())]
            is_plain = type(first) is str and "%r" not in first and "%a" not in first
            return self._text(operator.mod, (first, second), {}, values, is_plain)
        if isinstance(first, bytes):
            self._reads.look_at(second)
        return first % second

    def _refuse_user_function(self, item: Any) -> None:
        if isinstance(item, type) and issubclass(item, Function):
            give_up(f"calls {item.__name__}, a Function of the user's own")


def _has_place_on_tape(item: Any) -> bool:
    return isinstance(item, ArrayProtocol) and not item.stands_for_array
