"""``Held``: attributes that have names while an ``if`` runs whose arms set them.

Their objects have them again after it (``arm_attributes``). Who looks at one meanwhile
would find what it was before: then the call is recorded again, with that ``if`` as it
stands in the source.

>>> held, item = Held(), object()
>>> held.take(item, "x", compile("0", "f.py", "eval"))
>>> held.check(item, "y")
>>> held.put_back(item, "x")
>>> bool(held)
False
"""

from types import CodeType
from typing import Any

from srcgrad.tracing.refusal import SetsInArms

# What has all the attributes of an object.
ALL = "__dict__"


class Held:
    """The attributes that are held now, by the identity of objects, which live on."""

    def __init__(self) -> None:
        self._codes: dict[int, dict[str, CodeType]] = {}

    def __bool__(self) -> bool:
        return bool(self._codes)

    def take(self, item: Any, name: str, code: CodeType) -> None:
        """Note that an attribute has a name in a function with some code."""
        self._codes.setdefault(id(item), {})[name] = code

    def put_back(self, item: Any, name: str) -> None:
        """Note that its object has it again."""
        names = self._codes[id(item)]
        del names[name]
        if not names:
            del self._codes[id(item)]

    def check(self, item: Any, name: str) -> None:
        """Make sure that an attribute is where it is looked for.

        Raises
        ------
        SetsInArms
            If it is held.
        """
        names = self._codes.get(id(item), {})
        if name in names or (name == ALL and names):
            raise SetsInArms(next(iter(names.values())))
