"""What a user's ``forward`` keeps beside ``save_for_backward``, for second derivatives.

``ctx.x = x`` is an array to ``backward``. Where that is differentiated again, arguments
and results are put on the tape there, as if they had been saved. What ``forward`` has
computed of them (``ctx.s = np.sin(x)``), or lets escape, cannot be: to differentiate
by it is an error.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from srcgrad.modes import state
from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.pytree import flatten, unflatten
from srcgrad.tape.forward_escapes import closure_of, is_real, numbers_in
from srcgrad.tape.function import Function, Needed, is_needed
from srcgrad.tape.rule_function import RuleFunction
from srcgrad.tape.user_call import Call, index_of, is_on_arrays
from srcgrad.tape.versions import Storage, Version

# The array of an argument or a result; its edge, or the result's number; its storage.
Reference = tuple[Any, Any, Storage | None]


class Kept(NamedTuple):
    """What ``forward`` has kept.

    ``places`` are of the arguments and results that ``ctx`` holds, by the ids of their
    arrays; ``name`` is where the first is. ``computed`` is where something is that may
    have been computed of them, or None.
    """

    places: dict[int, Reference]
    versions: tuple[Version, ...]
    name: str | None
    computed: str | None


def kept_by(
    context: Any,
    call: Call,
    raws: Sequence[Any],
    results: Sequence[Any],
    escaped: str | None,
) -> Kept | None:
    """Look through ``ctx`` when ``forward`` is over; None if nothing was kept.

    ``escaped`` is where it keeps something else, if so.
    """
    own = held_by(context)
    if (not own and escaped is None) or is_on_arrays(type(context)):
        return None
    places: dict[int, Reference] = {}
    versions: list[Version] = []
    first, computed = None, escaped
    for name, item in own.items():
        for leaf in flatten(item)[0]:
            raw = raw_of(leaf)
            place = _place_of(raw, call, raws, results)
            if place is not None:
                first = first or f"`ctx.{name}`"
                places[id(raw)] = place
                if place[2] is not None:
                    versions.append(place[2].entry(raw))
            elif computed is None and _may_depend(leaf, context, call):
                computed = f"`ctx.{name}`"
    return Kept(places, tuple(versions), first, computed)


def held_by(context: Any) -> dict[str, Any]:
    """The attributes that the user has put on ``ctx``."""
    own = getattr(context, "__dict__", {})
    return {name: item for name, item in own.items() if name != "_call"}


def _place_of(
    raw: Any, call: Call, raws: Sequence[Any], results: Sequence[Any]
) -> Reference | None:
    """Where an array on ``ctx`` is on the tape, if it is an argument or a result."""
    position, number = index_of(raw, call.arrays), index_of(raw, raws)
    if position is not None:
        variable = call.args[position]
        place = getattr(variable, "edge", None)
    elif number is not None:
        variable, place = results[number], number
    else:
        return None
    if not isinstance(variable, ArrayProtocol):
        return None
    own: Any = variable
    return raw, place, own.own_storage() if type(raw) is np.ndarray else None


# ----- Whether something may have been computed of the arguments -----


def _may_depend(leaf: Any, context: Any, call: Call) -> bool:
    found = list(numbers_in(leaf))
    if not found:
        return False
    constants = set(map(id, _constants(context, call)))
    if id(leaf) in constants:  # an object of its environment, whatever it holds
        return False
    return any(id(raw_of(each)) not in constants for each in found)


def _constants(context: Any, call: Call) -> Iterator[Any]:
    """What ``forward`` finds already there: its text's numbers, globals, arguments."""
    for arg in call.args:
        if not isinstance(arg, ArrayProtocol):
            yield from numbers_in(arg)
    for cls in type(context).__mro__:
        yield from vars(cls).values()
    forward = type(context).forward
    code = getattr(forward, "__code__", None)
    if code is None:
        return
    yield from code.co_consts
    yield from (*(forward.__defaults__ or ()), *closure_of(forward))
    found = [forward.__globals__.get(name) for name in code.co_names]
    yield from found
    for holder in (*found, *closure_of(forward), type(context)):
        for name in code.co_names:
            yield getattr(holder, "__dict__", {}).get(name)


# ----- Where `backward` is differentiated -----


class OnTape:
    """While it lasts, arguments and results that ``ctx`` holds are Variables."""

    def __init__(self, context: Any, kept: Kept, make: Callable[..., Any]) -> None:
        self._context, self._own = context, held_by(context)
        leaves, structure = flatten([*self._own.values()])
        places = [kept.places.get(id(leaf)) for leaf in leaves]
        leaves = [
            leaf if place is None else make(*place)
            for leaf, place in zip(leaves, places, strict=True)
        ]
        self._new = dict(zip(self._own, unflatten(structure, leaves), strict=True))

    def __enter__(self) -> None:
        vars(self._context).update(self._new)

    def __exit__(self, *_: Any) -> None:
        vars(self._context).update(self._own)


class KeptElsewhere(Function):
    """A gradient of ``backward`` that has no derivative by the arguments.

    By what comes in it has one; ``message`` says what is the matter with the rest.
    """

    __slots__ = ("message",)

    message: str

    def pull_back(self, g: Any, needed: Needed | None, wrap: Any) -> Sequence[Any]:
        first, *others = self.edges
        for edge in others:
            if edge is not None and (needed is None or is_needed(edge, needed)):
                raise RuntimeError(self.message)
        if first is not None and wrap is not None and state.grad_enabled:
            # What is computed of it depends on the arguments as well.
            g = self.of(g, others, self.message)
        return [None if first is None else g, *(None for _ in others)]

    @classmethod
    def of(cls, gradient: Any, others: Sequence[Any], message: str) -> Any:
        """A gradient that leads to the error, too."""
        edges = (getattr(gradient, "edge", None), *others)
        node: KeptElsewhere = cls.link(edges, raw_of(gradient))
        node.message = message
        return cls.variable_class.make(raw_of(gradient), (node, 0))


def computes_with(kept: Kept, is_on_tape: bool) -> str | None:
    """With what of the arguments ``backward`` may compute that is not on the tape.

    ``is_on_tape``: what can be is, by ``OnTape``.
    """
    return kept.computed or (None if is_on_tape else kept.name)


def has_constants(gradient: Any, start: int, backward: Any, given: list[Any]) -> bool:
    """Whether a gradient was computed with numbers that are not on the tape.

    By nodes made from ``start`` on. Numbers that stand in the text of ``backward``, and
    what is ``given`` to it, are no such ones.
    """
    code = getattr(backward, "__code__", None)
    literals = () if code is None else code.co_consts
    known = set(map(id, (*literals, *given)))
    return any(id(each) not in known for each in _constants_behind(gradient, start))


def _constants_behind(gradient: Any, start: int) -> Iterator[Any]:
    """The real numbers that it was computed with and that are not on the tape."""
    if gradient.edge is None:
        yield gradient.value
        return
    waiting, seen = [gradient.edge[0]], set[Any]()
    while waiting:
        node = waiting.pop()
        if node in seen or node.order < start:
            continue
        seen.add(node)
        waiting += [edge[0] for edge in node.edges if edge is not None]
        if not isinstance(node, RuleFunction):
            yield node  # anything may be in it
        elif node.saved is not None:
            pairs = zip(node.plan.saves, node.saved, strict=True)
            for (name, what), saved in pairs:
                if what == "value" and name != "out" and name not in node.plan.names:
                    yield from filter(is_real, flatten(saved)[0])
