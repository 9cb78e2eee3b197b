"""``Variable``: an ndarray that remembers how it was computed.

>>> import numpy as np
>>> from srcgrad import Variable
>>> x = Variable(np.array([1.0, 2.0]), requires_grad=True)
>>> y = (x * x).sum()
>>> y.backward()
>>> x.grad
Variable containing:
array([2., 4.])
"""

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.errors import explained, here, located
from srcgrad.facts import Operation
from srcgrad.function_parameters import named_out
from srcgrad.modes import refuse, refuse_use_of, state
from srcgrad.operators import BINARY_OPERATORS, COMPARISONS
from srcgrad.protocols import ArrayProtocol, meant, raw_of
from srcgrad.rules.broadcasting import added, fit
from srcgrad.tape import fast_path, inplace, inplace_functions
from srcgrad.tape.apply import apply
from srcgrad.tape.engine import ExecutionEngine, first_cotangent
from srcgrad.tape.foreign import FOREIGN, array_of
from srcgrad.tape.function import VOLATILE, Edge, Function, has_edge, new
from srcgrad.tape.methods.converting import Convertible, elsewhere
from srcgrad.tape.methods.copies_and_pickles import Copyable
from srcgrad.tape.methods.graph_place import Placed
from srcgrad.tape.methods.hooking import Hookable
from srcgrad.tape.methods.lying import Lying
from srcgrad.tape.methods.of_floats import Digits
from srcgrad.tape.methods.stochastic_samples import Samplable
from srcgrad.tape.methods.typed import Typed
from srcgrad.tape.methods.writing import Writable
from srcgrad.tape.stochastic import start_of
from srcgrad.tape.user_function import run
from srcgrad.tape.versions import Storage, share
from srcgrad.tape.ways import comparing
from srcgrad.tracebacks import trim
from srcgrad.updates import cast

# Accumulation into one `.grad` from several threads must not lose any.
_accumulating = threading.Lock()


