"""``Replay``: a call that ran as generated code, put on the tape after all.

That is how its gradient is differentiated again: the generated backward knows numbers
only. What the tape would have saved at the call is what it gets: what generated code
has saved, the arguments as far as the tape had saved these, and nothing else.
"""

import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from srcgrad.branches import Branch
from srcgrad.errors import where_of
from srcgrad.graph import Graph, walk
from srcgrad.loops import Loop
from srcgrad.modes import override
from srcgrad.protocols import raw_of
from srcgrad.pytree import flatten, unflatten
from srcgrad.steps import Guard, Node, Value, map_values
from srcgrad.tape.apply import put_on_tape
from srcgrad.tape.function import Edge, already_freed
from srcgrad.tape.operands import unwrap, variables_in
from srcgrad.tape.variable import Variable
from srcgrad.tape.versions import Version, is_view
from srcgrad.updates import moved


class UsersFunction(NamedTuple):
    """The user's own function, where a gradient in it is one that a user has written.

    The derivative of such a gradient is that of the user's ``backward``, of which the
    recorded operations of ``forward`` know nothing.

    Attributes
    ----------
    function : callable
        Itself.
    structure : hashable
        Of its arguments.
    result : int
        The leaf of its result that has a gradient.
    transform : Transform or None
        What was called is this of the function.
    """

    function: Callable[..., Any]
    structure: Any
    result: int
    transform: Any = None

    def run(self, leaves: Sequence[Any]) -> Any:
        """Call it on the tape, with leaves in the places of its arguments."""
        args, kwargs, bound = unflatten(self.structure, leaves)
        function = functools.partial(self.function, *bound) if bound else self.function
        if self.transform is None:
            return function(*args, **kwargs)
        return self.transform.over(function).untraced(args, kwargs)


# What a call keeps copies of, mostly.
NOTHING: Mapping[int, Any] = {}
NO_SHAPES: Mapping[Value, tuple[Any, ...]] = {}
NO_PLACES: Mapping[int, int] = {}


class Call(NamedTuple):
    """A call as it was.

    Attributes
    ----------
    leaves : sequence
        Those of the arguments.
    inputs : sequence
        The arrays and numbers that the graph got.
    saved : sequence
        What generated code has saved.
    versions : sequence of Version
        Of the arguments that are Variables with an array.
    others : sequence of Version
        Of what was saved.
    then : mapping
        Copies of some of the inputs, by their numbers.
    """

    leaves: Sequence[Any]
    inputs: Sequence[Any]
    saved: Sequence[Any]
    versions: Sequence[Version]
    others: Sequence[Version] = ()
    then: Mapping[int, Any] = NOTHING


