"""What a user's ``Function`` finds on ``ctx`` or ``self``, and one call of it.

The object that the user's ``forward`` and ``backward`` share is not the node of the
tape: the user may put any attribute on it, ``shape`` or ``order`` too. Each belongs to
one call, and finds its node through a weak reference, so that there is no cycle.
"""

import inspect
import weakref
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from srcgrad.errors import here, located
from srcgrad.modes import state
from srcgrad.protocols import ArrayProtocol
from srcgrad.tape.versions import LEAF, SHARED

F = TypeVar("F", bound=Callable[..., Any])


def once_differentiable(backward: F) -> F:
    """Mark a ``backward`` that computes on ndarrays, and so has no derivative itself.

    It gets ndarrays, and is free to use what srcgrad knows no derivative of. To
    differentiate through it a second time is an error.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> class Exp(srcgrad.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         out = np.exp(x)
    ...         ctx.save_for_backward(out)
    ...         return out
    ...
    ...     @staticmethod
    ...     @srcgrad.once_differentiable
    ...     def backward(ctx, g):
    ...         (out,) = ctx.saved_tensors
    ...         return g * out
    >>> x = srcgrad.Variable(np.zeros(2), requires_grad=True)
    >>> Exp.apply(x).sum().backward()
    >>> x.grad.data
    array([1., 1.])
    """
    function = backward.__func__ if isinstance(backward, staticmethod) else backward
    function.is_once_differentiable = True  # type: ignore[attr-defined]
    return backward


def is_static(cls: type[Any], name: str) -> bool:
    """Whether a method is written as a ``@staticmethod``: PyTorch's newer style."""
    return isinstance(inspect.getattr_static(cls, name), staticmethod)


def is_on_arrays(cls: type[Any]) -> bool:
    """Whether ``backward`` gets ndarrays, and so cannot be differentiated."""
    return not is_static(cls, "forward") or hasattr(
        cls.backward, "is_once_differentiable"
    )


class Call:
    """One call of a user's Function: its arguments, and what ``forward`` has marked."""

    __slots__ = (
        *("args", "arrays", "dirty", "materializes", "name", "needs_input_grad"),
        *("node", "non_differentiable", "to_save"),
    )

    def __init__(self, name: str, args: Sequence[Any]) -> None:
        self.name = name
        self.args = args
        self.arrays: Sequence[Any] = ()
        for number, arg in enumerate(args):
            if isinstance(arg, (tuple, list)) and any(map(_requires_grad, arg)):
                raise located(
                    TypeError(
                        f"{name}: argument {number} is a {type(arg).__name__} with a "
                        "Variable that requires grad, whose gradient would be lost"
                    ),
                    "give it as an argument of its own",
                    kind="lost-gradient",
                )
        self.arrays = _arrays(args)
        is_wanted = state.grad_enabled and not self.is_volatile
        self.needs_input_grad = tuple(is_wanted and _requires_grad(arg) for arg in args)
        self.to_save: Sequence[Any] = ()
        self.dirty: Sequence[Any] = ()
        self.non_differentiable: Sequence[Any] = ()
        self.materializes = True
        self.node: Callable[[], Any] = _nothing

    @property
    def variables(self) -> list[Any]:
        """The arguments that are Variables."""
        return [arg for arg in self.args if isinstance(arg, ArrayProtocol)]

    @property
    def is_volatile(self) -> bool:
        """Whether one of the arguments is volatile."""
        return any(variable.volatile for variable in self.variables)

    def forget(self, node: Any) -> None:
        """Let go of all arrays: what is needed of them is in the node."""
        self.args = self.arrays = self.to_save = ()
        self.dirty = self.non_differentiable = ()
        if node is not None:
            self.node = weakref.ref(node)

    # ----- What forward returned and marked -----

    def results(self, returned: Any) -> list[Any]:
        """The arrays that ``forward`` returned.

        Raises
        ------
        TypeError
            If there is anything else among them.
        """
        raws = []
        for number, raw in enumerate(returned if _is_tuple(returned) else (returned,)):
            # An np.float64 is a float too, and stays the object that may be saved.
            if type(raw) in (bool, int, float, complex):
                raw = np.asarray(raw)[()]
            if not _is_array(raw):
                raise located(
                    TypeError(
                        f"{self.name}.forward must return an ndarray or a tuple of "
                        f"them, but result {number} is of type {_type_name(raw)}"
                    )
                )
            raws.append(raw)
        return raws

    def argument_of(self, raw: Any) -> int | None:
        """Which argument an array is, if any."""
        return index_of(raw, self.arrays)

    def written(self, raws: Sequence[Any]) -> dict[int, Any]:
        """The Variables that ``forward`` has changed in place, by argument.

        Raises
        ------
        RuntimeError
            If something else is marked, or a Variable that must not be changed.
        """
        found: dict[int, Any] = {}
        for number, raw in enumerate(self.dirty):
            position = self._marked(raw, number, "mark_dirty", self.arrays, "input")
            if index_of(raw, raws) is None:
                raise RuntimeError(
                    "Some elements marked as dirty during the forward method were not "
                    "returned as output. The inputs that are modified inplace must all "
                    f"be outputs of the Function ({self.name})."
                )
            if isinstance(self.args[position], ArrayProtocol):
                found[position] = self.args[position]
        for variable in found.values():
            # The array has been changed already: what has saved it must know.
            variable.own_storage().written(here())
        for variable in found.values():
            _check_write(variable)
        return found

    def without_grad(self, raws: Sequence[Any]) -> list[bool]:
        """For each result, whether it carries no gradient.

        Raises
        ------
        RuntimeError
            If something else is marked so.
        """
        marked = {
            self._marked(raw, number, "mark_non_differentiable", raws, "output")
            for number, raw in enumerate(self.non_differentiable)
        }
        return [
            number in marked or raw.dtype.kind not in "fc"
            for number, raw in enumerate(raws)
        ]

    def places(self, raws: Sequence[Any]) -> list[tuple[int | None, int | None]]:
        """For each array to save, which argument and which result it is.

        Raises
        ------
        RuntimeError
            If it is neither: it would not be known when it changes.
        """
        found = []
        for number, raw in enumerate(self.to_save):
            places = (self.argument_of(raw), index_of(raw, raws))
            if raw is not None and places == (None, None):
                self._marked(raw, number, "save_for_backward", (), "input or output")
            found.append(places)
        return found

    def _marked(
        self, raw: Any, number: int, marker: str, among: Sequence[Any], kind: str
    ) -> int:
        """Where an array is among others."""
        position = index_of(raw, among)
        if position is not None:
            return position
        verb = "save" if marker == "save_for_backward" else "accept"
        if not _is_array(raw):
            raise located(
                RuntimeError(
                    f"{marker} can only {verb} tensors, but argument {number} is of "
                    f"type {_type_name(raw)} ({self.name})"
                )
            )
        raise located(
            RuntimeError(
                f"{marker} can only {verb} {kind} tensors, but argument {number} "
                f"doesn't satisfy this condition ({self.name})"
            )
        )


