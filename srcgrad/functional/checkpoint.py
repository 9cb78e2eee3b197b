"""``checkpoint``: compute again what the way back needs, instead of keeping it."""

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from srcgrad.errors import located
from srcgrad.functional.differentiated import are_close
from srcgrad.functional.looking import Shown
from srcgrad.functional.on_tape import fresh, is_on_tape, outer_edges, walked_back
from srcgrad.modes import override, state
from srcgrad.protocols import raw_of
from srcgrad.pytree import flatten, unflatten
from srcgrad.tape.function import Edge, Function, already_freed, next_order
from srcgrad.tape.variable import Variable
from srcgrad.tape.versions import check, entries
from srcgrad.tracebacks import DOOR
from srcgrad.tracing.following.running import run
from srcgrad.tracing.serving.pickling import reduced
from srcgrad.updates import again

Callback = Callable[..., Any]
P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")


def checkpoint(function: Callable[P, R]) -> "Checkpoint[P, R]":
    """Make a function that keeps its arguments only, and runs again on the way back.

    That takes less memory and more time. What it does besides computing it does twice.

    Parameters
    ----------
    function : callable
        Returns the same when it is called again.

    Returns
    -------
    callable
        With the same values and gradients. The way back raises ``RuntimeError`` if the
        function gives another value there.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> layer = srcgrad.checkpoint(lambda x: np.tanh(np.sin(x) * x))
    >>> srcgrad.grad(lambda x: layer(layer(x)))(0.0)
    0.0
    """
    return Checkpoint(function)


checkpoint.is_transform = True  # type: ignore[attr-defined]


class Checkpoint(Shown, Generic[P, R]):
    """A function that is computed again."""

    def __init__(self, function: Callable[P, R]) -> None:
        if not callable(function):
            raise TypeError(f"expected a function, but got {function!r}")
        # What runs, and what runs again when a recording of the call is over.
        self._function = function
        is_method = isinstance(function, MethodType)  # which has what its function has
        source = None if is_method else getattr(function, "copied_from", None)
        original = source() if source is not None else None
        if source is not None and original is None and state.recorder is not None:
            state.recorder.refuse("checkpoints what does not outlive the call")
        self._later = function if original is None else original
        if hasattr(function, "__name__"):
            functools.update_wrapper(self, function, updated=())
        self.__wrapped__ = function

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        with DOOR:
            result: R = self._run(args, kwargs)
        return result

    def _run(self, args: Any, kwargs: Any) -> Any:
        given = (args, kwargs)
        if not state.grad_enabled:
            return run(self._function, args, kwargs)
        start = next_order()
        leaves, structure = flatten(given)
        lifted = [fresh(leaf) if is_on_tape(leaf) else leaf for leaf in leaves]
        args, kwargs = unflatten(structure, lifted)
        with _as_one_part():
            result = run(self._function, args, kwargs)
        outs, form = flatten(result)
        results = [out for out in outs if is_on_tape(out)]
        if not results:
            return result
        own: list[Any] = [each.edge for each in lifted if is_on_tape(each)]
        ends: list[Any] = [out.edge for out in results]
        inner = [*outer_edges(ends, start, own)]
        functions = self._function, self._later
        node = RunAgain.of(functions, leaves, structure, results, inner)
        made = iter(node.results(results))
        return unflatten(form, [next(made) if is_on_tape(o) else o for o in outs])

    @overload
    def __get__(self, instance: None, owner: Any = None) -> "Checkpoint[P, R]": ...
    @overload
    def __get__(
        self: "Checkpoint[Concatenate[Any, Q], R]", instance: object, owner: Any = None
    ) -> "Checkpoint[Q, R]": ...

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<checkpoint of {self._function!r}>"

    def __reduce__(self) -> Any:
        return reduced(self, (Checkpoint, (self._function,)))

    def followed_by(self, follow: Callback) -> "Checkpoint[..., Any]":
        """The same of an instrumented copy of the function (``tracing.capture``)."""
        return Checkpoint(follow(self._function))


