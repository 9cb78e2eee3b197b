"""The kernels of a module: of its functions, or of parts of these.

Loaded when somebody wants machine code.
"""

from collections.abc import Callable, Sequence
from typing import Any

from srcgrad.emit import Module, build
from srcgrad.graph import Partition
from srcgrad.native.calls import backward_call, called_kernel, forward_call, kernels_of
from srcgrad.native.compiling import Entry
from srcgrad.native.elements import UnsupportedError
from srcgrad.native.kernel import Kernel
from srcgrad.native.parts import Part, parted, parted_call

Function = Callable[..., Any]
# What stands for a function: of its compiled kernels, and of what answers the calls
# that these leave.
Into = Callable[[Sequence[Entry], Function], Function]
# By the name of a function the kernels in it, and what it is by them.
Functions = dict[str, tuple[Sequence[Kernel], Into]]
# The source, why it is in parts, and these.
Plan = tuple[str, str, Functions]


def planned(module: Module, partition: Partition, threads: int) -> Plan:
    """The kernels of a module's functions: of the whole, or of parts of it.

    Raises
    ------
    UnsupportedError
        If there are none.
    """
    try:
        kernels = kernels_of(partition, threads)
    except UnsupportedError:
        return _in_parts(module, partition, threads)
    functions: Functions = {
        name: ((kernel,), _whole(name, partition, kernel))
        for name, kernel in kernels.items()
    }
    return "\n\n".join(kernel.text for kernel in kernels.values()), "", functions


def _whole(name: str, partition: Partition, kernel: Kernel) -> Into:
    def into(compiled: Sequence[Entry], left: Function) -> Function:
        (entry,) = compiled
        if name == "forward":  # of a call whose dtypes are those of the trace
            return forward_call(partition, kernel, entry.unchecked, left)
        return backward_call(partition, kernel, entry.checked, left)

    return into


def _in_parts(module: Module, partition: Partition, threads: int) -> Plan:
    found, parts, why = parted(partition, threads)
    driver = build(f"{module.filename} in parts", found)
    texts = [driver.text, *(part.kernel.text for part in parts)]
    functions: Functions = {}
    for name, graph in (("forward", found.forward), ("backward", found.backward)):
        steps = [] if graph is None else graph.nodes
        own = [step.function for step in steps if isinstance(step.function, Part)]
        if own:
            function: Any = getattr(driver, name)
            kernels = [part.kernel for part in own]
            functions[name] = kernels, _by_parts(function, own)
    return "\n\n".join(texts), why, functions


def _by_parts(function: Function, parts: Sequence[Part]) -> Into:
    def into(compiled: Sequence[Entry], left: Function) -> Function:
        for part, each in zip(parts, compiled, strict=True):
            part.run = called_kernel(part.kernel, each.checked)
        return parted_call(function, left)

    return into
