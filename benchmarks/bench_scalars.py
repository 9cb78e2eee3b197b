"""Programs on numbers: how near to an expert's gradient in plain Python.

The expert knows what the compiler must find out: that the numbers are few, that
Python's floats do, and which of them the way back reads.
"""

import math

import numpy as np
from ratios import Row, ratio, report

import srcgrad


# ----- Rosenbrock's function in 20 variables -----
def rosenbrock(x):
    total = 0.0
    for i in range(len(x) - 1):
        total = total + 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def rosenbrock_by_hand(x):
    v = x.tolist()
    d = [0.0] * len(v)
    total = 0.0
    for i in range(len(v) - 1):
        a = v[i]
        r = v[i + 1] - a * a
        s = 1.0 - a
        total += 100.0 * r * r + s * s
        dr = 200.0 * r
        d[i] -= 2.0 * dr * a + 2.0 * s
        d[i + 1] += dr
    return np.float64(total), np.array(d)


# ----- Reprojection: how far a point is from where a camera sees it -----
def reprojection(w, t, X, focal, seen):
    R = np.array([[1.0, -w[2], w[1]], [w[2], 1.0, -w[0]], [-w[1], w[0], 1.0]])
    p = R @ X + t
    e = focal * p[:2] / p[2] - seen
    return e @ e


def reprojection_by_hand(w, t, X, focal, seen):
    w0, w1, w2 = w.tolist()
    t0, t1, t2 = t.tolist()
    X0, X1, X2 = X.tolist()
    u, v = seen.tolist()
    p0 = X0 - w2 * X1 + w1 * X2 + t0
    p1 = w2 * X0 + X1 - w0 * X2 + t1
    p2 = -w1 * X0 + w0 * X1 + X2 + t2
    a, b = focal / p2 * p0, focal / p2 * p1
    e0, e1 = a - u, b - v
    g0, g1 = 2.0 * e0 * focal / p2, 2.0 * e1 * focal / p2
    g2 = -2.0 * (e0 * a + e1 * b) / p2
    dw = np.array([g2 * X1 - g1 * X2, g0 * X2 - g2 * X0, g1 * X0 - g0 * X1])
    dX = [g0 + w2 * g1 - w1 * g2, w0 * g2 - w2 * g0 + g1, w1 * g0 - w0 * g1 + g2]
    return np.float64(e0 * e0 + e1 * e1), (dw, np.array([g0, g1, g2]), np.array(dX))


# ----- A formula of numbers -----
def option(spot, strike, rate, volatility, years):
    spread = volatility * np.sqrt(years)
    d = (np.log(spot / strike) + rate * years) / spread + 0.5 * spread
    density = np.exp(-0.5 * d * d) / np.sqrt(2.0 * np.pi)
    return spot * density - strike * np.exp(-rate * years) * np.arctan(d - spread)


def option_by_hand(spot, strike, rate, volatility, years):
    root = math.sqrt(years)
    spread = volatility * root
    moved = math.log(spot / strike) + rate * years
    d = moved / spread + 0.5 * spread
    density = math.exp(-0.5 * d * d) / math.sqrt(2.0 * math.pi)
    discounted = strike * math.exp(-rate * years)
    angle = math.atan(d - spread)
    dangle = discounted / (1.0 + (d - spread) ** 2)
    dd = -spot * density * d - dangle
    dspread = dangle + dd * (0.5 - moved / (spread * spread))
    dspot = density + dd / (spread * spot)
    value = spot * density - discounted * angle
    return np.float64(value), (np.float64(dspot), np.float64(dspread * root))


# ----- Newton's iteration, until it has converged -----
def newton(a):
    x = 0.5 * a + 0.5
    err = abs(x * x - a)
    while err > 1e-10:
        x = 0.5 * (x + a / x)
        err = abs(x * x - a)
    return x


def newton_by_hand(a):
    x = 0.5 * a + 0.5
    err = abs(x * x - a)
    xs = []
    while err > 1e-10:
        xs.append(x)
        x = 0.5 * (x + a / x)
        err = abs(x * x - a)
    dx, da = 1.0, 0.0
    for before in reversed(xs):
        dx = 0.5 * dx
        dquotient = dx / before
        da += dquotient
        dx -= dquotient * (a / before)
    return np.float64(x), np.float64(da + 0.5 * dx)


# ----- A robust loss: what is far away counts less -----
def huber(x, delta):
    total = 0.0
    for i in range(len(x)):
        r = abs(x[i])
        if r <= delta:  # noqa: SIM108
            total = total + 0.5 * r * r
        else:
            total = total + delta * (r - 0.5 * delta)
    return total


def huber_by_hand(x, delta):
    total = 0.0
    dx = []
    for v in x.tolist():
        r = abs(v)
        if r <= delta:
            total += 0.5 * r * r
            dx.append(v)
        else:
            total += delta * (r - 0.5 * delta)
            dx.append(delta if v > 0.0 else -delta)
    return np.float64(total), np.array(dx)


# ----- The table -----
def row(name, function, by_hand, args, argnums, budget) -> Row:
    """Return the ratio, after a look that both agree."""
    ours = srcgrad.value_and_grad(srcgrad.trace(function), argnums)
    for _ in range(2):
        value, found = ours(*args)
    expected, gradients = by_hand(*args)
    assert np.allclose(value, expected)
    both = zip(*((g,) if argnums == 0 else g for g in (found, gradients)), strict=True)
    assert all(np.allclose(g, h) for g, h in both)
    return Row(name, ratio(lambda: ours(*args), lambda: by_hand(*args)), budget, "x")


def main() -> None:
    rng = np.random.default_rng(0)
    camera = 0.1 * rng.normal(size=3), np.array([0.1, -0.2, 4.0])
    point = rng.normal(size=3), 500.0, np.array([20.0, -10.0])
    market = 100.0, 95.0, 0.02, 0.3, 1.5
    report(
        "Programs on numbers, by an expert's in plain Python (value_and_grad)",
        [
            row(
                "rosenbrock, 20 variables",
                rosenbrock,
                rosenbrock_by_hand,
                (rng.normal(size=20),),
                0,
                1.8,
            ),
            row(
                "reprojection",
                reprojection,
                reprojection_by_hand,
                (*camera, *point),
                (0, 1, 2),
                4.0,
            ),
            row("option", option, option_by_hand, market, (0, 3), 10.0),
            row(
                "huber, 100 points",
                huber,
                huber_by_hand,
                (np.linspace(-3.0, 3.0, 100), 1.0),
                0,
                2.0,
            ),
            row("newton, 4 iterations", newton, newton_by_hand, (3.0,), 0, 6.0),
            row("newton, 30 iterations", newton, newton_by_hand, (1e16,), 0, 3.0),
        ],
    )


if __name__ == "__main__":
    main()
