"""The table of derivative rules, and ``defvjp``, which adds to it.

A rule is one formula for one argument of one function. Its parameter names say what it
needs, and only that is kept alive for the backward pass:

>>> import numpy as np
>>> from srcgrad.rules.registry import PRIMITIVES
>>> import srcgrad.rules
>>> [(rule.argument, rule.needs) for rule in PRIMITIVES[np.multiply].rules.values()]
[('x1', ('x2',)), ('x2', ('x1',))]
"""

import functools
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from srcgrad.facts import Operation
from srcgrad.function_parameters import asked_by, parameters_of

# What a rule may ask of an argument besides its value; none of it keeps data alive.
METADATA = ("shape", "dtype", "needed")


@dataclass(frozen=True, slots=True)
class Rule:
    """The VJP of one argument: ``vjp(g, *needs)`` in plain NumPy."""

    argument: str
    vjp: Operation
    needs: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Primitive:
    """A NumPy function and the rules for its arguments.

    ``parameters`` maps each parameter's name to its default (``REQUIRED`` if it has
    none), in order; ``variadic`` is the name of a ``*args`` parameter, if there is one.
    """

    function: Operation
    name: str
    parameters: dict[str, Any]
    variadic: str | None
    rules: dict[str, Rule] = field(default_factory=dict)
    # What it computes with: arguments with a rule, or said to carry no gradient.
    operands: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Tangent:
    """The JVP of one argument: ``choose(*needs)`` gives it, or None for the VJP's."""

    choose: Operation
    needs: tuple[str, ...]


PRIMITIVES: dict[Operation, Primitive] = {}
TANGENTS: dict[Operation, dict[str, Tangent]] = {}


def defvjp(function: Operation, **vjps: Operation | None) -> None:
    """Teach srcgrad the derivative of a NumPy-style function.

    Parameters
    ----------
    function : callable
        The function as the user calls it (``np.tanh``, ``scipy.special.erf``, ...).
    **vjps : callable or None
        For each differentiable argument, by NumPy's own name of it, a function
        ``vjp(g, ...)`` from the cotangent of the result to that of the argument. The
        parameters after ``g`` name what it needs: arguments of the call, ``out`` for
        the result, or ``<argument>_shape``, ``<argument>_dtype`` where that is enough.
        Broadcasting is undone by the engine. For an argument that is a sequence of
        arrays the rule returns one cotangent for each. None: the argument takes part
        without a gradient.

    Raises
    ------
    TypeError
        If a name is not a parameter of the function.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> double = np.frompyfunc(lambda x: 2.0 * x, 1, 1)
    >>> srcgrad.defvjp(double, x=lambda g: 2.0 * g)
    >>> x = srcgrad.Variable(np.array([1.0, 3.0]), requires_grad=True)
    >>> double(x).sum().backward()
    >>> x.grad.data
    array([2., 2.])
    """
    parameters, variadic = parameters_of(function)
    known = {*parameters, variadic}
    name = name_of(function)
    rules = {}
    for argument, vjp in vjps.items():
        if argument == "out" or argument not in known:
            raise TypeError(
                f"defvjp({name}): {argument!r} is not an argument to differentiate; "
                f"its parameters are {', '.join(sorted(filter(None, known)))}"
            )
        if vjp is not None:
            rules[argument] = Rule(argument, vjp, _needs_of(vjp, known, name))
    PRIMITIVES[function] = Primitive(
        function, name, parameters, variadic, rules, frozenset(vjps)
    )


def defvjps(function: Operation, vjp: Operation, *names: str) -> None:
    """Give several arguments one rule, which gives the cotangents of all of these.

    >>> import numpy as np
    >>> import srcgrad
    >>> both = np.frompyfunc(lambda x, y: x * y, 2, 1)
    >>> defvjps(both, lambda g, x1, x2: (g * x2, g * x1), "x1", "x2")
    >>> srcgrad.grad(lambda x: np.sum(both(x, 3.0)))(np.ones(1))
    array([3.])
    """

    def part(number: int) -> Operation:
        @functools.wraps(vjp)
        def rule(*needs: Any) -> Any:
            return vjp(*needs)[number]

        return rule

    defvjp(function, **{name: part(number) for number, name in enumerate(names)})


def defjvp(function: Operation, **jvps: Operation) -> None:
    """Give a function a tangent of its own, where two transposes are not as good.

    For an argument a function of what the tangent needs: no data but what the rule back
    needs, too. It gives the tangent, ``forth(t)``: of several results a tuple, None for
    zero; or None, where the rule back is to be transposed after all.
    """
    for argument, choose in jvps.items():
        _add_tangent(function, argument, Tangent(choose, asked_by(choose)))


def deflinear(function: Operation, argument: str) -> None:
    """Declare that a function is its own tangent: linear in its only operand."""
    primitive = PRIMITIVES[function]
    options = {
        name: default
        for name, default in primitive.parameters.items()
        if name != argument and name not in ("out", "dtype")
    }

    def choose(*values: Any) -> Operation:
        given = {
            name: value
            for (name, default), value in zip(options.items(), values, strict=True)
            if value is not default
        }
        return lambda t: function(t, **given)

    _add_tangent(function, argument, Tangent(choose, tuple(options)))


def _add_tangent(function: Operation, argument: str, tangent: Tangent) -> None:
    primitive = PRIMITIVES[function]
    kept = {*primitive.rules[argument].needs, *primitive.parameters}
    kept -= primitive.operands.difference(primitive.rules[argument].needs)
    if not kept.issuperset(tangent.needs):
        raise TypeError(
            f"a tangent of {primitive.name} needs more than the rule back, "
            f"{', '.join(tangent.needs)}"
        )
    TANGENTS.setdefault(function, {})[argument] = tangent


def defconstant(*functions: Operation) -> None:
    """Declare functions whose results never carry a gradient (comparisons, argmax)."""
    for function in functions:
        # Without rules there is nothing to bind; some of these have no signature.
        PRIMITIVES[function] = Primitive(function, name_of(function), {}, None)


def alias(function: Operation, original: Operation) -> None:
    """Give a function the rules of another that it equals (``operator.add``)."""
    PRIMITIVES[function] = replace(PRIMITIVES[original], function=function)


def name_of(function: Operation) -> str:
    """What a message calls a function: ``tanh``, ``maximum.reduce``."""
    name = getattr(function, "__name__", None)
    name = repr(function) if name is None else name
    owner = getattr(function, "__self__", None)
    return f"{owner.__name__}.{name}" if isinstance(owner, np.ufunc) else name


def _needs_of(vjp: Operation, known: set[str | None], name: str) -> tuple[str, ...]:
    _, *needs = asked_by(vjp)
    for need in needs:
        base, _, metadata = need.rpartition("_")
        is_metadata = metadata in METADATA and base in known
        if need != "out" and need not in known and not is_metadata:
            raise TypeError(
                f"defvjp({name}): the rule asks for {need!r}, which is neither "
                f"`out`, nor an argument, nor its _{', _'.join(METADATA)}"
            )
    return tuple(needs)
