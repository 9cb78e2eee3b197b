"""``Drawing``: what a recorded run takes from the environment anew at each call.

Random numbers are live (``draws``), and so are items of iterators; what a function
remembers, or a Logger says, is looked up again.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from srcgrad.tracing.arrays.functional_array import FunctionalArray, contents
from srcgrad.tracing.capture.context import Context
from srcgrad.tracing.environment.changing_ints import FollowedInt
from srcgrad.tracing.environment.containers import opened
from srcgrad.tracing.environment.draws import GENERATORS, OF_MODULES, Draw, state_of
from srcgrad.tracing.environment.iterators import (
    Ended,
    FollowedIterator,
    Taken,
    take_next,
)
from srcgrad.tracing.environment.references import Called, Known, Reference
from srcgrad.tracing.environment.signature import is_dynamic
from srcgrad.tracing.environment.symbolic import as_seen
from srcgrad.tracing.environment.texts import is_live
from srcgrad.tracing.refusal import give_up


class Drawing:
    """The random numbers of a run, and what else its calls take of the environment."""

    def __init__(self, context: Context) -> None:
        self._reads, self._recorder = context.reads, context.recorder
        self._generators: dict[int, Reference] = {}
        # Whether it has taken an item of an iterator that runs code of the user's.
        self._has_taken = False
        # How much of what was read was in such items.
        self._by_items = 0

    def asked_of(self, function: Any, *args: Any) -> Any:
        """What a Logger says of itself: whether it tells what is of some level."""
        logger = function.__self__
        reference = Called(Known("logger", logger), function.__name__, args, {})
        return self._reads.remembered(
            (id(logger), reference.text),
            lambda: self._reads.enter(reference, function(*args)),
        )

    def draw(self, function: Any, args: Any, kwargs: Any) -> Any:
        """A call of a generator's method that draws."""
        name, generator = function.__name__, function.__self__
        if self._recorder.within:
            give_up(f"draws by `{name}`, {self._recorder.within}")
        args = tuple([_own_copy(arg) for arg in args])
        kwargs = {key: _own_copy(arg) for key, arg in kwargs.items()}
        if is_live([*args, *kwargs.values()]):
            give_up(f"draws by `{name}` from what is computed: scale standard numbers")
        if name == "seed" and not is_seed(args, kwargs):
            give_up("seeds a generator by what is no integer")
        reference = self._reads.reference_of(generator)
        if reference is None and generator in OF_MODULES:
            reference = self._generators.setdefault(
                id(generator), Known("random_state", generator)
            )
        if reference is None:
            return function(*args, **kwargs)  # it was made inside, of a constant seed
        if self._has_taken:  # whose code may draw from it too
            give_up(f"draws by `{name}` after it has taken an item of an iterator")
        if self._recorder.is_in_users_backward:
            give_up("draws random numbers in the backward of a Function")
        if not any(known is generator for known, _ in self._reads.drawn):
            self._reads.drawn.append(state_of(generator))
        if name == "seed":
            self._reads.environment.draw(Draw(reference, name, args, kwargs))
            return function(*args, **kwargs)
        return self._drawn(
            Draw(reference, name, args, kwargs), function(*args, **kwargs)
        )

    def taken_of(self, iterator: FollowedIterator) -> Any:
        """``next(iterator)``: an item, read of the environment; see ``iterators``."""
        name, reference = iterator.reference.text, Taken(iterator.reference)
        if self._recorder.writer.count() or self._recorder.is_in_users_backward:
            give_up(f"takes an item of `{name}` after it has computed something")
        is_open = not iterator.is_plain
        if is_open and (
            self._reads.effects or self._reads.environment.count() != self._by_items
        ):
            give_up(f"takes an item of `{name}` after it has read or done something")
        if is_open and any(
            isinstance(each, GENERATORS) for each, _ in self._reads.drawn
        ):
            give_up(f"takes an item of `{name}` after it has drawn random numbers")
        before = self._reads.environment.count()
        try:
            item = take_next(iterator.item, self._reads.drawn)
        except Ended:
            give_up(f"takes an item of `{name}`, which has none or raises an error")
        self._has_taken = self._has_taken or is_open
        self._reads.environment.draw(reference)
        seen = self._reads.enter(reference, item)
        self._by_items += self._reads.environment.count() - before
        return seen

    def cached(self, function: Any, args: Any, kwargs: Any) -> Any:
        """A call of a function that remembers its results: ``functools.cache``."""
        args = tuple([_own_copy(arg) for arg in args])
        kwargs = {key: _own_copy(arg) for key, arg in kwargs.items()}
        name = getattr(function, "__name__", "a cached function")
        if is_live([*args, *kwargs.values()]):
            give_up(
                f"calls `{name}` with what is computed, and it remembers its results"
            )
        reference = Called(Known(name, function), "", args, kwargs)
        return self._reads.remembered(
            (id(function), reference.text),
            lambda: self._reads.enter(reference, function(*args, **kwargs)),
        )

    def _drawn(self, reference: Draw, value: Any) -> Any:
        """What the function sees of a random number, which is an input."""
        if type(value) is int:
            self._reads.environment.draw(reference)
            return FollowedInt(reference, value, self._reads)
        if not is_dynamic(value):
            give_up(f"draws a {type(value).__name__} by `{reference.text}`")
        drawn = self._reads.take(reference, value)
        is_changed = type(value) is np.ndarray and self._reads.is_changing(reference)
        return FunctionalArray(drawn) if is_changed else drawn


def is_seed(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
    """Whether a generator is to begin at a place that is the same at each call."""
    return len(args) == 1 and not kwargs and type(args[0]) is int


def _own_copy(arg: Any) -> Any:
    """A constant that a random number is drawn from."""
    arg = contents(as_seen(opened(arg)))
    return arg.copy() if isinstance(arg, np.ndarray) else arg
