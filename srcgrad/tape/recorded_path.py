"""The fast path of one operator under a recorder, for what stands for arrays too.

A traced function runs a great many of them, in loops and in straight lines; a walk back
likewise, with gradients off. As on the fast path, ``apply.apply`` can do all of this.
"""

from typing import Any

import numpy as np

from srcgrad.facts import Operation, facts_of
from srcgrad.modes import REDEFINED, state
from srcgrad.rules.registry import PRIMITIVES, Primitive
from srcgrad.tape.function import VOLATILE, new
from srcgrad.tape.rule_function import RuleFunction, node_class_of
from srcgrad.tape.ways import (
    PLAIN_ARGUMENTS,
    PYTHON_NUMBERS,
    VARIABLE_TYPES,
    Way,
    is_result,
    link,
    slow,
    way_of,
)


def binary(primitive: Primitive, operation: Operation) -> Operation:
    """The recorded path of a function of two operands."""
    function = primitive.function
    ways = {function: _ways_of(primitive)}
    if operation in PRIMITIVES:  # what Python's numbers do
        ways[operation] = _ways_of(PRIMITIVES[operation])

    def operate(a: Any, b: Any) -> Any:
        recorder = state.recorder
        kind_a, kind_b = type(a), type(b)
        is_a, is_b = kind_a in VARIABLE_TYPES, kind_b in VARIABLE_TYPES
        if (
            recorder is None
            or state.anomaly
            or REDEFINED
            or function is np.power
            or not (is_a or kind_a in PLAIN_ARGUMENTS)
            or not (is_b or kind_b in PLAIN_ARGUMENTS)
        ):
            return slow(function, operation, a, b)
        raw_a, edge_a = (a.value, a.edge) if is_a else (a, None)
        raw_b, edge_b = (b.value, b.edge) if is_b else (b, None)
        kinds = type(raw_a), type(raw_b)
        own = operation if PYTHON_NUMBERS.issuperset(kinds) else function
        # `1j + np.float64(2)` is Python's, and not what `np.add` gives.
        is_odd = complex in kinds or own not in ways
        if edge_a is VOLATILE or edge_b is VOLATILE or is_odd:
            return slow(function, operation, a, b)
        operands = recorder.operands((a, b))
        try:
            raw = operation(raw_a, raw_b)
        except Exception as error:
            recorder.failed(error, operation, (a, b), {})
            raise
        if not is_result(raw):
            return slow(function, operation, a, b)
        out = new(kind_b if not is_a or (is_b and a.stands_for_array) else kind_a)
        out.value = raw
        out.edge = out.storage = out.kept = None
        live = edge_a is not None, edge_b is not None
        if state.grad_enabled and live in ways[own]:
            edges = tuple([edge for edge in (edge_a, edge_b) if edge is not None])
            node_class, way = ways[own][live]
            link(node_class, way, edges, (a, b, out), (raw_a, raw_b, raw))
        recorder.computed(own, operands, out)
        return out

    return operate


def _ways_of(
    primitive: Primitive,
) -> dict[tuple[bool, bool], tuple[type[RuleFunction], Way]]:
    """The node and the way of a function of two operands, by which are on the tape."""
    names = {(True, True): ("x1", "x2"), (True, False): ("x1",), (False, True): ("x2",)}
    node_class = node_class_of(primitive)
    return {live: (node_class, way_of(primitive, *own)) for live, own in names.items()}


def unary(primitive: Primitive) -> Operation:
    """That of one operand, an array or number of NumPy's; None where it is not for it.

    None, too, of what has more to it than its operand.
    """
    function: Any = primitive.function
    way, node_class = way_of(primitive, "x"), node_class_of(primitive)
    known = facts_of(function)
    is_by_value = known.shape_by_value or known.complex_by_value
    is_plain = not (known.by_layout or known.of_metadata or is_by_value)

    def operate(x: Any) -> Any:
        recorder, kind = state.recorder, type(x)
        if recorder is None or kind not in VARIABLE_TYPES or not is_plain:
            return None
        if state.anomaly or REDEFINED:
            return None
        raw_x, edge = x.value, x.edge
        if edge is VOLATILE:
            return None
        operands = recorder.operands((x,))
        try:
            raw = function(raw_x)
        except Exception as error:
            recorder.failed(error, function, (x,), {})
            raise
        if not is_result(raw):
            return None
        out = new(kind)
        out.value = raw
        out.edge = out.storage = out.kept = None
        if edge is not None and state.grad_enabled:
            link(node_class, way, (edge,), (x, None, out), (raw_x, None, raw))
        recorder.computed(function, operands, out)
        return out

    return operate
