"""``Lengths``: those of arrays among the arguments, as they change from call to call.

As long as a function asks for nothing but the length of such an array, for elements and
parts, and computes of it what is known to have a shape that follows, the length is an
integer that changes, like an argument that is one (``changing_ints``); so is that of
what it computes. Any other use closes it: the trace is for this length alone. What
becomes of it in the graph is looked at when that is made: ``transforms.lengths``.

>>> from srcgrad.tracing.environment.reader import Environment
>>> lengths, environment, x = Lengths(id), Environment(), np.ones(5)
>>> lengths.open(x, Argument("x", 0), environment)
>>> lengths.item(x, 2), lengths.item(x, -1), lengths.of(x).reference.text
(2, -1, 'len(x)')
>>> _ = lengths.finish([])
>>> lengths.close(x)
>>> [condition.text for condition in environment.conditions]
['`len(x)` was more than 3', '`len(x)` was 5']
"""

import functools
import itertools
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from srcgrad.graph import Graph, walk
from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.pytree import flatten
from srcgrad.selections import FEWEST
from srcgrad.steps import Node, Step, Value
from srcgrad.tracing.counts.loop_indices import LoopIndex
from srcgrad.tracing.counts.selected import Selected
from srcgrad.tracing.environment import conditions
from srcgrad.tracing.environment.changing_ints import FollowedInt
from srcgrad.tracing.environment.references import Argument, Formula, Reference
from srcgrad.tracing.environment.symbolic import Symbolic, as_seen, is_counted
from srcgrad.transforms.loops.equal_axes import FIXED_AXIS, Axes
from srcgrad.transforms.loops.shape_rules import SHAPED, note, rule_of

# Shorter ones are broadcast, or are skipped by loops.
SHORTEST = 2
ARRAYS = ArrayProtocol, np.ndarray
CALLED = FunctionType, MethodType, functools.partial
# The formulas of integers that are another one, and so much.
SUM = re.compile(r"\{\} [+-] \d+|\d+ \+ \{\}")
# What may be asked of an array without a look at its length.
PLAIN = frozenset({"ndim", "dtype", "requires_grad", "itemsize"})
# What is left out of a selection that may be as short as two: nothing, or an end.
PARTS = {*itertools.product((None, 0, 1), (None, -1), (None, 1))}
# What computes as a function does, which is written down.
MEANS: dict[str, Any] = {"mean": np.mean, "var": np.var}
METHODS = frozenset({"sum", "max", "min", "copy", "T", "dot", "cumsum"})


@dataclass(slots=True)
class Length:
    """That of the array at a place.

    ``far`` and ``back`` are how far indices have gone that are no matter of a length.
    """

    reference: Argument
    number: FollowedInt
    reads: Any
    far: int = 0
    back: int = 0


