"""What a followed function calls in place of another, where there are Variables.

NumPy's protocols do not reach a Variable in a list, nor one that is given to ``math``
or to ``ndarray.dot``. ``replacement_of`` gives a function of the same arguments that
does; without Variables it is the same call.

>>> import srcgrad
>>> x = srcgrad.Variable(np.array([1.0, 2.0]), requires_grad=True)
>>> replacement_of(np.array)([[x[0], 3.0], [0.0, x[1]]])
Variable containing:
array([[1., 3.],
       [0., 2.]])
[grad_fn=<ReshapeBackward>]
>>> replacement_of(math.sin)(x[0]).value, replacement_of(math.sin)(1.0)
(0.8414709848078965, 0.8414709848078965)
"""

import cmath
import contextlib
import functools
import itertools
import math
import statistics
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from srcgrad.facts import Operation, facts_of
from srcgrad.function_parameters import named_out, names_of, place_of_out
from srcgrad.protocols import (
    NDARRAY_METHODS,
    ArrayProtocol,
    first_variable,
    meant,
    raw_of,
)
from srcgrad.rules import libraries
from srcgrad.rules.poly1d import poly1d
from srcgrad.rules.python_statistics import OF_STATISTICS
from srcgrad.rules.registry import PRIMITIVES
from srcgrad.tape.apply import apply
from srcgrad.tape.function import has_edge
from srcgrad.tape.operands import (
    LIST_TYPES,
    joined,
    unwrap,
    variables_in,
    with_operands,
)
from srcgrad.tape.plain_writes import note_all
from srcgrad.tape.variable import Variable
from srcgrad.tracing.arrays.functional_array import (
    HOLDING_SEQUENCES,
    FunctionalArray,
    FunctionalView,
    array_of,
    contents,
    let_out,
    plain,
)
from srcgrad.tracing.arrays.outs import into_own, leaves_of
from srcgrad.tracing.arrays.python_numbers import (
    complex_of_two,
    integer,
    integer_of,
    is_instance,
    is_scalar,
    item,
    kind_of,
    mean_of_floats,
    number,
    of_complex,
    of_items,
    polar,
    rounded,
    spread_of,
    to_list,
    total,
    truth,
)
from srcgrad.tracing.arrays.strided import strided
from srcgrad.tracing.arrays.unasked import asked, unasked_from
from srcgrad.updates import cast


def replacement_of(function: Any) -> Any:
    """What to call instead of a function, with the same arguments, Variables or not.

    It is the function itself if that finds its Variables, or if nothing is known of it.
    """
    owner: Any = getattr(function, "__self__", None)
    if isinstance(owner, (np.ndarray, np.generic)):
        return method_of_array(function, owner)
    if isinstance(owner, ArrayProtocol):
        return method_of_variable(function, owner)
    if owner is not None and not isinstance(owner, (ModuleType, np.ufunc)):
        return _of_library(function)
    if is_unbound(function):
        return _unbound(function)
    if type(function) in libraries.OBJECTS:  # not kept: they come and go
        return _of_library(function)
    try:
        known, found = _found.get(function, (None, None))
    except TypeError:  # it cannot be hashed
        return function
    if known is not function:  # what is equal to it may do something else
        found = _replacement(function)
        _found[function] = function, found
    return found


# What `replacement_of` has found for the functions of modules, which are there too.
_found: dict[Operation, tuple[Operation, Operation]] = {}


def _replacement(function: Any) -> Any:
    if function in REPLACEMENTS:
        replacement = REPLACEMENTS[function]
        if function in ITERATING:
            return replacement
        if function not in REACHED:
            replacement = _of_unknown(replacement)
        return _if_any(function, replacement)
    module = getattr(function, "__module__", None)
    if module in ("math", "cmath"):
        return _if_any(function, _of_unknown(functools.partial(_apply, function)))
    is_numpys = isinstance(module, str) and module.partition(".")[0] == "numpy"
    is_ufuncs = isinstance(getattr(function, "__self__", function), np.ufunc)
    is_reached = not libraries.is_unreached(function)
    if is_ufuncs or (
        is_numpys
        and is_reached
        and callable(function)
        and not isinstance(function, type)
    ):
        return _of_numpy(function)
    return _of_library(function)


