"""``RuleFunction``: the node of a NumPy function, which runs the function's rules."""

import itertools
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from srcgrad.rules.chosen import MOVING, goes_by_elements
from srcgrad.rules.registry import TANGENTS, Primitive
from srcgrad.tape.function import Function, Needed, already_freed, sequence_like
from srcgrad.tape.plain_writes import NOTED, check
from srcgrad.tape.saved import as_saved


class Plan:
    """Which rules of a primitive run, and what they need saved, for certain arguments.

    ``rules`` pairs each VJP with the slots of its needs in ``saved``; ``saves`` gives
    for each slot (argument, what of it); ``names`` the arguments, one a rule.
    ``saves_data``: it is more than shapes and options; ``saves_options``: it is more
    than shapes. ``tangents``: there are some of the primitive's own.
    """

    __slots__ = (
        *("names", "needs", "rules", "saves", "saves_data", "saves_options"),
        *("saves_out", "tangents"),
    )

    def __init__(self, primitive: Primitive, names: tuple[str, ...]) -> None:
        self.names = names
        rules = [primitive.rules[name] for name in names]
        tangents = TANGENTS.get(primitive.function, {})
        own = [tangents[name] for name in names if name in tangents]
        wanted = [rule.needs for rule in rules] + [each.needs for each in own]
        needs = dict.fromkeys(itertools.chain(*wanted))
        slots = dict(zip(needs, itertools.count(), strict=False))
        self.saves = tuple([_split_need(need, primitive) for need in needs])
        self.needs = tuple(needs)
        self.saves_out = "out" in needs
        self.tangents = bool(own)
        are_options = [
            _is_option(name, primitive) for name, what in self.saves if what == "value"
        ]
        self.saves_data = not all(are_options)
        self.saves_options = any(are_options)
        self.rules = tuple(
            [(rule.vjp, tuple(map(slots.__getitem__, rule.needs))) for rule in rules]
        )


def _is_option(name: str, primitive: Primitive) -> bool:
    """Whether an argument says how to compute (``axis``), rather than with what."""
    return name in primitive.parameters and name not in primitive.operands


def _split_need(need: str, primitive: Primitive) -> tuple[str, str]:
    if need == "out" or need in primitive.parameters or need == primitive.variadic:
        return need, "value"
    base, _, metadata = need.rpartition("_")
    return base, metadata


class Turning:
    """Wraps what nodes have saved in a walk of which only the derivative is wanted.

    See ``turning``, and ``wrap`` of ``ExecutionEngine``.
    """

    def __init__(self, wrap: Any) -> None:
        self._wrap = wrap

    def __call__(self, raw: Any, edge: Any, storage: Any) -> Any:
        return self._wrap(raw, edge, storage)


