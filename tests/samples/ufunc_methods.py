"""Samples for the rules and compositions of ``srcgrad.rules.ufunc_methods``."""

import numpy as np

from srcgrad.rules import COMPOSITIONS
from tests.samples import COMPLEX, REAL, Constant, Draw, S, positive, within

MASK = np.array([[True, False, True, True], [False, True, True, True]] * 2)[:3]
INDICES = Constant(np.array([0, 2, 1, 2]))  # a slice, an element, a slice, the rest

WITH_A_RULE = (np.logaddexp, np.logaddexp2, np.hypot, np.fmax, np.fmin)
# NumPy 2.4 reduces three elements in memory wrongly by power and arctan2.
STEP_BY_STEP = [f for f in COMPOSITIONS if hasattr(f, "__self__")]
KNOWN = (np.add, np.multiply, np.maximum, np.minimum)


def of(ufunc, method, *specs, draw=positive, **options):
    function = getattr(ufunc, method)
    name = f"{ufunc.__name__}.{method}"
    if (ufunc, method) in FUNCTIONS:  # NumPy's own, with a sample elsewhere
        function = None
    if "initial" in options:
        options["call"] = lambda x, **kwargs: ufunc.reduce(x, **kwargs)
    elif function is None or method == "reduceat":
        options["call"] = lambda x, *args, **kwargs: getattr(ufunc, method)(
            x, *args, **kwargs
        )
    return S(function, draw(3, 4), *specs, id=name, **options)


FUNCTIONS = {(f, m) for f in (np.add, np.multiply) for m in ("reduce", "accumulate")}
FUNCTIONS |= {(f, "reduce") for f in (np.maximum, np.minimum)}


def reductions():
    for ufunc in WITH_A_RULE:
        draw = (lambda *shape: Draw(shape)) if ufunc is not np.hypot else positive
        for axis in (None, 0, -1, (0, 1)):
            yield of(ufunc, "reduce", axis=axis, draw=draw)
        yield of(ufunc, "reduce", keepdims=True, draw=draw)
        yield of(ufunc, "reduce", initial=positive(), axis=1, draw=draw)
        yield of(ufunc, "reduce", initial=positive(), where=MASK, draw=draw)
    for ufunc in KNOWN:
        yield of(ufunc, "reduce")
    yield of(np.subtract, "reduce", axis=1, dtypes=COMPLEX)
    yield of(np.divide, "reduce", axis=1, keepdims=True, dtypes=COMPLEX)
    yield of(np.divide, "reduce", axis=1, initial=positive())
    yield of(np.subtract, "reduce", axis=0, initial=0.5, where=MASK)
    yield of(np.divide, "reduce", dtype=np.float64)


def cumulations():
    for ufunc in (*WITH_A_RULE, *KNOWN):
        for axis in (0, -1):
            yield of(ufunc, "accumulate", axis=axis)
    for ufunc in (np.maximum, np.minimum, np.fmax, np.fmin):
        yield S(ufunc.accumulate, (9,), id=f"{ufunc.__name__}.accumulate")
    yield of(np.subtract, "accumulate", dtypes=COMPLEX)
    yield S(np.logaddexp.accumulate, (2, 3, 2), axis=1, id="logaddexp.accumulate")


def numbers():
    """A number is its own reduction."""
    for ufunc in (np.divide, np.hypot):
        id = f"{ufunc.__name__}.reduce of a number"
        yield S(None, positive(), call=ufunc.reduce, id=id)


def sums_of_slices():
    yield of(np.add, "reduceat", Constant([0, 1]), axis=1, dtypes=COMPLEX)
    yield of(np.add, "reduceat", Constant(np.array([3, 0, 2])), axis=-1)


def outer_products():
    for ufunc in (np.multiply, np.add, np.divide, np.maximum, np.hypot):
        yield S(
            *(None, positive(2, 3), positive(2)),
            call=ufunc.outer,
            id=f"{ufunc.__name__}.outer",
        )
    yield S(None, (3,), (2,), call=np.multiply.outer, dtypes=COMPLEX, id="outer")
    yield S(None, (3,), (), call=np.subtract.outer, dtype=np.float64, id="outer")


def parts():
    """Only where the mask is true is anything computed."""

    def picked(call):
        return lambda *args: call(*args)[MASK]

    yield S(
        *(None, (3, 4), (4,)),
        call=picked(lambda x, y: np.multiply(x, y, out=None, where=MASK)),
        dtypes=REAL,
        id="multiply-where",
    )
    yield S(
        *(None, (3, 4)),
        call=picked(
            lambda x: np.sqrt(np.where(MASK, x * x, -1.0), out=None, where=MASK)
        ),
        id="sqrt-where",
    )
    yield S(
        *(None, positive(3, 4)),
        call=picked(lambda x: np.divmod(x + 4.0, 9.0, out=(None, None), where=MASK)[1]),
        id="divmod-where",
    )


def in_place():
    """What ``at`` does with indices that repeat, one after the other."""
    index = np.array([0, 2, 0, 0])
    for ufunc in (np.add, np.subtract, np.multiply, np.divide, np.power, np.maximum):

        def call(x, y, ufunc=ufunc):
            out = x * 1.0
            ufunc.at(out, index, y)
            return out

        yield S(None, positive(3, 2), positive(4, 2), call=call, id="at")
        yield S(None, positive(3, 2), positive(), call=call, id="at")

    def unary(x):
        out = x * 1.0
        np.sin.at(out, (index, 1))
        np.negative.at(out, slice(0, 1))
        return out

    yield S(None, (3, 2), call=unary, id="at-unary")

    def into(x):
        whole = x * 0.0
        fraction, _ = np.modf(x, out=(None, whole))
        quotient, rest = x * 0.0, x * 0.0
        np.divmod(x, 0.7, out=(quotient, rest))
        return fraction * 2.0 + whole + quotient + rest * x

    yield S(None, within(0.1, 0.6, 3), call=into, id="out")


def step_by_step():
    for method in STEP_BY_STEP:
        ufunc, name = method.__self__, method.__name__
        if ufunc is np.floor_divide and name == "reduce":  # of one row it is that row
            yield of(ufunc, name, axis=2, draw=lambda *shape: positive(*shape, 1))
            continue
        yield of(ufunc, name, *[Constant(np.array([0, 1]))] * (name == "reduceat"))


SAMPLES = [
    *step_by_step(),
    *reductions(),
    *cumulations(),
    *numbers(),
    *sums_of_slices(),
    *outer_products(),
    *parts(),
    *in_place(),
]
