"""``Acting``: what a traced function does beside reading: effects, and random draws.

They are noted here (``effects``, ``draws``) and done by others.
"""

import operator
from collections.abc import Callable, Iterable, Mapping
from types import (
    CellType,
    ModuleType,
)
from typing import Any

import numpy as np

from srcgrad.emit.checks import place as line_of
from srcgrad.failing import fails
from srcgrad.protocols import ArrayProtocol
from srcgrad.steps import Location, Node, Step, Value, values_in
from srcgrad.tape.apply import apply
from srcgrad.tracing.arrays.own_array import OwnArray, contents
from srcgrad.tracing.outside import conditions
from srcgrad.tracing.outside.changing_ints import FollowedInt, as_seen
from srcgrad.tracing.outside.conditions import MISSING
from srcgrad.tracing.outside.containers import Followed, opened
from srcgrad.tracing.outside.draws import GENERATORS, OF_MODULES, Draw, state_of
from srcgrad.tracing.outside.error_states import KINDS as ERRORS
from srcgrad.tracing.outside.iterators import Ended, FollowedIterator, Taken, take_next
from srcgrad.tracing.outside.members import class_member, is_slot
from srcgrad.tracing.outside.outside_array import OutsideArray, are_apart
from srcgrad.tracing.outside.places import (
    Called,
    Known,
    Place,
)
from srcgrad.tracing.outside.signature import is_dynamic
from srcgrad.tracing.outside.sinks import (
    errors_run_no_users_code,
    run_no_users_code,
    runs_users_code,
)
from srcgrad.tracing.outside.stand_ins import stand_in
from srcgrad.tracing.outside.texts import Text, is_live
from srcgrad.tracing.outside.trust import (
    HOLDERS,
)
from srcgrad.tracing.refusal import give_up, give_up_write
from srcgrad.tracing.watching.effects import Action, from_line_of_user
from srcgrad.tracing.watching.entering import Entering
from srcgrad.transforms.algebra.raising import may_signal
from srcgrad.transforms.reading import nodes_needed
from srcgrad.updates import assign


def _own_copy(arg: Any) -> Any:
    """A constant that a random number is drawn from."""
    arg = contents(as_seen(opened(arg)))
    return arg.copy() if isinstance(arg, np.ndarray) else arg


