"""From syntax tree to text: as ``ruff format`` would leave it.

What it prints parses back to the same tree. A tree may hold comments and blank lines,
which syntax trees lack.

>>> import gast
>>> tree = gast.parse("def f(x):\\n    return (x + 1)*2")
>>> tree.body[0].body.insert(0, Comment("twice the next"))
>>> print(unparse(tree), end="")
def f(x):
    # twice the next
    return (x + 1) * 2
"""

from typing import Any

import gast

from srcgrad.emit.breaking import (
    BRACKETS,
    INDENT,
    WIDTH,
    enclosed,
    exploded,
    fitted,
    placed,
)
from srcgrad.emit.one_line import Printer, text
from srcgrad.emit.syntax import Comment


def unparse(tree: gast.Module) -> str:
    """Print a module.

    A long one is written to a list of lines, in time that is linear in its length.
    """
    printer = Unparser()
    printer.dispatch(tree)
    return "".join(printer.parts).lstrip("\n") + "\n"


class Unparser(Printer):
    """Prints statements; those that generated code has know how to break."""

    @property
    def indent(self) -> int:
        return INDENT * self._indent

    def line(self, start: str, value: gast.expr, end: str = "") -> None:
        """Print a statement of one expression between two pieces of text."""
        at = INDENT * self._indent
        line = f"{' ' * at}{start}{text(value)}{end}"
        if len(line) > WIDTH:
            flat = placed(value, at, at + len(start), len(end))
            line = f"{' ' * at}{start}{flat}{end}"
        self.write(f"\n{line}")

    def _Comment(self, tree: Comment) -> None:
        self.fill(f"# {tree.text}")

    def _BlankLine(self, tree: gast.stmt) -> None:
        self.write("\n")

    def _Expr(self, tree: gast.Expr) -> None:
        value = tree.value
        if isinstance(value, gast.Constant) and isinstance(value.value, str):
            self.fill(docstring(value.value))
        else:
            self.line("", value)

    def _Assign(self, tree: gast.Assign) -> None:
        first, value = tree.targets[0], tree.value
        is_single = type(first) is gast.Name and len(tree.targets) == 1
        if is_single and type(value) is not gast.Tuple:  # as most are
            self.line(f"{first.id} = ", value)
            return
        *others, last = (bare(target) for target in tree.targets)
        start = "".join(f"{target} = " for target in others)
        line = f"{start}{last} = {bare(tree.value)}"
        if isinstance(tree.value, gast.Tuple) and self.indent + len(line) <= WIDTH:
            self.fill(line)
        else:
            self._bound(start, tree.targets[-1], " = ", tree.value)

    def _bound(
        self, start: str, target: gast.expr, sign: str, value: gast.expr, end: str = ""
    ) -> None:
        """Print what binds names to a value: the names break too, if they must."""
        line = f"{start}{bare(target)}{sign}"
        is_long = self.indent + len(line) + len("(") > WIDTH
        if not is_long or not isinstance(target, gast.Tuple):
            self.line(line, value, end)
            return
        self.fill(f"{start}({exploded(target.elts, self.indent)}")
        at = self.indent + len(f"){sign}")
        self.write(f"){sign}{placed(value, self.indent, at, len(end))}{end}")

    def _Return(self, tree: gast.Return) -> None:
        if tree.value is None:
            self.fill("return")
        elif isinstance(tree.value, gast.Tuple) and tree.value.elts:
            self.fill("return " + self._results(tree.value))
        else:
            self.line("return ", tree.value)

    def _results(self, tree: gast.Tuple) -> str:
        """The results of a function; the first or the last is often a tuple itself."""
        flat = bare(tree)
        at = self.indent + len("return ")
        if at + len(flat) <= WIDTH:
            return flat
        if len(tree.elts) != 2 or not _is_breakable(*tree.elts):
            return f"({exploded(tree.elts, self.indent)})"
        first, second = tree.elts
        trail = len(", (") if _has_elements(second) else len(", ") + len(text(second))
        part = fitted(first, self.indent, at, trail)
        _, newline, last = part.rpartition("\n")
        at = len(last) + len(", ") + (0 if newline else at)
        return f"{part}, {fitted(second, self.indent, at)}"

    def _If(self, tree: gast.If) -> None:
        start = "if "
        while True:
            self.line(start, tree.test, ":")
            self._block(tree.body)
            if len(tree.orelse) != 1 or not isinstance(tree.orelse[0], gast.If):
                break
            start, tree = "elif ", tree.orelse[0]
        if tree.orelse:
            self.fill("else:")
            self._block(tree.orelse)

    def _For(self, tree: gast.For) -> None:
        self._bound("for ", tree.target, " in ", tree.iter, ":")
        self._block(tree.body)
        if tree.orelse:
            self.fill("else:")
            self._block(tree.orelse)

    def _While(self, tree: gast.While) -> None:
        self.line("while ", tree.test, ":")
        self._block(tree.body)

    def _With(self, tree: gast.With) -> None:
        self.line("with ", tree.items[0].context_expr, ":")
        self._block(tree.body)

    def _block(self, body: list[gast.stmt]) -> None:
        self._indent += 1
        self.dispatch(body)
        self._indent -= 1

    def _FunctionDef(self, tree: Any) -> None:
        if tree.decorator_list or tree.returns:
            super()._FunctionDef(tree)
            return
        self.write("\n\n" if not self._indent else "\n")
        start = f"def {tree.name}("
        parameters = text(tree.args)
        if self.indent + len(start) + len(parameters) + len("):") > WIDTH:
            plain = tree.args.args
            parameters = enclosed(plain, self.indent) if plain else parameters
        self.fill(f"{start}{parameters}):")
        self._block(tree.body)


def bare(tree: gast.expr) -> str:
    """Print an expression; a tuple without its parentheses, but `(x,)` with them."""
    flat = text(tree)
    if isinstance(tree, gast.Tuple) and len(tree.elts) > 1:
        return flat[1:-1]
    return flat


def docstring(value: str) -> str:
    """A string in triple quotes, its line breaks kept."""
    # With a double quote in it, `repr` takes single quotes, and escapes these only.
    lines = (repr(f'"{line}')[2:-1] for line in value.split("\n"))
    body = "\n".join(lines).replace("\\'", "'")
    if '"""' in body or body.endswith('"'):
        body = body.replace('"', '\\"')
    return f'"""{body}"""'


def _is_breakable(first: gast.expr, second: gast.expr) -> bool:
    """Whether two results need no parentheses around them to stand on several lines."""
    return all(isinstance(e, (gast.Name, *BRACKETS)) for e in (first, second)) and (
        _has_elements(first) or _has_elements(second)
    )


def _has_elements(tree: gast.expr) -> bool:
    return isinstance(tree, gast.Tuple) and bool(tree.elts)
