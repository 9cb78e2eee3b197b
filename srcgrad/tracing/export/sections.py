"""The parts of an exported module that are the same in all, or near enough: as text."""

import ast
import json
import re
import textwrap
from collections.abc import Sequence

from srcgrad.emit.breaking import WIDTH

CHECK_ARRAY = '''\
def _array(name, value, dtype, shape):
    """Return an argument as an array, or raise if the functions are not for it."""
    array = np.asanyarray(value)
    if type(array) is not np.ndarray or array.dtype != dtype:
        raise TypeError(
            f"{name} must be an array of {np.dtype(dtype)}, but is a "
            f"{type(array).__name__} of {array.dtype}: convert it, or export again"
        )
    if array.shape != shape:
        raise ValueError(
            f"{name} must have shape {shape}, but has {array.shape}: export again for "
            "other shapes"
        )
    return array
'''

CHECK_OPEN = '''\
def _array(name, value, dtype, shape):
    """Return an argument as an array, or raise if the functions are not for it."""
    array = np.asanyarray(value)
    if type(array) is not np.ndarray or array.dtype != dtype:
        raise TypeError(
            f"{name} must be an array of {np.dtype(dtype)}, but is a "
            f"{type(array).__name__} of {array.dtype}: convert it, or export again"
        )
    pairs = zip(array.shape, shape, strict=False)
    if array.ndim != len(shape) or any(n not in (m, None) for m, n in pairs):
        raise ValueError(
            f"{name} must have shape {shape}, where None is any length, but has "
            f"{array.shape}: export again for other shapes"
        )
    return array
'''

CHECK_NUMBER = '''\
def _number(name, value, kind):
    """Return an argument as a number, or raise if the functions are not for it."""
    if isinstance(value, (str, bytes)) or np.ndim(value):
        raise TypeError(f"{name} must be a number, but is a {type(value).__name__}")
    return kind(value)
'''

REFUSE_NAN = '''\
def _refuse_nan(*gradients):
    """Raise if a gradient is nan, for it may come of zeros that go back for nothing."""
    if any(np.isnan(each).any() for each in gradients):
        raise ValueError(
            "a gradient is nan: zeros that went back through a loop or `if` may have "
            "met an infinite slope, where srcgrad itself has none"
        )
'''


def definition(id: str, parameters: Sequence[str], returns: str = "") -> str:
    """The first line of a function, on several if it is long.

    >>> print(definition("loss", ["x: np.ndarray"], "float"))
    def loss(x: np.ndarray) -> float:
    """
    arrow = f" -> {returns}" if returns else ""
    line = f"def {id}({', '.join(parameters)}){arrow}:"
    if len(line) <= WIDTH:
        return line
    inner = f"    {', '.join(parameters)}"
    if len(inner) <= WIDTH:
        return f"def {id}(\n{inner}\n){arrow}:"
    lines = "".join(f"    {each},\n" for each in parameters)
    return f"def {id}(\n{lines}){arrow}:"


def paragraph(words: str, indent: str = "") -> str:
    """Text in lines of the usual length."""
    return textwrap.fill(
        words,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def assigned(names: Sequence[str], value: str, indent: str = "    ") -> str:
    """An assignment to some names, which may need several lines.

    >>> print(assigned(["W", "b"], "_arguments(W, b)", ""))
    W, b = _arguments(W, b)
    """
    line = f"{indent}{', '.join(names)} = {value}"
    if len(names) == 1 or len(line) <= WIDTH:
        return line
    inner = "".join(f"{indent}    {each},\n" for each in names)
    return f"{indent}(\n{inner}{indent}) = {value}"


def raised(test: str, message: str) -> str:
    """A check: what is raised where a test is true.

    >>> print(raised("n != 3", "`n` was 3"))
        if n != 3:
            raise ValueError("`n` was 3")
    """
    return f"    if {test}:\n{error(message, ' ' * 8)}"


def error(message: str, indent: str) -> str:
    """``raise ValueError`` with a message, which may need several lines."""
    line = f"{indent}raise ValueError({quoted(message)})"
    if len(line) <= WIDTH:
        return line
    room = WIDTH - len(indent) - len('    ""')
    parts = textwrap.wrap(message, room, drop_whitespace=False, break_on_hyphens=False)
    inner = "\n".join(f"{indent}    {quoted(part)}" for part in parts)
    return f"{indent}raise ValueError(\n{inner}\n{indent})"


def with_short_errors(text: str) -> str:
    """Statements with their messages broken: a printer of trees leaves them long."""
    return RAISE.sub(lambda found: error(ast.literal_eval(found[2]), found[1]), text)


RAISE = re.compile(r"^( *)raise ValueError\((['\"].*['\"])\)$", re.M)


def quoted(text: str) -> str:
    """A text in double quotes, if that takes no backslashes.

    >>> print(quoted("x"), quoted('f["x"]'))
    "x" 'f["x"]'
    """
    if '"' in text and "'" not in text:
        return repr(text)
    return json.dumps(text, ensure_ascii=False)


def listed(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> listed(["W"]), listed(["W", "b", "x"])
    ('`W`', '`W`, `b` and `x`')
    """
    *first, last = (f"`{name}`" for name in names)
    return f"{', '.join(first)} and {last}" if first else last
