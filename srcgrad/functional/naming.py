"""``Names``: what messages call the leaves of a call's arguments.

>>> def loss(params, x):
...     pass
>>> Names(loss, ({"w": 1.0, "b": [2.0, 3.0]}, 4.0), {})(2)
"argument params['b'][1]"
"""

import inspect
from typing import Any

from srcgrad.pytree import paths


class Names:
    """What messages call the leaves of a call's arguments."""

    def __init__(self, function: Any, args: Any, kwargs: Any) -> None:
        self._function, self._given = function, (args, kwargs)

    def __call__(self, number: int) -> str:
        which, first, *rest = paths(self._given)[number]
        name = first if which == 1 else self._parameter(first)
        inner = "".join(f"[{key!r}]" for key in rest)
        return f"argument {name}{inner}"

    def _parameter(self, position: int) -> str:
        try:
            parameters = list(inspect.signature(self._function).parameters.values())
        except (TypeError, ValueError):
            return str(position)
        positional = [
            p.name
            for p in parameters
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
        return positional[position] if position < len(positional) else str(position)


def place_in(name: str, tree: Any, number: int) -> str:
    """What messages call a leaf of something that is called ``name`` itself.

    >>> place_in("tangents", ({"w": 1.0, "b": [2.0, 3.0]},), 2)
    "tangents[0]['b'][1]"
    """
    return name + "".join(f"[{key!r}]" for key in paths(tree)[number])


def name_of(function: Any) -> str:
    """What messages call a function.

    >>> from functools import partial
    >>> name_of(partial(sorted, [2, 1]))
    'sorted'
    """
    name: str | None = getattr(function, "__name__", None)
    if name is not None:
        return name
    # The `repr` of a partial has all that it holds.
    inner = getattr(function, "__wrapped__", getattr(function, "func", None))
    return repr(function) if inner is None else name_of(inner)
