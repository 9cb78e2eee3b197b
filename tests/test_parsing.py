"""Syntax trees are made and compiled by one thread at a time."""

import ast
import time
import warnings

import pytest

from srcgrad import parsing
from tests.threads import run_in_threads


@pytest.mark.parametrize("name", ["parse", "compile"])
def test_threads_take_turns(name, monkeypatch):
    inside, most = [], []

    def slow(*args, **kwargs):
        inside.append(None)
        most.append(len(inside))
        time.sleep(0.01)
        inside.pop()
        return ast.Module([], [])

    owner = ast if name == "parse" else parsing
    monkeypatch.setattr(owner, name, slow, raising=False)
    call = {"parse": parsing.parsed, "compile": lambda s: parsing.compiled(s, s)}[name]
    run_in_threads(4, lambda number: call("x = 1"))
    assert most == [1] * 4


def test_nothing_is_warned_of_again():
    source = "x = 2\nassert (x is 2, 'told once')\ny = '\\d'"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tree = parsing.parsed(source)
        for code in (source, tree):
            assert parsing.compiled(code, "<made up>")


def test_the_tree_and_its_code():
    tree = parsing.parsed("from __future__ import annotations\nx: made_up = 1")
    assert ast.unparse(tree).endswith("x: made_up = 1")
    namespace = {}
    exec(parsing.compiled(tree, "<made up>"), namespace)
    assert namespace["x"] == 1
