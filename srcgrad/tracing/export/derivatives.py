"""``Derived``: the derivative in a module, how it is told of, loaded and checked."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from srcgrad.pytree import unflatten
from srcgrad.tracing.export import sections
from srcgrad.tracing.export.gradient_checks import gradient_check
from srcgrad.tracing.export.parameters import Parameters
from srcgrad.tracing.export.writing import ModuleWriter
from srcgrad.tracing.serving.trace import Trace


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

    def check(self, writer: ModuleWriter, is_symmetric: bool) -> str:
        """The function that compares it with differences, if there is one."""
        is_wide = self.form in ("jacobian", "hessian")
        if not self.form or (is_wide and type(self.tree) is not int):
            return ""
        return gradient_check(
            *(writer.parameters, writer.names[0], self.name, self.form),
            *(self.tree, self.part, self.value_part),
            outputs=writer.outputs,
            is_symmetric=is_symmetric,
        )


def of_forward_backward(writer: ModuleWriter, trace: Trace) -> Derived | None:
    """That of a traced function."""
    if writer.gradients is None:
        return None
    names, by = writer.names, [*writer.gradients_by]
    is_grad = f"{names[0]}_grad" in names
    form = "grad" if is_grad else "vjp" if _is_real(trace, writer) else ""
    return Derived(form, names[1], by, len(by) == 1, writer.gradients)


def of_transform(writer: ModuleWriter, trace: Trace, checked: Any) -> Derived | None:
    """That of a transform, by what this says itself (``Transform.checked_by``)."""
    if checked is None:
        return None
    trees, by = differentiated(writer.parameters, trace, checked)
    tree = trees[0] if checked.is_single else tuple(trees)
    return Derived(
        *(checked.form, writer.names[1], by, checked.is_single, tree),
        *(checked.part, checked.value_part),
    )


def differentiated(
    parameters: Parameters, trace: Trace, checked: Any
) -> tuple[list[Any], list[str]]:
    """What is differentiated by: the numbers of the leaves, and the parameters."""
    kinds = trace.about.arguments
    assert kinds is not None
    args, kwargs, _ = unflatten(kinds.structure, range(len(kinds.leaves)))
    trees = [[*args, *kwargs.values()][k] for k in checked.places]
    pairs = [*parameters.trees.items()]
    return trees, [name for each in trees for name, tree in pairs if tree == each]


def _is_real(trace: Trace, writer: ModuleWriter) -> bool:
    """Whether the way back of a traced function can be checked along one direction."""
    kinds = [dtype.kind for _, dtype in trace.gradients.metas]
    leaves = [leaf for leaf in writer.parameters.leaves if leaf.has_grad]
    kinds += [leaf.dtype.kind for leaf in leaves if leaf.dtype is not None]
    return bool(writer.outputs) and {*kinds} == {"f"}
