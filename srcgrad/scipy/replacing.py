"""Formulas in place of SciPy's functions, and of the methods of its classes.

A formula names the arguments that it needs, as a rule does, and ``found`` for what
SciPy gives for the numbers alone (``run()`` gives that later). Without Variables what
SciPy has itself runs.
"""

import functools
import inspect
from collections.abc import Callable
from typing import Any

from srcgrad.errors import NoRuleError, located
from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.compositions import bound
from srcgrad.rules.libraries import LOOKING, REPLACEMENTS
from srcgrad.scipy.object_members import WithMembers
from srcgrad.tape.function import sequence_like


def raws(item: Any) -> Any:
    """Ndarrays for the Variables in arguments, in lists and tuples too."""
    if first_variable(item) is None or not isinstance(item, (tuple, list)):
        return raw_of(item)
    return sequence_like(item, list(map(raws, item)))


def is_plain(*items: Any) -> bool:
    """Whether there are no Variables among some arguments."""
    return first_variable(items) is None


@functools.cache
def names_of(formula: Callable[..., Any]) -> tuple[str, ...]:
    return tuple(inspect.signature(formula).parameters)


def called_raw(original: Any, args: Any, kwargs: Any, raw: Any = raws) -> Any:
    return original(*map(raw, args), **{key: raw(kwargs[key]) for key in kwargs})


def replaces(
    *originals: Any,
    is_looking: bool = False,
    is_plain: Callable[..., bool] = is_plain,
    raw: Callable[[Any], Any] = raws,
    passes: Callable[[Any, Any], Any] = lambda original, replacement: replacement,
) -> Callable[[Any], Any]:
    """Register a formula in place of functions of SciPy's; give what calls it.

    ``is_looking``: it is to be called even where no Variable is seen. ``is_plain``:
    whether there are none among the arguments. ``raw`` makes of an argument what SciPy
    gets, ``passes`` of a replacement one that gets those around a user's function too.
    """

    def register(formula: Any) -> Any:
        for original in originals:
            own = replacing(original, formula, is_plain, raw)
            replacement = passes(original, own)
            REPLACEMENTS[original] = replacement
            if is_looking:
                LOOKING.add(replacement)
        return replacement

    return register


def stands_for(
    original: Any,
    own: Callable[..., Any],
    is_looking: bool = False,
    is_plain: Callable[..., bool] = is_plain,
    otherwise: Any = None,
) -> Any:
    """Register what runs where there are Variables, with the same arguments."""
    plain = original if otherwise is None else otherwise

    @functools.wraps(original, updated=())
    def replacement(*args: Any, **kwargs: Any) -> Any:
        run = plain if is_plain(*args, *kwargs.values()) else own
        return run(*args, **kwargs)

    REPLACEMENTS[original] = replacement
    if is_looking:
        LOOKING.add(replacement)
    return replacement


def replacing(
    original: Any, formula: Any, is_plain: Any = is_plain, raw: Any = raws
) -> Any:
    """A function that calls the formula if there are Variables."""
    names = names_of(formula)

    @functools.wraps(original)
    def replacement(*args: Any, **kwargs: Any) -> Any:
        if is_plain(*args, *kwargs.values()):
            return called_raw(original, args, kwargs, raw)
        given: Any = {"run": lambda: called_raw(original, args, kwargs, raw)}
        if "found" in names:  # first, for SciPy's own errors
            given["found"] = given["run"]()
        given |= bound(original, args, kwargs)
        # What an older SciPy has not is as the formula says.
        return formula(**{name: given[name] for name in names if name in given})

    return replacement


# ----- Classes -----
class Refusing:
    """An object in the place of SciPy's: what else that has is refused by its name."""

    KIND = ""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise located(
            NoRuleError(
                f"srcgrad has no derivative of {name!r} of {self.KIND or repr(self)}"
            )
        )


def scipys(kind: type) -> Any:
    """The class of SciPy's that one of ours stands for."""
    return next(base for base in kind.__mro__ if base.__module__.startswith("scipy."))


class OfVariables(WithMembers):
    """An object of SciPy's; ``hold`` names the arguments that it is made of."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        called_raw(super().__init__, args, kwargs)
        self.has_variables = not is_plain(*args, *kwargs.values())
        given = bound(scipys(type(self)), args, kwargs)
        self.hold(**{name: given[name] for name in names_of(type(self).hold)[1:]})

    # Keeps what the methods need.
    hold: Callable[..., None] = lambda self: None


def of_variables(method: Any) -> Any:
    """A method of ours, where the object or an argument is of Variables; or SciPy's."""
    name = method.__name__

    @functools.wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if self.has_variables or not is_plain(*args, *kwargs.values()):
            return method(self, *args, **kwargs)
        return getattr(scipys(type(self)), name)(self, *args, **kwargs)

    return call


def replace_class(module: Any) -> Callable[[type], type]:
    """Register a class in the place of SciPy's of the same name."""

    def register(kind: type) -> type:
        REPLACEMENTS[getattr(module, kind.__name__)] = kind
        return kind

    return register
