"""Programs full of loops: what is carried, indexed, kept, changed in place."""

import numpy as np

import srcgrad

# ----- What they are called with -----


def real(*shape):
    return lambda random: random.uniform(-1.0, 1.0, shape)


PROGRAMS = {}


def program(*args):
    def add(function):
        PROGRAMS[function.__name__] = function, args
        return function

    return add


# ----- Carried -----


@program(real(2), real(4))
def lotka_volterra(state, rates):
    a, b, c, d = rates[0], rates[1], rates[2], rates[3]
    x, y = state[0], state[1]

    def slope(x, y):
        return a * x - b * x * y, -c * y + d * x * y

    for _ in range(6):
        k, m = slope(x, y)
        p, q = slope(x + 0.1 * k, y + 0.1 * m)
        x = x + 0.05 * (k + p)
        y = y + 0.05 * (m + q)
    return x + 2.0 * y


@program(real(2, 2), real(6, 1))
def kalman(P, ys):
    m, total, one = np.zeros(2), 0.0, np.eye(2)
    H, P = np.ones((1, 2)), P @ P.T
    for y in ys:
        v, S = y - H @ m, H @ P @ H.T + one[:1, :1]
        K = P @ H.T @ np.linalg.inv(S)
        m, P = m + K @ v, (one - K @ H) @ P + 0.1 * one
        total = total + v @ v + np.log(np.linalg.det(S))
    return total


@program(real(2))
def fibonacci(x):
    a, b = x[0], x[1]
    for _ in range(8):
        a, b = b, np.sin(a + b)
    return a * b


@program(real(3))
def three_before(x):
    a, b, c = x[0], x[1], x[2]
    for _ in range(8):
        a, b, c = b, c, np.sin(a * c)
    return a * b + c


# Long enough that some iterations are not written down.


@program(real(4), real(4))
def like_before(x, w):
    h, s, a, b = x, 1.0, x[1], w[0]
    for _ in range(12):
        h = np.tanh(h * w + 0.5)
    for _ in range(11):
        s = s * a + b
        s = 2.0 * np.sin(s)
    return np.sum(h) * s


@program(real(3), real(12, 3))
def changed_behind_its_back(c, p):
    v = w = c * 1.0
    for r in p:
        w = v
        v = v * 0.9 + r
        w[0] = 0.5
    return np.sum(v * w)


@program(real(16), real(16, 3))
def elements_like_before(x, A):
    s, h = 0.0, A[0]
    for i in range(14):
        s = s * 0.9 + x[i + 1] * x[2]
    for r in A:
        h = np.tanh(h * 0.5 + r)
    for i in range(16):
        s = s * 0.7 + A[i, 1] * A[15 - i, 0] + np.sum(x[i : i + 2])
    return s * np.sum(h)


@program(real(14))
def another_element_in_the_tenth(x):
    s = x[0]
    for i in range(14):
        s = s * 0.9 + x[i if i != 9 else 3]
    return s


@program(real(14, 2))
def rows_of_what_changes(A):
    A, s = A * 1.0, 0.0
    for i in range(13):
        r = A[i]
        s = s * 0.9 + r[0] * r[1]
        if i == 10:
            A = A * s
    return s


@program(real(4))
def one_of_two_is_used(x):
    a, s = x, x[0]
    for _ in range(12):
        a = np.sin(a) * x
        s = s * x[1] + 0.1
    return s


@program(real(2))
def another_in_the_tenth(x):
    a, b = x[0], x[1]
    for k in range(17):
        a = a * b + 0.5
        a = np.sin(a) if k == 9 else np.cos(a)
    return a


@program(real(4))
def one_of_the_middle(x):
    h = middle = x
    for k in range(13):
        h = np.sin(h) * x + 0.1
        if k == 6:
            middle = h
    return np.sum(h * middle)


@program(real(2))
def signs_of_zeros(x):
    a, s = x[0], 0.0
    for k in range(14):
        s = s + np.arctan2(x[1] ** 2 * (0.0 if k < 10 else -0.0), -1.0)
        a = a * np.cos(a + s)
    return a


@program(real(3))
def stopped_in_the_tenth(x):
    h = x
    for k in range(14):
        h = np.sin(h) + x
        g = srcgrad.stop_gradient(h) if k == 9 else h
        h = g * 0.7
    return np.sum(h)


