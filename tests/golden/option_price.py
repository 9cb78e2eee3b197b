"""option_price, traced at programs.py:1, for spot: float, rate: float, volatility:
float64[]
"""

import math

import numpy as np


def forward_on_floats(spot, rate, volatility):
    """On Python's floats; where one of these raises, `forward` runs."""
    # programs.py:3: d = (np.log(abs(spot) + 1.0) + rate) / volatility + 0.5 * vol ...
    abs_1 = abs(spot)
    volatility = float(volatility)
    divide = (math.log(abs_1 + 1.0) + rate) / volatility
    d = divide + 0.5 * volatility

    # programs.py:4: tail = np.exp(-0.5 * d * d) / np.sqrt(2.0 * np.pi)
    multiply = -0.5 * d
    multiply_1 = multiply * d
    exp = math.exp(multiply_1)
    tail = exp / 2.5066282746310002

    # programs.py:5: return abs(spot) * tail - np.exp(-rate) * np.arctan(d - volat ...
    exp_1 = math.exp(-rate)
    subtract = d - volatility
    out = abs_1 * tail - exp_1 * math.atan(subtract)
    if not math.isfinite(multiply_1 + subtract + out):
        raise OverflowError
    return np.float64(out), (
        volatility,
        abs_1,
        divide,
        d,
        multiply,
        exp,
        exp_1,
        subtract,
    )


def backward_on_floats(saved, dout):
    """On Python's floats; where one of these raises, `backward` runs."""
    volatility, abs_1, divide, d, multiply, exp, exp_1, subtract = saved

    # programs.py:5: return abs(spot) * tail - np.exp(-rate) * np.arctan(d - volat ...
    dout = float(dout)
    hypot = math.hypot(1.0, subtract)
    divide_1 = dout * exp_1 / hypot / hypot
    dtail = dout * abs_1

    # programs.py:4: tail = np.exp(-0.5 * d * d) / np.sqrt(2.0 * np.pi)
    dmultiply = dtail / 2.5066282746310002 * exp
    dd = dmultiply * multiply - divide_1 + dmultiply * d * -0.5

    # programs.py:3: d = (np.log(abs(spot) + 1.0) + rate) / volatility + 0.5 * vol ...
    dvolatility = divide_1 + dd * 0.5 - dd / volatility * divide
    if not math.isfinite(hypot + dvolatility):
        raise OverflowError
    return np.float64(dvolatility)


def forward(spot, rate, volatility):
    # programs.py:3: d = (np.log(abs(spot) + 1.0) + rate) / volatility + 0.5 * vol ...
    abs_1 = abs(spot)
    divide = (np.log(abs_1 + 1.0) + rate) / volatility
    d = divide + 0.5 * volatility

    # programs.py:4: tail = np.exp(-0.5 * d * d) / np.sqrt(2.0 * np.pi)
    multiply = -0.5 * d
    exp = np.exp(multiply * d)
    tail = exp / 2.5066282746310002

    # programs.py:5: return abs(spot) * tail - np.exp(-rate) * np.arctan(d - volat ...
    exp_1 = np.exp(-rate)
    subtract = d - volatility
    out = abs_1 * tail - exp_1 * np.arctan(subtract)
    return out, (
        float(volatility),
        abs_1,
        float(divide),
        float(d),
        float(multiply),
        float(exp),
        float(exp_1),
        float(subtract),
    )


def backward(saved, dout):
    volatility, abs_1, divide, d, multiply, exp, exp_1, subtract = saved
    volatility = np.array(volatility)
    divide = np.float64(divide)
    d = np.float64(d)
    multiply = np.float64(multiply)
    exp = np.float64(exp)
    exp_1 = np.float64(exp_1)
    subtract = np.float64(subtract)

    # programs.py:5: return abs(spot) * tail - np.exp(-rate) * np.arctan(d - volat ...
    hypot = np.hypot(1.0, subtract)
    divide_1 = dout * exp_1 / hypot / hypot
    dtail = dout * abs_1

    # programs.py:4: tail = np.exp(-0.5 * d * d) / np.sqrt(2.0 * np.pi)
    dmultiply = dtail / 2.5066282746310002 * exp
    dd = dmultiply * multiply - divide_1 + dmultiply * d * -0.5

    # programs.py:3: d = (np.log(abs(spot) + 1.0) + rate) / volatility + 0.5 * vol ...
    return divide_1 + dd * 0.5 - dd / volatility * divide