@dataclass(frozen=True, slots=True)
class Replay:
    """How a call is put on the tape.

    Attributes
    ----------
    graph : Graph
        The forward graph as it was recorded.
    positions : tuple of int
        The leaves that are its inputs.
    outputs : tuple of int
        Those of its outputs that have a gradient.
    at_hand : dict
        The place among what generated code has saved, for some Values.
    computed : frozenset of Value
        What has to be computed again. Of the rest only shapes and dtypes matter.
    needed_versions : tuple of int
        The arguments with a version that it is computed of, by their numbers.
    copied : tuple of int
        The inputs without a version of which each call keeps a copy.
    own : Mapping
        The inputs of which branches read copies, and where these are saved.
    users : UsersFunction or None
        What is called instead, if the graph is not enough.
    shapes : dict
        Of arrays that may be of any length: numbers, or an input or selection and how
        much longer it is.
    """

    graph: Graph
    positions: tuple[int, ...]
    outputs: tuple[int, ...]
    at_hand: Mapping[Value, int]
    computed: frozenset[Value]
    needed_versions: tuple[int, ...]
    copied: tuple[int, ...] = ()
    own: Mapping[int, int] = field(default_factory=dict)
    users: UsersFunction | None = None
    shapes: Mapping[Value, tuple[Any, ...]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        graph: Graph,
        positions: tuple[int, ...],
        outputs: tuple[int, ...],
        at_hand: Mapping[Value, int],
        read: Iterable[Value],
        counted: Sequence[int],
        copied: Sequence[int] = (),
        own: Mapping[int, int] = NO_PLACES,
        users: UsersFunction | None = None,
        shapes: Mapping[Value, tuple[Any, ...]] = NO_SHAPES,
    ) -> "Replay":
        """Find out what has to be computed.

        ``read`` is what the tape saves, ``counted`` has the inputs with a version,
        ``copied`` the numbers of those of which each call keeps a copy, ``own`` the
        places of those of which that is saved.
        """
        wanted, roots, looped = set(read), set[Value](), set[Value]()
        for node in reversed(graph.nodes):
            if type(node) is Guard:
                continue
            if type(node.function) is Loop:  # it runs again, on the tape
                inside = walk(Graph((), (node,), ()))
                wanted.update(node.inputs, *(step.results for step in inside))
                looped.update(node.inputs)
                continue
            if type(node.function) is Branch:  # so does the arm that ran
                inside = walk(Graph((), (node,), ()))
                wanted.update(v for step in inside for v in step.results)
            if wanted.isdisjoint(node.results) or at_hand.keys() >= set(node.results):
                continue
            wanted.update(node.inputs)
            if not node.shares_memory or not roots.isdisjoint(node.results):
                roots.update(node.inputs)
            elif not looped.isdisjoint(node.results):
                looped.update(node.inputs)
        needed = [
            number
            for number, place in enumerate(counted)
            if users is not None
            or graph.inputs[place] in looped
            or (graph.inputs[place] in roots and place not in own)
        ]
        return cls(
            graph,
            positions,
            outputs,
            at_hand,
            frozenset(wanted),
            tuple(needed),
            tuple(copied),
            own,
            users,
            shapes=shapes,
        )

    @property
    def has_user_backward(self) -> bool:
        """Whether a gradient in it is one that a user has written."""
        return self.users is not None

    def from_inputs(self) -> "Replay":
        """The same with nothing at hand: all is computed again of the inputs."""
        results = (value for step in walk(self.graph) for value in step.results)
        return replace(self, at_hand={}, computed=frozenset(results))

    def run(
        self,
        call: Call | None,
        edges: Mapping[int, Edge | None],
        inner: Mapping[int, Edge],
    ) -> list[Edge]:
        """Put a call on the tape; where walks back from its results start.

        Parameters
        ----------
        call : Call or None
            None, if all that it had saved is freed: what needs nothing can still be
            walked through.
        edges : dict
            For some of the leaves, by number, the edge that it had.
        inner : dict
            For some of the graph's outputs an edge that takes the place of their own:
            a walk back from what is computed from these ends there.
        """
        if self.users is not None:
            return self._run_again(self.users, call, edges)
        starts: dict[int, Any] = {}
        numbers: dict[Value, list[int]] = {}
        for i in self.outputs:
            numbers.setdefault(self.graph.outputs[i], []).append(i)
        laying = _Linearizing(self, call, edges)
        with override(grad_enabled=True):
            for step in self.graph.nodes:
                if type(step) is Guard:
                    continue
                for value, result in laying.lay(step):
                    edge = getattr(result, "edge", None)
                    for number in numbers.get(value, ()):
                        starts[number] = edge
                        result.edge = inner.get(number, edge)
            for value in numbers.keys() & set(self.graph.inputs):
                starts.update(dict.fromkeys(numbers[value], laying.given_back(value)))
        return [starts[i] for i in self.outputs]

    def _run_again(
        self,
        users: UsersFunction,
        call: Call | None,
        edges: Mapping[int, Edge | None],
    ) -> list[Edge]:
        if call is None:
            raise already_freed()
        inputs = [call.then.get(k, raw) for k, raw in enumerate(call.inputs)]
        raws = dict(zip(self.positions, inputs, strict=True))
        again = [
            Variable.make(raws[i], edges.get(i) or leaf.edge, leaf.storage)
            if type(leaf) is Variable
            else raws.get(i, leaf)
            # What was read of the environment comes after the arguments, and is read
            # again.
            for i, leaf in enumerate(call.leaves[: users.structure.num_leaves])
        ]
        with override(grad_enabled=True):
            return [flatten(users.run(again))[0][users.result].edge]


def linearized(graph: Graph, inputs: Sequence[Any]) -> list[Any]:
    """What a graph computes of some inputs, on the tape where these are."""
    found: dict[Value, Any] = dict(graph.constants)
    for value, each in zip(graph.inputs, inputs, strict=True):
        found[value] = _as_recorded(value, each)
    for node in graph.nodes:
        if type(node) is Guard:
            continue
        args = map_values(found.__getitem__, node.args)
        if type(node.function) is Loop:
            found.update(_results_of(node, node.function(*args)))
            continue
        if type(node.function) is Branch:
            given = linearized(node.function.arm(unwrap(args[0])), args[1:])
            found.update(zip(node.results, given, strict=True))
            continue
        kwargs = map_values(found.__getitem__, dict(node.kwargs))
        result = node.function(
            *unwrap(args), **{key: unwrap(item) for key, item in kwargs.items()}
        )
        variables = [*variables_in(args), *variables_in(tuple(kwargs.values()))]
        if variables:
            result = put_on_tape(node.function, args, kwargs, variables, result)
        results = result if isinstance(node.out, tuple) else (result,)
        found.update(zip(node.results, results, strict=True))
    return [found[value] for value in graph.outputs]


