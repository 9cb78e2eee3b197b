"""``custom_vjp`` and ``custom_jvp``: functions with derivatives of the user's own."""

import functools
import inspect
import threading
from collections.abc import Callable, Sequence
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

import numpy as np

from srcgrad.errors import located
from srcgrad.functional.custom_nodes import own_node
from srcgrad.functional.looking import Shown
from srcgrad.functional.on_tape import fresh, is_on_tape, outer_edges, walked_back
from srcgrad.modes import override, state
from srcgrad.protocols import raw_of
from srcgrad.pytree import flatten, shown, unflatten
from srcgrad.rules.users import rules_have_changed
from srcgrad.tape.function import Leaf, next_order
from srcgrad.tape.variable import Variable
from srcgrad.tracebacks import DOOR
from srcgrad.tracing.following.running import run
from srcgrad.tracing.serving.pickling import reduced

Callback = Callable[..., Any]
P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
C = TypeVar("C", bound="Custom[..., Any]")


Kind = inspect.Parameter
POSITIONAL = {Kind.POSITIONAL_ONLY, Kind.POSITIONAL_OR_KEYWORD, Kind.VAR_POSITIONAL}


class Running(threading.local):
    """How often a way there is on its way, in one thread."""

    depth = 0


class Custom(Shown, Generic[P, R]):
    """A function with a derivative of the user's own, by a way there and back.

    Subclasses have ``_ways``.
    """

    is_traced = False

    def __init__(
        self, function: Callable[P, R], nondiff_argnums: Sequence[int] = ()
    ) -> None:
        if not callable(function):
            raise TypeError(f"expected a function, but got {function!r}")
        self._function = function
        self._nondiff = tuple(nondiff_argnums)
        self._rules: tuple[Callback, ...] = ()
        # What goes back when a recording is over, if these are copies for that.
        self._originals: tuple[Callback, ...] = ()
        self._running = Running()
        self.__name__ = repr(function)  # of a partial, say
        functools.update_wrapper(self, function, updated=())

    def _ways(self, args: Sequence[Any]) -> tuple[Any, Any, Callback]:
        """Run the way there: the result, residuals, and ``back(residuals, g)``."""
        raise NotImplementedError

    def _there(self, args: Any) -> tuple[Any, Any, Callback]:
        """The same; where the way there calls the function itself, without it."""
        if self._running.depth:
            with override(grad_enabled=False):
                result = run(self._function, args, {})

            def back(args: Any, g: Any) -> Any:
                _, residuals, later = self._ways(args)
                return later(residuals, g)

            return result, args, back
        self._running.depth += 1
        try:
            return self._ways(args)
        finally:
            self._running.depth -= 1

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        result: R = self._run(self._positional(args, kwargs))
        return result

    def _run(self, args: tuple[Any, ...]) -> Any:
        if not self._rules:
            raise located(
                AttributeError(f"{self.__name__} has no derivative yet"),
                f"call its `{self.defining}`",
            )
        with DOOR:
            if not any(map(is_on_tape, flatten(args)[0])) or not state.grad_enabled:
                return run(self._function, args, {})
            chosen = [k for k in range(len(args)) if k not in self._nondiff]
            start = next_order()
            # Under edges of their own: what the function closes over has others.
            leaves, structure = flatten(args)
            own = [fresh(leaf) if is_on_tape(leaf) else leaf for leaf in leaves]
            result, residuals, back = self._there(unflatten(structure, own))
            self._check_closure(result, own, start)
            names = self._names(len(args))
            return own_node(
                self, {names[k]: args[k] for k in chosen}, result, residuals, back
            )

    defining = ""

    def _names(self, count: int) -> list[str]:
        """What messages call the arguments."""
        code = getattr(self._function, "__code__", None)
        own = code.co_varnames[: code.co_argcount] if code is not None else ()
        own = own[isinstance(self._function, MethodType) :]
        return [own[k] if k < len(own) else f"args[{k}]" for k in range(count)]

    def _check_closure(self, result: Any, args: Sequence[Any], start: int) -> None:
        """Raise if a gradient would be lost.

        Raises
        ------
        TypeError
            Saying that it has to be an argument.
        """
        own: list[Any] = [each.edge for each in args if is_on_tape(each)]
        ends: list[Any] = [out.edge for out in flatten(result)[0] if is_on_tape(out)]
        if any(True for _ in outer_edges(ends, start, own)):
            raise located(
                TypeError(
                    f"{self.__name__} closes over what is differentiated by, and its "
                    "own derivative does not tell of that"
                ),
                "give it as an argument",
            )

    def _define(self, *rules: Callback) -> None:
        is_new, self._rules = not self._rules, rules
        if not is_new:  # a cell of a notebook that is run again
            rules_have_changed()

    def _positional(self, args: Any, kwargs: Any) -> tuple[Any, ...]:
        """The arguments by position, with defaults: rules take them so."""
        if not kwargs and type(self._function) is not MethodType:
            code = getattr(self._function, "__code__", None)
            if code is not None and len(args) == code.co_argcount:
                return tuple(args)
        signature = inspect.signature(self._function)
        bound = signature.bind(*args, **kwargs)
        kinds = [signature.parameters[name].kind for name in bound.arguments]
        if not POSITIONAL.issuperset(kinds):
            raise located(
                TypeError(
                    f"{self.__name__} was given keyword-only arguments, which a "
                    "custom derivative cannot have"
                )
            )
        bound.apply_defaults()
        return bound.args

    @overload
    def __get__(self: C, instance: None, owner: Any = None) -> C: ...
    @overload
    def __get__(
        self: "Custom[Concatenate[Any, Q], R]", instance: object, owner: Any = None
    ) -> "Custom[Q, R]": ...

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._function!r}>"

    def __reduce__(self) -> Any:
        parts = type(self), self._function, self._nondiff, self._rules
        return reduced(self, (_with_rules, parts))

    def followed_by(self, follow: Callback) -> "Custom[..., Any]":
        """The same of instrumented copies of the functions (``tracing.capture``)."""
        rules = tuple(map(follow, self._rules))
        copy = _with_rules(type(self), follow(self._function), self._nondiff, rules)
        copy._running, copy._originals = self._running, self._rules
        return copy

    def _last_rule(self) -> Callback:
        """The way back, or the rule of tangents: of the user's, or its copy."""
        is_over = bool(self._originals) and state.recorder is None
        return (self._originals if is_over else self._rules)[-1]


