"""``sparse_jacobian``, ``sparse_hessian``: as SciPy's sparse matrices, by few walks.

The pattern of the derivative is read off a recording. Rows that share no column are
computed together, by one walk back from the sum of their unit vectors; or columns that
share no row by one forward.
"""

import importlib
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec

import numpy as np

from srcgrad.errors import located
from srcgrad.functional.arguments import Arguments
from srcgrad.functional.differentiated import value_of
from srcgrad.functional.gradients import Argnames, Grad
from srcgrad.functional.jvp import Line
from srcgrad.functional.many_walks import walked
from srcgrad.functional.naming import name_of
from srcgrad.functional.on_tape import Lifted, running, walked_back
from srcgrad.functional.transform import Found, Transform
from srcgrad.modes import refuse
from srcgrad.protocols import raw_of
from srcgrad.tape.variable import Variable
from srcgrad.tracing.graphs.compression import Compression

Callback = Callable[..., Any]
P = ParamSpec("P")


def sparse_jacobian(
    function: Callable[P, Any],
    argnums: int | None = None,
    has_aux: bool = False,
    *,
    argnames: Argnames = None,
) -> Transform[P, Any]:
    """Make a function that returns the Jacobian of a function as a sparse matrix.

    Which entries may be other than zero is read off a recording of the function, and as
    many walks as the fullest row or column has entries, in one generated function, give
    them all. Where the function cannot be recorded it is computed row by row. Needs
    SciPy.

    Parameters
    ----------
    function : callable
        Returns a float array (a number is one of one element).
    argnums : int, optional
        The argument to differentiate by, a float array; by default the first.
    has_aux : bool
        Whether the function returns ``(value, aux)``.
    argnames : str, optional
        The argument by name, however it is passed.

    Returns
    -------
    callable
        With the function's arguments; returns a ``scipy.sparse.csr_array`` of shape
        ``(value.size, argument.size)``, which holds each entry that may be other than
        zero; with ``has_aux`` ``(jacobian, aux)``.

    Raises
    ------
    ImportError
        Without SciPy.
    TypeError
        If argument or value is no float array.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> steps = srcgrad.sparse_jacobian(lambda x: (x[1:] - x[:-1]) ** 2)
    >>> found = steps(np.array([1.0, 2.0, 4.0]))
    >>> found.nnz, found.toarray()
    (4, array([[-2.,  2.,  0.],
           [ 0., -4.,  4.]]))
    """
    return SparseJacobian(function, _single(function, argnums, argnames), has_aux)


def sparse_hessian(
    function: Callable[P, Any],
    argnums: int | None = None,
    has_aux: bool = False,
    *,
    argnames: Argnames = None,
) -> Transform[P, Any]:
    """Make a function that returns the Hessian of a function as a sparse matrix.

    It is the sparse Jacobian of the gradient. Parameters and errors are those of
    ``sparse_jacobian``, but that the function returns one real number.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> curvature = srcgrad.sparse_hessian(lambda x: np.sum((x[1:] - x[:-1]) ** 2))
    >>> curvature(np.zeros(3)).toarray()
    array([[ 2., -2.,  0.],
           [-2.,  4., -2.],
           [ 0., -2.,  2.]])
    """
    arguments = _single(function, argnums, argnames)
    return SparseJacobian(Grad(function, arguments, has_aux), arguments, has_aux)


for _transform in (sparse_jacobian, sparse_hessian):
    _transform.is_transform = True  # type: ignore[attr-defined]


def _single(function: Callback, argnums: Any, argnames: Any) -> Arguments:
    arguments = Arguments.of(function, argnums, argnames)
    if not arguments.is_single:
        raise located(
            TypeError(
                "a sparse derivative is taken by one argument, but got "
                f"argnums={argnums!r}, argnames={argnames!r}"
            )
        )
    _scipy_sparse()
    return arguments


