"""``jacobian`` and ``hessian``, row by row or column by column; and ``hvp``."""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

from srcgrad.errors import located
from srcgrad.functional.arguments import Arguments, check_value
from srcgrad.functional.differentiated import differentiable_leaves, value_of
from srcgrad.functional.forms import Form, Like, split
from srcgrad.functional.gradients import Argnames, Argnums, one
from srcgrad.functional.jvp import Line, check_tangents, fitted
from srcgrad.functional.many_walks import Walk, check_chunk_size, units, walked
from srcgrad.functional.naming import name_of
from srcgrad.functional.on_tape import Lifted, running, walked_back
from srcgrad.functional.transform import Checked, Found, Transform
from srcgrad.modes import state
from srcgrad.protocols import raw_of
from srcgrad.pytree import flatten, unflatten
from srcgrad.rules.algorithms import leads_through_one
from srcgrad.tracebacks import DOOR
from srcgrad.tracing.following.running import run
from srcgrad.tracing.graphs.recorder import Recorder
from srcgrad.tracing.own_traces import remembered

Callback = Callable[..., Any]
P = ParamSpec("P")
Primals = TypeVar("Primals")
MODES = ("reverse", "forward", None)
NO_TANGENTS = "goes row by row: what SciPy's algorithms give has no tangents of its own"


def jacobian(
    function: Callable[P, Any],
    argnums: Argnums = None,
    has_aux: bool = False,
    holomorphic: bool = False,
    *,
    argnames: Argnames = None,
    mode: str | None = None,
    chunk_size: int | None = None,
) -> Transform[P, Any]:
    """Make a function that returns the Jacobian of a function.

    Parameters
    ----------
    function : callable
        Returns an array, a number, or a container of these.
    argnums : int or sequence of int, optional
        The positional arguments to differentiate by; by default the first.
    has_aux : bool
        Whether the function returns ``(value, aux)``.
    holomorphic : bool
        The function is complex differentiable, and its complex derivative is meant.
    argnames : str or sequence of str, optional
        Arguments by name, however they are passed.
    mode : {"reverse", "forward"}, optional
        Whether to go row by row, by as many walks back as the value has elements, or
        column by column. By default what is less; row by row through algorithms of
        SciPy's that call the function's own functions.
    chunk_size : int, optional
        How many rows (columns) to compute at once. By default all of them, which takes
        the memory of as many walks.

    Returns
    -------
    callable
        With the function's arguments; returns an array of shape ``value.shape +
        argument.shape`` in the structure of the value, and in each place that of the
        argument; ``(jacobian, aux)`` with ``has_aux``.

    Raises
    ------
    TypeError
        If something has no derivative.
    ValueError
        If ``argnums`` or ``argnames`` do not fit the arguments.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> srcgrad.jacobian(lambda x: np.array([1.0, 2.0]) * x[0] ** 2)(np.array([3.0]))
    array([[ 6.],
           [12.]])
    """
    if mode not in MODES:
        raise ValueError(f'mode is "reverse", "forward" or None, but got {mode!r}')
    check_chunk_size(chunk_size)
    arguments = Arguments.of(function, argnums, argnames)
    return Jacobian(function, arguments, has_aux, holomorphic, mode, chunk_size)


def hessian(
    function: Callable[P, Any],
    argnums: Argnums = None,
    has_aux: bool = False,
    holomorphic: bool = False,
    *,
    argnames: Argnames = None,
    chunk_size: int | None = None,
) -> Transform[P, Any]:
    """Make a function that returns the second derivatives of a function.

    It is the Jacobian of the Jacobian, which is the gradient if the function returns
    one number. Parameters and errors are those of ``jacobian``.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> srcgrad.hessian(lambda x: x[0] ** 2 * x[1])(np.array([1.0, 2.0]))
    array([[4., 2.],
           [2., 0.]])
    """
    arguments = Arguments.of(function, argnums, argnames)
    check_chunk_size(chunk_size)
    inner = Jacobian(function, arguments, has_aux, holomorphic, "reverse", chunk_size)
    return Jacobian(inner, arguments, has_aux, holomorphic, "reverse", chunk_size)


def hvp(function: Callback, primals: Primals, vectors: Primals, *args: Any) -> Primals:
    """Compute the product of a function's Hessian and a vector.

    Parameters
    ----------
    function : callable
        Returns one real number.
    primals : tuple, or anything else
        Its arguments; what is no tuple (a named tuple, too) is the only one.
    vectors : tuple, or anything else
        Of the same structure, shapes and dtypes; an array of integers may stand for
        one of floats.
    *args
        Further arguments of the function, which stay as they are: as a ``hessp`` of
        SciPy's gets those that ``minimize`` has as ``args=``.

    Returns
    -------
    The product, in the structure of the primals.

    Raises
    ------
    TypeError
        If the vectors do not fit the primals, or the value is not one real number.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> srcgrad.hvp(lambda x: np.sum(x**3), np.array([1.0, 2.0]), np.array([1.0, 0.0]))
    array([6., 0.])
    """
    is_one = type(primals) is not tuple
    given: Any = (primals,) if is_one else primals
    moving: Any = vectors
    # SciPy's LinearOperator learns the dtype of a product from a vector of int8.
    if is_one and isinstance(vectors, np.ndarray) and vectors.dtype.kind in "iu":
        moving = vectors.astype(np.result_type(raw_of(primals), np.float16))
    with DOOR:
        product = remembered(function, Hvp, len(given) if args else None)
        found = product((*given, *args), (moving,) if is_one else moving)
    return cast(Primals, found[0] if is_one else found)


