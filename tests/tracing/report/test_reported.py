"""What is measured and shown is what runs, and leaves no mark."""

import itertools
import os
import pickle
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import srcgrad
from srcgrad.protocols import raw_of
from srcgrad.pytree import flatten
from srcgrad.tracing.report import measuring
from srcgrad.tracing.report.repeated_calls import Call, Instrumented
from tests.corpus import walks
from tests.corpus.programs import PROGRAMS, World
from tests.corpus.seen import Said
from tests.samples import has_scipy
from tests.tracing.report import report_programs as programs

ROOT = Path(srcgrad.__file__).parents[1]
X, ROWS = np.array([0.5, 1.0, 2.0]), np.linspace(0.1, 1.0, 12).reshape(4, 3)


def variable(value):
    return srcgrad.Variable(np.asarray(value), requires_grad=True)


def cases():
    """By name a function that has traces, and how it is called."""
    yield (
        "rnn",
        srcgrad.trace(programs.rnn),
        (variable(np.eye(3) / 2), np.ones((40, 3)), 0.1),
    )
    yield "of arrays", srcgrad.trace(programs.vector), (X,)
    yield (
        "several results",
        srcgrad.trace(lambda x: (x * x, [np.sin(x)])),
        (variable(X),),
    )
    yield "method", programs.Model.loss, (programs.Model(), variable(X))
    yield "grad", srcgrad.grad(programs.decays), (X,)
    yield "value_and_grad", srcgrad.value_and_grad(programs.newton), (1.3,)
    yield (
        "grad of grad",
        srcgrad.grad(lambda x: np.sum(srcgrad.grad(programs.cube)(x))),
        (X,),
    )
    yield "elementwise_grad", srcgrad.elementwise_grad(programs.vector), (X,)
    yield "jacobian", srcgrad.jacobian(programs.vector), (X,)
    yield "hessian", srcgrad.hessian(programs.cube), (X,)
    yield "vmap", srcgrad.vmap(programs.vector), (ROWS,)
    yield "vmap of grad", srcgrad.vmap(srcgrad.grad(programs.cube)), (ROWS,)
    yield "comprehension", srcgrad.grad(programs.comprehended), (X,)
    yield "own rule", srcgrad.grad(programs.uses_own_rule), (X,)
    yield "checkpoint", srcgrad.grad(programs.computes_again), (X,)
    yield "errstate", srcgrad.trace(programs.ignores), (variable(X),)
    yield "prints and draws", srcgrad.trace(programs.noisy), (variable(X),)
    yield "writes", srcgrad.trace(programs.fills), (variable(X), np.zeros(2))
    yield "lambda", srcgrad.grad(lambda x: np.sum(x * x)), (X,)
    if has_scipy:
        yield "sparse_jacobian", srcgrad.sparse_jacobian(programs.vector), (X,)


CASES = {name: (function, args) for name, function, args in cases()}


@pytest.fixture(autouse=True)
def _quickly(monkeypatch):
    monkeypatch.setattr(measuring, "MOST_RUNS", 2)


@pytest.fixture
def called():
    """A function that has traces, and the arguments of its calls."""

    def made(name):
        function, args = CASES[name]
        for _ in range(3):
            function(*args)
        return function, args

    return made


def state_of(function, args):
    """All that a call changes, or may change."""
    traced = function.target.traced
    order = [[id(t) for t in e.traces] for e in traced._cache.values()]
    used = [(e.used, e.streak, e.last_miss) for e in traced._cache.values()]
    back_off = traced._back_off
    arrays = [
        np.array(raw_of(leaf), copy=True)
        for leaf in flatten(args)[0]
        if hasattr(raw_of(leaf), "dtype")
    ]
    random = programs.GENERATOR.bit_generator.state
    return [
        *(traced.stats, order, used, (back_off.streak, back_off.gave_up)),
        *(pickle.dumps(arrays), random, function.explain()),
    ]


def same(one, other):
    """Whether two results are bit for bit the same."""
    one, other = flatten(one)[0], flatten(other)[0]
    assert len(one) == len(other)
    return all(
        a is b or np.array_equal(np.asarray(a), np.asarray(b), equal_nan=True)
        for a, b in zip(one, other, strict=True)
    )


@pytest.mark.parametrize("name", CASES)
def test_what_is_measured_computes_the_same(name, called):
    function, args = called(name)
    traced = function.target.traced
    transform = None if function.is_traced else function
    trace, leaves = traced.served_call(transform, args, {})
    call, told = Call(trace, leaves), []
    instrumented = Instrumented(trace, None, traced.function)
    assert same(call.run(trace), instrumented.run(call, told.append))
    assert len(told) > 1


@pytest.mark.parametrize("name", CASES)
def test_a_profile_and_a_report_leave_no_mark(name, called, capsys, tmp_path):
    function, args = called(name)
    before = state_of(function, args)
    capsys.readouterr()
    function.profile(*args)
    function.report(tmp_path / "page.html", *args)
    function._repr_html_()
    assert state_of(function, args) == before
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("name", CASES)
def test_the_costs_of_the_users_lines_are_those_of_the_generated_ones(name, called):
    function, args = called(name)
    profile = function.profile(*args)
    total = profile.costs.total
    for lines in (profile.generated, profile.user):
        assert sum(line.cost.seconds for line in lines) == pytest.approx(total.seconds)
        assert sum(line.cost.taken for line in lines) == total.taken
        assert sum(line.cost.kept for line in lines) == total.kept
    assert all(line.cost.runs > 0 for line in profile.generated)


