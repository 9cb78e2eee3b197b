"""Random small programs: tape, traced, and finite differences say the same.

A program is source text, made statement by statement with the shapes that its names
have, and kept in `linecache` so that it can be traced like a file's.
"""

import numpy as np
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

import srcgrad
import srcgrad.autograd
from srcgrad import Variable
from tests import one_liners

# Each keeps values of moderate size, so that differences can be taken.
ELEMENTWISE = (
    *("np.tanh({})", "np.sin({})", "-{}", "{} * 0.5", "2.0 - {}", "np.exp(-{} ** 2)"),
    *("np.sqrt({} * {} + 1.0)", "np.where({} > 0.1, {}, 0.5 * {})", "{} ** 3 * 0.1"),
    *("np.maximum({}, 0.2)", "np.abs({})", "{} / 4", "np.clip({}, -0.7, 0.9)"),
    *("helper({})", "(lambda a: a * a)({})", "np.arctan2({}, 2.0)", "{}.copy()"),
)
BINARY = (
    *(
        "{} + {}",
        "{} - {}",
        "{} * {}",
        "{} / (1.5 + {} ** 2)",
        "np.hypot({}, {} + 3.0)",
    ),
    *("np.maximum({}, {})", "np.where({} > {}, 1.0, 0.5)", "0.5 * ({} + {})"),
)
REDUCTIONS = (
    *("np.mean({}, axis={})", "np.sum({}, axis={}) * 0.3", "{}.max(axis={})"),
    # The square root of zero, of equal elements say, has no derivative.
    *("np.sqrt(np.var({}, axis={}) + 0.1)", "np.linalg.norm({} + 3.0, axis={})"),
)


def helper(a, k=0.5):
    b = a * k
    return b + np.cos(a)


def shape_of(expression, shapes):
    """The shape of an expression; None if it does not fit together."""
    names = {name: np.full(shape, 0.3) for name, shape in shapes.items()}
    helper = lambda a: a  # noqa: E731
    try:
        return np.shape(eval(expression, {"np": np, "helper": helper} | names))
    except (ValueError, IndexError):
        return None


def fill(template, *names, **options):
    """Fill the braces of a template, the last name again and again."""
    count = template.count("{}")
    padded = [*names, *[names[-1]] * count][:count]
    return template.format(*padded, **options)


@st.composite
def expressions(draw, shapes):
    """An expression of the names in scope, and its shape."""
    names = sorted(shapes)
    v, w = draw(st.sampled_from(names)), draw(st.sampled_from(names))
    shape = shapes[v]
    kinds = ["elementwise", "elementwise", "binary", "binary"]
    if shape:
        kinds += ["reduction", "index", "shape", "loop"]
    kind = draw(st.sampled_from(kinds))
    text = v
    if kind == "elementwise":
        text = fill(draw(st.sampled_from(ELEMENTWISE)), v)
    elif kind == "binary":
        text = fill(draw(st.sampled_from(BINARY)), v, w)
    elif kind == "reduction":
        axis = draw(st.sampled_from([None, *range(-len(shape), len(shape))]))
        template = draw(st.sampled_from(REDUCTIONS))
        text = template.format(v, axis)
    elif kind == "index":
        index = draw(
            st.sampled_from(["0", "-1", "1:", "::-1", "[0, 0, -1]", "..., None"])
        )
        text = f"{v}[{index}]"
    elif kind == "shape":
        form = (
            "{}.T",
            "{}.reshape(-1)",
            "np.concatenate([{}, {}])",
            "np.cumsum({}) * 0.2",
        )
        text = fill(draw(st.sampled_from((*form, "np.stack([{}, {} * 2.0])"))), v)
    elif kind == "loop":
        text = f"sum(row * {draw(st.sampled_from(['0.5', w]))} for row in {v})"
    found = shape_of(text, shapes)
    # Of nothing there is no mean, and nothing can be stored into it.
    if found is None or not 0 < np.prod(found) <= 60 or len(found) > 3:
        return v, shape
    return text, found


