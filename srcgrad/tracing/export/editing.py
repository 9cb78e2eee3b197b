"""``Edited``: a module that was exported, and edited, in the place of generated code.

Its functions compute what a trace's ``forward`` and ``backward`` do; all else, when the
trace holds, what is in the environment, how results are made, stays as it is.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from srcgrad.emit import Module
from srcgrad.protocols import raw_of
from srcgrad.pytree import flatten, unflatten
from srcgrad.steps import Value
from srcgrad.tape.variable import Variable
from srcgrad.tracing.export.bodies import result_tree
from srcgrad.tracing.export.environment_reads import found_in_environment
from srcgrad.tracing.export.modules import call_of, called, loaded
from srcgrad.tracing.export.parameters import Parameters
from srcgrad.tracing.export.results import Converted
from srcgrad.tracing.serving.argument_kinds import ArgumentKinds
from srcgrad.tracing.serving.direct import usual_way
from srcgrad.tracing.serving.trace import Trace


class Edited:
    """A module in a file.

    Attributes
    ----------
    path : Path
        The file.
    text : str
        What is in it.
    module : module
        What it defines.
    constants : dict
        What is in the environment now, by its place: the module has been compared with
        the tape.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self.module = loaded(path)
        self.constants: dict[str, Any] = {}
        needed = ("__all__", "example", "_arguments")
        missing = [name for name in needed if not hasattr(self.module, name)]
        if missing:
            raise ValueError(
                f"{path} has no `{missing[0]}`, as modules that `export` writes have"
            )

    @property
    def function(self) -> Callable[..., Any]:
        """What takes the place of generated code: the last that it offers."""
        found: Callable[..., Any] = getattr(self.module, self.module.__all__[-1])
        return found

    @property
    def parameters(self) -> list[str]:
        """The names of its parameters."""
        return [*inspect.signature(self.function).parameters]

    @property
    def exported(self) -> list[str]:
        """The parameters that it was exported with."""
        return [*inspect.signature(self.module._arguments).parameters]

    @property
    def by(self) -> Sequence[str]:
        """The parameters that its derivatives are by."""
        found = getattr(self.module, "DERIVATIVES_BY", ())
        return [found] if isinstance(found, str) else found

    def call(self, values: Sequence[Any]) -> Any:
        """The arguments of a call of the user's function, by position and by name."""
        args, kwargs = call_of(self.function, values)
        return tuple(args), {
            name: item for name, item in kwargs.items() if name not in self.added
        }

    @property
    def added(self) -> set[str]:
        """The parameters that stand for what is found outside: they have defaults."""
        own = inspect.signature(self.function).parameters
        return {name for name, each in own.items() if each.default is not each.empty}

    def with_variables(
        self, values: Sequence[Any]
    ) -> tuple[list[Any], list[Variable | None]]:
        """Values with Variables where derivatives are by them, and these.

        There is one for each leaf of these parameters; None for integers, say.
        """
        leaves, structure = flatten(list(values))
        numbered = unflatten(structure, range(len(leaves)))
        found: list[Variable | None] = []
        for name in self.by:
            if name in self.added:
                continue
            for number in flatten(numbered[self.parameters.index(name)])[0]:
                variable = None
                if np.asarray(leaves[number]).dtype.kind in "fc":
                    variable = Variable(leaves[number], requires_grad=True)
                    leaves[number] = variable
                found.append(variable)
        return unflatten(structure, leaves), found

    def values(self) -> Sequence[Any]:
        """Its example: a value for each parameter."""
        found: Sequence[Any] = self.module.example()
        return found

    def into(self, trace: Trace, function: Callable[..., Any]) -> Trace:
        """A trace that runs the module's functions, if it is for calls of that kind."""
        kinds = trace.about.arguments
        if kinds is None or not self._is_for(kinds, function):
            return trace
        parameters = Parameters(function, kinds)
        run = (
            _ForwardBackward if trace.gradients.backwards.partition.backward else _Whole
        )
        made = run(self, trace, parameters)
        module = Module(
            self.text,
            str(self.path),
            made.forward,
            made.backward,
            trace.module.environment,
            trace.module.has_one_output,
            trace.module.has_one_gradient,
            trace.module.saved,
        )
        notes = (*trace.about.notes, f"runs {self.path}")
        about = replace(trace.about, notes=notes)
        return replace(trace, module=module, about=about, direct=usual_way)

    def _is_for(self, kinds: ArgumentKinds, function: Callable[..., Any]) -> bool:
        try:
            parameters = Parameters(function, kinds)
            own = inspect.signature(self.function).parameters
            if [*own][: len(parameters.trees)] != [*parameters.trees]:
                return False
            leaves = [
                None if number in parameters.fixed else raw_of(leaf.example())
                for number, leaf in enumerate(kinds.leaves)
            ]
            self.check(parameters.values(leaves))
        except (RuntimeError, TypeError, ValueError):
            return False
        return True

    def check(self, values: Sequence[Any]) -> None:
        """Raise if values of the parameters are not what it is for.

        Raises
        ------
        TypeError, ValueError
            As the module says it.
        """
        function = self.module._arguments
        rest = [
            parameter.default
            for parameter in [*inspect.signature(self.function).parameters.values()]
        ][len(values) :]
        called(function, [*values, *rest])

    def misfit(self, error: Exception) -> str | None:
        """What the module says if a call goes another way than its own; else None."""
        traceback = error.__traceback__
        while traceback is not None and traceback.tb_next is not None:
            traceback = traceback.tb_next
        is_its_own = traceback is not None and (
            traceback.tb_frame.f_code.co_filename == str(self.path)
        )
        return str(error) if is_its_own and isinstance(error, ValueError) else None


