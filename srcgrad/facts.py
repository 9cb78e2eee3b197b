"""What is known of a function besides its derivative: one row of one table.

The tape, the tracer, the passes and the emitter all ask ``facts_of``; nothing here
computes. Of a function without a row it goes by its kind (a ufunc, of ``np.random``, of
``scipy.special``), and else the worst is assumed.

>>> facts_of(np.tanh).effect, facts_of(print).effect
('', 'acts')
>>> facts_of(np.reshape).view, facts_of(np.nonzero).shape_by_value
('whole', True)
"""

import bisect
import builtins
import cmath
import collections
import contextlib
import datetime
import functools
import heapq
import itertools
import math
import operator
import re
import sys
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np

from srcgrad.kinds_of_facts import Facts
from srcgrad.late import Chapters

# What a node runs, and a user calls: a NumPy function, an operator, a builtin.
Operation = Callable[..., Any]


UNKNOWN = Facts(effect="acts", calls=True, raises=True, view="maybe")

TABLE: dict[Operation, Facts] = {}


class _Known(dict[Operation, Facts]):
    def __missing__(self, function: Operation) -> Facts:
        return _derived(function)


# The same, and what follows from the kind of a function that has no row of its own.
# Ufuncs without one are here once they have been asked for.
FACTS = _Known()


def row(where: Any, names: str, **facts: Any) -> None:
    """Write down what is known of some functions: members of a module or class.

    A name that this NumPy does not have yet, or no longer, is passed over.
    """
    for name in names.split():
        function = getattr(where, name, None)
        if callable(function):
            declare(function, **facts)


def declare(function: Operation, **facts: Any) -> None:
    """Write down what is known of one function.

    Raises
    ------
    ValueError
        If something else has been said of it before.
    """
    if facts.get("raises_by"):
        facts["raises"] = True
    is_ufunc = isinstance(function, np.ufunc)
    made = _made(*((_kind_of(function) | facts) if is_ufunc else facts).items())
    known = TABLE.setdefault(function, made)
    if known is not made and known != made:
        raise ValueError(f"{function.__name__} has two rows that differ")
    FACTS[function] = made


@functools.cache
def _made(*facts: tuple[str, Any]) -> Facts:
    """Facts from their names and values: hundreds of functions share a few dozen."""
    return Facts(**dict(facts))


def facts_of(function: Operation) -> Facts:
    """What is known of a function; ``UNKNOWN`` if nothing is.

    >>> facts_of(np.add.at).effect, facts_of(np.random.normal).effect
    ('writes', 'draws')
    """
    try:
        return FACTS[function]
    except TypeError:  # a callable that cannot be hashed
        return UNKNOWN


def _derived(function: Operation) -> Facts:
    if isinstance(function, np.ufunc):
        return _of_ufunc(function)
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ufunc):  # np.add.reduce
        of_owner = facts_of(owner)
        effect = "writes" if function.__name__ == "at" else of_owner.effect
        return Facts(
            effect=effect,
            raises=of_owner.raises,
            signals=of_owner.signals,
            finite=of_owner.finite,
        )
    module = getattr(function, "__module__", None) or ""
    library = f"{module}".partition(".")[0]
    if library in LIBRARY_FACTS and library_rows.enter_new([library]):
        return facts_of(function)
    if _is_in(module, ("numpy.random.",)):
        return Facts(effect="draws", raises=True)
    if _is_in(module, COMPUTING):
        return Facts(raises=True, view="maybe")
    return UNKNOWN


def _of_ufunc(ufunc: Any) -> Facts:
    if _is_of_objects(ufunc):
        return UNKNOWN
    return FACTS.setdefault(ufunc, _made(*_kind_of(ufunc).items()))


def _kind_of(ufunc: Any) -> dict[str, Any]:
    """What is known of a ufunc because it is one."""
    if _is_of_objects(ufunc):
        return asdict(UNKNOWN)
    return {"elementwise": ufunc.signature is None, "quiet": True, "signals": True}


def _is_of_objects(ufunc: Any) -> bool:
    """np.frompyfunc makes a ufunc of any Python function, for objects only."""
    return all("O" in types for types in ufunc.types)


# Libraries whose functions do nothing but compute.
COMPUTING = (
    *("scipy.fft.", "scipy.linalg.", "scipy.special.", "scipy.signal."),
    *("scipy.ndimage.", "scipy.spatial.distance.", "scipy.integrate._quadrature."),
)


