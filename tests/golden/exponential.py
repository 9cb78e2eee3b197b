"""exponential, traced at loop_programs.py:1, for x: float64[2]"""

import math

import numpy as np


def forward_on_floats(x):
    """On Python's floats; where one of these raises, `forward` runs."""
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        # loop_programs.py:3: s = term = np.exp(x[0] * 0.0)
        x_0, x_1 = x.tolist()
        multiply = x_0 * 0.0
        s = float(np.exp(multiply))
        term = s
        k = 0.0
        s_1 = s
        terms = []
        ks = []

        # loop_programs.py:5: while abs(term) > 1e-9:
        while abs(term) > 1e-09:
            terms.append(term)

            # loop_programs.py:6: k += 1
            k = k + 1.0

            # loop_programs.py:7: term = term * x[1] / k
            term = term * x_1 / k

            # loop_programs.py:8: s = s + term
            s_1 = s_1 + term
            ks.append(k)

        # loop_programs.py:9: return s * x[0] + k
        out = s_1 * x_0 + k
        if not math.isfinite(multiply + term + out):
            raise OverflowError
        return np.float64(out), (x_0, s, x_1, s_1, terms, ks)


def backward_on_floats(saved, dout):
    """On Python's floats; where one of these raises, `backward` runs."""
    x_0, s, x_1, s_2, terms, ks = saved

    # loop_programs.py:9: return s * x[0] + k
    dout = float(dout)
    ds = dout * x_0
    dgetitem = dout * s_2
    dterm = 0.0
    dx_1 = 0.0
    for term_1, k_1 in zip(reversed(terms), reversed(ks), strict=True):
        # loop_programs.py:8: s = s + term
        dterm_1 = dterm + ds

        # loop_programs.py:7: term = term * x[1] / k
        dmultiply = dterm_1 / k_1
        dterm = dmultiply * x_1
        dx_1 = dx_1 + dmultiply * term_1

    # loop_programs.py:5: while abs(term) > 1e-9:
    ds_1 = dterm + ds

    # loop_programs.py:3: s = term = np.exp(x[0] * 0.0)
    dx_0 = dgetitem + ds_1 * s * 0.0
    if not math.isfinite(dx_1 + dx_0):
        raise OverflowError
    return np.array([dx_0, dx_1])


def forward(x):
    # loop_programs.py:3: s = term = np.exp(x[0] * 0.0)
    x_0 = x[0]
    s = np.exp(x_0 * 0.0)

    # loop_programs.py:7: term = term * x[1] / k
    x_1 = x[1]
    term = s
    k = 0.0
    s_1 = s
    terms = []
    ks = []

    # loop_programs.py:5: while abs(term) > 1e-9:
    while np.abs(term) > 1e-09:
        terms.append(term)

        # loop_programs.py:6: k += 1
        k = k + 1.0

        # loop_programs.py:7: term = term * x[1] / k
        term = term * x_1 / k

        # loop_programs.py:8: s = s + term
        s_1 = s_1 + term
        ks.append(k)

    # loop_programs.py:9: return s * x[0] + k
    out = s_1 * x_0 + k
    return out, (
        float(x_0),
        float(s),
        float(x_1),
        float(s_1),
        list(map(float, terms)),
        list(map(float, ks)),
    )


def backward(saved, dout):
    x_0, s, x_1, s_1, terms, ks = saved
    x_0 = np.float64(x_0)
    s = np.float64(s)
    x_1 = np.float64(x_1)
    s_1 = np.float64(s_1)
    terms = list(map(np.float64, terms))
    ks = list(map(np.float64, ks))

    # loop_programs.py:9: return s * x[0] + k
    ds = dout * x_0
    dx = np.zeros(2)
    dx[0] = dout * s_1
    dterm = np.float64(0.0)
    dx_1 = np.float64(0.0)
    for term_1, k_1 in zip(reversed(terms), reversed(ks), strict=True):
        # loop_programs.py:8: s = s + term
        dterm_1 = dterm + ds

        # loop_programs.py:7: term = term * x[1] / k
        dmultiply = dterm_1 / k_1
        dterm = dmultiply * x_1
        dx_1 = dx_1 + dmultiply * term_1

    # loop_programs.py:5: while abs(term) > 1e-9:
    ds_1 = dterm + ds

    # loop_programs.py:7: term = term * x[1] / k
    dx[1] = dx_1

    # loop_programs.py:3: s = term = np.exp(x[0] * 0.0)
    dx[0] += ds_1 * s * 0.0
    return dx
