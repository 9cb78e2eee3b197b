"""``Public``: a function that an exported module is to offer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from srcgrad.graph import Partition
from srcgrad.tracing.serving.trace import Trace


@dataclass(frozen=True)
class Public:
    """A function that an exported module offers: its trace, and what its doc says.

    ``leaves`` are those of the call, ``found`` is what there is now where the trace
    looks in its environment.
    """

    name: str
    says: str
    trace: Trace
    leaves: Sequence[Any] = ()
    found: Sequence[Any] = ()

    @property
    def partition(self) -> Partition:
        """The graph as it is written."""
        return self.trace.gradients.backwards.partition
