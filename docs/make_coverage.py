"""Print what srcgrad does with each public function of NumPy and SciPy.

    python docs/make_coverage.py         write the tables of docs/coverage.md anew

The classes come from the live tables: the rules, the compositions, the functions that
write in place, the facts. Nothing about a single function is written down here.
"""

import importlib
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import MethodType
from typing import Any, NamedTuple

import numpy as np
import scipy

from srcgrad import Variable
from srcgrad.facts import UNKNOWN, facts_of
from srcgrad.protocols import NDARRAY_METHODS
from srcgrad.rules import COMPOSITIONS, PRIMITIVES
from srcgrad.rules.libraries import (
    REFUSED,
    REPLACEMENTS,
    has_replacement,
    load_chapters,
)
from srcgrad.rules.scipy.stats.distributions import WITHOUT_DENSITY
from srcgrad.rules.scipy.without import OBJECTS
from srcgrad.tape.inplace_functions import WRITERS
from srcgrad.tracing.arrays.replacements import REPLACEMENTS as IN_FOLLOWED

PAGE = Path(__file__).parent / "coverage.md"
BEGIN, END = "<!-- tables: begin -->\n", "<!-- tables: end -->\n"

NUMPY = (
    "numpy",
    "numpy.linalg",
    "numpy.fft",
    "numpy.lib.scimath",
    "numpy.lib.stride_tricks",
    *(
        f"numpy.polynomial.{name}"
        for name in "polynomial chebyshev legendre hermite hermite_e laguerre".split()
    ),
)
SCIPY = tuple(
    f"scipy.{name}"
    for name in "special linalg stats stats.contingency stats.qmc signal "
    "signal.windows fft ndimage interpolate integrate optimize spatial "
    "spatial.distance sparse sparse.linalg cluster.vq cluster.hierarchy "
    "constants".split()
)

DIFFERENTIABLE = "differentiable"
CONSTANT = "zero gradient"
NOT_NUMERIC = "not numeric"
WITHOUT = "refused"
MISSING = "no rule"

# What distributions and the like are asked for.
METHODS_OF_OBJECTS = (
    *"logpdf pdf logcdf cdf logsf sf ppf isf logpmf pmf".split(),
    *"mean mode var std cov entropy".split(),
)


class Entry(NamedTuple):
    """What is known of a function: its class, and a remark for the table."""

    kind: str
    remark: str = ""


# ----- Classes -----


def classify(function: Callable[..., Any]) -> Entry:
    """The class of a function, from the tables."""
    known = facts_of(function)
    primitive = PRIMITIVES.get(function)
    if primitive is not None and primitive.rules:
        return Entry(DIFFERENTIABLE, ", ".join(f"`{name}`" for name in primitive.rules))
    if function in COMPOSITIONS:
        return Entry(DIFFERENTIABLE, "by functions that it is made of")
    if function in REFUSED:
        return Entry(WITHOUT, REFUSED[function])
    if names := [name for name in METHODS_OF_OBJECTS if has_rules(function, name)]:
        return Entry(DIFFERENTIABLE, "its " + ", ".join(f"`{name}`" for name in names))
    if function in REPLACEMENTS:
        return Entry(DIFFERENTIABLE, "in what its algorithm depends on")
    if function in WRITERS:
        return Entry(DIFFERENTIABLE, "in place, on Variables")
    if known.calls and known is not UNKNOWN and function.__module__ == "numpy":
        return Entry(DIFFERENTIABLE, "by the function that it is given")
    is_made = known.creates or known.about == "ndarrays" or isinstance(function, type)
    kinds = np.integer, np.bool_
    has_no_slope = isinstance(function, type) and issubclass(function, kinds)
    if function in IN_FOLLOWED and is_made and not has_no_slope:
        return Entry(DIFFERENTIABLE, "in a traced function or a transform")
    if isinstance(function, type):
        return classify_class(function)
    if known.about:
        return Entry(NOT_NUMERIC, known.about)
    if known.of_metadata:
        return Entry(NOT_NUMERIC, "of shapes and dtypes alone")
    if known.creates:
        return Entry(NOT_NUMERIC, "makes an array out of shapes and plain numbers")
    if primitive is not None:
        return Entry(CONSTANT)
    return Entry(MISSING)