def _of_library(function: Operation) -> Operation:
    """SciPy's functions on Variables, which no protocol reaches."""
    found = libraries.replacement_of(function)
    if found is function:
        return function

    def reached(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = let_out(args), let_out(kwargs)
        if not LIST_TYPES.isdisjoint(map(type, (*args, *kwargs.values()))):
            args, kwargs = with_operands(function, args, kwargs)
        return found(*args, **kwargs)

    return reached if libraries.is_looking(found) else _if_any(function, reached)


def _if_any(function: Operation, replacement: Operation) -> Operation:
    """Call the replacement where there are Variables, else the function itself."""

    @functools.wraps(function, updated=())
    def reached(*args: Any, **kwargs: Any) -> Any:
        own = plain(args)
        if _has_live(own) or (kwargs and _has_live(plain((*kwargs.values(),)))):
            return replacement(*own, **kwargs)
        return function(*args, **kwargs)

    return reached


def _has_live(args: tuple[Any, ...]) -> bool:
    """Whether there is a Variable that is in the graph, or stands for an ndarray.

    Any other Variable is a constant to a function that does not know it, as it is in
    code that is not followed.
    """
    return first_variable(args) is not None and any(
        has_edge(each) or each.stands_for_array for each in variables_in(args)
    )


def _of_unknown(replacement: Operation) -> Operation:
    """What stands for a function that does not know Variables, and so gives none.

    Those that require no grad are constants to it, beside what stands for ndarrays too.
    """

    def reached(*args: Any, **kwargs: Any) -> Any:
        result = replacement(*args, **kwargs)
        if type(result) is not Variable or has_edge(result):
            return result
        given = variables_in((*args, *kwargs.values()))
        if any(map(has_edge, given)):
            return result
        kinds = [type(each) for each in given if each.stands_for_array]
        return kinds[0].make(result.value, None) if kinds else result

    return reached


def _apply(function: Operation, /, *args: Any, **kwargs: Any) -> Any:
    """Run a function of which there are rules, but which no protocol reaches."""
    return apply(function, contents(args), contents(kwargs))


# ----- NumPy's functions: of lists with Variables; into an array of one's own -----

# The formula of these calls: what takes sequences, each of which stays one; and of
# arrays, all of them.
OF_SEVERAL_SEQUENCES = frozenset({np.piecewise, np.lexsort, np.block})
OF_ARRAYS_ALONE = frozenset({np.select, np.linalg.multi_dot})


# What NumPy's protocols do not look into, or is not to be seen by NumPy.
OWN_TYPES = frozenset({FunctionalArray, FunctionalView})


class _Hiding(dict[type, bool]):
    """Whether arguments of a type may hold Variables that NumPy does not see."""

    def __missing__(self, kind: type) -> bool:
        self[kind] = found = kind in OWN_TYPES or issubclass(kind, HOLDING_SEQUENCES)
        return found


HIDING = _Hiding()


def _of_numpy(function: Operation) -> Operation:
    names, _ = names_of(function)
    hides = HIDING.__getitem__
    unasked, hidden = unasked_from(function, names)
    writes = facts_of(function).effect == "writes"
    inputs = place_of_out(function)

    @functools.wraps(function, updated=())
    def reached(*args: Any, **kwargs: Any) -> Any:
        if not kwargs and len(args) == 1 and not HIDING[type(args[0])]:
            return function(args[0])  # most calls
        if writes or len(args) > inputs or (kwargs and "out" in kwargs):
            named, options = named_out(function, args, kwargs)
            outs = leaves_of(options.get("out"))
            if any(isinstance(each, FunctionalArray) for each in outs):
                args, kwargs = named, options
            result = run(args, kwargs)
            note_all((*(args[:1] if writes else ()), *outs))
            return result
        if not any(map(hides, map(type, args))) and (
            not kwargs or not any(map(hides, map(type, kwargs.values())))
        ):
            if len(args) > unasked or (kwargs and not hidden.isdisjoint(kwargs)):
                return asked(function, args, kwargs)
            return function(*args, **kwargs)
        return run(args, kwargs)

    def run(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        own = plain(args)
        options = {name: plain(arg) for name, arg in kwargs.items()}
        if _has_live((*own, *options.values())):
            return _run_numpys(function, *own, **options)
        return function(*args, **kwargs)

    reached.is_of_numpy = True  # type: ignore[attr-defined]
    return reached


def is_of_numpy(replacement: Operation) -> bool:
    """Whether, of one argument of no type in ``HIDING``, it is the function itself."""
    return getattr(replacement, "is_of_numpy", False)


def _run_numpys(function: Operation, /, *args: Any, **kwargs: Any) -> Any:
    out = kwargs.get("out")
    if any(isinstance(each, FunctionalArray) for each in leaves_of(out)):
        return into_own(function, replacement_of(function), args, kwargs)
    if (
        args
        and isinstance(args[0], FunctionalArray)
        and facts_of(function).effect == "writes"
    ):
        return _write_own(function, *args, **kwargs)
    if function is np.piecewise and args:  # the rest stay sequences
        args = array_of(args[0]), *args[1:]
    if function in OF_ARRAYS_ALONE:
        args = tuple(map(_with_arrays_in, args))
        kwargs = {name: _with_arrays_in(arg) for name, arg in kwargs.items()}
    elif function not in OF_SEVERAL_SEQUENCES:
        # Else it is no array, such as `bins=[edges, 3]`; or an error of NumPy's.
        with contextlib.suppress(ValueError):
            args, kwargs = _with_arrays(function, args, kwargs)
    own = next((arg for arg in args if isinstance(arg, FunctionalArray)), None)
    if own is not None:
        return own._call(function, args, kwargs)  # the result may be a view of it
    return asked(function, contents(args), contents(kwargs))


def _with_arrays_in(arg: Any) -> Any:
    return [*map(array_of, arg)] if isinstance(arg, (list, tuple)) else arg


def _with_arrays(function: Operation, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """The arguments of a call, with arrays for those that are lists with Variables."""
    names, variadic = names_of(function)
    sequence = facts_of(function).sequence

    def operand(name: str | None, arg: Any) -> Any:
        if not isinstance(arg, (list, tuple)) or name == "out":
            return arg
        if name is not None and name == sequence != variadic:
            return type(arg)(map(array_of, arg))
        return array_of(arg)

    pairs = itertools.zip_longest(names[: len(args)], args, fillvalue=variadic)
    return (
        tuple([operand(name, arg) for name, arg in pairs]),
        {name: operand(name, arg) for name, arg in kwargs.items()},
    )


def _write_own(
    function: Operation, own: FunctionalArray, *args: Any, **kwargs: Any
) -> None:
    """Run a function that writes into its first argument, such as ``np.add.at``."""
    args, kwargs = contents(args), contents(kwargs)
    content = own.content
    variable = first_variable((content, args, (*kwargs.values(),)))
    if variable is None:
        function(content, *args, **kwargs)
        return
    kind: Any = type(variable)
    before = content if isinstance(content, ArrayProtocol) else kind.make(content, None)
    changed = apply(np.copy, (before,), {})
    function(changed, *args, **kwargs)
    own[...] = changed


# ----- Arrays of Variables -----


def array(
    item: Any,
    dtype: Any = None,
    *,
    copy: Any = True,
    order: Any = "K",
    ndmin: int = 0,
    **_: Any,
) -> Any:
    """``np.array`` of a Variable, or of nested lists with Variables in them."""
    item = contents(plain(item))
    dtype = _as_dtype(dtype)
    if not variables_in(item):  # arrays of the function's own, of mere numbers
        return np.array(item, dtype, copy=copy, order=order, ndmin=ndmin)
    if copy is False:
        np.array(unwrap(item), dtype, copy=False, order=order)  # NumPy's own error
    out: Any
    if isinstance(item, ArrayProtocol):
        if type(item.value) is complex:
            np.array(item.value, dtype)  # NumPy's own error
        is_array = isinstance(meant(item.value), np.ndarray)
        out = apply(np.copy, (item,), {}) if copy or not is_array else item
        if dtype is not None and out.dtype != np.dtype(dtype):
            out = cast(out, np.dtype(dtype))
    else:
        out = joined(item, **({} if dtype is None else {"dtype": dtype}))
    missing = ndmin - out.ndim
    out = out if missing <= 0 else np.reshape(out, (1,) * missing + out.shape)
    return _ordered(out, order)


def _as_dtype(dtype: Any) -> Any:
    """What is given as a dtype: a NumPy scalar is its own; an array, NumPy's error."""
    if not isinstance(dtype, (ArrayProtocol, np.ndarray)):
        return dtype
    return np.array(0, raw_of(dtype)).dtype


def _ordered(item: Any, order: Any) -> Any:
    """The same array in rows or columns, or a copy that is: as ``order=`` asks for."""
    if order in ("C", "c"):
        return np.reshape(np.ravel(item), item.shape)
    return _ordered(item.T, "C").T if order in ("F", "f") else item


def as_array(
    item: Any,
    dtype: Any = None,
    order: Any = None,
    *,
    copy: Any = None,
    ndmin: int = 0,
    **_: Any,
) -> Any:
    """``np.asarray``: the array itself if it is one."""
    dtype = _as_dtype(dtype)
    is_own = isinstance(item, FunctionalArray) and not copy
    if is_own and (dtype is None or np.dtype(dtype) == item.dtype):
        return _ordered(item if ndmin <= item.ndim else item.reshape(1), order)
    return array(item, dtype, copy=copy, order=order, ndmin=ndmin)


def full_like(
    a: Any, fill_value: Any, dtype: Any = None, *_: Any, shape: Any = None, **__: Any
) -> Any:
    """``np.full_like``."""
    if isinstance(a, ArrayProtocol) and not isinstance(a, FunctionalArray):
        return np.full_like(a, array_of(fill_value), dtype, shape=shape)
    shape = np.shape(unwrap(a)) if shape is None else shape
    dtype = np.asarray(unwrap(contents(a))).dtype if dtype is None else dtype
    return apply(np.full, (shape, array_of(fill_value), dtype), {})


def full(shape: Any, fill_value: Any, dtype: Any = None, *_: Any, **__: Any) -> Any:
    """``np.full``."""
    if any(map(has_edge, variables_in(shape))):  # of none, or NumPy's error
        shape = unwrap(shape)
    return apply(np.full, (shape, array_of(fill_value), dtype), {})


def from_iter(iter: Any, dtype: Any, count: int = -1, **options: Any) -> Any:
    """``np.fromiter``."""
    items = list(iter if count < 0 else itertools.islice(iter, count))
    is_one = first_variable(items) is not None
    found = np.fromiter(unwrap(items) if is_one else items, dtype, count, **options)
    return array([np.reshape(item, ()) for item in items], dtype) if is_one else found


def polynomial(c_or_r: Any, *args: Any, **kwargs: Any) -> Any:
    """``np.poly1d``."""
    return poly1d(array_of(c_or_r), *args, **kwargs)


def arange(
    start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, **_: Any
) -> Any:
    """``np.arange``, which computes all elements from its first two."""
    if stop is None:
        start, stop = 0, start
    raw = np.arange(*unwrap(contents((start, stop, step))), dtype=dtype)
    start, stop, step = contents(start), contents(stop), contents(step)
    if first_variable((start, stop, step)) is not None:
        int(np.ceil((stop - start) / step))  # a condition: so many elements there are
    out = start + ((start + step) - start) * np.arange(len(raw))
    return cast(out, raw.dtype) if out.dtype != raw.dtype else out


def enumerated(arr: Any) -> Iterator[tuple[tuple[int, ...], Any]]:
    """``np.ndenumerate``, which sees what is written while it goes on."""
    arr = arr if isinstance(arr, FunctionalArray) else array_of(arr)
    return ((index, arr[index]) for index in np.ndindex(arr.shape))


def as_finite_array(a: Any, dtype: Any = None, order: Any = None) -> Any:
    """``np.asarray_chkfinite``."""
    a = as_array(a, dtype, order)
    if a.dtype.kind in "fc" and not np.isfinite(a).all():
        raise ValueError("array must not contain infs or NaNs")
    return a


# ----- Methods -----


def method_of_array(function: Any, owner: Any) -> Any:
    """A method of an ndarray, such as ``y.dot``: Variables may be its arguments."""
    general = NDARRAY_METHODS.get(function.__name__)
    if function.__name__ in WRITING_METHODS:
        return _noting(function, owner)
    if general is None:
        return function

    def method(*args: Any, **kwargs: Any) -> Any:
        if first_variable((*args, *kwargs.values())) is None:
            return function(*args, **kwargs)
        return replacement_of(general)(owner, *args, **kwargs)

    return method


def is_unbound(function: Any) -> bool:
    """Whether it is a method of ndarrays, such as ``np.ndarray.sum``."""
    return getattr(function, "__objclass__", None) is np.ndarray


def _unbound(function: Any) -> Any:
    def method(item: Any, /, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(item, (ArrayProtocol, np.ndarray)):
            return function(item, *args, **kwargs)  # the error
        return replacement_of(getattr(item, function.__name__))(*args, **kwargs)

    return method


# Methods that change the array.
WRITING_METHODS = frozenset("fill itemset partition put setfield sort".split())


def _noting(function: Any, owner: Any) -> Any:
    def method(*args: Any, **kwargs: Any) -> None:
        function(*args, **kwargs)
        note_all((owner,))

    return method


def method_of_variable(function: Any, owner: Any) -> Any:
    """A method of a Variable: lists with Variables may be its arguments."""
    own = OF_VARIABLES.get(function.__name__)
    if own is not None:
        return functools.partial(own, contents(owner))

    def method(*args: Any, **kwargs: Any) -> Any:
        if not OWN_TYPES.isdisjoint(
            map(type, (*args, *kwargs.values()))
        ):  # `out` may be
            general = NDARRAY_METHODS.get(function.__name__)
            if general is not None:
                return replacement_of(general)(owner, *args, **kwargs)
        if args and list in map(type, args):
            args = tuple(map(array_of, args))
        return function(*args, **kwargs)

    return method


OF_VARIABLES: dict[str, Operation] = {"item": item, "tolist": to_list}

# The formula of these calls: what is called instead.
REPLACEMENTS: dict[Any, Callable[..., Any]] = {
    np.array: array,
    np.asarray: as_array,
    np.asanyarray: as_array,
    np.ascontiguousarray: functools.partial(as_array, order="C", ndmin=1),
    np.asfortranarray: functools.partial(as_array, order="F", ndmin=1),
    np.asarray_chkfinite: as_finite_array,
    np.ndenumerate: enumerated,
    np.full: full,
    np.full_like: full_like,
    np.fromiter: from_iter,
    np.arange: arange,
    np.poly1d: polynomial,
    np.lib.stride_tricks.as_strided: strided,
    float: number(float),
    int: integer,
    complex: number(complex),
    round: rounded,
    sum: total,
    isinstance: is_instance,
    np.isscalar: is_scalar,
    type: kind_of,
    cmath.polar: polar,
    statistics.fmean: mean_of_floats,
}
for _kind in PRIMITIVES:
    if isinstance(_kind, type) and issubclass(_kind, np.generic):
        REPLACEMENTS[_kind] = functools.partial(_apply, _kind)
REPLACEMENTS[np.complex128] = complex_of_two
for _kind in {np.dtype(code).type for code in np.typecodes["AllInteger"]}:
    REPLACEMENTS[_kind] = integer_of(_kind)
for _statistic in OF_STATISTICS:
    REPLACEMENTS[_statistic] = spread_of(_statistic)
REPLACEMENTS[np.bool_] = truth
for _name in "fsum prod dist sumprod".split():
    if (_function := getattr(math, _name, None)) is not None:
        REPLACEMENTS[_function] = of_items(_function)
for _function in map(vars(cmath).get, dir(cmath)):
    if callable(_function) and PRIMITIVES[_function].rules:
        REPLACEMENTS.setdefault(_function, of_complex(_function))
del REPLACEMENTS[cmath.rect]  # of real numbers

# Those that reach Variables by a protocol.
REACHED = frozenset({np.full_like, round})

# What may find its Variables in an iterator, which is used up by looking at it, or in
# an object of ours.
ITERATING = frozenset(
    {np.fromiter, sum, isinstance, type, math.fsum, math.prod, math.dist}
    | {statistics.fmean, *OF_STATISTICS, np.poly1d}
)
