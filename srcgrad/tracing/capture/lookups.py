"""``Lookups``: the attributes and items that a recorded run reads.

The environment is entered, or made sure of (``captured_reads``).
"""

import builtins
import contextlib
import enum
import logging
import operator
import sys
from collections import ChainMap
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from srcgrad.protocols import ArrayProtocol, meant
from srcgrad.rules.compressed import Compressed
from srcgrad.tape.apply import apply
from srcgrad.tape.methods.writing import Writable
from srcgrad.tape.operands import variables_in
from srcgrad.tracing.algorithms.algorithm_calls import Found
from srcgrad.tracing.arrays.concatenators import concatenated, is_concatenator
from srcgrad.tracing.arrays.functional_array import contents, is_in_graph
from srcgrad.tracing.arrays.replacements import is_unbound
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.capture.attributes import Attributes, Getter
from srcgrad.tracing.capture.captured_reads import NAMES_OF_CALLABLES
from srcgrad.tracing.capture.context import Context
from srcgrad.tracing.capture.list_building import ListBuilding
from srcgrad.tracing.capture.user_functions import (
    FOLLOWED_OF_CONTEXT,
    is_apply,
    refuse_class,
)
from srcgrad.tracing.counts.collected import Collected
from srcgrad.tracing.counts.loop_indices import as_index, has_number
from srcgrad.tracing.counts.of_lengths import selected_shape
from srcgrad.tracing.environment import attribute_dicts
from srcgrad.tracing.environment.array_windows import is_window, window
from srcgrad.tracing.environment.attribute_dicts import AttributeDict
from srcgrad.tracing.environment.class_members import member_of
from srcgrad.tracing.environment.containers import STAND_INS, Followed, FollowedSet
from srcgrad.tracing.environment.draws import DRAWS, GENERATORS
from srcgrad.tracing.environment.environment_matrix import matrix_member
from srcgrad.tracing.environment.objects import Parent
from srcgrad.tracing.environment.references import Attribute, Known
from srcgrad.tracing.environment.symbolic import as_seen, looked_at
from srcgrad.tracing.environment.texts import Text
from srcgrad.tracing.environment.trust import (
    FOLLOWED,
    LOOKING,
    PLAIN_TYPES,
    is_added,
    is_code,
    is_constant,
    is_library,
    is_library_function,
    is_namedtuple,
    says_of_itself,
)
from srcgrad.tracing.environment.with_statements import OF_STACKS
from srcgrad.tracing.refusal import give_up

# What may be called of a Logger: it is an effect.
LOGGING = frozenset("debug info warning error critical exception log".split())
# What it is asked.
LOGGER_QUERIES = frozenset("isEnabledFor getEffectiveLevel hasHandlers".split())
# Those of Python itself; what else is put there may change.
BUILTINS = dict(vars(builtins))


