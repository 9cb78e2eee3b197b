"""``Choosing``: what the instrumented copy calls where one of two things is done.

``arms`` and ``choices`` write these calls. What may not be asked for comes as a
function: both may run, and are recorded (``forking``).
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.operators import COMPARISONS
from srcgrad.protocols import ArrayProtocol, is_truth, raw_of
from srcgrad.tracing.branches.arm_results import is_followed_float
from srcgrad.tracing.capture.context import Context
from srcgrad.tracing.capture.storing import Storing
from srcgrad.tracing.counts.arm_labels import ArmLabel, are_labels
from srcgrad.tracing.counts.int_tests import IntTest, is_of_ints, tested
from srcgrad.tracing.environment.symbolic import (
    Symbolic,
    as_seen,
    is_changing,
    is_counted,
)
from srcgrad.tracing.user_code.counters import ORDERS
from srcgrad.tracing.user_code.plain_text import note_plain

UFUNCS = {each.syntax: each.ufunc for each in COMPARISONS}
COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    **ORDERS,
    "In": lambda x, y: _in_text(x, y) in y,
    "NotIn": lambda x, y: _in_text(x, y) not in y,
}


class Choosing:
    """The branches of a recorded run."""

    def __init__(self, context: Context, storing: Storing) -> None:
        self._storing = storing
        self._branching, self._recorder = context.reads.branching, context.recorder

    def branch(
        self,
        test: Any,
        arms: Any,
        before: Any,
        augmented: Any,
        names: Any,
    ) -> Any:
        """``if test: ... else: ...``; the names that its arms bind."""
        test = tested(test)
        if type(test) is not IntTest:
            test = self.asked(test)
        return self._branching.run(test, arms, names, before, augmented)

    def returned(
        self,
        test: Any,
        arms: Any,
        before: Any,
        augmented: Any,
        count: int,
    ) -> Any:
        """The same where both arms return; each a tuple of so many, if any."""
        if not count:
            arms = [_in_tuple(arm) for arm in arms]
        names = (None,) * (count or 1)
        found = self.branch(test, arms, before, augmented, names)
        return found if count else found[0]

    def plain(self, function: Any) -> Any:
        """A function made inside of another one, which does no more than compute."""
        note_plain(function)
        return function

    def chosen(
        self, test: Any, orelse: Callable[[], Any], then: Callable[[], Any]
    ) -> Any:
        """``then if test else orelse``"""
        return self.returned(test, (orelse, then), (), (), 0)

    def extreme(self, symbol: str, items: Sequence[Any]) -> Any:
        """``min`` (by "Lt") or ``max`` of some numbers: the first one of the best."""
        best, *others = items
        for each in others:
            test = self.compared(symbol, each, best)
            best = self.chosen(test, _giving(best), _giving(each))
        return best

    def both(self, test: Any, other: Callable[[], Any]) -> Any:
        """``test and other``, which is to be true or false."""
        test = self.asked(test)
        second = lambda: self.asked(other())  # noqa: E731
        return self._called_test(self.chosen(test, lambda: test, second))

    def either(self, test: Any, other: Callable[[], Any]) -> Any:
        """``test or other``, which is to be true or false."""
        test = self.asked(test)
        second = lambda: self.asked(other())  # noqa: E731
        return self._called_test(self.chosen(test, second, lambda: test))

    def _called_test(self, test: Any) -> Any:
        if is_truth(test):
            self._recorder.writer.hint(test.value, "test")
        return test

    def asked(self, test: Any) -> Any:
        """Something that is asked for its truth: that of an arm in the graph."""
        test = tested(test)
        if type(test) is IntTest:
            return test.in_graph()
        if not (isinstance(test, Symbolic) and test.is_truth):
            return test
        return self.compared("NotEq", test.as_float(), 0.0)

    def negated(self, test: Any) -> Any:
        """``not test``"""
        test = self.asked(test)
        return np.logical_not(test) if is_truth(test) else not test

    def chained(self, first: Any, symbol: str, second: Any, *others: Any) -> Any:
        """``first < second < ...``, where the rest is looked at if that is true."""
        if is_of_ints(symbol, first, second):
            test: Any = IntTest(symbol, first, second)
        else:
            test = self.compared(symbol, first, second)
        if not others:
            return test
        symbol, item, *rest = others
        return self.both(test, lambda: self.chained(second, symbol, item(), *rest))

    def compared(self, symbol: str, first: Any, second: Any) -> Any:
        """The test of two numbers; of Python's floats in the graph, as NumPy's."""
        pair = first, second
        is_equality = symbol in ("Eq", "NotEq")
        if is_equality and ArmLabel in map(type, pair) and are_labels(*pair):
            as_float = self._recorder.writer.labels.as_float
            return self.compared(symbol, *map(as_float, pair))
        if any(map(_is_in_graph, pair)):
            first, second = pair = tuple(map(_as_floats, pair))
        are_complex = any(isinstance(raw_of(each), complex) for each in pair)
        if symbol in UFUNCS and any(map(is_followed_float, pair)) and not are_complex:
            others = [each for each in pair if not isinstance(each, ArrayProtocol)]
            if all(type(each) is float or _is_small(each) for each in others):
                test = UFUNCS[symbol](first, second)
                self._recorder.writer.note_numpys(test)
                return test
        if symbol in ORDERS:
            return self._storing.operated(symbol, first, second)
        return COMPARE[symbol](first, second)


def _in_text(item: Any, other: Any) -> Any:
    """What is looked for; Python takes nothing but a text for a part of one."""
    return as_seen(item) if type(other) is str else item


def _is_small(item: Any) -> bool:
    """Whether it is an integer that is a float, too."""
    return type(item) is int and abs(item) < 2**53


def _as_floats(item: Any) -> Any:
    """An integer that counts, or changes, as what it is in the graph."""
    return item.as_float() if is_counted(item) or is_changing(item) else item


def _is_in_graph(item: Any) -> bool:
    """Whether it is a floating-point number of the graph, or an integer as one."""
    is_followed = isinstance(item, ArrayProtocol) and item.shape == ()
    return is_counted(item) or (is_followed and item.dtype.kind == "f")


def _giving(item: Any) -> Callable[[], Any]:
    return lambda: item


def _in_tuple(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args: (function(*args),)
