"""``GraphWriter``: the graph of a run, as it is written down."""

import contextlib
import itertools
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from srcgrad.errors import Where, here, line_of, source_at
from srcgrad.graph import Graph, Joint
from srcgrad.modes import state
from srcgrad.protocols import BOOLS, ArrayProtocol, meant, raw_of, truth
from srcgrad.steps import ATOMS, Guard, Location, Node, Step, Value
from srcgrad.tape.function import VOLATILE, Edge, Function, has_edge
from srcgrad.tape.operands import variables_in
from srcgrad.tape.variable import Variable
from srcgrad.tape.ways import VARIABLE_TYPES
from srcgrad.tracing.counts.arm_labels import Labels
from srcgrad.tracing.counts.maybe_ints import ByArm, MaybeInts
from srcgrad.tracing.environment.symbolic import Symbolic
from srcgrad.tracing.graphs.layouts import Write, layout_guards
from srcgrad.tracing.graphs.residuals import (
    NO_RESIDUALS,
    Residuals,
    raws_in,
    residuals_of,
)
from srcgrad.tracing.graphs.rewinding import Rewinding
from srcgrad.tracing.graphs.same_numbers import (
    DIFFERENTIABLE_TYPES,
    anew,
    copying,
    kind_of,
)
from srcgrad.tracing.graphs.written_steps import WrittenSteps
from srcgrad.tracing.refusal import give_up
from srcgrad.transforms.branches.branching import Speculation
from srcgrad.transforms.loops.endings import LoopHeads
from srcgrad.transforms.loops.regions import Region
from srcgrad.updates import moved


def _is_same(held: np.ndarray[Any, Any], raw: np.ndarray[Any, Any]) -> bool:
    """Whether an array has the same bytes as before: NaN, signs of zeros and all."""
    return (
        held.shape == raw.shape
        and held.dtype == raw.dtype
        and held.tobytes() == raw.tobytes()
    )


def _rename(region: Region, values: Mapping[Value, Any], start: int) -> None:
    """Put others in the place of some Values in the loops that began after a place.

    These may be running.
    """
    if region.starts[0] >= start:
        region.known = region.known and region.known.renamed(values)
        region.loop_heads = region.loop_heads and region.loop_heads.renamed(values)
    for inner in region.inner:
        _rename(inner, values, start)


class Looks(Protocol):
    """Looks at what Python sees when an iteration begins.

    ``node`` tries to have the loop as one node, if that may be.
    """

    node: Any

    def rename(self, values: Mapping[Value, Any]) -> None:
        """Others stand in the place of some Values."""

    def begins(self) -> bool:
        """An iteration begins: whether there is one."""

    def ends(self) -> None:
        """It has ended."""

    def changes(self, item: Any) -> None:
        """An object of the function's own changes."""

    def writes(self, array: Any) -> bool:
        """An array is written into: whether it is looked at."""

    def limit(self, limit: Any, order: str, left: Any, right: Any) -> None:
        """What counts the iterations is compared."""

    def leaves(self, is_told: bool) -> None:
        """The test that comes last has been made: whether it alone is written down."""

    def stops(self) -> None:
        """What is seen from now on is no matter."""

    def loop_heads(self) -> LoopHeads | None:
        """What was seen."""


# A place between steps, between writes, between loops, and between changes of tables.
Mark = tuple[int, int, int, int]


