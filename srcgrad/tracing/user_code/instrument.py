"""The instrumented copy of a user's function.

Its source is parsed again, and whatever could read its environment or give a
result its name becomes a call of ``__srcgrad__`` (``capture``), which does the same
thing and notes it. So

    h = np.tanh(x @ W)

becomes

    h = __srcgrad__.named('h', __srcgrad__.call(
        __srcgrad__.environment_attribute('np', np, 'tanh'), x @ W))
"""

from collections.abc import Callable, Sequence
from types import CellType, CodeType, FunctionType
from typing import Any

import gast

from srcgrad.codes import PerCode, per_code
from srcgrad.tracing.arrays.concatenators import is_named_concatenator
from srcgrad.tracing.user_code.arm_appends import append_later
from srcgrad.tracing.user_code.arm_attributes import set_later
from srcgrad.tracing.user_code.arm_breaks import break_later
from srcgrad.tracing.user_code.arms import Arms, branch, plain_ifs
from srcgrad.tracing.user_code.built_lists import Flags, lists_in
from srcgrad.tracing.user_code.comprehensions import (
    as_function,
    comprehensions_in,
    is_summed,
    names_of,
)
from srcgrad.tracing.user_code.conditional_expressions import (
    as_comparison,
    as_test,
    conditional,
)
from srcgrad.tracing.user_code.copies import (
    CAPTURE,
    capture_call,
    capture_method,
    compile_definition,
    constant,
    drop_annotations,
    is_copied,
    name_read,
    without_defaults,
)
from srcgrad.tracing.user_code.counters import Limit
from srcgrad.tracing.user_code.list_operands import OPERATORS, operation_of
from srcgrad.tracing.user_code.loop_names import LoopNames
from srcgrad.tracing.user_code.matching import as_conditions
from srcgrad.tracing.user_code.plain_text import (
    continuing_last,
    is_expression,
    is_plain_definition,
    returned,
    returning_last,
)
from srcgrad.tracing.user_code.scopes import (
    bound_names,
    ends_early,
    last_test,
    may_leave,
    rebound_names,
    stored_names,
)
from srcgrad.tracing.user_code.sources import Uninstrumentable, definition_of
from srcgrad.tracing.user_code.syntax_trees import (
    Transformer,
    nodes_in,
    placed,
    statements_in,
)
from srcgrad.tracing.user_code.written_names import (
    as_made,
    kept_calls,
    known_names,
    written_names,
)

# The code of functions whose attributes stay in the arms that set them.
_set_in_arms: PerCode[bool] = PerCode()

UNSUPPORTED: dict[str, str] = {
    "Await": "is async",
    "AsyncFunctionDef": "is async",
    "AsyncFor": "is async",
    "AsyncWith": "is async",
    "ClassDef": "defines a class",
    "TryStar": "has a `try` statement with groups",
}


def instrument(function: FunctionType, capture: Any) -> FunctionType:
    """Copy a function so that reads of its environment go through ``capture``.

    Raises
    ------
    Uninstrumentable
        If there is no source, or it has a construct that is not followed.
    """
    stays = _set_in_arms.get(function.__code__)
    code = _instrumented_as_it_is(function) if stays else _instrumented_code(function)
    cells = dict(
        zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    )
    cells[CAPTURE] = CellType(capture)
    closure = tuple(cells[name] for name in code.co_freevars)
    copy = FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, closure
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__qualname__ = function.__qualname__
    return copy


def is_instrumented(function: Any) -> bool:
    """Whether a function is such a copy, or was defined inside one."""
    return isinstance(function, FunctionType) and is_copied(function.__code__)


def leave_in_arms(code: CodeType) -> None:
    """Have copies of a function set in arms what it sets there."""
    _set_in_arms.put(code, True)


@per_code
def _instrumented_code(function: FunctionType) -> CodeType:
    return _instrumented(function, set_later)


