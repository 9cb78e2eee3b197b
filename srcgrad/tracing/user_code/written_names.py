"""Which arrays a function may write into, as far as its text tells.

An array that it makes and then changes has to stand for its content
(``tracing.own_array``). Which these are is told by the names that it writes into, names
that those come from, and names that are handed to functions of the user's; and by
calls of ``np.zeros`` and the like whose results go straight into a container:

>>> tree = gast.parse("h = np.zeros(3); g = h; g[0] = x; y = x.T; f(y); z = x + y")
>>> sorted(written_names(nodes_in(tree), {"np"}))
['g', 'h', 'x', 'y']
"""

import builtins
import sys
from collections.abc import Collection, Iterator, Sequence
from types import ModuleType
from typing import Any

import gast
import numpy as np

from srcgrad.function_parameters import place_of_out
from srcgrad.tracing.environment.trust import is_library, is_library_function
from srcgrad.tracing.user_code.copies import capture_call
from srcgrad.tracing.user_code.syntax_trees import nodes_in

# What makes an array that one fills afterwards, by the names of functions or methods.
CREATORS = frozenset(
    "zeros empty ones full eye identity zeros_like empty_like ones_like full_like "
    "array copy tile".split()
)
# Methods that change their array.
CHANGING_METHODS = frozenset("fill sort partition put itemset".split())
# Attributes of arrays by which they are written: `h.flat = x`.
SUBARRAYS = frozenset({"flat", "real", "imag"})
DISPLAY_NODES = (gast.List, gast.Tuple, gast.Set)
# Expressions that may give a new array.
RESULT_NODES = (gast.BinOp, gast.UnaryOp, gast.Call, gast.Subscript, gast.IfExp)
ELEMENTS = (gast.ListComp, gast.SetComp, gast.GeneratorExp)
# Most nodes of a definition are none of these, which write, bind, or keep something.
WRITING_NODES = frozenset({gast.Assign, gast.Delete, gast.AugAssign, gast.Call})
BINDING = frozenset(
    {gast.Assign, gast.AnnAssign, gast.NamedExpr, gast.For, gast.comprehension}
)
KEEPING_NODES = frozenset(
    {*DISPLAY_NODES, *ELEMENTS, gast.Dict, gast.DictComp, gast.Call, gast.Assign}
)


def known_names(namespace: dict[str, Any]) -> set[str]:
    """The global names of modules and functions that are not the user's."""
    return {
        name
        for name, value in namespace.items()
        if (isinstance(value, ModuleType) and is_library(value))
        or is_library_function(value)
    } | (vars(builtins).keys() - namespace.keys())


def written_names(nodes: Collection[Any], known: Collection[str]) -> set[str]:
    """The names whose arrays may be written into, of all nodes of a definition.

    ``known`` are names outside of modules and functions that are not the user's.
    """
    written: set[str] = set()
    sources: list[tuple[set[str], set[str]]] = []
    own = known
    for node in nodes:
        kind = type(node)
        if kind in WRITING_NODES:
            written |= _written_by(node, known)
        if kind in BINDING:
            sources += [
                (set(_bases(target)), set(_bases(value)))
                for target, value in _bound(node)
            ]
        if kind is gast.Global:  # such an array is no longer its own
            own = {*own, *node.names}
    known = own
    written.difference_update(known)
    while True:
        more = {
            name
            for targets, names in sources
            if not written.isdisjoint(targets)
            for name in names - written.union(known)
        }
        if not more:
            return written
        written |= more


def _written_by(node: Any, known: Collection[str]) -> set[str]:
    """The names that one statement or call may write into."""
    if isinstance(node, (gast.Assign, gast.Delete)):
        targets = [each for each in node.targets if not isinstance(each, gast.Name)]
        parts = [part for target in targets for part in nodes_in(target)]
        return {name for part in parts if _is_stored(part) for name in _bases(part)}
    if isinstance(node, gast.AugAssign):
        return set(_bases(node.target))
    if isinstance(node, gast.Call):
        if is_known(node.func, known):
            # np.add.at(h, ...), np.copyto(h, ...); np.exp(x, out=h)
            named = [key.value for key in node.keywords if key.arg == "out"]
            if isinstance(node.func, gast.Attribute) and _may_write(node.func.attr):
                named += node.args[:1]
            named += node.args[_place_of_out(node.func) :]  # np.exp(x, h)
            return {name for each in named for name in _bases(each)}
        found = {name for arg in _arguments(node) for name in _names(arg)}
        if isinstance(node.func, gast.Attribute) and node.func.attr in CHANGING_METHODS:
            found |= set(_bases(node.func.value))
        return found
    return set()


def _may_write(name: str) -> bool:
    return name in ("at", "place") or name.startswith(("copyto", "put", "fill_"))


def _place_of_out(node: Any) -> int:
    """From which argument on a call of NumPy's says where results go."""
    if not isinstance(node, gast.Attribute):
        return sys.maxsize
    names = [node.attr]
    while isinstance(node.value, gast.Attribute):
        node = node.value
        names.append(node.attr)
    function: Any = np
    for name in reversed(names):
        function = getattr(function, name, None)
    return place_of_out(function) if callable(function) else sys.maxsize


