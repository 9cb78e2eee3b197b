"""What a traced function does beside computing: it prints, logs, and changes objects.

While a function is recorded nothing of this happens. It is noted, in order, and done
when the run is over: at the end of a recording, and after ``forward`` in a compiled
call, when no guard can fail and no operation can raise any more. So nothing happens
twice, or in vain. What the function reads after a change, it gets from the notes.

>>> import types
>>> effects = Effects()
>>> effects.add(Action(print, (), "f.py:1: print('loss', loss)"), ("loss", 2.5), {})
>>> effects.close(lambda item: None, lambda reference, item: 0, Twins(None))
>>> effects.perform(effects.values, ())
loss 2.5
"""

import operator
import sys
from collections.abc import Callable, Sequence
from types import FrameType, FunctionType, MethodType
from typing import Any, NamedTuple

import numpy as np

from srcgrad.modes import state
from srcgrad.protocols import ArrayProtocol
from srcgrad.tape.operands import variables_in
from srcgrad.tape.variable import Variable
from srcgrad.tracing.arrays.functional_array import FunctionalArray
from srcgrad.tracing.capture.lasting_objects import is_defined_in, is_lasting
from srcgrad.tracing.capture.returned import is_of_texts
from srcgrad.tracing.environment.class_members import is_slot
from srcgrad.tracing.environment.environment_array import EnvironmentArray
from srcgrad.tracing.environment.objects import Twins
from srcgrad.tracing.environment.references import Reference
from srcgrad.tracing.environment.texts import Text
from srcgrad.tracing.environment.trust import HOLDERS, is_namedtuple
from srcgrad.tracing.following.leaving import left
from srcgrad.tracing.refusal import give_up
from srcgrad.tracing.user_code.copies import is_copied

# Makes an argument of an effect: of the values that were computed, and of the objects
# that were found in the environment.
Maker = Callable[[Sequence[Any], Sequence[Any]], Any]


# An object, and where it was found.
Found = tuple[Reference, Any]


class Action(NamedTuple):
    """What is done.

    Attributes
    ----------
    function : callable
    found : tuple of (Reference, object)
        The objects that are its first arguments, and where they were found.
    text : str
        The line of the user's, for people.
    """

    function: Callable[..., Any]
    found: tuple[Found, ...]
    text: str


# There is no result that has to be made.
NOT_MADE: Any = object()


