"""``Iteration``: the steps of one iteration, in a form in which they can be compared.

>>> import numpy as np
>>> a, b, c = (Value((), np.dtype(float)) for _ in range(3))
>>> first = Iteration((Node(np.multiply, (a, 2.0), out=b),))
>>> second = Iteration((Node(np.multiply, (b, 3.0), out=c),))
>>> agree(first, second), first.slots[0][1], second.slots[0][1]
(True, 2.0, 3.0)
"""

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from srcgrad.branches import Branch, form_of
from srcgrad.loops import Loop
from srcgrad.steps import NESTED, Guard, Node, Step, Value
from srcgrad.updates import add_at, assign, mark_complete, moved, scatter

# In the second argument of these an integer is a place; one that becomes a float may be
# another one each time, too.
INDEXED: frozenset[Any] = frozenset(
    {operator.getitem, assign, add_at, scatter, operator.add, float}
)
ARITHMETIC: frozenset[Any] = frozenset(
    {np.add, np.subtract, np.multiply, np.divide}
    | {operator.add, operator.sub, operator.mul, operator.truediv}
)
# Marks, for those who put a run on the tape again; they stay where they are.
MARKS = frozenset({moved, mark_complete})


class Iteration:
    """Steps, with what goes into them in lists: one slot after another."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = tuple(steps)
        self._numbers = [value for step in self.steps for value in step.results]
        self.own = {value: number for number, value in enumerate(self._numbers)}
        self.slots: list[list[Any]] = []
        self.forms: list[Any] = []
        for step in self.steps:
            leaves: list[Any] = []
            self.forms.append((_of(step), _form_of(step, leaves)))
            self.slots.append(leaves)

    def numbers(self) -> list[Value]:
        """The results of all steps, in order."""
        return self._numbers

    def is_place(self, number: int, slot: int) -> bool:
        """Whether what is in a slot stands in an index."""
        step = self.steps[number]
        if type(step) is not Node or step.function not in INDEXED:
            # A branch gets the integers that stand in indices in its arms, and so does
            # a loop from the one around it.
            return isinstance(getattr(step, "function", None), (Branch, Loop))
        if step.function is float:
            return True
        before = len(list(_leaves(step.args[0])))
        return before <= slot < before + len(list(_leaves(step.args[1])))

    def is_factor(self, number: int) -> bool:
        """Whether a step takes an integer as it takes a floating-point number."""
        return is_factor(self.steps[number])

    def takes_integers(self, number: int, slot: int) -> bool:
        """Whether an integer in a slot may be another one each time."""
        return self.is_place(number, slot) or self.is_factor(number)


def is_factor(step: Step) -> bool:
    """Whether a step takes an integer as it takes a floating-point number."""
    return (
        type(step) is Node
        and step.function in ARITHMETIC
        and step.results[0].dtype.kind == "f"
    )


def agree(one: Iteration, other: Iteration) -> bool:
    """Whether two iterations take the same steps, on values of their own perhaps."""
    if one.forms is not other.forms and one.forms != other.forms:
        return False
    other.forms = one.forms  # one of the two is enough
    for number, (first, second) in enumerate(zip(one.slots, other.slots, strict=True)):
        for slot, (a, b) in enumerate(zip(first, second, strict=True)):
            if a is not b and not _fits(one, other, a, b, number, slot):
                return False
    return True


def _fits(
    one: Iteration, other: Iteration, a: Any, b: Any, number: int, slot: int
) -> bool:
    if type(a) is Value and type(b) is Value:
        if a in one.own:  # what it is like is in the forms
            return b in other.own and one.own[a] == other.own[b]
        return b not in other.own and meta_of(a) == meta_of(b)
    if type(a) is Value or type(b) is Value:
        value, item = (a, b) if type(a) is Value else (b, a)
        return value.kind == "scalar" and type(item) in (int, float)
    if type(a) is not type(b):
        return False
    if type(a) is float or (type(a) is int and one.takes_integers(number, slot)):
        return True
    return is_same(a, b)


def meta_of(value: Value) -> tuple[Any, ...]:
    """What a Value is like."""
    return value.shape, value.dtype, value.kind


def is_same(a: Any, b: Any) -> bool:
    """Whether two constants are the same, for certain."""
    if a is b:
        return True
    plain = (int, float, complex, str, bytes, bool, np.dtype)
    if type(a) is type(b) and isinstance(a, (*plain, np.generic)):
        return repr(a) == repr(b)
    return False


def _of(step: Step) -> Any:
    """What must be the same about two steps."""
    if type(step) is Guard:
        return "guard", step.convert, type(step.observed), repr(step.observed)
    out = "tuple" if isinstance(step.out, tuple) else "one"
    metas = tuple([meta_of(value) for value in step.results])
    # A mark agrees with nothing, nor does a draw; a Loop has none, if it is one anyway.
    has_effect = step.has_effect and type(step.function) is not Loop
    own = step if step.function in MARKS or has_effect else None
    names = tuple(step.kwargs)
    function: Any = step.function
    if type(function) is Branch:
        function = form_of(function)
    return function, names, out, metas, step.must_run, own


def _form_of(step: Step, leaves: list[Any]) -> Any:
    """The structure of what goes into a step; the rest goes to a list."""
    if type(step) is Guard:
        return form_of_argument(step.value, leaves)
    # Most arguments are plain Values and numbers.
    if not step.kwargs and NESTED.isdisjoint(map(type, step.args)):
        leaves += step.args
        return len(leaves)
    return form_of_argument((step.args, tuple(step.kwargs.values())), leaves)


def form_of_argument(item: Any, leaves: list[Any]) -> Any:
    """The structure of an argument; what is in it goes to a list."""
    if type(item) in (tuple, list):
        return type(item), tuple([form_of_argument(each, leaves) for each in item])
    if type(item) is dict:
        return (
            dict,
            tuple(item),
            tuple(form_of_argument(v, leaves) for v in item.values()),
        )
    if type(item) is slice:
        parts = (item.start, item.stop, item.step)
        return slice, tuple(form_of_argument(part, leaves) for part in parts)
    leaves.append(item)
    return None


def _leaves(item: Any) -> Iterator[Any]:
    leaves: list[Any] = []
    form_of_argument(item, leaves)
    yield from leaves


def rebuilt(item: Any, leaves: Iterator[Any]) -> Any:
    """An argument with other things in it, in the same order."""
    if type(item) in (tuple, list):
        return type(item)([rebuilt(each, leaves) for each in item])
    if type(item) is dict:
        return {key: rebuilt(each, leaves) for key, each in item.items()}
    if type(item) is slice:
        return slice(
            *[rebuilt(part, leaves) for part in (item.start, item.stop, item.step)]
        )
    return next(leaves)


def map_leaves(function: Callable[[Any], Any], item: Any) -> Any:
    """An argument with other things in it."""
    leaves: list[Any] = []
    form_of_argument(item, leaves)
    return rebuilt(item, map(function, leaves))
