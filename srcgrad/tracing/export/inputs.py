"""``Inputs``: what the functions of an exported module compute with.

Most are in the arguments; what was found in the environment is a constant, or a further
parameter if it has a gradient.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from srcgrad.emit.lower import scope_of
from srcgrad.emit.names import identifier
from srcgrad.graph import Graph
from srcgrad.protocols import raw_of
from srcgrad.steps import Value
from srcgrad.tracing.environment.references import Reference
from srcgrad.tracing.export import environment_reads, sections
from srcgrad.tracing.export.bodies import WHEN, distinct
from srcgrad.tracing.export.dtypes import dtype_text
from srcgrad.tracing.export.parameters import (
    Parameters,
    described,
    key_text,
    leaf_annotation,
)
from srcgrad.tracing.export.public import Public
from srcgrad.tracing.export.scope import ExportScope
from srcgrad.tracing.serving.argument_kinds import LeafKind

# What an exported module has for itself, beside its functions.
RESERVED = frozenset(
    "Callable Path _arguments _array _number _refuse_nan check_gradient data example "
    "pullback saved".split()
)
PUBLIC_SUFFIXES = ("", "_grad", "_value_and_grad", "_vjp")
# The kinds of arguments that a graph computes with.
COMPUTED_WITH = ("array", "scalar", "float")


class Inputs:
    """The inputs of some functions that are called alike.

    Attributes
    ----------
    parameters : Parameters
        How they are called.
    scope : ExportScope
        The module around them.
    sources : list of list
        For each function, the expressions of its inputs in terms of the parameters;
        None for those that are constants.
    added : dict
        The leaves that parameters were added for, by their numbers in the trace.
    """

    def __init__(self, parameters: Parameters, functions: Sequence[Public]) -> None:
        self.parameters = parameters
        self._count = len(parameters.leaves)
        self.scope: ExportScope = scope_of(ExportScope, [*_graphs(functions)])
        own = {
            f"{each.name}{suffix}" for each in functions for suffix in PUBLIC_SUFFIXES
        }
        for taken in sorted(RESERVED | own):
            self.scope.names.reserve(taken)
        self.scope.keep_for(parameters.trees)
        self.added: dict[int, int] = {}
        kinds = [_kinds_of(functions, k) for k in range(self._count)]
        # How long arrays of any length were in the calls that were recorded.
        self.open_lengths = {
            leaf.shape[0] for each in kinds for leaf, is_open in each if is_open
        }
        fixed = [min(each, key=_how_open) for each in kinds]
        parameters.leaves[:] = [leaf for leaf, _ in fixed]
        # By the expression that finds an input, what it is, and if its length is open.
        self._kinds: dict[str, tuple[LeafKind, bool]] = {
            path: kind
            for path, kind in zip(parameters.paths, fixed, strict=True)
            if kind[0].kind in COMPUTED_WITH
        }
        for number in parameters.fixed:
            self._kinds.pop(parameters.paths[number], None)
        self._asked: dict[str, environment_reads.Asked] = {}
        self.sources = [self._sources(each) for each in functions]

    def _sources(self, public: Public) -> list[str | None]:
        """The expressions of a function's inputs; None for those that are constants."""
        trace, parameters = public.trace, self.parameters
        environment = trace.guards.environment
        environment_reads.check(environment)
        for asked in environment_reads.asked(
            environment, parameters.paths, parameters.fixed
        ):
            self._asked[asked.test] = asked
        found: list[str | None] = []
        for number, position in enumerate(trace.interface.positions):
            value = public.partition.forward.inputs[number]
            path: str | None
            if position in parameters.fixed:
                item, hint = public.leaves[position], parameters.paths[position]
                path = self._constant(item, hint, value, position)
            elif position < self._count:
                path = parameters.paths[position]
            else:
                place = environment.taken[position - self._count]
                item = public.found[position - self._count]
                path = self._of_environment(place, item, value, position)
            found.append(path)
        return found

    def _of_environment(
        self, place: Reference, item: Any, value: Value, position: int
    ) -> str | None:
        if not environment_reads.is_in_argument(place, self.parameters.fixed):
            return self._constant(item, place.hint, value, position)
        path = environment_reads.expression(place, self.parameters.paths)
        self._kinds[path] = LeafKind.of(item), False
        return path

    def name_inputs(self, public: Public, sources: Sequence[str | None]) -> None:
        """Let those inputs that are parameters have their names."""
        inputs = public.partition.forward.inputs
        for value, source in zip(inputs, sources, strict=True):
            if source in self.parameters.trees:
                self.scope.names.share(value, source)

    def _constant(
        self, item: Any, hint: str, value: Value, position: int
    ) -> str | None:
        """Make an input a constant; if it has a gradient, a parameter."""
        leaf, hint = LeafKind.of(item), identifier(hint)
        if not leaf.has_grad:
            self.scope.constant(value, raw_of(item), hint)
            return None
        if position not in self.added:
            (hint,) = distinct(hint, 1, {*self.parameters.trees})
            self.scope.keep_for([hint])
            default = self.scope.fixed(raw_of(item), f"DEFAULT_{hint}")
            self.added[position] = self.parameters.add(hint, leaf, default)
            self._kinds[hint] = leaf, False
        return self.parameters.paths[self.added[position]]

    @property
    def arguments(self) -> str:
        """The function that takes all arguments apart, and checks them."""
        parameters = self.parameters
        lines = [
            sections.definition("_arguments", _plain(parameters.signature)),
            '    """Return what the functions compute with, or raise an error."""',
        ]
        for name, tree in parameters.trees.items():
            lines += container_checks(tree, name)
        for number, leaf in enumerate(parameters.leaves):
            if number not in parameters.fixed:
                lines += static_checks(parameters.paths[number], leaf)
        told = {f"len({path}) != {n}" for path, n in self._known_lengths()}
        for asked in self._asked.values():
            if asked.test.partition(" or ")[2] in told:
                continue
            lines.append(sections.raised(asked.test, f"{asked.reason} {WHEN}"))
        checks = [_checked(path, *kind) for path, kind in self._kinds.items()]
        if len(checks) == 1:
            lines.append(f"    return {checks[0]}")
        elif checks:
            inner = "".join(f"        {check},\n" for check in checks)
            lines.append(f"    return (\n{inner}    )")
        return "\n".join(lines) + "\n"

    def _known_lengths(self) -> Iterable[tuple[str, int]]:
        """The lengths that the checks of arrays ask for."""
        for path, (leaf, is_open) in self._kinds.items():
            if leaf.shape and not is_open:
                yield path, leaf.shape[0]

    @property
    def helpers(self) -> list[str]:
        """The functions that ``_arguments`` calls."""
        text = self.arguments
        is_open = any(is_open for _, is_open in self._kinds.values())
        arrays = sections.CHECK_OPEN if is_open else sections.CHECK_ARRAY
        found = [arrays] if "_array(" in text else []
        return [*found, sections.CHECK_NUMBER] if "_number(" in text else found

    def described(self, number: int) -> str:
        """A leaf of the parameters, as a docstring tells of it."""
        path, leaf = self.parameters.paths[number], self.parameters.leaves[number]
        return described(leaf, self._kinds.get(path, (leaf, False))[1])

    def taken_apart(self, names: dict[str | None, str]) -> str:
        """The statement that gets the inputs, by what a body calls them."""
        call = f"_arguments({self.parameters.passed_on})"
        targets = [names.get(path, "_") for path in self._kinds]
        if not {*targets} - {"_"}:
            return f"    {call}"
        return sections.assigned(targets, call)


