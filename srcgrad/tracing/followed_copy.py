"""The followed copy of a user's function, which runs where nothing is recorded.

It is the lighter of the two copies (the other is ``instrument``): only calls, and the
arrays that it makes and may write into, go through ``__srcgrad__`` (``follow``). So

    h = np.zeros(3)
    h[0] = math.sin(x)

becomes

    h = __srcgrad__.made(__srcgrad__.of(np.zeros)(3))
    h[0] = __srcgrad__.of(math.sin)(x)

The frame that makes a call is still the user's own, so warnings name the right line.
"""

from collections.abc import Iterable, Iterator
from types import CodeType
from typing import Any

import gast

from srcgrad.tracing.concatenators import is_named_concatenator
from srcgrad.tracing.copies import (
    compile_definition,
    constant,
    name_read,
    watched,
    without_defaults,
)
from srcgrad.tracing.sources import definition_of
from srcgrad.tracing.syntax_trees import Transformer, nodes_in
from srcgrad.tracing.written_names import (
    is_known,
    kept_calls,
    known_names,
    written_names,
)

# Members of arrays: no properties of the user's.
OF_ARRAYS = frozenset("T shape size ndim dtype real imag".split())
# Expressions that make lists and tuples.
LISTS = gast.List, gast.Tuple, gast.ListComp
# They look at the frame that calls them.
OF_FRAMES = frozenset("super locals globals vars dir eval exec breakpoint".split())


def followed_code(code: CodeType, namespace: dict[str, Any]) -> CodeType:
    """The code of the followed copy of a function.

    Raises
    ------
    Uninstrumentable
        If there is no source.
    """
    definition = definition_of(code)
    known = known_names(namespace)
    nodes = nodes_in(definition)
    written = written_names(nodes, known).difference(code.co_freevars)
    rewriter = Rewriter(written, kept_calls(nodes, known), known, code)
    rewriter.lists.update(_names_of_lists(nodes))
    without_defaults(definition)
    if not isinstance(definition, gast.Lambda):
        definition.decorator_list = []
    return compile_definition(rewriter.generic_visit(definition), code)


def _names_of_lists(nodes: Iterable[Any]) -> Iterator[str]:
    """The names that the function gives to lists and tuples of its own."""
    for node in nodes:
        if isinstance(node, gast.Assign) and isinstance(node.value, LISTS):
            yield from (each.id for each in node.targets if isinstance(each, gast.Name))


class Rewriter(Transformer):
    """``written``, ``kept`` and ``known`` are as in ``written_names``."""

    def __init__(
        self, written: set[str], kept: set[Any], known: set[str], code: CodeType
    ) -> None:
        self._written, self._kept, self._known = written, kept, known
        self.lists: set[str] = set()
        self._mangled = {
            name[name.index("__", 1) :]: name
            for name in (*code.co_names, *code.co_varnames, *code.co_freevars)
            if name[0] == "_" and name[1:2] != "_" and "__" in name
        }

    def visit_Call(self, node: Any) -> Any:
        made = node in self._kept
        if not (isinstance(node.func, gast.Name) and node.func.id in OF_FRAMES):
            function = node.func
            if isinstance(function, gast.Attribute):
                self._unmangle(function)
                function.value = self.visit(function.value)
            else:
                function = self.visit(function)
            node.func = watched("of", function, at=function)
        node.args = [self.visit(arg) for arg in node.args]
        node.keywords = [self.generic_visit(keyword) for keyword in node.keywords]
        return watched("made", node, at=node) if made else node

    def visit_Assign(self, node: Any) -> Any:
        target = node.targets[0]
        self.generic_visit(node)
        if isinstance(target, gast.Name) and target.id in self._written:
            node.value = watched("made", node.value, at=node)
        return node

    def visit_AnnAssign(self, node: Any) -> Any:
        self.generic_visit(node)
        target = node.target
        if node.value is not None and getattr(target, "id", None) in self._written:
            node.value = watched("made", node.value, at=node)
        return node

    # Inside its class, `self.__rate` is `self._Model__rate`; the copy is outside.

    def visit_Attribute(self, node: Any) -> Any:
        self._unmangle(node)
        self.generic_visit(node)
        if not isinstance(node.ctx, gast.Load):
            return self._holding(node, "holder")
        if node.attr in OF_ARRAYS:
            return node
        if is_known(node, self._known):
            return node
        return watched("member", node.value, constant(node.attr), at=node)

    # In a pattern only names with dots may stand, no calls.

    def visit_MatchValue(self, node: Any) -> Any:
        self._unmangle_all(node.value)
        return node

    def visit_MatchClass(self, node: Any) -> Any:
        self._unmangle_all(node.cls)
        node.patterns = [self.visit(each) for each in node.patterns]
        node.kwd_patterns = [self.visit(each) for each in node.kwd_patterns]
        return node

    def visit_MatchMapping(self, node: Any) -> Any:
        for key in node.keys:
            self._unmangle_all(key)
        node.patterns = [self.visit(each) for each in node.patterns]
        return node

    def _unmangle_all(self, dotted: Any) -> None:
        for node in nodes_in(dotted):
            if isinstance(node, gast.Attribute):
                self._unmangle(node)

    def visit_Subscript(self, node: Any) -> Any:
        is_named = is_named_concatenator(node.value)
        self.generic_visit(node)
        if isinstance(node.ctx, gast.Load):
            if not is_named:
                return node
            return watched("concatenated", node.value, node.slice, at=node)
        is_stored = isinstance(node.ctx, gast.Store)
        return self._holding(node, "target" if is_stored else "holder")

    # `R @ [x, y]`: NumPy would look for numbers in the list.

    def visit_BinOp(self, node: Any) -> Any:
        sides = node.left, node.right
        has_list = sum(map(self._is_list, sides)) == 1
        has_number = any(isinstance(side, gast.Constant) for side in sides)
        self.generic_visit(node)
        if not has_list or has_number:
            return node
        symbol = constant(type(node.op).__name__)
        return watched("operated", symbol, node.left, node.right, at=node)

    def _is_list(self, node: Any) -> bool:
        is_named = isinstance(node, gast.Name) and node.id in self.lists
        return is_named or isinstance(node, LISTS)

    def visit_AugAssign(self, node: Any) -> Any:
        target = node.target
        node.value = self.visit(node.value)
        if isinstance(target, gast.Subscript):
            item = self.visit(target.value)
            target.slice = self.visit(target.slice)
            target.value = watched("updated", item, at=item)
            return node
        names: list[str] = []
        owner = target
        while isinstance(owner, gast.Attribute):
            names.insert(0, self._mangled.get(owner.attr, owner.attr))
            owner = owner.value
        node.target = self.visit(target)
        if isinstance(owner, gast.Name):
            item = name_read(self._mangled.get(owner.id, owner.id))
            path = constant(tuple(names))
            node.value = watched("changing", item, path, node.value, at=node)
        return node

    def _holding(self, node: Any, method: str) -> Any:
        """The same target, with a note of what is stored into."""
        node.value = watched(method, node.value, at=node.value)
        return node

    def _unmangle(self, node: Any) -> None:
        node.attr = self._mangled.get(node.attr, node.attr)

    def visit_Name(self, node: Any) -> Any:
        node.id = self._mangled.get(node.id, node.id)
        return node
