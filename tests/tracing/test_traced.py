"""Traced equals untraced: the corpus, called in turn with what may change a trace."""

import warnings

import numpy as np
import optree
import pytest

import srcgrad
import srcgrad.autograd
from srcgrad import Variable
from tests.calls import CALLS, arguments, as_variables
from tests.programs import PROGRAMS, Program
from tests.tracing.comparing import on_tape


def leaves(tree):
    return optree.tree_leaves(tree, none_is_leaf=True)


def variables(tree):
    return [leaf for leaf in leaves(tree) if isinstance(leaf, Variable)]


def differentiable(tree):
    return [v for v in variables(tree) if v.requires_grad]


def is_single(leaf):
    return hasattr(leaf, "dtype") and leaf.dtype.char in "efF"


def assert_same(ours, theirs):
    """Values, kinds, dtypes, and the form around them."""
    structures = [optree.tree_structure(t, none_is_leaf=True) for t in (ours, theirs)]
    assert structures[0] == structures[1]
    # A float derived beside single-precision arrays is rounded as these.
    rel = 3e-5 if any(map(is_single, leaves(theirs))) else 1e-12
    for a, b in zip(leaves(ours), leaves(theirs), strict=True):
        assert type(a) is type(b)
        if isinstance(a, Variable):
            assert a.requires_grad == b.requires_grad
            assert a.volatile == b.volatile
            assert a.is_leaf == b.is_leaf
            a, b = a.data, b.data
            assert type(a) is type(b)
        if isinstance(a, (np.ndarray, np.generic)):
            single = is_single(a)
            assert a.dtype == b.dtype
            np.testing.assert_allclose(
                a, b, rtol=3e-5 if single else 1e-9, atol=1e-5 if single else 1e-12
            )
        elif isinstance(a, float):
            assert a == pytest.approx(b, rel=rel, nan_ok=True)
        else:
            assert a == b


def memory(args, result):
    """Which results and arguments share memory, are one object, or are read-only."""
    arrays = [leaf for leaf in leaves((args, result)) if hasattr(leaf, "dtype")]
    raws = [v.data if isinstance(v, Variable) else v for v in arrays]
    pairs = [(i, j) for i in range(len(raws)) for j in range(i)]
    return (
        [raw.flags.writeable for raw in raws if isinstance(raw, np.ndarray)],
        [
            (arrays[i] is arrays[j], np.shares_memory(raws[i], raws[j]))
            for i, j in pairs
        ],
    )


def cotangents(outputs):
    random = np.random.default_rng(0)
    made = []
    for v in outputs:
        g = random.normal(size=v.shape)
        if v.dtype.kind == "c":
            g = g + 1j * random.normal(size=v.shape)
        made.append(np.asarray(g, v.dtype))
    return made


# ----- The ways to use a function -----


def on_arrays(function, program, call):
    args, kwargs = arguments(program, call)
    result = function(*args, **kwargs)
    return result, memory((args, kwargs), result)


def backward(function, program, call):
    args, kwargs = as_variables(arguments(program, call))
    result = function(*args, **kwargs)
    shared, outputs = memory((args, kwargs), result), differentiable(result)
    if outputs:
        srcgrad.autograd.backward(outputs, cotangents(outputs))
    return result, shared, [v.grad for v in variables((args, kwargs))]


def second_order(function, program, call):
    args, kwargs = as_variables(arguments(program, call))
    result = function(*args, **kwargs)
    outputs, inputs = differentiable(result), differentiable((args, kwargs))
    if not outputs or not inputs:
        return None
    first = srcgrad.autograd.grad(
        outputs, inputs, cotangents(outputs), create_graph=True, allow_unused=True
    )
    roots = [g for g in first if g is not None and g.requires_grad]
    if not roots:
        return first
    second = srcgrad.autograd.grad(roots, inputs, cotangents(roots), allow_unused=True)
    return first, second


def volatile(function, program, call):
    args, kwargs = as_variables(arguments(program, call))
    args = [
        Variable(a.data, volatile=True) if isinstance(a, Variable) else a for a in args
    ]
    return function(*args, **kwargs)


def without_grad(function, program, call):
    args, kwargs = as_variables(arguments(program, call))
    with srcgrad.no_grad():
        return function(*args, **kwargs)


WAYS = (on_arrays, backward, second_order, volatile, without_grad)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("name", PROGRAMS)
def test_traced_equals_untraced(name, way):
    program = PROGRAMS[name]
    traced = srcgrad.trace(program.function)
    for call in CALLS.values():
        assert_same(way(traced, program, call), way(program.function, program, call))
    if program.is_compiled:
        assert traced.stats.compiled >= 3, traced.explain()
        assert "on the tape:" not in traced.explain()


@pytest.mark.parametrize("way", WAYS[:2], ids=lambda way: way.__name__)
@pytest.mark.parametrize("name", PROGRAMS)
def test_verified(name, way):
    """The tape beside the generated code finds no difference either."""
    program = PROGRAMS[name]
    traced = srcgrad.trace(program.function, verify=True)
    for call in (CALLS["first"], CALLS["values"]):
        way(traced, program, call)


# ----- srcgrad.grad and value_and_grad -----


