"""``Parameters``: how an exported function is called, and where its arrays are.

>>> import numpy as np
>>> from srcgrad.tracing.environment.signature import Signature
>>> def loss(params, x, rate=0.1):
...     return rate * np.sum(params["w"] * x)
>>> call = Signature(({"w": np.ones(3)}, np.ones(3)), {})
>>> found = Parameters(loss, ArgumentKinds.of(call))
>>> found.signature
['params: dict[str, np.ndarray]', 'x: np.ndarray']
>>> found.paths
['params["w"]', 'x']
>>> found.passed_on
'params, x'
"""

import inspect
import json
from collections.abc import Callable, Sequence
from typing import Any

from srcgrad.pytree import unflatten
from srcgrad.tracing.serving.argument_kinds import ArgumentKinds, LeafKind

# What an exported module has for itself.
MODULES_NAMES = frozenset({"np", "example"})


class Parameters:
    """The parameters that a call has given something to, in the function's order.

    Attributes
    ----------
    leaves : list of LeafKind
        What it was given.
    trees : dict
        By the name of a parameter, the numbers of the leaves that it was given.
    signature : list of str
        The parameters as they are declared.
    passed_on : str
        The same as they are passed on.
    paths : list of str
        For each leaf the expression that finds it.
    fixed : set of int
        The leaves that were given beforehand: the object of a bound method.
    """

    def __init__(self, function: Callable[..., Any], kinds: ArgumentKinds) -> None:
        numbers = range(len(kinds.leaves))
        args, kwargs, bound = unflatten(kinds.structure, numbers)
        own = inspect.signature(function)
        self.trees: dict[str, Any] = {}
        self.signature: list[str] = []
        self.paths = [""] * len(kinds.leaves)
        self.fixed: set[int] = set()
        passed, is_named = [], False
        given = [*own.parameters][: len(bound)]
        for name, tree in own.bind(*bound, *args, **kwargs).arguments.items():
            parameter = own.parameters[name]
            if name in given:
                self.fixed.update(numbers_in(tree))
                self._find(tree, name)
                continue
            name = f"{name}_" if name in MODULES_NAMES else name
            star = STARS.get(parameter.kind, "")
            if parameter.kind is Kind.KEYWORD_ONLY and not is_named:
                self.signature.append("*")
            is_named = is_named or parameter.kind in PASSED_BY_NAME
            parts = tree.values() if star == "**" else tree if star else [tree]
            kind = annotation(next(iter(parts)), kinds.leaves) if parts else "object"
            self.signature.append(f"{star}{name}: {kind}")
            by_name = parameter.kind is Kind.KEYWORD_ONLY
            passed.append(f"{name}={name}" if by_name else f"{star}{name}")
            self.trees[name] = tree
            self._find(tree, name)
        self.passed_on = ", ".join(passed)
        self.leaves = [*kinds.leaves]
        self._is_named = is_named

    def values(self, leaves: Sequence[Any]) -> list[Any]:
        """For each parameter its value, made of leaves."""
        return [_filled(tree, leaves) for tree in self.trees.values()]

    @property
    def has_objects(self) -> bool:
        """Whether an argument is an object of the user's, which is looked into."""
        leaves = enumerate(self.leaves)
        return any(leaf.kind == "object" and k not in self.fixed for k, leaf in leaves)

    def add(self, name: str, leaf: LeafKind, default: str) -> int:
        """A further parameter, with a default; the number of its leaf."""
        if not self._is_named:
            self.signature.append("*")
            self._is_named = True
        self.signature.append(f"{name}: {leaf_annotation(leaf)} = {default}")
        self.passed_on += f"{', ' * bool(self.passed_on)}{name}={name}"
        number = self.trees[name] = len(self.leaves)
        self.leaves.append(leaf)
        self.paths.append(name)
        return number

    def _find(self, tree: Any, path: str) -> None:
        if type(tree) is int:
            self.paths[tree] = path
        elif isinstance(tree, (tuple, list)):  # a tuple with names is one, too
            for number, part in enumerate(tree):
                self._find(part, f"{path}[{number}]")
        elif type(tree) is dict:
            for key, part in tree.items():
                self._find(part, f"{path}[{key_text(key)}]")
        else:
            raise RuntimeError(
                f"`{path}` is a {type(tree).__name__}: an exported function takes "
                "arrays and numbers in tuples, lists and dicts"
            )


