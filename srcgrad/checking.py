"""``gradcheck`` and ``gradgradcheck``: gradients against finite differences."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.autograd import grad
from srcgrad.errors import GradcheckError, located
from srcgrad.modes import enable_grad, no_grad
from srcgrad.pytree import flatten, unflatten
from srcgrad.tape.foreign import is_foreign, what_to_write
from srcgrad.tape.variable import Variable
from srcgrad.tracebacks import DOOR


def gradcheck(
    function: Callable[..., Any],
    inputs: Any,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """Compare a function's gradients with central differences.

    The outputs are projected on a random cotangent, so one backward pass is compared
    with two evaluations for each element (four for complex ones). What is reported then
    is one element's gradient by one element of an output, as it is.

    Parameters
    ----------
    function : callable
        From Variables (and whatever else is among the inputs) to Variables.
    inputs : sequence
        The arguments: arrays, floats, Variables or nested containers of these. All of
        dtype float64 or complex128 are checked; the others are passed on. An input that
        is no tuple or list is the one argument.
    eps : float
        The step of the differences.
    atol, rtol : float
        Allowed: ``abs(a - n) <= atol + rtol * abs(n)``, for each element.
    raise_exception : bool
        Raise on a mismatch, instead of returning False.

    Returns
    -------
    bool
        Whether all gradients agree.

    Raises
    ------
    GradcheckError
        Naming the input, the element, and both numbers.
    ValueError
        If nothing can be checked.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> srcgrad.gradcheck(lambda x: np.sin(x) * x, (np.array([0.5, 2.0]),))
    True
    """
    with DOOR:
        return _checked(function, inputs, eps, atol, rtol, raise_exception)


def _checked(
    function: Callable[..., Any],
    inputs: Any,
    eps: float,
    atol: float,
    rtol: float,
    raise_exception: bool,
) -> bool:
    problem = _Problem(function, inputs)
    variables, outputs = problem.run(problem.values, requires_grad=True)
    live = [j for j, out in enumerate(outputs) if out.requires_grad]
    if not live:
        raise located(
            GradcheckError("gradcheck: no output depends on an input that is checked")
        )
    outputs = [outputs[j] for j in live]
    cotangents = _cotangents(outputs)
    sources = [variables[i] for i in problem.checked]
    analytic = grad(outputs, sources, cotangents, allow_unused=True)

    def projected(values: Sequence[Any]) -> float:
        with no_grad():
            outs = problem.run(values, requires_grad=False)[1]
        return sum(
            float(np.sum(np.real(np.conjugate(u) * outs[j].data)))
            for u, j in zip(cotangents, live, strict=True)
        )

    for i, gradient in zip(problem.checked, analytic, strict=True):
        numeric = _differences(projected, problem.values, i, eps)
        found = np.zeros_like(numeric) if gradient is None else gradient.data
        if found.shape != numeric.shape and not raise_exception:
            return False
        if found.shape != numeric.shape:
            raise located(
                GradcheckError(
                    f"gradcheck: gradient of input {i}: has shape {found.shape}, but "
                    f"the input has shape {numeric.shape}"
                )
            )
        excess = np.abs(found - numeric) - rtol * np.abs(numeric)
        wrong = ~(excess <= atol)  # NaN is wrong too
        if np.any(wrong):
            if not raise_exception:
                return False
            index = _worst(np.where(wrong, excess, -np.inf))
            entry = _entry(problem, i, index, eps, atol, rtol)
            raise located(
                GradcheckError(f"gradcheck: gradient of input {i}: {entry}"),
                f"{int(np.sum(wrong))} of {wrong.size} elements differ",
            )
    return True


class _Problem:
    """A function and its inputs, taken apart: ``checked`` are differentiated."""

    def __init__(self, function: Callable[..., Any], inputs: Any) -> None:
        self._function = function
        arguments = _arguments(inputs)
        leaves, self._structure = flatten(arguments)
        self.values = [_value(leaf) for leaf in leaves]
        self.checked = [i for i, v in enumerate(self.values) if _is_double(v)]
        foreign = next(filter(is_foreign, self.values), None)
        if not self.checked and foreign is not None:
            raise TypeError(
                f"gradcheck was given a {type(foreign).__name__}: "
                f"{what_to_write(foreign)}"
            )
        if not self.checked:
            raise ValueError(
                "gradcheck needs an input of dtype float64 or complex128 (got "
                f"{[getattr(v, 'dtype', type(v).__name__) for v in self.values]})"
            )

    def run(
        self, values: Sequence[Any], requires_grad: bool
    ) -> tuple[list[Any], list[Any]]:
        """Call the function: its inputs as Variables, and its float outputs."""
        variables = [
            Variable(np.array(value), requires_grad and i in self.checked)
            if isinstance(value, np.ndarray)
            else value
            for i, value in enumerate(values)
        ]
        result = self._function(*unflatten(self._structure, variables))
        return variables, _outputs(result)


def gradgradcheck(
    function: Callable[..., Any],
    inputs: Any,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """Compare second derivatives with central differences of the first.

    Parameters and errors are those of ``gradcheck``; the cotangents of the outputs are
    checked as inputs too.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> srcgrad.gradgradcheck(lambda x: np.sin(x) * x, (np.array([0.5, 2.0]),))
    True
    """
    with DOOR:
        return _checked_twice(function, inputs, eps, atol, rtol, raise_exception)


def _checked_twice(function: Callable[..., Any], inputs: Any, *options: Any) -> bool:
    arguments = _arguments(inputs)

    def outputs_of(*args: Any) -> list[Any]:
        return _outputs(function(*args))

    with no_grad():
        values, structure = flatten(arguments)
        wrapped = [
            Variable(v) if isinstance(v := _value(leaf), np.ndarray) else leaf
            for leaf in values
        ]
        cotangents = _cotangents(outputs_of(*unflatten(structure, wrapped)))

    def first(args: Any, us: Any) -> list[Any]:
        outs = outputs_of(*args)
        live = [(out, u) for out, u in zip(outs, us, strict=True) if out.requires_grad]
        sources = [
            leaf
            for leaf in flatten(args)[0]
            if isinstance(leaf, Variable) and leaf.requires_grad
        ]
        found = grad(
            [out for out, _ in live],
            sources,
            [u for _, u in live],
            create_graph=True,
            allow_unused=True,
        )
        return [g for g in found if g is not None]

    return _checked(_on_live(first), (arguments, cotangents), *options)


def _on_live(first: Callable[..., Any]) -> Callable[..., Any]:
    """Let ``first`` differentiate even where gradcheck only wants its values."""

    def run(args: Any, us: Any) -> Any:
        leaves, structure = flatten(args)
        if any(isinstance(leaf, Variable) and leaf.requires_grad for leaf in leaves):
            return first(args, us)
        again = [
            Variable(leaf.data, requires_grad=leaf.dtype.kind in "fc")
            if isinstance(leaf, Variable)
            else leaf
            for leaf in leaves
        ]
        with enable_grad():
            return first(unflatten(structure, again), us)

    return run


def _arguments(inputs: Any) -> tuple[Any, ...]:
    return tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)


def _value(leaf: Any) -> Any:
    """An input as an ndarray, if it is made of numbers with a derivative."""
    if isinstance(leaf, Variable):
        return np.asarray(leaf.data)
    if isinstance(leaf, (np.ndarray, np.generic)) and not is_foreign(leaf):
        return np.asarray(leaf)
    return np.asarray(leaf) if isinstance(leaf, (float, complex)) else leaf


def _is_double(value: Any) -> bool:
    return type(value) is np.ndarray and value.dtype in (np.float64, np.complex128)


def _outputs(result: Any) -> list[Any]:
    """The float outputs, also those that a function of the user's gives as arrays."""
    found = filter(_is_differentiable, flatten(result)[0])
    return [out if isinstance(out, Variable) else Variable(out) for out in found]


