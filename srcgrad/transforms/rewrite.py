"""What the passes share: who needs a value, whose memory it has, and how to replace it.

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
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from srcgrad.facts import NO_VALUE, Operation, facts_of, parameters_of
from srcgrad.graph import Graph, Location, Node, Value, map_values, values_in
from srcgrad.updates import is_basic

# A rule that undoes another would go on for ever; no honest chain is this long.
MOST_REWRITES = 50


# ----- Reading a graph -----
def has_effect(node: Node) -> bool:
    """Whether a node does more than compute its result: a guard, a random draw, ..."""
    return node.out is None or bool(facts_of(node.function).effect)


def nodes_needed(nodes: Iterable[Node], wanted: Iterable[Value]) -> list[Node]:
    """Select the nodes that compute some values, those with an effect included."""
    needed = set(wanted)
    kept = []
    for node in reversed(tuple(nodes)):
        if has_effect(node) or not needed.isdisjoint(node.results):
            needed.update(node.inputs)
            kept.append(node)
    kept.reverse()
    return kept


def shares_memory(node: Node) -> bool:
    """Whether a result may be an argument, or a view of one."""
    if node.function is operator.getitem:
        is_element = isinstance(node.out, Value) and node.out.kind == "scalar"
        return is_basic(node.args[1]) and not is_element
    if node.function is np.einsum:
        return len(node.args) == 2  # of one operand it may make a view
    return bool(facts_of(node.function).view)


def forward_half(graph: Graph) -> list[Node]:
    """The nodes that outputs and effects need; of the latter those before the backward.

    An effect, a guard say, that depends on a cotangent can only come later.
    """
    late = set(graph.cotangents)
    early = []
    for node in graph.nodes:
        if late.isdisjoint(node.inputs):
            early.append(node)
        else:
            late.update(node.results)
    return nodes_needed(early, graph.outputs)


def arrays(values: Iterable[Value]) -> list[Value]:
    """Those that have memory which someone could write to: no scalars."""
    return [value for value in values if value.kind == "array"]


def exposed(graph: Graph) -> set[Value]:
    """The arrays whose memory the caller can see, and write to, through an output.

    What the tape keeps apart in memory must stay apart here, and what it shares must
    stay shared; so no pass puts one of these in another's place.
    """
    seen = set(arrays(graph.outputs))
    for node in reversed(graph.nodes):
        if shares_memory(node) and not seen.isdisjoint(node.results):
            seen.update(arrays(node.inputs))
    return seen


def decisive(graph: Graph) -> set[Value]:
    """The values on which a guard, a comparison or another jump depends.

    There a difference in the last bit can make all the difference; they stay as they
    are on the tape, to the bit.
    """
    found: set[Value] = set()
    for node in reversed(graph.nodes):
        if node.out is None or _jumps(node) or not found.isdisjoint(node.results):
            found.update(node.inputs)
    return found


def _jumps(node: Node) -> bool:
    return facts_of(node.function).steps or (
        any(value.dtype.kind in "biu" for value in node.results)
        and any(value.dtype.kind in "fc" for value in node.inputs)
    )


def arguments(node: Node) -> dict[str, Any]:
    """The arguments by NumPy's names of them, defaults filled in."""
    names, _ = parameters_of(node.function)
    bound = {**names, **dict(zip(names, node.args, strict=False)), **node.kwargs}
    return {
        name: NO_VALUE.get(name) if item is np._NoValue else item
        for name, item in bound.items()
    }


# ----- Changing a graph -----
def substitute(node: Node, replaced: Mapping[Value, Any]) -> Node:
    """The node with other arguments; itself if none of its own is replaced."""
    if replaced.keys().isdisjoint(node.inputs):
        return node

    def new(value: Value) -> Any:
        return replaced.get(value, value)

    args = tuple(map_values(new, arg) for arg in node.args)
    return replace(node, args=args, kwargs=map_values(new, dict(node.kwargs)))


def _has_more_names(old: Value, new: Value) -> bool:
    """Whether a value has a name, or a hint of one, that its replacement lacks."""
    return bool((old.name and not new.name) or (old.hint and not new.hint))


def with_nodes(
    graph: Graph, nodes: Iterable[Node], replaced: Mapping[Value, Value]
) -> Graph:
    """The graph with other nodes, and with replaced results.

    If what was replaced had a name, and what replaces it has none, it keeps the name.
    """
    given = {*graph.inputs, *graph.cotangents, *graph.constants}
    named = {
        new: replace(new, name=new.name or old.name, hint=new.hint or old.hint)
        for old, new in replaced.items()
        if _has_more_names(old, new) and new not in given
    }
    if named:
        nodes = [_renamed(node, named) for node in nodes]
        replaced = {old: named.get(new, new) for old, new in replaced.items()} | named
    return replace(
        graph,
        nodes=tuple(nodes),
        outputs=tuple(replaced.get(value, value) for value in graph.outputs),
        gradients=tuple(
            None if value is None else replaced.get(value, value)
            for value in graph.gradients
        ),
    )


