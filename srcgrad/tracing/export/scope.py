"""``ExportScope``: what is around the functions of an exported module.

What generated code is given as an object, an exported module has to have by itself:
large arrays in a file beside it, functions of srcgrad's as their source.

>>> import numpy as np
>>> from srcgrad.emit.one_line import text
>>> scope = ExportScope()
>>> text(scope.hold(np.linspace(0.0, 1.0, 100), "GRID")), scope.data["GRID"].shape
('GRID', (100,))
"""

import builtins
import sys
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType
from typing import Any

import gast
import numpy as np

from srcgrad.emit.literals import definition, written
from srcgrad.emit.names import is_name
from srcgrad.emit.scope import Scope
from srcgrad.emit.syntax import assignment, call, constant, name, sequence, target
from srcgrad.steps import Value
from srcgrad.tracing.algorithms.algorithm_calls import Solving
from srcgrad.tracing.export.inlining import LIBRARIES


class ExportScope(Scope):
    """The same of an exported module.

    Attributes
    ----------
    data : dict
        The arrays that are kept in a file, by name.
    inlined : dict
        The functions of srcgrad's that are called, by name.
    """

    def __init__(
        self,
        functions: Iterable[Callable[..., Any]] = (),
        arrays: Mapping[Value, np.ndarray[Any, Any]] | None = None,
    ) -> None:
        self.data: dict[str, np.ndarray[Any, Any]] = {}
        self.inlined: dict[str, Any] = {}
        self._shared: dict[Value, str] = {}
        self._fixed: dict[Any, str] = {}
        self._parameters: set[str] = set()
        self._arrays: dict[Any, np.ndarray[Any, Any]] = {}
        super().__init__(functions, arrays)

    def keep_for(self, parameters: Iterable[str]) -> None:
        """Let no constant have the name of a parameter, which would hide it.

        Raises
        ------
        RuntimeError
            If the module needs the name itself.
        """
        for own in parameters:
            if own in self._claimed or own in self.inlined:
                raise RuntimeError(
                    f"its parameter `{own}` has a name that the module needs: rename it"
                )
            self.names.reserve(own)
            self._parameters.add(own)

    def start_anew(self) -> None:
        super().start_anew()
        for own in self._parameters:
            self.names.reserve(own)
        for value, known in self._shared.items():
            self.names.reserve(known)
            self.names.share(value, known)

    def constant(self, value: Value, item: Any, hint: str) -> str:
        """Make an input of a graph a constant of the module."""
        known = next((n for v, n in self._shared.items() if v is value), None)
        if known is None:
            known = self.fixed(item, hint)
            self._shared[value] = known
            self.names.share(value, known)
        return known

    def fixed(self, item: Any, hint: str) -> str:
        """The name of a constant."""
        key = hint, type(item), item if type(item) in (int, float) else id(item)
        if key not in self._fixed:
            self._fixed[key] = self._new_constant(item, hint)
        return self._fixed[key]

    def _new_constant(self, item: Any, hint: str) -> str:
        if isinstance(item, np.ndarray):
            expr: Any = (
                written(self, item) if item.size <= 1 else self.array(item, hint)
            )
            if isinstance(expr, gast.Name):
                return str(expr.id)
        else:
            expr = written(self, item)
        known = self.names.fresh(hint)
        self.statements.append(assignment(target(known), expr))
        return known

    def array(self, item: np.ndarray[Any, Any], hint: str) -> gast.expr:
        """An array as a constant with a name."""
        return self.hold(item, hint, lambda: definition(self, item))

    def hold(
        self,
        item: Any,
        hint: str | None = None,
        write: Callable[[], gast.expr | None] | None = None,
    ) -> gast.expr:
        if id(item) in self._held:
            return self._held[id(item)][1]
        if hint is not None and hasattr(builtins, hint):
            hint = f"a_{hint}"
        if isinstance(item, np.ndarray):
            key = hint, item.dtype.str, item.shape, item.tobytes()
            twin = self._arrays.setdefault(key, item)
            if twin is not item:  # each graph has its own
                return self.hold(twin, hint, write)
        if write is not None and (expr := write()) is not None:
            return super().hold(item, hint, lambda: expr)
        if type(item) in (bytes, int):  # however long it is
            return super().hold(item, hint, lambda: constant(item))
        if type(item) is tuple:
            several = sequence([written(self, each) for each in item])
            return super().hold(item, hint, lambda: several)
        if type(item) is range:
            expr = call(
                name("range"), map(constant, (item.start, item.stop, item.step))
            )
            return super().hold(item, hint, lambda: expr)
        if type(item) is np.ndarray and not item.dtype.hasobject:
            known = self.names.fresh(hint or f"C{next(self._numbers)}")
            self.data[known] = item
            self._held[id(item)] = item, name(known)
            return self._held[id(item)][1]
        if isinstance(item, Solving):
            raise RuntimeError(
                f"it calls `{item.__name__}`, which calls functions of yours back: "
                "export these, and the formula around"
            )
        raise RuntimeError(f"it uses {_told(item)}, which cannot be written as source")

    def _find(self, item: Any) -> str | None:
        return super()._find(item) or self._find_distribution(item)

    def _find_distribution(self, item: Any) -> str | None:
        """The path of an object of `scipy.stats`, which knows its name there."""
        own = getattr(item, "name", None)
        stats = sys.modules.get("scipy.stats")
        if not is_name(own) or stats is None or vars(stats).get(own) is not item:
            return None
        return self._imported("scipy.stats", own)

    def _find_where_defined(self, item: Any) -> str | None:
        root = str(getattr(item, "__module__", "")).partition(".")[0]
        if root == "srcgrad" and isinstance(item, FunctionType | type):
            if item.__name__ not in self.inlined and not self.claim(item.__name__):
                raise RuntimeError(f"it uses {_told(item)}, whose name is taken")
            self.inlined[item.__name__] = item
            return item.__name__
        path = super()._find_where_defined(item)
        if path is not None and root not in LIBRARIES and not _is_standard(root):
            raise RuntimeError(
                f"it uses {_told(item)}, which is neither NumPy's nor SciPy's"
            )
        return path


def _is_standard(root: str) -> bool:
    return root in sys.stdlib_module_names


def _told(item: Any) -> str:
    own = getattr(item, "__qualname__", None)
    if own is None:
        return f"a {type(item).__name__}"
    return f"`{item.__module__}.{own}`"
