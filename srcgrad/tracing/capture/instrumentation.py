"""``Capture``: what the instrumented copy calls; each does what the user wrote.

It notes that too, and refuses what would make generated code differ from the function:
what the parts in ``INTERFACE`` do. See ``calls`` for what happens at a call.
"""

import builtins
import weakref
from types import CellType, FunctionType
from typing import Any, NoReturn

from srcgrad.tracing.capture.captured_reads import CapturedReads
from srcgrad.tracing.capture.context import Context
from srcgrad.tracing.capture.dispatch import Dispatch
from srcgrad.tracing.capture.parts import Parts
from srcgrad.tracing.environment import conditions
from srcgrad.tracing.environment.objects import Parent
from srcgrad.tracing.environment.references import Attribute, Cell, Global, Known
from srcgrad.tracing.environment.with_statements import Managed, caught
from srcgrad.tracing.following.follow import Follower
from srcgrad.tracing.refusal import SetsInArms, UserError

# Those of Python itself; what else is put there may change.
BUILTINS = dict(vars(builtins))

# What a copy calls of the parts; the rest, of names and errors, is in `Capture` itself.
INTERFACE = {
    "context": "call attribute item changes",
    "lookups": "concatenated imported",
    "asking": "compared same searched",
    "telling": "formatted remainder",
    "storing": "augmented augmented_attribute augmented_item delete_attribute "
    "delete_item named operated put_back store store_attribute",
    "choosing": "both branch chained chosen either negated plain returned",
    "cases": "attributes_if_instance is_sequence matched middle values_if_mapping "
    "without",
    "list_building": "as_list collect new_list",
    "iterating": "along binds bound counting heads in_rows iterations joined leaves "
    "limit rebinds stepping times",
    "comprehending": "listed summed",
}


class RunCapture:
    """What the copies of one run have in common."""

    def __init__(self, reads: CapturedReads) -> None:
        context = Context(reads)
        self.reads, self.parts = reads, Parts(context)
        self.open()
        self.interface = {
            name: getattr(part, name)
            for place, names in INTERFACE.items()
            for part in [getattr(self.parts, place)]
            for name in names.split()
        }

    def open(self) -> None:
        """Make known what any part may have to do."""
        context, lookups = self.parts.context, self.parts.lookups
        context.call = Dispatch(self.parts).call
        context.attribute, context.item = lookups.attribute, lookups.item

    def capture(self, function: FunctionType) -> "Capture":
        """What the copy of a function calls."""
        return Capture(self, function)

    def let_go(self) -> None:
        """The run is over: no part holds itself by way of others any more."""
        context = self.parts.context
        del context.call, context.attribute, context.item
        context.reopen = weakref.WeakMethod(self.open)


class Capture:
    """``__srcgrad__`` in the copy of one function that is recorded."""

    def __init__(self, run_capture: RunCapture, function: FunctionType) -> None:
        vars(self).update(run_capture.interface)
        self._run_capture = run_capture  # for copies that run when the run is over
        self._context, self._reads = run_capture.parts.context, run_capture.reads
        self._attributes = run_capture.parts.attributes
        self._globals, self._code = function.__globals__, function.__code__
        self._cells: dict[str, CellType] = dict(
            zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        )

    # It looks at who else has the value: between them there is nobody.
    made = Follower.made

    # ----- Names -----

    def environment(self, name: str, value: Any) -> Any:
        """A name that the function does not bind itself."""
        cell = self._cells.get(name)
        namespace: Any = self._globals if cell is None else cell
        return self._reads.remembered(
            (id(namespace), name), lambda: self._entered(name, cell, value)
        )

    def environment_attribute(self, name: str, value: Any, attr: str) -> Any:
        """An attribute of what such a name is: ``np.sin``."""
        return self._context.attribute(self.environment(name, value), attr)

    def counter(self, name: str, value: Any) -> Any:
        """The same of a name that is about to be changed: ``n += 1``."""
        self._reads.expects_change(name)
        return self.environment(name, value)

    def rebind(self, name: str, value: Any) -> None:
        """``name = value`` of a ``global`` or ``nonlocal`` name."""
        self._context.changes()
        cell = self._cells.get(name)
        if cell is None:
            self._attributes.set_global(self._globals, name, value)
        else:
            self._attributes.set_cell(name, cell, value)

    def held(self, item: Any, name: str) -> Any:
        """``item.name`` before an ``if`` whose arms set it."""
        if not self._attributes.may_hold(item, name):
            raise SetsInArms(self._code)
        found = self._context.attribute(item, name)
        self._reads.held.take(item, name, self._code)
        return found

    def parent(self, kind: type, item: Any) -> Any:
        """``super()`` in a method of a class."""
        return Parent(kind, item, self._reads.twins)

    def _entered(self, name: str, cell: CellType | None, value: Any) -> Any:
        if cell is not None:
            return self._reads.enter(Cell(name, cell), value)
        if name in self._globals:
            return self._reads.enter(Global(name, self._globals), value)
        self._reads.require(conditions.is_global_still_missing(name, self._globals))
        if vars(builtins).get(name) is value and value is not BUILTINS.get(name):
            return self._reads.enter(
                Attribute(Known("builtins", builtins), name), value
            )
        return value

    # ----- Errors -----

    def tries(self) -> None:
        """``try: ... except: ...``: an error may be no error of the call."""
        self._reads.catching.catches = True

    def managed(self, manager: Any) -> Any:
        """What a ``with`` statement enters, which may swallow errors."""
        return Managed(self._reads, manager)

    def caught(self, is_named: bool) -> None:
        """The user's ``except`` has caught an error, and perhaps given it a name."""
        caught(self._reads, is_named)

    def raises(self) -> NoReturn:
        """``raise ...``: the run on the tape will say what."""
        raise UserError
