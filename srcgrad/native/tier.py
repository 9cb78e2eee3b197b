"""Which code answers a call: NumPy's, or machine code once it is there and faster.

What machine code does not do, it raises: then the call is NumPy's, with its warnings,
its errors, and its guards. So it is with functions on Python's floats, whose place it
takes in a module.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

from srcgrad.config import config
from srcgrad.emit import Module, build
from srcgrad.graph import Partition
from srcgrad.native.calls import backward_call, called_kernel, forward_call, kernels_of
from srcgrad.native.compiling import Entry, compile_beside, compiled_now, is_there
from srcgrad.native.elements import UnsupportedError
from srcgrad.native.kernel import Kernel
from srcgrad.native.parts import Part, parted, parted_call
from srcgrad.policy import NATIVE_FAILURES, NATIVE_TRIALS, SECONDS_OF_NUMBA
from srcgrad.unboxing import LEFT_TO_NUMPY

Function = Callable[..., Any]
# What stands for a function: of its compiled kernels, and of what answers the calls
# that these leave.
Into = Callable[[Sequence[Entry], Function], Function]


@dataclass(eq=False)
class Machine:
    """The machine code of a module.

    ``text`` is the source that Numba compiles; ``said`` tells what answers calls;
    ``in_parts`` why it is not one kernel.
    """

    text: str = ""
    said: str = ""
    in_parts: str = ""


class Slot:
    """One function of a module, in two tiers.

    It begins with NumPy's, until that has taken as long as Numba will; then machine
    code is made elsewhere; some calls go each way, and from then on the faster.
    """

    def __init__(self, machine: Machine, usual: Function, into: Into) -> None:
        self._machine, self._usual, self._into = machine, usual, into
        self._native: Function | None = None
        self._spent, self._failures = 0.0, 0
        self._times: tuple[list[float], list[float]] = [], []
        # What answers calls now.
        self._now: list[Function] = [self._count]
        self._make: Callable[[], object] | None = None

    def function(self) -> Function:
        """What stands in the module: whatever answers now."""
        now = self._now
        return lambda *inputs: now[0](*inputs)

    def begin(self, kernels: Sequence[Kernel], is_now: bool) -> None:
        """Make the machine code at once, or when it is worth it."""
        if is_now:
            compiled = compiled_now(kernels, self.fails)
            if compiled is not None:
                self._ready(compiled)
            return
        self._make = lambda: compile_beside(kernels, self._ready, self.fails)

    def _count(self, *inputs: Any) -> Any:
        """NumPy's, and its time is added up."""
        start = perf_counter()
        found = self._usual(*inputs)
        self._spent += perf_counter() - start
        if self._spent > SECONDS_OF_NUMBA:
            make, self._make = self._make, None
            if make is not None:  # but for another thread
                self._now[0] = self._usual
                self._machine.said = "machine code is being made"
                make()
        return found

    def _ready(self, compiled: Sequence[Entry]) -> None:
        """Machine code is there."""
        self._native = self._into(compiled, self._left)
        self._machine.said = "machine code is being tried"
        self._now[0] = self._try

    def fails(self, why: str) -> None:
        """There is none, or it is of no use."""
        self._machine.said = why
        self._now[0] = self._usual

    def _try(self, *inputs: Any) -> Any:
        """One call this way, one that way: the faster one stays."""
        natives, usuals = self._times
        is_native, failures = len(natives) <= len(usuals), self._failures
        start = perf_counter()
        found = (self._native if is_native else self._usual)(*inputs)  # type: ignore[misc]
        seconds = perf_counter() - start
        if self._failures == failures:
            (natives if is_native else usuals).append(seconds)
        if min(len(natives), len(usuals)) >= NATIVE_TRIALS:
            self._decide(min(natives) / min(usuals))
        return found

    def _decide(self, ratio: float) -> None:
        is_faster = ratio < 1.0
        self._now[0] = self._native if is_faster else self._usual  # type: ignore[assignment]
        how = "machine code" if is_faster else "NumPy, for machine code"
        said = f"{how} takes {ratio:.2g} of NumPy's time"
        why = f" (in parts: {self._machine.in_parts})" if self._machine.in_parts else ""
        self._machine.said = said + why

    def _left(self, *inputs: Any) -> Any:
        """A call that is NumPy's; if so many are, all will be."""
        self._failures += 1
        if self._failures > NATIVE_FAILURES:
            self.fails(
                "NumPy, which has something to say of many calls, or other shapes"
            )
        return self._usual(*inputs)


