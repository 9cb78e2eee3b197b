"""The followed copy of a user's function, which runs where nothing is recorded.

It is the lighter of the two copies (the other is ``instrument``): only calls, and the
arrays that it makes and may write into, go through ``__srcgrad__`` (``follow``). So

    h = np.zeros(3)
    h[0] = math.sin(x)

becomes

    h = __srcgrad__.made(__srcgrad__.of(np.zeros)(3))
    h[0] = __srcgrad__.of(math.sin)(x)

and ``np.sin(x)`` is ``__srcgrad__.one(np.sin, x)``, which takes less time. The frame
that makes a call is still the user's own, so warnings name the right line.
"""

import builtins
import contextlib
import weakref
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import gast
import numpy as np

from srcgrad.codes import PerCode
from srcgrad.tracing.arrays.class_patterns import MATCHED_KINDS
from srcgrad.tracing.arrays.concatenators import is_named_concatenator
from srcgrad.tracing.environment.special import knows_objects
from srcgrad.tracing.environment.trust import is_users
from srcgrad.tracing.user_code.copies import (
    CAPTURE,
    capture_call,
    capture_method,
    compile_definition,
    constant,
    is_copied,
    name_read,
    without_defaults,
)
from srcgrad.tracing.user_code.list_operands import list_names, list_operator
from srcgrad.tracing.user_code.object_syntax import (
    ObjectSyntax,
    counter_names,
    is_number,
    read,
)
from srcgrad.tracing.user_code.sources import Uninstrumentable, definition_of
from srcgrad.tracing.user_code.syntax_trees import nodes_in, placed
from srcgrad.tracing.user_code.written_names import (
    as_made,
    handed_results,
    is_known,
    kept_calls,
    known_names,
    written_names,
)

# Members of arrays: no properties of the user's.
ARRAY_MEMBERS = frozenset("T shape size ndim dtype real imag".split())
NUMPY_FUNCTION_TYPES = frozenset({np.ufunc, type(np.sum)})
IDENTITY = gast.Is, gast.IsNot
# They look at the frame that calls them.
OF_FRAMES = frozenset("super locals globals vars dir eval exec breakpoint".split())

# What holds nothing else.
SIMPLE_TYPES = frozenset({int, float, complex, bool, str, bytes, type(None)})


class Copy(NamedTuple):
    """The code of a followed copy; None: there is none.

    ``cells`` are the places of its cells among the original's; -1 is the follower.
    ``is_plain``: nothing is followed there, and the original does the same.
    """

    code: CodeType | None
    cells: tuple[int, ...] = ()
    is_plain: bool = False
    # The last copy, and what it is of, if that holds nothing: a function may call
    # itself, or be called in a loop.
    last: list[Any] = []  # noqa: RUF012 (never the default one)

    def of(self, function: FunctionType) -> FunctionType:
        """The copy of a function that has this code."""
        for known, copy in self.last:
            if (
                known() is function
                and copy.__defaults__ is function.__defaults__
                and copy.__kwdefaults__ is function.__kwdefaults__
            ):
                return copy  # type: ignore[no-any-return]
        copy = self._made(function)
        if _holds_nothing(function):
            self.last[:] = [(weakref.ref(function), copy)]
        return copy

    def _made(self, function: FunctionType) -> FunctionType:
        cells = function.__closure__ or ()
        assert self.code is not None
        copy = FunctionType(
            self.code,
            function.__globals__,
            function.__name__,
            function.__defaults__,
            tuple([cells[i] if i >= 0 else FOLLOWER_CELL for i in self.cells]),
        )
        copy.__kwdefaults__ = function.__kwdefaults__
        copy.__qualname__ = function.__qualname__
        return copy


def _holds_nothing(function: FunctionType) -> bool:
    """Whether a copy keeps nothing alive: no cells, and simple defaults."""
    if function.__closure__ is not None:
        return False
    keywords = function.__kwdefaults__ or {}
    defaults = *(function.__defaults__ or ()), *keywords.values()
    return SIMPLE_TYPES.issuperset(map(type, defaults))


# What copies call: the follower, once there is one.
FOLLOWER_CELL = CellType()


_copies: PerCode[Copy] = PerCode()


