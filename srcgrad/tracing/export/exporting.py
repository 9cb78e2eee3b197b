"""``exported``: a function, for calls like one, as a module that needs NumPy alone."""

import difflib
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import gast
import numpy as np

from srcgrad.branches import Branch
from srcgrad.emit.body import NODE_STATEMENTS
from srcgrad.emit.checks import place
from srcgrad.emit.expressions import EXPRESSIONS
from srcgrad.emit.lower import imports_of
from srcgrad.emit.names import identifier
from srcgrad.emit.unparse import bare, unparse
from srcgrad.errors import told
from srcgrad.graph import walk
from srcgrad.loops import Loop
from srcgrad.protocols import raw_of
from srcgrad.pytree import flatten, unflatten
from srcgrad.steps import Node
from srcgrad.tracing.environment.signature import Signature
from srcgrad.tracing.export import outside, sections
from srcgrad.tracing.export.editing import Edited
from srcgrad.tracing.export.examples import WAYS, example
from srcgrad.tracing.export.gradient_checks import gradient_check
from srcgrad.tracing.export.inlining import Inlined, inlined
from srcgrad.tracing.export.modules import called, loaded
from srcgrad.tracing.export.parameters import Parameters
from srcgrad.tracing.export.public import Public
from srcgrad.tracing.export.scope import ExportScope
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
        beside = path.with_suffix(".npz")
        if self.data:
            np.savez(beside, **self.data)  # type: ignore[arg-type]
        else:
            beside.unlink(missing_ok=True)


class Derived(NamedTuple):
    """A derivative in a module: of which form, called what, by which parameters.

    ``tree`` tells which gradient is of which leaf; the rest is that of ``Checked``.
    """

    form: str
    name: str
    by: Sequence[str]
    is_single: bool
    tree: Any
    part: str = ""
    value_part: str = ""

    @property
    def declared(self) -> str:
        """What the module says of it, if it says enough of the derivative."""
        is_whole = len(self.by) == (1 if self.is_single else len(self.tree))
        if self.value_part or not is_whole:
            return ""
        names = ", ".join(map(sections.quoted, self.by))
        if not self.is_single:
            names = f"({names}{',' * (len(self.by) == 1)})"
        return f"# What the derivatives are by.\nDERIVATIVES_BY = {names}"


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

    def export(self, path: Path) -> None:
        """Write the module, with arguments to try it with that do.

        Raises
        ------
        RuntimeError
            If it cannot be exported, saying why, and where.
        """
        problem = ""
        for way in WAYS:
            self._module(path.stem, way).write(path)
            problem = tried(path)
            if not problem:
                return
        warnings.warn(
            f"{path}: its own check fails for the arguments that it was exported with, "
            f"{problem}",
            stacklevel=4,
        )

    def constants(self) -> dict[str, Any]:
        """What there is now where the trace of the call looks outside, by its place."""
        trace, leaves = self._generated(self._transform), self._leaves()
        kinds = trace.about.arguments
        assert kinds is not None
        parameters = Parameters(self._function, kinds)
        found = [*leaves, *trace.guards.read(leaves, [])]
        return {
            text: np.array(raw_of(found[trace.interface.positions[number]]))
            for number, (text, _) in outside.found_outside(trace, parameters).items()
        }

    def diff(self, edited: Edited) -> str:
        """What differs in a module from what would be written now."""
        path, found = edited.path, ""
        for way in WAYS:
            now = self._module(path.stem, way).text
            lines = difflib.unified_diff(
                now.splitlines(), edited.text.splitlines(), "exported now", str(path)
            )
            text = "\n".join(line.rstrip("\n") for line in lines)
            if not found or len(text) < len(found):  # the example is made in that way
                found = text
            if not found:
                break
        return found

    def _module(self, name: str, way: str) -> Exported:
        """The module, with an example of one kind."""
        try:
            return self._written(name, way)
        except RuntimeError as error:
            own = f"{self._function.__name__} ({place_of(self._function)})"
            raise RuntimeError(f"{own} cannot be exported: {error}") from None

    def _written(self, name: str, way: str) -> Exported:
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
        if not parameters.has_objects:  # of these it has no examples
            tries.append(example(parameters, writer.scope, leaves, way))
            tries += filter(None, [self._gradient_check(writer, derived)])
        declared = "" if derived is None else derived.declared
        text = text_of(writer, self._docstring(name, writer), declared, tries)
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
        names = writer.names
        if self._transform is None:
            if writer.gradients is None:
                return None
            by, is_grad = [*writer.gradients_by], f"{names[0]}_grad" in names
            form = "grad" if is_grad else "vjp" if _is_real(trace, writer) else ""
            return Derived(form, names[1], by, len(by) == 1, writer.gradients)
        checked = self._transform.checked_by(self._args, self._kwargs)
        if checked is None:
            return None
        trees, by = self._differentiated(writer.parameters, trace, checked)
        tree = trees[0] if checked.is_single else tuple(trees)
        return Derived(
            *(checked.form, names[1], by, checked.is_single, tree),
            *(checked.part, checked.value_part),
        )

    def _differentiated(
        self, parameters: Parameters, trace: Trace, checked: Any
    ) -> tuple[list[Any], list[str]]:
        """What is differentiated by: the numbers of the leaves, and the parameters."""
        kinds = trace.about.arguments
        assert kinds is not None
        args, kwargs, _ = unflatten(kinds.structure, range(len(kinds.leaves)))
        trees = [[*args, *kwargs.values()][k] for k in checked.places]
        pairs = [*parameters.trees.items()]
        return trees, [name for each in trees for name, tree in pairs if tree == each]

    def _says(self, parameters: Parameters, trace: Trace) -> tuple[str, str]:
        """What the transform's function is called, and what its docstring says."""
        name, words = self._transform.gives(self._own)
        checked = self._transform.checked_by(self._args, self._kwargs)
        if checked is not None:
            trees, by = self._differentiated(parameters, trace, checked)
            if len(by) == len(trees):
                words = f"{words.removesuffix('.')} by {sections.listed(by)}."
        return name, words

    def _gradient_check(self, writer: ModuleWriter, derived: Derived | None) -> str:
        """The function that compares the gradient with differences, if there is one."""
        if derived is None or not derived.form:
            return ""
        is_wide = derived.form in ("jacobian", "hessian")
        if is_wide and type(derived.tree) is not int:
            return ""
        return gradient_check(
            *(writer.parameters, writer.names[0], derived.name, derived.form),
            *(derived.tree, derived.part, derived.value_part, writer.outputs),
        )

    def _gives(self, names: Sequence[str]) -> str:
        """What the module is for, in words."""
        if self._transform is not None:
            words = str(self._transform.gives(self._own)[1]).removeprefix("Return ")
        elif len(names) > 1:
            words = f"the value and the derivative of `{self._own}`."
        else:
            words = f"the value of `{self._own}`."
        return words[0].upper() + words[1:].removesuffix(".")

    def _docstring(self, module: str, writer: ModuleWriter) -> str:
        names = writer.names
        usage = [f"    from {module} import {', '.join(names)}"]
        passed = writer.parameters.passed_on
        for each in writer.written:
            if each.made is not None:
                result = shown_result(each.name.removeprefix(names[0]), each.made.expr)
                usage.append(f"    {result} = {each.name}({passed})")
        words = f"{self._gives(names)} ({place_of(self._function)})."
        says = f"Written by srcgrad; it needs {_needed(writer)} alone."
        return "\n".join(
            [
                sections.paragraph(f'"""{words}'),
                "",
                says,
                "",
                *usage,
                '"""',
            ]
        )


