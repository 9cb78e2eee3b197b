"""Which code answers a call: NumPy's, or machine code once it is there and faster.

What machine code does not do, it raises: then the call is NumPy's, with its warnings,
its errors, and its guards. So it is with functions on Python's floats, whose place it
takes in a module.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Any

from srcgrad.config import config, has_numba
from srcgrad.emit import Module
from srcgrad.graph import Partition
from srcgrad.late import LateNames
from srcgrad.native.elements import UnsupportedError
from srcgrad.policy import NATIVE_FAILURES, NATIVE_TRIALS, SECONDS_OF_NUMBA
from srcgrad.unboxing import LEFT_TO_NUMPY

if TYPE_CHECKING:
    from srcgrad.native.compiling import Entry, compile_beside, compiled_now
    from srcgrad.native.kernel import Kernel
    from srcgrad.native.planning import Functions, Into, Plan, planned

# Most traces are never called so often.
_late = LateNames(
    globals(),
    {
        "srcgrad.native.compiling": "Entry compile_beside compiled_now",
        "srcgrad.native.kernel": "Kernel",
        "srcgrad.native.planning": "Functions Into Plan planned",
    },
)

Function = Callable[..., Any]


class Machine:
    """The machine code of a module, which is planned when somebody wants it.

    ``said`` tells what answers calls; ``in_parts`` why it is not one kernel. ``plan``
    finds the source that Numba compiles, that reason, and the functions.
    """

    def __init__(self, said: str, plan: Callable[[], Plan] | None = None) -> None:
        self.said, self.in_parts = said, ""
        self._plan = plan
        self._text = ""
        self._functions: Functions = {}
        self._lock = Lock()

    @property
    def text(self) -> str:
        """The source that Numba compiles; empty, where ``said`` tells why."""
        self.functions()
        return self._text

    def functions(self) -> Functions:
        """The functions that have kernels, by their names."""
        with self._lock:
            plan, self._plan = self._plan, None
            if plan is not None:
                _late.load()
                try:
                    self._text, self.in_parts, self._functions = plan()
                except UnsupportedError as error:
                    self.said = f"NumPy: {error}"
                except Exception as error:
                    if config.debug:
                        raise
                    why = f"{type(error).__name__}: {error}"
                    self.said = f"NumPy: srcgrad itself failed: {why}"
        return self._functions


class _Answers:
    """What answers the calls of a function now, and its machine code."""

    __slots__ = ("__weakref__", "native", "now")
    native: Function
    now: Function


class Slot:
    """One function of a module, in two tiers.

    It begins with NumPy's, until that has taken as long as Numba will; then machine
    code is made elsewhere; some calls go each way, and from then on the faster.
    """

    def __init__(self, machine: Machine, name: str, usual: Function) -> None:
        self._machine, self._name, self._usual = machine, name, usual
        self._into: Into | None = None
        self._spent, self._failures = 0.0, 0
        self._times: tuple[list[float], list[float]] = [], []
        self._answers: Callable[[], _Answers | None] = lambda: None
        self._first = Lock()

    def function(self, count: int) -> Function:
        """What stands in the module: of so many inputs, whatever answers now."""
        given = ", ".join(f"a{number}" for number in range(count))
        # Who calls has the answers, and these have the slot: it is no cycle, so that a
        # trace goes when nobody has it any more.
        answers = _Answers()
        answers.now = self._count
        self._answers = weakref.ref(answers)
        found: Function = eval(
            f"lambda {given}: answers.now({given})", {"answers": answers}
        )
        return found

    @property
    def _native(self) -> Function:
        answers = self._answers()
        assert answers is not None
        return answers.native

    def _answer(self, function: Function) -> None:
        """Have a function answer from now on."""
        answers = self._answers()
        if answers is not None:
            answers.now = function

    def compile(self) -> None:
        """Make the machine code, and wait for it."""
        _late.load()
        self._begin(compiled_now)

    def _begin(self, compiling: Callable[..., object]) -> None:
        """Have NumPy's from here on, until machine code is there."""
        self._answer(self._usual)
        compiling(self._kernels, self._ready, self._fails)

    def _kernels(self) -> Sequence[Kernel]:
        kernels, self._into = self._machine.functions().get(self._name, ((), None))
        return kernels

    def _count(self, *inputs: Any) -> Any:
        """NumPy's, and its time is added up."""
        start = perf_counter()
        found = self._usual(*inputs)
        self._spent += perf_counter() - start
        if self._spent > SECONDS_OF_NUMBA and self._first.acquire(blocking=False):
            self._machine.said = "NumPy: machine code is being made"
            _late.load()
            self._begin(compile_beside)
        return found

    def _ready(self, compiled: Sequence[Entry]) -> None:
        """Machine code is there."""
        answers = self._answers()
        if self._into is None or answers is None:
            return
        answers.native = self._into(compiled, self._left)
        self._machine.said = "machine code is being tried"
        self._answer(self._try)

    def _fails(self, why: str) -> None:
        """There is none, or it is of no use."""
        self._machine.said = why
        self._answer(self._usual)

    def _try(self, *inputs: Any) -> Any:
        """One call this way, one that way: the faster one stays."""
        natives, usuals = self._times
        is_native, failures = len(natives) <= len(usuals), self._failures
        start = perf_counter()
        found = (self._native if is_native else self._usual)(*inputs)
        seconds = perf_counter() - start
        if self._failures == failures:
            (natives if is_native else usuals).append(seconds)
        if min(len(natives), len(usuals)) >= NATIVE_TRIALS:
            self._decide(min(natives) / min(usuals))
        return found

    def _decide(self, ratio: float) -> None:
        is_faster = ratio < 1.0
        self._answer(self._native if is_faster else self._usual)
        how = "machine code" if is_faster else "NumPy, for machine code"
        said = f"{how} takes {ratio:.2g} of NumPy's time"
        why = f" (in parts: {self._machine.in_parts})" if self._machine.in_parts else ""
        self._machine.said = said + why

    def _left(self, *inputs: Any) -> Any:
        """A call that is NumPy's; if so many are, all will be."""
        self._failures += 1
        if self._failures > NATIVE_FAILURES:
            self._fails(
                "NumPy, which has something to say of many calls, or other shapes"
            )
        return self._usual(*inputs)


def tiered(
    module: Module, partition: Partition, mode: Any, threads: int, is_any: bool
) -> Module:
    """A module with machine code in front of it, or to come; ``mode`` as users say it.

    ``partition`` is what it was written of, before anything was written in place;
    ``is_any``: for arrays of any length, where machine code is of one.
    """
    if not has_numba():
        return replace(module, machine=Machine("NumPy: Numba is not installed"))
    if is_any:
        why = "NumPy: a trace for any length is left to NumPy"
        return replace(module, machine=Machine(why))
    machine = Machine("", lambda: planned(module, partition, threads))
    changes: dict[str, Any] = {"machine": machine}
    for name in ("forward", "backward"):
        plain = getattr(module, name)
        if plain is not None:
            usual = _usual(getattr(module, f"{name}_on_floats"), plain)
            slot = Slot(machine, name, usual)
            changes[f"{name}_on_floats"] = slot.function(plain.__code__.co_argcount)
            if mode == "now":
                slot.compile()
    return replace(module, **changes)


def _usual(on_floats: Function | None, plain: Function) -> Function:
    """What NumPy's tier does in a call."""
    if on_floats is None:
        return plain

    def usual(*inputs: Any) -> Any:
        try:
            return on_floats(*inputs)
        except LEFT_TO_NUMPY:
            return plain(*inputs)

    return usual
