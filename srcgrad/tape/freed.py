"""Which walk back has freed a node, for those who have asked to know.

>>> from srcgrad import Variable
>>> x = Variable(2.0, requires_grad=True)
>>> y = x * x
>>> mark = marked(y.edge[0])
>>> mark.is_over
False
>>> y.backward()
>>> mark.is_over
True
"""

import weakref
from typing import Any

from srcgrad.modes import state
from srcgrad.tape.function import Function


class Mark:
    """What is known of a node: ``walk`` stands for the one that has freed it."""

    __slots__ = ("walk",)

    def __init__(self) -> None:
        self.walk: Any = None

    @property
    def is_over(self) -> bool:
        """Whether a walk before this one has freed the node."""
        return self.walk is not None and self.walk is not state.walk


FREED_MARKS: weakref.WeakKeyDictionary[Function, Mark] = weakref.WeakKeyDictionary()


def marked(node: Function) -> Mark:
    """Ask to know of a node; its mark stays when the node is gone."""
    return FREED_MARKS.setdefault(node, Mark())


def note(node: Function) -> None:
    """Note that the walk that is on its way has freed a node."""
    mark = FREED_MARKS.get(node)
    if mark is not None:
        mark.walk = state.walk
