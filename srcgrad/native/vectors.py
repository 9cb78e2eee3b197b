"""NumPy, as kernels have it: elementary functions are those of the C library.

Where that has them of several numbers at once (glibc's libmvec, on x86-64), a loop over
elements calls these: each takes a sixth of the time, and differs from NumPy's by some
units in the last place. Of what NumPy warns of they set the processor's flags, too.
All else in this module is NumPy's. Loaded when the first kernel is compiled.
"""

import ctypes
import platform
from typing import Any

import llvmlite.binding
import numpy
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from srcgrad.native.elements import ELEMENTARY

# How many numbers there are at once, in glibc's names, by what a processor must have.
WIDTHS = {"sse4.2": ("b", 2), "avx2": ("d", 4), "avx512f": ("e", 8)}
# C's names of functions, where NumPy has others.
IN_C = {
    **{f"arc{each}": f"a{each}" for each in ("sin", "cos", "tan", "sinh", "cosh")},
    "arctanh": "atanh",
    "arctan2": "atan2",
    "power": "pow",
}
# A loop with many arrays looks before it whether they overlap: up to so many pairs.
llvmlite.binding.set_option("srcgrad", "-runtime-memory-check-threshold=128")


class _Attributes(ir.instructions.CallInstrAttributes):  # type: ignore[misc]
    """Those of a call, with one that llvmlite does not know."""

    _known = frozenset({"nounwind", "willreturn", "memory(none)"})

    def allow(self, attribute: str) -> None:
        set.add(self, attribute)


def _library() -> Any:
    """The C library's functions of several numbers; None: it has none."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return None
    try:
        library = ctypes.CDLL("libmvec.so.1")
    except OSError:
        return None
    llvmlite.binding.load_library_permanently("libmvec.so.1")
    return library


LIBRARY = _library()
FEATURES = llvmlite.binding.get_host_cpu_features()


def _widths(name: str, count: int) -> dict[str, int]:
    """The names of a function of several numbers, and of how many."""
    found = {
        f"_ZGV{letter}N{width}{'v' * count}_{name}": width
        for feature, (letter, width) in WIDTHS.items()
        if FEATURES.get(feature)
    }
    return {each: width for each, width in found.items() if hasattr(LIBRARY, each)}


# All that are here: what is compiled with them runs where they are.
VARIANTS: list[str] = []


def _of_c(name: str, count: int) -> Any:
    """A function of numbers that a loop may call of several numbers at once."""
    variants = _widths(name, count)
    VARIANTS.extend(variants)
    mapped = ",".join(
        f"_ZGV_LLVM_N{width}{'v' * count}_{name}({each})"
        for each, width in variants.items()
    )

    def write(context, builder, signature, args):  # type: ignore[no-untyped-def]
        for each, width in variants.items():
            _keep(builder.module, each, ir.VectorType(ir.DoubleType(), width), count)
        one = _declared(builder.module, name, ir.DoubleType(), count)
        found = builder.call(one, args)
        found.attributes = _Attributes(("nounwind", "willreturn", "memory(none)"))
        if variants:
            found.attributes.allow(f'"vector-function-abi-variant"="{mapped}"')
        return found

    if count == 1:

        @intrinsic
        def function(context, x):  # type: ignore[no-untyped-def]
            return types.float64(types.float64), write
    else:

        @intrinsic
        def function(context, x, y):  # type: ignore[no-untyped-def]
            return types.float64(types.float64, types.float64), write

    return function


def _declared(module: Any, name: str, kind: Any, count: int) -> Any:
    form = ir.FunctionType(kind, [kind] * count)
    return module.globals.get(name) or ir.Function(module, form, name)


def _keep(module: Any, name: str, kind: Any, count: int) -> None:
    """Declare a function, and a pointer to it, for nothing calls it yet."""
    declared = _declared(module, name, kind, count)
    if f"srcgrad_{name}" not in module.globals:
        pointer = ir.GlobalVariable(module, declared.type, f"srcgrad_{name}")
        pointer.linkage, pointer.initializer = "weak_odr", declared


OF_C = {
    ufunc.__name__: _of_c(IN_C.get(ufunc.__name__, ufunc.__name__), ufunc.nin)
    for ufunc in ELEMENTARY
}


def __getattr__(name: str) -> Any:
    return OF_C.get(name) or getattr(numpy, name)
