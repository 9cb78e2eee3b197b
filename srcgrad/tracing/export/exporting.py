"""``Exporting``: a function, for calls like one, as a module in a file."""

import difflib
import itertools
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from srcgrad.emit.names import identifier
from srcgrad.errors import GradcheckError, told
from srcgrad.protocols import raw_of
from srcgrad.pytree import flatten
from srcgrad.tracing.environment.signature import Signature
from srcgrad.tracing.export import derivatives, environment_reads, sections
from srcgrad.tracing.export.comparing import compare_with_tape
from srcgrad.tracing.export.derivatives import Derived
from srcgrad.tracing.export.editing import Edited
from srcgrad.tracing.export.examples import WAYS, example
from srcgrad.tracing.export.inputs import RESERVED
from srcgrad.tracing.export.module_text import docstring, text_of
from srcgrad.tracing.export.modules import called, loaded
from srcgrad.tracing.export.parameters import Parameters
from srcgrad.tracing.export.public import Public
from srcgrad.tracing.export.refusals import refuse_what_is_not_numpys
from srcgrad.tracing.export.writing import ModuleWriter
from srcgrad.tracing.serving.reports import place_of
from srcgrad.tracing.serving.trace import Trace


@dataclass(frozen=True)
class Exported:
    """A module: its text, and the arrays of the file beside it."""

    text: str
    data: dict[str, np.ndarray[Any, Any]]

    def write(self, path: Path) -> None:
        """Write both files."""
        path.write_text(self.text, encoding="utf-8")
        if self.data:
            np.savez(path.with_suffix(".npz"), **self.data)  # type: ignore[arg-type]


