"""``load``: an exported module as a function, with the derivative that it has.

The function is one node, on the tape and in traces: what its module computes, nobody
looks into.
"""

import functools
import inspect
import operator
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from srcgrad.errors import PACKAGE, NoRuleError, located
from srcgrad.facts import declare
from srcgrad.protocols import ArrayProtocol, dispatched
from srcgrad.pytree import flatten, unflatten
from srcgrad.rules.registry import defvjp
from srcgrad.tracing.environment.signature import is_dynamic
from srcgrad.tracing.export.modules import loaded

Callback = Callable[..., Any]


def load(path: str | os.PathLike[str]) -> Any:
    """Get a function out of a module that ``export`` has written.

    Parameters
    ----------
    path : str or path-like
        The file. It is run; a gradient in it may have been edited.

    Returns
    -------
    callable
        What the function computes, called as the module's functions are. Of Variables,
        and in transforms and traced functions, it has the derivative that the module
        has: a gradient, a Jacobian, or a way back. There are no second derivatives.

    Raises
    ------
    ValueError
        If the file is no such module.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import srcgrad
    >>> def loss(x):
    ...     return np.sum(np.tanh(x) ** 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = f"{folder}/loss_grad.py"
    ...     srcgrad.grad(loss).export(path, np.ones(3))
    ...     again = srcgrad.load(path)
    >>> x = np.array([0.0, 0.5, 1.0])
    >>> again(x) == loss(x)
    np.True_
    >>> slope = srcgrad.grad(lambda x: 3 * again(x))
    >>> np.allclose(slope(x), 3 * srcgrad.grad(loss)(x))
    True
    """
    module = loaded(Path(path))
    names = getattr(module, "__all__", ())
    if not names or not all(hasattr(module, name) for name in names):
        raise ValueError(
            f"{os.fspath(path)} has no `__all__`, as exported modules have"
        )
    return Loaded(module)


class Loaded:
    """The function of an exported module."""

    is_traced = False

    def __init__(self, module: ModuleType) -> None:
        self._name: str = module.__all__[0]
        self._function: Callback = getattr(module, self._name)
        self._derivative = Derivative.of(module, self._name)
        self._file = module.__file__
        self._nodes: dict[Any, Node] = {}
        functools.update_wrapper(self, self._function, updated=())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        leaves, structure = flatten((args, kwargs))
        if not any(isinstance(leaf, ArrayProtocol) for leaf in leaves):
            return self._function(*args, **kwargs)
        fixed = tuple(
            None if _is_given(leaf) else (type(leaf), leaf) for leaf in leaves
        )
        node = self._nodes.get((structure, fixed))
        if node is None:
            node = Node(self._function, self._derivative, structure, fixed)
            self._nodes[structure, fixed] = node
        return node.call(leaves)

    def followed_by(self, follow: Callback) -> "Loaded":
        """Itself: a recording has it as one step."""
        return self

    def __repr__(self) -> str:
        return f"<{self._name} of {self._file}>"


def _is_given(leaf: Any) -> bool:
    """Whether a leaf is an operand of the node, rather than a part of it."""
    return isinstance(leaf, ArrayProtocol) or is_dynamic(leaf)


class Derivative(NamedTuple):
    """The derivative in a module.

    ``by`` has the parameters it is by; a text, if there is no tuple around it. ``find``
    gives a value and a derivative, and ``back(derivative, g)`` what that makes of a
    cotangent. Without these there is a ``pull``: it gives a value, and a function from
    cotangents to gradients.
    """

    by: Sequence[str]
    find: Callback | None = None
    back: Callback = operator.mul
    pull: Callback | None = None

    @classmethod
    def of(cls, module: ModuleType, name: str) -> "Derivative | None":
        """That of a function in a module; None if it has none."""
        by = getattr(module, "DERIVATIVES_BY", None)
        if by is None:
            return None
        value, both, gradient, jacobian, pull = (
            getattr(module, each, None)
            for each in (name, *(f"{name}_{suffix}" for suffix in SUFFIXES))
        )
        if both is not None:
            return cls(by, both)
        if gradient is not None:
            return cls(by, functools.partial(_apart, value, gradient))
        if jacobian is not None:
            return cls(by, functools.partial(_apart, value, jacobian), _of_jacobian)
        return None if pull is None else cls(by, pull=pull)


SUFFIXES = ("value_and_grad", "grad", "jacobian", "vjp")


def _apart(value: Any, function: Any, *args: Any, **kwargs: Any) -> Any:
    return value(*args, **kwargs), function(*args, **kwargs)


def _of_jacobian(derivative: Any, g: Any) -> Any:
    return np.tensordot(g, derivative, np.ndim(g))


@dispatched
def once(x: Any) -> Any:
    """What has no derivative of its own."""
    return x


def _no_second(g: Any) -> Any:
    raise located(
        NoRuleError("an exported module has no second derivatives"),
        "export a Hessian, or the gradient of what is made of it",
    )


declare(once, elementwise=True, view="maybe")
defvjp(once, x=_no_second)


