"""A call of an algorithm of SciPy's, which calls functions of the user's, as one node.

``solved(algorithm, values)`` calls it, live. The algorithm holds what was recorded of
the user's functions; ``values`` are all the numbers that it starts from, and that these
functions take from around them. The way back is another such node.

>>> class Doubling:
...     def run(self, values): return (2.0 * values[0],)
...     def back(self, g, out, values): return [2.0 * g[0]]
>>> solved(Doubling(), [3.0]), solved_back(Doubling(), [3.0], 1.0, 6.0)
((6.0,), [2.0])
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

from srcgrad.errors import NoRuleError, located
from srcgrad.facts import Operation, declare
from srcgrad.modes import refuse, state
from srcgrad.protocols import first_variable
from srcgrad.rules.registry import defvjp


class Algorithm(Protocol):
    """What is called; ``sought`` tells which of the values a gradient goes to."""

    sought: tuple[bool, ...]

    def run(self, values: Sequence[Any]) -> Sequence[Any]:
        """What it gives for some values, as arrays and numbers."""

    def back(
        self, g: Sequence[Any], out: Sequence[Any], values: Sequence[Any]
    ) -> Sequence[Any]:
        """The gradients of the values that are sought, for cotangents of what it gave.

        On Variables they are on the tape.
        """


def solved(algorithm: Algorithm, values: Sequence[Any]) -> Sequence[Any]:
    """What an algorithm gives for some values."""
    return algorithm.run(values)


def solved_back(
    algorithm: Algorithm, values: Sequence[Any], *parts: Any
) -> Sequence[Any]:
    """The gradients of these values: of cotangents, and then of what was given."""
    count = len(parts) // 2
    return algorithm.back(parts[:count], parts[count:], values)


def _back(g: Any, algorithm: Any, out: Any, values: Any) -> Sequence[Any]:
    """The rule: while a walk back is recorded, it is a node as well."""
    given = algorithm, values, *g, *out
    variable: Any = first_variable(given[1:])
    if state.recorder is None or variable is None:
        gradients = iter(solved_back(*given))
    else:
        gradients = iter(variable._call(solved_back, given, {}))
    return [next(gradients) if is_sought else None for is_sought in algorithm.sought]


def _refuse(g: Any) -> NoReturn:
    what = "differentiates twice what an algorithm of SciPy's gives"
    refuse(what)
    raise located(NoRuleError(f"srcgrad: {what}"))


declare(solved, raises=True, sequence="values")
declare(solved_back, raises=True, sequence="values")
defvjp(solved, values=_back)
defvjp(solved_back, values=_refuse, parts=_refuse)


def leads_through_one(variables: Sequence[Any]) -> bool:
    """Whether the graph behind some Variables leads through an algorithm of SciPy's.

    It goes back through it, but not forth: tangents are two walks back.
    """
    waiting = [each.edge for each in variables if getattr(each, "edge", None)]
    seen: set[int] = set()
    while waiting:
        node = waiting.pop()[0]
        if id(node) in seen:
            continue
        seen.add(id(node))
        primitive = getattr(node, "primitive", None)
        own = getattr(node, "context", None)
        if getattr(primitive, "function", None) is solved or is_algorithms(own):
            return True
        waiting += [edge for edge in node.edges if edge is not None]
    return False


def is_algorithms(context: Any) -> bool:
    """Whether it is of the node that an algorithm has on the tape."""
    return getattr(context, "is_algorithms", False) is True


@dataclass(frozen=True)
class Spec:
    """How an algorithm is called, and what becomes of what it gives.

    Attributes
    ----------
    implementation : callable
        The same of Variables: it gets what stands for the algorithm, and then the
        arguments.
    functions : tuple of str
        Its arguments that are functions of the user's.
    fields : tuple of str
        The members of its result that have a gradient; none, if it is a number, an
        array, or a tuple that begins with these.
    plain : tuple of str
        Other members of it that are numbers or arrays.
    items : int
        How many items of it have a gradient, the first ones, if it is a tuple.
    told : tuple of str
        Members of it that say how it went: the same at each call, or it is a miss.
    against : callable
        From the arguments by name to why such a call is not recorded; or ``""``.
    unpacks : bool
        Whether ``args`` may be a list or an array, the arguments in it, and not one.
    """

    implementation: Operation
    functions: tuple[str, ...]
    fields: tuple[str, ...] = ()
    plain: tuple[str, ...] = ()
    items: int = 0
    told: tuple[str, ...] = ()
    against: Callable[[dict[str, Any]], str] = lambda given: ""
    unpacks: bool = False

    def further(self, args: Any) -> tuple[Any, ...]:
        """``args`` as a tuple, as SciPy reads it."""
        return () if args is None else arguments(args, self.unpacks)


def why_aloud(given: dict[str, Any]) -> str:
    """Why a call is not recorded that prints as it runs: between other texts."""
    options = given.get("options") or {}
    for name in ("disp", "iprint", "verbose"):
        if given.get(name) or options.get(name):
            return f"with `{name}`, which prints"
    return ""


def why_full(given: dict[str, Any]) -> str:
    """Why a call is not recorded that tells more than is known to have a gradient."""
    return "with `full_output`" if given.get("full_output") else ""


def arguments(args: Any, unpacks: bool = False) -> tuple[Any, ...]:
    """``args`` as a tuple, as SciPy reads it: most of its functions take one alone."""
    return tuple(args) if unpacks or isinstance(args, tuple) else (args,)


ALGORITHMS: dict[Operation, Spec] = {}
