"""Assumptions: conditions that go without saying, checked all at once.

That ``np`` still is NumPy, that a helper is the same function with the same code: a
generated module does not spell these out.

>>> import types
>>> from srcgrad.tracing.environment.conditions import is_same
>>> from srcgrad.tracing.environment.references import Attribute, Known
>>> module = types.SimpleNamespace(f=len)
>>> reference = Attribute(Known("module", module), "f")
>>> assumptions = Assumptions([is_same(reference, len)])
>>> assumptions.broken() is None
True
>>> module.f = max
>>> assumptions.broken()
'`module.f` was rebound'
"""

import functools
from collections.abc import Callable, Iterable
from types import CodeType
from typing import Any

from srcgrad.tracing.environment.conditions import Condition
from srcgrad.tracing.environment.references import Reference

# What comes of looking for something that is no longer there.
GONE = (AttributeError, LookupError, NameError, TypeError, ValueError)


@functools.lru_cache(maxsize=16)
def _compiled(source: str) -> CodeType:
    """The traces of a function mostly assume the same, of the same objects."""
    return compile(source, "<assumptions>", "eval")


class Assumptions(tuple[Condition, ...]):
    """Conditions on what is found from objects that are held.

    ``holds()`` says whether all do, or raises one of ``GONE``; ``source`` is what it
    says, in terms of ``namespace``.
    """

    holds: Callable[[], bool]
    source: str
    namespace: dict[str, Any]
    _tests: tuple[str, ...]

    def __new__(cls, conditions: Iterable[Condition] = ()) -> "Assumptions":
        """Put the tests together."""
        self = super().__new__(cls, conditions)
        self.namespace = {}
        self._tests = tuple(map(self._test, self))
        self.source = " and ".join(f"({test})" for test in self._tests) or "True"
        self.holds = eval(_compiled(f"lambda: {self.source}"), self.namespace)
        return self

    def _test(self, condition: Condition) -> str:
        return condition.source([*map(self._found, condition.references)], self._name)

    def _found(self, reference: Reference) -> str:
        parent = "" if reference.parent is None else self._found(reference.parent)
        return reference.source(parent, self._name)

    def _name(self, item: Any, hint: str) -> str:
        name = f"_{id(item)}"
        self.namespace[name] = item
        return name

    def broken(self) -> str | None:
        """What has changed, in words; None if nothing has."""
        try:
            if self.holds():
                return None
        except GONE:
            pass  # below it is told which
        for condition, test in zip(self, self._tests, strict=True):
            try:
                holds = eval(test, self.namespace)
            except GONE:
                holds = False
            if not holds:
                return condition.miss or condition.text
        return None

    def mentions(self) -> list[str]:
        """What a generated module says of them, each once."""
        return [*dict.fromkeys(each.mention for each in self if each.mention)]
