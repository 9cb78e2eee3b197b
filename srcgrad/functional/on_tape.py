"""What transforms do on the tape: put arguments on it, walk back, take results off.

A transform that runs inside another (or while a call is recorded) leaves what it gives
on the tape of that; so does one of a function that closes over a Variable that requires
grad, where the result depends on it.
"""

import weakref
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from srcgrad.errors import located
from srcgrad.functional.differentiated import are_close
from srcgrad.functional.forms import Form
from srcgrad.modes import override, state
from srcgrad.protocols import raw_of
from srcgrad.pytree import flatten, unflatten
from srcgrad.tape.engine import ExecutionEngine
from srcgrad.tape.function import Edge, Function, Leaf, has_edge, next_order
from srcgrad.tape.leading import Span, leads_to_outer, span_from_now
from srcgrad.tape.rule_function import Turning
from srcgrad.tape.turning import arbitrary
from srcgrad.tape.variable import Variable, restore
from srcgrad.tracing.arrays.traced_array import TracedArray
from srcgrad.tracing.environment.environment_array import (
    check_not_written,
    is_found,
    left_of,
)


def running() -> override:
    """A context manager around what a transform does on the tape."""
    return override(depth=state.depth + 1, grad_enabled=True)


class Alias(Function):
    """The same array under a node of its own: what one transform differentiates by."""

    __slots__ = ()
    is_argument = True

    def pull_back(self, g: Any, needed: Any, wrap: Any) -> Sequence[Any]:
        return (g,)


class Lifted:
    """The arguments of a call, with Variables of its own for some of them.

    Attributes
    ----------
    args, kwargs
        What to call the function with.
    variables : list of list of Variable
        For each argument that is chosen those of its leaves that are not None.
    leaves : list
        Those of all arguments, as they were given.
    outer : Outer
        The tape that the results are to be left on.
    given : tuple
        Copies of the arguments, where they are kept for later.
    """

    given: tuple[Any, ...]

    def __init__(
        self,
        args: Sequence[Any],
        kwargs: dict[str, Any],
        chosen: Sequence[int],
        further: Any = (),
        is_kept: bool = False,
    ) -> None:
        """``chosen`` counts the keywords' arguments after ``args``.

        ``further`` are other arrays that the results depend on: tangents. ``is_kept``:
        the tape is for later, and the caller's arrays may have changed by then.
        """
        trees = [*args, *kwargs.values()]
        if is_kept:
            trees = [copied(tree) for tree in trees]
            self.given = tuple(trees[: len(args)])
        self.leaves = flatten((trees, further))[0]
        check_not_written(flatten((further, [trees[i] for i in chosen]))[0])
        self.outer = Outer(self.leaves)
        self._is_outermost = not state.depth and not self.outer.has_variables
        self._looks_to_outer = not state.depth and state.grad_enabled
        found: dict[int, list[Any]] = {}
        for number in chosen:
            if number not in found:
                items, structure = flatten(trees[number])
                lifted = [None if item is None else fresh(item) for item in items]
                found[number] = [item for item in lifted if item is not None]
                trees[number] = unflatten(structure, lifted)
        self.variables = [found[number] for number in chosen]
        self.args = tuple(trees[: len(args)])
        self.kwargs = dict(zip(kwargs, trees[len(args) :], strict=True))

    @property
    def is_nested(self) -> bool:
        """Whether there is a tape that the results are to be left on."""
        return self.outer.is_there

    def look_to_outer(self, result: Any) -> None:
        """Leave on the tape what depends on a Variable that the function closes over.

        That is known when it has run: ``result`` is what it has returned.
        """
        if self._looks_to_outer:
            leaves = flatten(result)[0]
            self.outer.is_closed_over = any(map(self.outer.is_led_to_outer, leaves))

    @property
    def places(self) -> list[Any]:
        """The edges of all variables."""
        return [v.edge for variables in self.variables for v in variables]

    def given_back(self, result: Any) -> Any:
        """What the function has returned, without the Variables put in here."""
        leaves, structure = flatten(result)
        return unflatten(structure, list(map(self.outer.given_back, leaves)))

    def form_of(self, result: Any) -> Form:
        """What derivatives of a result look like.

        What a function closes over makes Variables of those alone that depend on it.
        """
        leaves, structure = flatten(result)
        kind = raw_of if self._is_outermost else self.outer.given_back
        return Form(list(map(kind, leaves)), structure)

    def kept(self, found: Any) -> Any:
        """A derivative as the caller gets it."""
        return self.outer.kept(found)


