"""``FUNCTIONS``: what a recorded call of a function of Python's or NumPy's does.

A row is a function and what is called in its place: with the parts of the run ``p``,
the function ``f``, arguments ``a`` and keywords ``k``. That gives ``OTHER`` where the
call is like any other call after all.

>>> FUNCTIONS[print] is FUNCTIONS[logging.info], sorted in NUMBER_HANDLERS
(True, True)
"""

import contextlib
import functools
import logging
import math
import operator
import typing
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.tracing.capture.asking import is_stand_in
from srcgrad.tracing.capture.copy_functions import (
    COPYING,
    TAKING_APART,
    make_copy,
    take_apart,
)
from srcgrad.tracing.capture.extremes import (
    ORDER,
    WRITTEN_OUT,
    few_numbers,
    written_out,
)
from srcgrad.tracing.capture.lookups import LOGGING
from srcgrad.tracing.capture.parts import Parts
from srcgrad.tracing.counts.taken_ints import ROUNDING, extreme_int, taken_int
from srcgrad.tracing.environment.changing_ints import FollowedInt
from srcgrad.tracing.environment.containers import Followed
from srcgrad.tracing.environment.draws import GENERATOR_MAKERS, method_of_generator
from srcgrad.tracing.environment.error_states import ErrorStates
from srcgrad.tracing.environment.iterators import FollowedIterator, items_for_array
from srcgrad.tracing.environment.storing_calls import STATEMENTS
from srcgrad.tracing.environment.symbolic import as_seen, is_number
from srcgrad.tracing.environment.with_statements import Suppressing
from srcgrad.tracing.refusal import InFull, give_up

Way = Callable[[Parts, Any, Any, Any], Any]

# What a row gives where a call is like any other.
OTHER: Any = object()


# ----- Numbers of numbers -----


def _extreme(parts: Parts, function: Any, args: Any, kwargs: Any) -> Any:
    number = None if kwargs else extreme_int(parts.context.recorder, function, args)
    if number is not None:
        return number
    items = few_numbers(function, args, kwargs)
    if items is not None:
        return parts.choosing.extreme(ORDER[function], items)
    written = written_out(function, args, kwargs)
    if written is None:
        return OTHER
    function, args, kwargs = written
    return parts.context.reads.instrumented(function)(*args, **kwargs)


def _rounded(parts: Parts, function: Any, args: Any, kwargs: Any) -> Any:
    is_one = len(args) == 1 and not kwargs
    number = taken_int(parts.context.recorder, function, args[0]) if is_one else None
    return OTHER if number is None else number


def _get(parts: Parts, function: Any, args: Any, kwargs: Any) -> Any:
    is_name = 2 <= len(args) <= 3 and type(args[1]) is str
    return parts.asking.get(*args) if is_name else OTHER


def _of_integers(parts: Parts, function: Any, args: Any, kwargs: Any) -> Any:
    are_ints = len(args) > 1 and {*map(type, args)} <= {int, FollowedInt}
    return function(*args) if are_ints and not kwargs else OTHER


def _of_float(parts: Parts, function: Any, args: Any, kwargs: Any) -> Any:
    # To NumPy a truth is none: `np.sqrt(True)` is a `np.float16`.
    floats = [a.as_float() if is_number(a) and not a.is_truth else a for a in args]
    return parts.computing.compute(function, tuple(floats), kwargs)


def _float(parts: Parts, function: Any, args: Any, kwargs: Any) -> Any:
    if kwargs or len(args) != 1 or not is_number(args[0]):
        return OTHER
    found = args[0].as_float()  # itself, if it is too large for that
    return found if isinstance(found, ArrayProtocol) else float(found)


# ----- NumPy's -----


def _not_of_arrays(parts: Parts, function: Any, args: Any, kwargs: Any) -> Any:
    if any(map(is_stand_in, args)):
        give_up(f"calls `{function.__name__}` with an array, which is an error")
    return OTHER


def _from_iterable(parts: Parts, function: Any, args: Any, kwargs: Any) -> Any:
    def make(iter: Any, dtype: Any, count: Any = -1, **more: Any) -> Any:
        call = parts.context.call
        return call(
            np.array, items_for_array(call, iter, dtype, as_seen(count), **more), dtype
        )

    return make(*args, **kwargs)


def _of_memory(parts: Parts, function: Any, args: Any, kwargs: Any) -> Any:
    """``np.shares_memory``: copies of the user's arrays share none with these."""
    if any(map(parts.context.recorder.is_in_copies, map(raw_of, args))):
        raise InFull
    return OTHER