def _is_differentiable(out: Any) -> bool:
    if isinstance(out, (float, complex)):
        return True
    is_array = isinstance(out, (Variable, np.ndarray, np.generic))
    return is_array and out.dtype.kind in "fc"


def _cotangents(outputs: Sequence[Any]) -> list[Any]:
    """A random cotangent for each output; the same at every run."""
    rng = np.random.default_rng(0)
    cotangents = []
    for out in outputs:
        u = np.asarray(rng.uniform(0.5, 1.5, out.shape))
        if out.dtype.kind == "c":
            u = u + 1j * np.asarray(rng.uniform(0.5, 1.5, out.shape))
        cotangents.append(u.astype(out.dtype))
    return cotangents


def _differences(
    projected: Callable[[Sequence[Any]], float], values: list[Any], i: int, eps: float
) -> Any:
    """The numerical gradient of the i-th value, element by element."""
    numeric = np.zeros_like(values[i])
    for index in np.ndindex(numeric.shape):
        for direction in _directions(numeric):
            above, below = map(projected, _moved(values, i, index, direction, eps))
            numeric[index] += direction * (above - below) / (2 * eps)
    return numeric


def _directions(array: Any) -> tuple[Any, ...]:
    return (1.0, 1j) if array.dtype.kind == "c" else (1.0,)