@program(real(4))
def twice(x):
    h = x
    for _ in range(5):
        h = np.sin(h)
    g = h
    for _ in range(5):
        g = np.cos(g) * h
    return np.sum(g)


@program(real(4))
def not_a_number_yet(x):
    s = 0
    for k in range(7):
        s = s + np.sum(x) * k
    return s


@program(real(4))
def carried_off(x):
    """The sum of which only the value is wanted depends on nothing."""
    n, h = np.zeros(4), x
    for _ in range(6):
        n = n + 1.0
        h = h * x
    return np.sum(h * n)


# ----- Each -----


@program(real(20))
def rosenbrock_loop(x):
    s = 0.0
    for i in range(len(x) - 1):
        d = x[i + 1] - x[i] ** 2
        s = s + 100.0 * d**2 + (1 - x[i]) ** 2
    return s


@program(real(9))
def backwards(x):
    n = len(x)
    s = 0.0
    for i in range(n - 1, -1, -2):
        s = s * x[i] + x[n - 1 - i] * x[0]
    return s


@program(real(6), real(3))
def numbered(x, w):
    h = w
    for t in range(6):
        h = np.tanh(h * w) + x[t] * (1.0 / (t + 1))
    return np.sum(h * h)


@program(*(real(3, 3) for _ in range(5)), real(3))
def layers(a, b, c, d, e, x):
    for W in (a, b, c, d, e):
        x = np.tanh(x @ W)
    return np.sum(x**2)


@program(real(5, 3), real(3, 3))
def rows(xs, W):
    h = xs[0]
    for x in xs:
        h = np.tanh(W @ h + x)
    return np.sum(h)


@program(real(5, 3), real(3))
def copied_rows(xs, w):
    h = w
    for x in xs:
        h = np.tanh(h * x + w * (x * 1.0) * np.conj(x) + h * w * -x)
    return np.sum(h)


@program(real(6, 3), real(4))
def windows(x, w):
    s = 0.0
    for i in range(3):
        for j in range(4):
            s = s + np.sum(np.sin(x[i + j] * w[j]))
    return s


@program(real(6, 5))
def nested(A):
    s = 0.0
    for i in range(A.shape[0]):
        r = 1.0
        for j in range(A.shape[1]):
            r = r * np.sin(A[i, j])
        s = s + r
    return s


@program(real(5), real(6))
def begun_with_the_same(x, y):
    s = x[0]
    for i in range(5):
        r = (
            y[0] * y[1]
        )  # computed before the loops: the inner one may not go on with it
        for j in range(6):
            r = r + np.sin(y[j])
        s = s * 0.5 + x[i] * r
    return s


@program(real(6), real(6))
def of_one_gradient(x, y):
    s = 0.0
    for i in range(5):
        s = s + np.sin(x[i] + y[i]) + np.sum((x + y)[i : i + 2])
    return s


@program(real(5, 5))
def triangle(A):
    s = A[0, 0]
    for i in range(5):
        for j in range(i):
            s = s * 0.5 + A[i, j] * A[j, i]
    return s


@program(real(3), real(3, 3))
def comprehended(x, W):
    return sum([np.tanh(x @ W) * k for k in range(6)])[0]


# ----- Kept -----


@program(real(3, 3), real(7, 3))
def stacked(W, x):
    hs = []
    h = x[0]
    for t in range(len(x)):
        h = np.tanh(W @ h + x[t])
        hs.append(h)
    return np.sum(np.stack(hs) ** 2)


@program(real(3))
def growing(x):
    hs = [x, x * 2.0]
    for _ in range(6):
        hs.append(np.sin(hs[-1]) * hs[-2] + hs[0])
    return np.sum(hs[-1]) + np.sum(hs[4] * hs[3])


@program(real(3, 3), real(6, 3))
def two_layers(W, x):
    first, h = [], np.zeros(3)
    for t in range(6):
        h = np.tanh(W @ h + x[t])
        first.append(h)
    g = np.zeros(3)
    for h in first:
        g = np.tanh(W @ g - h)
    return np.sum(g)


@program(real(6))
def last_only(x):
    for i in range(6):
        y = np.sin(x[i]) * x
        z = y + 1.0
    return np.sum(y * z) + x[i]


# ----- Changed in place -----