@per_code
def _instrumented_as_it_is(function: FunctionType) -> CodeType:
    return _instrumented(function, lambda _: set())


def _instrumented(
    function: FunctionType, set_later: Callable[[Any], set[Any]]
) -> CodeType:
    code = function.__code__
    node, known = definition_of(code), known_names(function.__globals__)
    append_later(node)
    break_later(node)
    held = set_later(node)
    nodes = nodes_in(node)
    lists = lists_in(node)
    written, kept = written_names(nodes, known), kept_calls(nodes, known)
    if lists:
        # What such a list gets is not written into, if what it gives is not.
        others = written_names([each for each in nodes if each not in lists], known)
        names = {each.func.value.id for each in lists if isinstance(each, gast.Call)}
        written = written if names & others else others
    lists |= dict.fromkeys(comprehensions_in(nodes), ())
    instrumenter = _Instrumenter(code.co_filename, written, kept, lists, held)
    definition = instrumenter.definition(node)
    return compile_definition(definition, code)


# ----- Rewriting it -----


class _Instrumenter(Transformer):
    """Rewrites one definition; ``_scopes`` are the names bound around where it is.

    ``written`` and ``kept`` are the arrays that it may write into (``written_names``),
    ``lists`` what has to do with those that loops fill (``filled_lists``), ``held``
    attributes that have a name while an ``if`` runs.
    """

    def __init__(
        self,
        filename: str,
        written: set[str],
        kept: set[Any],
        lists: dict[Any, Flags],
        held: set[Any],
    ) -> None:
        self._filename = filename
        self._written, self._kept, self._lists = written, kept, lists
        self._held = held
        self._scopes: list[set[str]] = []
        # The names that each function around declares `global`, or `nonlocal` of what
        # is outside of the definition.
        self._rebound: list[set[str]] = []
        # The `if` statements of which both arms may be run.
        self._plain: dict[Any, Arms] = {}
        # Where what counts the iterations of a loop is compared.
        self._limits: dict[Any, Limit] = {}
        # Calls that say along what a loop goes which may end before.
        self._joined: dict[Any, str] = {}

    def definition(self, node: Any) -> Any:
        """Instrument the outermost ``def`` or ``lambda``."""
        without_defaults(node)
        self._names = LoopNames(node)
        arguments = [*node.args.posonlyargs, *node.args.args]
        self._first = arguments[0].id if arguments else ""
        if not isinstance(node, gast.Lambda):
            node.decorator_list = []
        return self._function(node)

    def _unsupported(self, node: Any) -> Any:
        self._refuse(node, UNSUPPORTED[type(node).__name__])
        return node

    visit_Await = visit_AsyncFunctionDef = visit_AsyncFor = visit_AsyncWith = (
        _unsupported
    )
    visit_ClassDef = visit_TryStar = _unsupported

    # Scopes

    def _function(self, node: Any) -> Any:
        drop_annotations(node.args)
        rebound = rebound_names(node)
        around = set().union(*self._scopes) if self._scopes else set()
        outer = {
            name
            for name, is_global in rebound.items()
            if is_global or name not in around
        }
        self._rebound.append(outer)
        self._scopes.append(bound_names(node) - rebound.keys())
        if isinstance(node, gast.Lambda):
            node.body = self.visit(node.body)
        else:
            node.body = _with_arms(node.body)
            self._plain |= plain_ifs(node, self._scopes[-1])
            node.body = [new for stmt in node.body for new in self._statement(stmt)]
        self._scopes.pop()
        self._rebound.pop()
        return node

    def _statement(self, statement: Any) -> list[Any]:
        result = self.visit(statement)
        return result if isinstance(result, list) else [result]

    def visit_FunctionDef(self, node: Any) -> Any:
        decorators = [self.visit(each) for each in node.decorator_list]
        node.decorator_list = []
        node.args.defaults = [self.visit(d) for d in node.args.defaults]
        node.args.kw_defaults = [d and self.visit(d) for d in node.args.kw_defaults]
        node.returns = None
        is_plain = not decorators and is_plain_definition(node)
        self._function(node)
        made: Any = name_read(node.name)
        if is_plain:
            note = gast.Expr(capture_call("plain", made, at=node))
            return [node, placed(note, node)]
        for decorator in reversed(decorators):
            made = capture_call("call", decorator, made, at=node)
        if not decorators:
            return node
        target = gast.Name(node.name, gast.Store(), None, None)
        return [node, placed(gast.Assign([target], made, None), node)]

    def visit_Lambda(self, node: Any) -> Any:
        node.args.defaults = [self.visit(d) for d in node.args.defaults]
        node.args.kw_defaults = [d and self.visit(d) for d in node.args.kw_defaults]
        is_plain = is_plain_definition(node)
        self._function(node)
        return capture_call("plain", node, at=node) if is_plain else node

    def _loop(self, method: str, node: Any, *more: Any) -> Any:
        """A comprehension as a loop that the capture runs."""
        (loop,) = node.generators
        self._plain_target(loop.target)
        name = constant(names_of(loop.target))
        is_range = _is_range(loop.iter) and isinstance(loop.target, gast.Name)
        parts = [loop.iter.func, *loop.iter.args] if is_range else [loop.iter]
        self._join(loop.iter, False)
        iterable = map(self.visit, parts)
        self._scopes.append({*stored_names(loop.target)})
        function = as_function(loop.target, self.visit(node.elt))
        self._scopes.pop()
        given = function, name, constant(is_range), *iterable
        return capture_call(method, *more, *given, at=node)

    def _comprehension(self, node: Any) -> Any:
        if node in self._lists:
            return self._loop("listed", node)
        for generator in node.generators:
            self._plain_target(generator.target)
        # What a generator does lies among what its consumer does.
        is_run_at_once = not isinstance(node, gast.GeneratorExp)
        # The first iterable belongs to the scope around: in `[w for w in w]` the last
        # `w` is not the first.
        first = node.generators[0]
        iterable, first.iter = self.visit(first.iter), constant(None)
        if is_run_at_once:
            iterable = _iterations(first.target, iterable)
        self._scopes.append(
            {name for g in node.generators for name in stored_names(g.target)}
        )
        self.generic_visit(node)
        self._scopes.pop()
        first.iter = iterable
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = _comprehension
    visit_GeneratorExp = _comprehension

    # CapturedReads

    def visit_Name(self, node: Any) -> Any:
        if not isinstance(node.ctx, gast.Load):
            return node
        if node in self._lists:
            return capture_call("as_list", node, at=node)
        if self._is_local(node.id):
            return node
        return capture_call("environment", constant(node.id), node, at=node)

    def _is_local(self, name: str) -> bool:
        return any(name in scope for scope in self._scopes)

    def visit_Attribute(self, node: Any) -> Any:
        owner, attr = node.value, constant(node.attr)
        if node in self._held:
            return capture_call("held", self.visit(owner), attr, at=node)
        if type(owner) is gast.Name and not self._is_local(owner.id):  # as `np`
            return capture_call(
                "environment_attribute", constant(owner.id), owner, attr, at=node
            )
        return capture_call("attribute", self.visit(owner), attr, at=node)

    def visit_Call(self, node: Any) -> Any:
        if isinstance(node.func, gast.Name) and node.func.id == "super":
            return self._super(node)
        if node in self._lists:
            item = self.visit(node.args[0])
            return capture_call("collect", node.func.value, item, at=node)
        if is_summed(node):
            is_list = constant(isinstance(node.args[0], gast.ListComp))
            function = self.visit(node.func)
            return self._loop("summed", node.args[0], function, is_list)
        made = node in self._kept
        node.args = [self.visit(node.func), *map(self.visit, node.args)]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        node.func = capture_method(self._joined.get(node, "call"))
        return capture_call("made", node, at=node) if made else node

    def visit_List(self, node: Any) -> Any:
        self.generic_visit(node)
        if node not in self._lists:
            return node
        flags = map(constant, self._lists[node])
        return capture_call("new_list", node, *flags, at=node)

    def _super(self, node: Any) -> Any:
        if node.args or len(self._scopes) != 1 or not self._first:
            self._refuse(node, "calls `super` in a way that is not followed")
        names = name_read("__class__"), name_read(self._first)
        return capture_call("parent", *names, at=node)

    def visit_Subscript(self, node: Any) -> Any:
        is_named = is_named_concatenator(node.value)
        self.generic_visit(node)
        if not isinstance(node.ctx, gast.Load):
            return node
        method = "concatenated" if is_named else "item"
        return capture_call(method, node.value, node.slice, at=node)

    # What may go another way than what was seen.

    def visit_If(self, node: Any) -> Any:
        arms = self._plain.get(node)
        test = node.test
        if arms is not None and (opposite := _opposite(test)) is not None:
            node.test = opposite
            node.body, node.orelse = node.orelse, node.body
        if arms is None:
            return self.generic_visit(node)
        is_plain = is_expression(test)
        test = as_test(node.test, self.visit) if is_plain else self.visit(node.test)
        node.test = constant(None)
        self.generic_visit(node)
        node.test = test
        return branch(node, arms)

    def visit_IfExp(self, node: Any) -> Any:
        if not is_expression(node):
            return self.generic_visit(node)
        node.test = as_test(node.test, self.visit)
        node.body, node.orelse = self.visit(node.body), self.visit(node.orelse)
        return conditional(node)

    def visit_Try(self, node: Any) -> Any:
        for handler in node.handlers:
            self._handler(handler)
        if any(may_leave(statement) for statement in node.finalbody):
            self._refuse(node, "leaves a `finally` by `return`, `break` or `continue`")
        for part in ("body", "orelse", "finalbody"):
            body = getattr(node, part)
            setattr(node, part, [new for each in body for new in self._statement(each)])
        if not node.handlers:
            return node
        return [placed(gast.Expr(capture_call("tries", at=node)), node), node]

    def _handler(self, handler: Any) -> None:
        """``except ...:`` of an error that is foreseen; any other is the end."""
        if handler.type is not None:
            handler.type = self.visit(handler.type)
        is_named, handler.name = handler.name is not None, None
        try:
            body = [new for each in handler.body for new in self._statement(each)]
        except Uninstrumentable:
            is_named, body = True, []
        caught = gast.Expr(capture_call("caught", constant(is_named), at=handler))
        handler.body = [placed(caught, handler), *body]

    def visit_Match(self, node: Any) -> Any:
        def body_of(case: Any) -> list[Any]:
            return [new for each in case.body for new in self._statement(each)]

        return as_conditions(node, self.visit, body_of)

    def visit_ImportFrom(self, node: Any) -> Any:
        if node.level or node.names[0].name == "*":
            self._refuse(node, "imports from its own package inside the function")
        stores = []
        for alias in node.names:
            name = alias.asname or alias.name
            given = constant(node.module), constant(alias.name), name_read(name)
            call = capture_call("imported", *given, at=node)
            target = gast.Name(name, gast.Store(), None, None)
            stores.append(placed(gast.Assign([target], call, None), node))
        return [node, *stores]

    def visit_JoinedStr(self, node: Any) -> Any:
        parts = [self._part(part, node) for part in node.values]
        return capture_call("formatted", *parts, at=node)

    def _part(self, part: Any, at: Any) -> Any:
        """A part of an f-string: text, or ``(value, conversion, spec)``."""
        if not isinstance(part, gast.FormattedValue):
            return self.visit(part)
        conversion = constant(chr(part.conversion) if part.conversion > 0 else "")
        spec = part.format_spec
        spec = constant("") if spec is None else self.visit(spec)
        elements = [self.visit(part.value), conversion, spec]
        return placed(gast.Tuple(elements, gast.Load()), at)

    def visit_BinOp(self, node: Any) -> Any:
        symbol, _ = operation_of(node)
        node.left, node.right = self.visit(node.left), self.visit(node.right)
        if isinstance(node.op, gast.Mod):
            return capture_call("remainder", node.left, node.right, at=node)
        if symbol is None:
            return node
        return capture_call(
            "operated", constant(symbol), node.left, node.right, at=node
        )

    def visit_Compare(self, node: Any) -> Any:
        if not any(isinstance(op, (gast.Is, gast.IsNot)) for op in node.ops):
            limit = self._limits.get(node)
            symbol = type(node.ops[0]).__name__
            is_one = len(node.ops) == 1 and symbol in OPERATORS
            node.left = self._compared(node.left)
            node.comparators = [
                self._compared(each, isinstance(op, (gast.In, gast.NotIn)))
                for op, each in zip(node.ops, node.comparators, strict=True)
            ]
            if is_one and limit is None:
                sides = node.left, *node.comparators
                return capture_call("operated", constant(symbol), *sides, at=node)
            if limit is None:
                return node
            order = constant(type(node.ops[0]).__name__)
            sides = node.left, *node.comparators
            return capture_call("limit", constant(tuple(limit)), order, *sides, at=node)
        if len(node.ops) > 1:
            self._refuse(node, "compares by identity in a chain")
        pair = self.visit(node.left), self.visit(node.comparators[0])
        same = capture_call("same", *pair, at=node)
        if isinstance(node.ops[0], gast.Is):
            return same
        return placed(gast.UnaryOp(op=gast.Not(), operand=same), node)

    def _compared(self, node: Any, is_searched: bool = False) -> Any:
        visited = self.visit(node)
        if isinstance(node, gast.Constant):
            return visited
        return capture_call("searched" if is_searched else "compared", visited, at=node)

    # Errors: what is raised, and with which words, is left to the run on the tape.

    def visit_Raise(self, node: Any) -> Any:
        return placed(gast.Expr(value=capture_call("raises", at=node)), node)

    def visit_Assert(self, node: Any) -> Any:
        node.msg = None
        return self.generic_visit(node)

    # Writes

    def visit_Assign(self, node: Any) -> Any:
        value = as_made(node.targets, self.visit(node.value), self._written)
        (*others, target) = node.targets
        if not others and self._is_stored(target):
            return self._store(target, value, node)
        if not others and isinstance(target, gast.Name):
            node.value = capture_call("named", constant(target.id), value, at=node)
            return node
        node.value = value
        stores = self._unpacked(node.targets, node)
        for each in node.targets:
            self._plain_target(each)
        names = [name for target in node.targets for name in stored_names(target)]
        own = [name for name in names if not name.startswith(CAPTURE)]
        return [node, *(_naming(name, node) for name in own), *stores]

    def _is_stored(self, target: Any) -> bool:
        """Whether an assignment is to something else than a local name."""
        if isinstance(target, gast.Name):
            return target.id in self._rebound[-1]
        return isinstance(target, (gast.Subscript, gast.Attribute))

    def _store(self, target: Any, value: Any, at: Any) -> Any:
        """``target = value`` as a call, which evaluates in Python's order."""
        if isinstance(target, gast.Subscript):
            place = self.visit(target.value), self.visit(target.slice)
            call = capture_call("store", value, *place, at=at)
        elif isinstance(target, gast.Attribute):
            owner = self.visit(target.value)
            method = "put_back" if target in self._held else "store_attribute"
            call = capture_call(method, value, owner, constant(target.attr), at=at)
        else:
            call = capture_call("rebind", constant(target.id), value, at=at)
        return placed(gast.Expr(value=call), at)

    def _unpacked(self, targets: list[Any], at: Any) -> list[Any]:
        """Stores for the targets in ``a[i], b.c = ...``, each of which gets a name."""
        stores = []
        for k, each in enumerate(targets):
            if isinstance(each, (gast.Tuple, gast.List)):
                stores += self._unpacked(each.elts, at)
            elif isinstance(each, gast.Starred):
                inner = [each.value]
                stores += self._unpacked(inner, at)
                each.value = inner[0]
            elif self._is_stored(each):
                name = f"{CAPTURE}{each.lineno}_{each.col_offset}"
                stores.append(self._store(each, name_read(name), at))
                targets[k] = gast.Name(name, gast.Store(), None, None)
        return stores

    def visit_AnnAssign(self, node: Any) -> Any:
        if node.value is None:
            return placed(gast.Pass(), node)
        plain = gast.Assign(targets=[node.target], value=node.value, type_comment=None)
        return self.visit(placed(plain, node))

    def visit_AugAssign(self, node: Any) -> Any:
        target, value = node.target, self.visit(node.value)
        symbol = constant(type(node.op).__name__)
        if isinstance(target, gast.Subscript):
            place = self.visit(target.value), self.visit(target.slice)
            call = capture_call("augmented_item", symbol, *place, value, at=node)
            return placed(gast.Expr(value=call), node)
        if isinstance(target, gast.Attribute):
            owner, name = self.visit(target.value), constant(target.attr)
            call = capture_call(
                "augmented_attribute", symbol, owner, name, value, at=node
            )
            return placed(gast.Expr(value=call), node)
        if self._is_stored(target):
            name = constant(target.id)
            before = capture_call("counter", name, name_read(target.id), at=target)
            call = capture_call(
                "augmented", constant(target.id), symbol, before, value, at=node
            )
            return self._store(target, call, node)
        self._plain_target(target)
        read = placed(name_read(target.id), target)
        call = capture_call(
            "augmented", constant(target.id), symbol, read, value, at=node
        )
        changed = gast.Assign(targets=[target], value=call, type_comment=None)
        return placed(changed, node)

    def visit_Delete(self, node: Any) -> Any:
        statements: list[Any] = []
        for target in node.targets:
            if isinstance(target, gast.Subscript):
                place = self.visit(target.value), self.visit(target.slice)
                call = capture_call("delete_item", *place, at=node)
            elif isinstance(target, gast.Attribute):
                owner, name = self.visit(target.value), constant(target.attr)
                call = capture_call("delete_attribute", owner, name, at=node)
            else:
                self._plain_target(target)
                statements.append(placed(gast.Delete([target]), node))
                continue
            statements.append(placed(gast.Expr(value=call), node))
        return statements

    def visit_For(self, node: Any) -> Any:
        self._plain_target(node.target)
        is_read = not self._names.is_unread(node.target)
        is_range = _is_range(node.iter) and isinstance(node.target, gast.Name)
        last = None if node.orelse else last_test(node)
        is_early = ends_early(node)
        names, stepped = self._names.of_loop(node), self._stepping(node)
        if names is not None and (is_range or is_read):
            self._join(node.iter, is_early)
        targets = {*stored_names(node.target)}
        is_live = any(self._names.is_read_later(node, each) for each in targets)
        if is_live:  # what is bound anew in it may be anything in the end
            targets -= set().union(*map(stored_names, node.body))
        self.generic_visit(node)
        is_alike = last is not None and node.body[-1] is last
        if last is not None and is_alike:
            last.test = capture_call("leaves", last.test, at=last.test)
        if names is None or not (is_range or is_read):
            node.iter = _iterations(node.target, node.iter, names)
            return [*stepped, node]
        name = names_of(node.target)
        flags: tuple[bool, ...] = is_early, is_live, is_alike
        method, given = "along", [node.iter]
        if is_range:
            is_left = any(map(may_leave, node.body))
            method, given = "times", node.iter.args
            flags = is_read, is_left, is_live, is_alike
        bound = _without(targets, names)
        known = map(constant, (name, flags, *bound))
        node.iter = capture_call(method, *known, *given, at=node.iter)
        rebinding = self._rebinding(bound[0], node)
        node.body = [*rebinding, *node.body]
        node.orelse = [*rebinding, *node.orelse]
        return [*stepped, node]

    def _join(self, iterable: Any, is_early: bool) -> None:
        """Note the calls that say what a loop goes along, which may end before."""
        method = "joined" if is_early else "in_rows"
        self._joined.update(dict.fromkeys(_joined_in(iterable), method))

    def _rebinding(self, names: Sequence[str], at: Any) -> list[Any]:
        """Bind the names of a loop to what stands for them from now on, if anything."""
        own = [n for n in names if not self._is_stored(_stored(n))]
        if not own:
            return []
        tests = []
        for name in own:
            call = capture_call("bound", constant(name), at=at)
            bind = placed(gast.Assign([_stored(name)], call, None), at)
            test = capture_call("binds", constant(name), at=at)
            tests.append(placed(gast.If(test, [bind], []), at))
        return [placed(gast.If(capture_call("rebinds", at=at), tests, []), at)]

    def visit_While(self, node: Any) -> Any:
        """``for ... in heads: if test: ... else: break``, to see the iterations."""
        names = self._names.of_loop(node)
        if node.orelse or names is None:
            return self.generic_visit(node)
        counters, stepped = self._names.counters(node), self._stepping(node)
        self._limits |= counters.limits
        is_comparison = isinstance(node.test, gast.Compare) and is_expression(node.test)
        self.generic_visit(node)
        if is_comparison:
            node.test = as_comparison(node.test)
        steps = tuple(n for n in counters.steps if n not in counters.read)
        known = tuple(tuple(n for n in each if n not in steps) for each in names)
        test = gast.If(node.test, node.body, [placed(gast.Break(), node)])
        target = gast.Name(f"{CAPTURE}head", gast.Store(), None, None)
        heads = capture_call("heads", *map(constant, (*known, steps)), at=node.test)
        test = placed(test, node)
        rebinding = self._rebinding((*known[0], *steps), node)
        loop = placed(gast.For(target, heads, [*rebinding, test], [], None), node)
        return [*stepped, *(_counting(n, node) for n in sorted(counters.read)), loop]

    def _stepping(self, loop: Any) -> list[Any]:
        """What stands for floats that a loop changes by themselves, in their places."""
        stepped = self._names.stepped(loop)
        if stepped is None:
            return []
        found = []
        for name in stepped.names:
            given = constant(name), name_read(name), constant(stepped.tested)
            call = capture_call("stepping", *given, at=loop)
            found.append(placed(gast.Assign([_stored(name)], call, None), loop))
        return found

    def visit_withitem(self, node: Any) -> Any:
        if node.optional_vars is not None:
            self._plain_target(node.optional_vars)
        self.generic_visit(node)
        manager = node.context_expr
        node.context_expr = capture_call("managed", manager, at=manager)
        return node

    def visit_Global(self, node: Any) -> Any:
        return placed(gast.Pass(), node)

    def visit_Nonlocal(self, node: Any) -> Any:
        own = [name for name in node.names if name not in self._rebound[-1]]
        if not own:
            return placed(gast.Pass(), node)
        node.names = own
        change = gast.Expr(capture_call("changes", at=node))
        return [node, placed(change, node)]

    def _plain_target(self, target: Any) -> None:
        for node in nodes_in(target):
            if isinstance(node, gast.Name) and self._is_stored(node):
                self._refuse(node, f"rebinds the outer name `{node.id}` in passing")
            if isinstance(node, gast.Attribute):
                self._refuse(node, f"changes the attribute `{node.attr}` of an object")
            if isinstance(node, gast.Subscript):
                self._refuse(node, "stores into an object in a compound assignment")

    def _refuse(self, node: Any, reason: str) -> None:
        raise Uninstrumentable(reason, self._filename, getattr(node, "lineno", 0))


