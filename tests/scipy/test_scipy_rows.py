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
option of ``gradcheck``; ``near=1e-6``: how near values are; ``quiet``: SciPy warns.
``slopes: 0.0, [1.0, nan]`` are the gradients where no difference can be taken, and
``constant``: there are none. ``refused: text`` is a ``NoRuleError``, ``raises: text``
any other error, in the call or on the way back; ``raises as SciPy``: type and text are
SciPy's. Without ``by`` it is SciPy's own.
"""

import builtins
import contextlib
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

TESTS = Path(__file__).parents[1]
ROOMS = (
    "integrate interpolate linalg ndimage optimize signal sparse spatial special stats"
)


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
    for path in sorted(TESTS.rglob("rows.txt")):
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


def parts(found):
    if hasattr(found, "pvalue"):
        return [found.statistic, found.pvalue]
    return found if isinstance(found, (tuple, list)) else [found]


def leaves(found):
    """The numbers and arrays of a result, as they are without Variables."""
    if isinstance(found, (tuple, list)) or hasattr(found, "pvalue"):
        return [leaf for item in parts(found) for leaf in leaves(item)]
    if isinstance(found, srcgrad.Variable):
        return [found.data]
    return [found] if isinstance(found, (np.ndarray, np.number, float, int)) else []


def kind(found):
    """Of a result of several values, its class."""
    is_several = isinstance(found, tuple) or hasattr(found, "pvalue")
    return type(found) if is_several else None


def gradients(function, args):
    """The result, and gradients of all that is in it, added up."""
    variables = [srcgrad.Variable(np.array(arg), requires_grad=True) for arg in args]
    found = function(*variables)
    for out in parts(found):
        if isinstance(out, srcgrad.Variable) and out.requires_grad:
            out.backward(np.ones(out.shape, out.dtype), retain_graph=True)
    grads = [0.0 if each.grad is None else each.grad.data for each in variables]
    return found, grads


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


def is_constant(found):
    """Whether no part of a result requires grad."""
    return not any(getattr(part, "requires_grad", False) for part in parts(found))


def check_error(row, how, message):
    function, args = row.function(srcgrad.scipy)
    if how == "raises as SciPy":
        with pytest.raises(Exception, match=r".") as expected:
            row.function(scipy)[0](*args)
        with pytest.raises(type(expected.value), match=re.escape(str(expected.value))):
            gradients(function, args)
        return
    kinds = {"refused": srcgrad.NoRuleError, "raises": Exception}
    kind = kinds.get(how) or getattr(builtins, how.removeprefix("raises "))
    with pytest.raises(kind, match=message):
        gradients(function, args)


def check_values(row, near):
    """Give the gradients of a row whose values are SciPy's, on the tape and traced."""
    function, args = row.function(srcgrad.scipy)
    original, _ = row.function(scipy)
    expected, plain = original(*args), function(*args)
    assert isinstance(plain, type(expected))
    same(leaves(plain), leaves(expected), 0.0)
    if not row.by:
        return None
    found, grads = gradients(function, args)
    assert kind(found) is kind(expected)
    same(leaves(found), leaves(expected), near)
    if "untraced" not in row.holds:
        traced = srcgrad.trace(original)
        for _ in range(2):
            ours, slopes = gradients(traced, args)
            same(leaves(ours), leaves(expected), near)
            same(slopes, grads, 1e-6)
    return grads


@pytest.mark.parametrize("row", [*rows()], ids=str)
def test_rows(row):
    options = dict(each.split("=") for each in row.holds if re.match(r"\w+=", each))
    numbers = {name: float(value) for name, value in options.items()}
    told = dict(each.partition(": ")[::2] for each in row.holds)
    quiet = np.errstate(all="ignore") if "quiet" in told else contextlib.nullcontext()
    for how in ("refused", *(each for each in told if each.startswith("raises"))):
        if how in told:
            check_error(row, how, told[how])
            return
    with quiet:
        grads = check_values(row, numbers.pop("near", 1e-9))
        function, args = row.function(srcgrad.scipy)
        if "slopes" in told:
            names = {"np": np, "nan": np.nan, "inf": np.inf}
            same(grads, eval(f"({told['slopes']},)", names), 1e-9)
        elif "constant" in told:
            variables = [srcgrad.Variable(arg, requires_grad=True) for arg in args]
            assert is_constant(function(*variables))
        elif row.by and "value" not in told:
            function, args = along(function, args)
            assert gradcheck(function, args, **numbers)
    if "twice" in told:
        assert gradgradcheck(function, args, **numbers)