def _is_in(module: str, packages: tuple[str, ...]) -> bool:
    return f"{module}.".startswith(packages)


# ----- NumPy: elementwise -----
# A ufunc has a row only where there is more to say than that it is one.
row(np, "add multiply", commutes=True, finite=True)
row(np, "subtract square sqrt exp sin cos tanh matmul", finite=True)
row(np, "negative absolute maximum minimum", signals=False, finite=True)
row(np, "ceil floor trunc rint sign heaviside copysign", steps=True, signals=False)
row(np, "floor_divide fmod remainder divmod modf", steps=True)
row(
    np,
    "positive fabs conjugate signbit isnan isinf isfinite isnat fmax fmin equal "
    "not_equal less less_equal greater greater_equal logical_and logical_or "
    "logical_xor logical_not bitwise_and bitwise_or bitwise_xor bitwise_count invert "
    "left_shift right_shift gcd lcm",
    signals=False,
)
row(np, "round around fix", steps=True)
row(np, "where", elementwise=True, quiet=True, finite=True)
row(np, "clip angle isposinf isneginf isreal iscomplex")
row(np, "sinc i0 isclose allclose", signals=True)
row(np, "real imag", quiet=True, view="part")
row(np, "nan_to_num", view="maybe")
row(np, "real_if_close", view="maybe", complex_by_value=True)
row(np, "array_equal array_equiv isin in1d")
row(np, "unwrap interp", signals=True)
row(
    np.lib.scimath,
    "sqrt log log2 logn log10 power arccos arcsin arctanh",
    complex_by_value=True,
    signals=True,
)
row(np, "vectorize", effect="acts", calls=True, raises=True, view="maybe")
row(np, "piecewise", calls=True, raises=True)

# ----- NumPy: reductions and cumulation -----
row(np, "sum", quiet=True, signals=True, reduces=np.add, finite=True)
row(np, "prod", quiet=True, signals=True, reduces=np.multiply)
row(np, "max amax", quiet=True, reduces=np.maximum)
row(np, "min amin", quiet=True, reduces=np.minimum)
row(np, "all", reduces=np.logical_and)
row(np, "any", reduces=np.logical_or)
row(np, "cumsum", signals=True, accumulates=np.add)
row(np, "cumprod", signals=True, accumulates=np.multiply)
row(
    np,
    "mean var std ptp median nansum nanprod nanmax nanmin nanmean nanvar nanstd "
    "nanmedian nancumsum nancumprod cumulative_sum cumulative_prod trace count_nonzero "
    "cov corrcoef trapezoid trapz gradient ediff1d convolve correlate",
    signals=True,
)
row(np, "average", raises_by="weights", signals=True)
row(
    np,
    "percentile quantile nanpercentile nanquantile",
    raises_by="q weights",
    signals=True,
)
row(np, "diff", view="maybe", signals=True)
row(np, "argmax argmin argsort argpartition lexsort searchsorted sort partition")
row(np, "nanargmax nanargmin digitize", raises=True)
row(np, "bincount", raises=True, shape_by_value=True)
row(np, "sort_complex")
row(np, "histogram histogram_bin_edges", raises=True, view="maybe")
row(np, "histogram2d histogramdd", raises=True)

# ----- NumPy: shapes -----
row(np, "expand_dims squeeze", view="whole", moves="in order", quiet=True)
row(np, "reshape ravel", view="whole", moves="in order", by_layout=True, quiet=True)
row(
    np,
    "atleast_1d atleast_2d atleast_3d transpose permute_dims swapaxes moveaxis "
    "rollaxis matrix_transpose flip fliplr flipud rot90",
    view="whole",
    moves="anew",
    quiet=True,
)
row(np.linalg, "matrix_transpose", view="whole", moves="anew", quiet=True)
row(
    np, "broadcast_to broadcast_arrays diagonal", view="fixed", moves="anew", quiet=True
)
row(np.linalg, "diagonal", view="fixed", moves="anew", quiet=True)
row(np, "diag", view="part", moves="anew", quiet=True)
row(
    np,
    "split array_split hsplit vsplit dsplit unstack",
    view="part",
    moves="anew",
    quiet=True,
)
row(np, "trim_zeros", view="part", shape_by_value=True)
row(np.lib.stride_tricks, "sliding_window_view", view="fixed", moves="anew")
row(np.lib.stride_tricks, "as_strided", view="part", by_layout=True)
row(np, "concatenate concat stack", quiet=True, moves="anew", sequence="arrays")
row(np, "hstack vstack dstack column_stack row_stack", moves="anew", sequence="tup")
row(np, "block", sequence="arrays")
row(np, "append roll tile resize tril triu diagflat copy", moves="anew")
row(np, "pad")
row(np, "kron", signals=True)
row(np, "repeat", raises_by="repeats", shape_by_value=True, moves="anew")
row(np, "delete insert", raises_by="obj", shape_by_value=True, moves="anew")
row(np, "astype", view="maybe")

