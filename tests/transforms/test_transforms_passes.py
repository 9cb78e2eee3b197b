"""What the passes make of small graphs: the texts in the folders' ``passes.txt``.

    == folding: fold_constants          a module, and the passes in their order
    x, c = f8(2), f8(2)                 what the programs read

    np.exp(c[::-1]) * x -> t_1 = multiply(t, x)      a program, and its graph afterwards
    = np.exp(x) * c                     one whose graph stays the same object

What comes last is returned; a long graph stands in the next lines, indented.
Inputs are called x, y, z, u, v, w; cotangents g, h; constants c, d, e. A program that
reads cotangents ends in a pair: outputs, gradients. ``in backward`` in a head says that
all runs in the backward pass, ``backward`` also that elsewhere it stays. The passes
keep what a graph computes. ``pytest --update-golden`` writes the texts that it sees.
"""

import ast
import re
import textwrap
from dataclasses import replace
from operator import neg
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from srcgrad import transforms
from srcgrad.policy import MOST_FOLDED
from srcgrad.steps import Guard
from srcgrad.transforms import optimize
from srcgrad.transforms.loops.slp import vectorise_slices
from srcgrad.transforms.partition.late_updates import update_late
from srcgrad.transforms.partition.result_aliasing import own_results
from srcgrad.updates import add_at, assign, cast, scatter
from tests.transforms.interpret import assert_same, record, run, run_split, text

FOLDER = Path(__file__).parent
ROLES = ("xyzuvw", "gh", "cde")  # inputs, cotangents, constants


def passes():
    """All passes by their names."""
    return {each.__name__: each for each in transforms.PIPELINE} | {
        each.__name__: each
        for each in (
            optimize,
            transforms.split,
            update_late,
            own_results,
            vectorise_slices,
        )
    }


def f8(rng, *shape):
    """Numbers between 0.3 and 2.0, of both signs."""
    return rng.uniform(0.3, 2.0, shape) * rng.choice([-1.0, 1.0], shape)


def guard(item):
    """Look at a number, as an ``if`` does."""
    item.nodes.append(Guard(item.meta, bool, bool(item.value)))
    return item


NAMES = {
    **{each.__name__: each for each in (guard, neg, add_at, assign, cast, scatter)},
    "np": np,
    "LARGE": MOST_FOLDED,
    "f4": np.dtype(np.float32),
}


class Case(NamedTuple):
    """A program, and the text of its graph after the passes (None: the same)."""

    path: Path
    line: int
    head: str
    setup: str
    program: str
    after: str | None

    def __str__(self):
        return f"{self.path.parent.name}-{self.line + 1}"


def cases_in(path):
    head, setup, in_setup = "", "", False
    lines = path.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        if line.startswith("== "):
            head, setup, in_setup = line[3:], "", True
        elif not line:
            in_setup = False
        elif in_setup:
            setup += line + "\n"
        elif not line.startswith((" ", "#")):
            after = []
            for more in lines[number + 1 :]:
                if not more.startswith("    "):
                    break
                after.append(more.strip())
            program, *given = line.removeprefix("= ").split(" -> ")
            after = None if line.startswith("= ") else " ".join([*given, *after])
            yield Case(path, number, head, setup, program, after)


def function_of(case, names, namespace):
    tree = ast.parse(f"def program({', '.join(names)}):\n    pass")
    *body, last = ast.parse(case.program).body
    assert isinstance(last, ast.Expr), case.program
    tree.body[0].body = [*body, ast.copy_location(ast.Return(last.value), last)]
    exec(compile(ast.fix_missing_locations(tree), str(case), "exec"), namespace)
    return namespace["program"]


def graph_of(case):
    """The graph of a program, and what it is run on."""
    rng = np.random.default_rng(0)
    namespace: dict[str, Any] = {**NAMES, "f8": lambda *shape: f8(rng, *shape)}
    exec(case.setup, namespace)
    given = [[n for n in role if n in namespace] for role in ROLES]
    program = function_of(case, [n for each in given for n in each], namespace)
    inputs, cotangents, constants = ([namespace[n] for n in each] for each in given)

    def listed(*args):
        result = program(*args)
        return result if isinstance(result, (list, tuple)) else [result]

    return record(listed, inputs, cotangents, constants), inputs, cotangents


def shown(result):
    """The lines of a graph, or of two halves; the forward one returns what is saved."""
    if not hasattr(result, "forward"):
        *lines, last = text(result)
        is_last = bool(lines) and last == f"return {lines[-1].split(' = ')[0]}"
        return "; ".join(lines if is_last else [*lines, last])
    forward = result.forward
    forward = replace(forward, outputs=(*forward.outputs, *result.saved))
    return " | ".join("; ".join(text(g)) for g in (forward, result.backward) if g)


def update(case, after):
    """Write an expected text, or that there is none."""
    lines = case.path.read_text(encoding="utf-8").splitlines()
    found = next(each for each in cases_in(case.path) if each[2:5] == case[2:5]).line
    end = found + 1
    while end < len(lines) and lines[end].startswith("    "):
        end += 1
    new = [f"= {case.program}" if after is None else f"{case.program} -> {after}"]
    if len(new[0]) > 100:
        options = {"break_long_words": False, "break_on_hyphens": False}
        wrapped = textwrap.wrap(after, 96, **options)
        new = [case.program, *(f"    {line}" for line in wrapped)]
    lines[found:end] = new
    case.path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def results_of(graph, inputs, cotangents):
    if hasattr(graph, "forward"):
        return run_split(graph, inputs, cotangents)[:2]
    return run(graph, inputs, cotangents)


FILES = sorted(FOLDER.rglob("passes.txt"))
CASES = [case for path in FILES for case in cases_in(path)]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("case", CASES, ids=str)
def test_passes(case, request):
    _, names, *options = re.split(r": | \| ", case.head)
    steps = [passes()[name] for name in names.split(", ")]
    graph, inputs, cotangents = graph_of(case)

    def after(result):
        for step in steps:
            result = step(result)
        return result

    if "backward" in options:
        assert after(graph) is graph
    if options:
        nodes = [replace(node, in_backward=True) for node in graph.nodes]
        graph = replace(graph, nodes=tuple(nodes))
    result = after(graph)
    seen = None if result is graph else shown(result)
    if request.config.getoption("--update-golden"):
        update(case, seen)
    else:
        assert seen == case.after
    result.lint()
    seen, expected = (results_of(g, inputs, cotangents) for g in (result, graph))
    assert_same(seen[0] + seen[1], expected[0] + expected[1], 1e-12)
    for ours, theirs in zip(seen[0], expected[0], strict=True):  # the signs of zeros
        same = np.signbit(np.real(ours)) == np.signbit(np.real(theirs))
        assert np.all(same | np.isnan(theirs) | ("in backward" in options))
    if own_results in steps:
        held = [*inputs, *cotangents, *seen[0]]
        for array in (each for each in seen[1] if isinstance(each, np.ndarray)):
            assert array.flags.writeable
            assert not any(np.shares_memory(array, other) for other in held)
            held.append(array)
