"""Calls of compiled kernels in the place of generated functions.

A kernel gives numbers, and new arrays; what goes through, and NumPy's kinds of numbers,
are added here.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.graph import Graph, Partition
from srcgrad.native.elements import UnsupportedError
from srcgrad.native.kernel import Kernel, kernel_of
from srcgrad.steps import Value


def kernels_of(partition: Partition, threads: int) -> dict[str, Kernel]:
    """The kernels of a partition's functions; for each name that function's.

    Raises
    ------
    UnsupportedError
        If there is no machine code for something in them.
    """
    forward = partition.forward
    found = {
        "forward": kernel_for(forward, (*forward.outputs, *partition.saved), threads)
    }
    backward = partition.backward
    if backward is not None:
        found["backward"] = kernel_for(backward, backward.outputs, threads)
    return {name: each for name, each in found.items() if each.outputs}


def kernel_for(graph: Graph, wanted: Sequence[Value], threads: int) -> Kernel:
    """The kernel of what a function computes; what it is given, is given on.

    Raises
    ------
    UnsupportedError
        If there is no machine code for something in it, or results share memory.
    """
    if not graph.constants.keys().isdisjoint(wanted):
        raise UnsupportedError("a constant that is given back is left to NumPy")
    given = set(graph.inputs)
    outputs = tuple(dict.fromkeys(value for value in wanted if value not in given))
    origins, seen = graph.origins(), set(graph.given)
    for value in outputs:
        if not seen.isdisjoint(origins.get(value, {value})):
            raise UnsupportedError("results that share memory are left to NumPy")
        seen |= {value, *origins.get(value, ())}
    return kernel_of(replace(graph, outputs=outputs), "kernel", threads)


def called_kernel(kernel: Kernel, compiled: Callable[..., Any]) -> Callable[..., Any]:
    """A function of what a kernel is given, to what it gives, as NumPy has it.

    What NumPy has computed before may lie in any order.
    """
    inputs = [f"a{number}" for number, _ in enumerate(kernel.given)]
    in_order = [
        f"in_order({name})" if value.shape and value.kind == "array" else name
        for name, value in zip(inputs, kernel.given, strict=True)
    ]
    names, called = _called(kernel, in_order)
    results = _tuple([names[value] for value in kernel.outputs])
    lines = [*called, f"return {results}"]
    return _function(inputs, lines, kernel, compiled, compiled)


def forward_call(
    partition: Partition,
    kernel: Kernel,
    compiled: Callable[..., Any],
    left: Callable[..., Any],
) -> Callable[..., Any]:
    """What takes what ``forward`` takes, and gives what it gives.

    ``left`` answers the calls that machine code does not.
    """
    graph = partition.forward
    inputs = [f"a{number}" for number, _ in enumerate(graph.inputs)]
    names, called = _called(kernel, inputs)
    lines = _or_left(called, inputs)
    names.update(zip(graph.inputs, inputs, strict=True))
    results = _tuple([names[value] for value in graph.outputs])
    if partition.backward is not None:
        saved = _tuple([names[value] for value in partition.saved], is_whole=True)
        results = f"{results}, {saved}"
    return _function(inputs, [*lines, f"return {results}"], kernel, compiled, left)


def backward_call(
    partition: Partition,
    kernel: Kernel,
    compiled: Callable[..., Any],
    left: Callable[..., Any],
) -> Callable[..., Any]:
    """The same for ``backward``."""
    graph = partition.backward
    assert graph is not None
    saved = [f"s{number}" for number, _ in enumerate(partition.saved)]
    given = [f"g{number}" for number, _ in enumerate(partition.cotangents)]
    names, called = _called(kernel, [*saved, *given])
    lines = _or_left(called, ["saved", *given])
    names.update(zip(graph.inputs, [*saved, *given], strict=True))
    results = _tuple([names[value] for value in graph.outputs])
    taken = [f"{_tuple(saved, is_whole=True)} = saved"] if saved else []
    return _function(
        ["saved", *given], [*taken, *lines, f"return {results}"], kernel, compiled, left
    )


def _called(
    kernel: Kernel, inputs: Sequence[str]
) -> tuple[dict[Value, str], list[str]]:
    """What the results of a kernel are, as NumPy has them, and what runs it."""
    given = list(map(_as_numba, inputs, kernel.given))
    constants = [f"c{number}" for number, _ in enumerate(kernel.constants)]
    names = {value: f"r{number}" for number, value in enumerate(kernel.outputs)}
    made = {names[value]: _empty(value) for value in kernel.filled}
    results = [name for name in names.values() if name not in made]
    call = f"compiled({', '.join([*given, *constants, *made])})"
    called = f"{_tuple(results)} = {call}" if results else call
    lines = [*(f"{name} = {empty}" for name, empty in made.items()), called]
    return {value: _as_numpy(value, name) for value, name in names.items()}, lines


def _or_left(called: Sequence[str], arguments: Sequence[str]) -> list[str]:
    """Statements that run a kernel, or leave the whole call to NumPy.

    Whatever an error is, NumPy says it in its own words.
    """
    otherwise = f"    return left({', '.join(arguments)})"
    steps = [f"    {line}" for line in called]
    return ["try:", *steps, "except Exception:", otherwise]


def _as_numba(name: str, value: Value) -> str:
    """An argument as a kernel takes it; a list is an array."""
    if value.kind == "list":
        return f"array({name}, {str(value.dtype)!r}).reshape({(-1, *value.shape)})"
    return f"{name}[()]" if value.kind == "array" and not value.shape else name


def _empty(value: Value) -> str:
    """A new array for a result."""
    shape = value.shape[0] if len(value.shape) == 1 else value.shape
    kind = "" if value.dtype == float else f", {str(value.dtype)!r}"
    return f"empty({shape}{kind})"


def _as_numpy(value: Value, name: str) -> str:
    if value.kind == "list":
        return f"[*{name}]"
    if value.shape or value.kind == "float":
        return name
    if value.kind == "array":
        return f"array({name})"
    return f"{'truth' if value.dtype == bool else 'float64'}({name})"


def _tuple(names: Sequence[str], is_whole: bool = False) -> str:
    if len(names) == 1 and not is_whole:
        return names[0]
    return f"({''.join(f'{name}, ' for name in names)})"


def _function(
    parameters: Sequence[str],
    lines: Sequence[str],
    kernel: Kernel,
    compiled: Callable[..., Any],
    left: Callable[..., Any],
) -> Callable[..., Any]:
    namespace: dict[str, Any] = {"compiled": compiled, "array": np.array, "left": left}
    namespace.update(float64=np.float64, truth=np.bool_, empty=np.empty)
    namespace["in_order"] = np.ascontiguousarray
    constants = enumerate(kernel.constants)
    namespace.update({f"c{number}": array for number, array in constants})
    body = "\n    ".join(lines)
    exec(f"def native({', '.join(parameters)}):\n    {body}", namespace)
    return namespace.pop("native")  # type: ignore[no-any-return]  # or it is a cycle
