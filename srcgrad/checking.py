"""``gradcheck`` and ``gradgradcheck``: gradients against finite differences."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from srcgrad.autograd import grad
from srcgrad.errors import GradcheckError, located
from srcgrad.modes import enable_grad, no_grad
from srcgrad.protocols import raw_of
from srcgrad.pytree import flatten, paths, unflatten
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
    TypeError
        If arguments stand beside ``inputs``, not in it.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> srcgrad.gradcheck(lambda x: np.sin(x) * x, (np.array([0.5, 2.0]),))
    True
    """
    with DOOR:
        allowed = Allowed(eps, atol, rtol)
        if any(map(np.ndim, allowed)):
            raise TypeError(
                "gradcheck takes several arguments as a tuple, gradcheck(f, (x, y)): "
                "eps, atol and rtol are numbers"
            )
        problem = Problem(function, inputs)
        try:
            compare(problem, _WalkBack(problem), allowed)
        except GradcheckError:
            if raise_exception:
                raise
            return False
        return True


class Allowed(NamedTuple):
    """The step of the differences, and how far from them a gradient may be."""

    eps: float
    atol: float
    rtol: float


class Derivative(Protocol):
    """A way to differentiate the outputs of a problem that depend on its inputs."""

    def gradients(self, cotangents: Sequence[Any]) -> Sequence[Any]:
        """By each input that is checked, of all outputs together; None for zero."""

    def entry(self, j: int, k: Any, part: Any, i: int, index: Any) -> Any:
        """Of the element ``k`` of the j-th output by an element of the i-th value.

        ``part`` says whether the real or the imaginary part of a complex output.
        """


def compare(problem: "Problem", derivative: Derivative, allowed: Allowed) -> None:
    """Raise where a derivative is not what differences are.

    Raises
    ------
    GradcheckError
        Naming the input, the element, and both numbers.
    """
    cotangents = cotangents_for(problem.outputs)

    def projected(values: Sequence[Any]) -> float:
        return sum(
            float(np.sum(np.real(np.conjugate(u) * out.data)))
            for u, out in zip(cotangents, problem.values_at(values), strict=True)
        )

    analytic = derivative.gradients(cotangents)
    for i, gradient in zip(problem.checked, analytic, strict=True):
        numeric = _differences(projected, problem.values, i, allowed.eps)
        found = np.zeros_like(numeric) if gradient is None else raw_of(gradient)
        if np.shape(found) != numeric.shape:
            raise located(
                GradcheckError(
                    f"{problem.name}: gradient of {problem.named(i)}: has shape "
                    f"{np.shape(found)}, but the input has shape {numeric.shape}"
                )
            )
        excess = np.abs(found - numeric) - allowed.rtol * np.abs(numeric)
        wrong = ~(excess <= allowed.atol)  # NaN is wrong too
        if np.any(wrong):
            index = _worst(np.where(wrong, excess, -np.inf))
            entry = _entry(problem, derivative, i, index, allowed)
            raise located(
                GradcheckError(
                    f"{problem.name}: gradient of {problem.named(i)}: {entry}"
                ),
                f"{int(np.sum(wrong))} of {wrong.size} elements differ",
            )


class Problem:
    """A function and its inputs, taken apart.

    ``checked`` are the values that are differentiated by, ``outputs`` what depends on
    them: ``live`` among all. ``name`` says in messages who checks.
    """

    def __init__(
        self, function: Callable[..., Any], inputs: Any, name: str = "gradcheck"
    ) -> None:
        self.name = name
        self.function = function
        arguments = _arguments(inputs)
        leaves, self.structure = flatten(arguments)
        self.places = paths(arguments)
        self.values = [_value(leaf) for leaf in leaves]
        self.checked = [i for i, v in enumerate(self.values) if _is_double(v)]
        foreign = next(filter(is_foreign, self.values), None)
        if not self.checked and foreign is not None:
            raise TypeError(
                f"{name} was given a {type(foreign).__name__}: {what_to_write(foreign)}"
            )
        if not self.checked:
            raise ValueError(
                f"{name} needs an input of dtype float64 or complex128 (got "
                f"{[getattr(v, 'dtype', type(v).__name__) for v in self.values]})"
            )
        self.variables, outputs = self.run(self.values, requires_grad=True)
        self.live = [j for j, out in enumerate(outputs) if out.requires_grad]
        if not self.live:
            raise located(
                GradcheckError(f"{name}: no output depends on an input that is checked")
            )
        self.outputs = [outputs[j] for j in self.live]

    def named(self, i: int) -> str:
        """What messages call the i-th value: by its number, and where it is."""
        number, *keys = self.places[i]
        inside = "".join(f"[{key!r}]" for key in keys)
        return f"input {i}" + (f" (argument {number}, at {inside})" if inside else "")

    def values_at(self, values: Sequence[Any]) -> list[Any]:
        """What the outputs are for other inputs."""
        with no_grad():
            outputs = self.run(values, requires_grad=False)[1]
        return [outputs[j] for j in self.live]

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
        result = self.function(*unflatten(self.structure, variables))
        return variables, _outputs(result)


