"""Rules for ``scipy.special``: logarithms, entropies, logistic functions, Box-Cox."""

import math

import numpy as np
from scipy import special

from srcgrad.rules.broadcasting import expand_reduced
from srcgrad.rules.complexes import conj, is_complex
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.registry import defconstant, defvjp
from srcgrad.rules.scipy.special.holes import near_zero
from srcgrad.rules.scipy.ufuncs import defufunc
from srcgrad.rules.slopes import share_of_side
from srcgrad.valued import differentiated_as

DEGREE = math.pi / 180.0


# ----- Powers, exponentials, angles in degrees -----
EXPREL_SLOPE = [(n + 1.0) / math.factorial(n + 2) for n in range(16)]


def exprel_slope(x):
    """The derivative of ``(exp(x) - 1) / x``."""
    return near_zero(x, EXPREL_SLOPE, lambda x: (np.exp(x) - special.exprel(x)) / x)


def power_in_exponent(g, x, out):
    """Of ``x ** y - 1`` in ``y``: 0 where ``x`` is, for it stays -1."""
    return g * (out + 1.0) * np.log(np.where(x == 0, 1.0, x))


defufunc(special.cbrt, "x", x=lambda g, out: g / (3.0 * out * out))
defufunc(special.exp2, "x", x=lambda g, out: math.log(2.0) * g * out)
defufunc(special.exp10, "x", x=lambda g, out: math.log(10.0) * g * out)
defufunc(special.expm1, "z", z=lambda g, out: g * (conj(out) + 1.0))
defufunc(special.log1p, "z", z=lambda g, z: g / (conj(z) + 1.0))
defufunc(special.cosm1, "x", x=lambda g, x: -g * np.sin(x))
defufunc(special.exprel, "x", x=lambda g, x: g * exprel_slope(x))
defufunc(
    special.powm1,
    "x, y",
    x=lambda g, x, y: g * y * x ** np.where(np.equal(y, 0), 0.0, y - 1.0),
    y=power_in_exponent,
)
defufunc(special.cosdg, "x", x=lambda g, x: -DEGREE * g * special.sindg(x))
defufunc(special.sindg, "x", x=lambda g, x: DEGREE * g * special.cosdg(x))
defufunc(special.tandg, "x", x=lambda g, out: DEGREE * g * (1.0 + out * out))
defufunc(special.cotdg, "x", x=lambda g, out: -DEGREE * g * (1.0 + out * out))


def radian(d, m, s):
    """``scipy.special.radian``"""
    return DEGREE * (np.add(d, np.divide(m, 60.0)) + np.divide(s, 3600.0))


defined_as(special.radian, radian)
defconstant(special.round)

# ----- Entropies and losses -----


def zero_at_zero(x, y):
    """``y``, or 1 where the product ``x * log(y)`` stays 0 whatever ``y`` is."""
    return np.where((x == 0) & (y == 0), 1.0, y)


def zero_at_one(x, y):
    return np.where((x == 0) & (y == -1), 0.0, y)


def log_ratio(x, y):
    """``log(x / y)``, of quotients near 1 too, and of those that are no floats."""
    is_near = np.abs(x - y) < 0.5 * y
    near = np.log1p(np.where(is_near, (x - y) / np.where(is_near, y, 1.0), 0.0))
    return np.where(is_near, near, np.log(x) - np.log(y))


def pseudo_huber_width(delta, r):
    """The slope in ``delta``, of which ``size`` is the excess of the root over 1."""
    root = np.hypot(1.0, r / delta)
    size = (r / delta) * (r / delta / (1.0 + root))
    return delta * (size / root) * size


defufunc(
    special.xlogy,
    "x, y",
    x=lambda g, x, y: g * conj(np.log(zero_at_zero(x, y))),
    y=lambda g, x, y: g * conj(x / zero_at_zero(x, y)),
)
defufunc(
    special.xlog1py,
    "x, y",
    x=lambda g, x, y: g * conj(special.log1p(zero_at_one(x, y))),
    y=lambda g, x, y: g * conj(x / (1.0 + zero_at_one(x, y))),
)
defufunc(special.entr, "x", x=lambda g, x: -g * (np.log(x) + 1.0))
defufunc(
    special.rel_entr,
    "x, y",
    x=lambda g, x, y: g * (log_ratio(x, y) + 1.0),
    y=lambda g, x, y: -g * (x / y),
)
defufunc(
    special.kl_div,
    "x, y",
    x=lambda g, x, y: g * log_ratio(x, y),
    y=lambda g, x, y: g * ((y - x) / y),
)
defufunc(
    special.huber,
    "delta, r",
    delta=lambda g, delta, r: g * np.maximum(np.abs(r) - delta, 0.0),
    r=lambda g, delta, r: g * np.clip(r, -delta, delta),
)
defufunc(
    special.pseudo_huber,
    "delta, r",
    delta=lambda g, delta, r: g * pseudo_huber_width(delta, r),
    r=lambda g, delta, r: g * delta * share_of_side(r, delta, np.hypot(r, delta)),
)


