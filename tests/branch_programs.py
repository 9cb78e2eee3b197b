"""Programs with branches, as people write them."""

import math

import numpy as np

import srcgrad


def huber(w, X, y, delta):
    total = 0.0
    for i in range(40):
        r = y[i] - X[i] @ w
        a = abs(r)
        if a <= delta:
            loss = 0.5 * r * r
            total = total + loss
        else:
            total = total + delta * (a - 0.5 * delta)
    return total / 40


def clipped_control(gain, position, speed, limit):
    cost = 0.0
    for _ in range(30):
        force = -gain[0] * position - gain[1] * speed
        if force > limit:
            force = 1.0 * limit
        elif force < -limit:
            force = -1.0 * limit
        speed = speed + 0.1 * force
        position = position + 0.1 * speed
        cost = cost + position**2 + 0.01 * force**2
    return cost


def arguments(name):
    random = np.random.default_rng(0)
    if name == "huber":
        X = random.normal(size=(40, 3))
        return random.normal(size=3), X, 2.0 * random.normal(size=40), 1.0
    return np.array([1.5, 0.8]), np.float64(1.0), np.float64(0.2), np.float64(0.5)


PROGRAMS = {"huber": huber, "clipped_control": clipped_control}


# ----- As users write them; each with arguments that go all ways -----


def clipped(u, x0, limit):
    x = x0
    cost = 0.0
    for k in range(10):
        force = u[k]
        if force > limit:
            force = limit
        if force < -limit:
            force = -limit
        x = x + 0.1 * (force - x)
        cost += x**2 + 0.1 * force**2
    return cost


def bounce(y, v, e):
    for _ in range(30):
        v = v - 0.1 * 9.81
        y = y + 0.1 * v
        if y < 0:
            y = -y
            v = -e * v
    return y + v


def taxes(income, rates):
    if income <= 10.0:
        tax = rates[0] * income
    elif income <= 40.0:
        tax = rates[0] * 10.0 + rates[1] * (income - 10.0)
    else:
        tax = rates[0] * 10.0 + rates[1] * 30.0
        tax += rates[2] * (income - 40.0)
    return tax


def masked_sum(x, w):
    total = 0.0
    for i in range(len(x)):
        if x[i] < 0:
            continue
        if x[i] > 2.0:
            total += 4.0 * w[i]
            continue
        total += w[i] * x[i] ** 2
    return total


def rejection(theta, logu, steps):
    """A chain that stays where it is if a step is rejected."""
    x = 0.0
    lp = -0.5 * (x - theta) ** 2
    total = 0.0
    for i in range(8):
        proposal = x + steps[i]
        lpn = -0.5 * (proposal - theta) ** 2
        if logu[i] < lpn - lp:
            x = proposal
            lp = lpn
        total += lp
    return total


def relu(x):
    y = x if x > 0 else 0.0
    return y + 0.1 * x


def payoff(s0, z, strike):
    total = 0.0
    for i in range(len(z)):
        s = s0 * np.exp(0.2 * z[i])
        if s > strike:
            total += s - strike
    return total / len(z)


def adaptive(y0, k):
    """As many steps as it takes, of lengths that are Python floats."""
    t, y, h = 0.0, y0, 0.1
    while t < 1.0:
        if t + h > 1.0:
            h = 1.0 - t
        k1 = -k * y
        k2 = -k * (y + h * k1)
        if abs(0.5 * h * (k2 - k1)) < 1e-2:
            t = t + h
            y = y + 0.5 * h * (k1 + k2)
            h = h * 1.5
        else:
            h = h * 0.5
    return y


def damped(v, w):
    """Arms that change an array of theirs in place, as it is written down."""
    y = np.sin(v)
    for _ in range(3):
        if np.sum(y) > 0.0:
            y = y * w
            y = y * w
        else:
            y = y + 0.5
    return np.sum(y)


# ----- Arms that write into arrays -----


