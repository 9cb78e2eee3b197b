"""Random algebra with constants of every type of NumPy: traced is as on the tape.

Arrays of all dtypes beside constants that are narrower, wider, or of another kind: the
results, their kinds and dtypes, gradients and gradients of gradients.
"""

import random
import warnings

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable, autograd
from srcgrad.tracing.following import running
from tests.test_generated_mixtures import filled, loaded

TYPES = (
    "float16 float32 float64 longdouble uint8 uint16 uint32 uint64 int8 int16 int32 "
    "int64 bool_ complex64 complex128"
).split()
VALUES = {
    "f": "0.1 1.5 -0.3 3.0 -1 1 200.0 1e-3 2.0".split(),
    "u": "1 2 3 5 200 255".split(),
    "i": "1 -1 2 -3 100 -100 127".split(),
    "b": ["True"],
    "c": "0.1+0.2j 1j 2 -1 0.3-1j".split(),
}
PYTHON = "0.1 -0.7 2 -1 3 1 True 1e-3 1e5 1e10 70000 2**20 1j 0.3+0.1j 1.0".split()
POWERS = "2 3 0.5 -1 np.float16(2) np.int8(2) np.uint8(3) np.longdouble(2)".split()
FORMS = """
{0} * {c}|{c} * {0}|{0} + {c}|{c} - {0}|{0} / {c}|{c} / ({0} * {0} + 1.5)
{0} * {c} * {d}|{c} * ({0} * {d})|({0} + {c}) - {d}|{c} - ({0} - {d})|{c} - ({d} - {0})
{0} * {c} / {d}|{0} / {c} * {d}|{0} / {c} / {d}|-({0} * {c})|({0} * {c}) * -1
({0} * {c}) + ({0} * {d})|{0} * {c} - {0} * {d}|({0} + {c}) * {d}|{0} * ({c} * {d})
{0} * ({c} + {d})|{0} ** 2 * {c}|{0} + {1} * {c}|({0} - {1}) * {c}|{0} * {1} * {c}
np.where({0}.real > 0, {0}, {c})|np.maximum({0}.real, {c}.real)|np.sum({0} * {c})
np.sum({0} + {c}, axis=0)|np.mean({0} * {c})|{0} @ ({1} * {c})|({0} * {c}) ** 2
np.sum({0} * {c}) * {d}|np.dot({0}, {1} * {c})|({0} * {c} > {d}) * {0}
np.array({c}) * {0}|{0} * np.array([{c}])|{0} + {c} + {1} + {d}|{0} ** {k}
({0} * {0} + 1) ** {k}|np.sum({0}) * {c} * {d}|np.sum({0}) * {c} + {1}
"""
FLOATS = "f8 f8 f4 f2 c16 c8 g".split()
OTHERS = [*FLOATS, *"i8 i4 i2 i1 u1 u2 u4 u8 ?".split()]


def constant(draw):
    if draw.random() < 0.3:
        return f"({draw.choice(PYTHON)})"
    kind = draw.choice(TYPES)
    return f"np.{kind}({draw.choice(VALUES[np.dtype(kind).kind])})"


def program(draw):
    """The lines of a function of two arrays, and one that is not differentiated."""
    forms = FORMS.strip().replace("\n", "|").split("|")
    names, lines = ["x", "y", "a"], []
    for number in range(draw.randint(1, 5)):
        first = draw.choice(names[-2:] if draw.random() < 0.7 else names)
        given = {"c": constant(draw), "d": constant(draw), "k": draw.choice(POWERS)}
        form = draw.choice(forms).format(first, draw.choice(names), **given)
        lines.append(f"t{number} = {form}")
        names.append(f"t{number}")
    return [*lines, f"return {names[-1]}"]


def bound(lines, given):
    """What rounding may come to: of the narrowest type on the way."""
    names = dict(zip("xya", given, strict=True), np=np)
    found = [*given]
    try:
        for line in lines[:-1]:
            exec(line, names)
            found.append(names[line.split()[0]])
    except (TypeError, ValueError, OverflowError):
        pass  # the function raises it, too
    dtypes = [np.asarray(each).dtype for each in found]
    return 64 * max([2e-16, *(np.finfo(d).eps for d in dtypes if d.kind in "fc")])


def outcome(function, given, wanted):
    args = [
        Variable(np.array(raw), requires_grad=True) if want else raw
        for raw, want in zip(given, wanted, strict=True)
    ]
    leaves = [arg for arg in args if isinstance(arg, Variable)]
    try:
        result = function(*args)
        found = [result]
        if isinstance(result, Variable) and result.requires_grad:
            start = [Variable(np.ones(result.shape, result.dtype))]
            options = {"create_graph": True, "allow_unused": True}
            first = autograd.grad([result], leaves, start, **options)
            live = [g for g in first if g is not None and g.requires_grad]
            found += first
            if live:
                autograd.backward([np.sum((g * np.conj(g)).real) for g in live])
                found += [leaf.grad for leaf in leaves]
    except (TypeError, ValueError, OverflowError) as error:
        return type(error)
    return [(type(r), np.array(getattr(r, "data", r))) for r in found if r is not None]


def assert_same(ours, theirs, rtol):
    if isinstance(theirs, type):
        assert ours is theirs
        return
    for (kind, raw), (expected_kind, expected) in zip(ours, theirs, strict=True):
        assert (kind, raw.dtype) == (expected_kind, expected.dtype)
        finite = np.abs(expected[np.isfinite(expected)]).astype(float)
        atol = rtol * np.max(finite, initial=1.0)
        np.testing.assert_allclose(raw, expected, rtol, atol)


@pytest.mark.seeds(30)
def test_constants_of_every_type(seed):
    draw = random.Random(seed)
    lines = program(draw)
    body = "".join(f"    {line}\n" for line in lines)
    function = loaded(f"def f(x, y, a):\n{body}")
    traced = srcgrad.trace(function)

    def followed(*args):
        return running.run(function, args, {})

    shape = draw.choice([(3,), (3, 3), (), (2, 2), (1,)])
    dtypes = draw.choice(FLOATS), draw.choice(FLOATS), draw.choice(OTHERS)
    wanted = True, draw.random() < 0.5, False
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for values in (seed, seed, seed + 1):
            given = [
                filled(values + 7 * k, d, shape, False) for k, d in enumerate(dtypes)
            ]
            expected = outcome(followed, given, wanted)
            found = outcome(traced, given, wanted)
            assert_same(found, expected, bound(lines, given))
