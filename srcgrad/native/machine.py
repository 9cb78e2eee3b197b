"""What Numba makes of kernels, and whether NumPy would have said something.

The processor has flags for invalid operations, divisions by zero and overflows; NumPy
has its warnings from them. A kernel clears them first, and looks at them last: if one
is set, it raises, and the call is NumPy's. Loaded when the first kernel is compiled.
"""

import ctypes
import ctypes.util
import platform
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import llvmlite.binding
import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from srcgrad.native import vectors
from srcgrad.native.kernel import Kernel
from srcgrad.steps import Value

# Of C's <fenv.h>: invalid, division by zero, overflow; and the registers of floats.
FLAGS = {"x86_64": 1 | 4 | 8, "AMD64": 1 | 4 | 8, "aarch64": 7, "arm64": 7}
REGISTERS = {"x86_64": "x", "AMD64": "x", "aarch64": "w", "arm64": "w"}
MACHINE = platform.machine()


def _of_c(name: str) -> Any:
    """A function of the C library, under a name of ours, in machine code."""
    library = ctypes.CDLL(ctypes.util.find_library("m"))
    address = ctypes.cast(getattr(library, name), ctypes.c_void_p).value
    llvmlite.binding.add_symbol(f"srcgrad_{name}", address)
    return types.ExternalFunction(f"srcgrad_{name}", types.int32(types.int32))


clear, raised = _of_c("feclearexcept"), _of_c("fetestexcept")
MASK = FLAGS.get(MACHINE, 0)
# Of what Numba does in parallel, loops that say so, and nothing else.
IN_THREADS = {
    **dict.fromkeys("comprehension reduction inplace_binop setitem".split(), False),
    **dict.fromkeys("numpy stencil fusion".split(), False),
    "prange": True,
}


@intrinsic
def barrier(context, number):  # type: ignore[no-untyped-def]
    """A number that is computed when it is read here, neither before nor after it."""

    def write(context, builder, signature, args):  # type: ignore[no-untyped-def]
        kind = args[0].type
        form = ir.FunctionType(kind, [kind])
        constraint = f"={REGISTERS[MACHINE]},0"
        assembly = ir.InlineAsm(form, "", constraint, side_effect=True)
        return builder.call(assembly, args)

    return number(number), write


def _njit(*signature: Any) -> Any:
    return numba.njit(*signature, error_model="numpy", fastmath=False)


@_njit()
def chosen(test, first, second):  # type: ignore[no-untyped-def]
    """``first if test else second``, where both are computed before."""
    one, other = barrier(first), barrier(second)
    return one if test else other


@intrinsic
def rolled(context, count):  # type: ignore[no-untyped-def]
    """A number that LLVM does not know, or it unrolls the loop before it vectorises."""

    def write(context, builder, signature, args):  # type: ignore[no-untyped-def]
        form = ir.FunctionType(args[0].type, [args[0].type])
        return builder.call(ir.InlineAsm(form, "", "=r,0"), args)

    return types.int64(types.int64), write


@_njit()
def added(terms, count):  # type: ignore[no-untyped-def]
    """The sum of the first numbers, eight side by side, as NumPy adds up a block."""
    whole = count - count % 8
    total = 0.0
    if whole:
        a, b, c, d = terms[0], terms[1], terms[2], terms[3]
        e, f, g, h = terms[4], terms[5], terms[6], terms[7]
        for i in range(8, whole, 8):
            a, b = a + terms[i], b + terms[i + 1]
            c, d = c + terms[i + 2], d + terms[i + 3]
            e, f = e + terms[i + 4], f + terms[i + 5]
            g, h = g + terms[i + 6], h + terms[i + 7]
        total += ((a + b) + (c + d)) + ((e + f) + (g + h))
    for i in range(whole, count):
        total += terms[i]
    return total


@numba.njit(error_model="numpy", fastmath={"reassoc"})
def dotted(a, b):  # type: ignore[no-untyped-def]
    """The product of two rows, in whatever order, as BLAS has it."""
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


def _extreme(ufunc: Any) -> Any:
    """The largest, or the smallest, of the first numbers, nan if one is."""

    @_njit()
    def extreme(terms, count):  # type: ignore[no-untyped-def]
        found = terms[0]
        for i in range(1, count):
            found = ufunc(found, terms[i])
        return found

    return extreme


# The formula of this pass: two reductions, by what takes one more number.
largest, smallest = _extreme(np.maximum), _extreme(np.minimum)


@_njit()
def pairwise(parts):  # type: ignore[no-untyped-def]
    """The sum of sums, added up in pairs; the array is used up."""
    count = len(parts)
    while count > 1:
        pairs = count // 2
        for i in range(pairs):
            parts[i] = parts[2 * i] + parts[2 * i + 1]
        if count % 2:
            parts[pairs] = parts[count - 1]
        count = pairs + count % 2
    return parts[0]


@_njit()
def grown(items):  # type: ignore[no-untyped-def]
    """The same with room for as many items again."""
    found = np.empty((2 * len(items), *items.shape[1:]), items.dtype)
    found[: len(items)] = items
    return found


