"""``value_and_grad`` and ``hvp`` of the sum, or the mean, over all blocks."""

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from srcgrad.dask.blocks import Blocks
from srcgrad.dask.compiling import Compiling
from srcgrad.dask.sums import Rules, computed, tree_of
from srcgrad.errors import located
from srcgrad.functional import gradients, jacobians
from srcgrad.functional.arguments import check_leaf
from srcgrad.functional.forms import Form
from srcgrad.functional.naming import name_of
from srcgrad.protocols import ArrayProtocol
from srcgrad.pytree import flatten
from srcgrad.tracebacks import DOOR
from srcgrad.tracing.decorator import trace

Callback = Callable[..., Any]
Reduce = Literal["sum", "mean"]


def value_and_grad(
    loss: Callback, *, data: Any, reduce: Reduce = "sum"
) -> "OverBlocks":
    """Make a function that gives a loss of all data, and its gradient.

    Parameters
    ----------
    loss : callable
        ``loss(parameters, *block)`` is one real number, for one block of the data.
    data : Dask collection, list of delayed, or tuple of these
        A Dask array in chunks of whole rows, a dataframe, a bag (a block of which is
        a list), or a list of delayed blocks. Of a tuple each is an argument of the
        loss, in the same number of blocks.
    reduce : {"sum", "mean"}
        How the losses of blocks make that of all: by their sum; or, if the loss of a
        block is a mean over its rows, by their mean, weighted by rows. Blocks without
        rows are left out.

    Returns
    -------
    OverBlocks
        Called with the parameters, it gives ``(value, gradient)``. Further arguments
        go to the loss, before those of the block; with ``blocks=``, a list of numbers,
        it is about these blocks alone. The gradient is of the parameters' structure,
        kinds and dtypes; all is summed in float64, in the order of the blocks.

    Raises
    ------
    TypeError, ValueError
        If the data are of another kind, or not in blocks of whole rows.

    Examples
    --------
    >>> import dask.array
    >>> import numpy as np
    >>> import srcgrad.dask
    >>> x = dask.array.arange(6.0, chunks=4)
    >>> def loss(w, x):
    ...     return np.mean((w["b"] - x) ** 2)
    >>> value_and_grad = srcgrad.dask.value_and_grad(loss, data=x, reduce="mean")
    >>> value_and_grad({"b": 2.5})
    (np.float64(2.9166666666666665), {'b': 0.0})
    >>> value_and_grad({"b": 2.5}, blocks=[1])
    (np.float64(4.25), {'b': -4.0})
    """
    return ValueAndGrad(
        gradients.value_and_grad(without_keywords(loss)), loss, data, reduce
    )


def hvp(loss: Callback, *, data: Any, reduce: Reduce = "sum") -> "OverBlocks":
    """Make a function that gives Hessian-vector products of a loss of all data.

    Parameters are those of ``value_and_grad``.

    Returns
    -------
    OverBlocks
        Called with the parameters and a vector of their structure, it gives the
        product, as ``hessp`` of ``scipy.optimize.minimize`` does.

    Examples
    --------
    >>> import dask.array
    >>> import numpy as np
    >>> import srcgrad.dask
    >>> x = dask.array.arange(4.0, chunks=2)
    >>> product = srcgrad.dask.hvp(lambda w, x: np.sum((w * x) ** 2), data=x)
    >>> product(1.0, 1.0)
    28.0
    """

    def product(parameters: Any, vector: Any, *block: Any) -> Any:
        # In a tuple, as one that is the parameters would be several arguments.
        return jacobians.hvp(loss, (parameters,), (vector,), *block)[0]

    product.__name__ = f"{name_of(loss)}_hvp"
    return Product(trace(product), loss, data, reduce)


