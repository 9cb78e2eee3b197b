"""What is loaded late: parts of srcgrad that a program may never need.

``import srcgrad`` gives the tape, and what is loaded with it is in every process of
every pool. The rest comes when it is first asked for, in one of two ways:

* ``LateNames``: names of a module that come out of other modules of ours. Asked for
  from outside (``srcgrad.grad``), they are found one by one, by a module's
  ``__getattr__`` (PEP 562). A module that uses them itself (``tracing.traced``) calls
  ``load`` before.
* ``Chapters``: what is known of the modules of a library, entered into our tables once
  the program has imported the module, and asks for something that is not in them.

Nothing is imported inside a function. For type checkers and for readers late names are
imported under ``if TYPE_CHECKING:``, too; a test holds the two lists to each other
(``tests/test_layers.py``), and one names the module that loads with the tape and should
not (``tests/test_imports.py``).
"""

import sys
import threading
from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from typing import Any


class LateNames:
    """Names of a module that other modules define, which are imported late.

    Threads may ask at once: each module is imported by one of them, and the others
    wait for it, as with any ``import``.

    Parameters
    ----------
    space : dict
        The ``globals()`` of the module that has the names.
    homes : dict of str
        For each module that defines some of them, these, with spaces between; or
        modules of a package.

    Examples
    --------
    >>> space = {"__name__": "ours"}
    >>> late = LateNames(space, {"json": "dumps loads"})
    >>> late.find("dumps")([1]), "loads" in space
    ('[1]', False)
    """

    def __init__(self, space: dict[str, Any], homes: Mapping[str, str]) -> None:
        self._space = space
        self._homes = {
            name: home for home, names in homes.items() for name in names.split()
        }

    def find(self, name: str) -> Any:
        """What a name stands for; from now on the module has it.

        Raises
        ------
        AttributeError
            If it is none of them.
        """
        home, own = self._homes.get(name), self._space["__name__"]
        if home is None:
            raise AttributeError(
                f"module {own!r} has no attribute {name!r}",
                name=name,
                obj=sys.modules.get(own),
            )
        module = import_module(home)
        if home == own or not hasattr(module, name):
            found: Any = import_module(f"{home}.{name}")
        else:
            found = getattr(module, name)
        return self._space.setdefault(name, found)

    def load(self) -> None:
        """Find all that the module does not have yet."""
        for name in self._homes.keys() - self._space.keys():
            self.find(name)

    def can_load(self) -> bool:
        """Find all as ``load``; False where a library that they need is not there."""
        try:
            self.load()
        except ImportError:
            return False
        return True


class Chapters:
    """What is known of modules of libraries, entered once the program has them.

    Parameters
    ----------
    enter : callable
        ``enter(modules)`` enters what is known of modules into our tables, by their
        names.

    Examples
    --------
    >>> chapters = Chapters(print)
    >>> chapters.enter_new(["math", "never.imported"]), chapters.enter_new(["math"])
    ['math']
    (True, False)
    """

    def __init__(self, enter: Callable[[list[str]], None]) -> None:
        self._enter = enter
        self._entered: set[str] = set()
        self._entering: set[str] = set()
        # A second thread waits until all is there; the first may come here again.
        self._lock = threading.RLock()

    def enter_new(self, modules: Collection[str]) -> bool:
        """Enter what is known of those that are new; whether it is worth a new look."""
        if not any(map(self._is_new, modules)):
            return False
        with self._lock:
            new = [m for m in modules if self._is_new(m) and m not in self._entering]
            if not new:  # by now it is done, or this thread is in the middle of it
                return not self._entering
            self._entering.update(new)
            try:
                self._enter(new)
                self._entered.update(new)
            finally:  # after an error the next call is to fail as well
                self._entering.difference_update(new)
        return True

    def _is_new(self, module: str) -> bool:
        if module in self._entered:
            return False
        found = sys.modules.get(module)
        # A module that is being imported is not yet to be looked into.
        spec = getattr(found, "__spec__", None)
        return found is not None and not getattr(spec, "_initializing", False)
