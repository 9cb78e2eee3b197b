"""``Called``: what is called in a function's place, and the short way through it.

Most calls are like one of the last few. What served these is asked first: generated
code, or the tape, where that was looked for in vain (``pausing``).
"""

from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar

from srcgrad.modes import state
from srcgrad.tracebacks import trim

P = ParamSpec("P")
R = TypeVar("R")

# What comes of a call that is to be made in the usual way.
MISS: Any = object()


class Called(Generic[P, R]):
    """A function with its traces, or a transform of one.

    ``form`` is what its traces are filed under. By that, ``last`` has what served the
    last calls; ``_bound`` and ``_keywords`` are given to the function beside what a
    call gives.
    """

    __name__: str
    __wrapped__: Callable[P, R]
    form: Any = None
    last: dict[Any, tuple[Any, ...]]
    _bound: tuple[Any, ...]
    _keywords: dict[str, Any]

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            if state.is_outermost:
                given = {**self._keywords, **kwargs} if self._keywords else kwargs
                for last in self.last.get(self.form, ()):
                    result = last.direct(args, given, self._bound)
                    if result is not MISS:
                        stats = last.stats
                        last.used = stats.compiled = stats.compiled + 1
                        return result  # type: ignore[no-any-return]
            return self._called_anew(args, kwargs)  # type: ignore[no-any-return]
        except Exception as error:
            trim(error)
            raise

    def _called_anew(self, args: Any, kwargs: Any) -> Any:
        """The result of a call that is not served at once."""
        raise NotImplementedError
