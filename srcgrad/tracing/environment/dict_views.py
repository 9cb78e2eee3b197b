"""What ``keys``, ``values`` and ``items`` of an environment's dict give: what is there.

>>> known = {"a": 1.0}
>>> values = Values(known)
>>> known["b"] = 2.0
>>> [*reversed(values)], values
([2.0, 1.0], dict_values([1.0, 2.0]))
"""

from collections.abc import ItemsView, Iterator, KeysView, Reversible, ValuesView
from typing import Any


class Keys(KeysView[Any], Reversible[Any]):
    """``known.keys()``"""

    _mapping: Any

    def __reversed__(self) -> Iterator[Any]:
        return iter(reversed(self._mapping))

    def __repr__(self) -> str:
        return repr(dict.fromkeys(self._mapping).keys())


class Values(ValuesView[Any], Reversible[Any]):
    """``known.values()``"""

    _mapping: Any

    def __reversed__(self) -> Iterator[Any]:
        return (self._mapping[key] for key in reversed(self._mapping))

    def __repr__(self) -> str:
        return repr(self._mapping.copy().values())


class Items(ItemsView[Any, Any], Reversible[Any]):
    """``known.items()``"""

    _mapping: Any

    def __reversed__(self) -> Iterator[Any]:
        return ((key, self._mapping[key]) for key in reversed(self._mapping))

    def __repr__(self) -> str:
        return repr(self._mapping.copy().items())
