"""``FollowedTuple``: a tuple of integers of the environment, which change.

Until they do they are constants, under one condition. Then each is a ``FollowedInt``;
a loop along them takes all of them as arrays (``counts.listed_rows``).

>>> from srcgrad.tracing.environment.references import Argument
>>> own = FollowedTuple(((3, 4), (1, 0)), Argument("pairs", 0), None)
>>> (own.seen[0][1] + 1).reference.text
'pairs[0][1] + 1'
"""

from typing import Any

from srcgrad.tracing.environment.changing_ints import FollowedInt
from srcgrad.tracing.environment.columns import TakenApart, are_alike, columns_of
from srcgrad.tracing.environment.conditions import Condition
from srcgrad.tracing.environment.references import Item, Reference


class FollowedTuple:
    """The tuple ``item``, and what the function has ``seen`` in its place."""

    def __init__(self, item: tuple[Any, ...], reference: Reference, reads: Any) -> None:
        self.item, self.reference, self.reads = item, reference, reads
        self.seen = self._followed(reference, item)
        self.taken_apart = TakenApart(reference, "{}", False)

    @property
    def condition(self) -> Condition:
        """That there are as many integers, in the same places."""
        return are_alike(self.taken_apart, columns_of(self.item), len(self.item))

    def _followed(self, reference: Reference, item: Any) -> Any:
        if type(item) is int:
            return FollowedInt(reference, item, self.reads)
        places = (Item(reference, k) for k in range(len(item)))
        return tuple(map(self._followed, places, item))
