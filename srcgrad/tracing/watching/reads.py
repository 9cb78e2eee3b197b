"""What the instrumented copy calls: each does what the user wrote, and notes it.

Whatever would make generated code differ from the function is refused here: reading or
changing the outside world, effects, and calls whose effects are not known.
"""

import contextlib
import enum
import functools
import logging
import math
import operator
import sys
import typing
import warnings
from collections import deque
from types import BuiltinFunctionType, CellType, FunctionType, MethodType, ModuleType
from typing import Any, NoReturn

import numpy as np

from srcgrad.facts import UNKNOWN, facts_of
from srcgrad.modes import state
from srcgrad.protocols import ArrayProtocol, meant
from srcgrad.rules.algorithms import ALGORITHMS
from srcgrad.rules.compressed import Compressed
from srcgrad.rules.libraries import has_replacement, is_recorded
from srcgrad.tape.apply import apply
from srcgrad.tape.function import has_edge
from srcgrad.tape.operands import is_numpys, variables_in
from srcgrad.tracing.algorithms.solving import solve
from srcgrad.tracing.arrays.own_array import contents, contents_of, is_in_graph, let_out
from srcgrad.tracing.arrays.replacements import is_unbound, replacement_of
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.counts.along import along
from srcgrad.tracing.counts.arm_labels import ArmLabel
from srcgrad.tracing.counts.collected import Collected
from srcgrad.tracing.counts.lengths import follows
from srcgrad.tracing.counts.loop_indices import as_index, has_number
from srcgrad.tracing.counts.of_lengths import of_length, selected_length
from srcgrad.tracing.counts.taken_ints import ROUNDING, extreme_int, taken_int
from srcgrad.tracing.following.leaving import numbers_given
from srcgrad.tracing.outside import conditions
from srcgrad.tracing.outside.attribute_dicts import AttributeDict
from srcgrad.tracing.outside.callables import is_ours, is_traced
from srcgrad.tracing.outside.changing_ints import FollowedInt, as_seen, beside_floats
from srcgrad.tracing.outside.containers import Followed, FollowedSet, opened
from srcgrad.tracing.outside.draws import MAKERS, is_draw, method_of_generator
from srcgrad.tracing.outside.error_states import ErrorStates
from srcgrad.tracing.outside.iterators import FollowedIterator, items_for_array
from srcgrad.tracing.outside.objects import Parent, has_twin, is_looked_into
from srcgrad.tracing.outside.outside_matrix import OutsideMatrix
from srcgrad.tracing.outside.storing_calls import STATEMENTS, is_statement
from srcgrad.tracing.outside.texts import Text
from srcgrad.tracing.outside.trust import (
    CACHED,
    HOLDERS,
    is_dispatcher,
    is_pure,
    is_users,
)
from srcgrad.tracing.outside.windows import is_window, window
from srcgrad.tracing.outside.with_statements import (
    Suppressing,
    caught,
    generator_of,
    managed,
)
from srcgrad.tracing.refusal import UserError, give_up
from srcgrad.tracing.user_code.instrument import is_instrumented
from srcgrad.tracing.watching.attributes import Reads
from srcgrad.tracing.watching.copying import (
    COPYING,
    TAKING_APART,
    make_copy,
    take_apart,
)
from srcgrad.tracing.watching.effects import all_as_told
from srcgrad.tracing.watching.extremes import (
    ORDER,
    WRITTEN_OUT,
    few_numbers,
    taken,
    written_out,
)
from srcgrad.tracing.watching.lookups import LOGGING, Lookups
from srcgrad.tracing.watching.user_functions import inline, is_apply

# What a Variable has, but no ndarray: these refuse one.
NOT_OF_ARRAYS = frozenset(
    {np.dtype, np.promote_types, np.issubdtype, operator.concat, operator.iconcat}
)


# What looks at no object that it is given.
HANDING_ON = frozenset(
    {isinstance, issubclass, callable, type, len, iter, zip, enumerate, map, filter}
    | {list, tuple, dict, reversed}
)


# What asks an object by its special methods, and nothing else.
OPERATING = frozenset(
    {sum, min, max, any, all, sorted, abs, bool, pow, divmod, round, next, hash}
)


# What a kind of calls gives where a call is of another kind.
OTHER: Any = object()


