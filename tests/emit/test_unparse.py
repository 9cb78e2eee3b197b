"""What is printed parses back to the same tree, and is as ruff would format it."""

import shutil
import subprocess
import sys
from pathlib import Path

import gast
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from srcgrad.emit.breaking import WIDTH, _terms
from srcgrad.emit.flat import text
from srcgrad.emit.syntax import (
    LOAD,
    STORE,
    BlankLine,
    Comment,
    assignment,
    constant,
    function,
    name,
)
from srcgrad.emit.unparse import unparse

BINARY = [
    gast.Add, gast.Sub, gast.Mult, gast.MatMult, gast.Div, gast.FloorDiv, gast.Mod,
    gast.Pow, gast.BitAnd, gast.BitOr, gast.BitXor, gast.LShift, gast.RShift,
]  # fmt: skip
COMPARE = [
    gast.Eq, gast.NotEq, gast.Lt, gast.LtE, gast.Gt, gast.GtE, gast.In, gast.NotIn,
    gast.Is, gast.IsNot,
]  # fmt: skip
UNARY = [gast.USub, gast.UAdd, gast.Invert, gast.Not]

# Long ones too, so that lines must break.
NAMES = st.sampled_from(["x", "h_1", "weights" * 3, "a_name_" * 6, "gradient_of_" * 8])
STRINGS = st.text(alphabet=st.sampled_from("ab'\"\\\n\té "), max_size=6)
LITERALS = st.one_of(
    st.integers(min_value=0),
    st.floats(min_value=0.0, allow_nan=False),
    st.floats(min_value=0.0, allow_nan=False).map(lambda x: complex(0.0, x)),
    st.sampled_from([True, None, ..., 1e-5, 1e16, 1e300]),
    STRINGS,
    STRINGS.map(str.encode),
)
LEAVES = NAMES.map(name) | LITERALS.map(constant)


@st.composite
def expressions(draw, depth=4):
    """Any expression; written out by hand, for hypothesis prints what it combines."""
    build = draw(st.sampled_from(BUILDERS)) if depth else None
    if build is None:
        return draw(LEAVES)

    def inner():
        return draw(expressions(depth - 1))

    return build(draw, inner)


def several(draw, inner, least=0, most=3):
    return [inner() for _ in range(draw(st.integers(least, most)))]


def one_of(draw, kinds):
    return draw(st.sampled_from(kinds))()


def subscript(draw, inner):
    def bound():
        return inner() if draw(st.booleans()) else None

    def part():
        is_slice = draw(st.booleans())
        return gast.Slice(bound(), bound(), bound()) if is_slice else inner()

    value = inner()
    if draw(st.booleans()):
        return gast.Subscript(value, part(), LOAD)
    parts = several(draw, part, least=1)
    return gast.Subscript(value, gast.Tuple(parts, LOAD), LOAD)


def called(draw, inner):
    args = several(draw, inner)
    if draw(st.booleans()):
        args.append(gast.Starred(inner(), LOAD))
    ids = draw(st.lists(NAMES, max_size=2, unique=True))
    return gast.Call(inner(), args, [gast.keyword(id, inner()) for id in ids])


def compared(draw, inner):
    rights = several(draw, inner, least=1, most=2)
    return gast.Compare(inner(), [one_of(draw, COMPARE) for _ in rights], rights)


BUILDERS = [
    None,
    lambda draw, inner: gast.BinOp(inner(), one_of(draw, BINARY), inner()),
    lambda draw, inner: gast.BinOp(inner(), one_of(draw, BINARY), inner()),
    lambda draw, inner: gast.UnaryOp(one_of(draw, UNARY), inner()),
    lambda draw, inner: gast.BoolOp(
        one_of(draw, [gast.And, gast.Or]), several(draw, inner, least=2)
    ),
    compared,
    called,
    subscript,
    lambda draw, inner: gast.Attribute(inner(), draw(NAMES), LOAD),
    lambda draw, inner: gast.Tuple(several(draw, inner), LOAD),
    lambda draw, inner: gast.List(several(draw, inner), LOAD),
    lambda draw, inner: gast.Dict([inner()], [inner()]),
    lambda draw, inner: gast.IfExp(inner(), inner(), inner()),
]


