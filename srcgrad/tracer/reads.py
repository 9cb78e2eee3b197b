"""What the instrumented copy calls: each does what the user wrote, and notes it.

Whatever would make generated code differ from the function is refused here: reading or
changing the outside world, effects, and calls whose effects are not known.
"""

import operator
import sysconfig
from collections.abc import Callable
from types import BuiltinFunctionType, CellType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from srcgrad.errors import PACKAGE
from srcgrad.guards import MISSING, FunctionGuard, NameGuard
from srcgrad.modes import override
from srcgrad.primitives import CREATORS, METADATA_FUNCTIONS
from srcgrad.protocols import ArrayProtocol
from srcgrad.rules.compositions import COMPOSITIONS
from srcgrad.rules.registry import PRIMITIVES
from srcgrad.tracer.instrument import Uninstrumentable, instrument, is_instrumented
from srcgrad.tracer.recorder import Recorder, Refusal
from srcgrad.updates import cast

PURE_BUILTINS = frozenset(
    {abs, all, any, bool, callable, complex, dict, divmod, enumerate, filter, float}
    | {frozenset, int, issubclass, iter, len, list, map, max, min, next, pow, range}
    | {reversed, round, set, slice, sorted, str, sum, tuple, zip}
)
PURE_MODULES = frozenset({"math", "_operator", "operator", "cmath"})
MUTATING = frozenset(
    "append extend insert pop remove clear sort reverse update setdefault popitem add "
    "discard appendleft popleft extendleft rotate".split()
)
# Objects of these types hold no more than the function's own state.
PLAIN_TYPES = (
    *(np.ndarray, np.generic, np.dtype, np.ufunc, np.finfo, np.iinfo),
    *(int, float, complex, str, bytes, tuple, list, dict, set, frozenset, range, slice),
    type(None),
)
LIBRARIES = tuple(
    sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")
)


class Reads:
    """All reads of one traced call; ``of(function)`` gives the hook of each copy."""

    def __init__(self, recorder: Recorder, containers: set[int]) -> None:
        self.recorder = recorder
        # The argument's own containers, by identity (the arguments keep them alive).
        self.containers = containers
        self.names: dict[tuple[int, str], NameGuard] = {}
        self.functions: dict[int, FunctionGuard] = {}

    def instrumented(self, function: FunctionType) -> FunctionType:
        """The copy of a user's function, with a guard on the function itself."""
        self.functions.setdefault(id(function), FunctionGuard.of(function))
        if function.__defaults__ and not all(map(_is_constant, function.__defaults__)):
            self.recorder.refuse(
                f"the defaults of {function.__name__} are not all plain constants"
            )
        try:
            return instrument(function, Hook(self, function))
        except Uninstrumentable as reason:
            raise Refusal(str(reason)) from None