def _with_rules(
    kind: type[Custom[..., Any]], function: Callback, nondiff: Sequence[int], rules: Any
) -> Custom[..., Any]:
    made = kind(function, nondiff)
    made._rules = rules
    return made


class custom_vjp(Custom[P, R]):  # noqa: N801 (a decorator, named as in JAX)
    """Give a function a way back of its own.

    Used as a decorator; then ``f.defvjp(forward, backward)``: ``forward(*args)``
    returns ``(value, residuals)``, and ``backward(residuals, cotangent)`` a tuple with
    the gradient by each argument (None: zero). Both are written in NumPy, and may be
    differentiated themselves.

    Parameters
    ----------
    function : callable
        What is called where no derivative is wanted.
    nondiff_argnums : sequence of int
        Arguments that are not differentiated by: ``backward`` gets them first.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> @srcgrad.custom_vjp
    ... def clipped(x):
    ...     return x
    >>> clipped.defvjp(
    ...     lambda x: (x, None), lambda residuals, g: (np.clip(g, -1.0, 1.0),)
    ... )
    >>> srcgrad.grad(lambda x: 5.0 * clipped(x))(2.0)
    1.0
    """

    defining = "defvjp(forward, backward)"

    def defvjp(self, forward: Callback, backward: Callback) -> None:
        """Set the way there and the way back."""
        self._define(forward, backward)

    def _ways(self, args: Sequence[Any]) -> tuple[Any, Any, Callback]:
        forward, _ = self._rules
        found = run(forward, args, {})
        if not isinstance(found, tuple) or len(found) != 2:
            raise located(
                TypeError(
                    f"{self.__name__}: forward must return (value, residuals), but "
                    f"returned {type(found).__name__}"
                )
            )
        first = [args[k] for k in self._nondiff]

        def back(residuals: Any, g: Any) -> Any:
            return run(self._last_rule(), (*first, residuals, g), {})

        return (*found, back)