def is_seed(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
    """Whether a generator is to begin at a place that is the same at each call."""
    return len(args) == 1 and not kwargs and type(args[0]) is int


def _read_by(step: Step) -> Iterable[Value]:
    """What a step reads; to fill all of an array it reads nothing of that."""
    if not isinstance(step, Node) or step.function is not assign:
        return step.inputs
    _, index, value = step.args
    parts = index if type(index) is tuple else (index,)
    is_all = all(part is ... or part == slice(None) for part in parts)
    return values_in(value) if is_all else step.inputs


# Numbers of which nobody tells one object from another.
FLOATS = float, np.float64

# Stands for an attribute that the function has deleted.
DELETED: Any = object()


class Acting(Entering):
    """The effects and random numbers of one traced call; see ``Reads``."""

    # Whether it has taken an item of an iterator that runs code of the user's.
    _has_taken = False
    # How much of what was read was in such items.
    _by_items = 0
    # How much was read before anything was told.
    _read_before = 0

    # ----- Errors -----

    def go_on_after(self, error: BaseException | None) -> None:
        """Go on after an error that the user's code has caught, if it comes again.

        That of a key that is missing comes as long as it is; that of an operation, as
        long as this fails. With any other the run on the tape goes on.
        """
        if self.is_foreseen(error):
            return
        failure = self.recorder.failure
        if failure is None or failure.error is not error or self.recorder.within:
            give_up("catches an error")
        settings: tuple[tuple[str, str], ...] = ()
        if isinstance(error, FloatingPointError):
            settings = self._settings_at(failure.where)
        given = type(error), settings, failure.function, *failure.args
        writer = self.recorder.writer
        before, writer.where = writer.where, failure.where
        try:
            is_failure = bool(apply(fails, given, failure.kwargs))
        finally:
            writer.where = before
        if not is_failure:
            give_up("catches an error that does not come again")

    def _settings_at(self, where: Location | None) -> tuple[tuple[str, str], ...]:
        """What the function itself says by ``np.errstate`` of all errors, in a line."""
        said = self.error_states
        words = {} if said is None or where is None else said.settings_at(where)
        if len(words) < len(ERRORS):
            give_up("catches an error that NumPy is told to raise outside")
        return tuple(words.items())

    # ----- Effects -----

    def tells(self, function: Callable[..., Any]) -> None:
        """Note that something is told, which may change what is read from then on."""
        if not self.told:
            self._read_before = self.outside.count()
        self.told.append(function)

    def _check_told(self) -> None:
        """What is read after something was told is as it was before."""
        if not self.told:
            return
        if self.reads_after_telling or self.outside.count() > self._read_before:
            if any(map(runs_users_code, self.told)):
                give_up("tells something to code of the user's, and reads outside then")
            self.require(run_no_users_code(self.told))

    def check_errors(self, steps: Iterable[Step]) -> None:
        """No floating-point error of the steps changes what is read, or told."""
        if not self.outside.is_read and not self.effects:
            return
        if any(isinstance(step, Node) and may_signal(step) for step in steps):
            self.require(errors_run_no_users_code())

    def acts(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: Any = None,
        found: tuple[tuple[Place, Any], ...] = (),
    ) -> None:
        """Note an effect: a call of a function, from the line of the user's."""
        action = Action(from_line_of_user(function), found, self._acting_line())
        self.effects.add(action, args, kwargs or {})

    def wrote(self, own: OutsideArray, index: Any, value: Any) -> None:
        """Note a write into an array from outside."""
        self.effects.write(own, index, value, self._acting_line())

    def _acting_line(self) -> str:
        """The user's line, where it may do more than compute."""
        if self.recorder.is_in_users_backward:
            give_up("does more than compute in the backward of a Function")
        if self.recorder.within:
            give_up(f"does more than compute, {self.recorder.within}")
        where = self.recorder.writer.current_location()
        return "" if where is None else f"{line_of(where)}{where.text}"

    def changes_of(
        self, item: Any, place: Place, function: Callable[..., Any], args: Any
    ) -> None:
        """Note a change of an object that was found outside."""
        self._changed[id(item)] = item, place
        self.acts(function, args, found=((place, item),))

    def is_changed(self, item: Any) -> bool:
        """Whether the function has changed an object that was found outside."""
        return any(
            id(each) in self._changed for each in (item, self._objects.get(id(item)))
        )

    def set_attribute(
        self, item: Any, name: str, value: Any, is_plain: bool = False
    ) -> None:
        """``item.name = value`` of an object that is looked into."""
        place = self._seen[id(item)][0]
        # What keeps others from setting it (a frozen dataclass) is passed over once.
        if is_plain and class_member(self.twins.kind_of(item), "__setattr__") is not (
            object.__setattr__
        ):
            give_up(f"sets `{place.text}.{name}` by `object.__setattr__`")
        if not self.is_plain_attribute(item, name):
            give_up(f"sets `{place.text}.{name}`, which its class does in its own way")
        self._check_unseen(item, place)
        self.names[id(item), name] = value
        self.changes_of(item, place, setattr, (name, value))

    def _check_unseen(self, item: Any, place: Place) -> None:
        """What ``vars(item)`` stands for does not change after all."""
        if id(getattr(item, "__dict__", None)) in self._seen:
            give_up(f"changes `{place.text}` after it has looked into its `__dict__`")

    def is_plain_attribute(self, item: Any, name: str) -> bool:
        """Whether to set an attribute is to keep what it is set to, and no more."""
        if isinstance(item, (ArrayProtocol, np.ndarray, ModuleType)):
            return True
        kind = self.twins.kind_of(item)
        member = class_member(kind, name)
        own = class_member(kind, "__setattr__")
        is_usual = own in (object.__setattr__, type.__setattr__)
        if not is_usual and kind not in HOLDERS:
            return False
        return member is MISSING or is_slot(member) or not hasattr(member, "__set__")

    def may_hold(self, item: Any, name: str) -> bool:
        """Whether nobody minds that an attribute is set, which an arm may not have set.

        Of an object that was found outside it is a number, for what was there is set
        anew.
        """
        if not self.is_plain_attribute(item, name):
            return False
        if (id(item), name) in self.names:
            return self.names[id(item), name] is not DELETED
        own = getattr(item, "__dict__", {})
        if self.twins.is_own(item):
            if id(item) in self.twins.opened:
                return False
            member = class_member(self.twins.kind_of(item), name)
            return name in own or (is_slot(member) and hasattr(item, name))
        return self.place_of(item) is not None and type(own.get(name)) in FLOATS

    def delete_attribute(self, item: Any, name: str) -> None:
        """``del item.name`` of an object that is looked into."""
        place, kind = self._seen[id(item)][0], self.twins.kind_of(item)
        member = class_member(kind, name)
        own = class_member(kind, "__delattr__")
        has_own = name in getattr(item, "__dict__", {}) or (
            self.names.get((id(item), name), DELETED) is not DELETED
        )
        if not has_own or hasattr(member, "__delete__"):
            give_up(f"deletes `{place.text}.{name}`, which is not its own")
        if own is not object.__delattr__ and kind not in HOLDERS:
            give_up(f"deletes `{place.text}.{name}`, which its class does")
        self._check_unseen(item, place)
        if (id(item), name) not in self.names:
            self.require(conditions.has(place, name))
        self.names[id(item), name] = DELETED
        self.changes_of(item, place, delattr, (name,))

    def set_global(self, namespace: dict[str, Any], name: str, value: Any) -> None:
        """``name = value`` of a ``global`` name."""
        self.names[id(namespace), name] = value
        place = Known("globals", namespace)
        self.acts(operator.setitem, (name, value), found=((place, namespace),))

    def set_cell(self, name: str, cell: CellType, value: Any) -> None:
        """``name = value`` of a ``nonlocal`` name."""
        self.names[id(cell), name] = value
        place = Known(f"{name}_cell", cell)
        self.acts(setattr, ("cell_contents", value), found=((place, cell),))

    def is_made_again(self, leaf: Any) -> bool:
        """Whether a leaf of the result is made, or found, or told at each call."""
        return (
            self.twins.is_own(leaf)
            or isinstance(leaf, (Followed, FollowedInt, Text, OutsideArray))
            or (self.place_of(leaf) is not None and not isinstance(leaf, ArrayProtocol))
        )

    def close_effects(self) -> None:
        """The run is over: what was changed is what it was found as, and no other."""
        self._check_told()
        for item, place in self._changed.values():
            for other in self._alive:
                if other is not item and type(other) is type(item):
                    first, second = sorted(
                        (place, self._seen[id(other)][0]), key=lambda each: each.text
                    )
                    self.outside.require(conditions.are_two(first, second))
        self._close_writes()
        self.effects.close(self._found, self.outside.hold, self.twins)

    def _close_writes(self) -> None:
        """What was written into is in no memory of another array's."""
        written = {own.place.text: own for own in self.effects.written}
        if not written:
            return
        places = [own.place for own in written.values()]
        arrays = [own.array for own in written.values()]
        others = [each for each in self._arrays if each[0].text not in written]
        for other, leaf in others:
            if any(leaf is array for array in arrays):
                give_up_write(other.text, f"writes into `{other.text}` by two names")
        if not are_apart(arrays, [leaf for _, leaf in others]):
            give_up(f"writes into `{places[0].text}`, which shares memory with another")
        for place in places:
            self.outside.require(conditions.is_writeable(place))
        self.outside.require(conditions.are_apart(places, [p for p, _ in others]))

    def check_writes(self, roots: Iterable[Value]) -> None:
        """Refuse writes into what a gradient may need, which begins at these."""
        writer = self.recorder.writer
        # Iterations that are left out read what those around them do.
        steps = writer.steps_from(0)
        needed = nodes_needed(steps, roots)
        read = {value for node in needed for value in _read_by(node)}
        for own in self.effects.written:
            if writer.value_of(own.start) in read:
                give_up(f"writes into `{own.place.text}`, of which a result is made")

    def _found(self, item: Any) -> tuple[Place, Any] | None:
        """What object from outside an argument of an effect stands for, and where."""
        if isinstance(item, Followed):
            return item.place, item.item
        if isinstance(item, FollowedInt):
            return item.place, item.value
        place = self.place_of(item)
        if isinstance(item, ArrayProtocol) and type(item) is not OutsideArray:
            return None
        if place is None:
            return None
        return place, self._objects.get(id(item), item)

    def asked_of(self, function: Any, *args: Any) -> Any:
        """What a Logger says of itself: whether it tells what is of some level."""
        logger = function.__self__
        place = Called(Known("logger", logger), function.__name__, args, {})
        return self.remembered(
            (id(logger), place.text), lambda: self.enter(place, function(*args))
        )

    # ----- Random numbers -----

    def draw(self, function: Any, args: Any, kwargs: Any) -> Any:
        """A call of a generator's method that draws."""
        name, generator = function.__name__, function.__self__
        if self.recorder.within:
            give_up(f"draws by `{name}`, {self.recorder.within}")
        args = tuple([_own_copy(arg) for arg in args])
        kwargs = {key: _own_copy(arg) for key, arg in kwargs.items()}
        if is_live([*args, *kwargs.values()]):
            give_up(f"draws by `{name}` from what is computed: scale standard numbers")
        if name == "seed" and not is_seed(args, kwargs):
            give_up("seeds a generator by what is no integer")
        place = self.place_of(generator)
        if place is None and generator in OF_MODULES:
            place = self._generators.setdefault(
                id(generator), Known("random_state", generator)
            )
        if place is None:
            return function(*args, **kwargs)  # it was made inside, of a constant seed
        if self._has_taken:  # whose code may draw from it too
            give_up(f"draws by `{name}` after it has taken an item of an iterator")
        if self.recorder.is_in_users_backward:
            give_up("draws random numbers in the backward of a Function")
        if not any(known is generator for known, _ in self.drawn):
            self.drawn.append(state_of(generator))
        if name == "seed":
            self.outside.draw(Draw(place, name, args, kwargs))
            return function(*args, **kwargs)
        return self._drawn(Draw(place, name, args, kwargs), function(*args, **kwargs))

    def taken_of(self, iterator: FollowedIterator) -> Any:
        """``next(iterator)``: an item, as what is read outside; see ``iterators``."""
        name, place = iterator.place.text, Taken(iterator.place)
        if self.recorder.writer.count() or self.recorder.is_in_users_backward:
            give_up(f"takes an item of `{name}` after it has computed something")
        is_open = not iterator.is_plain
        if is_open and (self.effects or self.outside.count() != self._by_items):
            give_up(f"takes an item of `{name}` after it has read or done something")
        if is_open and any(isinstance(each, GENERATORS) for each, _ in self.drawn):
            give_up(f"takes an item of `{name}` after it has drawn random numbers")
        before = self.outside.count()
        try:
            item = take_next(iterator.item, self.drawn)
        except Ended:
            give_up(f"takes an item of `{name}`, which has none or raises an error")
        self._has_taken = self._has_taken or is_open
        self.outside.draw(place)
        seen = self.enter(place, item)
        self._by_items += self.outside.count() - before
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
        place = Called(Known(name, function), "", args, kwargs)
        return self.remembered(
            (id(function), place.text),
            lambda: self.enter(place, function(*args, **kwargs)),
        )

    def _drawn(self, place: Draw, value: Any) -> Any:
        """What the function sees of a random number, which is an input."""
        if type(value) is int:
            self.outside.draw(place)
            return FollowedInt(place, value, self)
        if not is_dynamic(value):
            give_up(f"draws a {type(value).__name__} by `{place.text}`")
        drawn = self._take(place, value, stand_in(value, self._raws))
        is_changed = type(value) is np.ndarray and place.text in self._changing
        return OwnArray(drawn) if is_changed else drawn
