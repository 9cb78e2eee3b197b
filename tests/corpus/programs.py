"""The corpus: programs, the calls of them, and what must hold, as texts in `*.txt`.

A file begins with what all its programs share. A program begins with a line
`## what it is about (what must hold)` and defines `f`, which is called with `x`,
`*extra` and `**options`; `draws` times with what `draw(random)` gives, if it has that,
and differentiated `by` all of it or some places; by differences too if it `is_smooth`;
Each further part, after a line `--`, changes its world.

Always: traced as untraced, in all that can be seen. What must hold beside that:

- nothing: some calls are compiled;
- `(one trace)`, `(3 traces)`: all calls are, but so many, of which traces are made;
- `(tape)`: nothing, it is not compiled yet, or is not to be;
- `(refused: calls `open`)`: no call is compiled, and `explain()` says this, and where.
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
__random__ = np.random.default_rng(0)
"""
STARTED = compile(START, "<start>", "exec")
TITLE = re.compile(r"(.*?)(?: \((?:(tape)|(one|\d+) traces?|refused: (.*))\))?")


class Program(NamedTuple):
    """The text that makes a world, those that change it, and what must hold."""

    name: str
    setup: str
    changes: list[str]
    is_compiled: bool = True
    traces: int | None = None
    refused: str | None = None

    @property
    def draws(self) -> int:
        """How often it is called with other arguments; 0: its arguments are given."""
        counts = re.findall(r"^draws = (\d+)$", self.setup, flags=re.M)
        return int(counts[-1]) if counts else 0


class World:
    """The names of a program, and NumPy's global random numbers as it sees them.

    The state of these is a large one: only a program that names them has its own.
    """

    def __init__(self, program: Program) -> None:
        self.program, self.parts = program, 0
        self.results: list[Any] = []
        self.names: dict[str, Any] = {"__name__": "program_of_a_user"}
        texts = program.setup, *program.changes
        self.draws_globally = any("np.random" in text for text in texts)
        if self.draws_globally:
            self.random = np.random.RandomState(0).get_state()
        exec(STARTED, self.names)
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
        if self.draws_globally:
            self.outer = np.random.get_state()
            np.random.set_state(self.random)
        return self

    def __exit__(self, *details: Any) -> None:
        if self.draws_globally:
            self.random = np.random.get_state()
            np.random.set_state(self.outer)


def read(path: Path) -> dict[str, Program]:
    programs = {}
    shared, *texts = re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.M)
    for text in texts:
        line, _, body = text.partition("\n")
        setup, *changes = re.split(r"^--\n", body, flags=re.M)
        match = TITLE.fullmatch(line.strip())
        assert match is not None
        title, on_tape, count, refused = match.groups()
        name = f"{path.stem}: {title}"
        assert name not in programs, name
        traces = None if count is None else 1 if count == "one" else int(count)
        is_compiled = on_tape is None and refused is None
        programs[name] = Program(
            name, shared + setup, changes, is_compiled, traces, refused
        )
    return programs


PROGRAMS = {
    name: program
    for path in sorted(FOLDER.glob("*.txt"))
    for name, program in read(path).items()
}