class Variable(
    Typed,
    Placed,
    Hookable,
    Samplable,
    Writable,
    Convertible,
    Digits,
    Copyable,
    Lying,
    ArrayProtocol,
):
    """An array on the tape.

    Parameters
    ----------
    data : array_like
        An ndarray is shared, not copied; a number or nested list becomes one. A
        Variable gives its data.
    requires_grad : bool
        Whether gradients are wanted for it. Integer and boolean data have none.
    volatile : bool
        Whether everything computed from it stays off the tape.

    Raises
    ------
    TypeError
        If the data are not numbers.
    RuntimeError
        If ``requires_grad`` is asked for on integer or boolean data.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> x = srcgrad.Variable([[1.0, 2.0]], requires_grad=True)
    >>> x
    Variable containing:
    array([[1., 2.]])
    [requires_grad=True]
    >>> np.exp(x).sum().grad_fn.name()
    'SumBackward'
    """

    __slots__ = ("__weakref__", "edge", "kept", "storage", "value")

    value: Any
    edge: Edge | None
    storage: Storage | None
    kept: Any

    def __init__(
        self, data: Any, requires_grad: bool = False, volatile: bool = False
    ) -> None:
        source = data
        if isinstance(data, ArrayProtocol):
            refuse_use_of("data")
            data = data.value
        if type(data) is not np.ndarray:
            data = _array(data)
        if data.dtype.kind not in "fciub":
            raise located(
                TypeError(
                    f"a Variable holds numbers, but got data of dtype {data.dtype}"
                )
            )
        self.value = data
        self.edge = None
        self.storage = None
        self.kept = None
        if data is getattr(source, "value", None):
            self._join(source)
        if requires_grad:
            self.requires_grad = True
        if volatile:
            self.volatile = True

    @classmethod
    def make(
        cls, value: Any, edge: Edge | None, storage: Storage | None = None
    ) -> "Variable":
        """Wrap the result of an operation, as it is."""
        variable: Variable = new(cls)
        variable.value = value
        variable.edge = edge
        variable.storage = storage
        variable.kept = None
        return variable

    # ----- What it is -----

    def __hash__(self) -> int:
        # To the function that a transform runs it is a number, and a key by its value.
        if state.depth and type(self.value) is not np.ndarray:
            return hash(self.value)
        return object.__hash__(self)

    @property
    def data(self) -> "np.ndarray[Any, Any]":
        """The ndarray (or NumPy scalar) itself. Writes through it are not tracked."""
        refuse_use_of("data")
        data: np.ndarray[Any, Any] = self.value
        return data

    @data.setter
    def data(self, data: Any) -> None:
        refuse_use_of("data")
        if data is self.value:  # the end of `x.data += ...`
            self.own_storage().written(here())
            return
        data = _array(raw_of(data))
        if self.edge is not None and (
            data.shape != self.shape or data.dtype != self.dtype
        ):
            raise ValueError(
                f"data of shape {data.shape} and dtype {data.dtype} cannot replace "
                f"shape {self.shape} and dtype {self.dtype} of a Variable in a graph"
            )
        # What was saved keeps the old array, and stays right.
        self.value = data
        self.storage = None

    # ----- Gradients -----

    def backward(
        self,
        gradient: Any = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        retain_variables: bool | None = None,
    ) -> None:
        """Add the gradient of this Variable to ``.grad`` of every leaf it depends on.

        Parameters
        ----------
        gradient : array_like, optional
            The cotangent, of this Variable's shape; may be left out for one element.
        retain_graph : bool, optional
            Keep the buffers for another backward pass. Default: ``create_graph``.
        create_graph : bool
            Make the gradients differentiable themselves.
        retain_variables : bool, optional
            The old name of ``retain_graph``.

        Raises
        ------
        RuntimeError
            If there is nothing to differentiate, the gradient does not fit, or the
            buffers are gone.
        """
        if retain_variables is not None:
            retain_graph = retain_variables
        try:
            accumulate([self], [gradient], retain_graph, create_graph)
        except Exception as error:
            trim(error)
            raise

    def clone(self) -> "Variable":
        """Return a copy on memory of its own, through which gradients flow."""
        if type(self.value) is np.ndarray:
            copy: Any = np.copy(self)
        elif self.dtype == bool:
            copy = type(self).make(self.value, self.edge)
        else:  # a scalar, which has no memory, stays one
            copy = np.positive(self)
        return copy  # type: ignore[no-any-return]

    def detach(self) -> "Variable":
        """Return a Variable on the same data without history."""
        edge = VOLATILE if self.edge is VOLATILE else None
        detached = type(self).make(self.value, edge)
        detached._join(self)
        return detached

    # ----- Arrays -----

    def own_storage(self) -> Storage:
        """The version counter, made when first asked for."""
        if self.storage is None:
            self.storage = Storage()
        return self.storage

    def _join(self, source: Any) -> None:
        """Share the version counter of a Variable on the same array."""
        if type(self.value) is np.ndarray:
            share(source, self)

    @property
    def _version(self) -> int:
        return 0 if self.storage is None else self.storage.last[0]

    def _call(self, function: Operation, args: Any, kwargs: Any) -> Any:
        try:
            if len(args) > 2:
                args, kwargs = named_out(function, args, kwargs)
            if kwargs:
                if function is np.clip and "where" in kwargs:
                    function, args, kwargs = inplace_functions.clip_ufunc(
                        *args, **kwargs
                    )
                if kwargs.get("out") is not None:
                    return inplace_functions.into_out(function, args, kwargs)
                kwargs.pop("out", None)
                if "where" in kwargs and isinstance(function, np.ufunc):
                    return inplace_functions.only_where(function, args, kwargs)
            if function in inplace_functions.WRITERS:
                return inplace_functions.run(function, args, kwargs)
            return apply(function, args, kwargs)
        except Exception as error:
            trim(error)
            raise

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any
    ) -> Any:
        try:
            if not kwargs and method == "__call__":
                fast = FAST.get(ufunc)
                if fast is not None:
                    return fast(*inputs)
            if method == "at":
                return inplace_functions.at(ufunc, *inputs)
            return super().__array_ufunc__(ufunc, method, *inputs, **kwargs)
        except Exception as error:
            trim(error)
            raise

    def __array_function__(
        self, function: Operation, types: Any, args: Any, kwargs: Any
    ) -> Any:
        try:
            fast = FAST.get(function)
            if fast is not None and args and isinstance(args[0], Variable):
                return fast(*args, **kwargs)
            return super().__array_function__(function, types, args, kwargs)
        except Exception as error:
            trim(error)
            raise

    def astype(self, dtype: Any, **kwargs: Any) -> "Variable":
        """Convert to a dtype; the gradient is converted back."""
        converted: Variable = cast(self, np.dtype(dtype))
        return converted

    def __setitem__(self, index: Any, value: Any) -> None:
        try:
            inplace.setitem(self, index, value)
        except Exception as error:
            trim(error)
            raise


def _install_augmented() -> None:
    """Give Variable ``+=`` and its kin, which work in place."""

    def augmented(function: Operation, operation: Operation) -> Operation:
        def operate(self: Variable, other: Any) -> Any:
            if type(meant(self.value)) is not np.ndarray:
                # As with NumPy's scalars: the name gets a new object.
                return operation(self, other)
            try:
                return inplace.update(self, function, other)
            except Exception as error:
                trim(error)
                raise

        return operate

    for own in BINARY_OPERATORS:
        setattr(Variable, f"__i{own.name}__", augmented(own.ufunc, own.python))


