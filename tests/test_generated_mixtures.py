"""Random straight programs on arrays of mixed dtypes: traced is as it is on the tape.

Whole, real and complex numbers and truth values, special values, views and writes, one
result or several, hooks on them, gradients and gradients of gradients.
"""

import itertools
import linecache
import random
import warnings

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable, autograd
from srcgrad.tracing.following import running

NUMBERS = itertools.count()

UNARY = """
np.sin({0})|np.tanh({0})|-{0}|{0} * 2.0|{0} * np.float32(0.3)|{0} / 3|{0} ** 2|{0} ** 3
np.exp({0} * 0.1)|np.abs({0})|np.sqrt(np.abs({0}) + 1)|{0} + {0}|np.square({0})
np.conj({0})|np.real({0})|np.imag({0})|{0}.astype(np.float32)|{0}.astype(complex)
{0} * 1j|{0} + np.float16(1.5)|{0} * np.int8(3)|np.where({0}.real > 0, {0}, 0.5)
np.sum({0})|np.sum({0}, axis=0)|np.mean({0})|np.mean({0}, axis=-1, keepdims=True)
np.cumsum({0}, axis=-1)|np.max({0}.real)|np.prod({0})|np.sign({0}.real)|1 / ({0} + 3)
np.floor({0}.real)|np.clip({0}.real, -0.5, 0.5)|np.nan_to_num({0})|np.round({0}, 1)
np.log(np.abs({0}) + 0.5)|np.isfinite({0}) * {0}|np.maximum({0}.real, 0.2)|{0} * -1
"""
VIEWS = """
{0}.T|{0}[..., 0]|{0}[0]|{0}[1:]|{0}[::-1]|{0}.reshape(-1)|{0}.ravel()|{0}[None]
np.broadcast_to({0}, (2,) + {0}.shape)|{0}[[0, 0]]|{0}[{0}.real > 0]|{0}.copy()
np.flip({0})|np.diag({0})|np.roll({0}, 1)|np.stack([{0}, {0} * 2])|np.squeeze({0})
np.concatenate([{0}, {0}])|np.atleast_1d({0})|{0}.swapaxes(0, -1)
"""
BINARY = """
{0} + {1}|{0} * {1}|{0} - {1}|{0} / ({1} * {1} + 1.5)|np.maximum({0}.real, {1}.real)
np.where({0}.real > {1}.real, {0}, {1})|{0} @ {1}|np.hypot({0}.real, {1}.real)
np.outer({0}, {1})|{0} * ({1}.real > 0)|np.arctan2({0}.real, {1}.real + 2.5)
{0} ** ({1}.real > 0)|np.dot({0}, {1})
"""
WRITES = """
{0} = {0} * 1; {0}[...] = 0.5|{0} = {0} + 0; {0} += 1.0|{0} = {0} * 1; {0} *= {1}
{0} = {0} * 1; {0}[0] = {1}.sum()|{0} = {0}.copy(); {0}[..., 0] *= 3
{0} = {0} * 1; np.multiply({0}, 2, out={0})
v = {0} * 1; w = v[..., :1]; v += 1; {0} = v * w.sum()
"""
RESULTS = ("{0}", "{0}", "np.sum({0})", "{0} * 1.0", "np.sum({0} * {0})")
SPECIAL = (0.0, -0.0, np.nan, np.inf, -np.inf, 1.0)
FLOATS = ("f8", "f8", "f8", "f4", "f2", "c16")


def forms(text):
    return text.strip().replace("\n", "|").split("|")


def program(draw):
    """The source of a function of two arrays that are differentiated, and two more."""
    names, lines = ["x", "y", "a", "i"], []
    for number in range(draw.randint(2, 9)):
        first = draw.choice(names[-3:] if draw.random() < 0.6 else names)
        table = draw.choices((UNARY, VIEWS, BINARY, WRITES), (42, 18, 30, 10))[0]
        form = draw.choice(forms(table)).format(first, draw.choice(names))
        if table is not WRITES:
            lines.append(f"t{number} = {form}")
            names.append(f"t{number}")
        elif first.startswith("t"):
            lines.append(form)
    found = [draw.choice(names[-4:]) for _ in range(draw.choice((1, 1, 1, 2, 3)))]
    returned = ", ".join(draw.choice(RESULTS).format(name) for name in found)
    body = "".join(f"    {line}\n" for line in (*lines, f"return {returned}"))
    return f"def f(x, y, a, i):\n{body}"