# ----- NumPy: indices and choices -----
row(
    operator,
    "getitem",
    raises_by="index",
    quiet=True,
    view="part",
    moves="anew",
    finite=True,
)
row(np, "take take_along_axis", raises_by="indices", moves="anew")
row(np, "choose", raises_by="a", sequence="choices")
row(np, "select", sequence="choicelist")
row(np, "compress extract", raises_by="condition", shape_by_value=True, moves="anew")
row(np, "nonzero flatnonzero argwhere unique", shape_by_value=True)
row(np, "unique_all unique_counts unique_inverse unique_values", shape_by_value=True)
row(np, "union1d intersect1d setdiff1d setxor1d", shape_by_value=True)
row(np, "ravel_multi_index unravel_index", raises=True)
row(np, "diag_indices_from tril_indices_from triu_indices_from")
row(np, "ix_", creates=True, view="part", shape_by_value=True)

# ----- NumPy: linear algebra -----
row(np, "dot", signals=True, finite=True)
row(np, "inner vdot outer tensordot cross", signals=True)
row(np.linalg, "matmul vecdot tensordot cross outer trace det slogdet", signals=True)
row(np, "einsum", sequence="operands", view="maybe", signals=True)
row(np, "einsum_path", sequence="operands")
row(np.linalg, "norm vector_norm matrix_norm qr", raises=True)
row(np.linalg, "inv pinv solve cholesky eigh eigvalsh", raises=True)
row(np.linalg, "lstsq", raises=True, shape_by_value=True)
row(np.linalg, "eig eigvals", raises=True, complex_by_value=True)
row(np.linalg, "svd svdvals cond matrix_rank tensorinv tensorsolve", raises=True)
row(np.linalg, "matrix_power multi_dot", raises=True, view="maybe")

# ----- NumPy: Fourier transforms, polynomials -----
row(np.fft, "fft ifft rfft irfft hfft ihfft", signals=True)
row(np.fft, "fftshift ifftshift")
row(
    np.fft,
    "fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn",
    signals=True,
    view="maybe",
)
row(np.fft, "fftfreq rfftfreq", creates=True)
row(np, "polyadd polysub polymul polyval", signals=True)
row(np, "polyder polyint", signals=True, view="maybe")
row(np, "poly", raises=True, complex_by_value=True)
row(np, "polyfit", raises=True)
row(np, "polydiv roots", raises=True, shape_by_value=True, complex_by_value=True)

# ----- NumPy: new arrays -----
row(
    np,
    "zeros ones full eye identity indices "
    "diag_indices tril_indices triu_indices tri hanning hamming blackman bartlett "
    "kaiser mask_indices zeros_like ones_like full_like",
    creates=True,
)
row(np, "arange linspace logspace geomspace vander", creates=True, signals=True)
row(np, "empty", effect="acts", about="memory")  # what is in it is not determined
row(np, "empty_like", creates=True)
row(np, "array", creates=True, sequence="object", about="ndarrays")
row(np, "asarray", creates=True, view="maybe", about="ndarrays")
row(np, "asanyarray asarray_chkfinite asmatrix bmat", view="maybe", about="ndarrays")
row(
    np,
    "ascontiguousarray asfortranarray require",
    view="maybe",
    by_layout=True,
    about="ndarrays",
)
row(np, "from_dlpack", view="maybe", about="memory")
row(np, "frombuffer fromstring", raises=True, view="maybe", about="memory")
row(np, "meshgrid", creates=True, view="maybe", moves="anew", sequence="xi")
row(
    np,
    "fromiter fromfunction",
    effect="acts",
    calls=True,
    raises=True,
    about="ndarrays",
)
row(np, "apply_along_axis apply_over_axes", calls=True, raises=True)
row(np, "packbits unpackbits", about="bits")

