"""Lines that are too long break as ruff breaks them."""

import shutil
import subprocess
import sys
from pathlib import Path

import gast
import pytest

from srcgrad.emit.breaking import WIDTH, _terms
from srcgrad.emit.syntax import (
    constant,
    name,
)
from srcgrad.emit.unparse import unparse

SAMPLES = '''\
"""A module."""

import numpy as np

C1 = np.array(
    [
        [1.12345678901234, 1.12345678901234, 1.12345678901234],
        [1.12345678901234, 1.12345678901234, 1.12345678901234],
    ]
)
C2 = np.array([1.0, 2.0], dtype=np.float32)


def forward(x):
    (y,) = x
    if not np.add.reduce(y, axis=None) > 0:
        return "loss.py:12: bool of `x.sum() > 0` was True"
    return np.exp(-(y**2)) * y[0:3, None] ** 2 + "it's" % 'a"b' - x[a + 1 : b]


def backward(
    saved, a_parameter_with_a_long_name, another_parameter_with_a_long_name, parameter
):
    (
        a_value_with_a_long_name,
        another_value_with_a_long_name,
        a_third_value_with_a_long_name,
    ) = saved
    a_value_with_a_long_name, another_value_with_a_long_name, the_third = (
        np.linalg.slogdet(saved)
    )
    one = np.concatenate(
        [a_value_with_a_long_name, another_value_with_a_long_name, a_third_value]
    )
    two = np.concatenate(
        [
            a_value_with_a_long_name,
            another_value_with_a_long_name,
            a_third_value_with_a_long_name,
        ],
        axis=0,
    )
    three = (
        a_value_with_a_long_name * another_value_with_a_long_name
        + a_third_value_with_a_long_name
        - 1.0
    )
    four = a_value_with_a_long_name * np.where(
        another_value_with_a_long_name, a_third_value_with_a_long_name, 0.0
    )
    five = a_value_with_a_long_name[
        another_value_with_a_long_name, a_third_value_with_a_long_name, 0
    ]
    six = -np.where(
        another_value_with_a_long_name, a_third_value_with_a_long_name, one, two, three
    )
    if a_value_with_a_long_name.shape != (1000, 1000, 1000, 1000, 1000, 1000, 1000, 10):
        return "no"
    if (
        a_value_with_a_long_name.tobytes()
        != another_value_with_a_long_name_that_is_longer_still
    ):
        return (
            "loss.py:12: a reason that stands on one line only if it is in parentheses."
        )
    for one_of_the_names, another_of_the_names in zip(
        reversed(one_of_the_lists), reversed(another_of_the_lists), strict=True
    ):
        pass
    for (
        the_first_of_the_names_here,
        the_second_of_the_names_here,
        the_third_of_the_names_here,
    ) in zip(first_of_the_lists, second_of_the_lists, third_of_the_lists, strict=True):
        pass
    return (one, two), (
        a_value_with_a_long_name,
        another_value_with_a_long_name,
        a_third_value_with_a_long_name,
    )
'''


def test_lines_break_as_ruff_breaks_them():
    printed = unparse(gast.parse(SAMPLES)).splitlines()
    blank_lines_are_lost_in_parsing = [line for line in SAMPLES.splitlines() if line]
    assert [line for line in printed if line] == blank_lines_are_lost_in_parsing
    assert max(map(len, printed)) <= WIDTH


def test_the_samples_are_as_ruff_formats_them():
    ruff = shutil.which("ruff", path=str(Path(sys.executable).parent)) or shutil.which(
        "ruff"
    )
    if ruff is None:
        pytest.skip("ruff is not installed: the format of generated code is unchecked")
    settings = ["--isolated", "--line-length", str(WIDTH)]
    command = [ruff, "format", *settings, "--diff", "-"]
    run = subprocess.run(command, input=SAMPLES, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_a_long_sum_is_taken_apart_without_recursion():
    tree = name("x")
    for _ in range(20_000):
        tree = gast.BinOp(tree, gast.Add(), constant(1))
    assert len(_terms(tree)) == 20_001