def function_of(name: str, parameters: Sequence[str], compute: Callback) -> Callback:
    """A function of a list as one with parameters, which rules are by."""
    listed = ", ".join(parameters)
    source = f"def made({listed}):\n    return compute([{listed}])\n"
    scope: dict[str, Any] = {"compute": compute}
    exec(compile(source, f"{PACKAGE}<a loaded function>", "exec"), scope)
    made = scope.pop("made")
    made.__name__ = made.__qualname__ = name
    return made  # type: ignore[no-any-return]


def operation(name: str, parameters: Sequence[str], compute: Callback) -> Callback:
    """The same, which a Variable can take part in."""
    return dispatched(function_of(name, parameters, compute))


class Node:
    """The function for arguments of one structure, as an operation of its arrays."""

    def __init__(
        self,
        function: Callback,
        derivative: Derivative | None,
        structure: Any,
        fixed: Sequence[Any],
    ) -> None:
        self._function, self._derivative = function, derivative
        self._structure, self._fixed = structure, fixed
        self._places = [k for k, each in enumerate(fixed) if each is None]
        self._results: Any = None
        self._names = [f"x{place}" for place in self._places]
        self._pulled: Callback | None = None
        self._operation = operation(function.__name__, self._names, self._compute)
        rules = {
            name: self._rule(place)
            for name, place in zip(self._names, self._places, strict=True)
        }
        defvjp(self._operation, **rules)
        declare(self._operation, raises=True)

    def call(self, leaves: Sequence[Any]) -> Any:
        """The value, of all leaves of the arguments."""
        found = self._operation(*(leaves[place] for place in self._places))
        return unflatten(self._results, found[: self._results.num_leaves])

    def _arguments(self, given: Sequence[Any]) -> Any:
        rest = iter(given)
        leaves = [next(rest) if each is None else each[1] for each in self._fixed]
        return unflatten(self._structure, leaves)

    def _compute(self, given: Sequence[Any]) -> tuple[Any, ...]:
        """The leaves of the value, then those of the derivative."""
        args, kwargs = self._arguments(given)
        derivative: Any = ()
        if self._derivative is None or self._derivative.find is None:
            value = self._function(*args, **kwargs)
        else:
            value, derivative = self._derivative.find(*args, **kwargs)
        values, self._results = flatten(value)
        return (*values, *flatten(derivative)[0])

    def _pull(self, given: Sequence[Any]) -> tuple[Any, ...]:
        """The gradients, of the arrays and then the cotangents."""
        assert self._derivative is not None
        assert self._derivative.pull is not None
        count = len(self._places)
        args, kwargs = self._arguments(given[:count])
        value, pullback = self._derivative.pull(*args, **kwargs)
        cotangents = self._cotangents(flatten(value)[0], given[count:])
        if len(cotangents) != len(inspect.signature(pullback).parameters):
            raise located(
                NoRuleError(
                    f"the module of {self._function.__name__} does not tell which "
                    "results have a derivative"
                ),
                "export what returns no others",
            )
        return tuple(flatten(pullback(*cotangents))[0])

    @staticmethod
    def _cotangents(leaves: Sequence[Any], g: Sequence[Any]) -> list[Any]:
        """Those that a way back takes: not of integers, and one for each object."""
        found: dict[int, Any] = {}
        for leaf, each in zip(leaves, g, strict=True):
            if np.asarray(leaf).dtype.kind in "fc":
                before = found.get(id(leaf))
                found[id(leaf)] = each if before is None else before + each
        return [*found.values()]

    def _rule(self, place: int) -> Callback:
        """The rule for one argument."""
        number = self._number(place)
        if number is None:
            return self._refuse
        assert self._derivative is not None
        back = self._derivative.back
        if self._derivative.pull is not None:
            compute = lambda given: self._pulled_back(given[0], given[1:])[number]  # noqa: E731
            return function_of(self._function.__name__, ["g", *self._names], compute)

        def rule(g: Any, out: Any) -> Any:
            return back(once(out[1 + number]), g[0])

        return rule

    def _pulled_back(self, g: Sequence[Any], given: Sequence[Any]) -> Any:
        """The gradients as an operation, which has no derivative itself."""
        if self._pulled is None:
            names = [*self._names, *(f"g{k}" for k in range(len(g)))]
            self._pulled = operation(
                f"{self._function.__name__}_vjp", names, self._pull
            )
            defvjp(self._pulled, **dict.fromkeys(names, _no_second))
            declare(self._pulled, raises=True)
        return self._pulled(*given, *g)

    def _number(self, place: int) -> int | None:
        """Which leaf of the derivative is by a leaf of the arguments."""
        if self._derivative is None:
            return None
        args, kwargs = unflatten(self._structure, range(len(self._fixed)))
        trees = inspect.signature(self._function).bind(*args, **kwargs).arguments
        by = self._derivative.by
        names = [by] if isinstance(by, str) else by
        numbers = [k for name in names for k in flatten(trees.get(name, ()))[0]]
        return numbers.index(place) if place in numbers else None

    def _refuse(self, g: Any) -> Any:
        raise located(
            NoRuleError(
                f"the module of {self._function.__name__} has no derivative by this "
                "argument"
            ),
            "export one",
        )