@st.composite
def statements(draw):
    kind = draw(st.integers(0, 3))
    value = draw(expressions())
    if kind == 0:
        ids = draw(st.lists(NAMES, min_size=1, max_size=4))
        targets = [gast.Name(id, STORE, None, None) for id in ids]
        where = targets[0] if draw(st.booleans()) else gast.Tuple(targets, STORE)
        return assignment(where, value)
    if kind == 1:
        return gast.Return(value)
    if kind == 2:
        return gast.Expr(value)
    other = draw(st.sampled_from([[], [gast.Return(None)]]))
    return gast.If(value, [gast.Return(draw(expressions(depth=2)))], other)


@pytest.mark.filterwarnings("ignore::SyntaxWarning")  # of `1(x)`, `"a" is x`
@given(expressions())
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_an_expression_parses_back(tree):
    assert gast.dump(gast.parse(f"({text(tree)})").body[0].value) == gast.dump(tree)


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@given(st.lists(statements(), min_size=1, max_size=2), st.lists(NAMES, unique=True))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_a_function_parses_back(body, parameters):
    module = gast.Module([function("forward", parameters, body)], [])
    assert gast.dump(gast.parse(unparse(module))) == gast.dump(module)


@given(st.text())
def test_a_docstring_parses_back(value):
    tree = gast.Module([gast.Expr(constant(value))], [])
    try:
        tree_back = gast.parse(unparse(tree))
    except UnicodeEncodeError:
        return  # lone surrogates are no source text
    assert tree_back.body[0].value.value == value


@pytest.mark.parametrize(
    "source",
    [
        "x[0:3, None]",
        "x[:, 1:, ..., ::2]",
        "x[a + 1 : b, -n:, :]",
        "x[()]",
        "x[0,]",
        "-(x**2)",
        "(-x) ** 2",
        "x**-y.z",
        "x ** (a + b)",
        "2 ** x[0]",
        "a - (b - c)",
        "(a < b) == c",
        "not a < b",
        "(a + b).T",
        "(1).real",
        "f(x)(y)[0].z",
        "1e-05 + 1e16",
        "1e309",
        '{"a": 1}',
        "(x,)",
        "f(*x, a=(1, 2))",
        "~-x",
        "a @ b * c",
        "a @ (b * c)",
    ],
)
def test_an_expression_in_its_usual_form_stays(source):
    assert text(gast.parse(source).body[0].value) == source


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


def test_comments_and_blank_lines_stand_where_they_are_put():
    body = [Comment("one"), gast.Pass(), BlankLine(), Comment("two"), gast.Return(None)]
    module = gast.Module([function("f", [], body), function("g", [], body[:2])], [])
    assert unparse(module) == (
        "def f():\n    # one\n    pass\n\n    # two\n    return\n"
        "\n\ndef g():\n    # one\n    pass\n"
    )


def test_other_statements_are_printed_too():
    source = (
        "@decorator\ndef f(x, y=1, z=None):\n    for i in range(3):\n"
        "        y += i\n    while x:\n        x = y = 2\n    if x:\n        pass\n"
        "    elif y:\n        raise ValueError(x)\n    else:\n        del x\n"
        "    return [a for a in y if a]\n"
    )
    tree = gast.parse(source)
    assert gast.dump(gast.parse(unparse(tree))) == gast.dump(tree)


def test_a_nan_is_refused():
    with pytest.raises(ValueError, match=r"np\.nan"):
        text(constant(float("nan")))


def test_a_long_sum_is_taken_apart_without_recursion():
    tree = name("x")
    for _ in range(20_000):
        tree = gast.BinOp(tree, gast.Add(), constant(1))
    assert len(_terms(tree)) == 20_001