class Lengths:
    """The lengths that are open, by what ``find`` knows an array by.

    ``steps`` gives all that has been written down.
    """

    def __init__(
        self,
        find: Callable[[Any], Any],
        steps: Callable[[], Sequence[Step]] = list,
    ) -> None:
        self._find, self._steps = find, steps
        self._open: dict[Any, Length] = {}
        # Of what else the lengths follow, as far as it has been looked at.
        self._axes, self._noted = RecordedAxes(()), 0
        # What is carried by loops, as long as what that was at first.
        self._carried: list[tuple[Value, Value]] = []
        self._last: Step | None = None
        # What Python has seen the length of, which no array of any has then.
        self._seen: list[Any] = []
        # What masks select, of any count if Python has not seen it.
        self.selected = Selected()

    def __bool__(self) -> bool:
        return bool(self._open)

    @property
    def do_matter(self) -> bool:
        """Whether it matters who asks for a length."""
        return bool(self._open or self.selected)

    def selection(self, item: Any) -> Value | None:
        """What is selected that is as long as an array at any call, if anything."""
        value = self._find(item) if self.selected else None
        if type(value) is not Value or not value.shape:
            return None
        self._note_steps()
        return self.selected.like(value, self._axes)

    def selected_by(self, items: Sequence[Any]) -> Value | None:
        """What is selected that all of some arrays are as long as, at any call."""
        found = [self.selection(item) for item in items] if self.selected else [None]
        return found[0] if all(each is found[0] for each in found) else None

    def open(self, item: Any, place: Argument, reads: Any) -> None:
        """Let an array be of any length, if it is an array of some."""
        raw = raw_of(item)
        if isinstance(raw, np.ndarray) and raw.ndim and len(raw) >= SHORTEST:
            length = Formula("len({})", place)
            length.hint = f"len_{place.hint}"
            number = FollowedInt(length, len(raw), reads)
            self._open[self._find(item)] = Length(place, number, reads)

    def _found(self, item: Any) -> "tuple[Length, int] | None":
        """The length that an array's follows, and by how much it is more than that."""
        if not self.do_matter or not isinstance(item, ARRAYS):
            return None
        value = self._find(item)
        if value in self._open:
            return self._open[value], 0
        if type(value) is not Value or not value.shape:
            return None
        if self._open:
            self._note_steps()
        root = self._axes.root((value, 0))
        for key, length in self._open.items():
            if type(key) is Value and self._axes.root((key, 0)) == root:
                if self._axes.is_fixed(root) or value.shape[0] < SHORTEST:
                    self._close(key)
                    return None
                return length, value.shape[0] - key.shape[0]
        self._seen.append(value)
        return None

    def _note_steps(self) -> None:
        """Take note of the steps since the last time."""
        steps = self._steps()
        done = self._noted
        if not done or len(steps) < done or steps[done - 1] is not self._last:
            # There are none yet, or some have been taken back, or written down later.
            self._axes, done = RecordedAxes(self._open, self._carried), 0
        self._axes.note_all(steps[done:])
        self._noted, self._last = len(steps), steps[-1] if steps else None

    def carry(self, value: Value, other: Value) -> None:
        """An array is as long as another one, which a loop carries."""
        if value.shape:
            self._carried.append((value, other))
            self._axes.carry(value, other)

    # ----- What is asked -----

    def of(self, item: Any) -> FollowedInt | None:
        """The length of an array, if it is open."""
        found = self._found(item)
        return None if found is None else _more(found[0].number, found[1])

    def spans(self, item: Any) -> bool:
        """Whether further axes of an array are as long as what is of any length."""
        self._note_steps()
        return self._axes.go_on(self._find(item), (*self._open, *self.selected))

    def has(self, items: Iterable[Any]) -> bool:
        """Whether some arrays all are of open lengths."""
        return all(self.of(item) is not None for item in items)

    def attribute(self, item: Any, name: str) -> Any:
        """``item.name``, where it tells of the length; None: it does not."""
        if name in PLAIN or name in METHODS or not self.do_matter:
            return None
        if name in MEANS and self.selection(item) is not None:
            return functools.partial(MEANS[name], item)
        number = self.of(item)
        if number is None:
            return None
        if name in MEANS:
            return functools.partial(MEANS[name], item)
        if name == "shape" and not self.spans(item):
            return (number, *item.shape[1:])
        if name == "size" and item.ndim == 1:
            return number
        self.close(item)
        return None

    def item(self, item: Any, index: Any) -> Any:
        """Take note of ``item[index]``; the index, as it is at any length."""
        if _is_of_any(index) and self.selection(item) is not None:
            return index
        found = self._found(item)
        if found is None:
            return index
        length, more = found
        first, *rest = index if type(index) is tuple and index else (index,)
        if isinstance(first, LoopIndex):
            # With a start that changes, it is computed in the graph.
            if first.base is None and not self._runs_along(length, first):
                _note_index(length, first.concrete, more)
        elif type(first) is int or isinstance(first, np.integer):
            _note_index(length, int(first), more)
        elif type(first) is FollowedInt:
            if _root(first.reference) is not length.reference:
                _note_index(length, first.concrete, more)
        elif isinstance(first, Symbolic):
            pass  # it counts in the graph
        elif isinstance(first, slice):
            own = _more(length.number, more)
            part = slice(first.start, _from_end(first.stop, own), first.step)
            # Of any other number in it the array is no window: the trace is for that.
            return as_seen((part, *rest) if type(index) is tuple else part)
        elif first is not ... and not _is_number(first):
            self.close(item)
        return index

    def are_one(self, items: Sequence[Any]) -> bool:
        """Whether some arrays are as long as each other, at other calls too."""
        lengths: list[Any] = [self._found(item) for item in items]
        (first, more), *others = lengths
        whole = first.number.concrete + more
        if any(each.number.concrete + other != whole for each, other in others):
            return False
        for each, other in others:
            if each is not first or other != more:
                pair = _more(first.number, more), _more(each.number, other)
                each.reads.require(conditions.are_equal(*(n.reference for n in pair)))
        return True

    def _runs_along(self, length: Length, index: LoopIndex) -> bool:
        """Whether a loop is as long as an array, or another one of the same length."""
        counts = index.numbers.length
        root = None if counts is None else _root(counts.reference)
        if root is None:
            return False
        if root is length.reference:
            return True
        other = next((o for o in self._open.values() if o.reference is root), None)
        if other is None or other.number.concrete != length.number.concrete:
            return False
        places = other.number.reference, length.number.reference
        length.reads.require(conditions.are_equal(*places))
        return True

    def shape(self, shape: Any) -> "tuple[Any, ...] | None":
        """What an array is made of: an input and more than its length; or numbers.

        None: not of such a length.
        """
        parts = shape if type(shape) is tuple else (shape,)
        found = tuple(self._part(part) for part in parts)
        if all(part is other for part, other in zip(found, parts, strict=True)):
            return None
        return None if any(type(part) not in (int, tuple) for part in found) else found

    def _part(self, part: Any) -> Any:
        if is_counted(part) and part.of is not None:
            array, more = part.of
            return (array, more) if array in self.selected else part
        if type(part) is not FollowedInt or part.concrete < SHORTEST:
            return part
        for key, length in self._open.items():
            if _summed(part) is length.number.reference:
                return key, part.concrete - length.number.concrete
        return part

    # ----- Closing -----

    def finish(self, steps: Sequence[Step]) -> dict[Any, Reference]:
        """Where the lengths are that are still open when all steps are known."""
        axes = RecordedAxes(self._open, self._carried)
        axes.note_all(steps)
        axes.fix(self._seen)
        sizes = axes.sizes(v for step in steps for v in (*step.inputs, *step.results))
        if self.selected:
            self.selected.close(axes, sizes, steps, self._open)
        firsts: dict[Any, Length] = {}
        for key, length in [*self._open.items()]:
            root = axes.root((key, 0))
            own = {length.number.concrete} | sizes.get(root, set())
            # What is as long and stays so may be it, or a coincidence.
            is_strange = not own.isdisjoint(sizes.get(FIXED_AXIS, ()))
            if axes.is_fixed(root) or is_strange or min(own) < SHORTEST:
                self._close(key)
                continue
            _require(length, axes, root, min(own))
            first = firsts.setdefault(root, length)
            if first is not length:
                more = length.number.concrete - first.number.concrete
                pair = _more(first.number, more).reference, length.number.reference
                length.reads.require(conditions.are_equal(*pair))
        return {key: each.number.reference for key, each in self._open.items()}

    def close(self, item: Any) -> None:
        """The trace is for this length of an array alone."""
        found = self._found(item)
        if found is not None:
            self._seen.append(self._find(item))  # its further axes, too
            key = next(key for key, each in self._open.items() if each is found[0])
            self._close(key)

    def _close(self, key: Any) -> None:
        length = self._open.pop(key)
        self._axes.join(FIXED_AXIS, (key, 0))
        length.reads.require(
            conditions.equals(length.number.reference, length.number.concrete)
        )

    def close_in(self, items: Iterable[Any]) -> None:
        """The same of all arrays in some arguments, wherever they are.

        A function may know any: who knows what calls it.
        """
        for item in flatten([*items])[0] if self.do_matter else ():
            self.close(item)
            if isinstance(item, CALLED):
                self.selected.clear()
                for key in [*self._open]:
                    self._close(key)


