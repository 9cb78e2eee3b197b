"""How a Variable turns into Python numbers, text and ndarrays: outside the graph."""

import operator
import sys
from types import FrameType
from typing import Any

import numpy as np

from srcgrad.call_sites import gives_to_numpy
from srcgrad.errors import describe, formats_text, here, located, warn
from srcgrad.modes import refuse_use_of, state
from srcgrad.protocols import meant
from srcgrad.rules.libraries import about_old_scipy
from srcgrad.tape.function import has_edge

# What runs where a grid is made.
GRID = type(np.mgrid).__getitem__.__code__
# The operators of sparse matrices that have an answer for Variables.
SPARSE_OPERATORS = ("__matmul__", "__rmatmul__", "__mul__", "__rmul__")


def _is_operand_of_sparse(frame: FrameType | None) -> bool:
    """Whether an operator of a sparse matrix asks, rather than one of its methods."""
    while frame is not None:
        if not frame.f_globals.get("__name__", "").startswith("scipy.sparse."):
            return False
        if frame.f_code.co_name in SPARSE_OPERATORS:
            return True
        frame = frame.f_back
    return False


def _is_traced() -> bool:
    """Whether the function is decorated or differentiated: no need to advise that."""
    return state.left_behind is not None


def _instead() -> str:
    """What to write where an array of NumPy's is made of a Variable."""
    if _is_traced():
        return (
            "What makes an ndarray of it is not followed, as a function of yours would "
            "be: a library, say, or a method that is called from C. Use np.stack to "
            "make an array of Variables; "
            + (about_old_scipy() or "srcgrad.defvjp gives a function its derivative")
        )
    of_scipy = about_old_scipy() or "srcgrad.scipy has SciPy's functions"
    return (
        "Use np.stack to make an array of Variables, or decorate the function with "
        f"srcgrad.trace; {of_scipy}"
    )


class Convertible:
    """The methods of a Variable that give its values to the user's Python code."""

    __slots__ = ()

    value: Any

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if "scipy.sparse" in sys.modules and _is_operand_of_sparse(sys._getframe(1)):
            # What SciPy's operators take for a sign to give way to `__rmatmul__`.
            hidden = np.empty((), object)
            hidden[()] = self
            return hidden
        if has_edge(self):
            # In `np.mgrid[...]` NumPy takes a TypeError for another kind of index.
            in_grid = sys._getframe(1).f_code is GRID
            kind = RuntimeError if in_grid else TypeError
            raise located(
                kind(
                    "a Variable that requires grad does not turn into an ndarray by "
                    "itself: its gradient would be lost"
                ),
                f"{_instead()}; `.detach()` or `.data` give the array alone",
                kind="lost-gradient",
            )
        if state.recorder is not None:
            if np.shape(self.value):
                refuse_use_of("__array__")
            self._number()
        return np.array(self.value, dtype=dtype, copy=copy)

    def numpy(self) -> Any:
        """The ndarray itself, not a copy.

        Raises
        ------
        RuntimeError
            If the Variable requires grad: the gradient would be lost.
        """
        if has_edge(self):
            raise located(
                RuntimeError("Can't call numpy() on Variable that requires grad"),
                "use var.detach().numpy() instead",
                kind="lost-gradient",
            )
        refuse_use_of("numpy")
        return np.asarray(self.value)

    def item(self, *index: Any) -> Any:
        """The one element as a Python number, outside the graph."""
        if state.depth:  # elsewhere, that is what it is for
            self._warn_of_loss()
        return self._number(*index)

    def _number(self, *index: Any) -> Any:
        value = self.value.item(*index) if hasattr(self.value, "item") else self.value
        return self._taken_out(lambda x: np.asarray(x).item(*index), value)

    def tolist(self) -> Any:
        """The elements as Python numbers in nested lists, outside the graph."""
        self._warn_of_loss()
        return self._taken_out(
            lambda x: np.asarray(x).tolist(), np.asarray(self.value).tolist()
        )

    def __bool__(self) -> bool:
        return bool(self._taken_out(bool, bool(self.value)))

    def __float__(self) -> float:
        self._refuse_storing()
        self._warn_of_loss()
        return float(self._taken_out(float, float(self.value)))

    def __int__(self) -> int:
        self._refuse_storing()
        return int(self._taken_out(int, int(self.value)))

    def __complex__(self) -> complex:
        self._refuse_storing()
        self._warn_of_loss()
        return complex(self._taken_out(complex, complex(self.value)))

    def __index__(self) -> int:
        return int(self._taken_out(int, operator.index(meant(self.value))))

    def __round__(self, digits: int | None = None) -> Any:
        kind = type(meant(self.value))
        is_one = state.depth or self.stands_for_array  # type: ignore[attr-defined]
        if is_one and not hasattr(kind, "__round__"):
            raise TypeError(f"type {kind.__name__} doesn't define __round__ method")
        if digits is not None and type(self.value) is float:  # in decimals, exactly
            return self._call(round, (self, digits), {})  # type: ignore[attr-defined]
        return self.round(digits or 0)  # type: ignore[attr-defined]

    def _refuse_storing(self) -> None:
        """Refuse to be a number in an ndarray: NumPy asks for it silently."""
        if has_edge(self) and state.grad_enabled and gives_to_numpy(3):
            raise located(
                TypeError(
                    "cannot store a Variable that requires grad in an ndarray, or "
                    "combine it with one in this way"
                ),
                "make the ndarray a Variable first, or give the number, `.item()`",
                kind="lost-gradient",
            )

    def _warn_of_loss(self) -> None:
        """Warn that a number leaves the graph, though it is not said to be meant."""
        if has_edge(self) and state.grad_enabled:
            where = here()
            if where is not None and not formats_text(*where):
                trace = ", or decorate the function with srcgrad.trace"
                warn(
                    "a number was taken out of a Variable, so its gradient is lost "
                    f"({describe(where)}). Use np functions there (np.sin for math.sin)"
                    f"{'' if _is_traced() else trace}; write `.detach()` first if it "
                    "is meant",
                    kind="lost-gradient",
                )

    def __format__(self, spec: str) -> str:
        if not spec:
            text = str(self)
            # Of a `np.float32` it is another text than `str`.
            is_one = state.depth or self.stands_for_array  # type: ignore[attr-defined]
            return format(meant(self.value), "") if is_one else text
        return format(self._number(), spec)

    def _taken_out(self, convert: Any, seen: Any) -> Any:
        """Give a value to the user's Python code, and tell the recorder."""
        if state.recorder is not None:
            state.recorder.taken_out(self, convert, seen)
        return seen

    def __repr__(self) -> str:
        refuse_use_of("__repr__")
        if state.depth:  # what is differentiated is a function of ndarrays
            return repr(self.value)
        return f"Variable containing:\n{self.value!r}{self._told()}"

    def __str__(self) -> str:
        refuse_use_of("__str__")
        if state.depth:
            return str(self.value)
        return f"Variable containing:\n{self.value}"

    def _told(self: Any) -> str:
        """How the Variable hangs in the graph, as a last line."""
        if self.volatile:
            return "\n[volatile]"
        if not self.requires_grad:
            return ""
        if self.is_leaf:
            return "\n[requires_grad=True]"
        return f"\n[grad_fn=<{self.grad_fn.name()}>]"


def elsewhere(name: str) -> property:
    """The place of an attribute that ndarrays have and Variables have not."""

    def refuse(self: Any) -> Any:
        raise AttributeError(
            f"a Variable has no attribute {name!r}, which deals with memory or files: "
            f"`.data.{name}` has it"
        )

    return property(refuse)