class custom_jvp(Custom[P, R]):  # noqa: N801 (a decorator, named as in JAX)
    """Give a function a derivative in a direction of its own.

    Used as a decorator; then ``f.defjvp(rule)``: ``rule(primals, tangents)`` returns
    ``(value, tangent)``, and is linear in the tangents. The way back is made of it.

    Parameters
    ----------
    function : callable
        What is called where no derivative is wanted.
    nondiff_argnums : sequence of int
        Arguments that are not differentiated by: the rule gets them first.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> @srcgrad.custom_jvp
    ... def f(x):
    ...     return np.abs(x)
    >>> @f.defjvp
    ... def f_jvp(primals, tangents):
    ...     (x,), (t,) = primals, tangents
    ...     return np.abs(x), np.where(x >= 0, t, -t)
    >>> srcgrad.grad(f)(0.0), srcgrad.jvp(f, (-2.0,), (1.0,))
    (1.0, (np.float64(2.0), np.float64(-1.0)))
    """

    defining = "defjvp(rule)"

    def defjvp(self, rule: Callback) -> Callback:
        """Set the derivative."""
        self._define(rule)
        return rule

    def _ways(self, args: Sequence[Any]) -> tuple[Any, Any, Callback]:
        first = [args[k] for k in self._nondiff]
        primals = tuple(a for k, a in enumerate(args) if k not in self._nondiff)

        def back(residuals: Any, g: Any) -> Any:
            leaves, structure = flatten(residuals)
            starts = list(map(_start, leaves))
            with override(grad_enabled=True), np.errstate(all="ignore"):
                tangents = unflatten(structure, starts)
                way = self._last_rule()
                tangent = self._tangent(run(way, (*first, residuals, tangents), {}), g)
            places = [getattr(start, "edge", None) for start in starts]
            is_nested = any(isinstance(each, Variable) for each in flatten(g)[0])
            found = walked_back(tangent, flatten(g)[0], places, is_nested)
            return unflatten(structure, found)

        return run(self._function, args, {}), primals, back

    def _tangent(self, found: Any, g: Any) -> list[Any]:
        """The leaves of the tangent that a rule gives.

        Raises
        ------
        TypeError
            If that does not fit the value, whose cotangent is ``g``.
        """
        if not isinstance(found, tuple) or len(found) != 2:
            raise located(
                TypeError(
                    f"{self.__name__}: the rule must return (value, tangent), but "
                    f"returned {type(found).__name__}"
                )
            )
        (leaves, structure), (cotangents, own) = flatten(found[1]), flatten(g)
        if structure != own:
            raise located(
                TypeError(
                    f"{self.__name__}: the tangent must have the structure of the "
                    f"value, {shown(own)}, but is {shown(structure)}"
                )
            )
        for tangent, cotangent in zip(leaves, cotangents, strict=True):
            shape, other = (np.shape(raw_of(each)) for each in (tangent, cotangent))
            if shape != other and tangent is not None and cotangent is not None:
                raise located(
                    TypeError(
                        f"{self.__name__}: the tangent must have the shape of the "
                        f"value, {other}, but has {shape}"
                    )
                )
        return leaves


def _start(leaf: Any) -> Any:
    """A tangent to walk back to; none for what has no derivative."""
    if leaf is None:
        return None
    raw = np.zeros(np.shape(raw_of(leaf)), np.result_type(raw_of(leaf)))
    if raw.dtype.kind not in "fc":
        return np.zeros(raw.shape)
    # Not inside: what transforms in the rule give of it stays on the tape.
    return Variable.make(raw, (Leaf.of(raw), 0))
