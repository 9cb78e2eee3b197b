"""The lines of generated code beside the statements of the user's."""

import numpy as np

import srcgrad
from srcgrad.tracing.report.counterparts import Counterparts
from tests.tracing.report import report_programs as programs

# The user's line, and generated lines that are for it.
RNN = """
18 | h = H
18 | hs = []
18 | for t in range(40):
18 | hs.append(h)
19 | part = x[t]
12 | z = W @ h + part
13 | h = np.tanh(z)
20 | total = np.add.reduce(h, axis=None)
21 | if greater:
22 | out = total * 2.0
 - | else:
24 | out = np.sin(total + 1.0)
22 | dtotal = dout * 2.0
20 | dh = np.broadcast_to(dtotal, (3,))
18 | dW = np.zeros((3, 3))
18 | for h_1, z_1 in zip(reversed(hs), reversed(zs), strict=True):
13 | dz = dh / cosh / cosh
12 | dW += dz[:, None] * h_1
 - | return dW
"""
NEWTON = """
29 | xs = []
29 | while True:
29 | if not abs(sub) > 1e-09:
29 | break
29 | xs.append(x)
30 | truediv = sub / (2.0 * x)
 - | return x, dx
"""


def made(function, *args):
    """The counterparts in the trace of a call."""
    for _ in range(2):
        function(*args)
    traced = function.target.traced
    (trace,) = traced.found_of(None)[1]
    return Counterparts(trace, traced.function), trace.module.text


def listed(function, *args):
    """The statements of the functions, each after the line that it is for."""
    found, text = made(function, *args)
    body = text[text.index("def forward") :].strip()
    first = text.count("\n", 0, text.index("def forward")) + 1
    for line, code in enumerate(body.split("\n"), first):
        if code.strip() and not code.strip().startswith(("def ", "#", '"""')):
            statement = found.statement(line)
            yield f"{statement.first if statement else '-':>2} | {code.strip()}"


def test_of_a_loop_and_an_if():
    W = srcgrad.Variable(0.5 * np.eye(3), requires_grad=True)
    found = [*listed(srcgrad.trace(programs.rnn), W, np.ones((40, 3)), 0.1)]
    assert [row for row in RNN.strip("\n").split("\n") if row not in found] == []


def test_of_a_loop_that_ends_by_a_test():
    found = [*listed(srcgrad.value_and_grad(programs.newton), 1.3)]
    assert [row for row in NEWTON.strip("\n").split("\n") if row not in found] == []


def test_of_loops_in_loops():
    found = [*listed(srcgrad.grad(programs.nested), np.ones(3))]
    loops = [row.split()[0] for row in found if "| for " in row]
    assert loops == ["104", "105"] * 2
    kept = [row.split()[0] for row in found if ".append(" in row]
    assert kept == ["105", "104"]


def test_of_a_loop_in_an_expression():
    text = "\n".join(listed(srcgrad.grad(programs.comprehended), np.ones(3)))
    assert "for" in text
    assert {line[:2] for line in text.split("\n")} <= {"35", "36", " -"}


def test_the_functions_that_are_called_are_shown_too():
    W = srcgrad.Variable(0.5 * np.eye(3), requires_grad=True)
    found, _ = made(srcgrad.trace(programs.rnn), W, np.ones((40, 3)), 0.1)
    assert [block.rows[0] for block in found.blocks()] == [
        (11, "def step(W, h, x):"),
        (16, "def rnn(W, x, limit):"),
    ]


def test_of_what_calls_something_of_ours_the_users_function_is_shown():
    found, _ = made(srcgrad.grad(programs.again), 1.0)
    assert (49, "def vector(x):") in [block.rows[0] for block in found.blocks()]


def test_each_row_knows_the_statement_that_begins_there():
    W = srcgrad.Variable(0.5 * np.eye(3), requires_grad=True)
    found, _ = made(srcgrad.trace(programs.rnn), W, np.ones((40, 3)), 0.1)
    rows = [row for block in found.blocks() for row in found.rows(block)]
    begins = {line: statement.first for line, _, statement in rows if statement}
    assert begins == {line: line for line, *_ in rows}
