"""Programs of loops and branches: values and gradients are the tape's.

They stand in the folders' ``programs.txt``, below the module that they are about, a
line ``== module`` with what they share: ``points``, the arguments of the calls, and
``argnums``. What must hold beside stands in the title of a program, between ``;``:

- ``one trace``, ``2 traces``: so many have been made;
- ``has np.copy(``, ``lacks .copy()``: what the source has, and what not;
- ``1 x .append(``: how often the source has it;
- ``2 loops``: how many stand in ``forward`` and ``backward``, not in each other;
- ``1 list``: as many lists are filled by what runs on Python's floats;
- ``raises``: some calls raise what they raise untraced;
- ``tape``: it may be that no call is compiled.
"""

import linecache
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import srcgrad

FOLDER = Path(__file__).parent
START = "import math\nimport numpy as np\nimport srcgrad\nargnums = 0\n"


class Program(NamedTuple):
    module: str
    name: str
    holds: list[str]
    text: str

    def __str__(self):
        return f"{self.module}-{self.name}"

    def namespace(self):
        """What its text defines; the source is found, as that of a file."""
        filename = f"<{self}>"
        lines = self.text.splitlines(True)
        linecache.cache[filename] = len(self.text), None, lines, filename
        namespace = {}
        exec(compile(self.text, filename, "exec"), namespace)
        return namespace


def programs():
    for path in sorted(FOLDER.rglob("programs.txt")):
        _, *sections = re.split(r"^== ", path.read_text(encoding="utf-8"), flags=re.M)
        for section in sections:
            shared, *texts = re.split(r"^## ", section, flags=re.M)
            module, _, shared = shared.partition("\n")
            for text in texts:
                title, _, body = text.partition("\n")
                name, *holds = title.split("; ")
                yield Program(module, name, holds, START + shared + body)


def outcome(function, args):
    try:
        return function(*args)
    except (ArithmeticError, IndexError, ValueError) as error:
        return repr(error)


def leaves(found):
    """The numbers and arrays of a value and its gradients."""
    if isinstance(found, (tuple, list)):
        return [leaf for item in found for leaf in leaves(item)]
    return [found]


def check_title(program, ours):
    source = ours.source()
    code = "\n".join(line for line in source.splitlines() if "# " not in line)
    for held in program.holds:
        if match := re.fullmatch(r"(one|\d+) traces?", held):
            wanted = 1 if match[1] == "one" else int(match[1])
            assert ours.stats.traces == wanted, ours.explain()
        elif match := re.fullmatch(r"(\d+) loops?", held):
            on_arrays = code.partition("\ndef forward(")[2]
            found = re.findall(r"^    (?:for|while) ", on_arrays, flags=re.M)
            assert len(found) == int(match[1]), source
        elif match := re.fullmatch(r"(\d+) x (.*)", held):
            assert code.count(match[2]) == int(match[1]), source
        elif match := re.fullmatch(r"(\d+) lists?", held):
            on_floats = code.partition("\ndef forward(")[0]
            assert on_floats.count(".append(") == int(match[1]), source
        elif held not in ("raises", "tape"):
            how, _, part = held.partition(" ")
            assert (part in code) == {"has": True, "lacks": False}[how], source


@pytest.mark.parametrize("program", [*programs()], ids=str)
def test_values_and_gradients_are_the_tapes(program):
    names = program.namespace()
    ours = srcgrad.value_and_grad(names["f"], names["argnums"])
    theirs = srcgrad.value_and_grad(program.namespace()["f"], names["argnums"])
    for number, args in enumerate(names["points"]):
        args = args if isinstance(args, tuple) else (args,)
        with np.errstate(all="ignore"):
            expected = outcome(lambda *a: theirs.untraced(a, {}), args)
            found = outcome(ours, args)
        if isinstance(expected, str):
            assert "raises" in program.holds, expected
            assert found == expected, f"call {number}"
            continue
        for one, other in zip(leaves(found), leaves(expected), strict=True):
            assert type(one) is type(other), f"call {number}"
            np.testing.assert_allclose(one, other, 1e-9, 1e-12, err_msg=str(number))
    assert ours.stats.compiled or "tape" in program.holds, ours.explain()
    check_title(program, ours)
