"""``Declaring``: functions with their first line and docstring, as text."""

from collections.abc import Sequence
from dataclasses import dataclass

import gast

from srcgrad.emit.syntax import Comment
from srcgrad.tracing.export import sections
from srcgrad.tracing.export.bodies import body_text
from srcgrad.tracing.export.inputs import Inputs
from srcgrad.tracing.export.parameters import numbers_in
from srcgrad.tracing.export.results import Made


@dataclass(frozen=True)
class Written:
    """A function as text, and what it returns; None: it is for the others alone."""

    name: str
    text: str
    made: Made | None = None


class Declaring:
    """Declares functions that are called alike; the first tells of the parameters.

    Attributes
    ----------
    inputs : Inputs
        What they compute with.
    """

    def __init__(self, inputs: Inputs) -> None:
        self.inputs = inputs
        self._first = ""

    def function(
        self,
        name: str,
        says: str,
        made: Made,
        names: Sequence[dict[str | None, str]],
        body: Sequence[gast.stmt],
    ) -> Written:
        """A function that is called as all are.

        ``names`` has what its body calls the inputs, if it takes them apart.
        """
        about = [f"    The parameters are those of `{self._first}`."]
        if not self._first:
            self._first = name
            about = [f"    {each}".rstrip() for each in self._about_parameters()]
        lines = [
            sections.definition(
                name, self.inputs.parameters.signature, made.annotation
            ),
            sections.paragraph(f'"""{says}', "    "),
            "",
            *about,
            "",
            *(f"    {each}" for each in self._about_result(made)),
            '    """',
            *(self.inputs.taken_apart(each) for each in names),
            *[""] * (bool(names) and isinstance(body[0], Comment)),
            body_text(body),
        ]
        return Written(name, "\n".join(lines), made)

    def _about_parameters(self) -> list[str]:
        lines = ["Parameters", "----------"]
        paths = self.inputs.parameters.paths
        for parameter, tree in self.inputs.parameters.trees.items():
            if type(tree) is int:
                lines.append(f"{parameter} : {self.inputs.described(tree)}")
                continue
            lines.append(f"{parameter} : {type(tree).__name__}")
            lines += [
                f"    `{paths[number]}` is {self.inputs.described(number)}"
                for number in numbers_in(tree)
            ]
        return lines

    def _about_result(self, made: Made) -> list[str]:
        """What the docstring says of the result."""
        lines = ["Returns", "-------", *(f"{name}{what}" for name, what in made.leaves)]
        for length in self.inputs.open_lengths:
            lines = [line.replace(f"shape ({length},", "shape (n,") for line in lines]
        return lines