class Effects:
    """The effects of one run, in order.

    Attributes
    ----------
    values : list
        The arrays and numbers that the function has computed for them.
    """

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._noted: list[tuple[Action, Any, int]] = []
        self._steps: list[tuple[Callable[..., Any], list[Maker], Maker | None]] = []
        self._texts: list[str] = []
        # The arrays of the environment that were written into, and what waits to be
        # noted.
        self.written: list[EnvironmentArray] = []
        self._waiting: dict[int, _Writes] = {}
        self._result: Any = NOT_MADE
        self._make: Maker | None = None

    def __bool__(self) -> bool:
        is_made = self._result is not NOT_MADE
        return bool(self._noted or self._steps or self._waiting or is_made)

    def give(self, result: Any) -> None:
        """Note what the function returns, if it is no plain container of arrays."""
        self._result = result

    def add(self, action: Action, args: tuple[Any, ...], kwargs: Any) -> None:
        """Note an effect.

        Its arguments are looked at when the run is over, like any result; unless it
        only tells what they are, see ``as_told``.
        """
        self._note_writes()
        self._noted.append((action, (args, kwargs), state.depth))

    def write(self, own: EnvironmentArray, index: Any, value: Any, text: str) -> None:
        """Note a write into an array of the environment; no index: all may be another.

        Of several, with no other effect in between, what the array holds at the end.
        """
        if not any(each is own for each in self.written):
            self.written.append(own)
        writes = self._waiting.setdefault(id(own), _Writes(own, state.depth, [], text))
        writes.steps.append((index, value) if _is_told(index) else None)

    def _note_writes(self) -> None:
        for own, depth, steps, text in self._waiting.values():
            args = steps[0] if len(steps) == 1 else None
            if args is None:
                args = ..., own.content
            action = Action(operator.setitem, ((own.reference, own.array),), text)
            self._noted.append((action, (args, {}), depth))
        self._waiting.clear()

    def close(
        self,
        found_of: Callable[[Any], Found | None],
        hold: Callable[[Reference, Any], int],
        twins: Twins,
    ) -> None:
        """The run is over: find out how each argument is made again.

        ``found_of(item)`` says what object of the environment it stands for, if it
        does, and ``hold(place, object)`` its number among those that ``perform`` will
        get.
        """
        self._note_writes()
        templates = _Templates(self.values, found_of, hold, twins)
        for action, (args, kwargs), depth in self._noted:
            templates.is_inner = depth > state.depth
            makers = [templates.held(*found) for found in action.found]
            makers += map(templates.of, args)
            keywords = templates.of(kwargs) if kwargs else None
            self._steps.append((action.function, makers, keywords))
            self._texts.append(action.text)
        if self._result is not NOT_MADE:
            self._make, self._result = templates.of(self._result), None
        self._noted.clear()

    def perform(self, values: Sequence[Any], held: Sequence[Any]) -> None:
        """Do it, as the user's own lines would."""
        for function, makers, keywords in self._steps:
            args = [make(values, held) for make in makers]
            if keywords is None:
                function(*args)
            else:
                function(*args, **keywords(values, held))
        if state.left_behind is not None:  # a transform runs: its Variables are its own
            for item in held:
                state.left_behind.note(item)

    def made(self, result: Any, values: Sequence[Any], held: Sequence[Any]) -> Any:
        """What the function returns: the result, or what is made for it."""
        return result if self._make is None else self._make(values, held)

    def finish(self, result: Any, values: Sequence[Any], held: Sequence[Any]) -> Any:
        """Do it, and give what the function returns."""
        self.perform(values, held)
        return self.made(result, values, held)

    def told(self) -> list[str]:
        """The user's lines, in order."""
        return self._texts


def _is_told(index: Any) -> bool:
    """Whether it is an index that the same arrays and numbers make again."""
    parts = index if type(index) is tuple else (index,)
    return index is not None and not any(
        type(part) is slice and variables_in(part) for part in parts
    )


class _Writes(NamedTuple):
    """Writes into one array: indices and values, None where these are not known."""

    own: EnvironmentArray
    depth: int
    steps: list[Any]
    text: str


def as_told(item: Any, is_inner: bool = False) -> Any:
    """An argument that is only to be told, as it is now: what it holds may change."""
    if isinstance(item, FunctionalArray):
        item = item.content
    if isinstance(item, (ArrayProtocol, np.ndarray)):
        if is_inner and isinstance(item, ArrayProtocol) and not item.stands_for_array:
            give_up("tells of a Variable in a container, and so of its `grad_fn`")
        item = item.detach() if isinstance(item, Variable) else item
        return np.copy(item) if np.ndim(item) else item
    kind = type(item)
    if kind in (list, tuple):
        return kind([as_told(each, True) for each in item])
    if kind is dict:
        return {key: as_told(each, True) for key, each in item.items()}
    return item


def all_as_told(item: Any) -> Any:
    """The same, also of what is in the parts of a text."""
    if type(item) is tuple:
        return tuple(map(all_as_told, item))
    if type(item) is dict:
        return {key: all_as_told(each) for key, each in item.items()}
    return as_told(item)


# ----- How an argument is made again -----