@st.composite
def programs(draw):
    """The lines of a function of ``x``, ``A`` and ``s``."""
    shapes = {"x": (3,), "A": (2, 3), "s": ()}
    lines = []
    for number in range(draw(st.integers(2, 7))):
        text, shape = draw(expressions(shapes))
        name = f"v{number}"
        kind = draw(
            st.sampled_from(["assign"] * 3 + ["loop", "branch", "own", "store"])
        )
        if kind == "loop":
            lines += [f"{name} = {text}", f"for i in range({draw(st.integers(0, 3))}):"]
            lines += [f"    {name} = {name} * 0.5 + np.sin({name}) * i"]
        elif kind == "branch":
            test = draw(st.sampled_from(sorted(shapes)))
            bound = draw(st.sampled_from([-0.5, 0.0, 0.5]))
            lines += [f"if np.sum({test}) > {bound}:", f"    {name} = {text}"]
            lines += ["else:", f"    {name} = np.cos({text})"]
        elif kind == "own":
            other = draw(st.sampled_from(sorted(shapes)))
            lines += [f"{name} = ({text}) * 1.0", f"{name} += np.mean({other} ** 2)"]
        elif kind == "store" and shape:
            other = draw(st.sampled_from(sorted(shapes)))
            lines += [f"{name} = ({text}) * 1.0", f"{name}[0] = np.mean({other} ** 2)"]
        else:
            lines += [f"{name} = {text}"]
        shapes[name] = shape
    used = draw(st.lists(st.sampled_from(sorted(shapes)), min_size=1, max_size=3))
    total = " + ".join(f"np.mean(np.tanh({name}))" for name in [name, *used])
    return [*lines, f"return {total} + np.mean(s * x)"]


def load(lines):
    return one_liners.function("program(x, A, s)", lines, helper=helper)


def inputs(seed):
    random = np.random.default_rng(seed)
    return [random.uniform(-1, 1, shape) for shape in ((3,), (2, 3), ())]


def on_tape(function, arrays):
    variables = [Variable(array.copy(), requires_grad=True) for array in arrays]
    out = function(*variables)
    gradients = srcgrad.autograd.grad(
        out, variables, retain_graph=True, create_graph=True, allow_unused=True
    )
    live = [g for g in gradients if g is not None and g.requires_grad]
    second = [None] * 3
    if live:
        total = sum(np.sum(g * g) for g in live)
        second = srcgrad.autograd.grad(total, variables, allow_unused=True)
    arrays_of = [
        [None if g is None else g.data for g in gs] for gs in (gradients, second)
    ]
    return out.data, *arrays_of


def numbers(gradient, arrays):
    return [np.zeros(a.shape) if g is None else g for g, a in zip(gradient, arrays)]  # noqa: B905


def slope(function, arrays, direction, step=1e-6):
    """The derivative along a direction, by central differences."""
    ends = [
        function(*[a + sign * step * d for a, d in zip(arrays, direction, strict=True)])
        for sign in (1.0, -1.0)
    ]
    return (ends[0] - ends[1]) / (2.0 * step)


def close(ours, theirs, rtol=1e-9):
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=1e-10)


@settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(programs(), st.integers(0, 2**32 - 1))
def test_random_programs(lines, seed):
    note("\n".join(lines))
    function = load(lines)
    traced = srcgrad.trace(function)
    gradient = srcgrad.value_and_grad(traced, (0, 1, 2))
    for arrays in (inputs(seed), inputs(seed + 1), inputs(seed + 2), inputs(seed)):
        value, first, second = on_tape(function, arrays)
        # As plain NumPy, and by differences.
        assert value == np.float64(function(*arrays))
        directions = inputs(seed + 3)
        along = sum(
            np.sum(g * d)
            for g, d in zip(numbers(first, arrays), directions, strict=True)
        )
        differences = slope(function, arrays, directions)
        assert abs(along - differences) <= 1e-4 * max(1.0, abs(differences))
        # Traced, with Variables and with arrays.
        ours = on_tape(traced, arrays)
        np.testing.assert_allclose(ours[0], value, rtol=1e-12)
        assert [g is None for g in ours[1]] == [g is None for g in first]
        close(numbers(ours[1], arrays), numbers(first, arrays))
        close(numbers(ours[2], arrays), numbers(second, arrays), rtol=1e-7)
        result, gradients = gradient(*arrays)
        np.testing.assert_allclose(result, value, rtol=1e-12)
        close(gradients, numbers(first, arrays))
    assert traced.stats.compiled >= 1, traced.explain()
    assert "on the tape:" not in traced.explain()
