"""A line is part of a statement, which is part of a function, and maybe of a loop."""

import linecache

import pytest

from srcgrad.steps import Location
from srcgrad.tracing.report.user_source import SourceFile, Statement, UserSource

TEXT = """\
import numpy as np

@decorated(
    twice)
def f(x):
    '''A text
    of two lines.'''
    for i in g(
        x
    ):  # a comment
        @decorated
        def inner(y):
            return y
        while True:
            x += i
            if x > 3:
                break
            elif x: x = 1
            else:
                x = (
                    2
                )
    try:
        with a as b:
            pass
    except (
        ValueError
    ):
        match x:
            case 1:
                y = [k * k for k in x
                     if k]
    return y
z = f(lambda x:
      x)
"""
STATEMENTS = {
    1: (1, 1), 3: (3, 3), 5: (5, 5), 6: (6, 7), 7: (6, 7), 8: (8, 10), 10: (8, 10),
    11: (11, 11), 12: (12, 12), 13: (13, 13), 14: (14, 14), 16: (16, 16), 17: (17, 17),
    18: (18, 18), 19: (19, 19), 20: (20, 22), 21: (20, 22), 23: (23, 23), 24: (24, 24),
    27: (27, 27), 29: (29, 29), 30: (30, 30), 31: (31, 32), 32: (31, 32), 33: (33, 33),
    34: (34, 35), 35: (34, 35), 99: (99, 99),
}  # fmt: skip
FUNCTIONS = {6: (3, 33), 13: (11, 13), 33: (3, 33), 35: (34, 35), 1: (1, 1)}
LOOPS = {
    (15,): (14, 14),
    (15, 16): (14, 14),
    (13, 15): (8, 10),
    (25,): None,
    (31,): (31, 32),
    (15, 31): None,
}


@pytest.fixture
def file():
    return SourceFile("f.py", TEXT)


def test_a_line_is_part_of_a_statement(file):
    assert {line: file.statement(line) for line in STATEMENTS} == STATEMENTS


def test_a_line_is_part_of_a_function(file):
    assert {line: file.function(line) for line in FUNCTIONS} == FUNCTIONS


def test_lines_are_part_of_a_loop(file):
    assert {lines: file.loop_around(lines) for lines in LOOPS} == LOOPS


def test_in_what_is_no_python_each_line_is_a_statement():
    file = SourceFile("f.py", "def f(x:\n    (x\n")
    assert file.statement(2) == (2, 2)
    assert file.function(2) == (2, 2)


# ----- Files -----


@pytest.fixture
def source(tmp_path):
    """The source of some lines of a file, which has these lines by then."""
    path = tmp_path / "f.py"
    path.write_text(TEXT, encoding="utf-8")

    def made(*lines, text=TEXT):
        path.write_text(text, encoding="utf-8")
        linecache.checkcache(str(path))
        numbered = TEXT.split("\n")
        found = [Location(str(path), n, numbered[n - 1].strip()) for n in lines]
        return UserSource(found), found, str(path)

    return made


def test_the_functions_of_the_lines_are_shown(source):
    found, _, path = source(13, 15)
    (block,) = found.blocks(path, 12)
    assert [line for line, _ in block.rows] == [*range(3, 34)]


def test_a_function_is_shown_without_the_indentation_around_it(source):
    found, _, path = source(13)
    (block,) = found.blocks(path, 11)
    assert [text for _, text in block.rows] == [
        *("@decorated", "def inner(y):", "    return y")
    ]


def test_a_line_that_has_changed_since_is_shown_as_it_was(source):
    found, (where, other), path = source(13, 33, text=TEXT.replace("return y", "pass"))
    assert found.statement(where) == Statement(path, 13, 13)
    assert found.loop_around([where, other]) is None
    (block,) = found.blocks(path, 12)
    assert block.rows == ((13, "return y"), (33, "return y"))


def test_a_file_that_is_not_there_has_the_lines_that_are_known():
    where = Location("<cell>", 3, "h = x")
    found = UserSource([where])
    (block,) = found.blocks("<cell>", 1)
    assert block.rows == ((3, "h = x"),)


def test_the_loop_around_a_call_is_found_from_the_lines_called(source):
    found, (_, inside), path = source(1, 15)
    elsewhere = Location("<cell>", 3, "h = x")
    assert found.loop_around([elsewhere, inside]) == Statement(path, 14, 14)
