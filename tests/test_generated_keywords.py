"""NumPy's functions with odd arguments: NumPy, Variables and traced calls agree.

Axes are negative, tuples or none, arrays empty or 0-d, options alone and together. What
NumPy takes is taken and has the slope of differences; what it refuses is refused.
"""

import dataclasses
import inspect
import warnings

import numpy as np
import pytest

import srcgrad
import srcgrad.autograd
from srcgrad import Variable
from srcgrad.protocols import raw_of
from srcgrad.pytree import flatten
from srcgrad.tape.apply import is_inexact
from tests.cases import for_each
from tests.differences import slope_of
from tests.samples import SAMPLES

SHAPES = ((), (3,), (0,), (2, 3), (0, 3), (3, 0), (2, 1, 3), (3, 3))
AXES = (None, 0, 1, -1, -2, (0,), (0, 1), (-1, 0), (), (0, 0))
AXIS = (None, 0, 1, -1, -2)
MASK, SOME, NUMBER = "a mask", "an array of the same shape", "a number"
REDUCED = {"axis": AXES, "keepdims": (True, False)}
# Of an empty array along no axis NumPy finds no median.
SORTED = {**REDUCED, "axis": AXES[:-2]}
PART = {"where": (MASK, True), "initial": (NUMBER, 2.0)}
METHODS = ("linear", "lower", "midpoint", "hazen", "inverted_cdf", "weibull")
BACKS = (None, "ortho", "forward", "backward")
INDICES = (0, -1, [0, 1], [0], (1,), [], slice(0, 1), 7)