class Context:
    """What a user's ``forward`` and ``backward`` find on their first argument."""

    __slots__ = ()

    _call: Call

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep arguments and results of ``forward`` (or None) for ``backward``."""
        self._calling("save_for_backward").to_save = tensors

    def mark_dirty(self, *tensors: Any) -> None:
        """Say which arguments ``forward`` has changed in place; it must return them."""
        self._calling("mark_dirty").dirty = tensors

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Say which results carry no gradient."""
        self._calling("mark_non_differentiable").non_differentiable = tensors

    def mark_shared_storage(self, *pairs: Any) -> None:
        """Do nothing: results that are views of arguments are found without it."""

    def set_materialize_grads(self, value: bool) -> None:
        """Say whether ``backward`` gets zeros (or else None) for results not used."""
        self._calling("set_materialize_grads").materializes = bool(value)

    @property
    def needs_input_grad(self) -> tuple[bool, ...]:
        """For each argument, whether its gradient is needed."""
        return self._calling("needs_input_grad").needs_input_grad

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What was saved for ``backward``: Variables, or ndarrays where it gets these.

        Raises
        ------
        RuntimeError
            If it has been freed, or changed in place since.
        """
        node = self._calling("saved_tensors").node()
        if node is None:
            raise RuntimeError(
                f"{type(self).__name__} has nothing saved: saved_tensors is there in "
                "backward, if an input of forward requires grad"
            )
        saved: tuple[Any, ...] = node.saved_tensors
        return saved

    saved_variables = saved_tensors

    def _calling(self, name: str) -> Call:
        call: Call | None = getattr(self, "_call", None)
        if call is None:
            raise RuntimeError(f"{name}: only for forward and backward of a Function")
        return call


def _nothing() -> None:
    return None


def _arrays(args: Sequence[Any]) -> list[Any]:
    """The arguments as ``forward`` gets them; each array is an object of its own."""
    seen = {id(arg) for arg in args if isinstance(arg, np.ndarray)}
    arrays = []
    for arg in args:
        if isinstance(arg, ArrayProtocol):
            arg = np.asarray(arg.value)
            if id(arg) in seen:
                arg = arg.view()
            seen.add(id(arg))
        arrays.append(arg)
    return arrays


def index_of(raw: Any, among: Sequence[Any]) -> int | None:
    """Where an array is among others, by identity; None if it is none of them."""
    if not _is_array(raw):
        return None
    return next((i for i, other in enumerate(among) if other is raw), None)


def _is_array(raw: Any) -> bool:
    is_odd = isinstance(raw, (np.ma.MaskedArray, np.matrix))
    is_array = isinstance(raw, (np.ndarray, np.generic)) and not is_odd
    return is_array and raw.dtype.kind in "fciub"


def _is_tuple(item: Any) -> bool:
    return isinstance(item, tuple)


def _type_name(item: Any) -> str:
    name = type(item).__name__
    return f"{name} of dtype {item.dtype}" if isinstance(item, np.ndarray) else name


def _requires_grad(item: Any) -> bool:
    # `item.edge` is not asked: what it means is known one layer up.
    return isinstance(item, ArrayProtocol) and getattr(item, "requires_grad", False)


def _check_write(variable: Any) -> None:
    """Raise if a Variable must not be changed in place."""
    if state.grad_enabled and variable.is_leaf and variable.requires_grad:
        raise located(RuntimeError(LEAF), "use no_grad to update it")
    if state.grad_enabled and (count := variable.own_storage().sharing()) > 1:
        raise located(RuntimeError(SHARED % count))