_install_augmented()
for _name in dir(np.ndarray):
    if not hasattr(Variable, _name) and not _name.startswith("_"):
        setattr(Variable, _name, elsewhere(_name))

# The same fast paths for operators and for ufuncs that meet a Variable.
FAST = fast_path.install(Variable)

for _own in COMPARISONS:
    _name = f"__{_own.name}__"
    setattr(Variable, _name, comparing(_own, getattr(Variable, _name)))

# What lower layers need of the higher ones.
Function.variable_class = Variable
Function.run = staticmethod(run)


def _array(data: Any) -> Any:
    """The data of a new Variable as an ndarray of no special kind."""
    if isinstance(data, np.ma.MaskedArray):
        raise located(
            TypeError("a Variable does not know of masks, but got a masked array"),
            "fill it first",
            kind="plain-arrays",
        )
    return np.asarray(data) if FOREIGN[type(data)] is None else array_of(data)


def restore(raw: Any, edge: Edge | None, storage: Storage | None) -> Any:
    """Make a Variable of what a node saved, for a backward pass on Variables."""
    if edge is None and (state.recorder is None or not state.recorder.knows(raw)):
        return raw
    return Variable.make(raw, edge, storage)


def accumulate(
    variables: Sequence[Any],
    gradients: Sequence[Any],
    retain_graph: bool | None = None,
    create_graph: bool = False,
) -> None:
    """Walk back from several Variables; add what arrives to the leaves' ``.grad``."""
    refuse("backward() changes the .grad of Variables")
    retain = create_graph if retain_graph is None else retain_graph
    engine = ExecutionEngine(retain, restore if create_graph else None, create_graph)
    pairs = zip(variables, gradients, strict=True)
    found = engine.run_backward([root(v, g, create_graph) for v, g in pairs])
    owned = engine.owned
    with _accumulating:
        for edge, g in found:
            leaf: Any = edge[0]
            before = leaf.grad
            if before is not None and create_graph:
                leaf.grad = added(before, g, leaf.dtype)
            elif before is not None:
                total = added(before.value, g, leaf.dtype)
                leaf.grad = Variable.make(np.asarray(total), None)
            elif type(g) is np.ndarray and leaf in owned:
                leaf.grad = Variable.make(g, None)
            else:  # it may be part of a gradient that flows elsewhere
                leaf.grad = (
                    fit(g * 1.0, leaf.shape, leaf.dtype)
                    if create_graph
                    else Variable.make(np.array(g), None)
                )


FIRST = np.float64(1.0)


def root(variable: Any, gradient: Any, keep_variable: bool) -> tuple[Edge, Any]:
    """Where a backward pass starts, and its first cotangent.

    ``keep_variable``: the cotangent shall be a Variable, else an array.

    Raises
    ------
    RuntimeError
        If the Variable has no graph, or the gradient does not fit it.
    """
    if not isinstance(variable, Variable):
        raise TypeError(
            f"expected a Variable to differentiate, but got {type(variable)}"
        )
    edge: Any = variable.edge
    if gradient is None and type(variable.value) is np.float64 and has_edge(variable):
        cotangent: Any = FIRST  # most losses
    elif edge is None and (start := start_of(variable)) is not None:
        edge = start
        cotangent = np.zeros(variable.shape, variable.dtype)  # the reward replaces it
    else:
        _check_has_graph(variable)
        cotangent = _cotangent_of(variable, gradient)
    if not keep_variable:
        return edge, raw_of(cotangent)
    if not isinstance(cotangent, Variable):
        cotangent = Variable.make(cotangent, None)
    return edge, cotangent


def _check_has_graph(variable: Variable) -> None:
    if variable.edge is VOLATILE:
        raise RuntimeError("calling backward on a volatile variable")
    if variable.edge is None:
        raise located(
            RuntimeError("there are no graph nodes that require computing gradients"),
            "no input of this Variable requires grad",
            kind="no-graph",
        )


def _cotangent_of(variable: Variable, gradient: Any) -> Any:
    """What is given as gradient of a Variable, as an array or Variable that fits."""
    shape = variable.shape
    if gradient is None:
        if shape and variable.size != 1:
            raise explained(
                RuntimeError(
                    "backward should be called only on a scalar (i.e. 1-element array) "
                    "or with gradient w.r.t. the variable"
                ),
                f"the Variable has shape {shape}: call backward(gradient=...), or "
                "backward() of its sum",
                kind="not-a-number",
            )
        return first_cotangent(shape, variable.dtype)
    if not isinstance(gradient, Variable):
        gradient = _array(gradient)
    if gradient.shape != shape:
        raise RuntimeError(
            f"a gradient of shape {gradient.shape} does not fit the Variable of shape "
            f"{shape}"
        )
    return gradient
