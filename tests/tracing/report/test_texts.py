"""Texts are texts, and pages where a notebook shows them."""

import copy
import html
import pickle

import numpy as np
import pytest

import srcgrad
from srcgrad.tracing.report.texts import Explanation, Source


@pytest.fixture
def function():
    made = srcgrad.grad(lambda x: np.sum(x * x))
    made.compile(np.ones(2))
    return made


@pytest.fixture(params=["source", "explain"])
def text(request, function):
    return getattr(function, request.param)()


def test_it_is_a_text(text):
    plain = str(text)
    assert isinstance(text, str)
    assert type(plain) is str
    assert text == plain
    assert hash(text) == hash(plain)
    assert f"{text}" == plain
    assert repr(text) == repr(plain)
    assert {plain: 1}[text] == 1
    assert text + "" == plain


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_its_copies_are_the_same(text, copied):
    found = copied(text)
    found = pickle.loads(found) if copied is pickle.dumps else found
    assert found == text
    assert type(found) is type(text)
    assert found._repr_html_() == text._repr_html_()


def test_a_notebook_shows_it_as_a_page_of_its_own(text):
    shown = text._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;')
    # Nothing of the page is part of the notebook.
    assert "<" not in shown.removeprefix("<iframe").removesuffix("></iframe>")


def test_a_terminal_that_prints_results_shows_the_text(text):
    told = []
    printer = type("Printer", (), {"text": told.append})
    text._repr_pretty_(printer, False)
    assert told == [str(text)]


def test_an_explanation_has_its_data(function):
    assert function.explain().found == function.explain(as_dict=True)
    assert Explanation("made by hand")._repr_html_() is None


def test_source_is_shown_as_it_is():
    shown = Source("x = '</pre>' < 3\n")._repr_html_()
    page = html.unescape(shown)
    assert "&lt;/pre&gt;" in page
    assert "</pre>" not in page
