"""``LoopNode``: the tries to record a loop as one node, iteration by iteration.

Each of the first iterations may be the one that is a function of what the loop carries
(``carrying``); what is carried may be of one kind from the third on, say. Of a loop
that has the same count at each call the first one runs as ever, but for the numbers
that it goes along, which are Values of the graph already.
"""

import operator
from typing import Any

from srcgrad.protocols import ArrayProtocol
from srcgrad.steps import Node, Step, Value
from srcgrad.tracing.capture.carrying import Carrying, Indices, Limit, Ran
from srcgrad.transforms.loops.regions import Region

# A loop of fewer iterations is no node, nor is one of fewer steps in all; if all is of
# numbers, these take less time one after another on Python's floats.
FEWEST, SHORTEST, OF_NUMBERS = 5, 64, 256
# So many iterations are tried.
TRIES = 6


class LoopNode:
    """What becomes of a loop that ``look`` looks at; it has ``most`` iterations.

    ``is_left``: it may end before these are over.

    Attributes
    ----------
    numbers : Numbers or None
        What it goes along, if these are integers.
    is_plain : bool
        Whether these are Python's, where they are not Values.
    filled : list
        The lists that it fills.
    are_inputs : bool
        Whether what it goes along is an input item by item, if it is no node.
    """

    def __init__(
        self, recorder: Any, look: Any, most: int | None, is_left: bool
    ) -> None:
        self._recorder, self._look = recorder, look
        self._most, self._is_left = most, is_left
        self._writer = recorder.writer
        self.numbers: Any = None
        self.is_plain = False
        self.filled: list[Any] = []
        self.are_inputs = False
        # What the loop does that is no function of what it carries.
        self._is_spoiled = False
        self._carrying: Carrying | None = None
        # That of the first iteration.
        self._entry: Carrying | None = None
        # The indices of the iteration before, and how many steps came before the loop.
        self._before: Indices | None = None
        self._begin = 0
        # Those of the iteration that runs, if its numbers are Values.
        self._indices: Indices | None = None
        # Those of the iteration in which a loop ends that is one node.
        self._after: Indices | None = None

    def begins(self, turn: int, region: Region) -> Ran | None:
        """An iteration is about to begin: what has run instead of it, if anything."""
        if self._carrying is not None:
            carrying, self._carrying = self._carrying, None
            ran = carrying.leaves(region, self._limit(turn))
            if ran is not None:
                self._after = Indices(self._recorder)
                ends = region.known is not None and region.known.exit_condition
                self._has_numbers(self._after if ends else None)
                self._look.stops()
                return ran
            self._settle()
            self._before = carrying.indices
        if self._after is not None:
            return None
        if turn == 1:
            self._begin = self._writer.count()
            if self._most is None and self._tries(turn, region):
                self._entry = self._carrying
            else:
                self._before = self._first_indices()
        elif not self._tries(turn, region):
            self._settle()
        return None

    def _first_indices(self) -> Indices | None:
        """The numbers of the first iteration, as Values."""
        is_long = self._most is None or self._most >= FEWEST
        if not is_long or not self._writer.may_carry:
            return None
        indices = Indices(self._recorder)
        self._has_numbers(indices)
        return indices

    def _tries(self, turn: int, region: Region) -> bool:
        """Try to record an iteration as a function: whether it is tried."""
        if turn > TRIES + 1 or not self._may_carry(region):
            return False
        carrying = Carrying(self._recorder, self._look, self.filled, self._entry)
        if not carrying.enters(self._before):
            return False
        self._carrying = carrying
        self._has_numbers(carrying.indices)
        return True

    def _may_carry(self, region: Region) -> bool:
        seen = self._look.seen
        if seen is None or self._is_spoiled or not self._writer.may_carry:
            return False
        if self._most is None:  # or it is not the end of the loop that a counter tells
            return seen.most is None or bool(seen.limit)
        if self._most >= FEWEST and (region.has_known or self.are_inputs):
            return True
        steps = self._writer.steps_from(region.starts[-2])
        are_numbers = all(map(_is_of_numbers, steps))
        shortest = OF_NUMBERS if are_numbers else SHORTEST
        return self._most >= FEWEST and self._most * len(steps) >= shortest

    def _limit(self, turn: int) -> Limit:
        """How many iterations are left when one is about to begin."""
        seen = self._look.seen
        if self._most is not None:
            is_alike = seen is not None and seen.ends_alike
            left, may_end = self._most - turn + 1, self._is_left
            return Limit(left, is_alike=is_alike, may_end=may_end)
        if seen is None or seen.most is None:
            return Limit(None, counts=isinstance(self._look.left, ArrayProtocol))
        return Limit(seen.most - turn + 1, bool(seen.limit), False)

    def place(self, number: int) -> Any:
        """A number that goes up by one in each iteration, as an index."""
        return number if self._indices is None else self._indices.index(number, 1)

    def _has_numbers(self, indices: Indices | None) -> None:
        """Have the loop's numbers as Values of the graph, or as they are."""
        self._indices = indices
        if self.numbers is not None:
            self.numbers.carrying = indices

    def _settle(self) -> None:
        """The indices of iterations that are not to be part of the loop are numbers."""
        self._has_numbers(None)
        self._settled(self._before)
        self._before = None

    def _settled(self, indices: Indices | None) -> None:
        numbers: dict[Value, int] = {} if indices is None else indices.numbers
        if numbers:
            self._writer.rename(numbers, self._begin)

    def item(self, item: Any) -> Any:
        """What the loop goes along, as Python gets it."""
        is_number = self.numbers is not None and self.numbers.carrying is None
        return item.concrete if self.is_plain and is_number else item

    def withdraws(self) -> None:
        """The iteration that was about to begin does not."""
        if self._carrying is not None:
            self._carrying.withdraws()

    def ends(self, region: Region) -> None:
        """The loop has ended."""
        if self._carrying is not None:
            carrying, self._carrying = self._carrying, None
            carrying.gives_up()
            self._settled(carrying.indices)
        if region.known is None:
            self._settle()
        else:
            self._recorder.leaves_loop(self._recorder, region, self._after)

    # ----- What it does beside computing -----

    def spoils(self) -> None:
        """What is done now is no function of what the loop carries."""
        self._is_spoiled = True
        if self._carrying is not None:
            self._carrying.is_spoiled = True

    def fills_list(self, filled: Any, is_innermost: bool) -> None:
        """A list gets an item, in this loop or in one that it runs."""
        if not is_innermost:
            if not self._look.is_made_now(filled):
                self.spoils()
        elif not any(each is filled for each in self.filled):
            self.filled.append(filled)
            if self._carrying is not None:
                self._carrying.is_spoiled = True

    def sees_list(self, filled: Any) -> None:
        """Python sees a list, which is another one in each iteration."""
        if self._carrying is not None and any(each is filled for each in self.filled):
            self._carrying.is_spoiled = True


def _is_of_numbers(step: Step) -> bool:
    """Whether a step computes numbers, of numbers and elements of arrays."""
    is_element = type(step) is Node and step.function is operator.getitem
    given = () if is_element else step.inputs
    return all(value.shape == () for value in (*given, *step.results))