class _WalkBack:
    """The gradients of one run on the tape."""

    def __init__(self, problem: Problem) -> None:
        self._outputs = problem.outputs
        self._variables = problem.variables
        self._checked = [problem.variables[i] for i in problem.checked]

    def gradients(self, cotangents: Sequence[Any]) -> Sequence[Any]:
        return grad(self._outputs, self._checked, cotangents, True, allow_unused=True)

    def entry(self, j: int, k: Any, part: Any, i: int, index: Any) -> Any:
        cotangent = np.zeros(self._outputs[j].shape, self._outputs[j].dtype)
        cotangent[k] = part
        given = [self._outputs[j]], [self._variables[i]], [cotangent]
        (found,) = grad(*given, True, allow_unused=True)
        return 0.0 if found is None else found.data[index]


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
        first, arguments = _first_derivatives(function, inputs)
        return gradcheck(first, arguments, eps, atol, rtol, raise_exception)


def _first_derivatives(
    function: Callable[..., Any], inputs: Any
) -> tuple[Callable[..., Any], Any]:
    """The gradients as a function of the inputs and the cotangents; and these."""
    arguments = _arguments(inputs)

    def outputs_of(*args: Any) -> list[Any]:
        return _outputs(function(*args))

    with no_grad():
        values, structure = flatten(arguments)
        wrapped = [
            Variable(v) if isinstance(v := _value(leaf), np.ndarray) else leaf
            for leaf in values
        ]
        cotangents = cotangents_for(outputs_of(*unflatten(structure, wrapped)))

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

    return _on_live(first), (arguments, cotangents)


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
    found = filter(is_differentiable, flatten(result)[0])
    return [out if isinstance(out, Variable) else Variable(out) for out in found]


def is_differentiable(out: Any) -> bool:
    if isinstance(out, (float, complex)):
        return True
    is_array = isinstance(out, (Variable, np.ndarray, np.generic))
    return is_array and out.dtype.kind in "fc"


def cotangents_for(outputs: Sequence[Any]) -> list[Any]:
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
        for direction in directions_in(numeric):
            above, below = map(projected, _moved(values, i, index, direction, eps))
            numeric[index] += direction * (above - below) / (2 * eps)
    return numeric


def directions_in(array: Any) -> tuple[Any, ...]:
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
    problem: Problem, derivative: Derivative, i: int, index: Any, allowed: Allowed
) -> str:
    """Say how far one element of an input's gradient is off, by one of an output.

    The numbers are those of the output itself, and not of a sum of all.
    """
    outputs = problem.outputs
    changes = []
    for direction in directions_in(problem.values[i]):
        moved = _moved(problem.values, i, index, direction, allowed.eps)
        pairs = zip(*map(problem.values_at, moved), strict=True)
        step = 2 * allowed.eps
        changes.append(
            (direction, [(up.data - down.data) / step for up, down in pairs])
        )
    entries = [
        (j, k, part)
        for j, out in enumerate(outputs)
        for k in np.ndindex(out.shape)
        for part in directions_in(out)
    ]
    best: tuple[float, str] = (-np.inf, "")
    for j, k, part in entries[:MOST_CHECKED]:
        numeric: Any = sum(
            direction * np.real(np.conjugate(part) * change[j][k])
            for direction, change in changes
        )
        dtype = problem.values[i].dtype
        found = dtype.type(derivative.entry(j, k, part, i, index))
        excess = abs(found - numeric) - allowed.atol - allowed.rtol * abs(numeric)
        excess = np.inf if np.isnan(excess) else excess
        if excess > best[0]:
            place = f"element {index}" if index else "the element"
            by = f"output {problem.live[j]}"
            by = f"element {k} of {by}" if k else by
            if outputs[j].dtype.kind == "c":
                by = f"the {'imaginary' if part == 1j else 'real'} part of {by}"
            by = f", of {by}" if len(entries) > 1 else ""
            text = f"{place} is {found}, but the finite difference is {numeric}{by}"
            best = excess, text
    return best[1]
