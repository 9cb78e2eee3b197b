"""Selections by a mask, ``x[x > 0]``, whose count is another one at each call.

A guard on ``selected_shape`` holds for the count that it was, as one on the shape does;
it also says that nothing but NumPy has seen it yet. Where all that becomes of it is
known to do the same with any count from two on, it is one on ``has_several`` instead
(``transforms.loops.symbolic_lengths``): one element or none would be broadcast, or be
missed.

>>> selected_shape(np.ones(3)), has_several(np.ones(3)), has_several(np.ones(1))
((3,), True, False)
"""

import operator
from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.facts import facts_of
from srcgrad.stacking import stacked_list
from srcgrad.steps import Guard, Step, Value

# One element is broadcast, and none is missed.
FEWEST = 2


def selected_shape(selection: Any) -> tuple[int, ...]:
    """The shape of a selection, of which Python has not seen the count."""
    return np.shape(selection)


def has_several(selection: Any) -> bool:
    """Whether there are two elements at least."""
    return len(selection) >= FEWEST


def is_mask(index: Any) -> bool:
    """Whether an index is an array of truth values in a graph, and nothing else."""
    return type(index) is Value and index.dtype == bool and bool(index.shape)


def is_selection(function: Any, args: Any, result: Any) -> bool:
    """Whether a call is one by a mask, and selects more than one element.

    Or makes an array of what a loop has kept, which may be of any count, too.
    """
    if function is stacked_list:
        return bool(result.shape[0] >= FEWEST)
    is_item = function is operator.getitem and type(args[0]) is Value
    return is_item and is_mask(args[1]) and result.shape[0] >= FEWEST


def selections_in(steps: Iterable[Step]) -> list[Value]:
    """Those of which Python has not seen the count, as the guards on them tell."""
    guards = (step for step in steps if type(step) is Guard)
    found = [each.value for each in guards if each.convert is selected_shape]
    return [value for value in found if type(value) is Value]


def held(steps: Iterable[Step], open_: Container[Value]) -> list[Step]:
    """The steps; a guard on what is not open is one on its count."""
    return [
        replace(step, convert=np.shape)
        if type(step) is Guard
        and step.convert is selected_shape
        and step.value not in open_
        else step
        for step in steps
    ]


def masks_of(steps: Iterable[Step]) -> dict[Value, Value]:
    """By which mask is selected what is; of some that are computed alike, the first."""
    firsts: dict[Any, Value] = {}
    alike: dict[Value, Value] = {}
    masks: dict[Value, Value] = {}
    for step in steps:
        if type(step) is Guard or len(step.results) != 1:
            continue
        (out,) = step.results
        if is_selection(step.function, step.args, out):
            mask = step.args[1]
            masks[out] = alike.get(mask, mask) if type(mask) is Value else mask
        if not step.kwargs and facts_of(step.function).elementwise:
            known = (_known(arg, alike) for arg in step.args)
            alike[out] = firsts.setdefault((step.function, *known), out)
    return masks


def _known(arg: Any, alike: Mapping[Value, Value]) -> Any:
    """What an argument is known by: a number by what it is exactly."""
    if type(arg) is Value:
        return alike.get(arg, arg)
    is_number = isinstance(arg, (bool, int, float, complex, np.generic))
    return (type(arg), repr(arg)) if is_number else id(arg)


def may_change(step: Step) -> bool:
    """Whether a guard is one that need not hold the count."""
    return type(step) is Guard and step.convert in (selected_shape, has_several)