class Watcher(Lookups):
    """``__srcgrad__`` in the copy of one function that is recorded."""

    def __init__(self, reads: Reads, function: FunctionType) -> None:
        self._reads = reads
        self._recorder = reads.recorder
        self._globals, self._code = function.__globals__, function.__code__
        self._cells: dict[str, CellType] = dict(
            zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        )

    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """``function(*args, **kwargs)``"""
        if Collected in map(type, args):
            return self.call_with_lists(function, args, kwargs)
        has_label = ArmLabel in map(type, (*args, *kwargs.values()))
        if has_label and not _is_followed(function):  # to all others it is a text
            args = tuple(map(as_seen, args))
            kwargs = {key: as_seen(arg) for key, arg in kwargs.items()}
        if _may_change_something(function, (*args, *kwargs.values())):
            self.changes()
        if type(function) is BuiltinFunctionType and function in WRITTEN_OUT:
            args = args if "key" in kwargs else taken(args)
            number = None if kwargs else extreme_int(self._recorder, function, args)
            if number is not None:
                return number
            items = few_numbers(function, args, kwargs)
            if items is not None:
                return self.extreme(ORDER[function], items)
            written = written_out(function, args, kwargs)
            if written is not None:
                function, args, kwargs = written
                return self._reads.instrumented(function)(*args, **kwargs)
        if function in ROUNDING and len(args) == 1 and not kwargs:
            number = taken_int(self._recorder, function, args[0])
            if number is not None:
                return number
        if self._reads.branching.arm is not None:
            self._reads.branching.arm.look_at_call(function, args)
        if self._recorder.lengths.are_watched:
            found = self._call_of_lengths(function, args, kwargs)
            if found is not None:
                return found
        if type(function) is np.ufunc:  # as most are
            return self._call_untraced(function, args, kwargs)
        if not (_hands_on(function) or self._reads.twins.runs_users_code(function)):
            self._recorder.writer.note_asked((*args, *kwargs.values()))
        found = self._call_that_asks(function, args, kwargs)
        if found is not OTHER:
            return found
        is_method = type(function) is MethodType
        is_result = is_traced(function.__func__ if is_method else function)
        if is_ours(function):
            function = function.followed_by(self._within)
            if not isinstance(function, FunctionType):
                return function(*contents_of(args), **contents_of(kwargs))
        found = self._call_of_library(function, args, kwargs)
        if found is not OTHER:
            return found
        found = self._call_of_users(function, args, kwargs)
        return numbers_given(found) if is_result else found

    def _call_of_lengths(self, function: Any, args: Any, kwargs: Any) -> Any:
        """A call where lengths may be any; None if it does not know of them."""
        lengths = self._recorder.lengths
        if function is len and len(args) == 1 and not kwargs:
            length: Any = selected_length(self._recorder, args)
            length = lengths.of(args[0]) if length is None else length
            if length is not None:
                return length
        found = along(lengths, function, args, kwargs)
        if found is not None:
            return found
        made = of_length(self._recorder, function, args, kwargs, self.call)
        if made is None and not (_is_followed(function) or follows(function)):
            lengths.close_in((*args, *kwargs.values()))
        return made

    def _call_that_asks(self, function: Any, args: Any, kwargs: Any) -> Any:
        """A call that asks what something is, does what a statement does, or tells."""
        if function in (isinstance, type) and state.depth and _is_variable(args[0]):
            return replacement_of(function)(*args, **kwargs)
        if function is type and len(args) == 1 and not _is_stand_in(args[0]):
            return self._reads.twins.kind_of(_stood_for(args[0]))
        if function is isinstance or function is type:
            return function(*map(_stood_for, args), **kwargs)
        if function is hasattr and len(args) == 2:
            return self._hasattr(*args)
        if is_statement(function):
            return STATEMENTS[function](self, *args)
        if is_unbound(function) and args and not isinstance(args[0], Followed):
            method = self.attribute(args[0], function.__name__)
            return self.call(method, *args[1:], **kwargs)
        if function is np.fromiter:
            return self._from_iterable(*args, **kwargs)
        if function in TELLING or isinstance(getattr(function, "__self__", None), str):
            template = getattr(function, "__self__", "")
            is_plain = function is not repr and "!r" not in str(template)
            values = [*args, *kwargs.values()]
            return self._text(function, args, kwargs, values, is_plain)
        if _is_effect(function):
            return self._effect(function, args, kwargs)
        if function in NOT_OF_ARRAYS and any(map(_is_stand_in, args)):
            give_up(f"calls `{function.__name__}` with an array, which is an error")
        return OTHER

    def _call_of_library(self, function: Any, args: Any, kwargs: Any) -> Any:
        """A call of what Python's library and NumPy have for other than numbers."""
        if function is logging.getLogger:
            return function(*args, **kwargs)
        if type(function) is CACHED:
            return self._reads.cached(function, args, kwargs)
        if function is np.errstate:
            return self._errstate(*args, **kwargs)
        if type(getattr(function, "__self__", None)) is logging.Logger:
            return self._reads.asked_of(function, *map(as_seen, args))
        if function is typing.cast and len(args) == 2:
            return args[1]
        if function is vars and len(args) == 1:
            return self.attribute(args[0], "__dict__")
        if function is contextlib.suppress:
            return Suppressing(self._reads, args)
        if type(getattr(function, "__self__", None)) is contextlib.ExitStack:
            is_call = function.__name__ == "callback"
            return function(*((self.call,) if is_call else ()), *args, **kwargs)
        if (generator := generator_of(function)) is not None:
            return managed(functools.partial(self.call, generator), args, kwargs)
        if function is next and args and type(args[0]) is FollowedIterator:
            return self._reads.taken_of(args[0])
        if is_draw(function := method_of_generator(function)):
            return self._reads.draw(function, args, kwargs)
        if function in MAKERS:
            return self._generator(function, *args, **kwargs)
        if isinstance(function, type) and (has_twin(function) or function in HOLDERS):
            return self._reads.twins.made(function, args, kwargs)
        if function is functools.partial or function == dict.fromkeys:
            return function(*args, **kwargs)
        return OTHER

    def _call_of_users(self, function: Any, args: Any, kwargs: Any) -> Any:
        """A call of the user's functions, methods and objects, or of what computes."""
        if self._reads.twins.is_own(function):
            return self.call(self.attribute(function, "__call__"), *args, **kwargs)
        if is_instrumented(function):
            return function(*args, **kwargs)
        if isinstance(function, MethodType):
            if not kwargs and is_apply(function):
                cls: Any = function.__self__
                return inline(self._reads, cls, let_out(args))
            if id(function.__self__) in self._reads.contexts:
                return function(*let_out(args), **let_out(kwargs))
            inner = function.__func__
            if isinstance(inner, FunctionType) and is_users(inner):
                copy = self._reads.instrumented(inner)
                return copy(function.__self__, *args, **kwargs)
            if isinstance(function.__self__, (Followed, FollowedSet, Compressed)):
                return function(*args, **kwargs)
        if isinstance(function, functools.partial):
            kwargs = {**function.keywords, **kwargs}
            return self.call(function.func, *function.args, *args, **kwargs)
        if self._reads.place_of(function) is not None:
            return self.call(self._reads.call_of(function), *args, **kwargs)
        if is_dispatcher(function) and args:
            return self._dispatched(function, args, kwargs)
        if isinstance(function, FunctionType) and is_users(function):
            return self._reads.instrumented(function)(*args, **kwargs)
        return self._call_untraced(function, args, kwargs)

    def _dispatched(self, function: Any, args: Any, kwargs: Any) -> Any:
        """A call of a function with ``functools.singledispatch``."""
        kind = self.call(type, args[0])
        found = function.dispatch(kind)
        self._reads.require(conditions.dispatches(function, kind, found))
        return self.call(found, *args, **kwargs)

    def _call_untraced(self, function: Any, args: Any, kwargs: Any) -> Any:
        """Call what is not followed, if it is known what it does."""
        if function is getattr and 2 <= len(args) <= 3 and type(args[1]) is str:
            return self._getattr(*args)
        if function is len and isinstance(args[0], Followed):
            return self._reads.length(args[0])
        if function in COPYING:
            return make_copy(self, function, args, kwargs)
        if function in TAKING_APART and len(args) == 1 and not kwargs:
            return take_apart(self, function, args[0])
        if function in OF_FLOATS:
            args = tuple([_as_float(arg) for arg in args])
        if function is np.empty:
            function = np.zeros  # any content will do, but the same at each call
        if function is float and isinstance(args[0] if args else None, FollowedInt):
            return args[0].as_float()
        if function in (min, max) and len(args) > 1 and _are_integers(args, kwargs):
            return function(*args)
        if is_recorded(function):
            args, kwargs = opened(let_out(args)), opened(let_out(kwargs))
            return replacement_of(function)(*args, **kwargs)
        known = facts_of(function)
        if is_numpys(function):
            args = tuple(map(beside_floats, args))
        if not _hands_out(function):
            args = tuple(map(opened, args))
            kwargs = {key: opened(arg) for key, arg in kwargs.items()}
        is_transform = getattr(function, "is_transform", False)
        if not is_transform and not is_pure(function):
            self._refuse_user_function(function)
            name = getattr(function, "__qualname__", None) or repr(function)
            if has_replacement(function):
                if function in ALGORITHMS:
                    args = contents_of(tuple(map(as_seen, args)))
                    given = args, contents_of(kwargs)
                    return solve(self._recorder, function, *given, self.call)
                give_up(
                    f"calls `{name}`, which runs, and has its gradient, on the tape"
                )
            give_up(f"calls `{name}`, which is not known to be pure")
        if is_transform:  # which knows arrays and Variables
            args, kwargs = contents_of(args), contents_of(kwargs)
        if is_transform or known.calls:
            args = tuple(map(self._followed, args))
            kwargs = {key: self._followed(arg) for key, arg in kwargs.items()}
        elif known.effect == "writes":
            self._check_own(args[0])
        for arg in (*args, *kwargs.values()):
            by_methods = function in OPERATING and self._reads.twins.knows(arg)
            if function not in HANDING_ON and not by_methods and not _fills(function):
                self._reads.look_at(arg)
            # A bound traced method is a partial of its copy (`followed_by`).
            copied = self._is_copied(arg)
            if callable(arg) and not (copied or is_ours(arg) or is_pure(arg)):
                name = getattr(arg, "__name__", repr(arg))
                give_up(f"passes `{name}` to code not traced")
        if known.calls and known is not UNKNOWN:  # `map(math.sin, x)`
            args = tuple([_replaced(function, arg) for arg in args])
            kwargs = {key: _replaced(function, arg) for key, arg in kwargs.items()}
        result = replacement_of(function)(*args, **kwargs)
        if isinstance(function, np.ufunc):
            self._recorder.writer.note_numpys(result)
        return result

    def _from_iterable(
        self, iter: Any, dtype: Any, count: Any = -1, **more: Any
    ) -> Any:
        """``np.fromiter``"""
        items = items_for_array(self.call, iter, dtype, as_seen(count), **more)
        return self.call(np.array, items, dtype)

    def _generator(self, make: Any, seed: Any = None) -> Any:
        """A generator of the function's own."""
        seed = as_seen(seed)
        if type(seed) is not int:
            give_up("makes a random generator without a number as its seed")
        return make(seed)

    def _errstate(self, **settings: Any) -> Any:
        """``np.errstate``: what NumPy does where a result is no number."""
        if not all(type(each) is str for each in settings.values()):
            give_up("calls `np.errstate` with more than words")
        if self._recorder.within:  # its graph has no lines that settings are told of
            give_up(f"calls `np.errstate` {self._recorder.within}")
        if self._reads.error_states is None:
            self._reads.error_states = ErrorStates()
        self._reads.error_states.enter(settings)
        return np.errstate(**settings)

    def _effect(self, function: Any, args: Any, kwargs: Any) -> None:
        """A call that only tells something: ``print``, ``logging``, ``warnings``."""
        if kwargs.get("file") is not None or kwargs.get("stacklevel", 1) != 1:
            give_up(f"calls `{function.__name__}` with `file` or `stacklevel`")
        if function is warnings.warn and self._reads.catches:
            give_up("warns, which may be an error, and catches errors")
        self._reads.tells(function)
        self._reads.acts(function, all_as_told(args), all_as_told(kwargs))

    def item(self, item: Any, index: Any) -> Any:
        """``item[index]``"""
        if type(item) is Collected:
            return self.item_of_list(item, index)
        if self._reads.branching.arm is not None:
            self._reads.branching.arm.look_at_item(item)
        index = self._recorder.lengths.item(item, index)
        if type(item) is np.ndarray and variables_in(index):
            return apply(operator.getitem, (item, index), {})
        if _is_changed_by_reading(item):
            self.changes()
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

    def tries(self) -> None:
        """``try: ... except: ...``: an error may be no error of the call."""
        self._reads.catches = True

    def caught(self, is_named: bool) -> None:
        """The user's ``except`` has caught an error, and perhaps given it a name."""
        caught(self._reads, is_named)

    def imported(self, module: str, name: str, value: Any) -> Any:
        """``from module import name``"""
        owner = sys.modules[module]
        return (
            value if isinstance(value, ModuleType) else self._member(owner, name, value)
        )

    def parent(self, kind: type, item: Any) -> Any:
        """``super()`` in a method of a class."""
        return Parent(kind, item, self._reads.twins)

    def _hasattr(self, item: Any, name: str) -> bool:
        if type(item) is AttributeDict:
            with contextlib.suppress(AttributeError):
                self.attribute(item, name)
                return True
            return False
        place = self._reads.place_of(item)
        if place is None or isinstance(item, ArrayProtocol):
            found = hasattr(_stood_for(item), name)
            is_live = state.depth and isinstance(item, ArrayProtocol) and has_edge(item)
            if is_live and found is not hasattr(item, name):
                # On the tape a transform has put a Variable there.
                give_up(f"asks whether there is a `{name}`, which a Variable has")
            return found
        return self._reads.has_attribute(item, place, name)

    def _getattr(self, item: Any, name: str, *default: Any) -> Any:
        if default and not self._hasattr(item, name):
            return default[0]
        return self.attribute(item, name)

    def same(self, first: Any, second: Any) -> Any:
        """``first is second``"""
        pair = first, second
        is_label = ArmLabel in map(type, pair)
        if is_label and all(isinstance(_stood_for(each), enum.Enum) for each in pair):
            return self._in_arms(self._compared("Eq", first, second))
        if is_label or all(isinstance(each, (int, FollowedInt)) for each in pair):
            first, second = pair = as_seen(first), as_seen(second)
        if first is not second and all(
            isinstance(x, ArrayProtocol) and x.stands_for_array for x in pair
        ):
            # They may well be one ndarray, given twice, and two at the next call.
            found = self._reads.are_one_array(first, second)
            if found is None:
                give_up("asks whether two arrays are the same object")
            self.changes()
            return found
        if self._reads.branching.results.tells(first, second):
            give_up("asks which number it is that an `if` has left")
        self._reads.compare(first, second)
        self.changes()  # what is the same object is in no name
        return first is second

    def compared(self, item: Any) -> Any:
        """``item == ...``, and whatever else asks an object what it is."""
        if not self._reads.twins.compares(item):
            self._reads.look_at(item)
        if hasattr(type(item), "__next__"):
            self.changes()
        return item

    def searched(self, item: Any) -> Any:
        """``... in item``"""
        return item if self._reads.twins.knows(item) else self.compared(item)

    def raises(self) -> NoReturn:
        """``raise ...``: the run on the tape will say what."""
        raise UserError

    def _followed(self, arg: Any) -> Any:
        """The instrumented copy of a function that is handed to another."""
        if is_ours(arg):
            return arg.followed_by(self._within)
        if isinstance(arg, FunctionType) and not is_instrumented(arg) and is_users(arg):
            return self._reads.instrumented(arg)
        if isinstance(arg, MethodType) and isinstance(arg.__func__, FunctionType):
            original = self._reads.original_of(arg)
            return _copied(original, self._followed(arg.__func__), arg.__self__)
        is_partial = isinstance(arg, functools.partial) and not self._is_copied(arg)
        if is_partial or self._is_object_to_call(arg):
            original = self._reads.original_of(arg)
            return _copied(original, self.call, self._reads.seen_of(arg))
        return arg

    def _is_object_to_call(self, arg: Any) -> bool:
        """Whether it is an object of the user's that is followed where it is called."""
        is_followed = self._reads.twins.is_own(arg) or is_looked_into(arg)
        return is_followed and callable(arg)

    def _is_copied(self, function: Any) -> bool:
        """Whether what it does is followed."""
        if isinstance(function, functools.partial):
            function = function.func
        return (
            function == self.call
            if type(function) is MethodType
            else is_instrumented(function)
        )

    def _within(self, function: Any) -> Any:
        """The copy of the function that a transform is of, or a trace."""
        copy = self._followed(function)
        inner = getattr(copy, "func", copy)
        if not (self._is_copied(copy) or is_ours(inner) or is_pure(inner)):
            give_up(f"transforms {function!r}, which is not followed")
        return copy


