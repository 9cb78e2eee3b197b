"""Where ndarrays, NumPy scalars and floats do something else than a Variable."""

import math

import numpy as np
import pytest

import srcgrad
from tests.tracing.comparing import same_through

FLOATS = {
    "floor divide": lambda t: (t // 2.0, 7 // t, t // 2),
    "divmod": lambda t: (divmod(t, 2.0), divmod(7.5, t)),
    "round": lambda t: (round(t), round(t, 1), round(t * 7.35, 2)),
    "compare": lambda t: (t < 2.0, t == 3.5, 1 < t, t != 2, not t),  # noqa: SIM300
    "booleans": lambda t: (~(t < 2.0), (t > 1) * 2.0, (t > 1) & (t < 5)),
    "conjugate": lambda t: (t.real, t.imag, t.conjugate()),
    "power": lambda t: (t**2, 2**t, t**0.5, pow(t, 2)),
    "own methods": lambda t: t.is_integer(),
    "class": lambda t: (type(t).__name__, t.__class__.__name__, isinstance(t, float)),
    "numpy": lambda t: (np.floor(t), np.sqrt(abs(t)), np.maximum(t, 1)),
    "convert": lambda t: (float(t), int(t), str(t), bool(t), complex(t)),
    "math": lambda t: math.exp(t) + math.floor(t),
}


@pytest.mark.parametrize("kind", [float, np.float64, np.float32])
@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_floats_keep_pythons_arithmetic(name, kind):
    values = (2.75, 2.75, 3.5, -3.5, 2.0, 2.0)
    same_through(FLOATS[name], *[lambda t=t: (kind(t),) for t in values])


@pytest.mark.parametrize("kind", [float, np.float64, np.float32])
def test_a_power_of_minus_one_is_a_division(kind):
    """The same but for rounding: NumPy before 2.3 has a power of float32 of its own."""
    inverse = srcgrad.trace(lambda t: t**-1)
    for value in (2.75, 2.75, 3.5, -3.5, 2.0):
        ours, theirs = inverse(kind(value)), inverse.__wrapped__(kind(value))
        assert type(ours) is type(theirs)
        np.testing.assert_allclose(ours, theirs, rtol=np.finfo(kind).eps)
    assert inverse.stats.compiled == 4


@pytest.mark.parametrize("kind", [float, np.float64])
@pytest.mark.parametrize(
    ("function", "bad"),
    [
        (lambda t: 1.0 / t, 0.0),
        (lambda t: t**-1, 0.0),
        (lambda t: t // 0.0 if t > 5 else t, 6.0),
        (lambda t: t**2, 1e200),
        (lambda t: t**0.5, -4.0),
        (lambda t: math.sqrt(t), -1.0),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_python_raises_where_numpy_does_not(function, bad, kind):
    same_through(function, *[lambda t=t: (kind(t),) for t in (2.0, 3.0, bad, 3.0)])