class _Lister(_Instrumenter):
    """Goes on after what is not followed, and lists it."""

    def __init__(self, filename: str) -> None:
        super().__init__(filename, set(), set(), {}, set())
        self.reasons: list[str] = []

    def _refuse(self, node: Any, reason: str) -> None:
        line = getattr(node, "lineno", 0)
        self.reasons.append(str(Uninstrumentable(reason, self._filename, line)))


def refusals_in(function: FunctionType) -> list[str]:
    """All that is not followed in the text of a function."""
    lister = _Lister(function.__code__.co_filename)
    try:
        lister.definition(definition_of(function.__code__))
    except Uninstrumentable as reason:  # there is no text
        return [str(reason)]
    return lister.reasons


def _iterations(
    target: Any, iterable: Any, names: tuple[Any, Any] | None = None
) -> Any:
    """What a loop runs over, so that it is noted where its iterations begin."""
    name = target.id if isinstance(target, gast.Name) else None
    known = () if names is None else map(constant, names)
    return capture_call("iterations", constant(name), iterable, *known, at=iterable)


def _naming(name: str, at: Any) -> Any:
    call = capture_call("named", constant(name), name_read(name), at=at)
    return placed(gast.Expr(value=call), at)


def _with_arms(body: list[Any]) -> list[Any]:
    """The body of a function, with what follows an early return in an arm, if plain.

    And so with what follows a ``continue`` in a loop.
    """
    for node in statements_in(body):
        if isinstance(node, (gast.For, gast.While)):
            node.body = continuing_last(node.body)
    changed = returning_last(body)
    is_if = isinstance(changed[-1], gast.If)
    return changed if is_if and returned(changed[-1:]) is not None else body


