"""What generated functions find around them: imports, constants, and names.

>>> import numpy as np
>>> scope = Scope()
>>> scope.path(np.linalg.inv), scope.path(np.add.reduce), scope.path(float)
('np.linalg.inv', 'np.add.reduce', 'float')
>>> scope.path(lambda x: x) is None
True
"""

import builtins
import itertools
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeGuard

import gast
import numpy as np

from srcgrad.emit.names import Namespace, is_name
from srcgrad.emit.syntax import Comment, assignment, dotted, name, target
from srcgrad.steps import Value

# Where the public names of functions live; `__module__` often names a private module,
# and ufuncs outside NumPy have none.
IMPORTED_MODULES = (
    "numpy",
    "numpy.linalg",
    "numpy.fft",
    "numpy.random",
    "math",
    "operator",
    "statistics",
    "scipy.special",
    "scipy.linalg",
    "scipy.fft",
    "scipy.signal",
    "scipy.ndimage",
    "scipy.interpolate",
    "scipy.integrate",
    "scipy.spatial.distance",
)
ALIASES = {"absolute": "abs"}

# What takes the results that nothing uses.
UNUSED = "_"

# The arrays that calls leave to the next ones.
SPARES = "spares"

RESERVED_NAMES = ("np", "environment", "forward", "backward", "saved", SPARES, UNUSED)


class Scope:
    """The module around generated functions, as it comes together.

    ``known`` holds the expression that stands for each value: its name, or the
    computation itself where that is written in place. ``imports`` are modules,
    ``statements`` what defines the constants, and ``injected`` those constants that
    have no literal, by name. ``functions`` are those that will be called by name.
    """

    def __init__(
        self,
        functions: Iterable[Callable[..., Any]] = (),
        arrays: Mapping[Value, np.ndarray[Any, Any]] | None = None,
    ) -> None:
        self.names = Namespace(RESERVED_NAMES)
        self.known: dict[Value, gast.expr] = {}
        self.arrays = {} if arrays is None else arrays
        # For each item of a list of ys: the name of that, all its items, and the index.
        self.stacked: dict[Value, tuple[str, Sequence[Value], int]] = {}
        # See `spares`: whether there may be any, and whether there are.
        self.has_spares = self.has_table = False
        self.imports: set[str] = set()
        self.statements: list[gast.stmt] = []
        self.injected: dict[str, Any] = {}
        self._claimed = {"np"}
        self._numbers = itertools.count(1)
        # By identity, beside the object itself, so that no id is used twice.
        self._held: dict[int, tuple[Any, gast.expr]] = {}
        self._paths: dict[int, tuple[Any, str | None]] = {}
        self._modules: dict[str, str] = {}
        self._expressions: dict[str, gast.expr] = {}
        # Before any value takes a name: roots of modules keep theirs.
        for function in functions:
            self.path(function)

    def start_anew(self) -> None:
        """Let the names of values go, for functions that have the same ones."""
        self.names.start_anew()
        self.known.clear()

    def numpy(self, attr: str) -> gast.expr:
        """Write down a member of NumPy."""
        self.imports.add("numpy")
        return self._dotted(f"np.{attr}")

    def reference(self, item: Any) -> gast.expr:
        """Write down a function, a type, or any other object, by a name."""
        path = self.path(item)
        if path is not None:
            if (module := self._modules.get(path)) is not None:
                self.imports.add(module)
            return self._dotted(path)
        hint = getattr(item, "__name__", None)
        return self.hold(item, hint if type(hint) is str else type(item).__name__)

    def _dotted(self, path: str) -> gast.expr:
        if (expr := self._expressions.get(path)) is None:
            expr = self._expressions[path] = dotted(path)
        return expr

    def hold(
        self,
        item: Any,
        hint: str | None = None,
        write: Callable[[], gast.expr | None] | None = None,
    ) -> gast.expr:
        """Make an object a constant of the module.

        Its definition is written out if there is an expression for it; else the module
        is given the object itself.
        """
        if id(item) not in self._held:
            expr = None if write is None else write()
            constant = self.names.fresh(hint or f"C{next(self._numbers)}")
            if expr is None:
                self.injected[constant] = item
                comment = f"{constant}: {_described(item)}, not written out"
                self.statements.append(Comment(comment))
            else:
                self.statements.append(assignment(target(constant), expr))
            self._held[id(item)] = item, name(constant)
        return self._held[id(item)][1]

    def give(self, item: Any, hint: str) -> str:
        """A name for the very object: of a builtin or NumPy's its own.

        The module is given any other, whatever it is; it may be changed or rebound
        where it comes from.
        """
        if item is np:
            self.imports.add("numpy")
            return "np"
        if _is_lasting_type(item):
            path = self.path(item)
            if path is not None:
                if (module := self._modules.get(path)) is not None:
                    self.imports.add(module)
                return path
        given = self.names.fresh(hint)
        self.injected[given] = item
        return given

    def path(self, item: Any) -> str | None:
        """The dotted name by which generated code reaches an object, if any."""
        if id(item) not in self._paths:
            self._paths[id(item)] = item, self._find(item)
        return self._paths[id(item)][1]

    def _find(self, item: Any) -> str | None:
        attr = getattr(item, "__name__", None)
        if not is_name(attr):
            return None
        owner = getattr(item, "__self__", None)
        if isinstance(owner, np.ufunc):  # np.add.reduce
            return self._member(self.path(owner), attr)
        attr = ALIASES.get(attr, attr)
        for module in IMPORTED_MODULES:
            # Its `__getattr__` might warn of a name.
            if getattr(sys.modules.get(module), "__dict__", {}).get(attr) is item:
                return self._imported(module, attr)
        if getattr(builtins, attr, None) is item:
            return attr if self.claim(attr) else None
        return self._find_where_defined(item)

    def _member(self, path: str | None, attr: str) -> str | None:
        if path is None:
            return None
        member = f"{path}.{attr}"
        self._modules[member] = self._modules[path]
        return member

    def _find_where_defined(self, item: Any) -> str | None:
        module = getattr(item, "__module__", None)
        qualname = getattr(item, "__qualname__", None)
        if not _is_path(module) or not _is_path(qualname):
            return None  # they are whatever somebody has set them to
        if module == "__main__" or not {module, module.split(".")[0]} <= set(
            sys.modules
        ):
            return None
        found: Any = sys.modules[module]
        for attr in qualname.split("."):
            found = getattr(found, attr, None)
        return self._imported(module, qualname) if found is item else None

    def _imported(self, module: str, attr: str) -> str | None:
        root, *rest = module.split(".")
        path = ".".join(["np" if root == "numpy" else root, *rest, attr])
        if not self.claim(path.partition(".")[0]):
            return None
        self._modules[path] = "numpy" if root == "numpy" else module
        return path

    def claim(self, root: str) -> bool:
        """Keep a free name for what it means already: an import or a builtin."""
        if root not in self._claimed and self.names.reserve(root):
            self._claimed.add(root)
        return root in self._claimed


def _is_lasting_type(item: Any) -> bool:
    """Whether it is a builtin type, or one of NumPy's numbers."""
    if not isinstance(item, type):
        return False
    return item.__module__ == "builtins" or issubclass(item, np.generic)


def _is_path(text: object) -> TypeGuard[str]:
    return type(text) is str and all(map(is_name, text.split(".")))


def _described(item: Any) -> str:
    if isinstance(item, np.ndarray):
        return f"{item.dtype}[{', '.join(map(str, item.shape))}]"
    return type(item).__name__