def tiered(module: Module, partition: Partition, mode: Any, is_any: bool) -> Module:
    """A module with machine code in front of it, or to come; ``mode`` as users say it.

    ``partition`` is what it was written of, before anything was written in place;
    ``is_any``: for arrays of any length, where machine code is of one.
    """
    if not is_there():
        return replace(module, machine=Machine("", "NumPy: Numba is not installed"))
    if is_any:
        why = "NumPy: a trace for any length is left to NumPy"
        return replace(module, machine=Machine("", why))
    try:
        machine, functions = _planned(module, partition)
    except UnsupportedError as error:
        return replace(module, machine=Machine("", f"NumPy: {error}"))
    except Exception as error:
        if config.debug:
            raise
        why = f"NumPy: srcgrad itself failed: {type(error).__name__}: {error}"
        return replace(module, machine=Machine("", why))
    machine.said = "NumPy, until it has taken as long as Numba will"
    changes: dict[str, Any] = {"machine": machine}
    for name, (kernels, into) in functions.items():
        usual = _usual(getattr(module, f"{name}_on_floats"), getattr(module, name))
        slot = Slot(machine, usual, into)
        changes[f"{name}_on_floats"] = slot.function()
        slot.begin(kernels, mode == "now")
    return replace(module, **changes)


# By the name of a function the kernels in it, and what it is by them.
Functions = dict[str, tuple[Sequence[Kernel], Into]]


def _planned(module: Module, partition: Partition) -> tuple[Machine, Functions]:
    """The kernels of a module's functions: of the whole, or of parts of it.

    Raises
    ------
    UnsupportedError
        If there are none.
    """
    try:
        kernels = kernels_of(partition)
    except UnsupportedError:
        return _in_parts(module, partition)
    machine = Machine("\n\n".join(kernel.text for kernel in kernels.values()))
    return machine, {
        name: ((kernel,), _whole(name, partition, kernel))
        for name, kernel in kernels.items()
    }


def _whole(name: str, partition: Partition, kernel: Kernel) -> Into:
    def into(compiled: Sequence[Entry], left: Function) -> Function:
        (entry,) = compiled
        if name == "forward":  # of a call whose dtypes are those of the trace
            return forward_call(partition, kernel, entry.unchecked, left)
        return backward_call(partition, kernel, entry.checked, left)

    return into


def _in_parts(module: Module, partition: Partition) -> tuple[Machine, Functions]:
    found, parts, why = parted(partition)
    driver = build(f"{module.filename} in parts", found)
    texts = [driver.text, *(part.kernel.text for part in parts)]
    machine = Machine("\n\n".join(texts), in_parts=why)
    functions: Functions = {}
    for name, graph in (("forward", found.forward), ("backward", found.backward)):
        steps = [] if graph is None else graph.nodes
        own = [step.function for step in steps if isinstance(step.function, Part)]
        if own:
            function: Any = getattr(driver, name)
            kernels = [part.kernel for part in own]
            functions[name] = kernels, _by_parts(function, own)
    return machine, functions


def _by_parts(function: Function, parts: Sequence[Part]) -> Into:
    def into(compiled: Sequence[Entry], left: Function) -> Function:
        for part, each in zip(parts, compiled, strict=True):
            part.run = called_kernel(part.kernel, each.checked)
        return parted_call(function, left)

    return into


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