class Page(HTMLParser):
    """The elements of a page, which are closed in order; what is in attributes."""

    VOID = "meta", "rect", "path"

    def __init__(self, text):
        super().__init__()
        self.open, self.keys, self.text = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)
        pane = [tag for tag in self.open if tag in ("svg", "section")]
        if "data-k" in dict(attrs):
            self.keys.append((dict(attrs)["data-k"], pane[-1] if pane else tag))

    def handle_startendtag(self, tag, attrs):
        if "data-k" in dict(attrs):
            self.keys.append((dict(attrs)["data-k"], "svg"))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.mark.parametrize("name", CASES)
def test_a_report_is_a_page_on_which_lines_have_counterparts(name, called, tmp_path):
    function, args = called(name)
    function.report(tmp_path / "page.html", *args)
    page = Page((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert page.open == []
    assert {place for _, place in page.keys} >= {"section", "svg"}
    assert all(line in "\n".join(page.text) for line in ("Your source", "Graph"))


@pytest.mark.parametrize("name", CASES)
def test_a_profile_is_a_table(name, called):
    function, args = called(name)
    text = str(function.profile(*args))
    assert "generated" in text
    for line in function.source().split("\n\n\n")[0].split("\n"):
        assert line in text


# ----- Other ways there -----


def test_a_profile_makes_a_trace_if_there_is_none():
    function = srcgrad.trace(programs.vector)
    assert function.profile(X).user[0].line == 50
    assert function.stats.calls == 0


def test_of_several_traces_the_one_that_fits_is_measured():
    function = srcgrad.trace(programs.rnn)
    W = variable(np.eye(3) / 2)
    for limit in (0.1, 1e6, 0.1):
        for count in (40, 41):
            function(W, np.ones((count, 3)), limit)
    profile = function.profile(W, np.ones((41, 3)), 1e6)
    assert "41" in profile.found["header"]


def test_an_edited_module_is_measured(tmp_path):
    function = srcgrad.grad(programs.cube)
    path = tmp_path / "cube.py"
    function.export(path, X)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("(x * x)", "np.square(x)"), encoding="utf-8")
    function.use(path)
    before = function(X)
    profile = function.profile(X)
    (line,) = [each for each in profile.generated if "np.square" in each.text]
    assert (line.function, line.cost.runs) == ("cube_grad", 1)
    assert line.statement.first == 46
    assert np.array_equal(function(X), before)
    function.report(tmp_path / "page.html", X)
    assert ">square(" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_what_has_no_function_of_its_own_is_reported_with_its_function(tmp_path):
    path = tmp_path / "page.html"
    for _ in range(3):
        _, pullback = srcgrad.vjp(programs.vector, X)
        _, linear = srcgrad.linearize(programs.vector, X)
        pullback(X), linear(X)
    for shown in (pullback, linear, programs.sine, programs.again):
        shown.report(path)
        assert Page(path.read_text(encoding="utf-8")).open == []
    srcgrad.report(programs.vector, path)
    assert "x_dot" in path.read_text(encoding="utf-8")


def test_before_the_first_call_a_page_says_so(tmp_path):
    function = srcgrad.trace(programs.vector)
    function.report(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert ">calls<" in text
    assert "It has not been called yet" in text
    assert "height: 14rem" in function._repr_html_()
    function.compile(X)
    assert "height: 42rem" in function._repr_html_()


def test_what_is_not_written_in_python_says_so(tmp_path):
    function = srcgrad.grad(np.sin)
    function.report(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "not written in Python" in text
    with pytest.raises(RuntimeError, match="profile a function of your own"):
        function.profile(1.0)


def test_what_stays_on_the_tape_has_no_profile_and_says_why():
    @srcgrad.trace
    def opens(x):
        return np.sum(x) + len(open(__file__, encoding="utf-8").name)

    with pytest.raises(RuntimeError, match="has no trace"):
        opens.profile(variable(X))


# ----- Without Pygments -----
WITHOUT = """
import sys
sys.modules["pygments"] = None
import numpy as np, srcgrad
slope = srcgrad.grad(lambda x: np.sum(x**3))
slope.compile(np.ones(2))
print(slope._repr_html_(), slope.source()._repr_html_(), slope.explain()._repr_html_())
profile = slope.profile(np.ones(2))
print(profile._repr_html_(), len(profile.user), "x**3" in str(profile))
try: slope.report("page.html")
except ImportError as error: print(error)
"""


def test_without_pygments_there_is_text_and_an_error_names_the_command(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(WITHOUT, encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(path)]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env=env
    )
    assert done.stdout.split("\n") == [
        "None None None",
        "None 1 True",
        "reports are coloured by Pygments, which is not installed: "
        "pip install 'srcgrad[report]'",
        "",
    ], done.stderr


# ----- Any program -----


@pytest.mark.one_in(40)
@pytest.mark.parametrize("name", PROGRAMS)
def test_any_program_is_shown_and_measured_or_says_why_not(name):
    program, world = PROGRAMS[name], World(PROGRAMS[name])
    function = srcgrad.trace(world.function)
    for change, factor in itertools.islice(walks.rounds(program), 2):
        world.run(change)
        call = walks.Call(factor, True, program.draws > 0)
        walks.Outcome(world, function, call, "default")
    own = function.explain(as_dict=True)["function"]
    assert f"&lt;h1&gt;{own}&lt;/h1&gt;" in function._repr_html_()
    args, kwargs = call.arguments(world.names)
    with world, Said():
        try:
            profile = function.profile(*args, **kwargs)
        except RuntimeError as error:
            reasons = f"{own} has no trace: ", "this call stays on the tape: "
            assert str(error).startswith(reasons)  # noqa: PT017
            return
    by_user = sum(line.cost.seconds for line in profile.user)
    assert by_user == pytest.approx(profile.costs.total.seconds)
    assert str(profile).startswith(f"{own} (<")
