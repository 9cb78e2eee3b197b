"""``ArgumentKinds``: what the arguments of a call are, without what is in them.

>>> kinds = ArgumentKinds.of(Signature((np.ones((2, 3)), 0.5, 7), {"name": "tanh"}))
>>> print(*kinds.leaves, sep=", ")
float64 array of shape (2, 3), float, 7, 'tanh'
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from srcgrad.protocols import raw_of
from srcgrad.pytree import flatten, unflatten
from srcgrad.tape.function import VOLATILE
from srcgrad.tape.variable import Variable
from srcgrad.tracing.environment.objects import is_looked_into
from srcgrad.tracing.environment.signature import STEADY, Changes, Signature, is_dynamic

Fill = Callable[[tuple[int, ...]], Any]


class LeafKind(NamedTuple):
    """One leaf of the arguments.

    ``kind`` is ``"array"``, ``"scalar"`` (NumPy's), ``"float"`` (Python's), ``"int"``
    if it may change, ``"static"`` for what a trace is made for by its ``value``, or
    ``"object"`` for what it looks into, of the class ``value``. ``has_grad``: it is a
    Variable that requires grad.
    """

    kind: str
    shape: tuple[int, ...] = ()
    dtype: np.dtype[Any] | None = None
    value: Any = None
    has_grad: bool = False

    @classmethod
    def of(cls, leaf: Any) -> "LeafKind":
        """That of an argument."""
        if not is_dynamic(leaf):
            if is_looked_into(leaf):
                return cls("object", value=type(leaf))
            return cls("static", value=leaf)
        raw = raw_of(leaf)
        has_grad = isinstance(leaf, Variable) and leaf.edge not in (None, VOLATILE)
        if isinstance(raw, np.ndarray):
            return cls("array", raw.shape, raw.dtype, has_grad=has_grad)
        kind = "scalar" if isinstance(raw, np.generic) else "float"
        return cls(kind, (), np.result_type(raw), has_grad=has_grad)

    def as_int(self) -> "LeafKind":
        """The same, if it is an integer of any value; all else as it is."""
        is_int = self.kind == "static" and type(self.value) is int
        return self._replace(kind="int") if is_int else self

    def example(self, fill: Fill = np.ones) -> Any:
        """An argument of this kind, whose floats are made by ``fill(shape)``.

        Raises
        ------
        RuntimeError
            If it is an object.
        """
        if self.kind == "object":
            raise RuntimeError(f"an argument is a {self}: give arguments, or objects")
        if self.kind in ("static", "int"):
            return self.value
        dtype: Any = self.dtype
        # Integers may be indices.
        made: Any = fill(self.shape) if dtype.kind in "fc" else np.zeros(self.shape)
        made = np.asarray(made, dtype)
        if self.kind != "array":
            made = made.item() if self.kind == "float" else made[()]
        return Variable(made, requires_grad=True) if self.has_grad else made

    def __str__(self) -> str:
        if self.kind == "array":
            return f"{self.dtype} array of shape {self.shape}"
        if self.kind == "object":
            return f"{self.value.__name__}"
        if self.kind == "static":
            return repr(self.value)
        if self.kind == "int":
            return "int"
        return "float" if self.kind == "float" else str(self.dtype)


@dataclass(frozen=True, slots=True)
class ArgumentKinds:
    """All leaves of ``(args, kwargs, bound)``, and how these are put together."""

    structure: Any
    leaves: tuple[LeafKind, ...]

    @classmethod
    def of(cls, signature: Signature, changes: Changes = STEADY) -> "ArgumentKinds":
        """Those of a call, of which some things may change."""
        leaves = [LeafKind.of(leaf) for leaf in signature.leaves]
        if changes.ints:
            leaves = [leaf.as_int() for leaf in leaves]
        return cls(signature.structure, tuple(leaves))

    def example(self, fill: Fill = np.ones) -> tuple[Any, dict[str, Any]]:
        """Arguments of these kinds, by position and by name, see ``LeafKind``.

        Raises
        ------
        RuntimeError
            If one is an object.
        """
        _, _, bound = unflatten(self.structure, range(len(self.leaves)))
        given = {*flatten(bound)[0]}  # beforehand
        leaves = [
            None if number in given else leaf.example(fill)
            for number, leaf in enumerate(self.leaves)
        ]
        args, kwargs, _ = unflatten(self.structure, leaves)
        return args, kwargs
