"""``ModuleWriter``: the functions of an exported module, as text."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import gast

from srcgrad.emit.lower import forward_function
from srcgrad.tracing.export.bodies import names_of, refusing_nan, result_of, with_raises
from srcgrad.tracing.export.declaring import Declaring, Written
from srcgrad.tracing.export.exported_functions import ExportedFunctions
from srcgrad.tracing.export.inputs import Inputs
from srcgrad.tracing.export.parameters import Parameters
from srcgrad.tracing.export.public import Public
from srcgrad.tracing.export.results import as_expression


class ModuleWriter:
    """Writes the functions of one module.

    Parameters
    ----------
    parameters : Parameters
        How all of them are called.
    functions : sequence of Public
        The functions.

    Attributes
    ----------
    inputs : Inputs
        What they compute with.
    written : list of Written
        The functions, and what they are made of.
    gradients : tree of int or None
        Of a traced function, which gradient is of which leaf;
    gradients_by : sequence of str
        the parameters that they are by;
    outputs : sequence of str
        where the outputs with a cotangent are in the value.
    """

    def __init__(self, parameters: Parameters, functions: Sequence[Public]) -> None:
        self.parameters = parameters
        self.inputs = Inputs(parameters, functions)
        self.scope = self.inputs.scope
        self.written: list[Written] = []
        self.gradients: Any = None
        self.gradients_by: Sequence[str] = ()
        self.outputs: Sequence[str] = ()
        self._declaring = Declaring(self.inputs)
        for each, sources in zip(functions, self.inputs.sources, strict=True):
            if each.partition.backward is None:
                self.written.append(self._quiet(each, self._function(each, sources)))
            else:
                exported = ExportedFunctions(self._declaring, each, sources)
                for written in exported.written():
                    is_internal = written.made is None
                    self.written.append(
                        self._quiet(each, written) if is_internal else written
                    )
                self.gradients = exported.gradients
                self.gradients_by = exported.by
                self.outputs = exported.outputs

    def _quiet(self, public: Public, written: Written) -> Written:
        """A function that ignores floating-point errors, if the user's ignores some."""
        if public.trace.quiet is None:
            return written
        self.scope.imports.add("numpy")
        return replace(
            written, text=f'@np.errstate(all="ignore")\n{written.text.lstrip()}'
        )

    @property
    def names(self) -> list[str]:
        """What the module offers."""
        return [each.name for each in self.written if each.made]

    def _function(self, public: Public, sources: Sequence[str | None]) -> Written:
        self.scope.start_anew()
        self.inputs.name_inputs(public, sources)
        forward = forward_function(self.scope, public.partition)
        *statements, last = forward.body
        names = dict(zip(sources, names_of(forward), strict=True))
        count = len(public.partition.forward.outputs)
        exprs = [last.value] if count == 1 else last.value.elts
        if public.trace.fills:
            first = public.trace.interface.count
            exprs = refusing_nan(statements, exprs, first)
        made = as_expression(
            self.scope,
            result_of(public.trace, public.partition, names_of(forward)),
            dict(zip(public.partition.forward.outputs, exprs, strict=True)),
        )
        body = [*with_raises(statements), gast.Return(made.expr)]
        read = {n.id for each in body for n in gast.walk(each) if type(n) is gast.Name}
        names = {path: name for path, name in names.items() if name in read}
        return self._declaring.function(public.name, public.says, made, [names], body)