def _renamed(node: Node, named: Mapping[Value, Value]) -> Node:
    node = substitute(node, named)
    if named.keys().isdisjoint(node.results):
        return node
    outs = tuple(named.get(value, value) for value in node.results)
    return replace(node, out=outs if isinstance(node.out, tuple) else outs[0])


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
        return cls(item) if isinstance(item, Value) else item

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any
    ) -> Any:
        if method != "__call__" or kwargs:
            return NotImplemented
        return elementwise(ufunc, *inputs)


def elementwise(ufunc: np.ufunc, *args: Any) -> Term:
    """A call of a ufunc, which is all that a Term's operators make."""
    return Term(result_of(ufunc, args), ufunc, args)


def call(like: Value, function: Operation, *args: Any, **kwargs: Any) -> Term:
    """A call of any function whose result is of the kind of a Value that there is."""
    return Term(Value(like.shape, like.dtype, None, like.kind), function, args, kwargs)


def result_of(ufunc: np.ufunc, args: Iterable[Any]) -> Value:
    """What a ufunc makes of Values, Terms and numbers by NumPy's promotion."""
    items = [arg.out if isinstance(arg, Term) else arg for arg in args]
    shapes = [item.shape for item in items if isinstance(item, Value)]
    shape = np.broadcast_shapes(*shapes)
    dtype = _resolved(ufunc, tuple(map(_promoted, items)))
    return Value(shape, dtype, None, "array" if shape else "scalar")


def _promoted(item: Any) -> Any:
    """What promotion sees of an operand: its dtype, or a Python number's type."""
    if isinstance(item, Value):
        return float if item.kind == "float" else item.dtype
    return type(item) if type(item) in (int, float, complex) else np.result_type(item)


@functools.lru_cache(maxsize=4096)
def _resolved(ufunc: np.ufunc, types: tuple[Any, ...]) -> np.dtype[Any]:
    dtypes = ufunc.resolve_dtypes((*types, None))
    return dtypes[-1]


# ----- The loop of a peephole pass -----
Simplifier = Callable[[Node, "Rewriter"], Term | None]


def rewrite(graph: Graph, simplify: Simplifier) -> Graph:
    """Offer each node to ``simplify``, new ones too, and put its Terms in their place.

    A Term is refused where it would not be of the same kind, shape and dtype, or where
    the caller could tell it by its memory. Nodes that nobody wants any more go.
    """
    return Rewriter(graph, simplify).run()


class Rewriter:
    """The state of ``rewrite``: the new nodes so far.

    ``definition`` gives the node that defines a Value, ``uses`` how many want that.
    """

    def __init__(self, graph: Graph, simplify: Simplifier) -> None:
        self.graph = graph
        self.simplify = simplify
        self.definition: dict[Value, Node] = {}
        self.uses = Counter(value for node in graph.nodes for value in node.inputs)
        self.uses.update(graph.results)
        self.exposed = exposed(graph)
        self.nodes: list[Node] = []
        self.replaced: dict[Value, Value] = {}
        self.changed = False

    @functools.cached_property
    def decisive(self) -> set[Value]:
        """See ``decisive``; few graphs ever ask."""
        return decisive(self.graph)

    def run(self) -> Graph:
        for node in self.graph.nodes:
            self.place(substitute(node, self.replaced) if self.replaced else node)
        if not self.changed:
            return self.graph
        live = [node for node in self.nodes if self._is_live(node)]
        return with_nodes(self.graph, live, self.replaced)

    def _is_live(self, node: Node) -> bool:
        return any(self.uses[value] for value in node.results) or has_effect(node)

    def maker(self, item: Any) -> Node | None:
        """The node that makes an operand; None if none does, or with keywords only."""
        node = self.definition.get(item) if isinstance(item, Value) else None
        return node if node and node.args else None

    def place(self, node: Node) -> None:
        """Add a node, in its simplest form."""
        out = node.out
        if isinstance(out, Value):
            for _ in range(MOST_REWRITES):
                term = self.simplify(node, self)
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
                node = self._built(term, out, node.where)
            self.definition[out] = node
        self.nodes.append(node)

    def _allows(self, node: Node, out: Value, term: Term) -> bool:
        if out in self.exposed and (
            term.function is None or facts_of(term.function).view or shares_memory(node)
        ):
            return False
        new = term.out
        return (new.shape, new.dtype, new.kind) == (out.shape, out.dtype, out.kind)

    def _built(self, term: Term, out: Value, where: Location | None) -> Node:
        assert term.function is not None
        args = []
        for arg in term.args:
            if isinstance(arg, Term):
                if arg.function is not None and arg.out not in self.definition:
                    if out in self.decisive:
                        self.decisive.add(arg.out)
                    self.place(self._built(arg, arg.out, where))
                arg = self.replaced.get(arg.out, arg.out)
            args.append(arg)
        return Node(term.function, tuple(args), term.kwargs, out, where)

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
                if not self.uses[value] and value in self.definition:
                    dead.append(self.definition[value])
