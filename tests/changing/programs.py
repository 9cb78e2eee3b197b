"""Programs with changes of their world between calls, as texts in `*.txt`.

A program begins with a line `## what it is about` and defines `f`, which is called
with `x`, `*extra` and `**options`. Each further part, after a line `--`, changes its
world. `(tape)` in its title: it is not compiled yet, or is not to be.
"""

import linecache
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

FOLDER = Path(__file__).parent
START = """\
import logging, math, warnings
import numpy as np
x = np.array([0.5, -1.0, 2.0])
extra, options = (), {}
"""


class Program(NamedTuple):
    """The text that makes a world, and those that change it."""

    name: str
    setup: str
    changes: list[str]
    is_compiled: bool


class World:
    """The names of a program, and NumPy's global random numbers as it sees them."""

    def __init__(self, program: Program) -> None:
        self.program, self.parts = program, 0
        self.results: list[Any] = []
        self.names: dict[str, Any] = {"__name__": "program_of_a_user"}
        self.random = np.random.RandomState(0).get_state()
        self.run(START)
        self.run(program.setup)
        self.function = self.names["f"]

    def run(self, text: str) -> None:
        # Traced functions are found in a file.
        filename = f"<{self.program.name}, part {self.parts}>"
        self.parts += 1
        linecache.cache[filename] = len(text), None, text.splitlines(True), filename
        with self:
            exec(compile(text, filename, "exec"), self.names)

    def __enter__(self) -> "World":
        self.outer = np.random.get_state()
        np.random.set_state(self.random)
        return self

    def __exit__(self, *details: Any) -> None:
        self.random = np.random.get_state()
        np.random.set_state(self.outer)


def read(path: Path) -> dict[str, Program]:
    programs = {}
    for text in re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.M)[1:]:
        title, _, body = text.partition("\n")
        setup, *changes = re.split(r"^--\n", body, flags=re.M)
        title, mark, _ = title.strip().partition(" (tape)")
        name = f"{path.stem}: {title}"
        assert name not in programs, name
        programs[name] = Program(name, setup, changes, not mark)
    return programs


PROGRAMS = {
    name: program
    for path in sorted(FOLDER.glob("*.txt"))
    for name, program in read(path).items()
}
