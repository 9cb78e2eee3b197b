"""The fast path of one operator on Variables.

``apply.apply`` can do all that this does and more; this is the same for the common
case (one or two operands, the plain tape), without the parts that it never needs.
Anything else is sent on to ``Variable._call``.
"""

import operator
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from srcgrad.errors import here
from srcgrad.facts import Operation
from srcgrad.modes import state
from srcgrad.operators import BINARY_OPERATORS, UNARY_OPERATORS
from srcgrad.protocols import (
    METHODS,
    NEAR_METHODS,
    ArrayProtocol,
    gives_way_to,
    raw_of,
)
from srcgrad.rules.libraries import operator_of
from srcgrad.rules.registry import PRIMITIVES, Primitive
from srcgrad.tape.function import VOLATILE, Edge, dtype_of, fill, new
from srcgrad.tape.rule_function import Plan, RuleFunction, node_class_of, plan_of
from srcgrad.tape.versions import is_view, share

# Operands that need no second look.
PLAIN = frozenset(
    {np.ndarray, float, int, bool, complex}
    | {np.float64, np.float32, np.float16, np.complex128, np.complex64}
    | {np.int64, np.int32, np.bool_}
)
PYTHONS = frozenset({float, int, bool})
# What becomes a Variable when it is computed; the rest is for `apply`.
RESULTS = PLAIN - {int, bool}
# The classes of Variables, and of what stands for arrays: they enter themselves.
KINDS: set[type[Any]] = set()
# Where operands and result stand among what `_link` is given.
SLOTS = {"x": 0, "x1": 0, "x2": 1, "out": 2}
METADATA: dict[str, Operation | None] = {
    "value": None,
    "shape": attrgetter("shape"),
    "dtype": attrgetter("dtype"),
}
OF_OPTIONS: dict[str, Operation | None] = {
    "value": None,
    "shape": np.shape,
    "dtype": dtype_of,
}
# A plan, and for each thing that it saves: which operand, and what of it.
Way = tuple[Plan, Sequence[tuple[int, Operation | None]]]


def install(cls: type[Any]) -> dict[Operation, Operation]:
    """Give a class fast special methods; return the same for NumPy's protocols."""
    KINDS.add(cls)
    ufuncs: dict[Operation, Operation] = {}
    for function, primitive in PRIMITIVES.items():
        if isinstance(function, np.ufunc) and _is_simple(primitive):
            make = unary if function.nin == 1 else binary
            ufuncs[function] = make(cls, primitive, function)
    for name, function in (METHODS | NEAR_METHODS).items():
        primitive = PRIMITIVES[function]
        if _is_single(primitive):
            ufuncs[function] = single(cls, primitive, function)
            operation, slow = getattr(np.ndarray, name), getattr(cls, name)
            method = single(cls, primitive, operation, slow)
            method.__name__, method.__doc__ = name, f"Like ``ndarray.{name}``."
            setattr(cls, name, method)
    getitem = operator.getitem
    cls.__getitem__ = single(cls, PRIMITIVES[getitem], getitem)
    for own in BINARY_OPERATORS:
        if own.ufunc in ufuncs:
            operate = binary(cls, PRIMITIVES[own.ufunc], own.python)
            setattr(cls, f"__{own.name}__", operate)
            setattr(cls, f"__r{own.name}__", _swapped(operate))
    for own in UNARY_OPERATORS:
        if own.ufunc in ufuncs:
            operate = unary(cls, PRIMITIVES[own.ufunc], own.python)
            setattr(cls, f"__{own.name}__", operate)
    return ufuncs


def _swapped(operate: Operation) -> Operation:
    def reflected(self: Any, other: Any) -> Any:
        return operate(other, self)

    return reflected


def _is_simple(primitive: Primitive) -> bool:
    """Whether its rules need nothing but its operands and its result."""
    function: Any = primitive.function
    return (
        bool(primitive.rules)
        and function.nin <= 2
        and function.nout == 1
        and len(primitive.rules) == function.nin
        and all(
            # Only a ufunc with core dimensions is sure to get no Python number.
            name in SLOTS and (what == "value" or function.signature is not None)
            for name, what in plan_of(primitive, tuple(primitive.rules)).saves
        )
    )


def _is_single(primitive: Primitive) -> bool:
    """Whether it has a rule for its first argument; the others may be options."""
    first = next(iter(primitive.parameters), None)
    return first in primitive.rules and primitive.variadic is None


def _way(primitive: Primitive, *names: str) -> Way:
    plan = plan_of(primitive, names)
    return plan, tuple((SLOTS[name], METADATA[what]) for name, what in plan.saves)


