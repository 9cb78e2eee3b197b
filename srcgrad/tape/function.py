"""``Function``: one node of the tape, and what users subclass; and ``Leaf``.

A Variable's ``edge`` is ``(node, output number)``: where its gradient goes. Edges point
from results to arguments only, and a node knows no Variable, so a graph has no cycles
and dies with the last Variable that leads into it.
"""

import itertools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from srcgrad.errors import Where, explained, here, located
from srcgrad.modes import refuse
from srcgrad.protocols import raw_of
from srcgrad.tape.hooks import FUNCTION, Handle, Hooks, register, remove
from srcgrad.tape.user_call import Context, is_static
from srcgrad.tape.versions import Version
from srcgrad.tracebacks import trim

Edge = tuple["Function", int]
Needed = Mapping["Function", Collection[int] | None]

# Nodes are numbered as they are made, so an argument's node always has a lower number
# than its user's: the engine needs no other order.
next_order = itertools.count().__next__

new: Callable[[type], Any] = object.__new__


def is_needed(edge: Edge, needed: Needed) -> bool:
    """Whether an edge leads to a result that is needed."""
    node, number = edge
    if node not in needed:
        return False
    numbers = needed[node]
    return numbers is None or number in numbers


def for_users(method: Callable[..., Any]) -> Any:
    """A method that subclasses write with parameters of their own, static or not."""
    return method