def limited(u):
    slopes = np.zeros(len(u))
    for i in range(1, len(u) - 1):
        left, right = u[i] - u[i - 1], u[i + 1] - u[i]
        if left * right > 0:
            slopes[i] = 2.0 * left * right / (left + right)
    return np.sum(slopes**2)


def upwind(u, speed, dt):
    n = len(u)
    for _ in range(3):
        flux = np.zeros(n)
        for i in range(n):
            if speed[i] > 0:
                flux[i] = speed[i] * (u[i] - u[i - 1])
            else:
                flux[i] = speed[i] * (u[(i + 1) % n] - u[i])
        u = u - dt * flux
    return np.sum(u**2)


def in_a_box(p, v, size):
    p = p * 1.0
    v = v * 1.0
    for _ in range(8):
        p += 0.1 * v
        for d in range(2):
            if p[d] < 0:
                p[d], v[d] = -p[d], -v[d]
            elif p[d] > size:
                p[d] = 2 * size - p[d]
                v[d] *= -1.0
    return np.sum(p * v)


def melting(H, k, L):
    H = H.copy()
    for _ in range(4):
        T = np.zeros(len(H))
        for i in range(len(H)):
            if H[i] < 0:
                T[i] = H[i]
            elif H[i] > L:
                T[i] = H[i] - L
        for i in range(1, len(H) - 1):
            H[i] += k * (T[i + 1] - 2 * T[i] + T[i - 1])
    return np.sum(H**2)


def in_order(x, w):
    x = x.copy()
    for i in range(5):
        for j in range(i + 1, 5):
            if x[i] > x[j]:
                x[i], x[j] = x[j], x[i]
    return np.sum(x * w)


def american(V, S, K):
    V = np.maximum(K - V, 0.0)
    for i in range(5, -1, -1):
        for j in range(i + 1):
            V[j] = 0.99 * (0.6 * V[j + 1] + 0.4 * V[j])
            if K - S * 1.1 ** (2 * j - i) > V[j]:
                V[j] = K - S * 1.1 ** (2 * j - i)
    return V[0]


def in_a_list(u, w):
    """Arms that write into a list: sorted, and turned over."""
    levels = [u[i] * w for i in range(5)]
    for i in range(4):
        if levels[i] > levels[i + 1]:
            levels[i], levels[i + 1] = levels[i + 1], levels[i]
    for i in range(5):
        if levels[i] < 0:
            levels[i] *= -2.0
    return levels[0] * levels[1] + levels[-1]


def cut_off(x, c):
    total = 0.0
    for _ in range(3):
        x = np.tanh(1.5 * x) + c
        if np.sum(x) > 0:
            x[x < 0] = 0.0
        total = total + np.sum(x)
    return total


def snow_and_soil(p, rain, warmth):
    """A hydrologist's: degree days, a soil that fills, what is over runs off."""
    snow, water, soil = 0.0, 0.0, 0.5 * p[1]
    flow = np.zeros(12)
    for d in range(12):
        if warmth[d] < p[0]:
            snow += rain[d]
            liquid = 0.0
        else:
            melt = min(p[2] * (warmth[d] - p[0]), snow)
            snow -= melt
            water += melt
            liquid = rain[d]
        out = max(0.0, water - 0.1 * snow)
        water -= out
        recharge = (liquid + out) * (soil / p[1]) ** 2.0
        soil += liquid + out - recharge
        if soil > p[1]:
            recharge += soil - p[1]
            soil = p[1]
        soil -= min(0.3, soil)
        flow[d] = recharge
    return np.sum(flow**2) + snow


def bucket(p, rain):
    """A store that spills over and drains."""
    store, flows = 0.0, []
    for fallen in rain:
        store += fallen
        store -= min(store, 0.4)
        if store > p[0]:
            spill = store - p[0]
            store = p[0]
        else:
            spill = 0.0
        base = p[1] * store
        store -= base
        flows.append(spill * 0.8 + base)
    return np.sum((np.array(flows) - 1.0) ** 2)