def follows(function: Any) -> bool:
    """Whether it is known what shape a function's result has."""
    return rule_of(function) is not None


class RecordedAxes(Axes):
    """Those of a run, in which what does not follow from ``inputs`` is as it was."""

    def __init__(
        self, inputs: Collection[Any], carried: Iterable[tuple[Value, Value]] = ()
    ) -> None:
        super().__init__()
        self._made = {value for value in inputs if type(value) is Value}
        for value in self._made:
            for axis in range(1, len(value.shape)):
                self.join(FIXED_AXIS, (value, axis))
        for pair in carried:
            self.carry(*pair)

    def carry(self, value: Value, other: Value) -> None:
        """Take note that an array is of the same shape as another one."""
        self._made.add(other)
        for axis in range(len(value.shape)):
            self.join((value, axis), (other, axis))

    def note_all(self, steps: Iterable[Step]) -> None:
        """Take note of steps, those in bodies included."""
        for step in steps:
            self.fix(value for value in step.inputs if value not in self._made)
            self._made.update(step.results)
            for inner in walk(Graph((), (step,), ())):
                note(self, inner)
            if type(step) is Node and not step.in_backward:
                self._note_plain_shape(step)

    def _note_plain_shape(self, step: Node) -> None:
        """A shape of the user's own numbers stays what it was."""
        place = SHAPED.get(step.function)
        shape = () if place is None else step.args[place]
        for axis, part in enumerate(shape if isinstance(shape, tuple) else (shape,)):
            if type(part) is not Value:
                self.join(FIXED_AXIS, (step.results[0], axis))