class Function(Context):
    """One node of the tape: what ran, what it saved, and where its gradients go.

    Users subclass it to give a derivative to what srcgrad cannot follow, in either of
    PyTorch's styles: with static ``forward(ctx, *args)`` and ``backward(ctx, *grads)``,
    called by ``apply``; or with methods ``forward(self, *arrays)`` and
    ``backward(self, *grads)``, on an object that is called once. ``forward`` gets
    ndarrays. ``backward`` returns a gradient (or None) for each argument of
    ``forward``; it gets Variables in the first style, so that it can be differentiated
    itself, and ndarrays in the second.

    Attributes
    ----------
    edges : tuple of (Function, int) or None
        For each argument, where its gradient goes; None where none is needed.
    shape, dtype
        Of the result, and so of the cotangent that comes in.
    metas : tuple of (shape, dtype) or None
        The same for a function with several results, one for each.
    saved : tuple or None
        What the backward pass needs; None when it has been freed, but in a
        ``CompiledFunction``, where None is nothing to save.
    versions : tuple of (storage, version, array)
        The versions of the saved arrays, as they were then.
    where : (code, instruction)
        The user's line that ran it.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> class Cube(srcgrad.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x**3
    ...
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         (x,) = ctx.saved_tensors
    ...         return g * 3 * x**2
    >>> x = srcgrad.Variable(np.array([2.0]), requires_grad=True)
    >>> Cube.apply(x).backward()
    >>> x.grad.data
    array([12.])
    """

    __slots__ = (
        "__weakref__",
        "dtype",
        "edges",
        "hooks",
        "metas",
        "order",
        "saved",
        "shape",
        "versions",
        "where",
    )

    # Whether its gradients are arrays that nobody else can see.
    gives_own = False
    # Whether each element of its result is made of those in its place alone, or is one
    # from a place that no other comes from.
    by_elements = moves = False
    # Whether it gets zeros for those of its results that nothing has used.
    materializes = True
    # Whether it has kept nothing, and computes again what the way back needs.
    runs_again = False
    # Whether somebody differentiates by its result, which nobody may write into.
    is_argument = False
    # Those of its results whose cotangents are complete only on the way through it: a
    # result may be computed from another one. See `pull_back_in_stages`.
    on_the_way: frozenset[int] = frozenset()
    # ``Variable``, and what runs a user's ``forward``, stand on higher layers:
    # ``variable`` fills them in.
    variable_class: ClassVar[Any]
    run: ClassVar[Callable[..., Any]]

    edges: tuple[Edge | None, ...]
    order: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    metas: tuple[tuple[tuple[int, ...], np.dtype[Any]], ...] | None
    hooks: dict[int, Hooks] | None
    where: Where | None
    saved: tuple[Any, ...] | None
    versions: tuple[Version, ...]

    @property
    def next_functions(self) -> tuple[tuple["Function | None", int], ...]:
        """For each argument, the Function it came from, and which output it was."""
        return tuple((None, 0) if edge is None else edge for edge in self.edges)

    previous_functions = next_functions

    def edges_of(self, number: int) -> Iterable[Edge]:
        """The places that a gradient of one of its results leads to."""
        del number
        return [edge for edge in self.edges if edge is not None]

    @classmethod
    def link(
        cls,
        edges: Sequence[Edge | None],
        result: Any,
        saved: tuple[Any, ...] = (),
        versions: tuple[Version, ...] = (),
    ) -> Any:
        """Make a node of the tape, all of it but what a subclass adds.

        Parameters
        ----------
        edges, saved, versions
            See the attributes.
        result : array or sequence of arrays
            What the node computes, for its shape and dtype.
        """
        return fill(new(cls), edges, result, saved, versions, here())

    # ----- What users write, and call -----

    @for_users
    def forward(self, *args: Any) -> Any:
        """Compute the result from ndarrays; for subclasses to write."""
        raise NotImplementedError(f"{type(self).__name__} has no forward")

    @for_users
    def backward(self, *grad_outputs: Any) -> Any:
        """Compute the gradients from those of the results; for subclasses to write."""
        raise NotImplementedError(f"{type(self).__name__} has no backward")

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Run a subclass whose ``forward`` is a ``@staticmethod``."""
        if not is_static(cls, "forward"):
            raise located(
                TypeError(f"{cls.__name__}.forward is no @staticmethod"),
                f"make it one, or call an object of the class: {cls.__name__}(...)(x)",
            )
        context = new(cls)
        try:
            return cls.run(context, lambda *arrays: cls.forward(context, *arrays), args)
        except Exception as error:
            trim(error)
            raise

    def __call__(self, *args: Any) -> Any:
        """Run an object of a subclass whose ``forward`` is a method; works once."""
        name = type(self).__name__
        if is_static(type(self), "forward"):
            raise located(
                TypeError(f"{name}.forward is a @staticmethod"),
                f"call {name}.apply(...)",
            )
        if getattr(self, "_call", None) is not None:
            raise located(
                RuntimeError(f"an object of {name} can be called only once"),
                f"each call needs its own, {name}(...)(x)",
            )
        try:
            return self.run(self, self.forward, args)
        except Exception as error:
            trim(error)
            raise

    # ----- Hooks -----

    def register_hook(self, hook: Any, named: Any = None) -> Handle:
        """Call ``hook(grad_inputs, grad_outputs)`` whenever gradients go through it.

        Both are tuples of Variables, or None where there is no gradient. What the hook
        returns, if anything, takes the place of ``grad_inputs``. The old spelling
        ``register_hook(name, hook)`` works too.

        Returns
        -------
        Handle
            Its ``remove()`` takes the hook away.
        """
        refuse("registers a hook")
        if isinstance(self, Leaf):
            raise located(
                RuntimeError("a Leaf runs nothing"),
                "register the hook on its Variable",
            )
        return register(hooks_of(self._node(), FUNCTION), hook, named)

    def remove_hook(self, name: Any) -> None:
        """Take away the hook that was registered with a name."""
        own = self._node().hooks or {}
        remove(own.get(FUNCTION), name)

    def _node(self) -> "Function":
        """Itself, or the node of the one call of a user's object."""
        call = getattr(self, "_call", None)
        node = self if call is None else call.node()
        if not hasattr(node, "order"):
            raise located(
                RuntimeError(f"{type(self).__name__} is not in a graph"),
                "call it first, on a Variable that requires grad",
            )
        return node

    def name(self) -> str:
        """The name of the node's type."""
        return type(self).__name__

    def __repr__(self) -> str:
        return f"<{self.name()} object at {id(self):#x}>"

    def pull_back(self, g: Any, needed: "Needed | None", wrap: Any) -> Sequence[Any]:
        """Take the result's cotangent to those of the arguments, one for each edge.

        Parameters
        ----------
        g : array or list of arrays
            The cotangent; for several results, a list with one for each.
        needed : mapping, optional
            The nodes whose gradient is needed at all, see ``leading``; None: all.
        wrap : callable or None
            ``wrap(raw, edge, storage)`` makes a Variable of what was saved, where the
            backward pass itself is to be differentiated or recorded.
        """
        raise NotImplementedError

    def pull_back_in_stages(
        self,
        g: Any,
        needed: "Needed | None",
        wrap: Any,
        targets: Collection[int],
        pauses: Mapping[int, Callable[[Any], Any]],
    ) -> Sequence[Any]:
        """The same where the cotangents of some results ``on_the_way`` are wanted.

        ``targets`` are results whose cotangents the walk is for. For some results,
        ``pauses`` has what is called when the cotangent is complete, and gives what
        goes on in its place.
        """
        raise NotImplementedError

    def leading(
        self, entered: Collection[int], targets: Collection[int], needed: "Needed"
    ) -> Collection[int]:
        """Which of its results lead to what is needed.

        Parameters
        ----------
        entered : collection of int
            The results from which a walk may come.
        targets : collection of int
            The results that are targets themselves.
        needed : mapping
            The nodes that are needed, each with what this method has said of it; None:
            from all of its results.
        """
        if any(edge is not None and is_needed(edge, needed) for edge in self.edges):
            return entered
        return [number for number in entered if number in targets]

    def find_anomaly(self, g: Any) -> None:
        """Raise at one of the user's lines if the node knows several."""

    @property
    def has_buffers(self) -> bool:
        """Whether it saves something that a backward pass frees."""
        return bool(self.saved)

    def free(self) -> None:
        """Drop what was saved for the backward pass."""
        if self.has_buffers:
            self.saved = None
            self.versions = ()


