"""NumPy's protocols: how plain ``np.*`` code reaches a Variable.

Every way in (ufuncs, array functions, operators, ndarray methods and properties) ends
in one method, ``_call(function, args, kwargs)``.
"""

import functools
import numbers
import operator
from types import FunctionType
from typing import Any

import numpy as np

from srcgrad.facts import TABLE, Operation
from srcgrad.modes import state
from srcgrad.operators import BINARY_OPERATORS, COMPARISONS, UNARY_OPERATORS
from srcgrad.tracebacks import trim

# What an operand's class may have for an operator, where the other one gives way.
REFLECTED: dict[Any, str] = {own.ufunc: f"__r{own.name}__" for own in BINARY_OPERATORS}
REFLECTED |= {own.ufunc: f"__{own.turned}__" for own in COMPARISONS}
# What has none of the user's.
PLAIN_OPERANDS = frozenset(
    {int, float, bool, complex, np.ndarray, np.float64, list, tuple, str}
)

# What a ufunc's methods amount to as array functions, and their default axis.
UFUNC_METHODS: dict[tuple[np.ufunc, str], Operation] = {}
for _function, _facts in TABLE.items():
    if _facts.reduces is not None:
        UFUNC_METHODS.setdefault((_facts.reduces, "reduce"), _function)
    if _facts.accumulates is not None:
        UFUNC_METHODS.setdefault((_facts.accumulates, "accumulate"), _function)

# ndarray's methods that are functions of the same arguments.
NDARRAY_METHODS: dict[str, Operation] = {
    function.__name__: function
    for function in (
        *(np.all, np.any, np.argmax, np.argmin, np.argpartition, np.argsort),
        *(np.choose, np.clip, np.cumprod, np.cumsum),
        *(np.diagonal, np.dot, np.max, np.mean, np.min, np.nonzero, np.prod, np.ravel),
        *(np.repeat, np.round, np.searchsorted, np.squeeze, np.std, np.sum),
        *(np.swapaxes, np.take, np.trace, np.var),
    )
}

# Those that are not quite that, and what they are when they compute.
NEAR_METHODS: dict[str, Operation] = {
    "copy": np.copy,
    "conj": np.conjugate,
    "conjugate": np.conjugate,
}

# The same under the names of PyTorch's Variables.
TORCH_METHODS: dict[str, Operation] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.true_divide,
    "pow": np.power,
    "matmul": np.matmul,
    "mm": np.matmul,
    "neg": np.negative,
    "abs": np.absolute,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "t": np.transpose,
}


# What is given to a method of a ufunc by name NumPy hands on by place, too.
GIVEN_TWICE = ("array", "indices")