def _moved(values: list[Any], i: int, index: Any, direction: Any, eps: float) -> Any:
    """The values with one element of the i-th moved forth, and back."""
    for step in (eps, -eps):
        moved = np.array(values[i])
        moved[index] += step * direction
        yield [*values[:i], moved, *values[i + 1 :]]


def _worst(excess: Any) -> tuple[int, ...]:
    """Where there is most of it; NaN is more than anything."""
    flat = np.where(np.isnan(excess), np.inf, excess)
    found = np.unravel_index(int(np.argmax(flat)), np.shape(flat))
    return tuple(map(int, found))


# ----- The entry that is wrong: by which element of which output -----

# So many elements of outputs are looked at; it takes a walk back for each.
MOST_CHECKED = 2000


def _entry(
    problem: _Problem, i: int, index: Any, eps: float, atol: float, rtol: float
) -> str:
    """Say how far one element of an input's gradient is off, by one of an output.

    The numbers are those of the output itself, and not of a sum of all.
    """
    variables, outputs = problem.run(problem.values, requires_grad=True)
    changes = []
    for direction in _directions(problem.values[i]):
        with no_grad():
            ends = [
                problem.run(values, requires_grad=False)[1]
                for values in _moved(problem.values, i, index, direction, eps)
            ]
        pairs = zip(*ends, strict=True)
        change = [(above.data - below.data) / (2 * eps) for above, below in pairs]
        changes.append((direction, change))
    entries = [
        (j, k, part)
        for j, out in enumerate(outputs)
        if out.requires_grad
        for k in np.ndindex(out.shape)
        for part in _directions(out)
    ]
    best: tuple[float, str] = (-np.inf, "")
    for j, k, part in entries[:MOST_CHECKED]:
        numeric: Any = sum(
            direction * np.real(np.conjugate(part) * change[j][k])
            for direction, change in changes
        )
        found = _walked(outputs[j], variables[i], index, k, part)
        excess = abs(found - numeric) - atol - rtol * abs(numeric)
        excess = np.inf if np.isnan(excess) else excess
        if excess > best[0]:
            place = f"element {index}" if index else "the element"
            by = f"element {k} of output {j}" if k else f"output {j}"
            if outputs[j].dtype.kind == "c":
                by = f"the {'imaginary' if part == 1j else 'real'} part of {by}"
            by = f", of {by}" if len(entries) > 1 else ""
            text = f"{place} is {found}, but the finite difference is {numeric}{by}"
            best = excess, text
    return best[1]


def _walked(output: Any, variable: Any, index: Any, k: Any, part: Any) -> Any:
    """The gradient of one element of an output by one element of an input."""
    cotangent = np.zeros(output.shape, output.dtype)
    cotangent[k] = part
    (found,) = grad([output], [variable], [cotangent], True, allow_unused=True)
    return variable.dtype.type(0.0 if found is None else found.data[index])
