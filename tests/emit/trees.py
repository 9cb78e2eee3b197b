"""Syntax trees for hypothesis to draw: expressions and statements of every kind."""

import gast
from hypothesis import strategies as st

from srcgrad.emit.syntax import (
    LOAD,
    STORE,
    assignment,
    constant,
    name,
)

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