class RuleFunction(Function):
    """The node of a primitive; each primitive has a subclass, ``MultiplyBackward``.

    ``counts`` is None, or tells for each of the plan's arguments how many arrays it is
    a sequence of (None: it is no sequence).
    """

    __slots__ = ("counts", "plan")

    # ``turning`` stands on a higher layer, and fills it in.
    turned: ClassVar[Any]

    primitive: Primitive
    plan: Plan
    counts: tuple[int | None, ...] | None

    def pull_back(self, g: Any, needed: Needed | None, wrap: Any) -> Sequence[Any]:
        saved = self.saved
        if saved is None:
            raise already_freed()
        for _, version, _ in self.versions:
            if version:  # written into since
                saved = as_saved(saved, self.versions, self.where, self.name())
                break
        if NOTED:
            check(saved, self)
        if wrap is not None:
            saved = self._wrapped(wrap, saved)
            if self.plan.tangents and type(wrap) is Turning:
                gradients: Sequence[Any] = self.turned(self, g, saved, needed)
                return gradients
        if self.counts is not None:
            return self._pull_back_sequences(g, saved)
        rules, edges = self.plan.rules, self.edges
        if len(rules) == 1:
            vjp, slots = rules[0]
            if len(slots) == 1:
                return (vjp(g, saved[slots[0]]),)
            return (vjp(g, *[saved[slot] for slot in slots]),)
        if needed is not None:
            return [
                vjp(g, *[saved[slot] for slot in slots])
                if edge is not None and edge[0] in needed
                else None
                for (vjp, slots), edge in zip(rules, edges, strict=True)
            ]
        return [vjp(g, *[saved[slot] for slot in slots]) for vjp, slots in rules]

    @property
    def has_buffers(self) -> bool:
        # A graph that saved nothing may be walked again; options are nothing.
        saved = self.saved
        plan = self.plan
        return bool(saved) and (
            plan.saves_data or (plan.saves_options and _holds_array(saved))
        )

    def _pull_back_sequences(self, g: Any, saved: tuple[Any, ...]) -> list[Any]:
        """The same where an argument is a sequence, with an edge for each element."""
        assert self.counts is not None
        gradients: list[Any] = []
        for (vjp, slots), count in zip(self.plan.rules, self.counts, strict=True):
            result = vjp(g, *[saved[slot] for slot in slots])
            each = [result] if count is None else list(result)
            if count is not None and len(each) != count:
                raise RuntimeError(
                    f"{self.name()} returned an invalid number of gradients - "
                    f"expected {count}, but got {len(each)}"
                )
            gradients += each
        return gradients

    def _wrapped(self, wrap: Any, saved: tuple[Any, ...]) -> tuple[Any, ...]:
        """What was saved, as Variables with their place in the graph."""
        place = self._places()
        storages = {id(raw): storage for storage, _, raw in self.versions}
        found = []
        for raw, (name, what) in zip(saved, self.plan.saves, strict=True):
            if what == "value":
                raw = _restored(wrap, raw, place.get(name), storages)
            found.append(raw)
        return tuple(found)

    def _places(self) -> dict[str, Any]:
        """The edges of the arguments, and of the result."""
        if self.counts is None:
            place: dict[str, Any] = dict(zip(self.plan.names, self.edges, strict=True))
        else:
            place, position = {}, 0
            for name, count in zip(self.plan.names, self.counts, strict=True):
                end = position + (1 if count is None else count)
                edges = self.edges[position:end]
                place[name] = edges[0] if count is None else edges
                position = end
        place["out"] = self._own_edges()
        return place

    def _own_edges(self) -> Any:
        if self.metas is None:
            return (self, 0)
        # An integer result (the exponent of `frexp`) is no place for a gradient.
        return [
            (self, number) if dtype.kind in "fc" else None
            for number, (_, dtype) in enumerate(self.metas)
        ]


def _holds_array(item: Any) -> bool:
    """Whether there is an ndarray among options: in an index, say."""
    if type(item) is tuple:
        return any(map(_holds_array, item))
    return type(item) is np.ndarray


def _restored(wrap: Any, raw: Any, place: Any, storages: dict[int, Any]) -> Any:
    if isinstance(raw, (tuple, list)):
        places = place if type(place) in (list, tuple) else [None] * len(raw)
        # An edge is a tuple too, but a value with one edge is no sequence.
        pairs = zip(raw, places, strict=True)
        return sequence_like(raw, [_restored(wrap, *p, storages) for p in pairs])
    return wrap(raw, place, storages.get(id(raw)))


_node_classes: dict[Primitive, type[RuleFunction]] = {}
_plans: dict[tuple[Primitive, tuple[str, ...]], Plan] = {}


def node_class_of(
    primitive: Primitive, base: type[RuleFunction] = RuleFunction
) -> type[RuleFunction]:
    """The node type of a primitive, named after it; made of ``base`` at first."""
    found = _node_classes.get(primitive)
    if found is None:
        words = primitive.name.title().replace("_", "").replace(".", "")
        name = f"{words}Backward"
        members = {"__slots__": (), "primitive": primitive}
        if base is RuleFunction:
            members["by_elements"] = goes_by_elements(primitive.function)
            members["moves"] = primitive.function in MOVING
        found = _node_classes[primitive] = type(name, (base,), members)
    return found


def plan_of(primitive: Primitive, names: tuple[str, ...]) -> Plan:
    """The plan for the arguments that need a gradient."""
    found = _plans.get((primitive, names))
    if found is None:
        found = _plans[primitive, names] = Plan(primitive, names)
    return found