def copied(tree: Any) -> Any:
    """A container with arrays of its own."""
    leaves, structure = flatten(tree)
    own = [leaf.copy() if type(leaf) is np.ndarray else leaf for leaf in leaves]
    return unflatten(structure, own)


class Outer:
    """The tape that results are to be left on, if there is one.

    It depends on all that is given to a call: tangents and cotangents too; and on what
    the function closes over, if a gradient leads there.
    """

    def __init__(
        self,
        leaves: Sequence[Any],
        is_closed_over: bool = False,
        before: Sequence[Span] = (),
    ) -> None:
        """``before``: when the call has put something of its own on the tape before."""
        self.spans = (*before, span_from_now())
        outer = [leaf for leaf in leaves if isinstance(leaf, Variable)]
        self.is_closed_over = is_closed_over
        # All of a traced call's arguments may stand for arrays.
        self.has_variables = not all(v.stands_for_array for v in outer)
        self._is_inner = state.depth > 0
        self._is_recorded = state.recorder is not None
        self._are_variables = bool(outer)
        self._lead_to_outer = any(map(has_edge, outer))
        self._keeps_grad = state.grad_enabled

    @property
    def is_there(self) -> bool:
        """Whether there is one."""
        is_open = self._is_inner or self._is_recorded
        return is_open or self._lead_to_outer or self.is_closed_over

    def kept(self, found: Any) -> Any:
        """A derivative: on the outer tape if there is one, else an array of its own."""
        if found is None:
            return None
        if not isinstance(found, Variable):
            return self._of_array(found)
        if self._is_recorded and not self._is_inner and not self.has_variables:
            is_kept = self._is_kept(found) if self.is_closed_over else False
            kind = Variable if is_kept else TracedArray
            return kind.make(found.value, found.edge if self._keeps_grad else None)
        if self._is_kept(found):
            return Variable.make(found.value, found.edge)
        if self._are_variables:
            return Variable.make(found.value, None)
        return found.value if self._is_inner else np.array(found.value)

    def _of_array(self, found: Any) -> Any:
        if self._is_inner or (self._is_recorded and not self.has_variables):
            return found
        own = np.array(found)  # it may be part of another, or read-only
        if not self.has_variables:
            return own
        return Variable.make(found if isinstance(found, np.generic) else own, None)

    def given_back(self, leaf: Any) -> Any:
        """What a function has returned, without the Variables put in by the call."""
        if is_found(leaf):
            return left_of(leaf)
        is_kept = self._is_inner or self._is_recorded or self.has_variables
        if isinstance(leaf, Variable) and (is_kept or self._is_kept(leaf)):
            return self.kept(leaf)
        return raw_of(leaf)

    def _is_kept(self, found: Any) -> bool:
        """Whether a gradient leads out of the transform, and may be asked for."""
        may_lead = self._is_inner or self._lead_to_outer or self.is_closed_over
        return self._keeps_grad and may_lead and self.is_led_to_outer(found)

    def is_led_to_outer(self, item: Any) -> bool:
        """Whether a gradient leads to what the call has not made itself."""
        return leads_to_outer(item, self.spans if self._is_inner else ())


def fresh(leaf: Any) -> Variable:
    """A Variable for a leaf, on the tape by itself."""
    if isinstance(leaf, Variable):
        if has_edge(leaf):
            node = Alias.link((leaf.edge,), leaf.value)
            made = type(leaf).make(leaf.value, (node, 0), leaf.own_storage())
        else:
            made = type(leaf).make(leaf.value, (Leaf.inside(leaf), 0))
        if state.recorder is not None:
            state.recorder.entered(made)
        return made
    return Variable.make(leaf, (Leaf.inside(leaf), 0))


def is_on_tape(item: Any) -> bool:
    """Whether something has a place where a walk back may start."""
    return isinstance(item, Variable) and has_edge(item)


def placeholder(like: Any) -> Variable:
    """A cotangent to differentiate by, where a walk back is linear: of any value."""
    raw = arbitrary(like.shape, like.dtype, isinstance(like.value, np.ndarray))
    made = Variable.make(raw, (Leaf.inside(raw), 0))
    if state.recorder is not None:
        state.recorder.entered(made, start_of=like)
    return made