def _opposite(test: Any) -> Any:
    """The test that holds where one does not, if that is negated."""
    if isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
        return test.operand
    if isinstance(test, gast.Compare) and [*map(type, test.ops)] == [gast.IsNot]:
        return placed(gast.Compare(test.left, [gast.Is()], test.comparators), test)
    return None


def _counting(name: str, at: Any) -> Any:
    """What stands for an integer that begins to count, in its place."""
    call = capture_call("counting", constant(name), name_read(name), at=at)
    return placed(gast.Assign([_stored(name)], call, None), at)


def _stored(name: str) -> Any:
    return gast.Name(name, gast.Store(), None, None)


def _without(targets: set[str], names: Any) -> list[tuple[str, ...]]:
    """The names that a loop binds, and those read later, but for what it runs over.

    That may be among the latter: it is told apart.
    """
    bound, live = names
    return [tuple(each for each in bound if each not in targets), live]


# What a loop may go along, and with which options.
JOINING = {
    "zip": {"strict"},
    "enumerate": {"start"},
    "reversed": set[str](),
    "combinations": {"r"},
    "combinations_with_replacement": {"r"},
    "permutations": {"r"},
    "product": {"repeat"},
}


def _joined_in(node: Any) -> set[Any]:
    """``enumerate(zip(x, y))``: the calls of these, if the names mean that."""
    if not isinstance(node, gast.Call):
        return set()
    is_name = isinstance(node.func, gast.Name)
    function = node.func.id if is_name else getattr(node.func, "attr", "")
    keywords = JOINING.get(function)
    if keywords is None or not {each.arg for each in node.keywords} <= keywords:
        return set()
    if any(isinstance(each, gast.Starred) for each in node.args):
        return set()
    return {node}.union(*map(_joined_in, node.args))


def _is_range(node: Any) -> bool:
    """Whether it is ``range(...)``, if the name means that."""
    is_call = isinstance(node, gast.Call) and isinstance(node.func, gast.Name)
    return is_call and node.func.id == "range" and not node.keywords