def loaded(source):
    filename = f"generated_mixture_{next(NUMBERS)}.py"
    linecache.cache[filename] = len(source), None, source.splitlines(True), filename
    namespace = {"np": np, "__name__": "generated_mixture"}
    exec(compile(source, filename, "exec"), namespace)
    return namespace["f"]


def filled(seed, dtype, shape, is_special):
    rng, dtype = np.random.default_rng(seed), np.dtype(dtype)
    values = np.asarray(rng.uniform(-1.5, 1.5, shape))
    if is_special:
        values = np.where(rng.random(shape) < 0.2, rng.choice(SPECIAL, shape), values)
    if dtype.kind == "c":
        values = values + 1j * rng.uniform(-1.0, 1.0, shape)
    if dtype.kind in "iub":
        values = 3.0 * np.where(np.isfinite(values), np.abs(values), 0.0)
    return np.asarray(values).astype(dtype)[()]


def shown(item):
    value = item.data if isinstance(item, Variable) else item
    is_live = isinstance(item, Variable) and item.requires_grad
    return type(item).__name__, is_live, np.array(value)


def outcome(function, given, seed):
    """Results, gradients and what hooks see; or the kind of error."""
    draw, seen = random.Random(seed), []

    def note(g):
        seen.append(np.array(g.data))
        return g * factor

    how = draw.choice(("plain", "hooks", "changing hooks", "twice"))
    factor = 1.5 if how == "changing hooks" else 1.0
    args = [Variable(np.array(v)[()], requires_grad=True) if w else v for v, w in given]
    leaves = [arg for arg in args if isinstance(arg, Variable)]
    try:
        results = function(*args)
        results = results if isinstance(results, tuple) else (results,)
        found = [shown(result) for result in results]
        live = [r for r in results if isinstance(r, Variable) and r.requires_grad]
        if "hooks" in how:
            for each in live:
                each.register_hook(note)
        roots = [each for each in live if draw.random() < 0.7] or live[:1]
        if roots:
            found += gradients(roots, leaves, how == "twice")
    except Exception as error:
        return type(error)
    return found, seen


def gradients(roots, leaves, twice):
    ones = [np.ones(root.shape, root.dtype) for root in roots]
    if not twice:
        autograd.backward(roots, ones)
        return raws_of(leaf.grad for leaf in leaves)
    options = {"create_graph": True, "allow_unused": True}
    first = autograd.grad(roots, leaves, list(map(Variable, ones)), **options)
    live = [g for g in first if g is not None and g.requires_grad]
    if live:
        autograd.backward([np.sum((g * np.conj(g)).real) for g in live])
    return raws_of((*first, *(leaf.grad for leaf in leaves)))


def raws_of(found):
    return [None if g is None else np.array(g.data) for g in found]


def assert_same(ours, theirs, rtol):
    assert type(ours) is type(theirs)
    if isinstance(ours, list | tuple):
        for pair in itertools.zip_longest(ours, theirs):
            assert_same(*pair, rtol)
    elif isinstance(ours, np.ndarray) and ours.dtype.kind in "fc":
        assert ours.dtype == theirs.dtype
        finite = np.abs(theirs[np.isfinite(theirs)])
        atol = rtol * float(np.max(finite, initial=1.0))
        np.testing.assert_allclose(ours, theirs, rtol, atol)
    elif isinstance(ours, np.ndarray):
        np.testing.assert_array_equal(ours, theirs, strict=True)
    else:
        assert ours == theirs


@pytest.mark.seeds(20)
def test_programs_of_mixed_dtypes(seed):
    draw = random.Random(seed)
    source = program(draw)
    function = loaded(source)
    traced = srcgrad.trace(function)

    def followed(*args):
        return running.run(function, args, {})

    shape = draw.choice([(2, 3), (3,), (3, 3), (), (2, 2), (1, 3)])
    dtypes = [draw.choice(FLOATS), draw.choice(FLOATS)]
    dtypes += [draw.choice(("f8", "f4", "c16", "i8")), draw.choice(("i8", "?", "u1"))]
    shapes = shape, draw.choice([shape, shape, (3,), ()]), shape, shape
    wanted = True, draw.random() < 0.6, False, False
    is_special = draw.random() < 0.3
    rtol = 2e-4 if "f4" in dtypes or "float32" in source else 1e-9
    rtol = 3e-2 if "f2" in dtypes or "float16" in source else rtol
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in range(4):
            given = [
                (filled(7 * seed + 13 * (call // 2) + k, *of, is_special), want)
                for k, (*of, want) in enumerate(
                    zip(dtypes, shapes, wanted, strict=True)
                )
            ]
            expected = outcome(followed, given, seed)
            assert_same(outcome(traced, given, seed), expected, rtol)
