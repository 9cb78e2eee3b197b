"""An edited module against the tape: values and derivatives, for a few arguments."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from srcgrad.errors import GradcheckError, located
from srcgrad.modes import override
from srcgrad.protocols import raw_of
from srcgrad.pytree import flatten, unflatten
from srcgrad.tape.engine import ExecutionEngine
from srcgrad.tape.variable import Variable
from srcgrad.tracing.export.editing import Edited
from srcgrad.tracing.export.modules import called

# How many more arguments near those of the example are tried.
MOST_NEAR = 2


def compare_with_tape(edited: Edited, traced: Any, transform: Any) -> None:
    """Raise if a module does not compute what the tape does.

    Raises
    ------
    GradcheckError
        With the numbers that differ.
    """
    for values in _examples(edited):
        if transform is None:
            found, expected = _of_forward_backward(edited, traced, values)
        else:
            found = called(edited.function, values)
            args, kwargs = edited.call(values)
            expected = transform.untraced(args, kwargs)
        _compare(edited, found, expected)


def _examples(edited: Edited) -> Iterator[Sequence[Any]]:
    """The module's example, and some like it that go the same way."""
    values = edited.values()
    yield values
    rng = np.random.default_rng(0)
    names = edited.parameters
    for _ in range(MOST_NEAR):
        near = [
            value if name in edited.added else _near(value, rng)
            for name, value in zip(names, values, strict=True)
        ]
        try:
            called(edited.function, near)
        except ValueError as error:
            if edited.misfit(error) is None:
                raise
        else:
            yield near


def _near(value: Any, rng: np.random.Generator) -> Any:
    """The same, with all arrays of floats changed a little."""
    leaves, structure = flatten(value)
    for number, leaf in enumerate(leaves):
        if isinstance(leaf, np.ndarray) and leaf.dtype.kind in "fc":
            changed = leaf * rng.uniform(0.8, 1.2, leaf.shape)
            leaves[number] = np.asarray(changed, leaf.dtype)
    return unflatten(structure, leaves)


def _of_forward_backward(
    edited: Edited, traced: Any, values: Sequence[Any]
) -> tuple[Any, Any]:
    """Values and gradients of a traced function, by the module and on the tape."""
    module, own = edited.module, edited.module.__all__[0]
    given, variables = edited.with_variables(values)
    args, kwargs = edited.call(given)
    with override(stance="tape"):
        result = traced._run(None, args, kwargs)
    # What is given back twice has one cotangent.
    by_edge = {leaf.edge: leaf for leaf in flatten(result)[0] if _has_grad(leaf)}
    outputs = [*by_edge.values()]
    ones = [np.ones(out.shape, out.dtype) for out in outputs]
    roots = [(out.edge, one) for out, one in zip(outputs, ones, strict=True)]
    edges: list[Any] = [v.edge for v in variables if v is not None]
    reached = dict(ExecutionEngine(True).run_backward(roots, edges))
    if f"{own}_value_and_grad" in module.__all__:
        value, gradient = called(getattr(module, f"{own}_value_and_grad"), values)
    elif f"{own}_vjp" in module.__all__:
        value, pullback = called(getattr(module, f"{own}_vjp"), values)
        gradient = pullback(*ones)
    else:
        value, gradient = called(edited.function, values), ()
    if len(edited.by) > 1:
        named = zip(edited.by, gradient, strict=True)
        gradient = [each for name, each in named if name not in edited.added]
    elif edited.added & {*edited.by}:
        gradient = ()
    pairs = [
        (g, reached[v.edge])
        for g, v in zip(flatten(gradient)[0], variables, strict=True)
        if g is not None and v is not None and v.edge in reached
    ]
    return (value, [g for g, _ in pairs]), (result, [other for _, other in pairs])


def _has_grad(leaf: Any) -> bool:
    return isinstance(leaf, Variable) and leaf.requires_grad


def _compare(edited: Edited, found: Any, expected: Any) -> None:
    ours, theirs = flatten(found)[0], flatten(expected)[0]
    where = f"{edited.function.__name__} of {edited.path}"
    if len(ours) != len(theirs):
        raise located(
            GradcheckError(
                f"{where} gives {len(ours)} arrays and numbers, and on the tape there "
                f"are {len(theirs)}"
            ),
            "return what it did before",
        )
    for number, (one, other) in enumerate(zip(ours, map(raw_of, theirs), strict=True)):
        if one is None and other is None:
            continue
        if np.shape(one) != np.shape(other):
            raise located(
                GradcheckError(
                    f"{where}: result {number} has shape {np.shape(one)}, but "
                    f"{np.shape(other)} on the tape"
                )
            )
        _compare_numbers(
            f"{where}: result {number}", np.asarray(one), np.asarray(other)
        )


def _compare_numbers(where: str, one: Any, other: Any) -> None:
    if other.dtype.kind not in "fc":
        differs = one != other
    else:
        tolerance = np.finfo(other.dtype).eps ** 0.5
        size = 1.0 + np.max(np.abs(other), initial=0.0, where=np.isfinite(other))
        differs = ~np.isclose(one, other, tolerance, tolerance * size, equal_nan=True)
    if np.any(differs):
        index = tuple(map(int, np.argwhere(differs)[0]))
        raise located(
            GradcheckError(
                f"{where}{f' at {index}' if index else ''} is {one[index]!r}, but "
                f"{other[index]!r} on the tape"
            )
        )