class Lookups:
    """What the instrumented copy calls where something is read."""

    def __init__(
        self, context: Context, list_building: ListBuilding, attributes: Attributes
    ) -> None:
        self._context, self._list_building = context, list_building
        self._attributes = attributes
        self._reads, self._recorder = context.reads, context.recorder

    def attribute(self, item: Any, name: str) -> Any:
        """``item.name``"""
        if self._reads.held:
            self._reads.held.check(item, name)
        item = str(item) if type(item) is Text else looked_at(item)
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
        if not is_array and self._reads.reference_of(item) is not None:
            found = self._attributes.attribute(item, name)
            return self._got(found, name) if type(found) is Getter else found
        if type(item) is AttributeDict:
            return attribute_dicts.attribute(self._context, item, name)
        value = getattr(item, name)
        if isinstance(item, ModuleType):
            return self._member(item, name, value)
        return self._of_python(item, name, value)

    def _of_python(self, item: Any, name: str, value: Any) -> Any:
        """The same of a class, a function, or an object of a library's."""
        if isinstance(item, type) and item.__module__ == "builtins":
            return value
        if isinstance(item, type) and not is_library_function(item):
            return self._reads.class_attribute(item, name, value)
        if isinstance(item, (Followed, FollowedSet)):
            return value
        if isinstance(item, logging.Logger):
            is_known = name in LOGGING or name in LOGGER_QUERIES
            return value if is_known else give_up(f"reads `{name}` of a Logger")
        if isinstance(item, enum.Enum):
            return self._attributes.member_attribute(item, name, value)
        if type(item) is contextlib.ExitStack and name in OF_STACKS:
            return value
        if says_of_itself(item, name) or type(item) is ChainMap:
            return value
        if isinstance(item, FunctionType) and not is_library_function(item):
            return self._attributes.function_attribute(item, name, value)
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
        refuse_class(item)
        return give_up(f"reads the attribute `{name}` of an object")

    def _got(self, found: Getter, name: str) -> Any:
        """What a property gives; of a cached one it is an attribute from then on."""
        value = self._context.call(MethodType(found.function, found.item), *found.names)
        if found.is_kept:
            self._context.changes()
            self._attributes.set_attribute(found.item, name, value)
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
        reference = Attribute(Known(module.__name__, module), name)
        return self._reads.read(vars(module), name, reference, value)

    def _member_of_library(self, owner: Any, name: str, value: Any) -> Any:
        """Code and constants are made sure of, and data may change."""
        namespace = getattr(owner, "__dict__", {})
        text = getattr(owner, "__name__", type(owner).__name__)
        is_own = namespace.get(name) is value
        if is_unbound(value):  # a class of NumPy's cannot be changed
            return value
        if isinstance(owner, type) and name in NAMES_OF_CALLABLES:
            return value
        if is_code(value):
            if is_own:  # somebody may put a function of his own there
                self._reads.stays(owner, text, name, value)
            return value
        if is_own and type(value) in STAND_INS:
            reference = Attribute(Known(text, owner), name)
            return self._reads.read(namespace, name, reference, value)
        if not is_constant(value) or not is_own:
            give_up(f"reads `{text}.{name}`, which may change")
        self._reads.stays(owner, text, name, value)
        return value

    def item(self, item: Any, index: Any) -> Any:
        """``item[index]``"""
        if type(item) is Collected:
            return self._list_building.item_of_list(item, index)
        if self._reads.branching.arm is not None:
            self._reads.branching.arm.look_at_item(item)
        index = self._recorder.lengths.item(item, index)
        if type(item) is np.ndarray and variables_in(index):
            return apply(operator.getitem, (item, index), {})
        if is_changed_by_reading(type(item)):
            self._context.changes()
        if is_window(index) and (part := window(self._reads, item, index)) is not None:
            return part
        if is_in_graph(item):
            return item[as_index(index)]
        if has_number(index):
            return self._item_of_plain(item, index)
        return item[index]

    def _item_of_plain(self, item: Any, index: Any) -> Any:
        """The same of what is not in the graph, and an index that may be there."""
        array = contents(item)
        if type(array) is not np.ndarray or array.dtype.kind != "f":
            return item[as_seen(index)]
        is_number = (len(index) if type(index) is tuple else 1) == array.ndim
        if not is_number and array is not item:  # its rows are written into
            return item[as_seen(index)]
        return TracedArray.make(array, None)[as_index(index)]

    def concatenated(self, indexer: Any, key: Any) -> Any:
        """``np.r_[key]``, ``np.c_[key]``"""
        is_numpys = is_concatenator(indexer)
        return concatenated(indexer, key) if is_numpys else self.item(indexer, key)

    def imported(self, module: str, name: str, value: Any) -> Any:
        """``from module import name``"""
        owner = sys.modules[module]
        return (
            value if isinstance(value, ModuleType) else self._member(owner, name, value)
        )

    def parent(self, kind: type, item: Any) -> Any:
        """``super()`` in a method of a class."""
        return Parent(kind, item, self._reads.twins)


def is_changed_by_reading(kind: type) -> bool:
    """Whether it gives an item once only, or puts in what is missing."""
    return hasattr(kind, "__next__") or hasattr(kind, "__missing__")
