"""``seldom``: what is recorded is not looked through for garbage again and again.

It is a lot, and lives on; Python's collector would go through all of it each time that
it has grown by a quarter. Young objects are looked at as ever.

>>> import gc
>>> before = gc.get_threshold()
>>> with seldom:
...     gc.get_threshold()[:2] == before[:2], gc.get_threshold()[2] == NEVER_COLLECTS
(True, True)
>>> gc.get_threshold() == before
True
"""

import gc
import threading
from types import TracebackType

# After so many looks at what is not quite young the collector looks at all.
NEVER_COLLECTS = 2**30


class _Seldom:
    """For as long as somebody is inside: in any thread, for the collector is one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._before = 0

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                first, second, self._before = gc.get_threshold()
                gc.set_threshold(first, second, NEVER_COLLECTS)
            self._inside += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self._lock:
            self._inside -= 1
            first, second, third = gc.get_threshold()
            if (
                not self._inside and third == NEVER_COLLECTS
            ):  # else the user has set another one
                gc.set_threshold(first, second, self._before)


seldom = _Seldom()