@program(real(3, 3), real(7, 3))
def preallocated(W, x):
    H = np.zeros((len(x) + 1, x.shape[1]))
    H[0] = x[0]
    for t in range(len(x)):
        H[t + 1] = np.tanh(W @ H[t] + x[t])
    return np.sum(H**2)


@program(real(3), real(3, 3))
def solved_in_one_buffer(x, W):
    H, A, s = np.zeros((12, 3)), np.zeros((3, 3)), 0.0
    H[0] = x
    for t in range(1, 12):
        before = H[t - 1]
        A[...] = 0.0
        A += np.eye(3) * (2.0 + before[0] ** 2)
        A[0] += 0.1 * W[0]
        H[t] = np.tanh(W @ before) + np.linalg.solve(A, before)
        H[t - 1] = 0.5 * before
        s = s + np.sum(H * H)
        A[...] = 0.0
    return s + np.sum(H)


@program(real(8))
def running(x):
    y = x * 1.0
    for i in range(1, len(x)):
        y[i] += y[i - 1] * x[i]
    return np.sum(y**2)


@program(real(8))
def under_two_names(x):
    y = np.zeros(len(x))
    z = y
    for i in range(len(x)):
        y[i] = x[i] ** 2
        z[0] += y[i]
    return np.sum(y * z)


@program(real(8))
def exchanged(x):
    a = x * 1.0
    b = x * 2.0
    for i in range(6):
        a, b = b, a
        a[i] = b[i] * a[0]
    return np.sum(a * b * b)


@program(real(6))
def kept_and_changed(x):
    y = x * 1.0
    seen = []
    for i in range(5):
        y[i] = y[i + 1] * 2.0
        seen.append(y * x[i])
    return np.sum(np.stack(seen)) * y[0]


@program(real(5))
def whole_changed(x):
    y = x * 1.0
    old = []
    for i in range(5):
        y *= x
        y += x[i]
        old.append(y.copy())
    return np.sum(y) + np.sum(old[2])


# ----- Until a test fails -----


@program(real(3))
def roots(a):
    a = a + 2.0
    x = a * 0.5
    step = x
    while np.max(np.abs(step)) > 1e-9:
        step = (x * x - a) / (2.0 * x)
        x = x - step
    return np.sum(x)


@program(real(2))
def exponential(x):
    s = term = np.exp(x[0] * 0.0)
    k = 0
    while abs(term) > 1e-9:
        k += 1
        term = term * x[1] / k
        s = s + term
    return s * x[0] + k


@program(real(4))
def descent(x):
    for k in range(80):
        g = x - 0.5 + 0.1 * np.sin(x)
        if np.sum(g * g) < 1e-6:
            break
        x = x - 0.9 / (1 + 0.1 * k) * g
    return np.sum(x * x)


# ----- What does not fit -----


@program(real(4))
def single_in_the_eighth(x):
    h = x
    for k in range(12):
        if k == 7:
            h = h.astype(np.float32)
        h = np.sin(h) * x
    return np.sum(h)


@program(real(6))
def longer_in_the_eighth(x):
    h = x[:3]
    for k in range(12):
        if k == 7:
            h = np.concatenate([h, x])
        h = np.sin(h) * 1.5
    return np.sum(h)


@program(real(9))
def begun_anew(x):
    s, h = 0.0, x[0]
    for k in range(9):
        if k % 3 == 0:
            h = x[k]
        h = h * x[k]
        s = s + h
    return s


@program(real(6))
def shadowed(x):
    t = x[0]
    for t in range(5):
        x = x * x[t]
    return np.sum(x) * t


@program(real(6))
def stopped(x):
    h = x
    for k in range(12):
        h = np.sin(h) + x[0]
        if k == 8:
            break
    else:
        h = h * 2.0
    return np.sum(h)


@program(real(6))
def skipping(x):
    h = x
    for k in range(12):
        if k in (2, 3):
            continue
        h = np.sin(h) * x
    return np.sum(h)


@program(real(6))
def first_found(x):
    h = x
    for k in range(12):
        h = h * 1.1 + 0.1
        if np.sum(h) > 5.0:
            return np.sum(h * k)
    return np.sum(h)


@program(real(3), real(3))
def captured(x, w):
    steps = [lambda h, k=k: np.sin(h + k) * w for k in range(6)]
    for step in steps:
        x = step(x)
    return np.sum(x)