class Hook:
    """``__srcgrad__`` in the copy of one function."""

    def __init__(self, reads: Reads, function: FunctionType) -> None:
        self._reads = reads
        self._recorder = reads.recorder
        self._globals = function.__globals__
        self._cells: dict[str, CellType] = dict(
            zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        )

    # ----- Reading -----

    def outside(self, name: str, value: Any) -> Any:
        """A name that the function does not bind itself."""
        if (
            not isinstance(
                value, (ModuleType, FunctionType, BuiltinFunctionType, np.ufunc, type)
            )
            and not _is_library_function(value)
            and not _is_ours(value)
        ):
            kind = "closure variable" if name in self._cells else "global"
            self._recorder.refuse(f"reads the {kind} `{name}`")
        if name in self._cells:
            guard = NameGuard(name, self._cells[name], "cell_contents", value)
        elif name in self._globals:
            guard = NameGuard(name, self._globals, name, value)
        else:
            guard = NameGuard(name, self._globals, name, MISSING)
        self._reads.names[id(guard.namespace), name] = guard
        return value

    def attribute(self, item: Any, name: str) -> Any:
        """``item.name``"""
        if isinstance(item, ArrayProtocol):
            if item.stands_for_array:
                getattr(item.value, name)  # the error that the ndarray would raise
            return getattr(item, name)
        value = getattr(item, name)
        if isinstance(item, ModuleType):
            return self._member(item, name, value)
        if isinstance(item, PLAIN_TYPES):
            if name in MUTATING and id(item) in self._reads.containers:
                self._recorder.refuse(f"changes an argument by `.{name}`")
            return value
        if _is_library_function(item):
            return value
        self._recorder.refuse(f"reads the attribute `{name}` of an object")

    def _member(self, module: ModuleType, name: str, value: Any) -> Any:
        if _is_library(getattr(module, "__file__", None)):
            return value  # libraries are taken not to change
        if not isinstance(value, (ModuleType, FunctionType, BuiltinFunctionType, type)):
            self._recorder.refuse(f"reads `{module.__name__}.{name}`")
        guard = NameGuard(f"{module.__name__}.{name}", vars(module), name, value)
        self._reads.names[id(guard.namespace), name] = guard
        return value

    # ----- Calling -----

    def call(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        """``function(*args, **kwargs)``"""
        if function is isinstance or function is type:
            args = tuple(map(_stood_for, args))
            return function(*args, **kwargs)
        if function in (np.array, np.asarray, np.asanyarray, np.ascontiguousarray):
            return self._to_array(function, *args, **kwargs)
        if is_instrumented(function):
            return function(*args, **kwargs)
        if _is_ours(function):
            function = function.followed_by(self._followed)
            if not isinstance(function, FunctionType):
                return function(*args, **kwargs)
        if isinstance(function, FunctionType) and is_users(function):
            return self._reads.instrumented(function)(*args, **kwargs)
        if getattr(function, "is_transform", False):
            args = tuple(map(self._followed, args))
        elif not self._is_pure(function):
            name = getattr(function, "__qualname__", None) or repr(function)
            self._recorder.refuse(f"calls `{name}`, which is not known to be pure")
        for arg in (*args, *kwargs.values()):
            if isinstance(arg, FunctionType) and not is_instrumented(arg):
                self._recorder.refuse(f"passes `{arg.__name__}` to code not traced")
        return function(*args, **kwargs)

    def _followed(self, arg: Any) -> Any:
        """The instrumented copy of a function that is handed to ``srcgrad.grad``."""
        if _is_ours(arg):
            return arg.followed_by(self._followed)
        if isinstance(arg, FunctionType) and not is_instrumented(arg) and is_users(arg):
            return self._reads.instrumented(arg)
        return arg

    def _is_pure(self, function: Any) -> bool:
        owner = getattr(function, "__self__", None)
        if isinstance(owner, ArrayProtocol):
            return True  # the Variable's own methods report what they do
        if isinstance(function, BuiltinFunctionType) and isinstance(owner, PLAIN_TYPES):
            return owner is not None or function in PURE_BUILTINS
        if isinstance(function, (np.ufunc, MethodType)):
            return isinstance(function, np.ufunc)
        if isinstance(function, type):
            return (
                function in PURE_BUILTINS
                or issubclass(function, (np.generic, override))
                or (issubclass(function, tuple) and hasattr(function, "_fields"))
                or function in (np.dtype, np.finfo, np.iinfo)
            )
        return (
            function in PRIMITIVES
            or function in COMPOSITIONS
            or function in CREATORS
            or function in METADATA_FUNCTIONS
            or function in PURE_BUILTINS
            or getattr(function, "__module__", None) in PURE_MODULES
        )

    def _to_array(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        """``np.asarray`` and its kin, on what stands for an array."""
        item, *rest = args
        if not isinstance(item, ArrayProtocol) or not item.stands_for_array:
            return function(*args, **kwargs)
        if rest or set(kwargs) - {"dtype"}:
            self._recorder.refuse(f"calls {function.__name__} with more than a dtype")
        dtype = kwargs.get("dtype")
        if dtype is not None and np.dtype(dtype) != item.dtype:
            return cast(item, np.dtype(dtype))
        if not isinstance(item.value, np.ndarray):
            self._recorder.refuse(
                f"makes an array of a number with {function.__name__}"
            )
        return np.copy(item) if function is np.array else item

    # ----- Naming and storing -----

    def named(self, name: str, value: Any) -> Any:
        """``name = value``"""
        self._recorder.name(name, value)
        return value

    def store(self, item: Any, index: Any, value: Any) -> None:
        """``item[index] = value``"""
        self._check_own(item)
        item[index] = value

    def augmented(self, name: str, symbol: str, item: Any, value: Any) -> Any:
        """``name += value`` and its kin."""
        self._check_own(item)
        changed = AUGMENTED[symbol](item, value)
        self._recorder.name(name, changed)
        return changed

    def augmented_item(self, symbol: str, item: Any, index: Any, value: Any) -> None:
        """``item[index] += value`` and its kin."""
        self._check_own(item)
        item[index] = AUGMENTED[symbol](item[index], value)

    def _check_own(self, item: Any) -> None:
        if id(item) in self._reads.containers:
            self._recorder.refuse("changes one of its arguments")
        if not isinstance(item, (ArrayProtocol, *PLAIN_TYPES)):
            self._recorder.refuse(f"changes a {type(item).__name__}")


AUGMENTED: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.iadd,
    "Sub": operator.isub,
    "Mult": operator.imul,
    "Div": operator.itruediv,
    "FloorDiv": operator.ifloordiv,
    "Mod": operator.imod,
    "Pow": operator.ipow,
    "MatMult": operator.imatmul,
    "BitAnd": operator.iand,
    "BitOr": operator.ior,
    "BitXor": operator.ixor,
    "LShift": operator.ilshift,
    "RShift": operator.irshift,
}


def _is_ours(value: Any) -> bool:
    """Whether it is a traced or transformed function, which can follow the tracer."""
    return callable(value) and hasattr(type(value), "followed_by")


def _stood_for(arg: Any) -> Any:
    return arg.value if isinstance(arg, ArrayProtocol) and arg.stands_for_array else arg


def is_users(function: FunctionType) -> bool:
    """Whether a function's source is the user's, not a library's or ours."""
    filename = function.__code__.co_filename
    return not filename.startswith(PACKAGE) and not _is_library(filename)


def _is_library(filename: str | None) -> bool:
    return filename is None or filename.startswith(LIBRARIES)


def _is_library_function(value: Any) -> bool:
    """NumPy's array functions are no ``FunctionType``; ours are marked."""
    return (
        callable(value)
        and (getattr(value, "__module__", None) or "").split(".")[0]
        in ("numpy", "scipy", "srcgrad")
        and not isinstance(value, ArrayProtocol)
    )


def _is_constant(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_constant, value))
    return value is None or isinstance(
        value, (int, float, complex, str, bytes, type, np.dtype, FunctionType, np.ufunc)
    )