def shown_result(suffix: str, expr: Any) -> str:
    """What the result of a function is called where that is used.

    >>> shown_result("_value_and_grad", gast.parse("(out, (dx, dy))").body[0].value)
    'value, (dx, dy)'
    >>> shown_result("_grad", gast.parse("2 * x").body[0].value)
    'gradient'
    """
    kinds = gast.Name, gast.Tuple, gast.Load
    if suffix and all(isinstance(node, kinds) for node in gast.walk(expr)):
        text: str = bare(expr)
        return re.sub(r"^out\b", "value", text)
    return SHOWN.get(suffix, "result")


# What is shown for a result without a name.
SHOWN = {
    "": "value",
    "_grad": "gradient",
    "_value_and_grad": "value, gradient",
    "_jacobian": "jacobian",
    "_hessian": "hessian",
    "_derivative": "slopes",
}


def _needed(writer: ModuleWriter) -> str:
    is_scipys = any(each.startswith("scipy") for each in writer.scope.imports)
    return "NumPy and SciPy" if is_scipys else "NumPy"


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


def refuse_what_is_not_numpys(trace: Trace) -> None:
    """Raise if a module of NumPy's functions alone does not do what a trace does.

    Raises
    ------
    RuntimeError
        Naming the user's line.
    """
    if trace.effects is not None:
        raise RuntimeError(
            f"it does more than compute, {trace.effects.told()[0]}: take that out of "
            "the function, and return what it stores"
        )
    if _gives_back_a_gradient(trace):
        raise RuntimeError(
            "it returns an argument itself, with its gradient: return `1.0 * x`"
        )
    if trace.quiet is not None:
        raise RuntimeError(
            "it uses `np.errstate`: say that around its calls, outside of it"
        )
    scope = ExportScope()
    for step in _nodes(trace):
        if step.function in WRITTEN_SPECIALLY or isinstance(
            step.function, Loop | Branch
        ):
            continue
        try:
            scope.reference(step.function)
            inlined(scope.inlined)
        except RuntimeError as error:
            raise RuntimeError(f"{place(step.where)}{error}") from None