class Leaf(Function):
    """Where a user's Variable enters the graph: gradients end, and add up, here.

    ``is_inner``: it is that of a transform's own Variable, which nobody else has.
    """

    __slots__ = ("grad", "is_inner")

    grad: Any
    is_inner: bool

    @classmethod
    def of(cls, variable: Any) -> Any:
        """The Leaf of a Variable (or array, or number)."""
        leaf = cls.link((), raw_of(variable))
        leaf.where = None
        leaf.grad = None
        leaf.is_inner = False
        return leaf

    @classmethod
    def inside(cls, variable: Any) -> Any:
        """The same for a Variable that a transform has made."""
        leaf = cls.of(variable)
        leaf.is_inner = True
        return leaf


class _Volatile(Function):
    """The mark of a volatile Variable: nothing that it touches is put on the tape."""

    __slots__ = ()


VOLATILE: Edge = (new(_Volatile), 0)


def already_freed() -> RuntimeError:
    """What is said to a second backward pass."""
    return explained(
        RuntimeError(
            "Trying to backward through the graph second time, but the buffers have "
            "already been freed"
        ),
        "specify retain_graph=True when calling backward for the first time",
        kind="freed",
    )


def sequence_like(sequence: Any, elements: list[Any]) -> Any:
    """A tuple, list or named tuple of other elements; the rest of it stays.

    >>> from scipy import stats
    >>> result = stats.spearmanr([1.0, 2.0, 4.0], [1.0, 3.0, 2.0])
    >>> sequence_like(result, [0.25, 0.75]).statistic, result.correlation
    (0.25, np.float64(0.5))
    """
    kind = type(sequence)
    if not isinstance(sequence, tuple):
        return kind(elements)
    made = tuple.__new__(kind, elements)
    if hasattr(sequence, "__dict__"):  # what SciPy's results hold beside the tuple
        vars(made).update(vars(sequence))
    return made


def is_differentiated_by(variable: Any) -> bool:
    """Whether it is a leaf, or an argument that a transform differentiates by.

    Nobody writes into these.
    """
    node = variable.edge[0] if has_edge(variable) else None
    return type(node) is Leaf or (node is not None and node.is_argument)


def has_edge(variable: Any) -> bool:
    """Whether a Variable requires grad."""
    edge = variable.edge
    return edge is not None and edge is not VOLATILE


def fill(
    node: Any, edges: Any, result: Any, saved: Any, versions: Any, where: Where | None
) -> Any:
    """Set all that every node has; see ``Function.link``."""
    node.edges = edges
    node.saved = saved
    node.versions = versions
    node.where = where
    node.hooks = node.metas = None
    node.order = next_order()
    if type(result) is np.ndarray or isinstance(result, (np.ndarray, np.generic)):
        node.shape, node.dtype = result.shape, result.dtype
    elif isinstance(result, (tuple, list)):
        node.metas = tuple([(np.shape(r), dtype_of(r)) for r in result])
    else:
        node.shape, node.dtype = (), dtype_of(result)
    return node


def hooks_of(node: Function, key: int) -> Hooks:
    """The hooks of one of a node's outputs, or its own; made when first asked for."""
    if node.hooks is None:
        node.hooks = {}
    return node.hooks.setdefault(key, Hooks())


def meta_of(edge: Edge) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """The shape and dtype of the result that an edge leads to."""
    node, number = edge
    return (node.shape, node.dtype) if node.metas is None else node.metas[number]


def dtype_of(raw: Any) -> np.dtype[Any]:
    """The dtype of an array, scalar, or Python number."""
    dtype = getattr(raw, "dtype", None)
    return np.result_type(raw) if dtype is None else dtype