# ----- NumPy: of shapes and dtypes alone -----
row(
    np, "shape ndim size iscomplexobj isrealobj result_type isfortran", of_metadata=True
)
row(np, "broadcast_shapes promote_types", creates=True, of_metadata=True)
row(
    np,
    "can_cast min_scalar_type common_type mintypecode issubdtype isdtype isscalar "
    "iterable typename",
    about="types",
)
row(np, "shares_memory may_share_memory", about="memory")
row(np, "dtype finfo iinfo", of_metadata=True)
row(np, "base_repr binary_repr", raises=True, about="text")
row(np, "busday_count busday_offset is_busday", raises=True, about="dates")
row(np, "datetime_as_string", raises=True, about="dates")
row(np, "datetime_data", about="dates")

# ----- NumPy: in place -----
row(
    np,
    "copyto put place putmask put_along_axis fill_diagonal",
    effect="writes",
    raises=True,
)

# ----- NumPy: files, settings, text that depends on settings -----
ACTING = {
    "files": "save savez savez_compressed savetxt load loadtxt genfromtxt fromfile "
    "fromregex",
    "settings": "geterr seterr geterrcall seterrcall getbufsize setbufsize "
    "get_printoptions set_printoptions printoptions show_config show_runtime test "
    "get_include",
    "text": "array2string array_repr array_str format_float_positional "
    "format_float_scientific info",
    "objects": "frompyfunc nested_iters",
}
for _about, _names in ACTING.items():
    for _module in (np, np.linalg, np.fft):
        row(_module, _names, effect="acts", raises=True, about=_about)

# ----- Python -----
row(operator, "add mul", commutes=True)
row(operator, "sub neg pos abs eq ne lt le gt ge not_ truth is_ is_not index")
row(operator, "and_ or_ xor invert inv concat contains countOf indexOf", raises=True)
row(operator, "truediv", raises=True)
row(operator, "floordiv mod", raises=True, steps=True)
row(operator, "pow", raises=True, complex_by_value=True)
row(operator, "matmul lshift rshift length_hint", raises=True)
row(
    operator,
    "iadd isub imul itruediv ifloordiv imod ipow imatmul iand ior ixor ilshift irshift "
    "iconcat setitem delitem",
    effect="writes",
    raises=True,
    view="maybe",
)
row(operator, "attrgetter itemgetter methodcaller")
row(
    re,
    "compile escape findall finditer fullmatch match search split sub subn",
    calls=True,
    raises=True,
)
row(bisect, "bisect bisect_left bisect_right", calls=True, raises=True)
row(bisect, "insort insort_left insort_right", effect="writes", calls=True, raises=True)
row(heapq, "nlargest nsmallest merge", calls=True, raises=True, view="maybe")
row(
    heapq,
    "heapify heappop heappush heappushpop heapreplace",
    effect="writes",
    raises=True,
    view="maybe",
)
row(contextlib, "nullcontext ExitStack", view="maybe")
row(collections, "deque Counter OrderedDict defaultdict", raises=True, view="maybe")
for _value in (datetime.date, datetime.datetime, datetime.time, datetime.timedelta):
    row(datetime, _value.__name__, raises=True)
row(
    builtins,
    "abs all any bool callable complex dict divmod enumerate float frozenset int iter "
    "issubclass list next pow range reversed round set slice str sum tuple zip",
    raises=True,
    view="maybe",
)
row(builtins, "len", raises=True)
row(builtins, "filter map max min sorted", calls=True, raises=True, view="maybe")
row(functools, "wraps update_wrapper", calls=True, raises=True, view="maybe")
row(functools, "reduce", calls=True, raises=True, view="maybe")
row(
    itertools,
    " ".join(n for n in dir(itertools) if n[0] != "_"),
    calls=True,
    view="maybe",
)
for _module in (math, cmath):
    row(_module, " ".join(n for n in dir(_module) if n[0] != "_"), raises=True)


# ----- Python's modules that are there only if the program imports them -----
LIBRARY_FACTS: dict[str, dict[str, dict[str, Any]]] = {
    "fractions": {"Fraction": {"raises": True}},
    "json": {"dumps loads": {"calls": True, "raises": True}},
    "pathlib": {"PurePath PurePosixPath PureWindowsPath Path": {"raises": True}},
    "statistics": {
        "fmean": {"raises": True},
        "mean variance pvariance stdev pstdev": {"raises": True, "sequence": "data"},
    },
}


def _enter_rows(modules: list[str]) -> None:
    for module in modules:
        for names, facts in LIBRARY_FACTS[module].items():
            row(sys.modules[module], names, **facts)


library_rows = Chapters(_enter_rows)
