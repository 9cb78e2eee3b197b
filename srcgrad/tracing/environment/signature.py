"""The signature of a call: what decides which trace may serve it.

A leaf of the arguments is *dynamic* (an array, Variable, NumPy scalar or Python float:
its value may differ from call to call) or *static* (anything else, by type and value).
"""

from typing import Any, NamedTuple

import numpy as np

from srcgrad.modes import state
from srcgrad.pytree import children, flatten
from srcgrad.tape.function import VOLATILE
from srcgrad.tape.variable import Variable
from srcgrad.tracing.environment.environment_matrix import is_sparse
from srcgrad.tracing.environment.exact import exact
from srcgrad.tracing.environment.objects import is_looked_into

# Static arguments that need no second look.
KEYED_BY_VALUE = frozenset({int, bool, str, type(None)})

# What needs no second look in a container.
LEAF_TYPES = KEYED_BY_VALUE | {np.ndarray, Variable, float}

# NumPy scalars that are dynamic; not what is derived from them, which may compute in
# another way, nor `np.bool_`: all that are true are one object, so the recorder could
# not tell two of them apart.
NUMPY_KINDS = frozenset(t for t in np.sctypeDict.values() if np.dtype(t).kind in "fciu")


class Changes(NamedTuple):
    """What of the arguments differs between calls that share their traces.

    That is the integers among them, and the lengths of arrays.
    """

    ints: bool = False
    lengths: bool = False


STEADY = Changes()


class Signature:
    """A call taken apart.

    ``bound`` are the arguments that come before the caller's (a method's object), but
    are counted after them, so that the caller's keep their numbers. ``key`` is hashable
    if the static arguments are; ``leaves`` are those of ``(args, kwargs, bound)``.
    Without containers and keywords they are the arguments. ``transform``: what of the
    function is called, rather than itself (``functional.transform``).
    """

    __slots__ = ("args", "bound", "key", "kwargs", "leaves", "transform")

    def __init__(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        bound: tuple[Any, ...] = (),
        transform: Any = None,
    ) -> None:
        self.args = args
        self.kwargs = kwargs
        self.bound = bound
        self.transform = transform
        self.leaves: Any = args + bound
        # What it closes over may be an outer transform's, if there is one.
        form = None if transform is None else transform.form
        if transform is not None and state.depth:
            form = transform.form, True
        key: list[Any] = [form, state.grad_enabled, None]
        if kwargs or not _add_leaves(key, self.leaves):
            leaves: list[Any] = []
            key = [form, state.grad_enabled, DESCRIBED]
            if _describe((args, kwargs, bound), key, leaves):
                self.leaves = leaves
            else:
                self.leaves, structure = flatten((args, kwargs, bound))
                key = [form, state.grad_enabled, structure]
                key += _unusual_keys((args, kwargs, bound) if kwargs or bound else args)
            _add_leaves(key, self.leaves, are_leaves=True)
        self.key = tuple(key)

    @property
    def structure(self) -> Any:
        """The structure of ``(args, kwargs, bound)``."""
        return flatten((self.args, self.kwargs, self.bound))[1]

    @property
    def dynamic(self) -> tuple[int, ...]:
        """The leaves that are inputs of the graph rather than part of the key."""
        return tuple(i for i, leaf in enumerate(self.leaves) if is_dynamic(leaf))


# Stands in a key for a structure: `_describe` has described the containers.
DESCRIBED = "described"


def _describe(container: Any, key: list[Any], leaves: list[Any]) -> bool:
    """Take apart what is made of tuples, lists, and dicts with texts as keys.

    The same as ``flatten`` in less time; False where there is anything else.
    """
    items: Any = container
    if type(container) is dict:
        names = tuple(container)
        for name in names:
            if type(name) is not str:
                return False
        key.append(names)
        items = container.values()
    else:
        key += (type(container), len(container))
    for item in items:
        kind = type(item)
        if kind in LEAF_TYPES or kind in NUMPY_KINDS:
            leaves.append(item)
        elif kind not in PLAIN_CONTAINERS or not _describe(item, key, leaves):
            return False
        else:
            key.append(len(leaves))  # where it ends
    return True


PLAIN_CONTAINERS = frozenset({tuple, list, dict})


def _add_leaves(key: list[Any], leaves: Any, are_leaves: bool = False) -> bool:
    """Extend a key by leaves; False if there is a container among them."""
    identities: list[int] = []
    for leaf in leaves:
        kind = type(leaf)
        if kind is np.ndarray:
            key += (leaf.shape, leaf.dtype)
        elif kind is Variable:
            raw, edge = leaf.value, leaf.edge
            # None: no gradient; False: volatile; True: it requires grad.
            grad_state = edge if edge is None else edge is not VOLATILE
            identities.append(id(raw))
            if type(raw) is np.ndarray:
                key += (kind, grad_state, raw.shape, raw.dtype)
            else:
                key += (kind, grad_state, type(raw), None)
        elif kind is float:
            key.append(float)
        elif kind in KEYED_BY_VALUE:
            key.append((kind, leaf))
        elif kind in NUMPY_KINDS:
            key.append(kind)
        elif are_leaves:
            key.append(_static(leaf))
        else:
            return False
    if len(identities) > 1 and len(set(identities)) != len(identities):
        # One Variable given twice has one gradient, and so another trace; two on the
        # same array have two.
        edges = [leaf.edge for leaf in leaves if type(leaf) is Variable]
        key.append(tuple(map(identities.index, identities)))
        key.append(tuple(map(edges.index, edges)))
    return True


def _static(leaf: Any) -> Any:
    """The key of a leaf that is no input of the graph."""
    # What an object holds is looked at when it is read.
    is_known = is_looked_into(leaf) or is_sparse(leaf)
    return type(leaf) if is_known else exact(leaf)


def _unusual_keys(container: Any) -> list[Any]:
    """The keys in dicts, but for text: to a structure, 1 and True are the same."""
    found: list[Any] = []
    items: Any = container
    if isinstance(container, dict):
        found = [exact(key) for key in container if type(key) is not str]
        items = container.values()
    elif type(container) is not tuple:
        items = children(container)
    for item in items:
        if type(item) not in LEAF_TYPES:
            found += _unusual_keys(item)
    return found


def is_dynamic(leaf: Any) -> bool:
    """Whether a leaf is an input of the graph rather than part of the key."""
    kind = type(leaf)
    return kind in (np.ndarray, Variable, float) or kind in NUMPY_KINDS