def _replaced(function: Any, arg: Any) -> Any:
    """What stands for a library's function that is handed to another."""
    is_dtype = isinstance(arg, type) and is_numpys(function)
    is_one = callable(arg) and isinstance(arg, OF_LIBRARIES) and not is_dtype
    return replacement_of(arg) if is_one else arg


def _copied(original: Any, function: Any, first: Any) -> Any:
    """What is called instead of something while a function is traced."""
    made = functools.partial(function, first)
    made.copied_from = lambda: original  # type: ignore[attr-defined]
    return made


# What makes a text of its arguments, and what tells them.
TELLING = (str, repr, format)
MODULES_LOGGING = tuple(getattr(logging, name) for name in LOGGING)


# Functions of one number that are the same of an integer and of that as a float.
OF_FLOATS = frozenset(
    function
    for name in "sqrt exp log log10 log1p expm1 sin cos tan tanh sinh cosh".split()
    for function in (getattr(np, name), getattr(math, name))
)


# What stands for one of these stands in what calls it too.
OF_LIBRARIES = (BuiltinFunctionType, type, type(np.sum))

# What has no methods that change it, or such that the tape notes.
UNCHANGING = (
    *(type(None), ModuleType, ArrayProtocol, np.generic, np.ufunc, np.dtype, type),
    *(int, float, complex, str, bytes, tuple, frozenset, range, Compressed),
)


