"""``Recorder``: what the tape tells while a function is traced, and what it may do.

The tape tells it about every operation (``modes.Recorder``); it never looks for itself.
What it cannot write down it refuses, and the call stays on the tape.
"""

import contextlib
import functools
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from numbers import Number
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from srcgrad.facts import FACTS, Operation, facts_of
from srcgrad.graph import Joint
from srcgrad.late import LateNames
from srcgrad.modes import state
from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.rules.compositions import COMPOSITIONS
from srcgrad.rules.registry import PRIMITIVES
from srcgrad.selections import is_selection, selected_shape
from srcgrad.steps import Location, Step, Value
from srcgrad.tape.apply import are_operands
from srcgrad.tape.function import Edge, Function, has_edge, is_differentiated_by
from srcgrad.tape.operands import variables_in
from srcgrad.tape.variable import Variable
from srcgrad.tracing.counts.lengths import Lengths
from srcgrad.tracing.counts.options import is_place, settled, takes_operands
from srcgrad.tracing.graphs.graph_writer import GraphWriter
from srcgrad.tracing.graphs.residuals import NO_RESIDUALS, Residuals
from srcgrad.tracing.graphs.rewinding import Rewinding
from srcgrad.tracing.refusal import InFull, give_up, give_up_write
from srcgrad.updates import as_complexes, as_reals

# Few programs ask for it.
if TYPE_CHECKING:
    from srcgrad.transforms.sparsity import Pattern, sparsity

_late = LateNames(globals(), {"srcgrad.transforms.sparsity": "Pattern sparsity"})


class Call(NamedTuple):
    """An operation that is about to run; ``target`` is what it runs in place on.

    ``args`` and ``kwargs`` are what it shall run with, ``symbols`` and ``named`` the
    same with Values for arrays, as they are before it runs; ``before`` is the target's.
    ``is_plain``: there is no more to it than its operands.
    """

    function: Operation
    args: Any
    kwargs: Any
    symbols: Any
    named: Any
    target: Any
    before: Value | None = None
    is_plain: bool = False


NOTHING: Mapping[str, Any] = {}


@dataclass(slots=True, eq=False)
class WalkBack:
    """A walk back of a transform: the steps that it has taken, whence and where to.

    ``starts`` are edges with cotangents, ``targets`` the Values at the edges that it is
    for, and ``found`` the cotangents there. ``joint``: the graph up to then, with loops
    in it, and the backward graph; where it is known, no steps are written down.
    ``is_inner``: it is that of a transform within another one.
    """

    start: int
    starts: Sequence[tuple[Edge, Any]]
    targets: dict[Edge, Value | None]
    found: dict[Edge, Any] = field(default_factory=dict)
    end: int = 0
    joint: Joint | None = None
    is_inner: bool = False


class Failure(NamedTuple):
    """An operation that has raised an error, and the user's line."""

    error: Exception
    function: Operation
    args: Any
    kwargs: Any
    where: Location | None