def _is_real(trace: Trace, writer: ModuleWriter) -> bool:
    """Whether the way back of a traced function can be checked along one direction."""
    kinds = [dtype.kind for _, dtype in trace.gradients.metas]
    leaves = [leaf for leaf in writer.parameters.leaves if leaf.has_grad]
    kinds += [leaf.dtype.kind for leaf in leaves if leaf.dtype is not None]
    return bool(writer.outputs) and {*kinds} == {"f"}


def _gives_back_a_gradient(trace: Trace) -> bool:
    """Whether one of the results is an argument itself that requires grad."""
    kinds = trace.about.arguments
    assert kinds is not None
    given = [
        trace.interface.positions[o.source]
        for o in trace.interface.outputs
        if o.kind == "input"
    ]
    return any(k >= len(kinds.leaves) or kinds.leaves[k].has_grad for k in given)


# What is written in ways of its own.
WRITTEN_SPECIALLY = EXPRESSIONS.keys() | NODE_STATEMENTS.keys()


def _nodes(trace: Trace) -> Iterator[Node]:
    partition = trace.gradients.backwards.partition
    for graph in (partition.forward, partition.backward):
        if graph is not None:
            yield from (step for step in walk(graph) if type(step) is Node)


def text_of(
    writer: ModuleWriter, docstring: str, declared: str, tries: Sequence[str]
) -> str:
    """The whole module."""
    scope = writer.scope
    helpers = inlined(scope.inlined)
    _refuse_clashes(writer, helpers)
    standard, others = _imports(writer, helpers.imports)
    names = ", ".join(f'"{each}"' for each in writer.names)
    main = ""
    if len(tries) > 1:
        main = (
            'if __name__ == "__main__":\n'
            "    check_gradient()\n"
            '    print("the derivative agrees with finite differences")'
        )
    constants = unparse(gast.Module(scope.statements, [])).strip()
    head = [
        docstring,
        "\n".join(standard),
        "\n".join(others),
        f"__all__ = [{names}]",
        declared,
        _data(scope),
        constants,
        "\n".join(helpers.constants.values()),
    ]
    parts = [
        "\n\n".join(filter(None, head)),
        *(each.text for each in writer.written),
        writer.inputs.arguments,
        *writer.inputs.helpers,
        *[sections.REFUSE_NAN] * any("_refuse_nan(" in t.text for t in writer.written),
        *helpers.definitions,
        *tries,
        main,
    ]
    return "\n\n\n".join(part.strip("\n") for part in parts if part.strip()) + "\n"


def _refuse_clashes(writer: ModuleWriter, helpers: Inlined) -> None:
    """Raise if a function of the user's has the name of one that comes along.

    Raises
    ------
    RuntimeError
        Naming it.
    """
    own = {*writer.names, *(item.targets[0].id for item in _constants(writer.scope))}
    for name in sorted(own & helpers.names):
        raise RuntimeError(
            f"the generated code uses a function {name!r} of srcgrad's: give yours, or "
            "the array, another name"
        )


def _constants(scope: ExportScope) -> list[Any]:
    return [each for each in scope.statements if isinstance(each, gast.Assign)]


def _data(scope: ExportScope) -> str:
    """The statements that load the arrays of the file beside."""
    if not scope.data:
        return ""
    lines = [f'    {name} = data["{name}"]' for name in scope.data]
    return "\n".join(
        ['with np.load(Path(__file__).with_suffix(".npz")) as data:', *lines]
    )


def _imports(writer: ModuleWriter, more: set[str]) -> tuple[list[str], list[str]]:
    """The statements of import: the standard library's, then the others."""
    writer.scope.imports.add("numpy")
    standard, others = (
        [unparse(gast.Module([each], [])).strip() for each in section]
        for section in imports_of(writer.scope.imports)
    )
    for line in sorted(more - {*standard, *others}):
        root = line.split()[1].partition(".")[0]
        (others if root in ("numpy", "scipy") else standard).append(line)
    if writer.scope.data:
        standard.append("from pathlib import Path")
    if any("Callable" in each.text for each in writer.written):
        standard.append("from collections.abc import Callable")
    key = lambda line: (line.startswith("from"), line)  # noqa: E731
    return sorted(standard, key=key), sorted(others, key=key)