def _hands_on(function: Any) -> bool:
    """Whether a function does with a number what operators do, or hands it on."""
    if function is abs or getattr(function, "__module__", "") == math.__name__:
        return True
    owner = getattr(function, "__self__", None)
    if isinstance(owner, (list, dict)):
        return True
    inner = function.__func__ if isinstance(function, MethodType) else function
    return isinstance(inner, FunctionType) and is_users(inner)


def _hands_out(function: Any) -> bool:
    """Whether a function may give back elements of what it is given, now or later.

    It gets containers from outside as they are seen: what it hands out is changed, too.
    """
    if type(function) is operator.itemgetter:
        return True
    known = facts_of(function)
    return bool(known.view) and known.effect != "writes" and not is_numpys(function)


def _may_change_something(function: Any, args: Any) -> bool:
    """Whether a call may change what is in no name of a loop, or look at such."""
    owner = getattr(function, "__self__", None)
    # What methods of the user's own change is seen when they run.
    inner = getattr(function, "__func__", None)
    is_users_own = isinstance(inner, FunctionType) and is_users(inner)
    return (
        not (is_users_own or isinstance(owner, UNCHANGING))
        or _is_effect(function)
        or type(function) is CACHED
        or facts_of(function).effect == "writes"
        or any(map(_is_changed_by_reading, (owner, *args)))
    )


