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