def _require(length: Length, axes: Axes, root: Any, least: int) -> None:
    """Make sure that an array is as long as all that is done with it takes.

    ``least`` is how long the shortest array is that follows it.
    """
    value, place = length.number.concrete, length.number.reference
    bounds = [value - least + SHORTEST, length.far + length.back]
    for (array, axis), far in axes.needs:
        if axes.root((array, axis)) == root:
            bounds.append(far + value - array.shape[axis])
    if max(bounds) > SHORTEST:
        length.reads.require(conditions.is_more_than(place, max(bounds) - 1))


def _more(number: FollowedInt, more: int) -> FollowedInt:
    """``number + more``, for which there is one object."""
    if not more:
        return number
    of_any: Any = number
    found: FollowedInt = of_any + more if more > 0 else of_any - -more
    return found


def _summed(number: FollowedInt) -> Reference:
    """The number that so much is added to as a number is more than that."""
    place = number.reference
    while isinstance(place, Formula) and SUM.fullmatch(place.pattern):
        assert place.parent is not None
        place = place.parent
    return place


def _from_end(stop: Any, number: FollowedInt) -> Any:
    """Where a part ends, counted from the end if the length is known that way."""
    if type(stop) is not FollowedInt:
        return stop
    less = number.concrete - stop.concrete
    if _summed(stop) is not _summed(number) or less < 0:
        return stop
    return -less if less else None


def _note_index(length: Length, index: int, more: int) -> None:
    if index < 0:
        length.back = max(length.back, -index - more)
    else:
        length.far = max(length.far, index + 1 - more)


def _root(place: Reference | None) -> Reference | None:
    while place is not None and place.parent is not None:
        place = place.parent
    return place


def _is_of_any(index: Any) -> bool:
    """Whether an index is one of any selection, or computed as it is there."""
    if type(index) is tuple and index:
        index, *rest = index
        if not all(type(part) in (int, slice) for part in rest):
            return False
    if type(index) is int:
        return -FEWEST <= index < FEWEST
    if type(index) is slice:
        bounds = index.start, index.stop, index.step
        if not all(type(bound) in (int, type(None)) for bound in bounds):
            return False  # to look at others is to see them
        return bounds in PARTS or bounds == (None, None, -1)
    return isinstance(index, Symbolic)


def _is_number(index: Any) -> bool:
    """Whether an index is an integer in the graph."""
    is_array = isinstance(index, ArrayProtocol)
    return is_array and isinstance(raw_of(index), (int, np.integer))
