"""``backward`` and ``grad`` on Variables, in the manner of ``torch.autograd``."""

from collections.abc import Sequence
from typing import Any, Literal, overload

import numpy as np

from srcgrad.errors import located
from srcgrad.tape.engine import ExecutionEngine
from srcgrad.tape.function import VOLATILE, Function
from srcgrad.tape.user_call import once_differentiable
from srcgrad.tape.variable import Variable, accumulate, restore, root
from srcgrad.tracebacks import DOOR

# The classes too, since PyTorch's programs import them from its module of this name.
__all__ = ["Function", "Variable", "backward", "grad", "once_differentiable"]


def backward(
    variables: Any,
    grad_variables: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    retain_variables: bool | None = None,
) -> None:
    """Add the sum of the gradients of several Variables to the leaves' ``.grad``.

    Parameters
    ----------
    variables : Variable or sequence of Variables
        What to differentiate. One that is given twice counts twice.
    grad_variables : array_like, None, or sequence of these
        The cotangent of each; None for Variables of one element.
    retain_graph, create_graph, retain_variables
        As for ``Variable.backward``.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> x = srcgrad.Variable(np.ones(2), requires_grad=True)
    >>> srcgrad.autograd.backward([x.sum(), (2 * x).sum()])
    >>> x.grad.data
    array([3., 3.])
    """
    outputs = _sequence(variables)
    cotangents = _cotangents(grad_variables, outputs)
    if retain_variables is not None:
        retain_graph = retain_variables
    with DOOR:
        accumulate(outputs, cotangents, retain_graph, create_graph)


@overload
def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: Literal[False] = False,
) -> tuple[Variable, ...]: ...
@overload
def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    *,
    allow_unused: bool,
) -> tuple[Variable | None, ...]: ...
def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool = False,
) -> tuple[Variable | None, ...]:
    """Return gradients with respect to given Variables, leaving ``.grad`` alone.

    Parameters
    ----------
    outputs : Variable or sequence of Variables
        What to differentiate.
    inputs : Variable or sequence of Variables
        With respect to what; leaves or not.
    grad_outputs : array_like, None, or sequence of these
        The cotangent of each output.
    retain_graph, create_graph
        As for ``Variable.backward``.
    only_inputs : bool
        Must be true: gradients of other leaves are not accumulated.
    allow_unused : bool
        Return None for an input that the outputs do not depend on.

    Returns
    -------
    tuple of Variable or None
        One for each input, of its shape and dtype.

    Raises
    ------
    RuntimeError
        If an input does not require grad, or is not reached and ``allow_unused`` is
        false.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> x = srcgrad.Variable(np.array(3.0), requires_grad=True)
    >>> (first,) = srcgrad.autograd.grad(x**3, x, create_graph=True)
    >>> (second,) = srcgrad.autograd.grad(first, x)
    >>> first.item(), second.item()
    (27.0, 18.0)
    """
    if not only_inputs:
        raise ValueError(
            "only_inputs=False is not supported: backward() accumulates into .grad"
        )
    sources, targets = _sequence(outputs), _sequence(inputs)
    cotangents = _cotangents(grad_outputs, sources)
    for target in targets:
        if target.edge is None or target.edge is VOLATILE:
            raise located(
                RuntimeError(
                    "One of the differentiated Variables does not require grad"
                ),
                kind="no-graph",
            )
    retain = create_graph if retain_graph is None else retain_graph
    engine = ExecutionEngine(retain, restore if create_graph else None, create_graph)
    with DOOR:
        roots = [
            root(output, g, create_graph)
            for output, g in zip(sources, cotangents, strict=True)
        ]
        found = dict(engine.run_backward(roots, [target.edge for target in targets]))
    gradients = [found.get(target.edge) for target in targets]
    if not allow_unused and any(g is None for g in gradients):
        unused = next(i for i, g in enumerate(gradients) if g is None)
        raise located(
            RuntimeError(
                f"differentiated input {unused} is unreachable: the outputs do not "
                "depend on it"
            ),
            "set allow_unused=True to get None for it",
            kind="no-graph",
        )
    return tuple(
        g if g is None or isinstance(g, Variable) else Variable.make(np.array(g), None)
        for g in gradients
    )


def _sequence(variables: Any) -> list[Any]:
    return [variables] if isinstance(variables, Variable) else list(variables)


def _cotangents(given: Any, outputs: Sequence[Any]) -> list[Any]:
    if given is None:
        return [None] * len(outputs)
    cotangents = list(given) if isinstance(given, (list, tuple)) else [given]
    if len(cotangents) != len(outputs):
        raise RuntimeError(
            f"got {len(outputs)} Variables and {len(cotangents)} gradients for them"
        )
    return cotangents