def _bound(node: Any) -> Iterator[tuple[Any, Any]]:
    """What a node binds, and what to."""
    if isinstance(node, gast.Assign):
        # An array that is stored in an array is copied.
        yield from ((t, node.value) for t in node.targets if not _is_item(t))
    elif isinstance(node, (gast.AnnAssign, gast.NamedExpr)) and node.value is not None:
        yield node.target, node.value
    elif isinstance(node, (gast.For, gast.comprehension)):
        yield node.target, node.iter


def _is_stored(node: Any) -> bool:
    is_part = isinstance(node, gast.Subscript) or getattr(node, "attr", "") in SUBARRAYS
    return is_part and not isinstance(node.ctx, gast.Load)


def _is_item(target: Any) -> bool:
    return isinstance(target, gast.Subscript)


def _bases(node: Any) -> Iterator[str]:
    """The names of arrays that an expression may be, or be a part of."""
    if isinstance(node, gast.Name):
        yield node.id
    elif isinstance(node, (gast.Subscript, gast.Attribute, gast.Starred)):
        yield from _bases(node.value)
    elif isinstance(node, DISPLAY_NODES):
        for element in node.elts:
            yield from _bases(element)
    elif isinstance(node, gast.IfExp):
        yield from _bases(node.body)
        yield from _bases(node.orelse)
    elif isinstance(node, gast.Call):
        if isinstance(node.func, gast.Attribute):
            yield from _bases(node.func.value)
        for arg in _arguments(node):
            yield from _names(arg)


def _arguments(node: Any) -> list[Any]:
    return [*node.args, *(keyword.value for keyword in node.keywords)]


def _names(node: Any) -> Iterator[str]:
    """The name that an expression is, or those in a display."""
    if isinstance(node, gast.Name):
        yield node.id
    elif isinstance(node, (*DISPLAY_NODES, gast.Dict)):
        for each in node.values if isinstance(node, gast.Dict) else node.elts:
            yield from _names(each)
    elif isinstance(node, gast.Starred):
        yield from _names(node.value)


def is_known(function: Any, known: Collection[str]) -> bool:
    """Whether a call is one of a library's function, by its text."""
    while isinstance(function, gast.Attribute):
        function = function.value
    return isinstance(function, gast.Name) and function.id in known


def kept_calls(nodes: Collection[Any], known: Collection[str]) -> set[Any]:
    """The calls whose new array goes straight into a container, or to a function."""
    return {
        each
        for node in nodes
        if type(node) in KEEPING_NODES
        for each in _kept_by(node, known)
        if _is_creation(each)
    }


def handed_results(nodes: Collection[Any], names: Collection[str]) -> set[Any]:
    """The results that go straight to functions with these names.

    Those of ``kept_calls`` are not among them.
    """
    return {
        each
        for node in nodes
        if type(node) is gast.Call and getattr(node.func, "id", None) in names
        for each in _arguments(node)
        if isinstance(each, RESULT_NODES) and not _is_creation(each)
    }


def _kept_by(node: Any, known: Collection[str]) -> list[Any]:
    if isinstance(node, DISPLAY_NODES):
        return list(node.elts)
    if isinstance(node, ELEMENTS):
        return [node.elt]
    if isinstance(node, gast.Dict):
        return list(node.values)
    if isinstance(node, gast.DictComp):
        return [node.value]
    if isinstance(node, gast.Call):
        if is_known(node.func, known):  # np.divide(x, y, out=np.zeros(3), where=y > 0)
            return [key.value for key in node.keywords if key.arg == "out"]
        return _arguments(node)
    if isinstance(node, gast.Assign):
        targets = (gast.Attribute, gast.Subscript)
        return [node.value] if isinstance(node.targets[0], targets) else []
    return []


def as_made(targets: Sequence[Any], value: Any, written: Collection[str]) -> Any:
    """A value, or several, ``a, b = u + 1, v + 1``: as made, if a name is written into.

    ``targets`` are all of those in ``a = b = value``.
    """
    if isinstance(value, gast.Tuple):
        kinds = (gast.Tuple, gast.List)
        several = [each.elts for each in targets if isinstance(each, kinds)]
        is_plain = len(several) == len(targets) and not any(
            isinstance(each, gast.Starred) for elts in several for each in elts
        )
        elements, *_ = pairs = [value.elts, *several]
        if is_plain and len({*map(len, pairs)}) == 1:
            value.elts = [
                as_made(own, each, written)
                for each, *own in zip(elements, *several, strict=True)
            ]
    elif any(isinstance(t, gast.Name) and t.id in written for t in targets):
        return capture_call("made", value, at=value)
    return value


def _is_creation(node: Any) -> bool:
    if not isinstance(node, gast.Call):
        return False
    function = node.func
    name = getattr(function, "attr", None) or getattr(function, "id", None)
    return name in CREATORS