# ----- Arms that make an array, which the other arm keeps -----


def descended(w, X, y, limit):
    """Steps along a gradient whose norm is clipped, with momentum that starts again."""
    speed, best, least = np.zeros(3), w, np.sum((X @ w - y) ** 2)
    for _ in range(6):
        residual = X @ w - y
        slope = X.T @ residual / len(y)
        norm = np.sqrt(np.sum(slope**2))
        if norm > limit:
            slope = slope * (limit / norm)
        if np.sum(speed * slope) > 0:
            speed = np.zeros(3)
        speed = 0.9 * speed - 0.1 * slope
        w = w + speed
        loss = np.sum((X @ w - y) ** 2)
        if loss < least:
            best, least = w, loss
    return np.sum(best) + least


def kalman(theta, y):
    """A filter that has nothing to learn where an observation is missing."""
    F, H = np.array([[1.0, 0.5], [0.0, 1.0]]), np.array([1.0, 0.0])
    m, P, likelihood = np.zeros(2), np.eye(2), 0.0
    for t in range(len(y)):
        m = F @ m
        P = F @ P @ F.T + np.exp(theta[0]) * np.eye(2)
        if not np.isnan(y[t]):
            v, S = y[t] - H @ m, H @ P @ H + np.exp(theta[1])
            K = P @ H / S
            m = m + K * v
            P = P - np.outer(K, H @ P)
            likelihood += -0.5 * (np.log(S) + v * v / S)
    return likelihood


def tried_steps(y, p):
    """Steps that are tried, and counted, with a length that is a float."""
    y, t, h, rejected = y * 1.0, 0.0, 0.3, 0
    while t < 1.0:
        h = min(h, 1.0 - t)
        k1 = np.array([p[0] * y[0] - y[0] * y[1], y[0] * y[1] - p[1] * y[1]])
        z = y + h * k1
        k2 = np.array([p[0] * z[0] - z[0] * z[1], z[0] * z[1] - p[1] * z[1]])
        error = np.max(np.abs(0.5 * h * (k2 - k1)))
        if error <= 0.05:
            t += h
            y = y + 0.5 * h * (k1 + k2)
        else:
            rejected += 1
        h *= min(2.0, max(0.3, 0.9 * math.sqrt(0.05 / (error + 1e-12))))
    return np.sum(y**2) + 0.01 * rejected


def switching(y, means, widths):
    """A state that is one of two, by what was seen last."""
    state, likelihood, before = 0, 0.0, 0.0
    for t in range(len(y)):
        mean, width = means[state], widths[state]
        likelihood += -0.5 * ((y[t] - mean - 0.3 * before) / width) ** 2
        likelihood -= np.log(width)
        before = y[t] - mean
        if state == 0 and before > 1.0:
            state = 1
        elif state == 1 and before < -0.5:
            state = 0
    return likelihood


def rescaled(x, size):
    x = np.sin(x)
    for k in range(4):
        norm = np.sqrt(np.sum(x * x))
        if norm > size:
            x = x * (size / norm)
        x += 0.3 * np.cos(x)
        x[k % 3] *= 1.1
    return np.sum(x)


def missing(r):
    y = r.normal(size=10)
    return np.where(r.uniform(size=10) < 0.3, np.nan, y)


class Controller:
    """A PID controller; what it has added up while it is at its limit is taken back."""

    def __init__(self, gains, limit):
        self.gains, self.limit = gains, limit
        self.integral, self.last, self.saturated = 0.0, 0.0, 0

    def __call__(self, error, dt):
        self.integral = self.integral + error * dt
        force = self.gains[0] * error + self.gains[1] * self.integral
        force += self.gains[2] * (error - self.last) / dt
        self.last = error
        if force > self.limit:
            self.integral = self.integral - error * dt
            self.saturated += 1
            force = self.limit
        elif force < -self.limit:
            self.integral = self.integral - error * dt
            self.saturated += 1
            force = -self.limit
        return force


