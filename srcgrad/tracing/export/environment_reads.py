"""What a trace reads outside its arguments, in an exported module.

What was found from globals and closures becomes constants. What was found in an object
that is an argument, `model.W`, is found there again; what was asked of it is asked.
"""

import re
from collections.abc import Sequence, Set
from typing import Any, NamedTuple

import numpy as np

from srcgrad.emit.names import one_line
from srcgrad.emit.one_line import text
from srcgrad.tracing.environment.conditions import Condition
from srcgrad.tracing.environment.draws import Draw
from srcgrad.tracing.environment.reader import Environment, negated, statement_of
from srcgrad.tracing.environment.references import Argument, Known, Reference
from srcgrad.tracing.export.dtypes import dtype_text
from srcgrad.tracing.export.parameters import Parameters
from srcgrad.tracing.serving.argument_kinds import LeafKind
from srcgrad.tracing.serving.trace import Trace


class Asked(NamedTuple):
    """A test that is true where a call does not fit, and what to say then."""

    test: str
    reason: str


def arguments_of(place: Reference) -> set[int]:
    """The leaves of the arguments that something is found from."""
    found, places = set(), [place]
    while places:
        each = places.pop()
        places += [*each.others, *([] if each.parent is None else [each.parent])]
        if isinstance(each, Argument):
            found.add(each.number)
    return found


def is_in_argument(place: Reference, fixed: Set[int] = frozenset()) -> bool:
    """Whether it is looked up in an argument that is not fixed."""
    return bool(arguments_of(place) - fixed)


def check(environment: Environment) -> None:
    """Refuse what an exported module cannot do.

    Raises
    ------
    RuntimeError
        If something is drawn, or taken of an iterator.
    """
    if environment.has_draws:
        drawn = [place.text for place in environment.taken if isinstance(place, Draw)]
        what = f"`{drawn[0]}`" if drawn else "random numbers"
        raise RuntimeError(
            f"it draws {what} at each call: draw before the call, and hand over what "
            "is drawn"
        )


def expression(place: Reference, paths: Sequence[str]) -> str:
    """The expression that finds a place again in an argument."""
    if isinstance(place, Argument):
        return paths[place.number]
    parent = "" if place.parent is None else expression(place.parent, paths)
    others = [expression(other, paths) for other in place.others]
    return place.source_of(parent, _name, others)


def asked(
    environment: Environment, paths: Sequence[str], fixed: Set[int]
) -> list[Asked]:
    """What is asked of arguments, but for the kinds of what goes into the graph.

    Raises
    ------
    RuntimeError
        If it cannot be asked in Python without objects of the user's.
    """
    found = []
    taken = {place.text for place in environment.taken}
    for condition in environment.conditions:
        places = condition.references
        numbers = {number for place in places for number in arguments_of(place)}
        if numbers <= fixed or _is_kind(condition, taken):
            continue
        if numbers & fixed or any(isinstance(place, Known) for place in places):
            raise _refusal(condition)
        names = [expression(place, paths) for place in places]
        if condition.text.endswith(IS_SMALL) and names[0].startswith("len("):
            continue
        try:
            source = condition.source(names, _name)
        except _NamelessError:
            if condition.text.endswith(OF_METHODS):
                continue
            raise _refusal(condition) from None
        if OF_CLASS.search(source):
            continue
        test = statement_of(source).value
        found.append(Asked(text(negated(test)), one_line(condition.text)))
    return found


# What is asked of an integer that the graph has as a float; lengths are.
IS_SMALL = "was small enough to be a float"
# What is asked of an object's methods, whose code is in the module: it is for all
# objects that hold such arrays and numbers, of whatever class.
OF_METHODS = "is what it was"
OF_CLASS = re.compile(r"is __class_\w+")


def _refusal(condition: Condition) -> RuntimeError:
    return RuntimeError(
        f"it is right only as long as {condition.text}, which an exported module "
        "cannot ask: hand over arrays and numbers"
    )


def _is_kind(condition: Condition, taken: set[str]) -> bool:
    """Whether it says of what kind an input of the graph is."""
    places = condition.references
    return len(places) == 1 and places[0].text in taken


class _NamelessError(Exception):
    """There is no expression for an object."""


def _name(item: Any, hint: str) -> str:
    if item is np.ndarray:
        return "np.ndarray"
    if isinstance(item, type) and item.__module__ == "builtins":
        return item.__name__
    if isinstance(item, type):
        return f"__class_{item.__name__}"
    if isinstance(item, np.dtype):
        return dtype_text(item)
    raise _NamelessError


def found_in_environment(
    trace: Trace, parameters: Parameters
) -> dict[int, tuple[str, bool]]:
    """The inputs of a trace that are in no argument of a call, by number.

    Where they are, and whether they have a gradient: then they are parameters of a
    module, and else constants.
    """
    found, count = {}, len(parameters.paths)
    environment = trace.guards.environment
    for number, position in enumerate(trace.interface.positions):
        if position in parameters.fixed:
            has_grad = parameters.leaves[position].has_grad
            found[number] = parameters.paths[position], has_grad
        elif position >= count:
            place = environment.taken[position - count]
            if not is_in_argument(place, parameters.fixed):
                has_grad = LeafKind.of(environment.values[position - count]).has_grad
                found[number] = place.text, has_grad
    return found