def binary(cls: type[Any], primitive: Primitive, operation: Operation) -> Operation:
    """The fast path of a function of two operands, for Variables of exactly ``cls``."""
    function = primitive.function
    both = _way(primitive, "x1", "x2")
    only_first, only_second = _way(primitive, "x1"), _way(primitive, "x2")
    node_class = node_class_of(primitive)
    recorded = _recorded(primitive, operation)

    def operate(a: Any, b: Any) -> Any:
        if not state.fast:
            return recorded(a, b)
        kind_a, kind_b = type(a), type(b)
        if kind_a is cls and kind_b is cls:
            raw_a, edge_a, raw_b, edge_b = a.value, a.edge, b.value, b.edge
        elif kind_a is cls and kind_b in PLAIN:
            raw_a, edge_a, raw_b, edge_b = a.value, a.edge, b, None
        elif kind_b is cls and kind_a in PLAIN:
            raw_a, edge_a, raw_b, edge_b = a, None, b.value, b.edge
        else:
            return _slow(function, operation, a, b)
        edges: tuple[Edge, ...]
        out = new(cls)
        out.value = raw = operation(raw_a, raw_b)
        out.storage = out.kept = None
        if edge_a is None:
            if edge_b is None or edge_b is VOLATILE:
                out.edge = edge_b
                return out
            way, edges = only_second, (edge_b,)
        elif edge_b is None:
            if edge_a is VOLATILE:
                out.edge = VOLATILE
                return out
            way, edges = only_first, (edge_a,)
        elif edge_a is VOLATILE or edge_b is VOLATILE:
            out.edge = VOLATILE
            return out
        else:
            way, edges = both, (edge_a, edge_b)
        _link(node_class, way, edges, (a, b, out), (raw_a, raw_b, raw))
        return out

    return operate


def _recorded(primitive: Primitive, operation: Operation) -> Operation:
    """The same under a recorder, for what stands for arrays and numbers too.

    A loop runs many such operations while it is recorded.
    """
    function = primitive.function
    ways = {function: _ways(primitive)}
    if operation in PRIMITIVES:  # what Python's numbers do
        ways[operation] = _ways(PRIMITIVES[operation])

    def operate(a: Any, b: Any) -> Any:
        recorder = state.recorder
        kind_a, kind_b = type(a), type(b)
        is_a, is_b = kind_a in KINDS, kind_b in KINDS
        if (
            recorder is None
            or not state.grad_enabled
            or state.anomaly
            or function is np.power
            or not (is_a or kind_a in PLAIN)
            or not (is_b or kind_b in PLAIN)
        ):
            return _slow(function, operation, a, b)
        raw_a, edge_a = (a.value, a.edge) if is_a else (a, None)
        raw_b, edge_b = (b.value, b.edge) if is_b else (b, None)
        kinds = type(raw_a), type(raw_b)
        own = operation if PYTHONS.issuperset(kinds) else function
        # `1j + np.float64(2)` is Python's, and not what `np.add` gives.
        is_odd = complex in kinds or own not in ways
        if edge_a is VOLATILE or edge_b is VOLATILE or is_odd:
            return _slow(function, operation, a, b)
        operands = recorder.operands((a, b))
        raw = operation(raw_a, raw_b)
        if type(raw) not in RESULTS:
            return _slow(function, operation, a, b)
        out = new(kind_b if not is_a or (is_b and a.stands_for_array) else kind_a)
        out.value = raw
        out.edge = out.storage = out.kept = None
        live = edge_a is not None, edge_b is not None
        if live in ways[own]:
            edges = tuple([edge for edge in (edge_a, edge_b) if edge is not None])
            node_class, way = ways[own][live]
            _link(node_class, way, edges, (a, b, out), (raw_a, raw_b, raw))
        recorder.computed(own, operands, out)
        return out

    return operate


def _ways(
    primitive: Primitive,
) -> dict[tuple[bool, bool], tuple[type[RuleFunction], Way]]:
    """The node and the way of a function of two operands, by which are on the tape."""
    names = {(True, True): ("x1", "x2"), (True, False): ("x1",), (False, True): ("x2",)}
    node_class = node_class_of(primitive)
    return {live: (node_class, _way(primitive, *own)) for live, own in names.items()}


def unary(cls: type[Any], primitive: Primitive, operation: Operation) -> Operation:
    """The fast path of a function of one operand, for Variables of exactly ``cls``."""
    function = primitive.function
    way = _way(primitive, "x")
    node_class = node_class_of(primitive)

    def operate(x: Any) -> Any:
        if not state.fast or type(x) is not cls:
            if is_python_number(x):
                return x._call(operation, (x,), {})
            return x._call(function, (x,), {})
        raw_x, edge = x.value, x.edge
        out = new(cls)
        out.value = raw = operation(raw_x)
        out.storage = out.kept = None
        if edge is None or edge is VOLATILE:
            out.edge = edge
        else:
            _link(node_class, way, (edge,), (x, None, out), (raw_x, None, raw))
        return out

    return operate


# Types of options that cannot hide a Variable, and keywords that change no dtype.
OPTIONS = frozenset({int, bool, float, str, slice, type(None), type(...)})
IN_TUPLES = frozenset({int, bool, slice, type(None), type(...)})
KEYWORDS = frozenset({"axis", "keepdims"})