def classify_class(item: type) -> Entry:
    """The class of a class: SciPy's are named one by one, none is passed over."""
    if issubclass(item, BaseException):
        return Entry(NOT_NUMERIC, "an error or a warning")
    if issubclass(item, np.generic):
        return Entry(NOT_NUMERIC, "a kind of number")
    if item.__module__.partition(".")[0] == "numpy":
        return Entry(NOT_NUMERIC, "a class")
    for groups in OBJECTS.values():
        for why, names in groups.items():
            if item.__name__ in names.split():
                return Entry(NOT_NUMERIC, why)
    return Entry(MISSING)


def has_rules(item: object, name: str) -> bool:
    """Whether a method of an object has rules."""
    method = getattr(item, name, None)
    if name in ("logpdf", "pdf") and getattr(item, "name", "") in WITHOUT_DENSITY:
        return False
    return isinstance(method, MethodType) and has_replacement(method)


def classify_member(name: str) -> Entry:
    """The class of a method or attribute of ndarrays: what it does on a Variable."""
    if name in NDARRAY_METHODS:
        return classify(NDARRAY_METHODS[name])
    for args in ((), (0,), (2, 1), (np.float32,), (0, 0.0), ([True, False],)):
        variable = Variable(np.ones((2, 1)), requires_grad=True) * 1.0
        before = variable.grad_fn
        try:
            member = getattr(variable, name)
            with warnings.catch_warnings():  # numbers that leave the graph
                warnings.simplefilter("ignore", RuntimeWarning)
                result = member(*args) if callable(member) else member
        except AttributeError:
            return Entry(NOT_NUMERIC, f"memory or files: use `.data.{name}`")
        except (TypeError, ValueError):  # other arguments may fit
            continue
        if variable.grad_fn is not before:
            return Entry(DIFFERENTIABLE, "in place")
        if isinstance(result, Variable):
            return Entry(DIFFERENTIABLE)
        return Entry(NOT_NUMERIC, "a plain result")
    return Entry(MISSING)


# ----- What there is -----


def public(module: str) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The public callables of a module, in the order of the alphabet."""
    imported = importlib.import_module(module)
    load_chapters()
    # SciPy's modules have what they import among their names.
    named = getattr(imported, "__all__", None) if module in SCIPY else None
    names = set(named or dir(imported))
    for name in sorted(names, key=lambda name: (name.lower(), name)):
        member = getattr(imported, name)
        if not name.startswith("_") and callable(member):
            yield name, member


def entries(module: str) -> dict[str, Entry]:
    """The public functions and classes of a module."""
    return {name: classify(member) for name, member in public(module)}


def members() -> dict[str, Entry]:
    """The methods and attributes of ndarrays."""
    names = (name for name in dir(np.ndarray) if not name.startswith("_"))
    return {name: classify_member(name) for name in sorted(names, key=str.lower)}


# ----- The page -----


def table(title: str, found: dict[str, Entry]) -> str:
    """One section of the page."""
    count = sum(entry.kind == DIFFERENTIABLE for entry in found.values())
    lines = [
        f"### {title}\n",
        f"{len(found)} functions and classes, {count} differentiable.\n",
    ]
    lines += ["| function | class | in, by, or why |", "|---|---|---|"]
    lines += [f"| `{name}` | {kind} | {why} |" for name, (kind, why) in found.items()]
    return "\n".join(lines) + "\n"


def tables() -> str:
    """All that stands between the marks."""
    parts = [f"As of NumPy {np.__version__} and SciPy {scipy.__version__}:\n"]
    parts += [table(module, entries(module)) for module in NUMPY]
    parts.append(table("numpy.ndarray", members()))
    parts += [table(module, entries(module)) for module in SCIPY]
    return "\n".join(parts)


def versions_of_page() -> list[str]:
    """The NumPy and the SciPy that the tables are of, without their last numbers."""
    text = (
        PAGE.read_text(encoding="utf-8").partition("As of NumPy ")[2].partition(":")[0]
    )
    return [version.rpartition(".")[0] for version in text.split(" and SciPy ")]


def is_current() -> bool:
    """Whether they are of the NumPy and the SciPy that are installed."""
    installed = np.__version__, scipy.__version__
    pairs = zip(installed, versions_of_page(), strict=True)
    return all(version.startswith(f"{known}.") for version, known in pairs)


def page() -> str:
    """The page with its tables as they would be written now."""
    text = PAGE.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    return head + BEGIN + "\n" + tables() + "\n" + END + rest.partition(END)[2]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