def copied(function: FunctionType) -> Copy:
    """What the followed copy of a function is made of."""
    code = function.__code__
    known = _copies.get(code)
    if known is not None:
        return known
    found = Copy(None)
    if not is_copied(code) and is_users(function):
        with contextlib.suppress(Uninstrumentable, RecursionError):
            knows = knows_objects(function)
            copy = followed_code(code, function.__globals__, knows)
            names = code.co_freevars
            cells = [
                -1 if name == CAPTURE else names.index(name)
                for name in copy.co_freevars
            ]
            found = Copy(copy, tuple(cells), CAPTURE not in copy.co_freevars, [])
    return _copies.put(code, found)


def followed_code(
    code: CodeType, namespace: dict[str, Any], knows: bool = False
) -> CodeType:
    """The code of the followed copy of a function.

    It ``knows`` of classes with special methods of the user's.

    Raises
    ------
    Uninstrumentable
        If there is no source.
    """
    definition = definition_of(code)
    known = known_names(namespace)
    nodes = nodes_in(definition)
    written = written_names(nodes, known).difference(code.co_freevars)
    own = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
    space = {
        name: namespace.get(name, vars(builtins).get(name)) for name in known - own
    }
    rewriter = Rewriter(written, kept_calls(nodes, known), known, code, space)
    rewriter.lists = list_names(nodes, known)
    rewriter.counters = counter_names(nodes)
    rewriter.knows = knows
    users = {
        name
        for name in {*code.co_names} - own
        if type(found := namespace.get(name)) is FunctionType and is_users(found)
    }
    rewriter.handed = handed_results(nodes, users)  # they may change these
    without_defaults(definition)
    if not isinstance(definition, gast.Lambda):
        definition.decorator_list = []
    return compile_definition(rewriter.generic_visit(definition), code)


