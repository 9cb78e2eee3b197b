"""Constant folding: what depends on no input is computed now.

>>> import numpy as np
>>> from srcgrad.graph import Graph
>>> x, c, t, y = (Value((2,), np.dtype(float), name) for name in "xcty")
>>> nodes = Node(np.exp, (c,), out=t), Node(np.multiply, (x, t), out=y)
>>> graph = Graph((x,), nodes, (y,), constants={c: np.zeros(2)})
>>> folded = fold_constants(graph)
>>> print(folded)
y = multiply(x, t)
return y
>>> folded.constants[t]
array([1., 1.])
"""

from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.branches import Branch, with_constants_inside
from srcgrad.facts import facts_of
from srcgrad.graph import Program, map_bodies
from srcgrad.loops import Loop
from srcgrad.policy import MOST_FOLDED
from srcgrad.steps import Guard, Node, Step, Value, map_values
from srcgrad.transforms.reading import exposed

# The formula of this pass: what NumPy computes as Python does.
AS_PYTHON_DOES = frozenset({np.add, np.subtract, np.multiply})


def fold_constants(graph: Program) -> Program:
    """Compute what needs constants and numbers only, unless NumPy would warn of it.

    Results of the graph stay: they are new arrays at every call.
    """
    constants: dict[Value, Any] = dict(graph.constants)
    # A scalar is written where it is used; what is a result as it is needs a name.
    numbers: dict[Value, Any] = {
        c: a for c, a in constants.items() if isinstance(a, np.generic)
    }
    for scalar in numbers.keys() - set(graph.results):
        del constants[scalar]
    kept = exposed(graph).union(graph.results)
    known = constants.keys()
    if not numbers and not [step for step in graph.nodes if known >= {*step.inputs}]:
        return graph
    nodes = []
    for node in graph.nodes:
        if numbers:
            node = node.with_values(numbers)
            node = _with_numbers_inside(node) if node.bodies else node
        if not known >= {*node.inputs}:
            pass  # as of most
        elif type(node) is Guard:
            if not node.inputs and node.holds():
                continue
        elif node.out not in kept and _is_foldable(node, constants):
            result = _computed(node, constants)
            if isinstance(result, np.ndarray):
                constants[node.results[0]] = result
                continue
            if result is not None:
                numbers[node.results[0]] = result
                continue
        nodes.append(node)
    if len(nodes) == len(graph.nodes) and not numbers:
        return graph
    return replace(graph, nodes=tuple(nodes), constants=constants)


def _with_numbers_inside(step: Step) -> Step:
    """A loop or branch whose bodies know which of their inputs are numbers."""
    if type(step) is Node and type(step.function) is Branch:
        return map_bodies(fold_constants, with_constants_inside(step))
    if type(step) is not Node or type(step.function) is not Loop:
        return step
    loop = step.function
    given = dict(zip(loop.parameters()[3], loop.given(step.args)[2], strict=True))
    numbers = {
        value: arg
        for value, arg in given.items()
        if isinstance(arg, np.generic) and value not in loop.body.outputs
    }
    if not numbers:
        return step
    constants: dict[Value, Any] = {**loop.body.constants, **numbers}
    inputs = tuple(value for value in loop.body.inputs if value not in numbers)
    body = fold_constants(replace(loop.body, inputs=inputs, constants=constants))
    consts = (arg for value, arg in given.items() if value not in numbers)
    args = (*step.args[: loop.xs + loop.carried], *consts)
    return replace(step, function=replace(loop, body=body), args=args)


def _is_foldable(node: Node, constants: dict[Value, Any]) -> bool:
    function, out = node.function, node.out
    known = facts_of(function)
    if type(out) is not Value or known.effect:
        return False
    size, sizes = np.prod(out.shape), [constants[c].size for c in node.inputs]
    if known.view == "fixed" and size >= max(sizes, default=0):
        return False  # lazy as it is, it takes less room
    return (
        # Any other warning must come at every call, not once when the code is made.
        (known.quiet or (function is float and not sizes))
        and (bool(sizes) or size == 1)  # arange(5) says it better than its elements
        and bool(size <= max(MOST_FOLDED, *sizes, 0))
    )


def _computed(node: Node, constants: dict[Value, Any]) -> Any:
    """The result of a node; None if it is not quite what it would be at run time."""
    args = [map_values(constants.__getitem__, arg) for arg in node.args]
    kwargs = map_values(constants.__getitem__, dict(node.kwargs))
    assert type(node.out) is Value
    try:
        with np.errstate(all="raise"):
            result = node.function(*args, **kwargs)
    except Exception:  # it shall be raised when the user's program gets there
        return None
    if node.out.kind == "float" and node.function in AS_PYTHON_DOES:
        result = float(result)
    kind = {np.ndarray: "array", float: "float"}.get(type(result), "scalar")
    seen = kind, np.shape(result), np.result_type(result)
    return result if seen == (node.out.kind, node.out.shape, node.out.dtype) else None