def is_one_number(program):
    args, kwargs = arguments(program, CALLS["first"])
    result = program.function(*args, **kwargs)
    real = isinstance(result, (float, np.ndarray, np.generic))
    return real and np.size(result) == 1 and np.result_type(result).kind == "f"


SCALAR = [name for name, each in PROGRAMS.items() if is_one_number(each)]


def float_positions(program):
    return tuple(i for i, spec in enumerate(program.args) if spec.is_float)


@pytest.mark.parametrize("transform", [srcgrad.grad, srcgrad.value_and_grad])
@pytest.mark.parametrize(
    "every", [False, True], ids=["first argument", "all arguments"]
)
@pytest.mark.parametrize("name", SCALAR)
def test_gradients_of_arrays(name, every, transform):
    program = PROGRAMS[name]
    positions = float_positions(program)
    argnums = positions if every else positions[0]
    traced = srcgrad.trace(program.function)
    ours, theirs = transform(traced, argnums), transform(program.function, argnums)
    for call in CALLS.values():
        args, kwargs = arguments(program, call)
        result = ours(*args, **kwargs)
        expected = on_tape(theirs)(*args, **kwargs)
        assert_same(result, expected)
        assert_same(theirs(*args, **kwargs), expected)
        gradients = [g for g in leaves(result) if isinstance(g, np.ndarray)]
        for i, g in enumerate(gradients):  # the caller's own, to change as it likes
            assert g.flags.writeable
            assert not any(np.shares_memory(g, other) for other in gradients[:i])
            for leaf in leaves((args, kwargs)):
                assert not isinstance(leaf, np.ndarray) or not np.shares_memory(g, leaf)
    if program.is_compiled:
        assert traced.stats.compiled >= 3, traced.explain()


@pytest.mark.parametrize("name", SCALAR)
def test_second_derivatives_of_arrays(name):
    program = PROGRAMS[name]
    i = float_positions(program)[0]
    if program.args[i].make(np.random.default_rng(), *CALLS["first"][1:]) is None:
        pytest.skip("nothing to differentiate by")

    def slope(function):
        def total(*args):
            g = srcgrad.grad(function, i)(*args)
            return sum(np.sum(np.real(leaf)) for leaf in leaves(g))

        return srcgrad.grad(total, i)

    traced = srcgrad.trace(program.function)
    for call in CALLS.values():
        args, _ = arguments(program, call)
        expected = on_tape(slope(program.function))(*args)
        assert_same(slope(traced)(*args), expected)
        assert_same(slope(program.function)(*args), expected)


def distance(x, y):
    return np.sum((x - 2.0 * y) ** 2)


@pytest.mark.parametrize("argnums", [0, 1, (0, 1), (1, 0), (-1,), (0, -1)])
def test_one_array_given_twice(argnums):
    traced = srcgrad.value_and_grad(srcgrad.trace(distance), argnums)
    plain = on_tape(srcgrad.value_and_grad(distance, argnums))
    x, y = np.array([1.0, 2.0]), np.array([3.0, -1.0])
    for args in ((x, x), (x, x), (x, y), (y, y), (x, x[:]), (y, x)):
        assert_same(traced(*args), plain(*args))


def with_aux(x, t):
    h = np.exp(x * t)
    return np.sum(h), {"h": h, "t": t, "count": 3}


def test_aux():
    traced = srcgrad.trace(with_aux)
    for transform in (srcgrad.grad, srcgrad.value_and_grad):
        for argnums in (0, 1, (0, 1)):
            ours = transform(traced, argnums, has_aux=True)
            theirs = on_tape(transform(with_aux, argnums, has_aux=True))
            for x in (1.0, 2.0, 3.0):
                args = np.full(3, x), x / 2
                assert_same(ours(*args), theirs(*args))
    assert traced.stats.compiled >= 8


BAD_VALUES = {
    "vector": lambda x: x * 2.0,
    "complex": lambda x: np.sum(x * 1j),
    "tuple": lambda x: (np.sum(x), x),
    "none": lambda x: None,
    "text": lambda x: "text",
}


@pytest.mark.parametrize("name", BAD_VALUES)
def test_what_is_no_number_has_no_gradient(name):
    gradient = srcgrad.grad(srcgrad.trace(BAD_VALUES[name]))
    for _ in range(3):
        with pytest.raises(TypeError, match="must return one real number"):
            gradient(np.ones(2))


def test_aux_that_is_not_there():
    gradient = srcgrad.grad(srcgrad.trace(distance), has_aux=True)
    for _ in range(3):
        with pytest.raises(TypeError, match=r"has_aux=True .* returned float64"):
            gradient(np.ones(2), np.ones(2))


def test_gradients_in_no_grad():
    gradient = srcgrad.grad(srcgrad.trace(distance))
    x = np.array([1.0, 2.0])
    for _ in range(3):
        with srcgrad.no_grad():
            assert_same(gradient(x, x), np.array([-2.0, -4.0]))


def test_the_corpus_has_no_warnings():
    """So that `error` as warning filter says something about the traced calls."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for program in PROGRAMS.values():
            assert isinstance(program, Program)
            for call in CALLS.values():
                on_arrays(program.function, program, call)