class Rewriter(ObjectSyntax):
    """``written``, ``kept`` and ``known`` are as in ``written_names``.

    ``space`` has what known names stand for.
    """

    def __init__(
        self,
        written: set[str],
        kept: set[Any],
        known: set[str],
        code: CodeType,
        space: dict[str, Any],
    ) -> None:
        self._written, self._kept, self._known = written, kept, known
        self.lists: set[str] = set()
        self.handed: set[Any] = set()
        self.counters: set[str] = set()
        self.asks = True
        self._space = space
        self._mangled = {
            name[name.index("__", 1) :]: name
            for name in (*code.co_names, *code.co_varnames, *code.co_freevars)
            if name[0] == "_" and name[1:2] != "_" and "__" in name
        }

    def visit(self, node: Any) -> Any:
        """What shall stand for a node."""
        is_handed = node in self.handed
        found = super().visit(node)
        return capture_call("handed", found, at=found) if is_handed else found

    def visit_Call(self, node: Any) -> Any:
        made = node in self._kept
        if self._is_numpys_of_one(node):
            (arg,) = node.args
            node = capture_call("one", node.func, self.visit(arg), at=node)
            return capture_call("made", node, at=node) if made else node
        if not (isinstance(node.func, gast.Name) and node.func.id in OF_FRAMES):
            function = node.func
            if isinstance(function, gast.Attribute):
                self._unmangle(function)
                function.value = self.visit(function.value)
            else:
                function = self.visit(function)
            node.func = capture_call("of", function, at=function)
        node.args = [self.visit(arg) for arg in node.args]
        for keyword in node.keywords:
            self.generic_visit(keyword)
            if keyword.arg is None:
                keyword.value = self.seen(keyword.value)
        return capture_call("made", node, at=node) if made else node

    def _is_numpys_of_one(self, call: Any) -> bool:
        """Whether a call is one of a function of NumPy's with one argument."""
        is_of_one = len(call.args) == 1 and not isinstance(call.args[0], gast.Starred)
        if not is_of_one or call.keywords:
            return False
        return type(self._known_at(call.func)) in NUMPY_FUNCTION_TYPES

    def _known_at(self, dotted: Any) -> Any:
        """What a dotted name stands for that is not the user's; None if it may be."""
        path, root = [], dotted
        while isinstance(root, gast.Attribute):
            path.append(root.attr)
            root = root.value
        found = self._space.get(root.id) if isinstance(root, gast.Name) else None
        for name in reversed(path):
            found = vars(found).get(name) if isinstance(found, ModuleType) else None
        return found

    def visit_Assign(self, node: Any) -> Any:
        targets = [*node.targets]
        self.generic_visit(node)
        node.value = as_made(targets, node.value, self._written)
        if any(isinstance(each, (gast.Tuple, gast.List)) for each in targets):
            node.value = self.seen(node.value)
        return node

    def visit_AnnAssign(self, node: Any) -> Any:
        self.generic_visit(node)
        if node.value is not None:
            node.value = as_made([node.target], node.value, self._written)
        return node

    # Inside its class, `self.__rate` is `self._Model__rate`; the copy is outside.

    def visit_Attribute(self, node: Any) -> Any:
        self._unmangle(node)
        self.generic_visit(node)
        if isinstance(node.ctx, gast.Store) and self.asks:
            name = constant(node.attr)
            node.value = capture_call("setting", node.value, name, at=node.value)
            return node
        if not isinstance(node.ctx, gast.Load):
            return self._holding(node, "holder")
        if node.attr in ARRAY_MEMBERS and not self.asks:
            return node
        if is_known(node, self._known):
            return node
        return capture_call("member", node.value, constant(node.attr), at=node)

    # In a pattern only names with dots may stand, no calls.

    def visit_MatchValue(self, node: Any) -> Any:
        self._unmangle_all(node.value)
        return node

    def visit_MatchClass(self, node: Any) -> Any:
        self._unmangle_all(node.cls)
        kind = self._known_at(node.cls)
        if isinstance(kind, type) and kind in MATCHED_KINDS:
            at = node.cls
            patterns = capture_method("patterns")
            node.cls = placed(gast.Attribute(patterns, kind.__name__, gast.Load()), at)
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
                node.value = self.seen(node.value)
                return node
            return capture_call("concatenated", node.value, node.slice, at=node)
        is_stored = isinstance(node.ctx, gast.Store)
        return self._holding(node, "target" if is_stored else "dropping")

    # What operators, tests, loops and the like do with objects of the user's; and
    # `R @ [x, y]`: NumPy would look for numbers in the list.

    def visit_BinOp(self, node: Any) -> Any:
        if is_number(node, self.counters):
            return node
        symbol = list_operator(node, self.lists, self._known)
        self.generic_visit(node)
        if isinstance(node.op, gast.Mod):  # of texts, that is known by its instruction
            node.left, node.right = self.seen(node.left), self.seen(node.right)
            return node
        if symbol is None and not self.asks:
            return node
        symbol = constant(type(node.op).__name__)
        return capture_call("operated", symbol, node.left, node.right, at=node)

    def visit_Compare(self, node: Any) -> Any:
        symbol = list_operator(node, self.lists, self._known)
        self.generic_visit(node)
        if symbol is not None:
            sides = node.left, *node.comparators
            return capture_call("operated", constant(symbol), *sides, at=node)
        if any(isinstance(each, IDENTITY) for each in node.ops):
            return node
        node.left, *node.comparators = map(self.seen, (node.left, *node.comparators))
        return node

    def visit_AugAssign(self, node: Any) -> Any:
        target = node.target
        node.value = self.visit(node.value)
        if isinstance(target, gast.Subscript):
            item = self.visit(target.value)
            target.slice = self.visit(target.slice)
            target.value = capture_call("updated", item, at=item)
            node.value = self.seen(node.value)
            return node
        names: list[str] = []
        owner = target
        while isinstance(owner, gast.Attribute):
            names.insert(0, self._mangled.get(owner.attr, owner.attr))
            owner = owner.value
        if not isinstance(owner, gast.Name):
            node.target = self.visit(target)
            return node
        item = name_read(self._mangled.get(owner.id, owner.id))
        path = constant(tuple(names))
        value = capture_call("changing", item, path, node.value, at=node)
        if not self.asks:
            node.target, node.value = self.visit(target), value
            return node
        before = self.visit(read(target))
        symbol = constant(type(node.op).__name__)
        value = capture_call("in_place", symbol, before, value, at=node)
        made = gast.Assign(targets=[self.visit(target)], value=value, type_comment=None)
        return placed(made, node)

    def _holding(self, node: Any, method: str) -> Any:
        """The same target, with a note of what is stored into."""
        node.value = capture_call(method, node.value, at=node.value)
        return node

    def _unmangle(self, node: Any) -> None:
        node.attr = self._mangled.get(node.attr, node.attr)

    def visit_Name(self, node: Any) -> Any:
        node.id = self._mangled.get(node.id, node.id)
        return node
