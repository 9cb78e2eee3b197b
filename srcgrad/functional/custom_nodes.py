"""The node of one call of what has a derivative of the user's own."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.errors import full_name, located
from srcgrad.functional.on_tape import is_on_tape
from srcgrad.functional.vmap import vmap
from srcgrad.modes import override, state
from srcgrad.protocols import raw_of
from srcgrad.pytree import flatten, shown, unflatten
from srcgrad.tape.function import Edge, Function, already_freed
from srcgrad.tape.variable import Variable
from srcgrad.tape.versions import check, entries
from srcgrad.tracing.graphs.recorder import Recorder
from srcgrad.tracing.graphs.same_numbers import anew
from srcgrad.tracing.graphs.segments import ELEMENT

Callback = Callable[..., Any]


class CustomNode(Function):
    """The node of one call: its way back is the user's."""

    __slots__ = (
        *("back", "context", "custom", "inputs", "is_step", "names", "residuals"),
        *("rule", "shapes", "structure"),
    )

    back: Callback
    context: Any
    custom: str
    inputs: Sequence[Any]
    is_step: bool
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
            raise already_freed()
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
        at = ""
        if code is not None:
            at = f" ({full_name(code.co_filename)}:{code.co_firstlineno})"
        return located(
            TypeError(
                f"the way back of {self.custom}{at} must return {expected}, but "
                f"returned {found}"
            )
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
        made.append(kind.make(raws[number], (node, number), storage))
    node.is_step = False
    if isinstance(recorder, Recorder) and recorder.within == ELEMENT:
        node.is_step = True
        step = OwnDerivative(custom, (args, result, residuals), back)
        made = step.written(recorder, made, (args, result, residuals))
    elif recorder is not None:
        for out in made:
            recorder.entered(out)
    return unflatten(structure, made)


class OwnDerivative:
    """The step by which a value gets a derivative of the user's own.

    It is written down for an element of a batch: where that is batched, so is the way
    back. ``parts``: the arguments by name, the result and the residuals.
    """

    __name__ = "own_derivative"

    def __init__(self, custom: Any, parts: Any, back: Callback) -> None:
        self.custom, self.back = custom, back
        self.structure = flatten(parts)[1]

    def __call__(self, *leaves: Any) -> tuple[Any, ...]:
        args, result, residuals = unflatten(self.structure, leaves)
        found = own_node(self.custom, args, result, residuals, self.back)
        return tuple(flatten(found)[0])

    def written(self, recorder: Recorder, made: Any, parts: Any) -> list[Any]:
        """The results, as those of this step."""
        leaves = map(recorder.writer.symbols, flatten(parts)[0])
        own = [type(each).make(anew(each.value), each.edge) for each in made]
        recorder.writer.write(self, tuple(leaves), {}, tuple(own))
        for out in own:
            recorder.entered(out)
        return own

    def of_batch(self, are_batched: Sequence[bool]) -> "OwnDerivative":
        """The same for a batch; ``are_batched``: of which leaves there is one."""
        parts = unflatten(self.structure, are_batched)
        args, _, residuals = parts

        def back(*given: Any) -> Any:
            leaves, structure = flatten(given)
            are_wide = flatten(residuals)[0]
            are_wide += [leaf is not None for leaf in leaves[len(are_wide) :]]

            def element(*leaves: Any) -> Any:
                return self.back(*unflatten(structure, leaves))

            axes = tuple(0 if is_wide else None for is_wide in are_wide)
            found = vmap(element, axes).on_tape(tuple(leaves), {}).result
            if not isinstance(found, tuple) or len(found) != len(args):
                return found  # which is an error
            return tuple(map(_of_batched, found, args.values()))

        return OwnDerivative(self.custom, parts, back)


def _of_batched(gradient: Any, are_batched: Any) -> Any:
    """A gradient without those of numbers that are the same for all elements."""
    if gradient is None:
        return None
    leaves, structure = flatten(gradient)
    pairs = zip(leaves, flatten(are_batched)[0], strict=True)
    return unflatten(structure, [leaf if is_wide else None for leaf, is_wide in pairs])
