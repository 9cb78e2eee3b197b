"""A picture is SVG that says nothing but what is in the graph."""

from xml.etree import ElementTree

import numpy as np
import pytest

from srcgrad.graph import Graph
from srcgrad.steps import Location, Node, Value
from srcgrad.tracing.report import drawing
from srcgrad.tracing.report.drawing import drawn
from tests.tracing.report.test_layout import graph_of
from tests.tracing.report.test_reported import CASES

HOSTILE = "</title><script>alert(1)</script>]]>&amp;"


def no_key(where):
    return ""


def array(name):
    return Value((3,), np.dtype(float), name)


@pytest.mark.parametrize("name", CASES)
def test_it_is_xml(name):
    text = drawn(graph_of(*CASES[name]), lambda where: ' data-k="1"' if where else "")
    tree = ElementTree.fromstring(text)
    numbers = [each.get("data-box") for each in tree.iter("g") if each.get("data-box")]
    assert len(numbers) == len(set(numbers)) > 0
    ends = {path.get(end) for path in tree.iter("path") for end in ("data-from",)}
    assert ends <= set(numbers)


def test_names_are_text():
    x, h = array(HOSTILE), array("h")
    graph = Graph((x,), (Node(np.tanh, (x,), out=h, where=Location("f", 1)),), (h,))
    text = drawn(graph, no_key)
    assert "<script" not in text
    titles = [each.text for each in ElementTree.fromstring(text).iter("title")]
    assert f"{HOSTILE}: float64[3]" in titles


def test_nothing_is_drawn_of_nothing():
    assert drawn(Graph((), (), ()), no_key) is None


def test_what_nobody_could_read_is_not_drawn(monkeypatch):
    x, h = array("x"), array("h")
    graph = Graph((x,), (Node(np.tanh, (x,), out=h),), (h,))
    monkeypatch.setattr(drawing, "MOST_STEPS", 0)
    assert drawn(graph, no_key) is None