class _Running:
    """What runs the functions of a module in the place of those of a trace."""

    backward: Callable[..., Any] | None = None

    def __init__(self, edited: Edited, trace: Trace, parameters: Parameters) -> None:
        self._edited = edited
        self._trace = trace
        self._parameters = parameters
        self._positions = trace.interface.positions
        found = found_in_environment(trace, parameters).items()
        self._constants = {k: text for k, (text, has_grad) in found if not has_grad}
        self._added = [number for number, (_, has_grad) in found if has_grad]

    def forward(self, *inputs: Any) -> Any:
        """As ``forward`` of generated code; or why it does not fit."""
        for number, text in self._constants.items():
            then: Any = self._edited.constants.get(text)
            if not np.array_equal(inputs[number], then, equal_nan=True):
                return f"`{text}` is not what it is in {self._edited.path}"
        try:
            return self._run(inputs)
        except ValueError as error:
            why = self._edited.misfit(error)
            if why is None:
                raise
            return why

    def _run(self, inputs: Sequence[Any]) -> Any:
        raise NotImplementedError


class _Whole(_Running):
    """A derivative that is computed at once."""

    def _run(self, inputs: Sequence[Any]) -> Any:
        leaves = [leaf.value for leaf in self._parameters.leaves]
        for position, item in zip(self._positions, inputs, strict=True):
            if position < len(leaves):
                leaves[position] = item
        values = self._parameters.values(leaves)
        values += [inputs[number] for number in self._added]
        found = called(self._edited.function, values)
        partition = self._trace.gradients.backwards.partition
        outs: dict[Value, Any] = {}
        _collect(result_tree(self._trace, partition), found, outs)
        results = [outs[value] for value in partition.forward.outputs]
        return results[0] if len(results) == 1 else tuple(results)


class _ForwardBackward(_Running):
    """A forward and a backward function."""

    def __init__(self, edited: Edited, trace: Trace, parameters: Parameters) -> None:
        super().__init__(edited, trace, parameters)
        own = f"_{edited.module.__all__[0]}"
        self._forward = getattr(edited.module, f"{own}_forward")
        self.backward = getattr(edited.module, f"{own}_backward")

    def _run(self, inputs: Sequence[Any]) -> Any:
        given = [item for k, item in enumerate(inputs) if k not in self._constants]
        return self._forward(*given)


def _collect(tree: Any, found: Any, outs: dict[Value, Any]) -> None:
    """Put what a function has returned where the Values stand."""
    if isinstance(tree, Converted):
        tree = tree.value
    if isinstance(tree, Value):
        outs[tree] = found
    elif isinstance(tree, dict):
        for key, part in tree.items():
            _collect(part, found[key], outs)
    elif isinstance(tree, (tuple, list)):
        for part, each in zip(tree, found, strict=True):
            _collect(part, each, outs)