# ----- Logistic functions -----
def expit_slope(x, out):
    return differentiated_as(
        lambda: 0.25 * (1.0 - np.square(np.tanh(0.5 * x))), out * special.expit(-x)
    )


defufunc(special.expit, "x", x=lambda g, x, out: g * expit_slope(x, out))


def share_times_rest(x):
    """``x * (1 - x)``, whose slope is 0 at a half."""
    return differentiated_as(lambda: 0.25 - np.square(x - 0.5), x * (1.0 - x))


defufunc(special.logit, "x", x=lambda g, x: g / share_times_rest(x))
defufunc(special.log_expit, "x", x=lambda g, x: g * special.expit(-x))
if hasattr(special, "softplus"):  # from SciPy 1.17
    defvjp(special.softplus, x=lambda g, x: g * special.expit(x))


def finite(x):
    """What an exponent is measured from: ``inf - inf`` says nothing."""
    return np.where(np.isfinite(x), x, 0.0)


def shares(a, a_shape, out, axis, keepdims, return_sign):
    """``exp(a) / sum(b * exp(a))``, from the result."""
    total, sign = out if return_sign else (out, 1.0)
    total = expand_reduced(finite(total), a_shape, axis, keepdims)
    if return_sign:
        sign = conj(expand_reduced(sign, a_shape, axis, keepdims))
    return np.exp(a - total) * sign


def log_sum_back(g, a_shape, out, axis, keepdims, return_sign):
    if return_sign:
        (g, of_sign), (_, sign) = g, out
        if is_complex(sign):  # the phase, which turns as the sum does
            g = g + 1j * np.imag(of_sign * conj(sign))
    return expand_reduced(g, a_shape, axis, keepdims)


def log_sum_in_exponents(g, a, a_shape, out, axis, b, keepdims, return_sign):
    share = shares(a, a_shape, out, axis, keepdims, return_sign)
    weighted = share if b is None else share * b
    return log_sum_back(g, a_shape, out, axis, keepdims, return_sign) * conj(weighted)


def log_sum_in_weights(g, a, a_shape, out, axis, keepdims, return_sign):
    share = shares(a, a_shape, out, axis, keepdims, return_sign)
    return log_sum_back(g, a_shape, out, axis, keepdims, return_sign) * conj(share)


def softmax_back(g, out, axis):
    share = conj(out)
    return share * (g - np.sum(g * share, axis=axis, keepdims=True))


def log_softmax_back(g, out, axis):
    return g - np.exp(conj(out)) * np.sum(g, axis=axis, keepdims=True)


defvjp(special.logsumexp, a=log_sum_in_exponents, b=log_sum_in_weights)
defvjp(special.softmax, x=softmax_back)
defvjp(special.log_softmax, x=log_softmax_back)

# ----- Box-Cox -----

INVERSE_SLOPE = [(-1.0) ** (n + 1) * (n + 1.0) / (n + 2.0) for n in range(36)]


def box_cox_exponent(g, log_x, lmbda):
    is_of_zero = (log_x == -np.inf) & (lmbda > 0.0)  # the value is -1 / lmbda
    log_x = np.where(is_of_zero, 0.0, log_x)
    usual = log_x * log_x * exprel_slope(lmbda * log_x)
    at_zero = 1.0 / np.where(is_of_zero, lmbda * lmbda, 1.0)
    return g * np.where(is_of_zero, at_zero, usual)


def inverse_exponent(g, y, lmbda, power):
    slope = near_zero(
        lmbda * y, INVERSE_SLOPE, lambda v: (v / (1.0 + v) - np.log1p(v)) / (v * v)
    )
    return g * power * y * y * slope


defufunc(
    special.boxcox,
    "x, lmbda",
    x=lambda g, x, lmbda: g * x ** (lmbda - 1.0),
    lmbda=lambda g, x, lmbda: box_cox_exponent(g, np.log(x), lmbda),
)
defufunc(
    special.boxcox1p,
    "x, lmbda",
    x=lambda g, x, lmbda: g * (1.0 + x) ** (lmbda - 1.0),
    lmbda=lambda g, x, lmbda: box_cox_exponent(g, np.log1p(x), lmbda),
)
defufunc(
    special.inv_boxcox,
    "y, lmbda",
    y=lambda g, lmbda, out: g * out ** (1.0 - lmbda),
    lmbda=lambda g, y, lmbda, out: inverse_exponent(g, y, lmbda, out),
)
defufunc(
    special.inv_boxcox1p,
    "y, lmbda",
    y=lambda g, lmbda, out: g * (out + 1.0) ** (1.0 - lmbda),
    lmbda=lambda g, y, lmbda, out: inverse_exponent(g, y, lmbda, out + 1.0),
)
