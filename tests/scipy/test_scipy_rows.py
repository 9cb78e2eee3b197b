"""What SciPy's classes and functions give, and their derivatives: ``rows.txt``.

    == pieces: interpolate                   a module, and what of SciPy's it is
    C, X = np.array([1.0, -0.5]), ...        what its rows share, up to a blank line

    interpolate.PPoly(C, X)(P, n)  # by C, X; twice; for n in (0, 1)
    interpolate.BPoly(C, X).roots()  # by C; refused: no roots

A row is an expression, after statements if need be, and goes on in indented lines. It
is differentiated in what stands after ``by``, and then four things hold: with arrays it
is SciPy's result; with Variables, and traced, it has the same values; the gradients are
those of differences, and ``twice`` those of the gradients; traced, the gradients are
the same. ``value``: without gradients; ``untraced``: not traced; ``rtol=1e-3``: an
option of ``gradcheck``; ``near=1e-6``: how near values are. ``refused: text`` is a
``NoRuleError``, ``raises: text`` any other error. Without ``by`` it is SciPy's own.
"""

import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy
import scipy.sparse.linalg
import scipy.spatial.transform
import srcgrad.scipy.sparse.linalg
import srcgrad.scipy.spatial.transform

import srcgrad
from srcgrad.checking import gradcheck, gradgradcheck
from tests.one_liners import define, execute

# SciPy warns of its own results, too.
pytestmark = pytest.mark.filterwarnings("ignore::scipy.signal.BadCoefficients")

FOLDER = Path(__file__).parent
ROOMS = "integrate interpolate linalg optimize signal sparse spatial special stats"


class Row(NamedTuple):
    module: str
    setup: str
    text: str
    by: list[str]
    holds: list[str]
    name: str  # of what it is made for, and each value
    value: str

    def __str__(self):
        return f"{self.module}: {self.text[:60]} {self.value}"

    def function(self, package):
        """The row as a function of what it is differentiated in, and these."""
        names: dict[str, Any] = {
            "np": np,
            "scipy": scipy,
            "nan": np.nan,
            "inf": np.inf,
            "array": np.array,
        }
        names |= {room: getattr(package, room) for room in ROOMS.split()}
        execute(self.setup, "setup", names)
        if self.name:
            names[self.name] = eval(self.value, names)
        args = tuple(names[name] for name in self.by)
        define("row", ", ".join(self.by), self.text, names)
        return names["row"], args


def rows():
    for path in sorted(FOLDER.rglob("rows.txt")):
        _, *sections = re.split(r"^== ", path.read_text(encoding="utf-8"), flags=re.M)
        for section in sections:
            head, _, body = section.partition("\n")
            setup, _, body = body.partition("\n\n")
            for line in re.sub(r"\n +", " ", body).splitlines():
                if line and not line.startswith("#"):
                    yield from expanded(head.partition(":")[0], setup + "\n", line)


def expanded(module, setup, line):
    text, _, options = line.rpartition(" # ") if " # " in line else (line, "", "")
    by, holds, name, values = [], [], "", [""]
    for option in filter(None, options.split("; ")):
        if option.startswith("by "):
            by = option[3:].split(", ")
        elif match := re.fullmatch(r"for (\w+) in (.*)", option):
            name, values = match[1], [repr(each) for each in eval(match[2], {"np": np})]
        else:
            holds.append(option)
    for value in values:
        yield Row(module, setup, text, by, holds, name, value)


def leaves(found):
    """The numbers and arrays of a result, as they are without Variables."""
    if isinstance(found, (tuple, list)):
        return [leaf for item in found for leaf in leaves(item)]
    if isinstance(found, srcgrad.Variable):
        return [found.data]
    return [found] if isinstance(found, (np.ndarray, np.number, float, int)) else []


def gradients(function, args):
    """Values and gradients of all the results, added up."""
    variables = [srcgrad.Variable(np.array(arg), requires_grad=True) for arg in args]
    found = function(*variables)
    for out in found if isinstance(found, (tuple, list)) else [found]:
        if isinstance(out, srcgrad.Variable) and out.requires_grad:
            out.backward(np.ones(out.shape, out.dtype), retain_graph=True)
    grads = [0.0 if each.grad is None else each.grad.data for each in variables]
    return leaves(found), grads


def same(found, expected, near):
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, 1e-7, near)


def along(function, args):
    """A function of many numbers as one of two, that move them all their own way."""
    args = [np.asarray(arg) for arg in args]
    if sum(arg.size for arg in args) <= 4:
        return function, args
    rng = np.random.default_rng(0)
    ways = [rng.uniform(0.5, 1.5, (2, *arg.shape)) for arg in args]
    ways = [
        way * rng.choice([-1.0, 1.0, *[1j, -1j] * np.iscomplexobj(arg)], way.shape)
        for way, arg in zip(ways, args, strict=True)
    ]

    def moved(steps):
        return function(
            *(
                arg + steps[0] * first + steps[1] * second
                for arg, (first, second) in zip(args, ways, strict=True)
            )
        )

    return moved, [np.zeros(2)]


@pytest.mark.parametrize("row", [*rows()], ids=str)
def test_rows(row):
    options = dict(each.split("=") for each in row.holds if re.match(r"\w+=", each))
    numbers = {name: float(value) for name, value in options.items()}
    near = numbers.pop("near", 1e-9)
    function, args = row.function(srcgrad.scipy)
    for held in row.holds:
        how, _, message = held.partition(": ")
        if how in ("refused", "raises"):
            kind = srcgrad.NoRuleError if how == "refused" else Exception
            variables = [srcgrad.Variable(arg, requires_grad=True) for arg in args]
            with pytest.raises(kind, match=message):
                function(*variables)
            return
    original, _ = row.function(scipy)
    expected, plain = original(*args), function(*args)
    assert isinstance(plain, type(expected))
    same(leaves(plain), leaves(expected), 0.0)
    if not row.by:
        return
    values, grads = gradients(function, args)
    same(values, leaves(expected), near)
    if "untraced" not in row.holds:
        traced = srcgrad.trace(original)
        for _ in range(2):
            ours, slopes = gradients(traced, args)
            same(ours, leaves(expected), near)
            same(slopes, grads, 1e-6)
    if "value" in row.holds:
        return
    function, args = along(function, args)
    assert gradcheck(function, args, **numbers)
    if "twice" in row.holds:
        assert gradgradcheck(function, args, **numbers)
