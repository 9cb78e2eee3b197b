"""Ways: what the node of a call of one or two operands saves, found out beforehand.

``link`` makes the node by such a way, and ``slow`` is for what no way is known: both
are what the fast path and the recorded one have in common.
"""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from srcgrad.errors import here, located
from srcgrad.facts import Operation
from srcgrad.modes import state
from srcgrad.operators import Operator
from srcgrad.protocols import ArrayProtocol, gives_way_to, is_left_to, raw_of
from srcgrad.rules.libraries import operator_of
from srcgrad.rules.registry import Primitive
from srcgrad.tape.function import Edge, dtype_of, fill, new
from srcgrad.tape.rule_function import Plan, RuleFunction, plan_of
from srcgrad.unboxing import EXACT

# Operands that need no second look.
PLAIN_ARGUMENTS = frozenset(
    {np.ndarray, float, int, bool, complex}
    | {np.float64, np.float32, np.float16, np.complex128, np.complex64}
    | {np.int64, np.int32, np.bool_}
)
PYTHON_NUMBERS = frozenset({float, int, bool})
# What becomes a Variable when it is computed; the rest is for `apply`.
RESULT_TYPES = PLAIN_ARGUMENTS - {int, bool}
# The classes of Variables, and of what stands for arrays: they enter themselves.
VARIABLE_TYPES: set[type[Any]] = set()
# Where operands and result stand among what `link` is given.
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


def way_of(primitive: Primitive, *names: str) -> Way:
    plan = plan_of(primitive, names)
    return plan, tuple([(SLOTS[name], METADATA[what]) for name, what in plan.saves])


def link(
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


def is_result(raw: Any) -> bool:
    """Whether a result becomes a Variable as it is."""
    kind = type(raw)
    return kind in RESULT_TYPES and (kind is not np.ndarray or not raw.dtype.hasobject)


def slow(function: Operation, operation: Operation, a: Any, b: Any) -> Any:
    """Run a function of NumPy's, or the operator that stands for it, by ``apply``."""
    first = a if isinstance(a, ArrayProtocol) else b
    other = b if first is a else a
    if other is None and state.recorder is None:
        name = getattr(function, "__name__", function)
        raise located(
            TypeError(f"{name} of a Variable and None"),
            "a .grad is None until backward() has been called",
        )
    if gives_way_to(other):
        return NotImplemented
    if (
        type(other) not in PLAIN_ARGUMENTS
        and (own := operator_of(function, other)) is not None
    ):
        return own(a, b)
    # `operation` is an operator, not the ufunc that somebody calls.
    if first is a and operation is not function and is_left_to(function, a.value, b):
        return NotImplemented
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


def comparing(own: Operator, compare: Operation) -> Operation:
    """The comparison of Variables: in a transform Python's numbers compare as such.

    ``compare`` is what they have for all others.
    """

    def method(a: Any, b: Any) -> Any:
        if not state.depth or not (is_python_number(a) and is_python_number(b)):
            return compare(a, b)
        if state.recorder is None:
            return compared(own, compare, a, b)
        own.python(raw_of(a), raw_of(b))  # or its error
        return compare(a, b)

    return method


def compared(own: Operator, compare: Operation, a: Any, b: Any) -> Any:
    """How Python's own numbers compare: with a ``bool``, complex ones with an error."""
    if type(b) is int and abs(b) > EXACT:  # no float is as exact
        return own.python(a._number(), b)
    own.python(raw_of(a), raw_of(b))
    return bool(compare(a, b))