class OverBlocks:
    """A derivative of a loss of all data.

    Attributes
    ----------
    npartitions : int
        How many blocks there are.
    """

    def __init__(
        self, gradient: Any, loss: Callback, data: Any, reduce: Reduce
    ) -> None:
        if reduce not in ("sum", "mean"):
            raise ValueError(f'reduce is "sum" or "mean", but got {reduce!r}')
        self._blocks = Blocks(data)
        is_mean, counting = reduce == "mean", self._blocks.counting
        if is_mean:  # each block has one weight
            counting = counting._replace(are_aligned=True)
        self._rules = Rules(is_mean, counting)
        self._name = name_of(loss)
        self._compiling = Compiling(gradient, loss, self._blocks, counting)
        self.npartitions = len(self._blocks.delayed)

    def __call__(
        self, parameters: Any, *more: Any, blocks: Sequence[int] | None = None
    ) -> Any:
        with DOOR:
            given = parameters, *more
            check(given)
            numbers = self._numbers(blocks)
            return self._packed(self._total(given, numbers), parameters)

    def _total(self, given: Sequence[Any], numbers: Sequence[int]) -> list[Any]:
        """The leaves of the sum, or of the mean."""
        compiling = self._compiling
        compiling.prepare(given, numbers)
        chosen = [self._blocks.delayed[number] for number in numbers]
        while True:
            program = compiling.program()
            total = computed(tree_of(program, given, numbers, chosen, self._rules))
            if not total.missed:
                break
            number = min(total.missed)
            compiling.learn(given, number, total.missed[number])
        if not total.rows:
            raise located(ValueError("the blocks have no rows"), kind="data-in-blocks")
        count = total.rows if self._rules.is_mean else 1
        return [leaf / count for leaf in total.leaves]

    def _numbers(self, blocks: Sequence[int] | None) -> Sequence[int]:
        count = self.npartitions
        if blocks is None:
            return range(count)
        blocks = list(blocks)
        if any(isinstance(number, bool | np.bool_) for number in blocks):
            raise located(
                TypeError("blocks has numbers of blocks, but got booleans"),
                "np.flatnonzero(mask) gives the numbers that a mask chooses",
                kind="data-in-blocks",
            )
        numbers = [operator.index(number) for number in blocks]
        if not numbers or not all(0 <= number < count for number in numbers):
            raise located(
                ValueError(f"blocks has numbers of 0 to {count - 1}, but got {blocks}"),
                kind="data-in-blocks",
            )
        return numbers

    def _packed(self, leaves: list[Any], parameters: Any) -> Any:
        """What the user gets: leaves in the form of the parameters."""
        likes = [leaf for leaf in flatten(parameters)[0] if leaf is not None]
        dtypes = [getattr(like, "dtype", None) for like in likes]
        pairs = zip(leaves, dtypes, strict=True)
        found = [np.asarray(leaf, dtype) for leaf, dtype in pairs]
        return Form.of(parameters).filled(found)

    def __repr__(self) -> str:
        return f"<{self._name} over {self.npartitions} blocks>"


class ValueAndGrad(OverBlocks):
    """The value and the gradient."""

    def _packed(self, leaves: list[Any], parameters: Any) -> Any:
        value, *rest = leaves
        return np.float64(np.reshape(value, ())), super()._packed(rest, parameters)


class Product(OverBlocks):
    """The product of the Hessian with a vector."""

    def __call__(  # type: ignore[override]  # needs one
        self,
        parameters: Any,
        vector: Any,
        *more: Any,
        blocks: Sequence[int] | None = None,
    ) -> Any:
        return super().__call__(parameters, vector, *more, blocks=blocks)


def without_keywords(function: Callback) -> Callback:
    """The same, to be called with positions: what a partial has by name is its own.

    >>> without_keywords(functools.partial(pow, mod=5))(2, 3)
    3
    """
    if not (isinstance(function, functools.partial) and function.keywords):
        return function

    def call(*args: Any) -> Any:
        return function(*args)

    call.__name__ = name_of(function)
    return call


def check(given: Sequence[Any]) -> None:
    """Raise if there is no derivative over blocks by the first of what is given."""
    for leaf in flatten(given[0])[0]:
        check_leaf(leaf)
    for leaf in flatten(given)[0]:
        if isinstance(leaf, ArrayProtocol):
            raise located(
                TypeError("a gradient over blocks is not differentiated again"),
                "srcgrad.dask.hvp gives products with the Hessian",
                kind="data-in-blocks",
            )