class RunAgain(Function):
    """The node of one call: it holds the arguments, and what the results were."""

    __slots__ = ("computed", "function", "inner", "later", "leaves", "structure")
    runs_again = True

    function: Callback
    later: Callback
    leaves: Any
    structure: Any
    inner: Sequence[Edge]
    computed: Sequence[Any]

    @classmethod
    def of(
        cls,
        functions: tuple[Callback, Callback],
        leaves: Sequence[Any],
        structure: Any,
        results: Sequence[Any],
        inner: Sequence[Edge],
    ) -> Any:
        """The node of a call; ``inner`` are edges to what the function closes over."""
        variables = [leaf for leaf in leaves if is_on_tape(leaf)]
        raws = [result.value for result in results]
        node: Any = cls.link(
            (*(variable.edge for variable in variables), *inner),
            raws[0] if len(raws) == 1 else raws,
            tuple(variable.value for variable in variables),
            entries(variables),
        )
        node.function, node.later = functions
        node.leaves, node.structure = leaves, structure
        node.inner, node.computed = inner, raws
        return node

    def results(self, results: Sequence[Any]) -> Iterator[Any]:
        """The same results, at this node."""
        for number, each in enumerate(results):
            storage = each.own_storage()
            made = type(each).make(each.value, (self, number), storage)
            if state.recorder is not None:
                state.recorder.entered(made)
            yield made

    def pull_back(self, g: Any, needed: Any, wrap: Any) -> Sequence[Any]:
        if self.leaves is None:
            raise already_freed()
        check(self.versions, self.where, self.name())
        lifted = [
            _again(leaf, wrap) if is_on_tape(leaf) else leaf for leaf in self.leaves
        ]
        args, kwargs = unflatten(self.structure, lifted)
        function = self.later if state.recorder is None else self.function
        start = next_order()
        with override(grad_enabled=True):
            found = flatten(run(function, args, kwargs))[0]
        results = [each for each in found if is_on_tape(each)]
        places: list[Any] = [each.edge for each in lifted if is_on_tape(each)]
        self._check_same(results)
        self._check_closure(results, start, places)
        grads = [g] if self.metas is None else g
        is_nested = wrap is not None
        return walked_back(
            results, grads, [*places, *self.inner], is_nested, is_inner=True
        )

    def _check_same(self, results: Sequence[Any]) -> None:
        """Raise if the function is another one now.

        Raises
        ------
        RuntimeError
            Since the gradient would be wrong.
        """
        raws = [raw_of(result) for result in results]
        if len(raws) != len(self.computed) or not all(
            are_close(a, b) for a, b in zip(raws, self.computed, strict=True)
        ):
            name = getattr(self.function, "__name__", repr(self.function))
            raise RuntimeError(
                f"checkpoint: {name} gives another value when it runs again: what it "
                "reads of its environment has changed, or it draws random numbers"
            )

    def _check_closure(self, results: Any, start: int, places: Any) -> None:
        """Raise if what the function closes over is not there any more.

        Where a function has returned, objects that it has made hold arrays.

        Raises
        ------
        RuntimeError
            Since a gradient would be lost.
        """
        ends = [result.edge for result in results]
        if self.inner and not {*self.inner} <= {*outer_edges(ends, start, places)}:
            name = getattr(self.function, "__name__", repr(self.function))
            raise located(
                RuntimeError(
                    f"checkpoint: {name} takes what is differentiated by from an "
                    "object or container that has been left"
                ),
                "give it as an argument",
            )

    def free(self) -> None:
        """Let go of the arguments."""
        self.saved = self.leaves = None
        self.computed = ()


@contextlib.contextmanager
def _as_one_part() -> Iterator[None]:
    """What is recorded meanwhile belongs to one call: the outermost checkpoint's."""
    recorder: Any = state.recorder
    if recorder is None or recorder.writer.checkpoint is not None:
        yield
        return
    recorder.writer.checkpoint = object()
    try:
        yield
    finally:
        recorder.writer.checkpoint = None


def _again(leaf: Any, wrap: Any) -> Any:
    if wrap is None:
        return fresh(Variable.make(leaf.value, None))
    # What is recorded is to be computed again, too.
    return fresh(again(leaf) if state.recorder is not None else leaf)