def _scipy_sparse() -> Any:
    try:
        return importlib.import_module("scipy.sparse")
    except ImportError as error:
        raise located(
            ImportError(
                "sparse derivatives are SciPy's sparse matrices: pip install "
                "srcgrad[scipy]"
            )
        ) from error


class SparseJacobian(Transform[P, Any]):
    """A function's Jacobian; made by ``sparse_jacobian``."""

    is_recorded_at_once = True  # without a recording it goes row by row

    def __init__(
        self, function: Callable[P, Any], arguments: Arguments, has_aux: bool
    ) -> None:
        super().__init__(function, arguments, has_aux)
        self._arguments = arguments
        self._has_aux = has_aux

    def untraced(self, args: Any, kwargs: Any) -> Any:
        refuse("calls sparse_jacobian, which gives a matrix of SciPy's")
        return super().untraced(args, kwargs)

    def on_tape(self, args: Any, kwargs: Any) -> Found:
        chosen = self._arguments.chosen(args, kwargs, self._base)
        leaf = [*args, *kwargs.values()][chosen[0]]
        _check(leaf, "argument")
        lifted = Lifted(args, kwargs, chosen)
        with running():
            result = self.call(lifted.args, lifted.kwargs)
            lifted.look_to_outer(result)
        value = value_of(result) if self._has_aux else result
        _check(value, "value")
        with running():
            made = Compression.of(lifted.variables[0][0], value)
            sums = self._sums(made, value, lifted) if made.count else None
        if lifted.outer.is_closed_over and lifted.outer.is_led_to_outer(sums):
            raise located(
                TypeError(
                    f"sparse_jacobian: {name_of(self._function)} closes over a "
                    "Variable that requires grad, and the derivative depends on it, "
                    "which SciPy's matrices cannot hold; call it under no_grad(), or "
                    "close over v.detach()"
                )
            )
        dtype = np.result_type(raw_of(leaf))

        def pack(result: Any, derived: Sequence[Any]) -> Any:
            found = _matrix(made, derived[0], dtype)
            return (found, result[1]) if self._has_aux else found

        given_back = lifted.given_back(result) if self._has_aux else None
        return Found(given_back, [lifted.kept(sums)], pack)

    def _sums(self, made: Compression, value: Any, lifted: Lifted) -> Any:
        """For each colour the sum of its rows, or columns; None if all are zero."""
        name = f"the Jacobian of {getattr(self._function, '__name__', self._function)}"
        if made.is_forward:
            line = Line([value], lifted.places)

            def walk(seed: Any) -> list[Any]:
                return line.tangents([seed], lifted.is_nested, True)

        else:

            def walk(seed: Any) -> list[Any]:
                return walked_back(
                    [value], [seed], lifted.places, lifted.is_nested, True
                )

        like = lifted.variables[0][0] if made.is_forward else value
        return walked(walk, made.seeds(like), name)[0]


def _matrix(made: Compression, sums: Any, dtype: Any) -> Any:
    """SciPy's matrix, of what the walks have given."""
    pattern = made.pattern
    data = made.entries(sums) if sums is not None else None
    if data is None:
        data = np.zeros(len(pattern.columns), dtype)
    # A user may change them.
    parts = data, pattern.columns.copy(), pattern.starts.copy()
    shape = pattern.height, pattern.width
    return _scipy_sparse().csr_array(parts, shape=shape)


def _check(leaf: Any, what: str) -> None:
    """Raise if something is no array of floats.

    Raises
    ------
    TypeError
        Saying what it is.
    """
    raw = raw_of(leaf)
    is_own = not isinstance(leaf, Variable) or leaf.stands_for_array or what == "value"
    if is_own and isinstance(raw, (np.ndarray, np.generic, float)):
        if np.result_type(raw).kind == "f":
            return
        got = f"one of dtype {np.result_type(raw)}"
    else:
        got = f"a {type(leaf).__name__}"
    raise located(
        TypeError(
            f"sparse_jacobian: the {what} must be one array of floats, but got {got}"
        )
    )
