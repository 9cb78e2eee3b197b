"""``x.data -= rate * x.grad`` before there is a gradient: what is the matter.

``.grad`` is None then, and ``x.grad is None`` tells. Where the user's code goes on to
compute with it, Python would say that it cannot multiply by None.

>>> import srcgrad
>>> x = srcgrad.Variable(2.0, requires_grad=True)
>>> 0.1 * x.grad                                                # doctest: +ELLIPSIS
Traceback (most recent call last):
TypeError: .grad is None: backward() has not been called on anything that ...
"""

import dis
from types import CodeType, FrameType
from typing import Any

from srcgrad.call_sites import ATTRIBUTES
from srcgrad.codes import per_code
from srcgrad.errors import describe, explained

# What comes between two instructions, and does nothing.
NO_WORK = frozenset({"CACHE", "EXTENDED_ARG", "NOP", "PRECALL"})
UNARY_INSTRUCTIONS = frozenset({"UNARY_NEGATIVE", "UNARY_POSITIVE", "UNARY_INVERT"})
OPERATOR_NAMES = frozenset(  # as Python 3.10 calls them
    "ADD SUBTRACT MULTIPLY TRUE_DIVIDE FLOOR_DIVIDE POWER MATRIX_MULTIPLY".split()
)
# So far an operand may be from the operator: `x.grad * self.rates[0]`.
FAR = 6


def check_use(frame: FrameType, variable: Any) -> None:
    """Raise if what reads ``.grad``, which is None, is about to compute with it.

    Raises
    ------
    TypeError, AttributeError
        As Python would; but saying why it is None.
    """
    error = _uses(frame.f_code).get(frame.f_lasti)
    if error is None:
        return
    where = describe((frame.f_code, frame.f_lasti))
    raise explained(error(f".grad is None: {_reason(variable)}"), f"at {where}")


def _reason(variable: Any) -> str:
    if not variable.requires_grad:
        return "the Variable does not require grad"
    if not variable.is_leaf:
        return (
            "the Variable was computed, and only leaves keep their gradients; "
            "retain_grad() keeps this one, too"
        )
    return (
        "backward() has not been called on anything that depends on this Variable, "
        "or the gradient was cleared since"
    )


@per_code
def _uses(code: CodeType) -> dict[int, type[Exception]]:
    """Where ``.grad`` is read and then computed with, and the error if it is None."""
    steps = [each for each in dis.get_instructions(code) if each.opname not in NO_WORK]
    found = {}
    for number, step in enumerate(steps):
        if step.opname in ATTRIBUTES and step.argval == "grad":
            error = _error_of(steps[number + 1 : number + 1 + FAR])
            if error is not None:
                found[step.offset] = error
    return found


def _error_of(steps: list[dis.Instruction]) -> type[Exception] | None:
    """What Python would raise of None on the stack, by what is done next."""
    above = 0  # so many operands are on the stack above it
    for step in steps:
        name = step.opname
        if above == 0 and name in ATTRIBUTES:
            return AttributeError
        is_operand = above < 2 and _is_arithmetic(step)
        is_subscript = name == "BINARY_SUBSCR" or step.argrepr == "[]"
        if (
            is_operand
            or (above == 1 and is_subscript)
            or (above == 0 and name in UNARY_INSTRUCTIONS)
        ):
            return TypeError
        is_aside = above >= 2 and (is_subscript or _is_arithmetic(step))
        if not (is_aside or name.startswith("LOAD_")):
            return None
        above += dis.stack_effect(step.opcode, step.arg, jump=False)
    return None


def _is_arithmetic(step: dis.Instruction) -> bool:
    """Whether it is an operator that None has not; a text may be formatted with it."""
    if step.opname == "BINARY_OP":
        return step.argrepr.rstrip("=") in ("+", "-", "*", "/", "//", "**", "@")
    kind, _, name = step.opname.partition("_")
    return kind in ("BINARY", "INPLACE") and name in OPERATOR_NAMES