class _Templates:
    """Makes the makers of arguments, and collects the values that they need."""

    def __init__(
        self,
        values: list[Any],
        found_of: Callable[[Any], Found | None],
        hold: Callable[[Reference, Any], int],
        twins: Twins,
    ) -> None:
        self._values, self._found_of, self._hold = values, found_of, hold
        self._twins = twins
        self._containers: list[Any] = []
        # Whether it was in a transform, whose Variables nobody else may see.
        self.is_inner = False

    def held(self, reference: Reference, item: Any) -> Maker:
        """An object of the environment."""
        number = self._hold(reference, item)
        return lambda values, found: found[number]

    def of(self, item: Any) -> Maker:
        """Anything."""
        found = self._found_of(item)
        if found is not None:
            return self.held(*found)
        if self._twins.is_own(item):
            return self._object(item)
        kind = type(item)
        if kind is Text:
            return _called(item.function, self.of(item.args), self.of(item.kwargs))
        if issubclass(kind, FunctionalArray) or kind is np.ndarray:
            return self._value(left(item))
        if isinstance(item, ArrayProtocol):
            return self._value(item)
        if kind in (list, dict, set):
            self._once(item)
        if kind in (tuple, list) or is_namedtuple(kind):
            return self._sequence(kind, item)
        if kind is dict:
            return _called(dict, self.of(([*item.items()],)))
        if kind in (set, frozenset):
            return self._set(kind, item)
        if kind is MethodType:
            return self._method(item)
        if kind in (slice, range):
            return _called(kind, self.of((item.start, item.stop, item.step)))
        if is_lasting(item) and not is_of_texts(item):
            return lambda values, found: item
        return give_up(f"keeps or tells a {kind.__name__}")

    def _once(self, item: Any) -> None:
        if any(each is item for each in self._containers):
            give_up(f"keeps one {type(item).__name__} in two places")
        self._containers.append(item)

    def _object(self, item: Any) -> Maker:
        """An object of the function's own, as one of the user's class."""
        self._once(item)
        kind = self._twins.kind_of(item)
        names = [*getattr(item, "__dict__", {})]
        for base in kind.__mro__:
            names += [
                n for n, m in vars(base).items() if is_slot(m) and hasattr(item, n)
            ]
        makers = [self.of(getattr(item, name)) for name in names]

        def make(values: Sequence[Any], found: Sequence[Any]) -> Any:
            made: Any = kind() if kind in HOLDERS else object.__new__(kind)
            for name, each in zip(names, makers, strict=True):
                object.__setattr__(made, name, each(values, found))
            return made

        return make

    def _set(self, kind: type, item: Any) -> Maker:
        items = [*item]
        if any(a is not b for a, b in zip(kind(items), items, strict=True)):
            give_up("keeps or tells a set of an order of its own")
        return _called(kind, self.of((items,)))

    def _method(self, item: MethodType) -> Maker:
        """A method of a class, or of an object of the environment."""
        owner, function = item.__self__, item.__func__
        found = self._found_of(owner)
        if not (isinstance(owner, type) or found):
            give_up("keeps or tells a method of what it has made")
        original = owner if found is None else found[1]
        if not is_defined_in(original, function):
            give_up(f"keeps or tells the method `{item.__name__}` in a way of its own")
        return _called(MethodType, self.of((function, owner)))

    def _value(self, item: Any) -> Maker:
        if self.is_inner and isinstance(item, Variable) and not item.stands_for_array:
            give_up("keeps or tells a Variable of a transform")
        number = next((i for i, v in enumerate(self._values) if v is item), None)
        if number is None:
            number = len(self._values)
            self._values.append(item)
        return lambda values, found: values[number]

    def _sequence(self, kind: Any, items: Any) -> Maker:
        makers = [self.of(each) for each in items]
        make = kind if kind in (tuple, list) else kind._make
        return lambda values, found: make([each(values, found) for each in makers])


def _no_keywords(values: Sequence[Any], found: Sequence[Any]) -> dict[str, Any]:
    return {}


def _called(
    function: Callable[..., Any], args: Maker, kwargs: Maker = _no_keywords
) -> Maker:
    return lambda values, found: function(*args(values, found), **kwargs(values, found))


# ----- Whose line it is -----


def from_line_of_user(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that calls another one from the line of the user's that runs now.

    What looks at its caller (``warnings``, ``logging``) finds the user's file, line and
    module.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not is_copied(frame.f_code):
        frame = frame.f_back
    if frame is None:
        return function
    calling = _calling(function)
    code = calling.__code__.replace(
        co_filename=frame.f_code.co_filename,
        co_firstlineno=frame.f_lineno,
        co_name=frame.f_code.co_name,
    )
    return FunctionType(code, frame.f_globals, closure=calling.__closure__)


def _calling(function: Callable[..., Any]) -> FunctionType:
    # One line, which is then that of the user's.
    return lambda *args, **kwargs: function(*args, **kwargs)  # type: ignore[return-value]
