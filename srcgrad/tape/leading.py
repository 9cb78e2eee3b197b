"""Whether a gradient leads to what a transform, or any, has not put on the tape itself.

>>> import srcgrad
>>> x = srcgrad.Variable(2.0, requires_grad=True)
>>> leads_to_outer(x * 2.0), leads_to_outer(x.detach() * 2.0)
(True, False)
"""

import math
from collections.abc import Sequence
from typing import Any

from srcgrad.protocols import ArrayProtocol
from srcgrad.tape.function import Leaf, has_edge, next_order

# When nodes were made: from one number to before another, in their order.
Span = tuple[float, float]


def span_from_now() -> Span:
    """All that is put on the tape from now on."""
    return next_order(), math.inf


def leads_to_outer(item: Any, spans: Sequence[Span] = ()) -> bool:
    """Whether a gradient leads to a Variable of the user's from something.

    With ``spans`` also if it leads to one of another transform, not made in these.
    """
    is_on_tape = isinstance(item, ArrayProtocol) and has_edge(item)
    waiting = [item.edge] if is_on_tape else []
    seen = set(waiting)
    first = min((start for start, _ in spans), default=0)
    while waiting:
        node, number = waiting.pop()
        if node.order < first:
            return True
        if type(node) is Leaf:
            is_own = not spans or any(s <= node.order < end for s, end in spans)
            if not (node.is_inner and is_own):
                return True
            continue
        further = set(node.edges_of(number)) - seen
        seen |= further
        waiting += further
    return False
