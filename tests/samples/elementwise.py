"""Samples for the rules of ``srcgrad.rules.elementwise``."""

import inspect
import operator

import numpy as np

from srcgrad.rules.slopes import steep
from srcgrad.updates import cast
from srcgrad.valued import valued
from tests.samples import COMPLEX, REAL, Constant, Draw, S, positive, strided, within

MASK = np.array([[True, False, True, True], [False, True, False, True]] * 2)[:3]
ROW = np.array([True, False, False, True])

# Functions of one argument, with the interval on which they are tested.
REAL_LINE = (-2.0, 2.0)
UNARY = {
    np.positive: REAL_LINE,
    np.negative: REAL_LINE,
    np.reciprocal: (0.4, 3.0),
    np.square: REAL_LINE,
    np.sqrt: (0.3, 3.0),
    np.exp: REAL_LINE,
    np.expm1: REAL_LINE,
    np.log: (0.3, 3.0),
    np.log2: (0.3, 3.0),
    np.log10: (0.3, 3.0),
    np.log1p: (-0.6, 3.0),
    np.sin: REAL_LINE,
    np.cos: REAL_LINE,
    np.tan: (-1.0, 1.0),
    np.arcsin: (-0.8, 0.8),
    np.arccos: (-0.8, 0.8),
    np.arctan: (-0.8, 0.8),
    np.sinh: REAL_LINE,
    np.cosh: REAL_LINE,
    np.tanh: REAL_LINE,
    np.arcsinh: (-0.8, 0.8),
    np.arccosh: (1.3, 3.0),
    np.arctanh: (-0.8, 0.8),
    np.absolute: REAL_LINE,
    np.sinc: REAL_LINE,
    np.conjugate: REAL_LINE,
    np.real: REAL_LINE,
    np.copy: REAL_LINE,
    np.nan_to_num: REAL_LINE,
    np.real_if_close: REAL_LINE,
}
REAL_UNARY = {
    np.cbrt: (0.3, 3.0),
    np.fabs: REAL_LINE,
    np.exp2: REAL_LINE,
    np.deg2rad: (-90.0, 90.0),
    np.radians: (-90.0, 90.0),
    np.rad2deg: REAL_LINE,
    np.degrees: REAL_LINE,
    np.modf: (0.1, 0.9),
    np.frexp: (1.1, 1.9),
    np.i0: REAL_LINE,
}
BINARY = (np.add, np.subtract, np.multiply)
REAL_BINARY = (np.maximum, np.minimum, np.fmax, np.fmin)
POSITIVE_BINARY = (np.arctan2, np.hypot, np.logaddexp, np.logaddexp2)


def unary(functions, dtypes):
    for function, (low, high) in functions.items():
        yield S(function, within(low, high, 3, 4), dtypes=dtypes)
        yield S(function, within(low, high), dtypes=dtypes)
        yield S(function, within(low, high, 0, 3), dtypes=dtypes)


def binary(functions, dtypes, draw=Draw):
    """Each kind of operands: broadcast, scalar with array, a number on either side."""
    for function in functions:
        yield S(function, draw((3, 4)), draw((3, 4)), dtypes=dtypes)
        yield S(function, draw((3, 1)), draw((4,)), dtypes=dtypes)
        yield S(function, draw(()), draw((2, 3)), dtypes=dtypes)
        yield S(function, draw(()), draw(()), dtypes=dtypes)
        yield S(function, draw((0, 3)), draw((3,)), dtypes=dtypes)
        yield S(function, draw((1, 3)), draw((0, 3)), dtypes=dtypes)
        yield S(function, draw((4,)), Constant(0.7), dtypes=dtypes)
        yield S(function, Constant(0.7), draw((4,)), dtypes=dtypes)
        yield S(function, draw((2, 3)), Constant(np.array([1, 2, 3])), dtypes=dtypes)


def sized(shape):
    return Draw(shape, 0.3, 3.0)