# Functions, what may follow the array, and keyword arguments.
ROWS = [
    *((f, (), {**REDUCED, **PART}) for f in (np.sum, np.prod, np.max, np.nanmin)),
    *((f, (), {**REDUCED, "where": (MASK,)}) for f in (np.mean, np.nanmean)),
    *(
        (f, (), {**REDUCED, "where": (MASK,), "ddof": (0, 1, 0.5)})
        for f in (np.var, np.std, np.nanvar, np.nanstd)
    ),
    (np.ptp, (), REDUCED),
    *((f, (), SORTED) for f in (np.median, np.nanmedian)),
    *(
        (f, ((0.3,), ([0.25, 0.75],), ([],)), {**SORTED, "method": METHODS})
        for f in (np.quantile, np.nanquantile)
    ),
    *(
        (f, (), {"axis": AXIS})
        for f in (np.cumsum, np.cumprod, np.sort, np.unstack, np.nancumsum)
    ),
    (np.cumulative_sum, (), {"axis": AXIS, "include_initial": (True, False)}),
    (np.average, (), {"axis": AXES, "weights": (SOME,), "keepdims": (True,)}),
    (np.diff, (), {"n": (0, 1, 2, 5), "axis": AXIS[1:], "prepend": (NUMBER, SOME)}),
    (np.ediff1d, (), {"to_begin": (NUMBER, [1.0, 2.0]), "to_end": (0.5,)}),
    (np.gradient, ((), (2.0,)), {"axis": AXES, "edge_order": (1, 2)}),
    (np.trapezoid, (), {"x": (SOME,), "dx": (0.5,), "axis": AXIS[1:]}),
    (np.cov, (), {"y": (SOME,), "rowvar": (False,), "ddof": (0, 2), "bias": (True,)}),
    (np.partition, ((0,), (-1,), ([0, 1],)), {"axis": AXIS}),
    (np.flip, (), {"axis": AXES}),
    (np.rot90, (), {"k": (0, 1, -1, 5), "axes": ((0, 1), (-1, -2), (0, 0))}),
    (np.roll, ((0,), (1,), (-5,), ((1, 2),)), {"axis": AXES}),
    (np.expand_dims, ((0,), (-1,), ((0, -1),), (5,)), {}),
    (np.squeeze, (), {"axis": AXES}),
    (np.moveaxis, ((0, -1), ((0, 1), (1, 0)), (-1, 0)), {}),
    (np.reshape, ((-1,), ((3, 2),), ((1, -1),), ((0,),)), {"order": ("C", "F")}),
    (np.resize, (((2, 2),), (3,), ((),), (0,)), {}),
    (np.repeat, ((0,), (2,), ([1],), ((2,),), ([1, 2, 0],)), {"axis": AXIS}),
    (np.tile, ((0,), (2,), ((2, 1),), ((),)), {}),
    (
        np.pad,
        ((0,), (1,), ((1, 2),), ({-1: (1, 2)},)),
        {"mode": ("edge", "mean", "reflect", "linear_ramp", "wrap", "maximum")},
    ),
    (np.vander, (), {"N": (0, 1, 4), "increasing": (True,)}),
    (np.diag, (), {"k": (1, -1, 5)}),
    (np.trace, (), {"offset": (1, -1), "axis1": (0, -1), "axis2": (1, 2)}),
    (np.take, tuple((i,) for i in INDICES), {"axis": AXIS, "mode": ("wrap", "clip")}),
    (np.delete, tuple((i,) for i in INDICES), {"axis": AXIS}),
    (np.insert, tuple((i, 0.5) for i in INDICES), {"axis": AXIS}),
    (np.append, ((SOME,), (0.5,), ([1.0, 2.0],)), {"axis": AXIS}),
    (np.trim_zeros, (), {"trim": ("f", "b", "x"), "axis": AXES}),
    (np.unique, (), {"axis": AXIS, "return_counts": (True,)}),
    (np.array_split, ((1,), (2,), ([1],), ([5],)), {"axis": AXIS[1:]}),
    (np.clip, ((), (None, None), (0.1, NUMBER)), {}),
    (np.linalg.norm, (), {"ord": (1, 2, -1, 3, np.inf, "nuc"), "axis": AXES}),
    (np.linalg.vector_norm, (), {"ord": (0, 1, 3, -np.inf), **REDUCED}),
    (np.fft.fft, (), {"n": (1, 4, 5), "axis": AXIS[1:], "norm": BACKS}),
    (np.fft.irfft, (), {"n": (1, 4, 5), "axis": AXIS[1:], "norm": BACKS}),
    (np.fft.ifftn, (), {"s": ((2, 3), (4,)), "axes": ((0, 1), (-2, -1), (0,))}),
    (np.fft.fftshift, (), {"axes": AXES}),
    (np.histogram, (), {"bins": (3, [0.0, 1.0]), "weights": (SOME,)}),
    (np.polyint, (), {"m": (0, 1, 2), "k": (NUMBER, [1.0, 2.0])}),
    (np.interp, (([0.0, 1.0, 2.0], [1.0, 3.0, 0.0]),), {"left": (NUMBER,)}),
    (np.tensordot, tuple((SOME, axes) for axes in (0, 1, ([0], [0]), ([], []))), {}),
    (np.lib.stride_tricks.sliding_window_view, ((1,), (2,), (0,)), {"axis": AXIS}),
    *((f.reduce, (), {**REDUCED, **PART}) for f in (np.subtract, np.hypot, np.fmax)),
    *((f.accumulate, (), {"axis": AXIS[1:]}) for f in (np.divide, np.logaddexp)),
    *(
        (f.reduceat, (([0],), ([1, 0],), ([],), ([7],)), {"axis": (0, -1)})
        for f in (np.add, np.hypot, np.maximum)
    ),
]


class Case:
    """A call that is drawn: ``arrays`` are what is differentiated in it."""

    def __init__(self, rng, function, further, options):
        self.function, self.arrays = function, []
        self.rng, self.shape = rng, SHAPES[rng.integers(len(SHAPES))]
        self.args = [self.filled(SOME)]
        if further:
            self.args += map(self.filled, further[rng.integers(len(further))])
        self.kwargs = {
            name: self.filled(choices[rng.integers(len(choices))])
            for name, choices in options.items()
            if rng.random() < 0.6
        }

    def filled(self, item):
        """A slot for an array, a mask, or the item itself."""
        if isinstance(item, str) and item == MASK:
            return self.rng.random(self.shape) < 0.6
        if not isinstance(item, str) or item not in (SOME, NUMBER):
            return item
        shape = self.shape if item == SOME else ()
        self.arrays.append(np.asarray(self.rng.uniform(0.3, 2.0, shape)))
        return Slot(len(self.arrays) - 1)

    def __call__(self, *values):
        args = [given(item, values) for item in self.args]
        kwargs = {name: given(item, values) for name, item in self.kwargs.items()}
        return self.function(*args, **kwargs)

    def __repr__(self):
        shapes = [array.shape for array in self.arrays]
        return f"{self.function} of {shapes}: {self.args}, {self.kwargs}"


