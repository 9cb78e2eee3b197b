"""``scipy.stats``: ``nan_policy`` of statistics, and several axes of them as one.

The statistics themselves are written for lines that are whole (``descriptive``,
``hypotheses`` and their neighbours). What SciPy does around each of its own is here:

>>> import srcgrad
>>> slope = srcgrad.grad(lambda x: stats.sem(x, nan_policy="omit"))
>>> slope(np.array([1.0, np.nan, 3.0]))
array([-0.5,  0. ,  0.5])
"""

import functools
import inspect
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from srcgrad.facts import Operation
from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.pytree import flatten, unflatten
from srcgrad.rules.compositions import COMPOSITIONS, as_array, defined_as
from srcgrad.rules.scipy.stats import (  # noqa: F401 (they define what is wrapped)
    bins,
    correlations,
    goodness,
    hypotheses,
    order_statistics,
)
from srcgrad.rules.scipy.stats.descriptive import nan_is_absent

NUMBERS = float, np.generic, np.ndarray, ArrayProtocol


class Around(NamedTuple):
    """What SciPy does around a statistic."""

    names: tuple[str, ...]  # of the samples; "*": all arguments by place
    is_paired: bool = False  # what is nan goes with what stands at its place
    least: Any = 1  # fewer numbers than this give nan; or a function of the options
    is_of_lines: bool = False  # whether it takes only one line at a time
    hides_nan: bool = False  # whether its result need not be nan where a sample is


class Slices:
    """Samples laid along one axis, the last, and the way back."""

    def __init__(self, samples: Any, axis: Any, keepdims: bool, is_paired: bool):
        ndim = max(map(np.ndim, samples))
        axes = range(ndim) if axis is None else np.atleast_1d(axis)
        self.axes = (*sorted(int(each) % max(ndim, 1) for each in axes),)
        if axis is None:
            self.samples = [np.ravel(sample) for sample in samples]
        else:
            self.samples = self._along_last(samples, ndim, is_paired)
        shapes = [np.shape(sample)[:-1] for sample in self.samples]
        self.shape = self.kept = np.broadcast_shapes(*shapes)
        if keepdims:
            rest = iter(self.shape)
            self.kept = tuple(
                1 if i in self.axes else next(rest) for i in range(max(ndim, 1))
            )

    def _along_last(self, samples: Any, ndim: int, is_paired: bool) -> list[Any]:
        shapes = [(1,) * (ndim - np.ndim(each)) + np.shape(each) for each in samples]
        if is_paired:
            shapes = [np.broadcast_shapes(*shapes)] * len(shapes)
            samples = map(np.broadcast_to, samples, shapes)
        first = ndim - len(self.axes)
        ends = tuple(range(-len(self.axes), 0))
        moved = [
            np.moveaxis(np.reshape(sample, shape), self.axes, ends)
            for sample, shape in zip(samples, shapes, strict=True)
        ]
        return [
            np.reshape(each, (*each.shape[:first], math.prod(each.shape[first:])))
            for each in moved
        ]

    def lines(self) -> Iterator[list[Any]]:
        """What gives one number of the result each."""
        whole = [np.broadcast_to(x, self.shape + x.shape[-1:]) for x in self.samples]
        for place in np.ndindex(self.shape):
            yield [sample[place] for sample in whole]

    def laid_out(self, result: Any) -> Any:
        """The result of the samples as they lie here, in SciPy's shape."""

        def shaped(values: list[Any]) -> Any:
            (value,) = values
            front = np.ndim(value) - len(self.shape)  # where a statistic is several
            return np.reshape(value, np.shape(value)[:front] + self.kept)

        return result if self.kept == self.shape else mapped([result], shaped)

    def joined(self, results: list[Any]) -> Any:
        """The results of all lines as one."""

        def stacked(values: list[Any]) -> Any:
            shape = np.shape(values[0]) + self.kept
            return np.reshape(np.stack(values, axis=-1), shape)

        return mapped(results, stacked) if self.kept else results[0]


def mapped(results: list[Any], make: Any) -> Any:
    """One of SciPy's results of many, made of the numbers at the same place in each."""
    first = results[0]
    kind: Any = type(first)
    if isinstance(first, NUMBERS):
        return make(results)
    if isinstance(first, tuple):
        fields = [mapped(list(values), make) for values in zip(*results, strict=True)]
        out = kind.__new__(kind, *fields)
    else:
        out = kind.__new__(kind)
    for name, value in getattr(first, "__dict__", {}).items():
        is_numbers = isinstance(value, NUMBERS)
        values = [vars(result)[name] for result in results]
        vars(out)[name] = make(values) if is_numbers else value
    return out


class Statistic:
    """A function that is of whole samples along their last axis; its samples."""

    def __init__(self, own: Operation, around: Around, given: Any) -> None:
        self.own, self.around = own, around
        options = {**given.arguments}
        for name, parameter in given.signature.parameters.items():
            if parameter.kind is parameter.VAR_KEYWORD:
                options.update(options.pop(name))
        samples: dict[Any, Any] = {
            name: options.pop(name, None) for name in around.names
        }
        if around.names == EACH:
            samples = dict(enumerate(options.pop("samples")))
        self.names = [name for name in samples if samples[name] is not None]
        self.samples = [as_array(samples[name]) for name in self.names]
        fixed = {"axis": -1, "nan_policy": "propagate", "keepdims": False}
        self.options = options | {key: fixed[key] for key in fixed if key in options}

    def __call__(self, samples: Any) -> Any:
        if self.around.names == EACH:
            return self.own(*samples, **self.options)
        named = dict(zip(self.names, samples, strict=True))
        out = self.own(**self.options, **named)
        if not self.around.hides_nan:
            return out
        is_nan = [np.any(np.isnan(sample), axis=-1) for sample in samples]
        there = functools.reduce(np.logical_or, is_nan)
        return mapped([out], lambda values: np.where(there, np.nan, values[0])[()])

    def without_nan(self, line: list[Any]) -> list[Any]:
        """A line without nan; as it is, for a result of nan, if too little is left."""
        is_there = [~np.isnan(sample) for sample in line]
        if self.around.is_paired:
            is_there = [functools.reduce(np.logical_and, is_there)] * len(line)
        left = [x[there] for x, there in zip(line, is_there, strict=True)]
        least = self.around.least
        least = least(self.options) if callable(least) else least
        return left if min(map(len, left)) >= least else line