class ArrayProtocol:
    """The base of everything that stands for an array; see the module.

    ``stands_for_array`` is true of a class whose objects take an ndarray's place while
    a function is traced: results made of these alone are ndarrays to the user.
    """

    __slots__ = ()

    stands_for_array = False
    # pandas lets what has a higher one than its own run an operator.
    __pandas_priority__ = 10_000
    value: Any

    def _call(self, function: Operation, args: Any, kwargs: Any) -> Any:
        """Run ``function`` with at least one of the arguments being like ``self``."""
        raise NotImplementedError

    def __delitem__(self, index: Any) -> None:
        raise ValueError("cannot delete array elements")  # as NumPy says it

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any
    ) -> Any:
        if method == "__call__":
            return self._call(ufunc, inputs, kwargs)
        for name in GIVEN_TWICE:
            kwargs.pop(name, None)
        function = UFUNC_METHODS.get((ufunc, method))
        if function is not None:
            if method == "accumulate" and not np.ndim(inputs[0]):
                raise TypeError("cannot accumulate on a scalar")
            if len(inputs) == 1:
                kwargs.setdefault("axis", 0)
            if "dtype" in kwargs and ufunc not in (np.add, np.multiply):
                dtype = kwargs.pop("dtype")
                if dtype is not None:
                    inputs = (inputs[0].astype(dtype), *inputs[1:])
            if ufunc in (np.logical_and, np.logical_or) and "initial" in kwargs:
                first, out = kwargs.pop("initial"), kwargs.pop("out", None)
                found = self._call(function, inputs, kwargs)
                return self._call(ufunc, (found, first), {"out": out} if out else {})
            return self._call(function, inputs, kwargs)
        if method == "outer":
            a, b = inputs
            # In a product of arrays a Python number has a dtype of its own.
            b = b * np.float64(1.0) if type(raw_of(b)) is float else b
            b = b if isinstance(b, ArrayProtocol) else np.asarray(b)
            a = np.reshape(a, np.shape(a) + (1,) * len(b.shape))
            return self._call(ufunc, (a, b), kwargs)
        return self._call(getattr(ufunc, method), inputs, kwargs)

    def __array_function__(
        self, function: Operation, types: Any, args: Any, kwargs: Any
    ) -> Any:
        if function is np.where and len(args) == 1:
            function = np.nonzero  # whose shape depends on values
        return self._call(function, args, kwargs)

    # What NumPy knows without looking at the elements.

    @property
    def shape(self) -> tuple[int, ...]:
        return np.shape(self.value)

    @property
    def ndim(self) -> int:
        return np.ndim(self.value)

    @property
    def size(self) -> int:
        return int(np.size(self.value))

    @property
    def dtype(self) -> np.dtype[Any]:
        dtype = getattr(self.value, "dtype", None)
        return np.result_type(self.value) if dtype is None else dtype

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.size * self.itemsize

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        if state.recorder is not None:
            state.recorder.looks_along(self)
        return self.shape[0]

    def __iter__(self) -> Any:
        if not self.shape:
            raise TypeError("iteration over a 0-d array")
        if state.recorder is not None:
            state.recorder.looks_along(self)
        return (self[i] for i in range(len(self)))

    def __contains__(self, item: Any) -> bool:
        return bool(np.any(self == item))

    # Operators and methods that are not one function of the same arguments.

    def __getitem__(self, index: Any) -> Any:
        return self._call(operator.getitem, (self, index), {})

    def __divmod__(self, other: Any) -> Any:
        return self._call(np.divmod, (self, other), {})

    def __rdivmod__(self, other: Any) -> Any:
        return self._call(np.divmod, (other, self), {})

    @property
    def T(self) -> Any:  # noqa: N802 (NumPy's name)
        return self._call(np.transpose, (self,), {})

    @property
    def mT(self) -> Any:  # noqa: N802 (NumPy's name)
        return self._call(np.swapaxes, (self, -1, -2), {})

    @property
    def real(self) -> Any:
        return self._call(np.real, (self,), {})

    @property
    def imag(self) -> Any:
        return self._call(np.imag, (self,), {})

    @property
    def flat(self) -> Any:
        return self.flatten()

    def copy(self, order: Any = "C") -> Any:
        """Like ``ndarray.copy``, which unlike ``np.copy`` gives rows one by one."""
        flags = getattr(self.value, "flags", None)
        in_rows = order == "C" and (flags is None or flags.c_contiguous)
        return self._call(np.copy, (self,) if in_rows else (self, order), {})

    def conj(self) -> Any:
        """Like ``ndarray.conj``, which unlike ``np.conj`` copies no real array."""
        is_complex = self.dtype.kind == "c"
        out = self._call(np.conjugate if is_complex else np.real, (self,), {})
        # A number of Python's gives one.
        return out._call(complex, (out,), {}) if type(self.value) is complex else out

    conjugate = conj

    def compress(self, condition: Any, axis: Any = None, out: Any = None) -> Any:
        return self._call(np.compress, (condition, self, axis), {"out": out})

    def flatten(self, order: Any = "C") -> Any:
        return self._call(np.copy, (self.reshape(-1, order=order),), {})

    def reshape(self, *shape: Any, **kwargs: Any) -> Any:
        """Like ``ndarray.reshape``: a shape, or its lengths one by one."""
        if len(shape) == 1:
            (shape,) = shape
        return self._call(np.reshape, (self, shape), kwargs)

    def transpose(self, *axes: Any) -> Any:
        """Like ``ndarray.transpose``: axes, one by one or as a tuple."""
        if len(axes) == 1:
            (axes,) = axes
        return self._call(np.transpose, (self, axes) if axes else (self,), {})