def powers():
    """A number as exponent has its own formulas; an array has one for all."""
    for n in (2, 3, 1, -1, -2, 2.0, 0.5, 1.5, -0.5):
        yield S(np.power, positive(4), Constant(n), dtypes=COMPLEX)
    for n in (2, 3, 1, -1):
        yield S(np.power, Draw((4,)), Constant(n), dtypes=COMPLEX, id="negative")
    for n in (0, 0.0):
        yield S(np.power, (4,), Constant(n), dtypes=COMPLEX, second_order=False)
    yield S(np.power, Draw((2, 3)), Constant(np.array([0.0, 1.0, 2.0])))
    yield S(np.power, Draw((2, 3)), Constant(np.array([0, 1, 2])), tolerance=1e-3)
    yield S(
        *(np.power, positive(4), (4,), (4,)),
        call=lambda x, y, z: np.power(-x, y + 1j * z),
        id="complex-exponent",
    )
    yield S(
        *(np.power, (4,), (4,)),
        call=lambda y, z: np.power(-2.0, y + 1j * z),
        id="negative-number",
    )
    for number in (2, 2.5, 1, 0.5):
        yield S(np.power, Constant(number), Draw((4,)), dtypes=COMPLEX)
    yield S(None, Draw((3,)), call=lambda x: x**2, id="x**2")
    yield S(None, positive(3), call=lambda x: x**0.5, id="x**0.5")
    yield S(None, Draw((3,)), call=lambda x: 2.0**x, id="2.0**x")


def operators():
    names = "add sub mul truediv"
    for name in names.split():
        yield S(
            None, positive(3, 1), positive(4), call=getattr(operator, name), id=name
        )
    yield S(None, Draw((3,)), call=lambda x: 1.5 - x, id="1.5-x")
    yield S(None, positive(3), call=lambda x: 2 / x, id="2/x")
    yield S(None, Draw((3,)), call=operator.neg, id="neg")
    yield S(None, Draw((4,)), call=abs, id="abs")
    yield S(None, within(0.1, 0.9, 4), call=lambda x: (x + 2.0) % 1.0, id="mod")


def choices():
    for function in (np.maximum, np.minimum):
        yield S(function, Draw((3, 4)), Constant(0.0))
        yield S(function, Draw((3, 4)), Constant(0))
        yield S(function, strided(3, 4), Draw((3, 4)))
    yield S(np.where, Constant(MASK), (3, 4), (3, 4), dtypes=COMPLEX)
    yield S(np.where, Constant(MASK), (3, 1), (4,), dtypes=COMPLEX)
    yield S(np.where, Constant(ROW), (3, 1), Constant(0.0))
    yield S(np.where, Constant(ROW), Constant(1), (3, 4))
    yield S(np.where, Constant(True), (3,), (3,))
    yield S(np.where, Constant(MASK), (), ())
    yield S(None, (6,), call=lambda x: np.where(x > 0, x, 0.1 * x), id="leaky-relu")
    yield S(np.clip, (3, 4), Constant(-0.9), Constant(0.9))
    yield S(np.clip, (3, 4), Constant(None), Constant(0.9))
    yield S(np.clip, (3, 4), Constant(None), Constant(None))
    yield S(np.clip, (3, 4), Constant(-0.9), Constant(None))
    yield S(np.clip, (3, 4), Constant(0.5), Constant(-0.5))
    yield S(np.clip, (3, 4), within(-1.1, -0.9, 4), within(0.9, 1.1, 3, 1))
    yield S(np.clip, (3, 4), within(-1.1, -0.9), Constant(None))
    yield S(np.clip, (3, 4), Constant(None), within(0.9, 1.1))
    if "min" in inspect.signature(np.clip).parameters:
        yield S(
            *(np.clip, (3, 4), within(-1.1, -0.9, 4), within(0.9, 1.1, 3, 1)),
            call=lambda x, low, high: np.clip(x, min=low, max=high),
            id="keywords",
        )
        yield S(np.clip, (3, 4), min=-0.9)
        yield S(np.clip, (3, 4), max=0.9)
    yield S(np.clip, (), Constant(-0.5), Constant(0.5))
    yield S(np.clip, (0, 3), Constant(-0.5), Constant(0.5))
    yield S(
        np._core.umath.clip,
        *((3, 4), within(-1.1, -0.9, 4), within(0.9, 1.1, 3, 1)),
        id="ufunc",
    )
    yield S(np.heaviside, Constant(np.array([-1.0, 0.0, 2.0])), (3,))
    yield S(np.heaviside, Constant(np.array([-1.0, 0.0, 2.0])), ())


