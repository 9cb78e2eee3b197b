"""Variables that a user's function takes from around it: passed on in ``args`` as well.

SciPy's algorithms see numbers only, so what a gradient goes to must be an argument.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import optimize
>>> a = srcgrad.Variable(2.0, requires_grad=True)
>>> optimize.brentq(lambda x: x * x - a, 0.0, 2.0).backward()
>>> round(a.grad.item(), 6)  # half of 1 / sqrt(2)
0.353553
"""

import functools
import inspect
import sys
from collections.abc import Callable, Sequence
from types import CellType, CodeType, FunctionType
from typing import Any

from srcgrad.protocols import ArrayProtocol
from srcgrad.pytree import flatten, unflatten
from srcgrad.scipy.parameters import arguments

Swap = Callable[[Any], Any]

# What SciPy calls with `args` after its own arguments.
TAKE_ARGS = (
    *("fun", "func", "f", "jac", "hess", "hessp", "fprime", "fprime2", "fhess"),
    *("fhess_p", "Dfun", "events", "ranges"),
)

# Whose functions hold no Variables of the user's.
LIBRARIES = frozenset({"numpy", "scipy", "builtins"}) | sys.stdlib_module_names


def captured(functions: Any) -> list[Any]:
    """The Variables that some functions take from around them, each once."""
    found: dict[int, Any] = {}

    def note(variable: Any) -> Any:
        found[id(variable)] = variable
        return variable

    refilled(functions, note, set())
    return list(found.values())


def opened(function: Any, variables: Sequence[Any]) -> Any:
    """A function that takes these as further arguments."""
    numbers = {id(variable): i for i, variable in enumerate(variables)}
    n = len(variables)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        values = args[len(args) - n :]

        def swap(variable: Any) -> Any:
            number = numbers.get(id(variable))
            return variable if number is None else values[number]

        return refilled(function, swap, set())(*args[: len(args) - n], **kwargs)

    return call


def refilled(item: Any, swap: Swap, within: set[int]) -> Any:
    """What a function would be with other Variables; itself if it has none."""
    if isinstance(item, ArrayProtocol):
        return swap(item)
    if isinstance(item, functools.partial):
        parts = item.func, item.args, item.keywords
        new = tuple(refilled(part, swap, within) for part in parts)
        same = all(a is b for a, b in zip(new, parts, strict=True))
        return item if same else functools.partial(new[0], *new[1], **new[2])
    if isinstance(item, FunctionType):
        return refilled_function(item, swap, within)
    if not isinstance(item, (tuple, list, dict)):
        return item
    leaves, structure = flatten(item)
    new_leaves = [refilled(leaf, swap, within) for leaf in leaves]
    same = all(a is b for a, b in zip(new_leaves, leaves, strict=True))
    return item if same else unflatten(structure, new_leaves)


def refilled_function(function: FunctionType, swap: Swap, within: set[int]) -> Any:
    """The same code, with other cells, defaults and globals where these change."""
    module = function.__module__ or ""
    if id(function) in within or module.partition(".")[0] in LIBRARIES:
        return function
    if module.startswith("srcgrad.tracing."):  # what makes a followed copy of one
        return function
    within = within | {id(function)}
    cells = function.__closure__ or ()
    defaults, keywords = function.__defaults__, function.__kwdefaults__
    around = {
        name: function.__globals__[name]
        for name in names_in(function.__code__)
        if is_of_interest(function.__globals__.get(name))
    }
    new_cells = tuple(refilled_cell(cell, swap, within) for cell in cells)
    parts = defaults, keywords, around
    new = [refilled(part, swap, within) for part in parts]
    is_same = all(a is b for a, b in zip(new_cells, cells, strict=True))
    if is_same and all(a is b for a, b in zip(new, parts, strict=True)):
        return function
    space = function.__globals__
    if new[2] is not around:
        space = {**space, **new[2]}
    made = FunctionType(
        function.__code__, space, function.__name__, new[0], new_cells or None
    )
    made.__kwdefaults__ = new[1]
    return functools.wraps(function)(made)


def refilled_cell(cell: CellType, swap: Swap, within: set[int]) -> CellType:
    try:
        content = cell.cell_contents
    except ValueError:  # nothing is in it yet
        return cell
    new = refilled(content, swap, within)
    return cell if new is content else CellType(new)


def is_of_interest(item: Any) -> bool:
    """Whether a global may be, or hold, a Variable of the user's."""
    kinds = (ArrayProtocol, FunctionType, functools.partial, tuple, list, dict)
    return isinstance(item, kinds)


@functools.lru_cache(maxsize=1024)
def names_in(code: CodeType) -> tuple[str, ...]:
    """The names that a function may look up among its globals."""
    inner = (const for const in code.co_consts if isinstance(const, CodeType))
    return (*code.co_names, *(name for each in inner for name in names_in(each)))


def passing_on(original: Any, replacement: Any) -> Any:
    """A replacement that gets what its functions take from around them in ``args``."""
    signature = inspect.signature(original)
    if "args" not in signature.parameters:
        return replacement
    others = next(
        (p.name for p in signature.parameters.values() if p.kind is p.VAR_KEYWORD), ""
    )

    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        names = [name for name in TAKE_ARGS if name in signature.parameters]
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError:  # SciPy says it better
            return original(*args, **kwargs)
        options = given.pop(others, {})
        functions = {name: given[name] for name in names if name in given}
        if not (variables := captured(functions)):
            return replacement(*args, **kwargs)
        for name, item in functions.items():
            given[name] = opened_all(item, variables)
        own = given.get("args")
        own = () if own is None else arguments(own)
        return replacement(**{**given, **options, "args": (*own, *variables)})

    return call


def opened_all(item: Any, variables: Sequence[Any]) -> Any:
    """The same of functions in a list; all else stays."""
    if isinstance(item, (tuple, list)):
        return [opened_all(each, variables) for each in item]
    return opened(item, variables) if callable(item) else item