def _install() -> None:
    """Give ``ArrayProtocol`` the operators and methods of the tables."""
    for own in BINARY_OPERATORS:
        setattr(ArrayProtocol, f"__{own.name}__", _binary(own.ufunc))
        setattr(ArrayProtocol, f"__r{own.name}__", _reflected(own.ufunc))
    for own in COMPARISONS:
        setattr(ArrayProtocol, f"__{own.name}__", _binary(own.ufunc))
    for own in UNARY_OPERATORS:
        setattr(ArrayProtocol, f"__{own.name}__", _method(own.ufunc))
    for name, function in (NDARRAY_METHODS | TORCH_METHODS).items():
        setattr(ArrayProtocol, name, _method(function))
    # Variables are compared element by element, but kept in sets by identity.
    ArrayProtocol.__hash__ = object.__hash__  # type: ignore[method-assign]


def _binary(function: Operation) -> Operation:
    def operate(self: ArrayProtocol, other: Any) -> Any:
        if gives_way_to(other) or is_left_to(function, self.value, other):
            return NotImplemented
        return self._call(function, (self, other), {})

    return operate


def _reflected(function: Operation) -> Operation:
    def operate(self: ArrayProtocol, other: Any) -> Any:
        return self._call(function, (other, self), {})

    return operate


def _method(function: Operation) -> Operation:
    def method(self: ArrayProtocol, *args: Any, **kwargs: Any) -> Any:
        return self._call(function, (self, *args), kwargs)

    method.__name__ = getattr(function, "__name__", "method")
    return method


# Of a class that has one of these, objects are arrays, or compute with arrays.
ARRAY_ATTRIBUTES = ("__array__", "__array_interface__", "__array_struct__")
AS_ARRAYS = ("__array_ufunc__", *ARRAY_ATTRIBUTES)


def gives_way_to(other: Any) -> bool:
    """Whether an operand asks to run the operator itself (NumPy's convention)."""
    return getattr(other, "__array_ufunc__", other) is None


def is_left_to(function: Operation, value: Any, other: Any) -> bool:
    """Whether NumPy, or Python, leaves ``value @ other`` to an object of some class.

    Numbers know no such object, and arrays leave it to one with ``__array_priority__``;
    all others they take for a number. An object that is an array itself is another
    library's (``tape.foreign``).
    """
    kind = type(other)
    if kind in PLAIN_OPERANDS or isinstance(other, (ArrayProtocol, numbers.Number)):
        return False
    method = getattr(kind, REFLECTED.get(function, ""), None)
    if not isinstance(method, FunctionType) or any(hasattr(kind, n) for n in AS_ARRAYS):
        return False
    is_number = not np.ndim(value)
    return is_number or bool(getattr(other, "__array_priority__", 0.0) > 0.0)


_install()


def dispatched(function: Operation) -> Operation:
    """Make a function of ours one that a Variable can take part in, like NumPy's."""

    @functools.wraps(function)
    def public(*args: Any, **kwargs: Any) -> Any:
        try:
            for arg in args:
                if (variable := first_variable(arg)) is not None:
                    return variable._call(public, args, kwargs)
            return function(*args, **kwargs)
        except Exception as error:
            trim(error)
            raise

    return public


def raw_of(item: Any) -> Any:
    """The array of a Variable, or of what stands for an array; all else as it is."""
    return item.value if isinstance(item, ArrayProtocol) else item


# All `np.bool_` that are true are one object. Where a value is told by its identity,
# an array without axes, of this memory, stands for each.
BOOLS = np.array([False, True])
BOOLS.flags.writeable = False


def truth(raw: np.bool_) -> "np.ndarray[Any, Any]":
    """Another object for a ``np.bool_``."""
    return BOOLS[int(raw) :][:1].reshape(())


def meant(raw: Any) -> Any:
    """The ``np.bool_`` that an array stands for; all else as it is.

    >>> meant(truth(np.True_)), meant(np.array(True))
    (np.True_, array(True))
    """
    is_bool = type(raw) is np.ndarray and raw.base is BOOLS
    return raw[()] if is_bool else raw


def is_truth(item: Any) -> bool:
    """Whether an array in the graph is a ``np.bool_``."""
    return isinstance(item, ArrayProtocol) and item.dtype == bool and item.shape == ()


def first_variable(item: Any) -> ArrayProtocol | None:
    """The first Variable in an argument (an index may be a tuple with some)."""
    # Not by `isinstance`, which may run code of an object's own.
    kind = type(item)
    if issubclass(kind, ArrayProtocol):
        return item  # type: ignore[no-any-return]
    if issubclass(kind, (tuple, list)):
        found = map(first_variable, item)
        return next((variable for variable in found if variable is not None), None)
    return None