jacobian.is_transform = hessian.is_transform = True  # type: ignore[attr-defined]
hvp.is_transform = True  # type: ignore[attr-defined]


class Jacobian(Transform[P, Any]):
    """A function's Jacobian."""

    suffix, gives_what = "jacobian", "the Jacobian of"

    def __init__(
        self,
        function: Callable[P, Any],
        arguments: Arguments,
        has_aux: bool,
        holomorphic: bool,
        mode: str | None,
        chunk_size: int | None = None,
    ) -> None:
        super().__init__(function, arguments, has_aux, holomorphic, mode, chunk_size)
        self._arguments = arguments
        self._has_aux = has_aux
        self._holomorphic = holomorphic
        self._mode = mode
        self._chunk_size = chunk_size

    def gives(self, name: str) -> tuple[str, str]:
        if self._is_hessian:
            return f"{name}_hessian", f"Return the Hessian of `{name}`."
        return super().gives(name)

    def checked_by(self, args: Any, kwargs: Any) -> Checked | None:
        if isinstance(self._function, Transform) and not self._is_hessian:
            return None
        places = self._arguments.chosen(args, kwargs, self._base)
        is_plain = self._arguments.is_single and not self._has_aux
        form = "hessian" if self._is_hessian else "jacobian"
        return Checked(form, places, True) if is_plain else None

    @property
    def _is_hessian(self) -> bool:
        inner = self._function
        return isinstance(inner, Jacobian) and not isinstance(
            inner._function, Transform
        )

    def on_tape(self, args: Any, kwargs: Any) -> Found:
        chosen = self._arguments.chosen(args, kwargs, self._base)
        trees = [*args, *kwargs.values()]
        inputs = [leaf for k in chosen for leaf in flatten(trees[k])[0]]
        inputs = [leaf for leaf in inputs if leaf is not None]
        lifted = Lifted(args, kwargs, chosen)
        with running():
            result = self.call(lifted.args, lifted.kwargs)
            lifted.look_to_outer(result)
        value = value_of(result) if self._has_aux else result
        leaves = differentiable_leaves(value, "jacobian")
        self._check_complex([*inputs, *leaves])
        with running():
            blocks = self._blocks(leaves, inputs, lifted)
        layout = Layout(value, [flatten(trees[k]) for k in chosen])

        def pack(result: Any, derived: Sequence[Any]) -> Any:
            found = layout.packed(derived, self._arguments.packed)
            return (found, result[1]) if self._has_aux else found

        given_back = lifted.given_back(result) if self._has_aux else None
        return Found(
            given_back, blocks, pack, is_closed_over=lifted.outer.is_closed_over
        )

    def _blocks(
        self, results: Sequence[Any], inputs: Sequence[Any], lifted: Lifted
    ) -> list[Any]:
        """The Jacobian of each result by each input, one after the other."""
        rows, columns = (sum(map(_size, each)) for each in (results, inputs))
        mode = self._mode or ("forward" if columns < rows else "reverse")
        if self._mode is None and mode == "forward" and leads_through_one(results):
            mode = "reverse"
            if isinstance(state.recorder, Recorder):
                state.recorder.notes.append(NO_TANGENTS)
        blocks: list[Any] = []
        if mode == "reverse":
            for result in results:

                def back(g: Any, result: Any = result) -> list[Any]:
                    return walked_back(
                        [result], [g], lifted.places, lifted.is_nested, True
                    )

                found = self._walked(back, result)
                blocks += map(_as_rows, found or [None] * len(inputs))
        else:
            line, blocks = Line(results, lifted.places), [[] for _ in results]
            zeros: list[Any] = [np.zeros_like(raw_of(other)) for other in inputs]
            for number, each in enumerate(inputs):

                def forth(tangent: Any, number: int = number) -> list[Any]:
                    tangents = [*zeros[:number], tangent, *zeros[number + 1 :]]
                    return line.tangents(tangents, lifted.is_nested, True)

                found = self._walked(forth, each)
                for row, lines in zip(
                    blocks, found or [None] * len(results), strict=True
                ):
                    row.append(_turned(_as_rows(lines)))
            blocks = [block for row in blocks for block in row]
        if self._holomorphic and mode == "reverse":
            blocks = [None if block is None else np.conj(block) for block in blocks]
        pairs = itertools.product(results, inputs)
        return [
            _finished(block, result, each, lifted)
            for block, (result, each) in zip(blocks, pairs, strict=True)
        ]

    def _walked(self, walk: Walk, like: Any) -> list[Any]:
        """What a walk from each of a leaf's unit vectors gives."""
        raw = raw_of(like)
        seeds = units(np.shape(raw), np.result_type(raw))
        if len(seeds) == 1:
            found = walk(seeds[0])
            return [None if g is None else np.expand_dims(g, 0) for g in found]
        return walked(walk, seeds, f"the Jacobian of {self._name}", self._chunk_size)

    @property
    def _name(self) -> str:
        return name_of(self._function)

    def _check_complex(self, leaves: Sequence[Any]) -> None:
        """Raise if it is not said what derivative is meant.

        Raises
        ------
        TypeError
            Saying what to do.
        """
        kinds = {np.result_type(raw_of(leaf)).kind for leaf in leaves}
        if self._holomorphic and kinds - {"c"}:
            raise located(
                TypeError(
                    "jacobian: with holomorphic=True all arguments and results are "
                    "complex, but one is real"
                )
            )
        if not self._holomorphic and "c" in kinds:
            raise located(
                TypeError(
                    "jacobian: of complex arguments or results only with "
                    "holomorphic=True, or of the real and imaginary parts as real "
                    "functions"
                )
            )


