"""The node of one call of what has a derivative of the user's own."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.errors import describe, here
from srcgrad.functional.on_tape import is_on_tape
from srcgrad.modes import override, state
from srcgrad.protocols import raw_of
from srcgrad.pytree import flatten, shown, unflatten
from srcgrad.tape.function import FREED, Edge, Function
from srcgrad.tape.variable import Variable
from srcgrad.tape.versions import check, entries

Callback = Callable[..., Any]


class CustomNode(Function):
    """The node of one call: its way back is the user's."""

    __slots__ = (
        *("back", "context", "custom", "inputs", "names", "residuals", "rule"),
        *("shapes", "structure"),
    )

    back: Callback
    context: Any
    custom: str
    inputs: Sequence[Any]
    names: Sequence[str]
    rule: Callback
    shapes: Sequence[Any]
    residuals: Any
    structure: Any

    materializes = True

    def name(self) -> str:
        """The function's, with ``Backward``."""
        return f"{self.custom}Backward"

    def pull_back(self, g: Any, needed: Any, wrap: Any) -> Sequence[Any]:
        if self.saved is None:
            raise RuntimeError(FREED)
        check(self.versions, self.where, self.name())
        grads = [g] if self.metas is None else list(g)
        if wrap is None:
            with override(grad_enabled=False):
                found = self._gradients(self._raw(self.residuals), grads)
                return [raw_of(g) for g in found]  # of a transform within, say
        grads = [_as_variable(each) for each in grads]
        if state.recorder is not None:
            recorded: Sequence[Any] = state.recorder.backward(self, grads)
            return recorded
        return self._gradients(self.residuals, grads)

    @staticmethod
    def _raw(residuals: Any) -> Any:
        leaves, structure = flatten(residuals)
        return unflatten(structure, list(map(raw_of, leaves)))

    def _gradients(self, residuals: Any, grads: Sequence[Any]) -> Sequence[Any]:
        """What the way back gives for each leaf of the arguments.

        Raises
        ------
        TypeError
            If that does not fit the arguments.
        """
        found = self.back(residuals, unflatten(self.structure, grads))
        if not isinstance(found, tuple) or len(found) != len(self.inputs):
            count = len(found) if isinstance(found, tuple) else type(found).__name__
            raise self._misfit(f"a tuple of {len(self.inputs)} gradients", count)
        gradients: list[Any] = []
        for tree, structure, name, shapes in zip(
            found, self.inputs, self.names, self.shapes, strict=True
        ):
            leaves, own = flatten(tree)
            if tree is None:
                leaves = [None] * structure.num_leaves
            elif own != structure:
                like = f"`{name}` a gradient in its structure, {shown(structure)}"
                raise self._misfit(f"for {like}", shown(own))
            for leaf, shape in zip(leaves, shapes, strict=True):
                if leaf is not None and np.shape(raw_of(leaf)) != shape:
                    like = f"for `{name}` a gradient of its shape, {shape}"
                    raise self._misfit(like, f"one of {np.shape(raw_of(leaf))}")
            gradients += leaves
        return gradients

    def _misfit(self, expected: str, found: Any) -> TypeError:
        """An error that says where the rule is, and where it was used."""
        code = getattr(self.rule, "__code__", None)
        at = f" ({code.co_filename}:{code.co_firstlineno})" if code is not None else ""
        return TypeError(
            f"the way back of {self.custom}{at} must return {expected}, but returned "
            f"{found} ({describe(here())})"
        )

    def free(self) -> None:
        """Let go of the residuals."""
        self.saved = None
        self.residuals = None


def _as_variable(g: Any) -> Any:
    return g if g is None or isinstance(g, Variable) else Variable.make(g, None)


def own_node(
    custom: Any,
    args: dict[str, Any],
    result: Any,
    residuals: Any,
    back: Callback,
) -> Any:
    """The result on the tape, under a node whose way back is the user's.

    ``args`` are those that are differentiated by, by name.
    """
    names, flat = [*args], [flatten(arg) for arg in args.values()]
    edges: list[Edge | None] = [
        leaf.edge if is_on_tape(leaf) else None for leaves, _ in flat for leaf in leaves
    ]
    leaves, structure = flatten(result)
    raws = [raw_of(leaf) for leaf in leaves]
    held = [leaf for leaf in flatten(residuals)[0] if isinstance(leaf, Variable)]
    node: Any = CustomNode.link(
        tuple(edges),
        raws[0] if len(raws) == 1 else raws,
        tuple(each.value for each in held),
        entries(held),
    )
    node.custom, node.residuals, node.back = custom.__name__, residuals, back
    node.inputs = [structure for _, structure in flat]
    node.shapes = [[np.shape(raw_of(leaf)) for leaf in leaves] for leaves, _ in flat]
    node.names, node.rule = names, custom._rules[-1]
    node.structure, node.context = structure, residuals
    recorder = state.recorder
    if recorder is not None:
        recorder.follow_backward(node, lambda res, *grads: node._gradients(res, grads))
    made = []
    for number, leaf in enumerate(leaves):
        storage = leaf.own_storage() if isinstance(leaf, Variable) else None
        kind = type(leaf) if isinstance(leaf, Variable) else Variable
        out = kind.make(raws[number], (node, number), storage)
        if recorder is not None:
            recorder.entered(out)
        made.append(out)
    return unflatten(structure, made)