@_njit()
def quiet():  # type: ignore[no-untyped-def]
    """Clear the flags of this thread."""
    clear(MASK)


@_njit()
def heard():  # type: ignore[no-untyped-def]
    """Whether one is set."""
    return raised(MASK) != 0


TEXT = """{imports}
from numba import njit, prange

from srcgrad.native import vectors as np
from srcgrad.native.machine import (
    IN_THREADS,
    added,
    barrier,
    chosen,
    dotted,
    grown,
    heard,
    largest,
    pairwise,
    quiet,
    rolled,
    signature,
    smallest,
)


@njit(error_model="numpy", cache=True{options})
{kernel}


@njit(signature([{outs}], {kinds}), error_model="numpy", cache=True)
def entry({taken}):
    {checks}
    quiet()
    {bound}{found} = kernel({given})
    {held}
    if heard():
        raise FloatingPointError("NumPy has something to say")
    {fills}
    return {results}


# Without a look at the types of what it is given.
unchecked = entry.overloads[entry.signatures[0]].entry_point
"""


def signature(outs: Sequence[tuple[str, int]], *kinds: tuple[str, int]) -> Any:
    """The types of results and parameters, of their dtypes and numbers of axes.

    What gives anything else than it should, Numba refuses.
    """
    given, found = [*map(_type_of, kinds)], [*map(_type_of, outs)]
    if len(found) < 2:
        return (found[0] if found else types.none)(*given)
    return types.Tuple(found)(*given)


def _type_of(kind: tuple[str, int]) -> Any:
    dtype, axes = kind
    number = numba.from_dtype(np.dtype(dtype))
    return types.Array(number, axes, "C") if axes else number


def _as_value(array: np.ndarray[Any, Any]) -> Value:
    return Value(array.shape, array.dtype)


def _kind_of(value: Value) -> tuple[str, int]:
    """The dtype, and the number of axes; a list has one more than its items."""
    return str(value.dtype), len(value.shape) + (value.kind == "list")


def module_text(kernel: Kernel) -> str:
    """The module of a kernel: ``entry`` takes its parameters, and then its constants.

    After these it takes arrays for the small ones of its results; it gives the others.
    It raises ``FloatingPointError`` where NumPy would warn, ``ValueError`` where a
    guard fails or a shape is another one, and ``TypeError`` for arrays that lie
    otherwise. ``unchecked`` is the same for who knows that the dtypes are right.
    """
    given = [f"a{number}" for number, _ in enumerate(kernel.given)]
    constants = [f"c{number}" for number, _ in enumerate(kernel.constants)]
    names = [*given, *constants]
    values = [*kernel.given, *map(_as_value, kernel.constants)]
    pairs = [*zip(names, values, strict=True)]
    found = {value: f"r{number}" for number, value in enumerate(kernel.outputs)}
    filled = {value: f"o{number}" for number, value in enumerate(kernel.filled)}
    results = [value for value in kernel.outputs if value not in filled]
    floats = [id for id, value in pairs if _kind_of(value) == ("float64", 0)]
    held = [f"barrier(1.0 * {r})" for v, r in found.items() if _kind_of(v)[1] == 0]
    return TEXT.format(
        imports=kernel.imports.strip(),
        kernel=kernel.definition.rstrip(),
        options=", parallel=IN_THREADS" if "prange" in kernel.preludes else "",
        kinds=", ".join(str(_kind_of(value)) for value in (*values, *filled)),
        outs=", ".join(str(_kind_of(value)) for value in results),
        taken=", ".join([*names, *filled.values()]),
        given=", ".join(names),
        found=", ".join(found.values()),
        checks="\n    ".join(_checks(pairs)) or "pass",
        bound="".join(f"{id} = barrier({id})\n    " for id in floats),
        held="; ".join(held) or "pass",
        fills="; ".join(f"{o}[...] = {found[v]}" for v, o in filled.items()) or "pass",
        results=", ".join(found[value] for value in results) or "None",
    )


def _checks(pairs: Iterable[tuple[str, Value]]) -> Iterator[str]:
    """Statements that raise for arrays of another shape, or that lie otherwise."""
    for id, value in pairs:
        if not value.shape:
            continue
        before = int(value.kind == "list")  # those of lists are made here
        yield f"if {id}.shape[{before}:] != {value.shape}: raise ValueError"
        stride = value.dtype.itemsize
        tests = [f"{id}.ctypes.data % {stride} != 0"]
        for axis, length in reversed([*enumerate(value.shape, before)]):
            tests += [f"{id}.strides[{axis}] != {stride}"] * (length > 1)
            stride *= length
        yield f"if {' or '.join(tests)}: raise TypeError"


def key() -> str:
    """What machine code depends on beside its source: versions, and what it calls."""
    own = [Path(module).read_text() for module in (__file__, vectors.__file__)]
    versions = numba.__version__, np.__version__, sys.version, MACHINE
    return "\n".join([*versions, *own, *vectors.VARIANTS])