class Recorder:
    """One function call, as a graph."""

    def __init__(self) -> None:
        self.writer = GraphWriter()
        self.lengths = Lengths(self.writer.value_at, self._steps_so_far)
        # The cotangents that come by at places on the tape.
        self._cotangent_of: dict[Edge, Value] = {}
        self._input_storages: list[Any] = []
        # The copies of the `backward` of the user's Functions, by the calls' nodes.
        self._backwards: dict[Function, Callable[..., Any]] = {}
        self.is_in_users_backward = False
        self.walks: list[WalkBack] = []
        self._rewinding: Rewinding | None = None
        # Whether a transform runs the function that walks back once, from a number.
        self.walks_once = False
        # Whether what a mask selects may be of any count.
        self.may_select = False
        # Walks back in another way, if it can: with loops.
        self.walk_instead: Callable[..., WalkBack | None] | None = None
        # Runs the iterations of a loop of which one was recorded as a function; None:
        # all are recorded.
        self.run_loop: Callable[..., Any] | None = None
        self.leaves_loop: Callable[..., None] | None = None
        # Whether a loop that was recorded as one is none.
        self.is_in_vain = False
        # Whether an iteration was recorded as a function.
        self.has_carried = False
        # What names are to be bound to before anything else happens.
        self.rebound: dict[str, Any] = {}
        # Variables in whose places loops have put others, and these, by identity.
        self._stand_ins: dict[int, Any] = {}
        # What Variables stand for that an iteration has as parameters, by identity.
        self._parameters: dict[int, Any] = {}
        # Arrays with copies of those that lists hold, along which loops go.
        self.copies: list[np.ndarray[Any, Any]] = []
        # The nodes that walks back have made, with the user's line that each is for.
        self._lines: dict[Function, Location | None] = {}
        # What else is said of what runs, if it is a part that is taken out again.
        self.within = ""
        # The last operation that has raised an error.
        self.failure: Failure | None = None
        # What `explain()` says of the recording.
        self.notes: list[str] = []
        # How often arms have run, of which the other one is known, too.
        self.ran: Counter[tuple[Location, bool]] = Counter()
        self.kept_before = 0

    # ----- What the tracer says -----

    def _steps_so_far(self) -> Sequence[Step]:
        return self.writer.steps

    def finish_lengths(self) -> Mapping[Value, Any]:
        """Where the lengths are that are open, when all is said that is done with them.

        ``lengths.selected`` is then what masks select and Python has not seen.
        """
        lengths = self.lengths
        # All that was done with these has to be seen, each iteration's.
        return lengths.finish(self.writer.steps if lengths.do_matter else ())

    def looks_along(self, variable: Any) -> None:
        """Python asks for the length of an array, or goes along it."""
        self.lengths.close(variable)

    def add_input(
        self,
        variable: Variable,
        name: str,
        is_place: bool = False,
        found_at: str | None = None,
    ) -> None:
        """Make a Variable an input of the graph, maybe one of the environment."""
        raw = variable.value = self.writer.distinct(variable.value)
        value = self.writer.add_input(raw, name, is_place, variable.edge)
        if variable.edge is not None:
            self.writer.put_at(variable.edge, value)
        if type(variable.value) is np.ndarray:
            self._input_storages.append((variable.own_storage(), name, found_at))

    def stands_for(self, variable: Variable, value: Value) -> None:
        """Note what stands for a Value of the graph that it goes on with."""
        self.writer.stands_for(variable.value, value, variable.edge)
        if variable.edge is not None and self.writer.at_edge(variable.edge) is None:
            self.writer.put_at(variable.edge, value)

    def name(self, name: str, item: Any) -> None:
        """Note the user's name for a result, or for a constant."""
        if isinstance(item, (ArrayProtocol, np.ndarray)):
            self.writer.name(raw_of(item), name)

    def add_cotangent(
        self, variable: Variable, name: str = "d{}"
    ) -> tuple[Variable, Value]:
        """A cotangent for an output: ones, as an input of the backward graph."""
        self.writer.in_backward = True
        ones = Variable.make(np.ones(variable.shape, variable.dtype), None)
        if type(variable.value) is not np.ndarray:
            ones = Variable.make(variable.dtype.type(1.0), None)
        value = self.writer.define(ones.value)
        self.name(name.format(self.writer.name_of(variable.value) or "out"), ones)
        return ones, value

    def entered(self, variable: Variable, start_of: Any = None) -> None:
        """Note what a transform differentiates by: it has an edge of its own.

        It may be where a walk starts, the cotangent of something.
        """
        assert variable.edge is not None
        if start_of is not None:
            self.holds(variable)
            self._lines[variable.edge[0]] = None
            self.name(f"d{self.writer.name_of(start_of.value) or 'out'}", variable)
        elif self.writer.in_walk:
            self._lines[variable.edge[0]] = self.writer.where
        self.writer.put_at(variable.edge, self.writer.value_of(variable))

    def note_stand_ins(self, variables: Iterable[Any]) -> None:
        """Note that Variables are not the objects that they would be untraced."""
        self._stand_ins.update((id(each), each) for each in variables)

    def note_parameters(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        """Note which Variables of an iteration stand for which others."""
        for made, leaf in pairs:
            self.note_stand_ins((made, leaf))
            self._parameters[id(made)] = leaf

    def meant(self, item: Any) -> Any:
        """What a Variable of an iteration stands for; all else as it is."""
        while id(item) in self._parameters:
            item = self._parameters[id(item)]
        return item

    def is_stand_in(self, item: Any) -> bool:
        """Whether something is not the object that it would be untraced."""
        return id(item) in self._stand_ins

    def is_in_copies(self, raw: Any) -> bool:
        """Whether an array is a part of a copy, where it would be one of the user's."""
        is_array = type(raw) is np.ndarray
        return is_array and any(np.may_share_memory(raw, own) for own in self.copies)

    def writes_in_place(self, target: Any) -> None:
        """A Variable is about to be written into: all who hold it see that.

        Raises
        ------
        InFull
            If some may hold what it stands for instead.
        """
        if self.is_stand_in(target):
            raise InFull
        self.writer.spoils()

    def holds(self, variable: Variable) -> None:
        """Make a number or array that a transform starts from a constant."""
        if not self.knows(variable.value):
            self.writer.hold(variable.value)

    @property
    def has_left_out_a_walk(self) -> bool:
        """Whether a walk back has not been recorded step by step."""
        return any(back.joint is not None for back in self.walks)

    def walked_from(self) -> list[Value]:
        """Where the walks back have begun."""
        starts = [edge for back in self.walks for edge, _ in back.starts]
        return [
            value for value in map(self.writer.at_edge, starts) if value is not None
        ]

    def walked(
        self, starts: Sequence[tuple[Edge, Any]], targets: Sequence[Edge]
    ) -> dict[Edge, Any] | None:
        """What a walk back finds, if it has not to be recorded step by step."""
        walk = self.walk_instead
        back = None if walk is None or self.walks else walk(self, starts, targets)
        if back is None:
            return None
        self.walks.append(back)
        return back.found

    @contextlib.contextmanager
    def walking(
        self, starts: Sequence[tuple[Edge, Any]], targets: Sequence[Edge]
    ) -> Iterator[dict[Edge, Any]]:
        """While a transform walks back: no code of the user's runs.

        What it finds at the targets is to be put into the dict.
        """
        writer = self.writer
        if writer.has_known_loops:
            raise InFull
        before = writer.where, writer.in_walk
        back = WalkBack(writer.count(), starts, self.target_values(targets))
        back.is_inner = state.depth > 1
        writer.in_walk = True
        outer, self._rewinding = self._rewinding, writer.rewinding()
        yield back.found
        self._rewinding.ends()
        self._rewinding = outer
        writer.where, writer.in_walk = before
        back.end = writer.count()
        self.walks.append(back)

    def target_values(self, targets: Sequence[Edge]) -> dict[Edge, Value | None]:
        """The Values at some edges, where they are known."""
        return {edge: self.writer.at_edge(edge) for edge in targets}

    def value_at(self, edge: Edge) -> Value:
        """The Value that is at a place on the tape."""
        value = self.writer.at_edge(edge)
        assert value is not None
        return value

    @property
    def has_user_backward(self) -> bool:
        """Whether there are gradients that a user has written, right or wrong."""
        return bool(self._backwards)

    @property
    def user_backwards(self) -> Set[Function]:
        """The nodes that have them."""
        return self._backwards.keys()

    def follow_backward(self, node: Function, backward: Callable[..., Any]) -> None:
        """Note the copy of the ``backward`` that goes with a user's Function."""
        self._backwards[node] = backward

    def joint(
        self,
        outputs: Sequence[Value],
        cotangents: Sequence[Value],
        gradients: Sequence[Any],
        inner: Sequence[Edge | None] = (),
        residuals: Residuals = NO_RESIDUALS,
    ) -> Joint:
        """What has been recorded.

        ``gradients`` are Variables, or None; ``inner`` has the edges of those outputs
        that others are computed from, and None for the others.
        """
        outputs = [self.writer.made(v) if v.kind != "array" else v for v in outputs]
        if not cotangents and all(g is None for g in gradients):
            return self.writer.joint(outputs)
        value_of = self.writer.value_of
        found = [
            None if g is None else self.writer.made(value_of(g)) for g in gradients
        ]
        complete = [
            edge if edge is None else self._cotangent_of[edge] for edge in inner
        ]
        return self.writer.joint(outputs, cotangents, found, complete, residuals)

    def sparsity(self, x: Variable, y: Variable) -> "Pattern":
        """Which elements of a result depend on which elements of something before.

        The places and repeats that decide it are looked at: they must stay.

        Raises
        ------
        Refusal
            If it is not sparse.
        """
        _late.load()
        writer = self.writer

        def look(value: Value) -> Any:
            raw = writer.raw_of(value)
            if value not in writer.constants:
                is_array = isinstance(raw, np.ndarray)
                convert: Any = np.ndarray.tobytes if is_array else int
                self._look(Variable.make(raw, None), convert, convert(raw))
            return raw

        return sparsity(writer.steps, writer.value_of(x), writer.value_of(y), look)

    def let_go(self) -> None:
        """The run is over: hold nothing of it, for copies of functions live on."""
        self.writer = GraphWriter()
        self.lengths = Lengths(self.writer.value_at)
        self.walk_instead = self.run_loop = self.failure = None
        self.walks.clear()
        self._input_storages.clear()
        tables: tuple[dict[Any, Any], ...]
        tables = self._cotangent_of, self._backwards, self._lines
        for table in tables:
            table.clear()

    # ----- What the tape says -----

    def knows(self, raw: Any) -> bool:
        """Whether an array is the value of something recorded."""
        return self.writer.knows(raw)

    def restored(self, raw: Any, before: Any) -> None:
        """An array that was overwritten since a node saved it, as it was before."""
        self.writer.stands_in(raw, before)

    def refuse(self, reason: str) -> NoReturn:
        """Give up: this function stays on the tape."""
        give_up(reason)

    def before(
        self, function: Operation, args: Any, kwargs: Any, target: Any = None
    ) -> Call:
        """Take note of an operation, and refuse what is not known to be pure.

        Options are taken out of the graph, see ``options``.
        """
        is_plain = target is None and not kwargs and are_operands(args)
        if (is_plain and takes_operands(function, len(args))) or (
            function is operator.getitem and is_place(args[1])
        ):
            values = self.operands(args)
            return Call(function, args, kwargs, values, NOTHING, None, None, True)
        if facts_of(function).by_layout and _is_as_in_memory(function, args, kwargs):
            give_up("reads elements as they lie in memory")
        if function not in PRIMITIVES and function not in COMPOSITIONS:
            name = getattr(function, "__name__", repr(function))
            give_up(f"{name} is not known to be free of effects")
        if target is not None:
            self._check_target(target, args)
        args, kwargs = settled(function, args, kwargs, self._look_at_elements)
        symbols = self.writer.symbols
        named = kwargs and {key: symbols(item) for key, item in kwargs.items()}
        before = None if target is None else self.writer.value_of(target)
        return Call(function, args, kwargs, symbols(args), named, target, before)

    def _check_target(self, target: Any, args: Any) -> None:
        """Refuse changes of what the caller can see, and such as NumPy refuses."""
        storage = target.own_storage()
        # A transform has put a Variable of its own around the array of an argument.
        for own, name, found_at in self._input_storages:
            if own is storage:
                _refuse_write(target, name, found_at)
        if self.writer.is_input(target.value):
            give_up(OF_ARGUMENT)
        if not self.knows(target.value):
            give_up("changes an array in place that it did not compute")
        if is_differentiated_by(target):
            give_up("changes in place what a transform differentiates by")
        if storage.sharing() > 1:
            give_up("changes an array in place of which there is a view")
        if target.stands_for_array and not all(
            variable.stands_for_array for variable in variables_in(args)
        ):
            give_up("puts a Variable into an ndarray")
        if self.is_in_users_backward:
            give_up("changes an array in place in the backward of a Function")

    def failed(
        self, error: Exception, function: Operation, args: Any, kwargs: Any
    ) -> None:
        """An operation has raised an error, which the user's code may catch."""
        writer = self.writer
        if writer.in_walk or writer.in_backward or self.is_in_users_backward:
            self.failure = None
            return
        where = writer.current_location()
        self.failure = Failure(error, function, args, kwargs, where)

    def after(self, call: Call, out: Any) -> None:
        """Write down an operation that has run; in place, as one with a new result."""
        if call.is_plain and isinstance(out, Variable):
            self.computed(call.function, call.symbols, out)
            return
        if call.is_plain:
            call = call._replace(symbols=self.writer.symbols(call.symbols))
        known = FACTS[call.function]
        if known.of_metadata:
            return  # of shapes and dtypes, which the signature fixes
        name = None
        if call.before is not None:
            name = self.writer.names.of(call.before)
        results = out if isinstance(out, (tuple, list)) else (out,)
        if any(map(_is_no_value, results)):
            give_up("gets lists in a tuple, or integers of Python's, from a function")
        variables = [result for result in results if isinstance(result, Variable)]
        for variable in variables:
            variable.value = self.writer.distinct(variable.value)
        self.writer.write(call.function, call.symbols, call.named, out)
        if call.before is not None:
            self._note_write(call.target, call.before)
        for variable in variables:
            if variable.edge is not None:
                self.writer.put_at(variable.edge, self.writer.value_of(variable))
                if self.writer.in_walk:
                    self._lines[variable.edge[0]] = self.writer.where
        if name is not None:
            self.name(name, out)
        if known.shape_by_value or _selects(call.function, call.args):
            is_open = self.may_select and is_selection(call.function, call.symbols, out)
            for result in results:
                seen: Any = selected_shape if is_open else np.shape
                self._look(result, seen, result.shape)
                if is_open:
                    self.lengths.selected.add(self.writer.value_at(result))
        if known.complex_by_value and not _is_real_power(call):
            for result in results:
                kind = np.iscomplexobj(raw_of(result))
                self._look(result, np.iscomplexobj, kind)

    def operands(self, args: Any) -> Any:
        """Take note of an operation of operands alone."""
        return tuple(map(self.writer.symbols, args))

    def computed(self, function: Operation, operands: Any, out: Any) -> None:
        """Write down such an operation, which has run."""
        out.value = self.writer.distinct(out.value)
        edge = out.edge
        value = self.writer.write_plain(function, operands, out.value, edge)
        if edge is not None:
            self.writer.put_at(edge, value)
            if self.writer.in_walk:
                self._lines[edge[0]] = self.writer.where

    def _note_write(self, target: Any, before: Value) -> None:
        """Note that an array has another content, where it stands on the tape too."""
        self.writer.writes.append((before, self.writer.value_of(target)))
        if has_edge(target) and not state.grad_enabled:
            self.writer.move(target, before)

    def replaced(self, before: Any, after: Any) -> None:
        """An array was written into, by putting another one in its place."""
        if self.knows(raw_of(before)):
            pair = self.writer.value_of(before), self.writer.value_of(after)
            self.writer.writes.append(pair)

    def keep(self, variable: Any) -> None:
        """Note what a Variable holds, whose memory may be overwritten."""
        self.writer.keep(variable.value, variable.own_storage())

    def taken_out(self, variable: Variable, convert: Any, seen: Any) -> None:
        """A value leaves the graph: the trace holds only while it is the same."""
        if convert not in (bool, int, float, complex):
            if variable.size != 1 or isinstance(seen, list):
                give_up("takes the elements of an array out of the graph")
            convert = type(seen)
        if convert not in (bool, int, float, complex):
            give_up(f"takes a {convert.__name__} out of the graph")
        self._look(variable, convert, seen)

    def _look_at_elements(self, variable: Any) -> None:
        raw = variable.value
        self._look(variable, np.ndarray.tobytes, raw.tobytes())

    def _look(self, variable: Any, convert: Any, seen: Any) -> None:
        if self.knows(variable.value) and self.is_in_users_backward:
            give_up("looks at values in the backward of a Function")
        self.writer.guard(variable.value, convert, seen)

    def gradient(self, node: Function, g: Any) -> None:
        """The engine is about to go through a node, with this cotangent."""
        writer = self.writer
        if node in self._lines:
            writer.where = self._lines[node]
        else:
            writer.where = None if node.where is None else writer.location(node.where)
        for number, each in enumerate(g if node.metas is not None else (g,)):
            value = self.writer.at_edge((node, number))
            if value is not None and isinstance(each, ArrayProtocol):
                if self._rewinding is not None:
                    self._rewinding.comes_to(value)
                self._name_gradient(each, value, node)
                self._cotangent_of[node, number] = writer.value_of(each)

    def _name_gradient(self, g: Any, value: Value, node: Function) -> None:
        """Call the gradient of ``h`` ``dh``; of what has no name it is only a hint.

        The gradient of ``dh`` is the tangent of ``h``, ``h_dot``; of what else a walk
        back computes it is a step on the way to one.
        """
        name = self.writer.names.of(value)
        if node in self._lines:
            known = name or self.writer.names.hint_of(value) or ""
            if known.startswith("d"):
                set_name = self.writer.name if name else self.writer.hint
                set_name(g.value, f"{known[1:]}_dot")
            return
        if name is not None:
            self.name(f"d{name}", g)
        else:
            self.writer.hint(g.value, _hint_after(node.name()))

    def backward(self, node: Any, grads: Sequence[Any]) -> Any:
        """Run the copy of the ``backward`` of a user's Function."""
        backward = self._backwards.get(node)
        if backward is None:
            give_up(f"goes back through {node.name()}, which it has not seen run")
        before = self.writer.where, self.is_in_users_backward
        # Its lines are the user's own.
        self.writer.where, self.is_in_users_backward = None, True
        try:
            return backward(node.context, *grads)
        finally:
            self.writer.where, self.is_in_users_backward = before


@functools.lru_cache(maxsize=1024)
def _hint_after(function: str) -> str:
    """What to call a cotangent after the function that it goes back through."""
    return f"d{function.removesuffix('Backward').lower()}"


# What reads an array as it lies in memory, which may vary.
OF_MEMORY = frozenset({np.lib.stride_tricks.as_strided, as_reals, as_complexes})
OF_ARGUMENT = "changes one of its arguments in place"


def _is_no_value(result: Any) -> bool:
    """Whether a graph would take what a call gives, or a part of it, for a constant."""
    if isinstance(result, (tuple, list)):
        return bool(variables_in(result))
    # Truth values are options, given back.
    return isinstance(result, Number) and not isinstance(result, bool)


def _refuse_write(target: Any, name: str, found_at: str | None) -> NoReturn:
    """Refuse a write into an input: of a mere array for now, see ``outside_array``."""
    reason = OF_ARGUMENT
    if found_at is not None:
        reason = f"changes `{found_at}` in place, which it found in its environment"
    if target.stands_for_array and target.edge is None:
        give_up_write(found_at or name, reason)
    give_up(reason)


def _is_as_in_memory(function: Operation, args: Any, kwargs: Any) -> bool:
    """Whether the order of the elements is to be that in memory, which may vary."""
    if function in OF_MEMORY:
        return True
    items = (*args, *kwargs.values())
    is_by_memory = any(isinstance(item, str) and item in "AaKk" for item in items)
    return is_by_memory and any(np.ndim(raw_of(item)) > 1 for item in args)


def _is_real_power(call: Call) -> bool:
    """Whether it is a power, but no root of a number of Python's, which is complex.

    The root of a positive one that stands in the program is none.
    """
    if call.function is not operator.pow:
        return False
    base, exponent = call.args
    if type(raw_of(base)) not in (float, int) or type(raw_of(exponent)) is not float:
        return True
    if isinstance(exponent, ArrayProtocol):
        return not isinstance(base, ArrayProtocol) and base >= 0
    return exponent.is_integer()  # type: ignore[no-any-return]


def _selects(function: Operation, args: Any) -> bool:
    """Whether an index picks elements by a mask: the shape depends on values."""
    return function is operator.getitem and any(
        part.dtype == bool for part in variables_in(args[1])
    )
