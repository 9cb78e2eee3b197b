"""``Computing``: calls of what is not followed, if it is known what they do.

Whatever would make generated code differ from the function is refused here: calls whose
effects are not known, and functions of the user's that would run unseen.
"""

import operator
from collections import deque
from types import BuiltinFunctionType
from typing import Any

import numpy as np

from srcgrad.facts import UNKNOWN, facts_of
from srcgrad.rules.algorithms import ALGORITHMS
from srcgrad.rules.libraries import has_replacement, is_recorded
from srcgrad.tape.operands import is_numpys
from srcgrad.tracing.algorithms.algorithm_calls import solve
from srcgrad.tracing.arrays.functional_array import contents_of, let_out, plain
from srcgrad.tracing.arrays.replacements import replacement_of
from srcgrad.tracing.capture.attributes import Attributes
from srcgrad.tracing.capture.context import Context
from srcgrad.tracing.capture.handing import Handing
from srcgrad.tracing.capture.storing import Storing
from srcgrad.tracing.capture.user_functions import refuse_class
from srcgrad.tracing.environment.callables import is_ours
from srcgrad.tracing.environment.changing_ints import beside_floats
from srcgrad.tracing.environment.containers import opened
from srcgrad.tracing.environment.symbolic import as_seen
from srcgrad.tracing.environment.trust import is_namedtuple, is_pure
from srcgrad.tracing.refusal import give_up

# What looks at no object that it is given.
HANDING_ON = frozenset(
    {isinstance, issubclass, callable, type, len, iter, zip, enumerate, map, filter}
    | {list, tuple, dict, reversed}
)
# What asks an object by its special methods, and nothing else.
OPERATING = frozenset(
    {sum, min, max, any, all, sorted, abs, bool, pow, divmod, round, next, hash}
)
# What stands for one of these stands in what calls it too.
OF_LIBRARIES = (BuiltinFunctionType, type, type(np.sum))
FILLED = (list, dict, set, deque)


class Computing:
    """The calls of libraries' functions in a recorded run."""

    def __init__(
        self,
        context: Context,
        attributes: Attributes,
        storing: Storing,
        handing: Handing,
    ) -> None:
        self._context, self._attributes = context, attributes
        self._storing, self._handing = storing, handing
        self._writer = context.recorder.writer

    def compute(self, function: Any, args: Any, kwargs: Any) -> Any:
        """``function(*args, **kwargs)`` of what computes, and does no more."""
        if is_recorded(function):
            args, kwargs = opened(let_out(args)), opened(let_out(kwargs))
            return replacement_of(function)(*args, **kwargs)
        known = facts_of(function)
        if is_numpys(function):
            args = tuple([beside_floats(_as_plain(arg)) for arg in args])
        if not _hands_out(function, known):
            args = tuple(map(opened, args))
            kwargs = {key: opened(arg) for key, arg in kwargs.items()}
        is_transform = getattr(function, "is_transform", False)
        if is_transform:  # which knows arrays and Variables
            args, kwargs = contents_of(args), contents_of(kwargs)
        elif not is_pure(function):
            return self._impure(function, args, kwargs)
        if is_transform or known.calls:
            args = tuple(map(self._handing.followed, args))
            kwargs = {key: self._handing.followed(arg) for key, arg in kwargs.items()}
        elif known.effect == "writes":
            self._storing.check_own(args[0])
        self._check(function, (*args, *kwargs.values()))
        if known.calls and known is not UNKNOWN:  # `map(math.sin, x)`
            args = tuple([_replaced(function, arg) for arg in args])
            kwargs = {key: _replaced(function, arg) for key, arg in kwargs.items()}
        result = replacement_of(function)(*args, **kwargs)
        if isinstance(function, np.ufunc):
            self._writer.note_numpys(result)
        return result

    def _impure(self, function: Any, args: Any, kwargs: Any) -> Any:
        """An algorithm that calls functions of the user's; all else is refused."""
        refuse_class(function)
        name = getattr(function, "__qualname__", None) or repr(function)
        if not has_replacement(function):
            give_up(f"calls `{name}`, which is not known to be pure")
        if function not in ALGORITHMS:
            give_up(f"calls `{name}`, which runs, and has its gradient, on the tape")
        given = contents_of(tuple(map(as_seen, args))), contents_of(kwargs)
        return solve(self._context.recorder, function, *given, self._context.call)

    def _check(self, function: Any, args: Any) -> None:
        """What a function is given may be looked at, and called."""
        owner = getattr(function, "__self__", None)
        is_blind = function in HANDING_ON or isinstance(owner, FILLED)
        by_methods = function in OPERATING
        for arg in args:
            if not is_blind and not (
                by_methods and self._context.reads.twins.knows(arg)
            ):
                self._attributes.look_at(arg)
            if not callable(arg):
                continue
            # A bound traced method is a partial of its copy (`followed_by`).
            if not (self._handing.is_copied(arg) or is_ours(arg) or is_pure(arg)):
                name = getattr(arg, "__name__", repr(arg))
                give_up(f"passes `{name}` to code not traced")


def _as_plain(arg: Any) -> Any:
    """A list or tuple for what NumPy takes for one; it may hold what changes."""
    is_odd = type(arg) is deque or is_namedtuple(type(arg))
    return plain(arg) if is_odd else arg


def _hands_out(function: Any, known: Any) -> bool:
    """Whether a function may give back elements of what it is given, now or later.

    It gets containers of the environment as they are seen: what it hands out is
    changed, too.
    """
    if type(function) is operator.itemgetter:
        return True
    return bool(known.view) and known.effect != "writes" and not is_numpys(function)


def _replaced(function: Any, arg: Any) -> Any:
    """What stands for a library's function that is handed to another."""
    is_dtype = isinstance(arg, type) and is_numpys(function)
    is_one = callable(arg) and isinstance(arg, OF_LIBRARIES) and not is_dtype
    return replacement_of(arg) if is_one else arg