def controlled(gains, x, goal):
    control, cost = Controller(gains, 2.0), 0.0
    for _ in range(10):
        x = x + 0.1 * (control(goal - x, 0.1) - 0.5 * x)
        cost += (goal - x) ** 2
    return cost + 0.01 * control.saturated


def embedded(y, k, tolerance):
    """Steps with an error of third order against one of second; some are rejected."""
    t, h, y, tolerance = 0.0, 0.2, float(y), float(tolerance)
    k = float(k)
    while t < 1.0:
        if t + h > 1.0:
            h = 1.0 - t
        k1 = -k * y + math.sin(t)
        k2 = -k * (y + 0.5 * h * k1) + math.sin(t + 0.5 * h)
        k3 = -k * (y + 0.75 * h * k2) + math.sin(t + 0.75 * h)
        new = y + h * (2.0 * k1 + 3.0 * k2 + 4.0 * k3) / 9.0
        error = abs(h * (k1 / 12.0 - k2 / 4.0 + k3 / 6.0))
        if error <= tolerance:
            t += h
            y = new
        h *= min(2.0, max(0.2, 0.9 * (tolerance / (error + 1e-9)) ** 0.5))
    return y


def taken_over(x, level):
    """An arm takes an element as it is, the other keeps what has the same name."""
    goal, rate = x[2], 1.0 * level
    for i in range(4):
        if level < rate * x[i % 3] * goal:
            rate, level = x[1], goal
        level = np.tanh(level)
    for i in range(4):
        if x[i % 3] > 0:
            level = x[2]
        level = np.tanh(level)
    return rate + level


def dispersion(x, cutoff):
    """A number in an arm, the power, is also that of an iteration: the index of it."""
    energies, total = np.zeros(6), 0.0
    for i in range(1, 6):
        r2 = 1.0 + x[i] * x[i]
        if r2 > cutoff:
            continue
        energy = r2**3
        total += energy
        energies[i] = energy
    return total + energies[3]


ONE_TRACE = {
    dispersion: lambda r: (r.normal(size=6), 2.0),
    taken_over: lambda r: (r.normal(size=3), r.normal()),
    controlled: lambda r: (3.0 * r.uniform(size=3), r.normal(), 3.0 * r.normal()),
    embedded: lambda r: (r.uniform(0.5, 2), r.uniform(0.5, 6), r.uniform(0.002, 0.02)),
    descended: lambda r: (*(r.normal(size=n) for n in (3, (9, 3), 9)), r.uniform(1, 3)),
    kalman: lambda r: (0.5 * r.normal(size=2), missing(r)),
    tried_steps: lambda r: (r.uniform(0.5, 2, size=2), r.uniform(0.5, 4, size=2)),
    switching: lambda r: (
        *(1.5 * r.normal(size=8), np.array([0.0, 1.0]) + 0.1 * r.normal(size=2)),
        r.uniform(0.5, 1.5, size=2),
    ),
    rescaled: lambda r: (r.normal(size=3), r.uniform(0.2, 2)),
    snow_and_soil: lambda r: (
        *(r.uniform(1.0, 2.0, size=3), 3.0 * r.uniform(size=12)),
        3.0 * r.normal(size=12),
    ),
    bucket: lambda r: (r.uniform(0.1, 2.0, size=2), 3.0 * r.uniform(size=8)),
    limited: lambda r: (r.normal(size=9),),
    upwind: lambda r: (r.normal(size=6), r.normal(size=6), 0.1),
    in_a_box: lambda r: (r.uniform(0, 1, size=2), 5 * r.normal(size=2), 1.0),
    melting: lambda r: (r.normal(size=6), 0.2, 0.5),
    in_order: lambda r: (r.normal(size=5), r.normal(size=5)),
    american: lambda r: (r.uniform(1, 2, size=7), r.uniform(0.9, 1.5), 1.2),
    in_a_list: lambda r: (r.normal(size=5), r.normal()),
    cut_off: lambda r: (r.normal(size=5), 0.1 * r.normal()),
    damped: lambda r: (r.normal(size=3), r.normal(size=3)),
    rejection: lambda r: (r.normal(), np.log(r.uniform(size=8)), r.normal(size=8)),
    relu: lambda r: (r.normal(),),
    payoff: lambda r: (1.0, r.normal(size=12), 1.2),
    adaptive: lambda r: (r.uniform(0.5, 2), r.uniform(0.5, 4)),
    clipped: lambda r: (r.normal(size=10), r.normal(), 0.5),
    bounce: lambda r: (r.uniform(0, 2), r.normal(), 0.8),
    taxes: lambda r: (r.uniform(0, 80), r.uniform(size=3)),
    masked_sum: lambda r: (2 * r.normal(size=8), r.normal(size=8)),
}