class Slot(int):
    """The number of an array in a call."""


def given(item, values):
    return values[item] if isinstance(item, Slot) else item


def outcome(call, arrays):
    """The results, or None where it is refused."""
    try:
        return flatten(call(*arrays))[0]
    except Exception:
        return None


def differentiated(call, arrays):
    """The results of a call on Variables, and the gradients of their sum."""
    variables = [Variable(array.copy(), requires_grad=True) for array in arrays]
    if (outs := outcome(call, variables)) is None:
        return None, None
    live = [out for out in outs if getattr(out, "requires_grad", False)]
    ones = [np.ones(out.shape, out.dtype) for out in live]
    found = srcgrad.autograd.grad(live, variables, ones, allow_unused=True)
    zeros = [np.zeros(array.shape) for array in arrays]
    slopes = [z if g is None else g.data for g, z in zip(found, zeros, strict=True)]
    return [raw_of(out) for out in outs], slopes


def check(case):
    expected = outcome(case, case.arrays)
    found, slopes = differentiated(case, case.arrays)
    assert (found is None) == (expected is None), case
    if found is None:
        return
    assert_same(found, expected, 1e-12, case)

    def total(i, array):
        arrays = [*case.arrays[:i], array, *case.arrays[i + 1 :]]
        outs = flatten(case(*arrays))[0]
        return sum(np.sum(np.real(out)) for out in outs if is_inexact(out))

    for i, (array, slope) in enumerate(zip(case.arrays, slopes, strict=True)):
        wanted = slope_of(lambda x, i=i: total(i, x), array)
        if np.all(np.isfinite(wanted)):
            np.testing.assert_allclose(slope, wanted, 2e-4, 2e-4, err_msg=repr(case))
    traced = srcgrad.trace(case.__call__)
    for factor in (1.0, 1.0, 1.125):
        arrays = [factor * array for array in case.arrays]
        for ours, eager in zip(
            differentiated(traced, arrays), differentiated(case, arrays), strict=True
        ):
            assert_same(ours, eager, 1e-9, case)


def assert_same(found, expected, tolerance, case):
    assert len(found) == len(expected), case
    for ours, theirs in zip(found, expected, strict=True):
        assert np.shape(ours) == np.shape(theirs), case
        assert np.result_type(ours) == np.result_type(theirs), case
        np.testing.assert_allclose(
            *(ours, theirs, tolerance, tolerance), err_msg=repr(case)
        )


@pytest.mark.seeds(4)
def test_what_keywords_say_holds_for_variables(seed):
    for number, row in enumerate(ROWS):
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            check(Case(np.random.default_rng((seed, number)), *row))


# ----- Calls by the names of all arguments -----


def names_of(sample):
    """The names of a call's arguments, if all of them may be given by name."""
    try:
        parameters = inspect.signature(sample.function).parameters.values()
    except (TypeError, ValueError):
        return None
    names = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    return names if len(names) >= len(sample.specs) else None


def callable_by_name(samples):
    """A sample of each function that is called as it is."""
    found = {}
    for sample in samples:
        module = getattr(sample.function, "__module__", None) or ""
        is_plain = sample.call is None and not module.startswith("srcgrad")
        if is_plain and names_of(sample) is not None:
            found.setdefault(sample.function, sample)
    return [*found.values()]


@for_each("sample", callable_by_name(SAMPLES), ids=lambda s: s.id)
def test_arguments_by_name_are_those_by_place(sample):
    function, arrays = sample.problem(np.random.default_rng(1), np.float64)
    names = names_of(sample)
    by_name = dataclasses.replace(
        sample,
        specs=(),
        kwargs={**dict(zip(names, sample.specs, strict=False)), **sample.kwargs},
    )
    named, _ = by_name.problem(np.random.default_rng(1), np.float64)
    try:
        named(*arrays)
    except TypeError as error:
        pytest.skip(f"takes its arguments by place: {error}")
    given = [Variable(array, requires_grad=True) for array in arrays]
    expected, found = flatten(function(*given))[0], flatten(named(*given))[0]
    for own, each in zip(found, expected, strict=True):
        np.testing.assert_array_equal(raw_of(own), raw_of(each))
        assert type(own) is type(each)
