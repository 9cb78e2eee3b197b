"""Write ``docs/map.md``: every module of the package, by the first line of its text.

python docs/make_map.py
"""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "srcgrad"
PAGE = ROOT / "docs" / "map.md"

HEAD = """\
# The map

Every module, by the first line of its docstring. `python docs/make_map.py` writes this
page; change the docstring, not the page. Who may import whom is in
`tests/test_layers.py`, what happens to a program in [graphs.md](graphs.md).
"""


def first_line(path: Path) -> str:
    """The first line of a module's docstring, without its full stop."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert text, f"{path} has no docstring"
    return text.partition("\n")[0].removesuffix(".").replace("``", "`")


def rows(folder: Path) -> Iterator[str]:
    """The lines of a folder: its own modules, then each folder in it."""
    name = folder.relative_to(ROOT).as_posix()
    yield f"\n## {name}/\n"
    yield f"{first_line(folder / '__init__.py')}.\n"
    yield "| module | |\n|---|---|"
    for path in sorted(folder.glob("*.py")):
        if path.name != "__init__.py":
            yield f"| [{path.stem}](../{name}/{path.name}) | {first_line(path)} |"
    for inner in sorted(path.parent for path in folder.glob("*/__init__.py")):
        yield from rows(inner)


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *rows(PACKAGE)]).replace("\n\n\n", "\n\n") + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