def _generator(parts: Parts, function: Any, args: Any, kwargs: Any) -> Any:
    """A generator of the function's own."""

    def make(seed: Any = None) -> Any:
        seed = as_seen(seed)
        if type(seed) is not int:
            give_up("makes a random generator without a number as its seed")
        return function(seed)

    return make(*args, **kwargs)


def _error_state(parts: Parts, function: Any, args: Any, kwargs: Any) -> Any:
    """``np.errstate``: what NumPy does where a result is no number."""
    catching, within = parts.context.reads.catching, parts.context.recorder.within
    if not all(type(each) is str for each in kwargs.values()):
        give_up("calls `np.errstate` with more than words")
    if within:  # its graph has no lines that settings are told of
        give_up(f"calls `np.errstate` {within}")
    if catching.error_states is None:
        catching.error_states = ErrorStates()
    catching.error_states.enter(kwargs)
    return np.errstate(*args, **kwargs)


# ----- The tables -----

# Nobody is told of these, where there is such a number.
NUMBER_HANDLERS: dict[Any, Way] = {
    **dict.fromkeys(WRITTEN_OUT, _extreme),
    **dict.fromkeys(ROUNDING, _rounded),
}
# What only tells something.
EFFECTS = (print, warnings.warn, *(getattr(logging, name) for name in LOGGING))
# The formula of refusing: these read what a Variable has, but no ndarray.
NOT_OF_ARRAYS = (
    *(np.dtype, np.promote_types, np.issubdtype, operator.concat, operator.iconcat),
)
# What does the same as untraced, whatever it gets.
AS_UNTRACED = (logging.getLogger, functools.partial, dict.fromkeys)
# The formula of calls on integers: these are the same of one and of that as a float.
ALIKE_FOR_INTS = [
    function
    for name in "sqrt exp log log10 log1p expm1 sin cos tan tanh sinh cosh".split()
    for function in (getattr(np, name), getattr(math, name))
]
# The formula of dispatch: which handler runs in the place of which function.
FUNCTIONS: dict[Any, Way] = {
    # Objects
    **dict.fromkeys((isinstance, type), lambda p, f, a, k: p.asking.kind(f, a, k)),
    hasattr: lambda p, f, a, k: p.asking.has(*a) if len(a) == 2 else OTHER,
    getattr: _get,
    vars: lambda p, f, a, k: (
        p.context.attribute(a[0], "__dict__") if len(a) == 1 else OTHER
    ),
    **dict.fromkeys(STATEMENTS, lambda p, f, a, k: STATEMENTS[f](p.storing, *a)),
    **dict.fromkeys(COPYING, lambda p, f, a, k: make_copy(p.context, f, a, k)),
    **dict.fromkeys(
        TAKING_APART,
        lambda p, f, a, k: (
            take_apart(p.context, f, *a) if len(a) == 1 and not k else OTHER
        ),
    ),
    **dict.fromkeys((np.shares_memory, np.may_share_memory), _of_memory),
    # Texts, and what is told
    **dict.fromkeys((str, repr, format), lambda p, f, a, k: p.telling.called(f, a, k)),
    **dict.fromkeys(EFFECTS, lambda p, f, a, k: p.telling.tell(f, a, k)),
    # What holds or gives something
    **dict.fromkeys(AS_UNTRACED, lambda p, f, a, k: f(*a, **k)),
    typing.cast: lambda p, f, a, k: a[1] if len(a) == 2 else OTHER,
    contextlib.suppress: lambda p, f, a, k: Suppressing(p.context.reads, a),
    len: lambda p, f, a, k: (
        p.context.reads.length(a[0]) if isinstance(a[0], Followed) else OTHER
    ),
    next: lambda p, f, a, k: (
        p.drawing.taken_of(a[0]) if a and type(a[0]) is FollowedIterator else OTHER
    ),
    # Numbers
    float: _float,
    **dict.fromkeys((min, max), _of_integers),
    **dict.fromkeys(ALIKE_FOR_INTS, _of_float),
    # NumPy's
    **dict.fromkeys(NOT_OF_ARRAYS, _not_of_arrays),
    # Any content will do, but the same at each call.
    np.empty: lambda p, f, a, k: p.computing.compute(np.zeros, a, k),
    np.fromiter: _from_iterable,
    np.random.seed: lambda p, f, a, k: p.drawing.draw(method_of_generator(f), a, k),
    **dict.fromkeys(GENERATOR_MAKERS, _generator),
    np.errstate: _error_state,
}
# The kinds of these: nothing else is looked up, for it may be of the user's own.
TABLED = frozenset(map(type, (*NUMBER_HANDLERS, *FUNCTIONS)))
