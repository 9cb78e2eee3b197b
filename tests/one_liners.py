"""Functions as text, one a line: ``name: m = np.max(z); m + np.exp(z - m)``."""

import ast
import itertools
import linecache

import numpy as np

NUMBERS = itertools.count()


def one_liners(text, parameters, **names):
    """The functions in a text; what comes last is returned, and an indented line
    goes on with the one before. They know each other, and the names that are given.
    """
    namespace = {"np": np, **names}
    lines = text.replace("\n ", " ").splitlines()
    for name, _, body in (line.partition(": ") for line in lines if line):
        define(name, parameters, body, namespace)
    return [namespace[line.partition(": ")[0]] for line in lines if line]


def function(head, lines, **names):
    """The function with a head, as ``f(x, n)``, and lines, which knows some names."""
    body, namespace = "".join(f"    {line}\n" for line in lines), {"np": np, **names}
    execute(f"def {head}:\n{body}", head, namespace)
    return namespace[head.partition("(")[0]]


def define(name, parameters, body, namespace):
    """Define a function that can be traced: its source is found, as that of a file."""
    *lines, last = ast.parse(body).body
    assert isinstance(last, ast.Expr), body
    lines = [*map(ast.unparse, lines), f"return {ast.unparse(last.value)}"]
    body = "".join(f"    {each}\n" for each in lines)
    execute(f"def {name}({parameters}):\n{body}", name, namespace)


def execute(source, name, namespace):
    """Run statements whose source is found, as that of a file; give the names."""
    filename = f"<{name}, {next(NUMBERS)}>"
    linecache.cache[filename] = len(source), None, source.splitlines(True), filename
    exec(compile(source, filename, "exec"), namespace)
    return namespace
