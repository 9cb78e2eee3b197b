"""``Form``: the structure of an argument or result, and the kind of each leaf of it."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from srcgrad.modes import state
from srcgrad.protocols import raw_of
from srcgrad.pytree import flatten, is_leaf, unflatten
from srcgrad.tape.apply import apply
from srcgrad.tape.variable import Variable
from srcgrad.tracing.arrays.traced_array import TracedArray

# What makes of a number one of its own kind.
NUMBER_KINDS = (float, complex, np.float64)


class Form:
    """What a derivative has to look like: all that is known without values.

    >>> form = Form.of({"w": 1.0, "b": (np.float32(2.0), None)})
    >>> form.filled([np.array(3.0), None])
    {'w': 3.0, 'b': (np.float32(0.0), None)}
    """

    def __init__(self, leaves: Sequence[Any], structure: Any) -> None:
        self.likes: Any = [None if leaf is None else Like(leaf) for leaf in leaves]
        self._structure = structure
        self.is_one = is_leaf(structure) and self.likes[0] is not None
        self.count = sum(like is not None for like in self.likes)

    @classmethod
    def of(cls, tree: Any) -> "Form":
        """The form of something."""
        return cls(*flatten(tree))

    def zeros(self) -> Any:
        """Derivatives that are all zero."""
        return self.filled([None] * self.count)

    def filled(self, derivatives: Sequence[Any]) -> Any:
        """Derivatives by the leaves that are not None, in this form."""
        likes = self.likes
        if self.is_one:
            return likes[0].made(derivatives[0])
        if self.count == len(likes):
            leaves = [like.made(g) for like, g in zip(likes, derivatives, strict=True)]
        else:
            rest = iter(derivatives)
            leaves = [like if like is None else like.made(next(rest)) for like in likes]
        return unflatten(self._structure, leaves)


class Like:
    """The kind, shape and dtype of one leaf."""

    __slots__ = ("dtype", "is_array", "is_native", "kind", "raw_kind", "shape")

    def __init__(self, leaf: Any) -> None:
        if isinstance(leaf, TracedArray):
            leaf = leaf.value
        self.kind = type(leaf)
        self.raw_kind = type(raw_of(leaf))
        self.shape = np.shape(leaf) if self.kind is not Variable else leaf.shape
        self.dtype = getattr(leaf, "dtype", None)
        # What is computed has the machine's byte order.
        self.is_native = self.dtype is None or self.dtype.isnative
        self.is_array = self.kind is np.ndarray and self.shape != () and self.is_native

    def made(self, g: Any) -> Any:
        """A derivative of this kind; zeros where there is none."""
        kind: Any = self.kind
        if kind is float and type(g) is np.float64:
            return float(g)
        if self.is_array and type(g) is np.ndarray:
            return g
        if g is None:
            return self._zeros()
        if isinstance(g, Variable):
            return self._within(g) if state.depth else self._recorded(g)
        if kind is float or kind is complex:
            return kind(g)
        if issubclass(kind, Variable):
            return kind.make(np.asarray(g), None)
        if issubclass(kind, np.generic):
            return kind(g)
        return np.asarray(g, None if self.is_native else self.dtype)

    def _within(self, g: Variable) -> Any:
        """A derivative that another transform goes on with: a number of the kind."""
        kind = self.raw_kind
        if kind not in NUMBER_KINDS or type(g.value) is kind:
            return g
        return apply(kind, (g,), {})

    def _recorded(self, g: Variable) -> Any:
        """A derivative that stands for one, of this kind in the recording too."""
        if not isinstance(g, TracedArray) or type(g.value) is self.kind:
            return g
        if self.kind in NUMBER_KINDS:
            return apply(self.kind, (g,), {})
        if self.kind is np.ndarray:
            return np.copy(g)
        return g[()]

    def _zeros(self) -> Any:
        raw_kind, kind = self.raw_kind, self.kind
        if issubclass(raw_kind, np.ndarray):
            zeros = np.zeros(self.shape, self.dtype)
        else:
            zeros = raw_kind(0)
        return kind.make(zeros, None) if issubclass(kind, Variable) else zeros


def packing(forms: Sequence[Form], is_single: bool) -> Callable[[Sequence[Any]], Any]:
    """Make a function that gives derivatives in some forms: as a tuple, or the one.

    >>> packing([Form.of(1.0), Form.of([2.0])], is_single=False)(np.array([3.0, 4.0]))
    (3.0, [4.0])
    """
    if not all(form.is_one for form in forms):
        if is_single:
            return forms[0].filled
        return lambda derivatives: tuple(split(derivatives, forms))
    likes = [form.likes[0] for form in forms]
    if is_single:
        made = likes[0].made
        return lambda derivatives: made(derivatives[0])
    if all(like.is_array for like in likes):
        return lambda derivatives: _arrays(derivatives, likes)
    return lambda derivatives: tuple(map(Like.made, likes, derivatives))


def _arrays(derivatives: Sequence[Any], likes: Sequence[Like]) -> tuple[Any, ...]:
    """Derivatives that are arrays most often, and then are what is to be made."""
    for g in derivatives:
        if type(g) is not np.ndarray:
            return tuple(map(Like.made, likes, derivatives))
    return tuple(derivatives)


def split(items: Sequence[Any], forms: Sequence[Form]) -> Iterator[Any]:
    """Derivatives by the leaves of several things, in the form of each."""
    start = 0
    for form in forms:
        yield form.filled(items[start : start + form.count])
        start += form.count