class GraphWriter(WrittenSteps):
    """The steps so far, and the Values that stand for arrays and numbers.

    A raw array or number is known by its identity, and kept alive here, so that no
    identity is used twice. ``where`` is the line that the next steps belong to (None:
    the line that runs). ``in_backward`` is true from the moment that the backward pass
    begins, ``in_walk`` while a transform within the function walks back. ``writes`` are
    those in place.
    """

    def __init__(self) -> None:
        super().__init__()
        self.where: Location | None = None
        self.in_backward = False
        self.in_walk = False
        self.checkpoint: object = None
        self.writes: list[Write] = []
        # The loops that ran, the outermost; and those that run, the innermost last.
        self.loops: list[Region] = []
        self.renames: dict[Value, Any] = {}
        self._running: list[list[Region]] = [self.loops]
        self._looks: list[Looks | None] = []
        # How often something has changed that a loop's names do not tell of.
        self._changes = self.list_changes = self.object_changes = 0
        # So many writes the loops have seen that ran then.
        self.seen_writes = 0
        # The `if` statements of which both arms are known.
        self.speculations: list[Speculation] = []
        self.maybe_ints = MaybeInts()
        self.labels = Labels()
        # What has been done more with than to compute: see `mixed_kinds`.
        self.asked: set[Value] = set()
        self._inputs: list[Value] = []
        # By the identity of the array that each is a copy of, which may be gone.
        self._held: dict[int, tuple[weakref.ref[Any], Value]] = {}
        # Those that are not the last with their Value.
        self._stand_ins: list[Any] = []
        # Others with the content of a Value: the tape may have saved these.
        self._renamed: list[tuple[Any, Value]] = []
        # For some of those on the tape, the same off it.
        self._off_tape: dict[Value, Value] = {}
        # By the code's identity, and line; beside the code itself.
        self._locations: dict[tuple[int, int], tuple[Any, Location]] = {}
        # The same by the instruction, of which a line may have several.
        self._at_instruction: dict[tuple[int, int], Location] = {}
        # What has been cut out again.
        self._gone: set[Value] = set()
        # What has been read, where somebody wants to know.
        self._seen: dict[Value, Any] | None = None
        # What steps have made meanwhile: they may be written to, if nobody holds them.
        self._made: set[Value] = set()

    # ----- Values -----

    def is_input(self, raw: Any) -> bool:
        """Whether an array is that of an input, as it was given."""
        return self._known(raw) in self._inputs

    def distinct(self, raw: Any) -> Any:
        """Something else for a ``np.bool_``: all that are true are one object.

        And for a number that is one of its operands: ``float(x)`` is ``x``.
        """
        kind = type(raw)
        if kind is np.ndarray:
            return raw
        if kind is not np.bool_:
            is_seen = id(raw) in self._values and isinstance(raw, DIFFERENTIABLE_TYPES)
            return anew(raw) if is_seen else raw
        return truth(raw)

    def given_back(self, raw: Any) -> Any:
        """The ``np.bool_`` or ``int`` that something stands for; all else as it is."""
        if type(raw) is np.int64 and self.knows(raw) and self.is_index(raw):
            return int(raw)
        return meant(raw)

    def is_index(self, raw: Any) -> bool:
        """Whether something known stands for an integer of Python's."""
        return self._values[id(raw)].is_index

    def define(self, raw: Any, edge: Edge | None = None) -> Value:
        """A new Value, for an array or number that has come up, with its edge."""
        is_plain = type(raw) is np.ndarray
        if not is_plain and isinstance(raw, np.generic):
            value = Value((), raw.dtype, None, "scalar")
        elif is_plain or isinstance(raw, np.ndarray):
            kind = "scalar" if raw.base is BOOLS else "array"
            value = Value(raw.shape, raw.dtype, None, kind)
        else:
            value = Value((), np.result_type(raw), None, "float")
        return self._note(value, raw, edge)

    def add_input(
        self, raw: Any, name: str, is_place: bool = False, edge: Edge | None = None
    ) -> Value:
        """A new Value that is an input of the graph.

        A name that only tells its place, ``params_0``, gives way to one by the user.
        What is given twice is known as the first of the two.
        """
        first = self._values.get(id(raw))
        value = self.define(raw, edge)
        if first is not None:
            self._note(first, raw, edge)
        self._inputs.append(value)
        self.names.give_input(value, name, is_place)
        return value

    def value_of(self, item: Any) -> Value:
        """The Value of an array; a constant if it does not depend on any input."""
        value = self.value_at(item)
        if value in self._gone:
            give_up("uses what one element of a batch has left behind")
        return self._constant(raw_of(item)) if value is None else value

    def value_at(self, item: Any) -> Value | None:
        """The Value of an array, if it has one."""
        if type(item) not in VARIABLE_TYPES and not isinstance(item, Variable):
            return self._known(raw_of(item))
        key, edge = id(item.value), item.edge
        if edge is not None and (key, edge) in self._placed:
            return self._placed[key, edge]
        if key not in self._values:
            return None
        return self._values[key]

    def _constant(self, raw: Any) -> Value:
        """Hold an array as it is now: its owner may change it later.

        It is held once for as long as it stays the same.
        """
        found = self._held.get(id(raw))
        if found is not None:
            owner, value = found
            is_held = owner() is raw
            if is_held and _is_same(self._constants[value], raw):
                return value
        array = np.array(raw)
        if array.dtype.kind not in "fciub":
            give_up(f"uses an array of dtype {array.dtype}")
        value = Value(array.shape, array.dtype, None, kind_of(raw))
        self._constants[value] = array if value.kind == "array" else array[()]
        if isinstance(raw, np.ndarray):
            self._held[id(raw)] = weakref.ref(raw), value
        self.names.give_constant(value, raw)
        return value

    def hold(self, raw: Any) -> None:
        """Make a number or array a constant."""
        self._constants[self.define(raw)] = raw

    def made(self, value: Value) -> Value:
        """A copy of a constant, any other value as it is: a result is no constant."""
        if value not in self._constants:
            return value
        copy = Value(value.shape, value.dtype, kind=value.kind)
        constant = self._constants[value].item() if value.kind == "float" else value
        self.add_step(Node(copying(value), (constant,), out=copy))
        return copy

    def symbols(self, item: Any) -> Any:
        """An argument with Values for the Variables and arrays in it."""
        kind = type(item)
        if kind in ATOMS:
            return item
        if kind in VARIABLE_TYPES or isinstance(item, ArrayProtocol):
            value = self.value_at(item)
            if value is None and type(item.value) is not np.ndarray:
                return item.value  # a number that depends on no input
            if value is None or value in self._gone:
                value = self.value_of(item)
            if (
                value in self._on_tape
                and not self.in_backward
                and not (state.grad_enabled and has_edge(item))
            ):
                if self._seen is not None and value not in self._made:
                    self._seen.setdefault(value, item)
                return self._detached(value)
            if self._seen is not None and value not in self._made:
                self._seen[value] = item
            return value
        if isinstance(item, np.ndarray):
            value = self.value_of(item)
            if self._seen is not None:
                self._seen[value] = item
            return value
        if kind is np.int64:  # the index of a loop
            return self._known(item) or item
        if kind is tuple or kind is list:
            return kind(map(self.symbols, item))
        if isinstance(item, tuple) and variables_in(item):  # one with names
            return tuple(map(self.symbols, item))
        if kind is slice:
            return slice(*map(self.symbols, (item.start, item.stop, item.step)))
        return item

    def is_written(self, operand: Any, value: Value) -> bool:
        """Whether this Value is written down where that is an operand."""
        return not self.is_off_tape(operand, value) and self.value_at(operand) is value

    def is_off_tape(self, item: Any, value: Value) -> bool:
        """Whether a Value on the tape is that of something that is off the tape."""
        return value in self._on_tape and not (has_edge(item) and state.grad_enabled)

    def _detached(self, value: Value) -> Value:
        """The same, off the tape; it has a mark of its own."""
        off = self._off_tape.get(value)
        if off is None:
            off = value.twin()
            self._enter(self._off_tape, value, off)
            self.add_step(Node(moved, (value,), out=off))
        return off

    def move(self, variable: Any, place: Value) -> None:
        """Mark that an array stands at the place on the tape that another one had."""
        value = self.value_of(variable)
        other = self._note(value.twin(), variable.value, variable.edge)
        self.add_step(Node(moved, (value, place), out=other))

    # ----- Names -----

    def name(self, raw: Any, name: str) -> None:
        """Note the user's name for a result or constant, unless it has one already."""
        value = self._values.get(id(raw))
        if value is not None:
            self.names.give(value, name)
        elif isinstance(raw, np.ndarray):
            self.names.note_constant(raw, name)

    def name_of(self, raw: Any) -> str | None:
        """The user's name for a result, if there is one."""
        value = self._values.get(id(raw))
        return None if value is None else self.names.of(value)

    def hint(self, raw: Any, hint: str) -> None:
        """Note what to call a result that has no name, if it must be called."""
        value = self._values.get(id(raw))
        if value is not None:
            self.names.hint(value, hint)

    def keep_names(self) -> None:
        """Give no names any more to what is there: the graph so far is in use."""
        self.names.keep(self._raws)

    # ----- Steps -----

    def go_on_with(self, graph: Graph) -> None:
        """Begin where a graph ends."""
        self._inputs = [*graph.inputs]
        self._steps = [*graph.nodes]
        self._constants = dict(graph.constants)

    def edge_of(self, value: Value) -> Edge | None:
        """Where the gradient of a Value goes, if it is on the tape."""
        return self._on_tape.get(value)

    def stands_for(self, raw: Any, value: Value, edge: Edge | None) -> None:
        """Note what a Value of that graph is."""
        self._note(value, raw, edge)

    def note_numpys(self, item: Any) -> None:
        """Note that a number is what a ufunc has given, whatever it was given."""
        if not isinstance(item, ArrayProtocol):
            return
        value = self.value_at(item)
        if value is not None:
            self.numpys.add(value)

    def note_asked(self, items: Iterable[Any]) -> None:
        """Note that something is done with numbers that may depend on their kind."""
        if self.speculations:
            for item in items:
                value = self.value_at(item) if isinstance(item, ArrayProtocol) else None
                if value is not None:
                    self.asked.add(value)
                elif type(item) is ByArm:
                    item.look()

    def stands_in(self, raw: Any, other: Any) -> None:
        """Note another array with the content of one that is known."""
        if (value := self._known(raw)) is not None:
            self._enter(self._values, id(other), value)
            self._stand_ins += (raw, other)
            place = id(raw)
            for (owner, edge), placed in list(self._placed.items()):
                if owner == place:
                    self._enter(self._placed, (id(other), edge), placed)

    def rename(self, values: Mapping[Value, Any], start: int) -> None:
        """Put others in the place of some Values, that came up after so many steps."""
        self._steps[start:] = [step.with_values(values) for step in self._steps[start:]]
        self.writes = [
            (values.get(one, one), values.get(other, other))
            for one, other in self.writes
        ]
        for each in self.speculations:
            if each.guard >= start:
                each.rename(values)
        self.renames.update(values)
        for value, new in values.items():
            raw = self._raws.pop(value)
            if type(new) is Value:
                self._renamed.append((raw, new))
                for known in (self.numpys, self.asked):
                    if value in known:
                        known.add(new)
        tables: Sequence[dict[Any, Any]] = self._values, self._placed, self._at_edge
        for table in tables:
            for key, value in [*table.items()]:
                if value in values:
                    new = values[value]
                    if type(new) is Value:
                        table[key] = new
                    else:
                        del table[key]
        for look in self._looks:
            if look is not None:
                look.rename(values)
        for region in self._running[0]:
            _rename(region, values, start)

    def forget_inside(self, start: int) -> None:
        """Know no more what was computed on the way, since there were so many steps."""
        made = {value for step in self.steps_from(start) for value in step.results}
        for value, off in [*self._off_tape.items()]:
            if off in made:
                del self._off_tape[value]

    def replace_step(self, old: Step, new: Step) -> None:
        """Put a step in the place of another."""
        self._steps[next(i for i, s in enumerate(self._steps) if s is old)] = new

    @property
    def has_known_loops(self) -> bool:
        """Whether a loop was recorded as one."""
        return any(region.known_loops() for region in self.loops)

    @property
    def may_carry(self) -> bool:
        """Whether an iteration may be recorded as a function now."""
        is_plain = self.where is None and self._seen is None and not self.cuts
        return is_plain and not (self.in_backward or self.in_walk)

    @property
    def is_in_loop(self) -> bool:
        """Whether a loop is running."""
        return len(self._running) > 1

    def write(
        self, function: Callable[..., Any], args: Any, kwargs: Any, out: Any
    ) -> None:
        """Write down a call, with Values in its arguments, and what came of it."""
        where, in_backward = self.current_location(), self.in_backward or self.in_walk
        if isinstance(out, (tuple, list)):
            result: Any = tuple(map(self._result, out))
        else:
            result = self._result(out)
        known = where, in_backward, False, self.checkpoint
        self.add_step(Node(function, args, kwargs, result, *known))
        if isinstance(out, (bool, int)):
            self.add_step(Guard(result, type(out), out, where))

    def write_plain(
        self, function: Callable[..., Any], args: Any, raw: Any, edge: Edge | None
    ) -> Value:
        """The same for a call of Values and numbers, with one array or number.

        The line is that which the tape has noted.
        """
        where, in_backward = self.where, self.in_backward or self.in_walk
        if where is None:
            noted = None if edge is None or edge is VOLATILE else edge[0].where
            where = self.current_location() if noted is None else self.location(noted)
        value = self.define(raw, edge)
        if self._seen is not None:
            self._made.add(value)
        known = where, in_backward, False, self.checkpoint
        self.add_step(Node(function, args, {}, value, *known))
        return value

    def write_index(
        self, function: Callable[..., Any], args: Any, number: int
    ) -> np.int64:
        """The same for an integer that is used as an index: what stands for it."""
        raw: np.int64 = np.int64(number)
        value = self._note(Value((), raw.dtype, None, "float"), raw, None)
        self.add_step(Node(function, args, {}, value, self.current_location()))
        return raw

    def _result(self, out: Any) -> Value:
        if not isinstance(out, ArrayProtocol):
            return Value((), np.dtype(type(out)), None, "float")
        value = self.define(out.value, getattr(out, "edge", None))
        if self._seen is not None:
            self._made.add(value)
        return value

    def iterations(
        self,
        name: str | None,
        items: Iterable[Any],
        look: Looks | None = None,
    ) -> Iterator[Any]:
        """Go through what a loop goes through, and note where iterations begin."""
        region = Region([self.count()])
        self._running[-1].append(region)
        self._running.append(region.inner)
        self._looks.append(look)
        every, node = iter(items), None if look is None else look.node
        try:
            for turn, item in enumerate(every, 1):
                if node is not None and (ran := node.begins(turn, region)) is not None:
                    more = itertools.repeat(None) if ran.is_over else range(ran.number)
                    for _, item in zip(more, every):  # noqa: B007, B905
                        pass
                    if ran.is_over:
                        break
                if look is not None and not look.begins():
                    if node is not None:
                        node.withdraws()
                    break
                if isinstance(item, ArrayProtocol):
                    if name is not None:
                        self.name(raw_of(item), name)
                elif isinstance(item, (int, Symbolic)):
                    region.name = name
                yield item if node is None else node.item(item)
                if look is not None:
                    look.ends()
                region.starts.append(self.count())
        finally:
            region.end = self.count()
            self._running.pop()
            self._looks.pop()
            if node is not None:
                node.ends(region)
            region.loop_heads = None if look is None else look.loop_heads()

    def limit(self, limit: Any, order: str, left: Any, right: Any) -> None:
        """Note that what counts the iterations of the innermost loop is compared."""
        if self._looks and (look := self._looks[-1]) is not None:
            look.limit(limit, order, left, right)

    def leaves(self, is_told: bool) -> None:
        """Note that the innermost loop is left, or not, by the test that comes last."""
        if self._looks and (look := self._looks[-1]) is not None:
            look.leaves(is_told)

    def _nodes(self) -> Iterator[Any]:
        """The loops that run and may be nodes."""
        return (look.node for look in self._looks if look and look.node is not None)

    def fills_list(self, filled: Any) -> None:
        """Note that a list gets an item."""
        last = self._looks[-1] if self._looks else None
        for node in self._nodes():
            node.fills_list(filled, last is not None and node is last.node)

    def spoils(self) -> None:
        """Note that what is done now is no function of what loops carry."""
        for node in self._nodes():
            node.spoils()

    def sees_list(self, filled: Any) -> None:
        """Note that Python sees a list that loops fill."""
        for node in self._nodes():
            node.sees_list(filled)

    def note_item(self) -> None:
        """Note that a list has an item more, of which its loop alone may be told."""
        self._changes += 1
        self.list_changes += 1

    def look_now(self) -> Any:
        """Who looks at the innermost of the loops that run, if anybody does."""
        return self._looks[-1] if self._looks else None

    def rewinding(self) -> Rewinding:
        """A walk back through the loops that have run inside of the one that runs."""
        return Rewinding(self._steps, self._running[-1])

    def note_change(self, item: Any = None) -> None:
        """Note that something changes which the names of a loop do not tell of.

        If that is an ``item`` alone, loops that are nodes look at it.
        """
        self._changes += 1
        if item is not None:
            self.object_changes += 1
            for look in self._looks:
                if look is not None:
                    look.changes(item)

    def is_seen_by_loops(self, array: Any) -> bool:
        """Whether the loops that run see what is written into an array now."""
        return all(look is None or look.writes(array) for look in self._looks)

    @property
    def changes(self) -> tuple[int, int]:
        """How often that was, and how many writes in place there were."""
        return self._changes, len(self.writes) - self.seen_writes

    def add_loops(self, loops: Iterable[Region]) -> None:
        """Note loops that have run, among the steps that are written down."""
        self._running[-1] += loops

    def guard(self, raw: Any, convert: Any, seen: Any) -> None:
        """Write down that a value was looked at; it must be the same again."""
        value = self._known(raw)
        is_again = self.in_backward or self.in_walk  # it was looked at before
        if value is not None and not is_again:
            self.add_step(Guard(value, convert, seen, self.current_location()))

    def current_location(self) -> Location | None:
        """The line of the user's that runs."""
        if self.where is not None:
            return self.where
        where = here()
        return None if where is None else self.location(where)

    def location(self, where: Where) -> Location:
        """A line of the user's source."""
        code, last = where
        instruction = id(code), last
        if instruction not in self._at_instruction:
            key = id(code), line_of(where)[1]
            if key not in self._locations:
                self._locations[key] = code, Location(*source_at(where))
            self._at_instruction[instruction] = self._locations[key][1]
        return self._at_instruction[instruction]

    # ----- Parts of it -----

    def mark(self) -> Mark:
        """A place between steps, to cut off at."""
        self.cuts += 1
        loops = len(self._running[-1])
        return self.count(), len(self.writes), loops, len(self._journal)

    def cut(self, mark: Mark) -> tuple[list[Step], list[Write], list[Region]]:
        """Take out what has been written since: steps, writes in place, and loops.

        The loops are numbered as the steps are.
        """
        step, write, loop, before = mark
        self.cuts -= 1
        steps, writes = self._steps[step:], self.writes[write:]
        loops = [region.shifted(step).closed() for region in self._running[-1][loop:]]
        del self._steps[step:], self.writes[write:], self._running[-1][loop:]
        if writes:
            self.note_change()
        gone = {value for step in steps for value in step.results}
        self._gone |= gone
        # A function may have given back what it got, under another Value.
        for table, key, then in [*self._journal.taken_back(before, gone)]:
            if then is not None:
                table[key] = then
            elif table is self._off_tape:
                del table[key]
            # What is a constant is that as it was before.
            if table is self._values and key in self._held and table[key] in gone:
                del table[key]
        if not self.cuts:
            self._journal.forget()
        return steps, writes, loops

    @contextlib.contextmanager
    def seeing(self) -> Iterator[dict[Value, Any]]:
        """What is read meanwhile: the Values, and what they stand for."""
        seen, made = self._seen, self._made
        self._seen, self._made = {}, set()
        try:
            yield self._seen
        finally:
            if seen is not None:
                others = self._seen.keys() - made
                seen.update({value: self._seen[value] for value in others})
            self._seen, self._made = seen, made | self._made

    @property
    def constants(self) -> Mapping[Value, np.ndarray[Any, Any]]:
        """The arrays that do not depend on any input."""
        return self._constants

    @property
    def raws(self) -> Mapping[Value, Any]:
        """What the Values stand for in this very run, but for the constants."""
        return self._raws

    def raw_of(self, value: Value) -> Any:
        """The array or number that a Value stands for in this very run."""
        return self._constants[value] if value in self._constants else self._raws[value]

    def constant_again(self, value: Value) -> np.ndarray[Any, Any]:
        """A constant as it was when it was read, which is known as the same."""
        array = self._constants[value]
        self._enter(self._values, id(array), value)
        return array

    # ----- The graph -----

    def residuals(
        self, nodes: Sequence[Function], counted: Sequence[bool]
    ) -> Residuals:
        """What the tape has saved; ``counted``: which inputs have a version."""
        # One array has several, where a function gives back what it got: `x.real`.
        kept = [id(raw) for node in nodes for raw in raws_in(node.saved)]
        named: dict[int, list[Value]] = {key: [] for key in kept}
        renamed = [(value, raw) for raw, value in self._renamed]
        for value, raw in (*self._raws.items(), *renamed):
            if (key := id(raw)) in named:
                named[key].append(value)
        saved = [value for key in kept for value in named[key]]
        uncounted = [
            value
            for value, is_counted in zip(self._inputs, counted, strict=True)
            if not is_counted
        ]
        return residuals_of(saved, self._steps, self._raws, uncounted)

    def joint(
        self,
        outputs: Sequence[Value],
        cotangents: Sequence[Value] = (),
        gradients: Sequence[Value | None] = (),
        complete: Sequence[Value | None] = (),
        residuals: Residuals = NO_RESIDUALS,
    ) -> Joint:
        """All that is written down, under its names."""
        self.names.settle()
        guards = layout_guards(self._steps, self.writes, self._inputs, self._raws)
        return Joint(
            inputs=tuple(self._inputs),
            nodes=(*guards, *self._steps),
            outputs=tuple(outputs),
            constants=dict(self._constants),
            cotangents=tuple(cotangents),
            gradients=tuple(gradients),
            complete=tuple(complete),
            residuals=tuple(residuals.kept),
            held=tuple(residuals.held),
        )
