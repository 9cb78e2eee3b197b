"""Programs with branches, as people write them."""

import numpy as np


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


ONE_TRACE = {
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