def single(
    cls: type[Any],
    primitive: Primitive,
    operation: Operation,
    slow: Operation | None = None,
) -> Operation:
    """The fast path of a function of one array and options, such as ``sum``.

    ``operation`` is the function, or the ndarray's method of the same arguments;
    ``slow`` is what it stands for, if that is a method.
    """
    function = primitive.function
    first, *options = primitive.parameters
    plan = plan_of(primitive, (first,))
    node_class = node_class_of(primitive)
    # For each thing to save: its slot, what of it; if an option, its place and default.
    slots = {first: 0, "out": 2}
    keeps: list[tuple[int, Operation | None]] = []
    wanted: list[tuple[int, str, Any]] = []
    for name, what in plan.saves:
        if name in slots:
            keeps.append((slots[name], METADATA[what]))
            continue
        keeps.append((3 + len(wanted), OF_OPTIONS[what]))
        wanted.append((options.index(name), name, primitive.parameters[name]))
    way = plan, keeps

    def operate(x: Any, *args: Any, **kwargs: Any) -> Any:
        if (
            not state.fast
            or type(x) is not cls
            or x.edge is None
            or x.edge is VOLATILE
            or type(x.value) is not np.ndarray
            or not all(map(_is_option, args))
            or (kwargs and not _are_options(kwargs))
        ):
            if slow is not None:
                return slow(x, *args, **kwargs)
            return x._call(function, (x, *args), kwargs)
        raw = operation(x.value, *args, **kwargs)
        given: tuple[Any, ...] = (x.value, None, raw)
        for place, name, default in wanted:
            given += (args[place] if place < len(args) else kwargs.get(name, default),)
        out = new(cls)
        out.value = raw
        out.storage = out.kept = None
        _link(node_class, way, (x.edge,), (x, None, out), given)
        if type(raw) is np.ndarray and is_view(raw, x.value):
            share(x, out)
        return out

    return operate


def _is_option(item: Any) -> bool:
    kind = type(item)
    if kind is tuple:
        return IN_TUPLES.issuperset(map(type, item))
    return kind in OPTIONS


def _are_options(kwargs: dict[str, Any]) -> bool:
    return KEYWORDS.issuperset(kwargs) and all(map(_is_option, kwargs.values()))


def _link(
    node_class: type[RuleFunction],
    way: Way,
    edges: tuple[Edge, ...],
    operands: tuple[Any, Any, Any],
    raws: tuple[Any, ...],
) -> None:
    """Make a node, and the result its output."""
    plan, keeps = way
    saved: tuple[Any, ...] = ()
    versions: tuple[Any, ...] = ()
    for slot, metadata in keeps:
        kept = raws[slot]
        if metadata is not None:
            saved += (metadata(kept),)
            continue
        saved += (kept,)
        operand = operands[slot] if slot < 3 else kept
        if operand is not kept and type(kept) is np.ndarray:
            storage = operand.storage or operand.own_storage()
            # As `storage.entry(kept)`, but at a third of the time.
            versions += ((storage, storage.version, kept),)
    node = fill(new(node_class), edges, raws[2], saved, versions, here(3))
    node.plan = plan
    node.counts = None
    operands[2].edge = (node, 0)


def _slow(function: Operation, operation: Operation, a: Any, b: Any) -> Any:
    first = a if isinstance(a, ArrayProtocol) else b
    other = b if first is a else a
    if gives_way_to(other):
        return NotImplemented
    if type(other) not in PLAIN and (own := operator_of(function, other)) is not None:
        return own(a, b)
    if is_left_to_python(a, b):
        function = operation
    if function is np.power and state.recorder is not None:
        function = operation if _has_short_cut(raw_of(a), b) else function
    return first._call(function, (a, b), {})


def _has_short_cut(base: Any, exponent: Any) -> bool:
    """Whether ``base ** exponent`` is not quite ``np.power``, but ``np.sqrt``, say.

    So it may be for a number that is followed: it is another one in the next call.
    """
    if not isinstance(base, (np.ndarray, np.generic)) or np.ndim(raw_of(exponent)):
        return False
    is_number = type(exponent) in (int, float)
    return base.dtype.kind in "bc" or not is_number or exponent == 0.5


def is_left_to_python(a: Any, b: Any) -> bool:
    """Whether NumPy has no part in an operator's result, if it has one in an operand.

    A ``complex`` on the left takes a ``np.float64`` for the ``float`` that it is.
    """
    if type(raw_of(a)) is complex and type(raw_of(b)) is np.float64:
        return True
    return is_python_number(a) and is_python_number(b)


def is_python_number(item: Any) -> bool:
    """Whether NumPy has no part in an operand: a float, as itself or as a Variable."""
    return type(raw_of(item)) in (float, int, bool, complex)
