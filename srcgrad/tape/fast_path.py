"""The fast path of one operator on Variables.

``apply.apply`` can do all that this does and more; this is the same for the common
case (one or two operands, the plain tape), without the parts that it never needs.
Anything else is sent on to ``Variable._call``.
"""

import operator
from typing import Any

import numpy as np

from srcgrad.facts import Operation
from srcgrad.modes import REDEFINED, WITH_FAST_PATHS, state
from srcgrad.operators import BINARY_OPERATORS, UNARY_OPERATORS
from srcgrad.protocols import NDARRAY_METHODS, NEAR_METHODS
from srcgrad.rules.registry import PRIMITIVES, Primitive
from srcgrad.tape import recorded_path
from srcgrad.tape.function import VOLATILE, Edge, new
from srcgrad.tape.rule_function import node_class_of, plan_of
from srcgrad.tape.versions import is_view, share
from srcgrad.tape.ways import (
    METADATA,
    OF_OPTIONS,
    PLAIN_ARGUMENTS,
    SLOTS,
    VARIABLE_TYPES,
    is_left_to_python,
    is_python_number,
    link,
    slow,
    way_of,
)
from srcgrad.tracebacks import trim


def install(cls: type[Any]) -> dict[Operation, Operation]:
    """Give a class fast special methods; return the same for NumPy's protocols."""
    VARIABLE_TYPES.add(cls)
    ufuncs: dict[Operation, Operation] = {}
    for function, primitive in PRIMITIVES.items():
        if isinstance(function, np.ufunc) and _is_simple(primitive):
            make = unary if function.nin == 1 else binary
            ufuncs[function] = make(cls, primitive, function)
    for name, function in (NDARRAY_METHODS | NEAR_METHODS).items():
        primitive = PRIMITIVES[function]
        if _is_single(primitive):
            ufuncs[function] = single(cls, primitive, function)
            operation, other = getattr(np.ndarray, name), getattr(cls, name)
            method = single(cls, primitive, operation, other)
            method.__name__, method.__doc__ = name, f"Like ``ndarray.{name}``."
            setattr(cls, name, method)
    getitem = operator.getitem
    cls.__getitem__ = single(cls, PRIMITIVES[getitem], getitem)
    for own in BINARY_OPERATORS:
        if own.ufunc in ufuncs:
            operate = binary(cls, PRIMITIVES[own.ufunc], own.python)
            setattr(cls, f"__{own.name}__", operate)
            setattr(cls, f"__r{own.name}__", _swapped(operate))
    cls.__floordiv__ = _divided
    cls.__rfloordiv__ = _swapped(_divided)
    cls.__divmod__, cls.__rdivmod__ = _with_rest, _swapped(_with_rest)
    for own in UNARY_OPERATORS:
        if own.ufunc in ufuncs:
            operate = unary(cls, PRIMITIVES[own.ufunc], own.python)
            setattr(cls, f"__{own.name}__", operate)
    WITH_FAST_PATHS.update(ufuncs, (getitem,))
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


def binary(cls: type[Any], primitive: Primitive, operation: Operation) -> Operation:
    """The fast path of a function of two operands, for Variables of exactly ``cls``."""
    function = primitive.function
    both = way_of(primitive, "x1", "x2")
    only_first, only_second = way_of(primitive, "x1"), way_of(primitive, "x2")
    node_class = node_class_of(primitive)
    recorded = recorded_path.binary(primitive, operation)

    def operate(a: Any, b: Any) -> Any:
        if not state.fast or REDEFINED:
            return recorded(a, b)
        kind_a, kind_b = type(a), type(b)
        if kind_a is cls and kind_b is cls:
            raw_a, edge_a, raw_b, edge_b = a.value, a.edge, b.value, b.edge
        elif kind_a is cls and kind_b in PLAIN_ARGUMENTS:
            raw_a, edge_a, raw_b, edge_b = a.value, a.edge, b, None
        elif kind_b is cls and kind_a in PLAIN_ARGUMENTS:
            raw_a, edge_a, raw_b, edge_b = a, None, b.value, b.edge
        else:
            try:
                return slow(function, operation, a, b)
            except Exception as error:
                trim(error)
                raise
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
        link(node_class, way, edges, (a, b, out), (raw_a, raw_b, raw))
        return out

    return operate


def unary(cls: type[Any], primitive: Primitive, operation: Operation) -> Operation:
    """The fast path of a function of one operand, for Variables of exactly ``cls``."""
    function = primitive.function
    way = way_of(primitive, "x")
    node_class = node_class_of(primitive)
    recorded = recorded_path.unary(primitive)

    def operate(x: Any) -> Any:
        if not state.fast or REDEFINED or type(x) is not cls:
            if is_python_number(x):
                return x._call(operation, (x,), {})
            out = recorded(x)
            return x._call(function, (x,), {}) if out is None else out
        raw_x, edge = x.value, x.edge
        out = new(cls)
        out.value = raw = operation(raw_x)
        out.storage = out.kept = None
        if edge is None or edge is VOLATILE:
            out.edge = edge
        else:
            link(node_class, way, (edge,), (x, None, out), (raw_x, None, raw))
        return out

    return operate


# Types of options that cannot hide a Variable, and keywords that change no dtype.
OPTION_TYPES = frozenset({int, bool, float, str, slice, type(None), type(...)})
IN_TUPLES = frozenset({int, bool, slice, type(None), type(...)})
AXIS_KEYWORDS = frozenset({"axis", "keepdims"})


def single(
    cls: type[Any],
    primitive: Primitive,
    operation: Operation,
    other: Operation | None = None,
) -> Operation:
    """The fast path of a function of one array and options, such as ``sum``.

    ``operation`` is the function, or the ndarray's method of the same arguments;
    ``other`` is what it stands for, if that is a method.
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
            or REDEFINED
            or type(x) is not cls
            or x.edge is None
            or x.edge is VOLATILE
            or type(x.value) is not np.ndarray
            or not all(map(_is_option, args))
            or (kwargs and not _are_options(kwargs))
        ):
            try:
                if other is not None:
                    return other(x, *args, **kwargs)
                return x._call(function, (x, *args), kwargs)
            except Exception as error:
                trim(error)
                raise
        raw = operation(x.value, *args, **kwargs)
        given: tuple[Any, ...] = (x.value, None, raw)
        for place, name, default in wanted:
            given += (args[place] if place < len(args) else kwargs.get(name, default),)
        out = new(cls)
        out.value = raw
        out.storage = out.kept = None
        link(node_class, way, (x.edge,), (x, None, out), given)
        if type(raw) is np.ndarray and is_view(raw, x.value):
            share(x, out)
        return out

    return operate


def _is_option(item: Any) -> bool:
    kind = type(item)
    if kind is tuple:
        return IN_TUPLES.issuperset(map(type, item))
    return kind in OPTION_TYPES


def _are_options(kwargs: dict[str, Any]) -> bool:
    return AXIS_KEYWORDS.issuperset(kwargs) and all(map(_is_option, kwargs.values()))


def _divided(a: Any, b: Any) -> Any:
    """``a // b``, which has no gradient: of Python's floats it is one."""
    return slow(np.floor_divide, operator.floordiv, a, b)


def _with_rest(a: Any, b: Any) -> Any:
    """``divmod(a, b)``: of Python's floats it is two."""
    if is_left_to_python(a, b):
        return a // b, a % b
    return slow(np.divmod, divmod, a, b)
