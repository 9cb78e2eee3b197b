"""Which numbers to look at, so that no inf or nan that has come up goes unseen.

A product that is inf makes another one inf or nan, but not what divides by it:

>>> import numpy as np
>>> from srcgrad.graph import Graph
>>> x = Value((2,), np.dtype(float), "x")
>>> numbers = Numbers(Graph((x,), (), ()))
>>> first, second = numbers.of(x)
>>> square = first * first
>>> last = [square * second, numbers.number(np.divide, second, square)]
>>> checked, _ = unseen(numbers, numbers.nodes)
>>> [value.hint for value in checked]
['multiply', 'divide']
"""

from collections.abc import Collection, Sequence

from srcgrad.steps import Guard, Step, Value
from srcgrad.transforms.scalarize.unboxed_numbers import Numbers


def unseen(
    apart: Numbers, steps: Sequence[Step], known: Collection[Value] = ()
) -> tuple[list[Value], set[Value]]:
    """The numbers to look at, so that no inf or nan that came up goes unseen.

    It is seen in a result that is inf or nan whenever they are; those in ``known``
    are seen anyway. With them, all that is seen.
    """
    seen = set(known)
    shown: set[Value] = set()  # nan in these would change a result
    checked: list[Value] = []
    for step in reversed(steps):
        for value in step.results:
            form = apart.forms.get(value)
            overflows = form is not None and form.may_overflow
            if value not in seen and (overflows or value in shown):
                checked.append(value)
                seen.add(value)
        if type(step) is Guard or step.out not in apart.forms:
            continue
        form = apart.forms[step.out]
        for number, item in enumerate(step.args):
            if type(item) is not Value:
                continue
            if number not in form.absorbs and seen.issuperset(step.results):
                seen.add(item)
            if form.needs_numbers:
                shown.add(item)
    given = (value for value in apart.given if value in shown and value not in seen)
    return [*given, *reversed(checked)], seen