def walked_back(
    roots: Sequence[Any],
    cotangents: Sequence[Any],
    places: Sequence[Any],
    is_nested: bool,
    retain_graph: bool = False,
    is_inner: bool = False,
    is_turning: bool = False,
) -> list[Any]:
    """The cotangents that reach some places, None where none does.

    ``is_nested``: they are put on the tape themselves. Roots that are not on the tape
    are passed over. ``is_inner``: it is a part of another walk, and ends at its places.
    ``is_turning``: only its derivative is wanted.
    """
    pairs: list[Any] = [
        (root.edge, _cotangent(g, is_nested))
        for root, g in zip(roots, cotangents, strict=True)
        if is_on_tape(root) and g is not None
    ]
    if not pairs:
        return [None] * len(places)
    wrap: Any = restore if is_nested else None
    if is_turning:
        wrap = Turning(restore)
    engine = ExecutionEngine(is_nested or retain_graph, wrap, is_nested, is_inner)
    targets = [place for place in dict.fromkeys(places) if place is not None]
    recorder = state.recorder
    if recorder is None:
        found = dict(engine.run_backward(pairs, targets))
    else:
        found = recorder.walked(pairs, targets) or {}
        if not found:
            with recorder.walking(pairs, targets) as found:
                found.update(engine.run_backward(pairs, targets))
    return [found.get(place) for place in places]


def _cotangent(g: Any, is_nested: bool) -> Any:
    if isinstance(g, Variable):
        return g if is_nested else g.value
    if not is_nested:
        return g
    made = Variable.make(g, None)
    if state.recorder is not None:
        state.recorder.holds(made)
    return made


def outer_edges(
    edges: Sequence[Edge], start: int, own: Sequence[Edge]
) -> Iterator[Edge]:
    """Where a graph leads to nodes that were there before it: what it closes over."""
    ends = {edge[0] for edge in own}
    seen, waiting = set(edges), list(edges)
    while waiting:
        edge = waiting.pop()
        if edge[0] in ends:
            continue
        if edge[0].order < start:
            yield edge
            continue
        for further in edge[0].edges_of(edge[1]):
            if further not in seen:
                seen.add(further)
                waiting.append(further)


def _made_again(transform: Any, args: Any, value: Any) -> Any:
    """What a transform gives to be called later, from a run of the function here.

    Raises
    ------
    RuntimeError
        If that gives another value than the run before.
    """
    found, made, *_ = transform(*args)
    pairs = zip(flatten(found)[0], flatten(value)[0], strict=False)
    if not all(are_close(*map(raw_of, pair)) for pair in pairs):
        raise RuntimeError(
            f"{transform!r} is not what it was when it was pickled: it gives another "
            "value when it runs again"
        )
    return made


class Kept:
    """What a transform gives to be called later, on what it has kept of its tape."""

    def __init__(self, start: float) -> None:
        """``start``: the order of the first node that its tape may have."""
        self.own = ((start, next_order()),)
        recorder = state.recorder
        self._recorder = None if recorder is None else weakref.ref(recorder)
        # What gives it, of what, and with which value, to be called again elsewhere.
        self.made_by: tuple[Any, Any, Any] = (None, (), None)

    def __copy__(self) -> "Kept":
        return self  # nothing in it changes

    def __deepcopy__(self, memo: Any) -> "Kept":
        return self

    def __reduce__(self) -> Any:
        """Pickled without its tape: the function runs again where it is loaded.

        Raises
        ------
        TypeError
            If it leads to Variables of the user's, which are not there.
        """
        transform, args, value = self.made_by
        leaves = flatten((args, value))[0]
        if any(map(is_on_tape, leaves)):
            raise located(
                TypeError(
                    f"what {type(transform).__name__.lower()} gives is not pickled "
                    "where it leads to Variables that require grad"
                )
            )
        return _made_again, self.made_by

    def followed_by(self, follow: Any) -> "Kept":
        """The same: it is followed, if what has made it is."""
        del follow
        recorder = state.recorder
        made_by = None if self._recorder is None else self._recorder()
        if recorder is not None and made_by is not recorder:
            recorder.refuse("calls what a transform outside has given")
        return self
