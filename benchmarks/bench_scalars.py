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


# ----- Bundle adjustment: a camera that turns, with distortion (BAL's model) -----
def bundle(camera, X, seen):
    w, t = camera[:3], camera[3:6]
    f, k1, k2 = camera[6:]
    theta = np.linalg.norm(w)
    k = w / theta
    c, s = np.cos(theta), np.sin(theta)
    p = c * X + s * np.cross(k, X) + (1.0 - c) * (k @ X) * k + t
    u = -p[:2] / p[2]
    n = u @ u
    e = f * (1.0 + k1 * n + k2 * n * n) * u - seen
    return e @ e


def bundle_by_hand(camera, X, seen):
    w0, w1, w2, t0, t1, t2, f, k1, k2 = camera.tolist()
    X0, X1, X2 = X.tolist()
    s0, s1 = seen.tolist()
    # forward
    theta = math.sqrt(w0 * w0 + w1 * w1 + w2 * w2)
    a0, a1, a2 = w0 / theta, w1 / theta, w2 / theta
    c, s = math.cos(theta), math.sin(theta)
    q0, q1, q2 = a1 * X2 - a2 * X1, a2 * X0 - a0 * X2, a0 * X1 - a1 * X0
    d = a0 * X0 + a1 * X1 + a2 * X2
    m = (1.0 - c) * d
    p0 = c * X0 + s * q0 + m * a0 + t0
    p1 = c * X1 + s * q1 + m * a1 + t1
    p2 = c * X2 + s * q2 + m * a2 + t2
    u0, u1 = -p0 / p2, -p1 / p2
    n = u0 * u0 + u1 * u1
    r = 1.0 + n * (k1 + k2 * n)
    fr = f * r
    e0, e1 = fr * u0 - s0, fr * u1 - s1
    # backward
    g0, g1 = 2.0 * e0, 2.0 * e1
    gu = g0 * u0 + g1 * u1
    df, dr = gu * r, gu * f
    dk1 = dr * n
    dk2 = dk1 * n
    dn = 2.0 * dr * (k1 + 2.0 * k2 * n)
    du0, du1 = g0 * fr + dn * u0, g1 * fr + dn * u1
    dp0, dp1 = -du0 / p2, -du1 / p2
    dp2 = -(du0 * u0 + du1 * u1) / p2
    dm = dp0 * a0 + dp1 * a1 + dp2 * a2
    dd = dm * (1.0 - c)
    ds = dp0 * q0 + dp1 * q1 + dp2 * q2
    dc = dp0 * X0 + dp1 * X1 + dp2 * X2 - dm * d
    b0, b1, b2 = s * dp0, s * dp1, s * dp2
    da0 = m * dp0 + dd * X0 + b2 * X1 - b1 * X2
    da1 = m * dp1 + dd * X1 + b0 * X2 - b2 * X0
    da2 = m * dp2 + dd * X2 + b1 * X0 - b0 * X1
    along = ds * c - dc * s - (da0 * a0 + da1 * a1 + da2 * a2) / theta
    dcamera = np.array(
        [
            da0 / theta + along * a0,
            da1 / theta + along * a1,
            da2 / theta + along * a2,
            dp0,
            dp1,
            dp2,
            df,
            dk1,
            dk2,
        ]
    )
    dX = np.array(
        [
            c * dp0 + dd * a0 + b1 * a2 - b2 * a1,
            c * dp1 + dd * a1 + b2 * a0 - b0 * a2,
            c * dp2 + dd * a2 + b0 * a1 - b1 * a0,
        ]
    )
    return np.float64(e0 * e0 + e1 * e1), (dcamera, dX)


def adjustment(cameras, points, seen, of_camera, of_point):
    total = 0.0
    for n in range(len(seen)):
        camera, X = cameras[of_camera[n]], points[of_point[n]]
        total = total + bundle(camera, X, seen[n])
    return total


def adjustment_by_hand(cameras, points, seen, of_camera, of_point):
    total, dcameras, dpoints = 0.0, np.zeros_like(cameras), np.zeros_like(points)
    for n in range(len(seen)):
        i, k = of_camera[n], of_point[n]
        value, (dcamera, dX) = bundle_by_hand(cameras[i], points[k], seen[n])
        total += value
        dcameras[i] += dcamera
        dpoints[k] += dX
    return total, (dcameras, dpoints)


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


# ----- A walk until a sine has come down: NumPy's own decides -----
def descent(a):
    x = a
    while np.sin(x) > 0.1:
        x = x + 0.25 * np.cos(x) * np.cos(x) + 0.1
    return x * x


def descent_by_hand(a):
    x, xs = a, []
    while math.sin(x) > 0.1:
        xs.append(x)
        c = math.cos(x)
        x = x + 0.25 * c * c + 0.1
    dx = 2.0 * x
    for before in reversed(xs):
        dx -= 0.5 * dx * math.cos(before) * math.sin(before)
    return np.float64(x * x), np.float64(dx)


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


def newton_row() -> Row:
    """Return the ratio for calls of 3 to 30 iterations in turn: they are one trace."""
    function = srcgrad.trace(newton)
    ours = srcgrad.value_and_grad(function)
    for a in (3.0, *ROOTS):
        assert np.allclose(ours(a), newton_by_hand(a))
    assert function.stats.traces == 1
    times = ratio(
        lambda: [ours(a) for a in ROOTS], lambda: [newton_by_hand(a) for a in ROOTS]
    )
    return Row("newton, 3 to 30 iterations", times, 1.2, "x")


# What takes 3, 4, and so on, up to 30 of them.
ROOTS = (2.0, *(4.0**k for k in range(1, 27)))


def main() -> None:
    rng = np.random.default_rng(0)
    camera = 0.1 * rng.normal(size=3), np.array([0.1, -0.2, 4.0])
    point = rng.normal(size=3), 500.0, np.array([20.0, -10.0])
    pose = 0.1 * rng.normal(size=3), (0.1, -0.2, -4.0, 500.0, 0.01, -0.003)
    view = np.concatenate(pose), rng.normal(size=3), np.array([20.0, -10.0])
    pairs = rng.integers(0, 4, 60), rng.integers(0, 20, 60)
    observed = rng.normal(size=(60, 2)), *pairs
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
                1.5,
            ),
            row(
                "reprojection",
                reprojection,
                reprojection_by_hand,
                (*camera, *point),
                (0, 1, 2),
                2.0,
            ),
            row("a camera's view", bundle, bundle_by_hand, view, (0, 1), 2.0),
            row(
                "bundle adjustment, 60 observations",
                adjustment,
                adjustment_by_hand,
                (np.tile(view[0], (4, 1)), rng.normal(size=(20, 3)), *observed),
                (0, 1),
                1.2,
            ),
            row("option", option, option_by_hand, market, (0, 3), 10.0),
            row(
                "huber, 100 points",
                huber,
                huber_by_hand,
                (np.linspace(-3.0, 3.0, 100), 1.0),
                0,
                1.3,
            ),
            row("newton, 4 iterations", newton, newton_by_hand, (3.0,), 0, 1.8),
            newton_row(),
            row("descent, decided by sines", descent, descent_by_hand, (0.3,), 0, 3.5),
        ],
    )


if __name__ == "__main__":
    main()
