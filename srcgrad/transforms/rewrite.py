"""How passes change a graph: terms, and the loop that puts them in place of nodes.

``rewrite`` is the loop of every peephole pass. It offers each node to a function, which
answers with the ``Term`` that shall stand in its place, or None:

>>> import numpy as np
>>> x, h, y = (Value((3,), np.dtype(float), name) for name in "xhy")
>>> graph = Graph((x,), (Node(np.exp, (x,), out=h), Node(np.square, (h,), out=y)), (y,))
>>> def unsquare(node, _):
...     h = Term.of(node.args[0])
...     return h * h if node.function is np.square else None
>>> print(rewrite(graph, unsquare))
h = exp(x)
y = multiply(h, h)
return y
"""

import functools
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from srcgrad.facts import Operation, facts_of
from srcgrad.graph import Graph, Joint, Program
from srcgrad.policy import MOST_REWRITES
from srcgrad.steps import Guard, Node, Step, Value, values_in
from srcgrad.transforms.reading import (
    callers_memory,
    decisive,
    exposed,
    may_copy,
    read_late,
    uses,
)


class NoLoopError(Exception):
    """NumPy does not compute this for operands of these dtypes: ``-x`` of a bool."""


def with_nodes(
    graph: Program, nodes: Iterable[Step], replaced: Mapping[Value, Value]
) -> Program:
    """The graph with other nodes, and with replaced results.

    If what was replaced had a name, and what replaces it has none, it keeps the name.
    But nothing in the forward graph is called after a gradient.
    """
    nodes = tuple(nodes)
    given = set(graph.given)
    pairs = [
        (old, new)
        for old, new in replaced.items()
        if _has_more_names(old, new) and new not in given
    ]
    if pairs:
        late = _made_in_backward((*graph.nodes, *nodes))
        named = {
            new: replace(new, name=new.name or old.name, hint=new.hint or old.hint)
            for old, new in pairs
            if new in late or old not in late
        }
        nodes = tuple([node.renamed(named) for node in nodes])
        replaced = {old: named.get(new, new) for old, new in replaced.items()} | named
    return graph.with_nodes(nodes, replaced)


def _made_in_backward(nodes: Iterable[Step]) -> set[Value]:
    return {
        value
        for node in nodes
        if type(node) is Node and node.in_backward
        for value in node.results
    }


def _has_more_names(old: Value, new: Value) -> bool:
    """Whether a value has a name, or a hint of one, that its replacement lacks."""
    return bool((old.name and not new.name) or (old.hint and not new.hint))


# ----- Terms -----
class Term(NDArrayOperatorsMixin):
    """An expression on its way into a graph: NumPy on it gives a larger one.

    Without a function it is the Value that there already is.
    """

    __slots__ = ("args", "function", "kwargs", "out")

    def __init__(
        self,
        out: Value,
        function: Operation | None = None,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        self.out = out
        self.function = function
        self.args = args
        self.kwargs = kwargs or {}

    @classmethod
    def of(cls, item: Any) -> Any:
        """A Value as a Term, anything else as it is."""
        return cls(item) if type(item) is Value else item

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any
    ) -> Any:
        if method != "__call__" or kwargs:
            return NotImplemented
        return elementwise(ufunc, *inputs)

    # What most formulas consist of, at once.
    def __mul__(self, other: Any) -> Any:
        return elementwise(np.multiply, self, other)

    def __rmul__(self, other: Any) -> Any:
        return elementwise(np.multiply, other, self)

    def __truediv__(self, other: Any) -> Any:
        return elementwise(np.divide, self, other)


def elementwise(ufunc: np.ufunc, *args: Any) -> Term:
    """A call of a ufunc, which is all that a Term's operators make."""
    return Term(result_of(ufunc, args), ufunc, args)


def call(like: Value, function: Operation, *args: Any, **kwargs: Any) -> Term:
    """A call of any function whose result is of the kind of a Value that there is."""
    return Term(Value(like.shape, like.dtype, None, like.kind), function, args, kwargs)


def result_of(ufunc: np.ufunc, args: Iterable[Any]) -> Value:
    """What a ufunc makes of Values, Terms and numbers by NumPy's promotion."""
    shape: tuple[int, ...] = ()
    types = []
    for arg in args:
        item = arg.out if isinstance(arg, Term) else arg
        types.append(_promoted(item))
        if type(item) is Value and item.shape and item.shape != shape:
            shape = np.broadcast_shapes(shape, item.shape) if shape else item.shape
    dtype = _resolved(ufunc, tuple(types))
    return Value(shape, dtype, None, "array" if shape else "scalar")