def _size(leaf: Any) -> int:
    return math.prod(np.shape(raw_of(leaf)))


def _as_rows(lines: Any) -> Any:
    """Rows or columns of a leaf's shape as one matrix; None if all are zero."""
    return None if lines is None else np.reshape(lines, (lines.shape[0], -1))


def _turned(columns: Any) -> Any:
    """Columns as rows."""
    return None if columns is None else np.transpose(columns)


def _finished(block: Any, result: Any, leaf: Any, lifted: Lifted) -> Any:
    if block is None:
        return None
    shape = (*np.shape(raw_of(result)), *np.shape(raw_of(leaf)))
    block = np.reshape(block, shape)
    is_array = not lifted.is_nested and not lifted.outer.has_variables
    return block if is_array else lifted.kept(block)


class Layout:
    """How the blocks of a Jacobian are packed: one for each result and input."""

    def __init__(self, value: Any, arguments: Sequence[Any]) -> None:
        results, self._structure = flatten(value)
        self._arguments = [(len(leaves), tree) for leaves, tree in arguments]
        inputs = [leaf for leaves, _ in arguments for leaf in leaves]
        self._likes = [
            None
            if result is None
            else [None if leaf is None else Block(result, leaf) for leaf in inputs]
            for result in results
        ]

    def packed(
        self, blocks: Sequence[Any], together: Callable[[Sequence[Any]], Any]
    ) -> Any:
        """The blocks in their structure."""
        rest = iter(blocks)
        rows: list[Any] = []
        for likes in self._likes:
            if likes is None:
                rows.append(None)
                continue
            leaves = iter(
                [None if like is None else like.made(next(rest)) for like in likes]
            )
            trees = [
                unflatten(structure, [next(leaves) for _ in range(count)])
                for count, structure in self._arguments
            ]
            rows.append(together(trees))
        return unflatten(self._structure, rows)


class Block(Like):
    """The kind and shape of the Jacobian of one leaf by another."""

    def __init__(self, result: Any, leaf: Any) -> None:
        super().__init__(leaf)
        self.shape = (*np.shape(raw_of(result)), *self.shape)
        if self.shape:
            self.kind = self.raw_kind = np.ndarray
            self.is_array = True
            self.dtype = np.result_type(raw_of(leaf))


class Hvp(Transform[..., Any]):
    """Called with primals and vectors.

    There are vectors of the first ``count`` primals; None: of all.
    """

    is_like_function = False

    def __init__(self, function: Callback, count: int | None = None) -> None:
        super().__init__(function, count)
        self._count = count

    def on_tape(self, args: Any, kwargs: Any) -> Found:
        primals, vectors = args
        moved = primals[: self._count]
        check_tangents(moved, vectors, "hvp", "vector")
        forms = [Form.of(primal) for primal in moved]
        lifted = Lifted(primals, kwargs, range(len(moved)), vectors)
        given = [leaf for leaf in flatten(vectors)[0] if leaf is not None]
        with running():
            value = run(self._function, lifted.args, lifted.kwargs)
            lifted.look_to_outer(value)
            name = name_of(self._function)
            check_value(value, raw_of(value), name)
            gradients = walked_back([value], [one(value)], lifted.places, True, True)
            weights = [
                None if gradient is None else fitted(vector, gradient.dtype)
                for vector, gradient in zip(given, gradients, strict=True)
            ]
            found = walked_back(gradients, weights, lifted.places, lifted.is_nested)

        def pack(result: Any, derived: Sequence[Any]) -> Any:
            return tuple(split(derived, forms))

        derived = [lifted.kept(g) for g in found]
        return Found(None, derived, pack, is_closed_over=lifted.outer.is_closed_over)

    def argument(self, first: int, rest: list[Any]) -> tuple[int, list[Any], str]:
        number, *keys = rest
        found = super().argument(number, keys)
        return (*found[:2], found[2] + "_dot" * first)