def plainly(function: Operation, args: Any, kwargs: Any) -> Any:
    """What SciPy gives, without a gradient."""
    leaves, structure = flatten((args, kwargs))
    args, kwargs = unflatten(structure, list(map(raw_of, leaves)))
    return function(*args, **kwargs)


def is_small(around: Around, options: dict[str, Any]) -> bool:
    """Whether a sample has fewer numbers than the statistic needs, or none."""
    if around.names == EACH:
        samples = list(options["samples"])
    else:
        named = (options.get(name) for name in around.names)
        samples = [sample for sample in named if sample is not None]
    shapes = list(map(np.shape, samples))
    ndim = max(map(len, shapes))
    axis = options.get("axis", 0)
    axes = range(ndim) if axis is None else np.atleast_1d(axis)
    try:
        counts = [math.prod(s[i] for i in axes) for s in shapes if len(s) == ndim]
    except IndexError:
        return False
    least = around.least(options) if callable(around.least) else around.least
    return ndim > 0 and min(counts) < max(least, 1)


def is_no_number(result: Any) -> bool:
    """Whether what SciPy gives says nothing, and so has no gradient."""
    found: list[Any] = []
    mapped([result], lambda values: found.append(values[0]))
    return bool(np.all(np.isnan(found[0])))


def with_policy(function: Operation, own: Operation, around: Around) -> Operation:
    """``own``, which is of whole lines along one axis, as SciPy's function is."""
    signature = inspect.signature(own)

    @functools.wraps(own)
    def composed(*args: Any, **kwargs: Any) -> Any:
        try:
            given = signature.bind(*args, **kwargs)
        except TypeError:  # so says the function, in its own words
            plainly(function, args, kwargs)
            raise
        given.apply_defaults()
        options = given.arguments
        if is_small(around, options):
            small = plainly(function, args, kwargs)
            if is_no_number(small):
                return small
        policy, axis = options["nan_policy"], options.get("axis", 0)
        is_simple = not (around.is_of_lines or around.hides_nan)
        if policy == "propagate" and is_simple and isinstance(axis, int):
            return own(*args, **kwargs)
        statistic = Statistic(own, around, given)
        keepdims = options.get("keepdims", False)
        slices = Slices(statistic.samples, axis, keepdims, around.is_paired)
        is_whole = nan_is_absent(slices.samples, policy)
        if is_whole and not around.is_of_lines:
            return slices.laid_out(statistic(slices.samples))
        lines = slices.lines()
        return slices.joined(
            [
                statistic(line if is_whole else statistic.without_nan(line))
                for line in lines
            ]
        )

    return composed


def least_of_entropy(options):
    window = options["window_length"]
    return 5 if window is None else 2 * window + 1


EACH = ("*",)
AROUND = {
    "tmean tvar tstd tsem moment skew kurtosis sem variation gstd": Around(("a",)),
    "tmin tmax": Around(("a",)),
    "trim_mean": Around(("a",), hides_nan=True),
    "mode": Around(("a",), least=0),
    "circmean circvar circstd": Around(("samples",)),
    "iqr median_abs_deviation ks_1samp jarque_bera": Around(("x",)),
    "kstat kstatvar boxcox_llf yeojohnson_llf": Around(("data",)),
    "differential_entropy": Around(("values",), least=least_of_entropy),
    "lmoment": Around(("sample",)),
    "gmean hmean pmean": Around(("a", "weights"), is_paired=True),
    "entropy": Around(("pk", "qk"), is_paired=True, least=0),
    "skewtest normaltest": Around(("a",), least=8),
    "kurtosistest": Around(("a",), least=5),
    "shapiro": Around(("x",), least=3, is_of_lines=True, hides_nan=True),
    "cramervonmises": Around(("rvs",), least=2, hides_nan=True),
    "epps_singleton_2samp": Around(("x", "y"), least=5),
    "ttest_1samp": Around(("a", "popmean")),
    "ttest_ind": Around(("a", "b")),
    "ttest_rel": Around(("a", "b"), is_paired=True),
    "f_oneway levene alexandergovern": Around(EACH),
    "bartlett": Around(EACH, least=2),
    "linregress": Around(("x", "y"), is_paired=True, least=2),
    "pointbiserialr": Around(("x", "y"), is_paired=True),
    "theilslopes": Around(("y", "x"), is_paired=True, is_of_lines=True, hides_nan=True),
    "siegelslopes": Around(("y", "x"), is_paired=True, is_of_lines=True),
    "combine_pvalues": Around(("pvalues", "weights"), is_paired=True),
    "chisquare power_divergence": Around(("f_obs", "f_exp"), is_paired=True, least=0),
}

for _functions, _around in AROUND.items():
    for _function in (getattr(stats, name) for name in _functions.split()):
        _own = COMPOSITIONS[_function]
        defined_as(_function, with_policy(_function, _own, _around))
