"""``Dispatch``: what happens where a recorded function calls something.

A call goes from stage to stage, until one has done it:

* ``call``: lists that a loop fills are themselves; what may change is noted;
* ``NUMBER_HANDLERS``: a row for what makes a number of numbers, such as ``max``;
* ``noted``: loops, arms and lengths are told of the call;
* ``FUNCTIONS``: a row for each function that is done in its own way (``own_ways``);
* ``HANDLERS_BY_KIND``: else by what it is: a function, a method, a class, an object;
* ``Computing``: and at last it is a library's, and only computes, or is refused.
"""

import contextlib
import functools
import logging
import math
from collections.abc import Callable
from types import (
    BuiltinFunctionType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

import numpy as np

from srcgrad.facts import facts_of
from srcgrad.protocols import ArrayProtocol
from srcgrad.rules.compressed import Compressed
from srcgrad.tape.variable import Variable
from srcgrad.tracing.arrays.functional_array import (
    FunctionalArray,
    contents_of,
    let_out,
)
from srcgrad.tracing.arrays.replacements import is_unbound
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.capture.extremes import WRITTEN_OUT, taken
from srcgrad.tracing.capture.lookups import LOGGING, is_changed_by_reading
from srcgrad.tracing.capture.own_ways import (
    EFFECTS,
    FUNCTIONS,
    NUMBER_HANDLERS,
    OTHER,
    TABLED,
)
from srcgrad.tracing.capture.parts import Parts
from srcgrad.tracing.capture.user_functions import inline, is_apply
from srcgrad.tracing.counts.along import along
from srcgrad.tracing.counts.arm_labels import ArmLabel
from srcgrad.tracing.counts.collected import Collected
from srcgrad.tracing.counts.lengths import follows
from srcgrad.tracing.counts.of_lengths import of_length, selected_length
from srcgrad.tracing.environment import conditions
from srcgrad.tracing.environment.callables import is_ours, is_traced
from srcgrad.tracing.environment.containers import Followed, FollowedSet
from srcgrad.tracing.environment.draws import is_draw
from srcgrad.tracing.environment.objects import has_twin
from srcgrad.tracing.environment.symbolic import as_seen
from srcgrad.tracing.environment.trust import CACHED, HOLDERS, is_dispatcher, is_users
from srcgrad.tracing.environment.with_statements import generator_of, managed
from srcgrad.tracing.following.leaving import numbers_given
from srcgrad.tracing.user_code.instrument import is_instrumented

# What has no methods that change it, or such that the tape notes.
QUIET_OWNERS = (
    *(type(None), ModuleType, ArrayProtocol, np.generic, np.ufunc, np.dtype, type),
    *(int, float, complex, str, bytes, tuple, frozenset, range, Compressed),
)
# What is looked at, most of the time.
STEADY_TYPES = frozenset(
    {
        Variable,
        TracedArray,
        FunctionalArray,
        np.ndarray,
        float,
        int,
        str,
        tuple,
        type(None),
    }
)


class Dispatch:
    """The calls of a recorded run."""

    def __init__(self, parts: Parts) -> None:
        self._parts, self._context = parts, parts.context
        self._reads, self._recorder = parts.context.reads, parts.context.recorder

    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """``function(*args, **kwargs)``"""
        if Collected in map(type, args):
            return self._parts.list_building.call_with_lists(function, args, kwargs)
        has_label = ArmLabel in map(type, (*args, *kwargs.values()))
        if has_label and not _is_followed(function):  # to all others it is a text
            args = tuple(map(as_seen, args))
            kwargs = {key: as_seen(arg) for key, arg in kwargs.items()}
        if _may_change_something(function, (*args, *kwargs.values())):
            self._context.changes()
        if type(function) in TABLED and function in NUMBER_HANDLERS:
            if function in WRITTEN_OUT and "key" not in kwargs:
                args = taken(args)
            found = NUMBER_HANDLERS[function](self._parts, function, args, kwargs)
            if found is not OTHER:
                return found
        return self._noted(function, args, kwargs)

    def _noted(self, function: Any, args: Any, kwargs: Any) -> Any:
        """The same, when those who must know of it have been told."""
        arm = self._reads.branching.arm
        if arm is not None:
            arm.look_at_call(function, args)
        if self._recorder.lengths.do_matter:
            found = self._of_lengths(function, args, kwargs)
            if found is not None:
                return found
        is_usual = type(function) is np.ufunc or _hands_on(function)  # as most are
        if not (is_usual or self._reads.twins.runs_users_code(function)):
            self._recorder.writer.note_asked((*args, *kwargs.values()))
        return self._dispatched(function, args, kwargs)

    def _of_lengths(self, function: Any, args: Any, kwargs: Any) -> Any:
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
        made = of_length(self._recorder, function, args, kwargs, self._context.call)
        if made is None and not (_is_followed(function) or follows(function)):
            lengths.close_in((*args, *kwargs.values()))
        return made

    def _dispatched(self, function: Any, args: Any, kwargs: Any) -> Any:
        """The same in the function's own way, or as what is called is called."""
        if type(function) in TABLED and function in FUNCTIONS:
            found = FUNCTIONS[function](self._parts, function, args, kwargs)
            if found is not OTHER:
                return found
        of_kind = HANDLERS_BY_KIND.get(type(function), Dispatch._of_object)
        return of_kind(self, function, args, kwargs)

    # ----- Kinds of what is called -----

    def _of_library(self, function: Any, args: Any, kwargs: Any) -> Any:
        return self._parts.computing.compute(function, args, kwargs)

    def _of_function(self, function: FunctionType, args: Any, kwargs: Any) -> Any:
        if is_instrumented(function):
            return function(*args, **kwargs)
        if (generator := generator_of(function)) is not None:
            return managed(functools.partial(self._call, generator), args, kwargs)
        if is_dispatcher(function) and args:
            return self._of_dispatcher(function, args, kwargs)
        if is_users(function):
            return self._reads.instrumented(function)(*args, **kwargs)
        return self._of_library(function, args, kwargs)

    def _of_dispatcher(self, function: Any, args: Any, kwargs: Any) -> Any:
        """A function with ``functools.singledispatch``."""
        kind = self._call(type, args[0])
        found = function.dispatch(kind)
        self._reads.require(conditions.dispatches(function, kind, found))
        return self._call(found, *args, **kwargs)

    def _of_method(self, method: MethodType, args: Any, kwargs: Any) -> Any:
        owner, inner = method.__self__, method.__func__
        if isinstance(owner, str):
            return self._parts.telling.called(method, args, kwargs)
        if _logs(method):
            return self._parts.telling.tell(method, args, kwargs)
        if type(owner) is logging.Logger:
            return self._parts.drawing.asked_of(method, *map(as_seen, args))
        if type(owner) is contextlib.ExitStack:
            is_call = method.__name__ == "callback"
            return method(*((self._call,) if is_call else ()), *args, **kwargs)
        if (generator := generator_of(method)) is not None:
            return managed(functools.partial(self._call, generator), args, kwargs)
        if is_draw(method):
            return self._parts.drawing.draw(method, args, kwargs)
        if not kwargs and is_apply(method):
            cls: Any = owner
            return inline(self._reads, cls, let_out(args))
        if id(owner) in self._reads.contexts:
            return method(*let_out(args), **let_out(kwargs))
        if isinstance(inner, FunctionType) and is_users(inner):
            return self._reads.instrumented(inner)(owner, *args, **kwargs)
        if isinstance(owner, (Followed, FollowedSet, Compressed)):
            return method(*args, **kwargs)
        found = self._of_library(method, args, kwargs)
        return numbers_given(found) if is_traced(inner) else found

    def _of_builtin(self, function: Any, args: Any, kwargs: Any) -> Any:
        if isinstance(function.__self__, str):
            return self._parts.telling.called(function, args, kwargs)
        if is_draw(function):
            return self._parts.drawing.draw(function, args, kwargs)
        return self._of_library(function, args, kwargs)

    def _of_unbound(self, function: Any, args: Any, kwargs: Any) -> Any:
        """A method as it stands in its class: ``np.ndarray.sum``."""
        if is_unbound(function) and args and not isinstance(args[0], Followed):
            method = self._context.attribute(args[0], function.__name__)
            return self._call(method, *args[1:], **kwargs)
        return self._of_library(function, args, kwargs)

    def _of_class(self, kind: type, args: Any, kwargs: Any) -> Any:
        if has_twin(kind) or kind in HOLDERS:
            return self._reads.twins.made(kind, args, kwargs)
        return self._of_library(kind, args, kwargs)

    def _of_cached(self, function: Any, args: Any, kwargs: Any) -> Any:
        return self._parts.drawing.cached(function, args, kwargs)

    def _of_partial(self, function: Any, args: Any, kwargs: Any) -> Any:
        kwargs = {**function.keywords, **kwargs}
        return self._call(function.func, *function.args, *args, **kwargs)

    def _of_ours(self, function: Any, args: Any, kwargs: Any) -> Any:
        """A transform, or what is traced itself."""
        copy = function.followed_by(self._parts.handing.within)
        if not isinstance(copy, FunctionType):
            return copy(*contents_of(args), **contents_of(kwargs))
        found = self._dispatched(copy, args, kwargs)
        return numbers_given(found) if is_traced(function) else found

    def _of_object(self, item: Any, args: Any, kwargs: Any) -> Any:
        """What is of no kind in the table."""
        if isinstance(getattr(item, "__self__", None), str):
            return self._parts.telling.called(item, args, kwargs)
        if is_ours(item):
            return self._of_ours(item, args, kwargs)
        if is_draw(item):
            return self._parts.drawing.draw(item, args, kwargs)
        if isinstance(item, type):
            return self._of_class(item, args, kwargs)
        if self._reads.twins.is_own(item):
            call = self._context.attribute(item, "__call__")
            return self._call(call, *args, **kwargs)
        if isinstance(item, functools.partial):
            return self._of_partial(item, args, kwargs)
        if self._reads.reference_of(item) is not None:
            call = self._parts.attributes.attribute(item, "__call__")
            return self._call(call, *args, **kwargs)
        return self._of_library(item, args, kwargs)

    def _call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        return self._context.call(function, *args, **kwargs)


HANDLERS_BY_KIND: dict[type, Callable[[Dispatch, Any, Any, Any], Any]] = {
    np.ufunc: Dispatch._of_library,
    type(np.sum): Dispatch._of_library,
    BuiltinFunctionType: Dispatch._of_builtin,
    FunctionType: Dispatch._of_function,
    MethodType: Dispatch._of_method,
    MethodDescriptorType: Dispatch._of_unbound,
    WrapperDescriptorType: Dispatch._of_unbound,
    type: Dispatch._of_class,
    CACHED: Dispatch._of_cached,
    functools.partial: Dispatch._of_partial,
}


def _may_change_something(function: Any, args: Any) -> bool:
    """Whether a call may change what is in no name of a loop, or look at such."""
    owner = getattr(function, "__self__", None)
    # What methods of the user's own change is seen when they run.
    inner = getattr(function, "__func__", None)
    is_users_own = isinstance(inner, FunctionType) and is_users(inner)
    return (
        not (is_users_own or isinstance(owner, QUIET_OWNERS))
        or (type(function) in TABLED and function in EFFECTS)
        or (is_users_own and _logs(function))
        or type(function) is CACHED
        or facts_of(function).effect == "writes"
        or any(
            map(is_changed_by_reading, {type(owner), *map(type, args)} - STEADY_TYPES)
        )
    )


def _logs(method: Any) -> bool:
    """Whether a method of a Logger tells something."""
    owner = getattr(method, "__self__", None)
    return isinstance(owner, logging.Logger) and method.__name__ in LOGGING


def _is_followed(function: Any) -> bool:
    """Whether a call runs instrumented code, or asks for a type."""
    if isinstance(function, MethodType):
        function = function.__func__
    if function is isinstance or function is type or is_instrumented(function):
        return True
    return isinstance(function, FunctionType) and is_users(function)


def _hands_on(function: Any) -> bool:
    """Whether a function does with a number what operators do, or hands it on."""
    if function is abs or getattr(function, "__module__", "") == math.__name__:
        return True
    owner = getattr(function, "__self__", None)
    if isinstance(owner, (list, dict)):
        return True
    inner = function.__func__ if isinstance(function, MethodType) else function
    return isinstance(inner, FunctionType) and is_users(inner)