def _is_changed_by_reading(item: Any) -> bool:
    """Whether it gives an item once only, or puts in what is missing."""
    return hasattr(type(item), "__next__") or hasattr(type(item), "__missing__")


def _fills(function: Any) -> bool:
    """Whether it only puts something into a list, dict or set."""
    owner = getattr(function, "__self__", None)
    return isinstance(owner, (list, dict, set, deque))


def _are_integers(args: Any, kwargs: Any) -> bool:
    return not kwargs and all(type(arg) in (int, FollowedInt) for arg in args)


def _as_float(arg: Any) -> Any:
    return arg.as_float() if isinstance(arg, FollowedInt) else arg


def _is_effect(function: Any) -> bool:
    """Whether a call only tells something."""
    if isinstance(function, MethodType):
        is_logger = isinstance(function.__self__, logging.Logger)
        return is_logger and function.__name__ in LOGGING
    return function is print or function is warnings.warn or function in MODULES_LOGGING


def _is_followed(function: Any) -> bool:
    """Whether a call runs instrumented code, or asks for a type."""
    if isinstance(function, MethodType):
        function = function.__func__
    if function is isinstance or function is type or is_instrumented(function):
        return True
    return isinstance(function, FunctionType) and is_users(function)


def _stood_for(arg: Any) -> Any:
    if type(arg) is Text:
        return ""
    if isinstance(arg, FollowedInt):
        return arg.value
    if isinstance(arg, (Followed, OutsideMatrix)):
        return arg.item
    if isinstance(arg, Compressed):
        give_up("asks what a sparse matrix is that it has made")
    if type(arg) is FollowedSet:
        return set()
    return meant(arg.value) if _is_stand_in(arg) else arg


def _is_variable(arg: Any) -> bool:
    return isinstance(arg, ArrayProtocol) and not arg.stands_for_array


def _is_stand_in(arg: Any) -> bool:
    return isinstance(arg, ArrayProtocol) and arg.stands_for_array