# ----- Of Variables: numbers and small arrays that the user holds -----


def either(x, w):
    if x > w:
        y = x * w
    else:
        y = w - x
    return y * y


def three_ways_out(x, w):
    if x < 0:
        return w * x
    if x < 1:
        return w * x * x
    return w * (2 * x - 1)


def three_deep(x, w):
    if x > 0:
        if w > 0:
            if x > w:
                y = x - w
            else:
                y = w - 2 * x
        else:
            y = 1.0 * x
    else:
        if w > 0.5:
            y = w * w
        else:
            y = x * x * w
    return y + x


def one_of_two(x, w):
    """Each of them has a gradient after one arm only."""
    if x > w:
        y = np.sin(x)
    else:
        y = np.exp(w)
    return y * 2.0


def as_saved_or_not(x, w):
    """One arm needs its arguments to go back, and the other one does not."""
    if np.sum(x) > 0:
        y = x * w
    else:
        y = x + w
    return np.sum(y)


def in_an_exponential(x, w):
    """The gradient is computed from the result, and an arm of an arm lacks `w`."""
    if x > 0:
        if w > 0:
            y = x * w
        else:
            y = 2.0 * x
    else:
        y = x * x
    return np.exp(y)


def best_of_some(x, w):
    best = None
    for i in range(4):
        v = np.sin(x * (i + 1)) * w
        if best is None or v > best:
            best = v
    return best


def greatest(v, w):
    best, at = v[0], 0
    for i in range(1, len(v)):
        if v[i] > best:
            best, at = v[i], i
    return best * w + at * w


def recurrent(w, b):
    h, loss = np.zeros(4), 0.0
    for t in range(20):
        h = np.tanh(w * h + b + 0.01 * t)
        if h[0] > 0.2:
            h = np.sin(h) * h
        loss = loss + np.sum(h**2)
    return loss


def two_numbers(r):
    return r.normal(), r.normal()


ON_VARIABLES = {
    "either": (either, two_numbers),
    "three_ways_out": (three_ways_out, two_numbers),
    "three_deep": (three_deep, two_numbers),
    "one_of_two": (one_of_two, two_numbers),
    "as_saved_or_not": (as_saved_or_not, lambda r: (r.normal(size=3), r.normal())),
    "in_an_exponential": (in_an_exponential, two_numbers),
    "best_of_some": (best_of_some, two_numbers),
    "greatest": (greatest, lambda r: (r.normal(size=6), r.normal())),
}


def compared_with_the_tape(function):
    """``value_and_grad`` of a program of an array and a number, after ten calls."""
    ours, tapes = (srcgrad.value_and_grad(function, argnums=(0, 1)) for _ in range(2))
    rng = np.random.default_rng(0)
    for _ in range(10):
        x, n = rng.normal(size=6), rng.normal()
        value, slopes = ours(x, n)
        assert value == function(x, n)
        with srcgrad.set_stance("tape"):
            expected = tapes(x, n)[1]
        for mine, tape in zip(slopes, expected, strict=True):
            np.testing.assert_allclose(mine, tape, rtol=1e-10, atol=1e-14)
    return ours