def _results_of(node: Node, results: Sequence[Any]) -> Iterator[tuple[Value, Any]]:
    """What a loop gives, with lists as arrays, which may be on the tape."""
    for value, result in zip(node.results, results, strict=True):
        if value.kind == "list":
            result = np.stack(result) if result else np.zeros((0, *value.shape))
        yield value, result


@dataclass(slots=True)
class Changed:
    """An array that may have changed since the call: what it is, and what it was."""

    now: Any
    then: Any

    def __getitem__(self, key: Any) -> "Changed":
        return Changed(self.now[key], self.then[key])

    def __len__(self) -> int:
        return len(self.then)

    def __bool__(self) -> bool:
        return bool(self.then)

    def __float__(self) -> float:
        return float(self.then)


class _Linearizing:
    """The state of ``Replay.run``: what stands for the Values so far."""

    def __init__(
        self, replay: Replay, call: Call | None, edges: Mapping[int, Edge | None]
    ) -> None:
        inputs = replay.graph.inputs
        self._is_freed = call is None
        self._shapes = replay.shapes
        if call is None and replay.shapes:
            raise already_freed()
        self._saved: Sequence[Any] = ()
        self._at_hand: Mapping[Value, int] = {}
        self._computed: Collection[Value] = ()
        # For arrays that may have changed, and views of them, what they were.
        self._then: dict[Value, Any] = {}
        versions: list[Version] = []
        raws: Sequence[Any] = ()
        if call is None:
            raws = [_blank(value, value.shape) for value in inputs]
        else:
            self._saved, self._at_hand = call.saved, replay.at_hand
            self._computed = replay.computed
            versions = [*call.versions, *call.others]
            raws = call.inputs
            self._then = {inputs[k]: raw for k, raw in call.then.items()}
            own = ((inputs[k], self._saved[place]) for k, place in replay.own.items())
            self._then.update((v, _as_recorded(v, raw)) for v, raw in own)
        self._version_of = {storage: version for storage, version, _ in versions}
        self._storage_of: dict[int, Any] = {id(raw): own for own, _, raw in versions}
        self._held: dict[Value, Any] = dict(replay.graph.constants)
        for value, i, raw in zip(inputs, replay.positions, raws, strict=True):
            edge, storage = edges.get(i), self._storage_of.get(id(raw))
            is_plain = edge is None and storage is None
            self._held[value] = raw if is_plain else Variable.make(raw, edge, storage)

    def lay(self, node: Node) -> list[tuple[Value, Any]]:
        """Put one node on the tape; what stands for its results."""
        args = map_values(self._held.__getitem__, node.args)
        kwargs = map_values(self._held.__getitem__, dict(node.kwargs))
        if node.function is moved:
            found = [(node.results[0], _moved(*args))]
        elif type(node.function) is Loop:
            if self._is_freed:
                raise already_freed()
            found = self._iterations(node, args)
        elif type(node.function) is Branch:
            found = self._one_arm(node)
        else:
            raw = self._raw(node, args, kwargs)
            variables = [*variables_in(args), *variables_in(tuple(kwargs.values()))]
            on_tape = node.function, args, kwargs, variables, raw
            result = put_on_tape(*on_tape) if variables else raw
            results = result if isinstance(node.out, tuple) else (result,)
            found = list(zip(node.results, results, strict=True))
            self._as_then(node, [each for _, each in found])
        self._held.update(found)
        return found

    def given_back(self, value: Value) -> Edge | None:
        """Where walks back start from an argument that is a result as it is."""
        held = self._held[value]
        if not isinstance(held, Variable):
            return None
        own = put_on_tape(np.positive, (held,), {}, [held], held.value)
        return own.edge  # type: ignore[no-any-return]

    def _iterations(self, node: Node, args: Any) -> list[tuple[Value, Any]]:
        """What a loop gives: it runs again, for of that nothing has been saved."""
        if self._is_freed:
            raise already_freed()
        if self._then.keys().isdisjoint(node.inputs):
            return [*_results_of(node, node.function(*args))]
        loop: Any = node.function
        given = map_values(self._with_then, node.args)
        results = loop.run(self._evaluate, given)
        return [
            (value, self._found(value, result))
            for value, result in _results_of(node, results)
        ]

    def _one_arm(self, node: Node) -> list[tuple[Value, Any]]:
        """The arm of a branch that ran, run again: of that nothing has been saved."""
        if self._is_freed:
            raise already_freed()
        test, *rest = node.args
        branch: Any = node.function
        arm = branch.arm(self._raw_then(test))
        given = map_values(self._with_then, rest)
        pairs = zip(node.results, self._evaluate(arm, given), strict=True)
        return [(value, self._found(value, result)) for value, result in pairs]

    def _evaluate(self, graph: Graph, inputs: Sequence[Any]) -> list[Any]:
        """Put the steps of a body on the tape: its outputs."""
        self._held.update(graph.constants)
        for step in graph.nodes:
            for value in step.results:
                self._then.pop(value, None)
        for value, given in zip(graph.inputs, inputs, strict=True):
            self._then.pop(value, None)
            self._held[value] = _as_recorded(value, self._found(value, given))
        for step in graph.nodes:
            if type(step) is not Guard:
                self.lay(step)
        return [self._with_then(value) for value in graph.outputs]

    def _with_then(self, value: Value) -> Any:
        held = self._held[value]
        return Changed(held, self._then[value]) if value in self._then else held

    def _found(self, value: Value, given: Any) -> Any:
        """What stands for a Value from here on, of what ``_with_then`` gave."""
        if type(given) is not Changed:
            return given
        self._then[value] = given.then
        return given.now

    def _raw(self, node: Node, args: Any, kwargs: Any) -> Any:
        """What the tape had as the result; a blank, where it has not kept that."""
        if self._at_hand.keys() >= set(node.results):
            raws = [
                _as_recorded(value, self._saved[self._at_hand[value]])
                for value in node.results
            ]
        elif any(value in self._computed for value in node.results):
            return self._computed_again(node, args, kwargs)
        else:
            raws = [_blank(value, self._shape_of(value)) for value in node.results]
        return tuple(raws) if isinstance(node.out, tuple) else raws[0]

    def _shape_of(self, value: Value) -> tuple[int, ...]:
        """The shape that an array had in the call."""
        return tuple(
            part if type(part) is int else len(raw_of(self._held[part[0]])) + part[1]
            for part in self._shapes.get(value, value.shape)
        )

    def _computed_again(self, node: Node, args: Any, kwargs: Any) -> Any:
        """The same result as in the call; a view shows what is there now, as it did."""
        then: Any = None
        if not self._then.keys().isdisjoint(node.inputs):
            args_then = map_values(self._raw_then, node.args)
            kwargs_then = map_values(self._raw_then, dict(node.kwargs))
            then = node.function(*args_then, **kwargs_then)
            if not node.shares_memory:
                return then
        now = node.function(*unwrap(args), **{k: unwrap(kwargs[k]) for k in kwargs})
        if then is None:
            return now
        sources = [raw_of(self._held[value]) for value in node.inputs]
        each = now if isinstance(node.out, tuple) else (now,)
        if not any(is_view(raw, source) for raw in each for source in sources):
            return then
        each_then = then if isinstance(node.out, tuple) else (then,)
        self._then.update(zip(node.results, each_then, strict=True))
        return now

    def _raw_then(self, value: Value) -> Any:
        return self._then[value] if value in self._then else raw_of(self._held[value])

    def _as_then(self, node: Node, results: Sequence[Any]) -> None:
        """Give results their storages and versions of the call, and the user's line."""
        for result in results:
            if isinstance(result, Variable):
                own = self._storage_of.get(id(result.value))
                result.storage = own or result.storage
            if getattr(result, "edge", None) is None:
                continue
            made = result.edge[0]
            made.versions = tuple(map(self._version, made.versions))
            if node.where is not None:
                made.where = where_of(node.where.filename, node.where.line)

    def _version(self, entry: Version) -> Version:
        storage, version, raw = entry
        storage = self._storage_of.get(id(raw), storage)
        return storage, self._version_of.get(storage, version), raw


def _moved(item: Any, place: Any = None) -> Any:
    """The same at another place, or at none."""
    edge = place.edge if isinstance(place, Variable) else None
    storage = item.storage if isinstance(item, Variable) else None
    return Variable.make(raw_of(item), edge, storage)


def _as_recorded(value: Value, raw: Any) -> Any:
    """What is saved; where that are Python's floats, what NumPy had of them."""
    if value.kind == "float" or type(raw) not in (list, float, bool):
        return raw
    return np.array(raw) if value.kind == "array" else value.dtype.type(raw)


def _blank(value: Value, shape: tuple[int, ...]) -> Any:
    """Something of a Value's kind and dtype, and of some shape."""
    zero = value.dtype.type(0)
    if value.kind == "float":
        return zero.item()
    return zero if value.kind == "scalar" else np.broadcast_to(zero, shape)