def remainders():
    for function in (np.remainder, np.fmod, np.divmod):
        yield S(function, within(4.2, 4.8, 3, 1), within(1.8, 2.0, 4))
        yield S(function, within(-4.8, -4.2, 3), Constant(2.0))
        yield S(function, Constant(4.5), within(1.8, 2.0, 3))
        yield S(function, within(4.2, 4.8), within(1.8, 2.0))
        yield S(function, within(4.2, 4.8, 0, 3), within(1.8, 2.0))
    yield S(np.remainder, within(-4.8, -4.2, 3), within(1.8, 2.0, 3))
    yield S(np.fmod, within(-4.8, -4.2, 3), within(1.8, 2.0, 3))


def parts():
    yield S(np.unwrap, within(-9.0, 9.0, 3, 4))
    yield S(np.unwrap, within(-9.0, 9.0, 5), axis=0, period=3.0)
    yield S(np.unwrap, within(-9.0, 9.0, 5), period=within(3.0, 3.5))
    sign = Constant(np.array([1.0, -1.0, -0.0, 0.0]))
    yield S(np.copysign, (3, 4), sign)
    yield S(np.ldexp, (3, 4), Constant(np.array([0, 1, -1, 3])))
    yield S(np.ldexp, (3, 1), Constant(np.array([0, 1])))
    # A float has no neighbour at half the distance: only the value is differentiated.
    yield S(np.nextafter, (3,), Constant(np.inf))
    yield S(np.sign, (3,), call=lambda x: x * np.sign(x), dtypes=COMPLEX)
    yield S(np.imag, (3,), dtypes=(np.complex128,))
    yield S(np.imag, (), dtypes=(np.complex128,))
    yield S(np.angle, (3,), dtypes=(np.complex128,))
    yield S(np.angle, (3,), deg=True, dtypes=(np.complex128,))
    yield S(np.real, (0, 3), dtypes=(np.complex128,))
    yield S(None, (3,), call=lambda x: x.real, dtypes=COMPLEX, id="x.real")
    yield S(None, (3,), call=lambda x: x.conj() * x, dtypes=COMPLEX, id="x.conj()*x")


def limits_put_in(x, nan, low, high):
    x = np.concatenate([x, np.array([np.nan, -np.inf, np.inf, np.nan], x.dtype)])
    return np.nan_to_num(x, nan=nan, neginf=low, posinf=high)


def copies():
    yield S(cast, (3, 4), Constant(np.float64))
    yield S(cast, (3,), Constant(np.complex128))
    yield S(steep, positive(3, 4), positive(4))
    constant = Constant(np.arange(4.0))
    yield S(valued, (4,), constant, call=lambda x, y: valued(x, x + 0.0 * y))
    if hasattr(np, "astype"):
        yield S(np.astype, (3, 4), Constant(np.float64))
    yield S(np.nan_to_num, (3,), call=lambda x: np.nan_to_num(x, nan=1.0))
    yield S(np.nan_to_num, (2,), (), (), (), call=limits_put_in, id="nan_to_num-limits")


SAMPLES = [
    *unary(UNARY, COMPLEX),
    *unary(REAL_UNARY, dtypes=REAL),
    S(np.tanh, strided(3, 4)),
    *binary(BINARY, COMPLEX),
    *binary([np.divide], COMPLEX, sized),
    *binary(POSITIVE_BINARY, (np.float64, np.float32), sized),
    *binary([np.power, np.float_power], COMPLEX, sized),
    *binary(REAL_BINARY, REAL),
    *powers(),
    *operators(),
    *choices(),
    *remainders(),
    *parts(),
    *copies(),
]