def _filled(tree: Any, leaves: Sequence[Any]) -> Any:
    if type(tree) is int:
        return leaves[tree]
    if isinstance(tree, dict):
        return {key: _filled(part, leaves) for key, part in tree.items()}
    parts = [_filled(part, leaves) for part in tree]
    if hasattr(tree, "_fields"):
        return type(tree)(*parts)
    return parts if isinstance(tree, list) else tuple(parts)


Kind = inspect.Parameter
STARS: dict[Any, str] = {Kind.VAR_POSITIONAL: "*", Kind.VAR_KEYWORD: "**"}
PASSED_BY_NAME = {Kind.VAR_POSITIONAL, Kind.KEYWORD_ONLY, Kind.VAR_KEYWORD}


def numbers_in(tree: Any) -> list[int]:
    """The leaves of a tree of numbers."""
    if type(tree) is int:
        return [tree]
    items = tree.values() if isinstance(tree, dict) else tree
    return [number for item in items for number in numbers_in(item)]


def paths_in(tree: Any, path: str = "") -> dict[int, str]:
    """For each leaf of a tree of numbers, how it is found in the tree.

    >>> paths_in({"w": 0, "b": (1,)})
    {0: '["w"]', 1: '["b"][0]'}
    """
    if type(tree) is int:
        return {tree: path}
    found: dict[int, str] = {}
    if tree is None:
        return found
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, part in items:
        found |= paths_in(part, f"{path}[{key_text(key)}]")
    return found


def key_text(key: Any) -> str:
    """A key of a dict in Python.

    >>> print(key_text("it's"), key_text(1))
    "it's" 1
    """
    return json.dumps(key, ensure_ascii=False) if type(key) is str else repr(key)


def annotation(tree: Any, leaves: tuple[LeafKind, ...]) -> str:
    """The type of what a parameter is given.

    >>> import numpy as np
    >>> leaves = LeafKind.of(np.ones(2)), LeafKind.of(0.5), LeafKind.of(3)
    >>> annotation((0, [1], 2), leaves)
    'tuple[np.ndarray, list[float], int]'
    """
    if type(tree) is int:
        return leaf_annotation(leaves[tree])
    if type(tree) is tuple:
        parts = [annotation(part, leaves) for part in tree]
        if len(parts) > 3 and len(set(parts)) == 1:
            parts = [parts[0], "..."]
        return f"tuple[{', '.join(parts)}]" if parts else "tuple[()]"
    if type(tree) in (list, dict):
        items = tree.values() if type(tree) is dict else tree
        parts = sorted({annotation(part, leaves) for part in items})
        inner = " | ".join(parts) or "object"
        if type(tree) is list:
            return f"list[{inner}]"
        keys = sorted({type(key).__name__ for key in tree}) or ["str"]
        return f"dict[{' | '.join(keys)}, {inner}]"
    return "tuple"


def leaf_annotation(leaf: LeafKind) -> str:
    """The type of a leaf."""
    if leaf.kind == "array":
        return "np.ndarray"
    if leaf.kind == "scalar":
        return f"np.{leaf.dtype}"
    if leaf.kind in ("float", "int"):
        return leaf.kind
    if leaf.value is None:
        return "None"
    is_plain = leaf.kind == "static" and type(leaf.value) in (int, bool, str)
    return type(leaf.value).__name__ if is_plain else "object"


def described(leaf: LeafKind, is_open: bool = False) -> str:
    """A leaf as a docstring tells of it.

    >>> import numpy as np
    >>> described(LeafKind.of(np.ones((2, 3)))), described(LeafKind.of(7))
    ('ndarray of float64, shape (2, 3)', 'int, 7')
    """
    if leaf.kind == "array":
        shape = shape_text(leaf.shape, is_open)
        return f"ndarray of {leaf.dtype}, shape {shape}"
    if leaf.kind == "object":
        return f"{leaf.value.__name__}"
    if leaf.kind == "static":
        if leaf.value is None:
            return "None"
        return f"{type(leaf.value).__name__}, {leaf.value!r}"
    return leaf_annotation(leaf).removeprefix("np.")


def shape_text(shape: tuple[int, ...], is_open: bool) -> str:
    """A shape, of which the first axis may be of any length.

    >>> shape_text((5, 3), True), shape_text((5,), True), shape_text((5,), False)
    ('(n, 3)', '(n,)', '(5,)')
    """
    if not is_open:
        return str(shape)
    return f"({', '.join(['n', *map(str, shape[1:])])}{',' * (len(shape) == 1)})"
