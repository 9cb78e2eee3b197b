"""References: where an object of a function's environment is found, and found again.

A reference is a root (a name, a closure's cell, an argument) and a path from there, and
can
be written down as Python.

>>> import types
>>> model = types.SimpleNamespace(layers=[{"W": 1.0}])
>>> reference = Item(Item(Attribute(Argument("model", 0), "layers"), 0), "W")
>>> reference.text
"model.layers[0]['W']"
>>> reference.hint
'W'
"""

import sys
from collections.abc import Callable, Sequence
from types import CellType
from typing import Any

from srcgrad.emit.names import is_name

# Gives an object a name that generated code may use; the second is what to call it.
Namer = Callable[[Any, str], str]


class Reference:
    """Where an object is.

    Attributes
    ----------
    parent : Reference or None
        Where the object is that it is found through.
    text : str
        What a person writes for it.
    hint : str
        What to call what is there.
    others : tuple of Reference
        Where there is what else the expression is made of.
    """

    __slots__ = ("hint", "others", "parent", "text")

    def __init__(self, text: str, hint: str, parent: "Reference | None" = None) -> None:
        self.text = text
        self.hint = hint
        self.parent = parent
        self.others: tuple[Reference, ...] = ()

    def source(self, parent: str, name: Namer) -> str:
        """The expression that finds the object again.

        ``parent`` is the one that stands for what it is found through.
        """
        raise NotImplementedError

    def source_of(self, parent: str, name: Namer, others: Sequence[str]) -> str:
        """The same of one that is made of others too."""
        return self.source(parent, name)


class Argument(Reference):
    """A leaf of the call's arguments, by its number."""

    __slots__ = ("number",)

    def __init__(self, text: str, number: int) -> None:
        super().__init__(text, text)
        self.number = number

    def source(self, parent: str, name: Namer) -> str:
        raise TypeError("arguments are parameters")


class Known(Reference):
    """An object that is found through nothing: it is held."""

    __slots__ = ("item",)

    def __init__(self, text: str, item: Any) -> None:
        super().__init__(text, text)
        self.item = item

    def source(self, parent: str, name: Namer) -> str:
        return name(self.item, self.hint)


class Global(Reference):
    """A name in a namespace, which is mostly a module's."""

    __slots__ = ("key", "namespace")

    def __init__(self, key: str, namespace: dict[str, Any]) -> None:
        super().__init__(key, key)
        self.key = key
        self.namespace = namespace

    def source(self, parent: str, name: Namer) -> str:
        module = sys.modules.get(self.namespace.get("__name__", ""))
        if module is not None and vars(module) is self.namespace:
            return f"{name(module, module.__name__.rpartition('.')[2])}.{self.key}"
        return f"{name(self.namespace, 'namespace')}[{self.key!r}]"


class Cell(Reference):
    """A closure's variable."""

    __slots__ = ("cell",)

    def __init__(self, key: str, cell: CellType) -> None:
        super().__init__(key, key)
        self.cell = cell

    def source(self, parent: str, name: Namer) -> str:
        return f"{name(self.cell, f'{self.hint}_cell')}.cell_contents"


class Attribute(Reference):
    """``parent.key``"""

    __slots__ = ("key",)

    def __init__(self, parent: Reference, key: str) -> None:
        super().__init__(f"{parent.text}.{key}", key, parent)
        self.key = key

    def source(self, parent: str, name: Namer) -> str:
        return member(parent, self.key)


class Item(Reference):
    """``parent[key]``"""

    __slots__ = ("key",)

    def __init__(self, parent: Reference, key: Any) -> None:
        own = isinstance(key, str) and key.isidentifier()
        hint = key if own else f"{parent.hint}_{key}"
        super().__init__(f"{parent.text}[{key!r}]", hint, parent)
        self.key = key

    def source(self, parent: str, name: Namer) -> str:
        return f"{parent}[{written(self.key, name)}]"


class Formula(Reference):
    """What a formula gives for the number at a place: ``{}`` stands for that."""

    __slots__ = ("pattern",)

    def __init__(self, pattern: str, parent: Reference) -> None:
        is_argument = pattern.endswith("({})")
        is_bare = is_argument or not isinstance(parent, Formula)
        inner = parent.text if is_bare else f"({parent.text})"
        super().__init__(pattern.format(inner), parent.hint, parent)
        self.pattern = pattern

    def source(self, parent: str, name: Namer) -> str:
        return self.pattern.format(parent)


class Called(Reference):
    """What a call with constants gives: of the object at a place, or of its method."""

    __slots__ = ("args", "kwargs", "method")

    def __init__(self, parent: Reference, method: str, args: Any, kwargs: Any) -> None:
        self.method, self.args, self.kwargs = method, args, kwargs
        text = self.source(parent.text, lambda item, _: type(item).__name__)
        super().__init__(text, method or parent.hint, parent)

    def source(self, parent: str, name: Namer) -> str:
        parts = [written(arg, name) for arg in self.args]
        for key, arg in self.kwargs.items():
            value = written(arg, name)
            pair = f"{{{written(key, name)}: {value}}}"
            parts.append(f"{key}={value}" if is_name(key) else f"**{pair}")
        function = member(parent, self.method) if self.method else parent
        return f"{function}({', '.join(parts)})"


def member(parent: str, key: str) -> str:
    """An attribute as Python: by ``getattr``, if nothing else finds such a name.

    >>> member("model", "rate"), member("model", "a b")
    ('model.rate', "getattr(model, 'a b')")
    """
    return f"{parent}.{key}" if is_name(key) else f"getattr({parent}, {key!r})"


def written(item: Any, name: Namer) -> str:
    """A constant as Python."""
    if type(item) is tuple:
        inner = ", ".join(written(each, name) for each in item)
        return f"({inner},)" if len(item) == 1 else f"({inner})"
    if type(item) is list:
        return f"[{', '.join(written(each, name) for each in item)}]"
    is_literal = type(item) in (int, bool, str, type(None)) or (
        type(item) is float and item - item == 0.0
    )
    return repr(item) if is_literal else name(item, "constant")