def _kinds_of(functions: Sequence[Public], number: int) -> list[tuple[LeafKind, bool]]:
    """What a leaf is for each function, and if its length may be any."""
    found = []
    for each in functions:
        kinds, positions = each.trace.about.arguments, each.trace.interface.positions
        assert kinds is not None
        is_open = number in positions and (
            positions.index(number) in each.trace.about.open
        )
        found.append((kinds.leaves[number], is_open))
    return found


def _how_open(kind: tuple[LeafKind, bool]) -> tuple[bool, bool]:
    """Least for what is one value, or of one shape: all functions get that."""
    leaf, is_open = kind
    return is_open, leaf.kind == "int"


def _graphs(functions: Iterable[Public]) -> Iterable[Graph]:
    for each in functions:
        yield each.partition.forward
        if each.partition.backward is not None:
            yield each.partition.backward


def _plain(signature: Sequence[str]) -> list[str]:
    """Parameters without their types."""
    return [each.partition(":")[0] for each in signature]


def container_checks(tree: Any, path: str) -> list[str]:
    """The checks that containers hold what they held, and nothing else.

    >>> print(*container_checks({"w": (0, 1)}, "p"), sep="\\n")
        if p.keys() != {"w"}:
            raise ValueError("p must have the keys w: export again for others")
        if len(p["w"]) != 2:
            raise ValueError("p['w'] must have length 2: export again for another")
    """
    if type(tree) is int:
        return []
    told = path.replace('"', "'")
    if isinstance(tree, dict):
        keys = ", ".join(map(key_text, tree))
        test = f"{path}.keys() != {{{keys}}}" if tree else path
        listed = ", ".join(map(str, tree)) or "none"
        what = f"{told} must have the keys {listed}: export again for others"
        items = [*tree.items()]
    else:
        test = f"len({path}) != {len(tree)}"
        what = f"{told} must have length {len(tree)}: export again for another"
        items = [*enumerate(tree)]
    inner = [container_checks(part, f"{path}[{key_text(key)}]") for key, part in items]
    return [sections.raised(test, what), *(line for each in inner for line in each)]


def static_checks(path: str, leaf: LeafKind) -> list[str]:
    """The checks of an argument that a trace is made for by its value."""
    if leaf.kind == "int":
        test = f"isinstance({path}, bool) or not isinstance({path}, int)"
        return [sections.raised(test, f"{path} must be an int")]
    if leaf.kind != "static":
        return []
    value = leaf.value
    if value is None or isinstance(value, bool):
        test, told = f"{path} is not {value}", str(value)
    elif type(value) in (int, str):
        told = sections.quoted(value) if type(value) is str else repr(value)
        test = f"{path} != {told}"
    elif type(value) in (bytes, complex, range, slice):
        test, told = f"{path} != {value!r}", repr(value)
    elif callable(value) and hasattr(value, "__name__"):
        told = value.__name__
        test = f'getattr({path}, "__name__", None) != {sections.quoted(told)}'
    else:
        raise RuntimeError(
            f"it is made for one value of `{path}`, a {type(value).__name__}: hand "
            "over arrays and numbers"
        )
    return [sections.raised(test, f"{path} must be {told}: export again for another")]


def _checked(path: str, leaf: LeafKind, is_open: bool) -> str:
    """The call that checks one input."""
    told = sections.quoted(path.replace('"', "'"))
    if leaf.kind == "array":
        shape = (None, *leaf.shape[1:]) if is_open else leaf.shape
        return f"_array({told}, {path}, {dtype_text(leaf.dtype)}, {shape})"
    if path.startswith("float("):  # of an integer
        return path
    return f"_number({told}, {path}, {leaf_annotation(leaf)})"