def _promoted(item: Any) -> Any:
    """What promotion sees of an operand: its dtype, or a Python number's type."""
    kind = type(item)
    if kind is Value:
        return item.dtype if item.kind != "float" else item.promoted
    return kind if kind in (int, float, complex) else np.result_type(item)


@functools.lru_cache(maxsize=4096)
def _resolved(ufunc: np.ufunc, types: tuple[Any, ...]) -> np.dtype[Any]:
    try:
        return ufunc.resolve_dtypes((*types, None))[-1]
    except TypeError as error:
        raise NoLoopError(str(error)) from None


# ----- The loop of a peephole pass -----
Simplifier = Callable[[Node, "Rewriter"], Term | None]


def rewrite(
    graph: Program, simplify: Simplifier, of: Collection[Operation] | None = None
) -> Program:
    """Offer each node to ``simplify``, new ones too, and put its Terms in their place.

    A Term is refused where it would not be of the same kind, shape and dtype, or where
    the caller could tell it by its memory. Nodes that nobody wants any more go.
    ``of`` are the functions of the nodes that it knows something of; None: of any.
    """
    functions = graph.functions if of is None else graph.functions.intersection(of)
    if not functions:
        return graph
    rewriter = Rewriter(graph, simplify, functions)
    rewriter.run()
    if not rewriter.changed:
        return graph
    return with_nodes(graph, rewriter.wanted(), rewriter.replaced)


