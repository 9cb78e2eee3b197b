"""``ExportedFunctions``: a traced function's value and gradient, as functions."""

from collections.abc import Iterable, Sequence
from typing import Any

import gast
import numpy as np

from srcgrad.emit.lower import backward_function, forward_function
from srcgrad.emit.names import identifier
from srcgrad.emit.syntax import BlankLine, function, name, sequence
from srcgrad.emit.unparse import unparse
from srcgrad.pytree import unflatten
from srcgrad.tracing.export import sections
from srcgrad.tracing.export.bodies import (
    distinct,
    names_of,
    parsed,
    refusing_nan,
    result_of,
    with_raises,
)
from srcgrad.tracing.export.declaring import Declaring, Written
from srcgrad.tracing.export.inputs import RESERVED
from srcgrad.tracing.export.parameters import numbers_in, paths_in
from srcgrad.tracing.export.public import Public
from srcgrad.tracing.export.results import Made, as_expression


class ExportedFunctions:
    """Writes what a traced function gives: its value, and its gradient.

    They are made of a forward and a backward function, which save and read residuals.
    """

    def __init__(
        self, declaring: Declaring, public: Public, sources: Sequence[str | None]
    ) -> None:
        self._declaring = declaring
        self._inputs = declaring.inputs
        self._public = public
        self._sources = sources
        self._own = f"_{public.name}"
        # Which gradient is of which leaf, in the form in which they are given.
        self.gradients: Any = None
        self.by: list[str] = []
        # Where the outputs with a cotangent are in the value.
        self.outputs: list[str] = []

    def written(self) -> list[Written]:
        """The functions that the module offers, then forward and backward."""
        public, scope = self._public, self._inputs.scope
        partition = public.partition
        assert partition.backward is not None
        scope.start_anew()
        self._inputs.name_inputs(public, self._sources)
        forward = forward_function(scope, partition)
        backward = backward_function(scope, partition, partition.backward)
        scope.start_anew()
        inputs = names_of(forward)
        names = dict(zip(self._sources, inputs, strict=True))
        known = {*inputs, *RESERVED}
        outs = distinct("out", len(partition.forward.outputs), known)
        self.outputs = self._outputs()
        value = as_expression(
            scope,
            result_of(public.trace, partition, inputs),
            dict(zip(partition.forward.outputs, map(name, outs), strict=True)),
        )
        given = [n for n, source in zip(inputs, self._sources, strict=True) if source]
        forward.args.args = [each for each in forward.args.args if each.id in given]
        there = f"{self._own}_forward({', '.join(given)})"
        taken = outs[0] if len(outs) == 1 else f"({', '.join(outs)})"
        body = parsed(f"{taken}, _ = {there}", gast.Return(value.expr))
        function = self._declaring.function
        found = [function(public.name, public.says, value, [names], body)]
        derive = self._gradients if self._is_number else self._vjps
        found += derive(
            names, value, self._gradient(known), f"{taken}, saved = {there}"
        )
        if public.trace.fills:
            _refuse_nan(backward, is_one=len(partition.backward.outputs) == 1)
        return [
            *found,
            self._internal(forward, "forward"),
            self._internal(backward, "backward"),
        ]

    def _internal(self, definition: gast.FunctionDef, suffix: str) -> Written:
        """One of the two, as a function for the others."""
        definition.name = f"{self._own}_{suffix}"
        definition.body = with_raises(definition.body)
        text = unparse(gast.Module([definition], []))
        return Written(definition.name, sections.with_short_errors(text))

    @property
    def _is_number(self) -> bool:
        """Whether its value is one real number."""
        trace = self._public.trace
        metas = trace.gradients.metas
        if len(metas) != 1 or trace.interface.only is None:
            return False
        return bool(np.prod(metas[0][0]) == 1 and metas[0][1].kind == "f")

    def _outputs(self) -> list[str]:
        """Where the outputs with a cotangent are; none, if that is not plain."""
        interface = self._public.trace.interface
        numbers = range(len(interface.outputs))
        try:
            paths = paths_in(unflatten(interface.structure, numbers))
        except TypeError:  # another kind of container
            return []
        found = [paths[k] for k in numbers if interface.outputs[k].has_grad]
        return found if len(found) == len(self._public.partition.cotangents) else []

    def _gradient(self, known: set[str]) -> tuple[list[str], Made]:
        """The names of the gradients, and the expression of these in their form."""
        inputs, partition = self._inputs, self._public.partition
        values = [value for value in partition.gradients if value is not None]
        leaves = self._public.trace.gradients.leaves[: len(values)]
        numbers = [inputs.added.get(leaf, leaf) for leaf in leaves]
        paths = [inputs.parameters.paths[number] for number in numbers]
        names = []
        for path in paths:
            names += distinct(f"d{identifier(path)}", 1, known)
        of = dict(zip(numbers, values, strict=True))
        exprs = dict(zip(values, map(name, names), strict=True))
        own = {
            parameter: tree
            for parameter, tree in inputs.parameters.trees.items()
            if not of.keys().isdisjoint(numbers_in(tree))
        }
        self.by = [*own]
        self.gradients = _with_all(own.values(), {number: number for number in of})
        tree = _with_all(own.values(), of)
        return names, as_expression(inputs.scope, tree, exprs)

    def _gradients(
        self,
        names: dict[str | None, str],
        value: Made,
        gradient: tuple[list[str], Made],
        there: str,
    ) -> list[Written]:
        """``loss_value_and_grad`` and ``loss_grad``."""
        inputs, own = self._inputs, self._public.name
        found, made = gradient
        ((shape, dtype),) = self._public.trace.gradients.metas
        one = f"np.ones({shape}, np.{dtype})" if shape else f"np.{dtype}(1.0)"
        inputs.scope.imports.add("numpy")
        taken = ", ".join(found)
        back = f"{taken} = {self._own}_backward(saved, {one})"
        result = sequence([value.expr, made.expr])
        both = Made(
            result,
            f"tuple[{value.annotation}, {made.annotation}]",
            (*value.leaves, *made.leaves),
        )
        call = f"{own}_value_and_grad({inputs.parameters.passed_on})[1]"
        words = f"the gradient of `{own}` by {sections.listed(self.by)}."
        first = self._declaring.function(
            f"{own}_grad", f"Return {words}", made, [], parsed(f"return {call}")
        )
        says = f"Return the value and {words}"
        body = parsed(there, back, gast.Return(result))
        second = self._declaring.function(
            f"{own}_value_and_grad", says, both, [names], body
        )
        return [first, second]

    def _vjps(
        self,
        names: dict[str | None, str],
        value: Made,
        gradient: tuple[list[str], Made],
        there: str,
    ) -> list[Written]:
        """``layer_vjp``: the value, and a function from cotangents to gradients."""
        own, (found, made) = self._public.name, gradient
        count = len(self._public.partition.cotangents)
        cotangents = distinct("dout", count, {*found, *RESERVED})
        back = f"{self._own}_backward(saved, {', '.join(cotangents)})"
        body = parsed(f"{', '.join(found)} = {back}", gast.Return(made.expr))
        if isinstance(made.expr, gast.Name):
            body = parsed(f"return {back}")
        pullback = function("pullback", cotangents, body)
        result = sequence([value.expr, name("pullback")])
        words = f"`pullback({', '.join(cotangents)})`, which gives"
        both = Made(
            result,
            f"tuple[{value.annotation}, Callable]",
            (*value.leaves, ("", words), *made.leaves),
        )
        by = sections.listed(self.by)
        says = f"Return the value of `{own}`, and the way back to gradients by {by}."
        body = [*parsed(there), pullback, BlankLine(), gast.Return(result)]
        return [self._declaring.function(f"{own}_vjp", says, both, [names], body)]


def _refuse_nan(backward: gast.FunctionDef, is_one: bool) -> None:
    """Let a backward function raise where a gradient is nan."""
    *statements, last = backward.body
    exprs = refusing_nan(statements, [last.value] if is_one else last.value.elts, 0)
    last.value = exprs[0] if is_one else sequence(exprs)
    backward.body = [*statements, last]


def _with_all(trees: Iterable[Any], of: dict[int, Any]) -> Any:
    """Several such trees; one alone needs no tuple around it."""
    found = tuple(_with_gradients(tree, of) for tree in trees)
    return found[0] if len(found) == 1 else found


def _with_gradients(tree: Any, of: dict[int, Any]) -> Any:
    """A tree of numbers of leaves, with their gradients in their places."""
    if type(tree) is int:
        return of.get(tree)
    if isinstance(tree, dict):
        return {key: _with_gradients(part, of) for key, part in tree.items()}
    parts = [_with_gradients(part, of) for part in tree]
    return parts if isinstance(tree, list) else tuple(parts)