class Exporting:
    """A function, or a transform of it, for calls like one.

    Parameters
    ----------
    traced : Traced
        The function.
    transform : Transform or None
        What of it is exported.
    args, kwargs
        Those of the call.
    """

    def __init__(self, traced: Any, transform: Any, args: Any, kwargs: Any) -> None:
        self._traced = traced
        self._transform = transform
        self._args, self._kwargs = args, kwargs
        self._function = traced._function
        self._base: Trace | None = None
        self._own = identifier(self._function.__name__)
        if self._own == "lambda":
            self._own = "function"
        elif self._own in RESERVED | {"np"}:
            self._own = f"{self._own}_function"

    def export(self, path: Path) -> None:
        """Write the module, with arguments to try it with that do.

        Raises
        ------
        RuntimeError
            If it cannot be exported, saying why, and where.
        """
        problem, differs = "", False
        for is_symmetric, way in itertools.product((False, True), WAYS):
            if is_symmetric and not differs:
                break
            self._module(path.stem, way, is_symmetric).write(path)
            problem = tried(path)
            if not problem:
                self._compare_with_tape(path)
                return
            differs = differs or "by derivative" in problem
        warnings.warn(
            f"{path}: its own check fails for the arguments that it was exported with, "
            f"{problem}",
            stacklevel=4,
        )

    def _compare_with_tape(self, path: Path) -> None:
        """Warn if the module does not compute what the tape does."""
        try:
            with np.errstate(all="ignore"):
                compare_with_tape(Edited(path), self._traced, self._transform)
        except GradcheckError as error:
            message = f"{error}. Please report this, with the function"
            warnings.warn(message, stacklevel=5)
        except (AttributeError, ValueError):  # no example, or one for named tuples
            return

    def bare(self) -> Exported:
        """The module without an example and its check, for who only runs it.

        Raises
        ------
        RuntimeError
            If it cannot be exported, saying why, and where.
        """
        return self._module("exported", None, False)

    def trace(self) -> Trace:
        """That which the module is written from."""
        return self._generated(self._transform)

    def constants(self, trace: Trace | None = None) -> dict[str, Any] | None:
        """What there is now where the trace of the call looks outside, by its place.

        None if a guard on that does not hold any more.
        """
        trace, leaves = trace or self.trace(), self._leaves()
        kinds = trace.about.arguments
        assert kinds is not None
        parameters = Parameters(self._function, kinds)
        environment = trace.guards.read(leaves, [])
        if type(environment) is str:
            return None
        found = [*leaves, *environment]
        return {
            text: np.array(raw_of(found[trace.interface.positions[number]]))
            for number, (text, _) in environment_reads.found_in_environment(
                trace, parameters
            ).items()
        }

    def diff(self, edited: Edited) -> str:
        """What differs in a module from what would be written now."""
        path, found = edited.path, ""
        for is_symmetric, way in itertools.product((False, True), WAYS):
            now = self._module(path.stem, way, is_symmetric).text
            lines = difflib.unified_diff(
                now.splitlines(), edited.text.splitlines(), "exported now", str(path)
            )
            text = "\n".join(line.rstrip("\n") for line in lines)
            if not found or len(text) < len(found):  # the example is made in that way
                found = text
            if not found:
                break
        return found

    def _module(self, name: str, way: str | None, is_symmetric: bool) -> Exported:
        """The module, with an example of one kind."""
        try:
            return self._written(name, way, is_symmetric)
        except RuntimeError as error:
            own = f"{self._function.__name__} ({place_of(self._function)})"
            raise RuntimeError(f"{own} cannot be exported: {error}") from None

    def _written(self, name: str, way: str | None, is_symmetric: bool) -> Exported:
        transform, own = self._transform, self._own
        trace = self._generated(transform)
        kinds = trace.about.arguments
        assert kinds is not None
        parameters = Parameters(self._function, kinds)
        leaves = self._leaves()
        words, publics = f"Return the value of `{own}`.", []
        if transform is None:
            publics.append(self._public(own, words, trace, leaves))
        else:
            if transform.is_of_same_arguments:
                base = self._own_trace()
                publics.append(self._public(own, words, base, leaves))
            derived_name, words = self._says(parameters, trace)
            publics.append(self._public(derived_name, words, trace, leaves))
        writer = ModuleWriter(parameters, publics)
        derived, tries = self._derived(writer, trace), []
        # Of objects it has no examples.
        if way is not None and not parameters.has_objects:
            tries.append(example(parameters, writer.scope, leaves, way))
            tries += filter(
                None, ["" if derived is None else derived.check(writer, is_symmetric)]
            )
        declared = "" if derived is None else derived.declared
        words = f"{self._gives(writer.names)} ({place_of(self._function)})."
        text = text_of(writer, docstring(name, words, writer), declared, tries)
        return Exported(text, writer.scope.data)

    def _generated(self, transform: Any) -> Trace:
        """The trace; it holds its graph, whatever runs in its place."""
        trace: Trace = self._traced.trace_for(transform, self._args, self._kwargs)
        return trace

    def _own_trace(self) -> Trace:
        """The function's own, for the same calls."""
        if self._base is None:
            given = self._args, self._kwargs
            self._base = self._traced.own_trace_like(self._transform, *given)
        return self._base

    def _leaves(self) -> Sequence[Any]:
        """Those of the arguments."""
        of = self._traced if self._transform is None else self._transform
        _, bound, keywords = of.target
        given = self._args, {**keywords, **self._kwargs}, bound
        leaves: Sequence[Any] = Signature(*given, self._transform).leaves
        return leaves

    def _public(
        self, name: str, says: str, trace: Trace, leaves: Sequence[Any]
    ) -> Public:
        refuse_what_is_not_numpys(trace)
        found = trace.guards.read(leaves, [])
        if type(found) is str:
            raise RuntimeError(found)
        return Public(name, says, trace, leaves, found)

    def _derived(self, writer: ModuleWriter, trace: Trace) -> Derived | None:
        """The derivative among the functions, if there is one of the first."""
        if self._transform is None:
            return derivatives.of_forward_backward(writer, trace)
        checked = self._transform.checked_by(self._args, self._kwargs)
        return derivatives.of_transform(writer, trace, checked)

    def _says(self, parameters: Parameters, trace: Trace) -> tuple[str, str]:
        """What the transform's function is called, and what its docstring says."""
        name, words = self._transform.gives(self._own)
        checked = self._transform.checked_by(self._args, self._kwargs)
        if checked is not None:
            trees, by = derivatives.differentiated(parameters, trace, checked)
            if len(by) == len(trees):
                words = f"{words.removesuffix('.')} by {sections.listed(by)}."
        return name, words

    def _gives(self, names: Sequence[str]) -> str:
        """What the module is for, in words."""
        if self._transform is not None:
            words = str(self._transform.gives(self._own)[1]).removeprefix("Return ")
        elif len(names) > 1:
            words = f"the value and the derivative of `{self._own}`."
        else:
            words = f"the value of `{self._own}`."
        return words[0].upper() + words[1:].removesuffix(".")


def tried(path: Path) -> str:
    """Run the example of a module, and its check; what goes wrong with these."""
    try:
        with np.errstate(all="ignore"):
            module = loaded(path)
            if not hasattr(module, "example"):
                return ""
            args = module.example()
            results = [
                called(getattr(module, name), args)
                for name in module.__all__
                if not name.endswith("_vjp")
            ]
            if hasattr(module, "check_gradient"):
                module.check_gradient()
    except Exception as error:
        return told(error)
    numbers = [np.asarray(leaf) for leaf in flatten(results)[0] if leaf is not None]
    if not all(np.all(np.isfinite(n)) for n in numbers if n.dtype.kind in "fc"):
        return "which give nan or inf"
    return ""