class Rewriter:
    """The state of ``rewrite``: the new nodes so far.

    ``definition`` gives the node that defines a Value, ``uses`` how many want that.
    """

    def __init__(self, graph: Graph, simplify: Simplifier, of: Collection[Any]) -> None:
        self.graph = graph
        self.simplify = simplify
        self.of = of
        self.definition: dict[Value, Node] = {}
        self.uses = uses(graph)
        self.exposed = exposed(graph)
        self.residuals = set(graph.residuals) if isinstance(graph, Joint) else set()
        self.is_in_backward = False
        self.nodes: list[Step] = []
        self.replaced: dict[Value, Value] = {}
        self.changed = False
        # What simplifiers have found out of Values, by whatever that depends on.
        self.learnt: dict[Any, Any] = {}

    @functools.cached_property
    def decisive(self) -> set[Value]:
        """See ``decisive``; few graphs ever ask."""
        return set(decisive(self.graph))

    @functools.cached_property
    def callers(self) -> frozenset[Value]:
        """See ``callers_memory``."""
        return callers_memory(self.graph)

    @functools.cached_property
    def read_late(self) -> frozenset[Value]:
        """See ``read_late``."""
        return read_late(self.graph)

    @functools.cached_property
    def numbers(self) -> set[Value]:
        """The 0-d arrays that are read as numbers alone: scalars would do."""
        seen = set(self.graph.results)
        if isinstance(self.graph, Joint) and self.graph.derives:
            seen -= set(self.graph.gradients) - set(self.graph.outputs)
        for step in self.graph.nodes:
            if type(step) is Guard or not facts_of(step.function).elementwise:
                seen.update(step.inputs)
        made = (value for step in self.graph.nodes for value in step.results)
        return {v for v in made if v.kind == "array" and not v.shape} - seen

    @functools.cached_property
    def only_user(self) -> dict[Value, Step | None]:
        """See ``Graph.only_users``: as recorded; few graphs ever ask."""
        return self.graph.only_users()

    def run(self) -> None:
        """Offer each node to ``simplify`` that it knows something of."""
        replaced, of = self.replaced.keys(), self.of
        for step in self.graph.nodes:
            if replaced and not replaced.isdisjoint(step.inputs):
                step = step.with_values(self.replaced)
            if type(step) is Guard or step.function not in of:
                self.nodes.append(step)
                if type(step) is Node and type(step.out) is Value:
                    self.definition[step.out] = step
            else:
                self.place(step)

    def wanted(self) -> list[Step]:
        """The nodes that somebody wants, after all."""
        used: set[Any] = {value for value, count in self.uses.items() if count}
        return [
            node
            for node in self.nodes
            if type(node) is Guard
            or node.has_effect
            or node.out in used  # as of most
            or not used.isdisjoint(node.results)
        ]

    def maker(self, item: Any) -> Node | None:
        """The node that makes an operand; None if none does, or with keywords only.

        To the backward graph that is unknown if it was made of the caller's arrays, and
        kept: by then they may have changed.
        """
        if type(item) is not Value or item not in self.definition:
            return None
        node = self.definition[item]
        if not node.args:
            return None
        if self.is_in_backward and item in self.residuals and may_copy(node):
            return node if self.callers.isdisjoint(node.inputs) else None
        return node

    def made_by(self, function: Operation, item: Any) -> Node | None:
        """The node that makes an operand, if that calls a function."""
        known = self.definition
        if type(item) is not Value or item not in known:
            return None
        return self.maker(item) if known[item].function is function else None

    def maker_in_forward(self, item: Any) -> Node | None:
        """The node that has made an operand while all was as it is in the call."""
        node = self.definition.get(item) if type(item) is Value else None
        return None if node is None or node.in_backward or not node.args else node

    def place(self, node: Node) -> None:
        """Add a node, in its simplest form."""
        out = node.out
        self.is_in_backward = node.in_backward
        if type(out) is Value:
            for _ in range(MOST_REWRITES):
                try:
                    term = self.simplify(node, self)
                except NoLoopError:
                    break
                if term is None or not self._allows(node, out, term):
                    break
                self.changed = True
                if term.function is None:
                    self.replaced[out] = term.out
                    self.uses[term.out] += self.uses[out]
                    self._release(node)
                    return
                self._retain(term)
                self._release(node)
                if term.out.kind != out.kind:
                    out = self._as_number(out)
                node = self._built(term, out, node)
            self.definition[out] = node
        self.nodes.append(node)

    def _as_number(self, array: Value) -> Value:
        """What stands for a 0-d array that is one no more."""
        number = self.replaced[array] = replace(array, kind="scalar")
        self.uses[number] = self.uses[array]
        return number

    def _allows(self, node: Node, out: Value, term: Term) -> bool:
        is_view = term.function is None or bool(facts_of(term.function).view)
        if out in self.exposed and (is_view or node.shares_memory):
            return False
        if is_view and self._is_of_callers(term) and self._is_kept(node, out):
            return False
        new = term.out
        if (new.shape, new.dtype) != (out.shape, out.dtype):
            return False
        return new.kind == out.kind or (new.kind == "scalar" and out in self.numbers)

    def _is_kept(self, node: Node, out: Value) -> bool:
        """Whether the backward graph, or a replay, may get a copy of what there was."""
        return may_copy(node) and (out in self.residuals or out in self.read_late)

    def _is_of_callers(self, term: Term) -> bool:
        """Whether a Term, a view or no more than a Value, is in the caller's memory."""
        sources = [term] if term.function is None else [Term.of(a) for a in term.args]
        return any(
            isinstance(source, Term) and source.out in self.callers
            for source in sources
        )

    def _built(self, term: Term, out: Value, old: Node) -> Node:
        assert term.function is not None
        args = []
        for arg in term.args:
            if isinstance(arg, Term):
                if arg.function is not None and arg.out not in self.definition:
                    if out in self.decisive:
                        self.decisive.add(arg.out)
                    self.place(self._built(arg, arg.out, old))
                arg = self.replaced.get(arg.out, arg.out)
            args.append(arg)
        must_run = old.must_run and out is old.out
        place = old.where, old.in_backward, must_run
        return Node(term.function, tuple(args), term.kwargs, out, *place)

    def _retain(self, term: Term) -> None:
        """Note what a Term wants, and what the new Values in it do."""
        seen = {term.out}
        new = [term]
        while new:
            for arg in new.pop().args:
                if isinstance(arg, Term):
                    self.uses[arg.out] += 1
                    if arg.function is not None and arg.out not in seen:
                        seen.add(arg.out)
                        new.append(arg)
                else:
                    self.uses.update(values_in(arg))

    def _release(self, node: Node) -> None:
        """Take back what a node wanted, and all that is wanted no more for that."""
        dead = [node]
        while dead:
            for value in dead.pop().inputs:
                self.uses[value] -= 1
                maker = self.definition.get(value)
                if maker and not self.uses[value] and not maker.has_effect:
                    dead.append(maker)
