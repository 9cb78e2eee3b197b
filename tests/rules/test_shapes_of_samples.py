"""Samples with further axes: what the library takes, a rule takes as it does, or not.

SciPy goes along the first axis in one function, and the last in another; takes stacks,
flattens them, or leaves out axes of one. Values and slopes are the library's.
"""

import dataclasses
import inspect
import warnings

import numpy as np
import pytest

import srcgrad
from tests.samples import SAMPLES, Draw, Sample

WAYS = {
    "before": lambda shape: (2, *shape),
    "behind": lambda shape: (*shape, 2),
    "of one": lambda shape: (3, 1, *shape),
}
# NumPy 2.4 goes wrong along contiguous rows, where powers and angles are reduced;
# of too few numbers some cumulants are infinite, or no numbers, by rounding. Windows of
# several parameters, quotients of tables of coefficients and the signs of stacks of
# tests are accidents of what SciPy computes.
APART = {"power.reduce", "power.reduceat", "arctan2.reduce", "kstat", "polydiv"}
APART |= {"exponential", "taylor", "kstest", "kstatvar"}
# Where nothing is left of a series, NumPy does not put the axis back.
APART |= {"hermeder"}
# Their values have parts that are not computed, or jump.
VALUES_ALONE = {"cholesky_banded"}


def parameters_of(function):
    try:
        return [*inspect.signature(function).parameters]
    except ValueError:  # it is written in C
        return []


NAMES = sorted({str(s.id).partition("-")[0] for s in SAMPLES if s.function})


def reshaped(spec, way):
    if isinstance(spec, list):
        return [reshaped(each, way) for each in spec]
    if not isinstance(spec, Draw):
        return spec
    shape = WAYS[way](spec.shape) if way in WAYS else spec.shape
    return dataclasses.replace(spec, shape=shape)


def leaves(found):
    if isinstance(found, (tuple, list)):
        return [leaf for each in found for leaf in leaves(each)]
    return [found]


def raw(leaf):
    return leaf.data if isinstance(leaf, srcgrad.Variable) else leaf


def outcome(function, *args, **kwargs):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return leaves(function(*args, **kwargs))
        except Exception as error:
            return error


def weighted(found):
    """A number that all of a result has a part in."""
    total = 0.0
    for number, leaf in enumerate(found):
        leaf = np.float64(leaf) if type(leaf) is float else leaf
        if getattr(leaf, "dtype", np.dtype(object)).kind in "fc":
            weights = np.random.default_rng(number).normal(size=np.shape(leaf)) + 0.5
            total = total + np.sum(np.real(leaf * weights))
    return total


def slopes(function, arrays):
    """Along a direction, by differences; the last two, that tell whether it has any."""
    along = [np.random.default_rng(7).normal(size=np.shape(a)) for a in arrays]

    def at(step):
        moved = [np.asarray(a + step * d) for a, d in zip(arrays, along, strict=True)]
        found = outcome(function, *moved)
        return np.nan if isinstance(found, Exception) else float(weighted(found))

    return along, [(at(h) - at(-h)) / (2.0 * h) for h in (1e-5, 2e-6)]


def check_slopes(function, arrays):
    given = [srcgrad.Variable(np.array(a), requires_grad=True) for a in arrays]
    total = weighted(outcome(function, *given))
    if not isinstance(total, srcgrad.Variable) or not total.requires_grad:
        return
    along, (expected, other) = slopes(function, arrays)
    if not abs(expected - other) < 1e-3 * (1.0 + abs(expected)):
        return  # there is a corner, or no number
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            total.backward()
        except (NotImplementedError, RuntimeError, ValueError, IndexError):
            return  # it says so
    pairs = zip(given, along, strict=True)
    found = sum(np.sum(v.grad.data * d) for v, d in pairs if v.grad is not None)
    if np.isfinite(found):
        assert found == pytest.approx(expected, 2e-3, 2e-3)


def check(sample: Sample, way: str) -> None:
    specs = tuple(reshaped(spec, way) for spec in sample.specs)
    kwargs = {key: reshaped(spec, way) for key, spec in sample.kwargs.items()}
    sample = dataclasses.replace(sample, specs=specs, kwargs=kwargs)

    def drawn():
        return np.random.default_rng(1)

    args, options = sample.arguments(drawn(), np.float64, lambda array: array)
    expected = outcome(sample.called, *args, **options)
    if isinstance(expected, Exception):
        return
    function, arrays = sample.problem(drawn(), np.float64)
    variables = [srcgrad.Variable(each, requires_grad=True) for each in arrays]
    found = outcome(function, *variables)
    if isinstance(found, Exception):
        return  # it says so
    for ours, theirs in zip(map(raw, found), expected, strict=True):
        if isinstance(theirs, (float, complex, np.ndarray, np.generic)):
            ours, theirs = np.asarray(ours), np.asarray(theirs)
            assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
            np.testing.assert_allclose(ours, theirs, 1e-6, 1e-9)
    has_slopes = str(sample.id).partition("-")[0] not in VALUES_ALONE
    if has_slopes and all(np.asarray(a).dtype == float and np.size(a) for a in arrays):
        check_slopes(function, arrays)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", [name for name in NAMES if name not in APART])
def test_a_rule_is_for_the_shapes_that_it_takes(name, way):
    for sample in SAMPLES:
        if sample.function and str(sample.id).partition("-")[0] == name:
            check(sample, way)


ALONG = [
    sample
    for sample in SAMPLES
    if sample.function is not None
    and sample.call is None
    and "axis" not in sample.kwargs
    and "axis" in parameters_of(sample.function)[len(sample.specs) :]
]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("way", ["as it is", *WAYS])
@pytest.mark.parametrize("name", sorted({str(s.id).partition("-")[0] for s in ALONG}))
def test_an_axis_may_be_counted_from_the_end(name, way):
    for sample in ALONG:
        if name not in APART and str(sample.id).partition("-")[0] == name:
            kwargs = {**sample.kwargs, "axis": -1}
            check(dataclasses.replace(sample, kwargs=kwargs), way)
