"""Things that move and react: differential equations, step by step."""

import math
from enum import Enum
from functools import partial

import numpy as np

from tests.scientific.programs import made, program


@program([0.6, 0.4, 0.9])
def runge_kutta(p):
    """Lotka and Volterra's equations, with a list of states."""
    alpha, beta, delta = p

    def slope(t, y):
        return np.array([alpha * y[0] - beta * y[0] * y[1], delta * y[0] * y[1] - y[1]])

    y, dt = np.array([1.0, 0.8]), 0.1
    trajectory = [y]
    for step in range(8):
        t = step * dt
        k1 = slope(t, y)
        k2 = slope(t + dt / 2, y + dt / 2 * k1)
        k3 = slope(t + dt / 2, y + dt / 2 * k2)
        k4 = slope(t + dt, y + dt * k3)
        y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        trajectory.append(y)
    trajectory = np.array(trajectory)
    return np.sum((trajectory - 1.0) ** 2)


@program([0.6, 0.4, 0.9])
def heat_equation(p):
    """Explicit steps on slices, in place."""
    u = np.zeros(12)
    u[0], u[-1] = p[0], p[1]
    diffusivity = p[2] * 0.2
    for _ in range(6):
        flux = u[1:] - u[:-1]
        u[1:-1] += diffusivity * (flux[1:] - flux[:-1])
        u[0] = 0.5 * (u[0] + u[1])
    return np.sum(u**2) - 0.5 * (u[0] ** 2 + u[-1] ** 2)


@program([0.6, 0.4, 0.9])
def spring_network(p):
    """Masses on springs: forces are added up at indices that repeat."""
    positions = np.array([[0.0, 0.0], [1.0, 0.1], [0.4, 0.9]]) * p[0]
    first, second = np.array([0, 1, 2]), np.array([1, 2, 0])
    velocities = np.zeros((3, 2))
    energies = []
    for _ in range(4):
        edges = positions[second] - positions[first]
        lengths = np.sqrt(np.sum(edges**2, axis=1))
        pull = p[1] * (lengths - 1.0) / lengths
        forces = np.zeros_like(positions)
        np.add.at(forces, first, pull[:, None] * edges)
        np.add.at(forces, second, -pull[:, None] * edges)
        velocities += 0.1 * forces
        velocities *= 1.0 - 0.1 * abs(p[2])
        positions += 0.1 * velocities
        energies.append(0.5 * p[1] * ((lengths - 1.0) ** 2).sum())
    return np.dot(energies, np.arange(1.0, 5.0))


G = 4 * np.pi**2


class Body:
    def __init__(self, mass, position, velocity):
        self.mass = mass
        self.position = np.array(position, dtype=float)
        self.velocity = np.array(velocity, dtype=float)


class SolarSystem:
    """Bodies as objects, whose positions each step rebinds."""

    def __init__(self):
        self.names = ["sun", "earth", "mars"]
        self.start()

    def start(self):
        self.bodies = {
            "sun": Body(1.0, [0, 0], [0, 0]),
            "earth": Body(3e-6, [1, 0], [0, 2 * np.pi]),
            "mars": Body(3e-7, [1.52, 0], [0, 5.08]),
        }

    def acceleration(self, name):
        total = np.zeros(2)
        for other in self.names:
            if other != name:
                r = self.bodies[other].position - self.bodies[name].position
                total += G * self.bodies[other].mass * r / np.linalg.norm(r) ** 3
        return total

    def distance(self, velocity, years=0.1, steps=5):
        """How far the earth ends from its target, by its first velocity."""
        self.start()
        self.bodies["earth"].velocity = velocity
        dt = years / steps
        for _ in range(steps):
            for name in self.names:
                body = self.bodies[name]
                body.velocity = body.velocity + 0.5 * dt * self.acceleration(name)
            for body in self.bodies.values():
                body.position = body.position + dt * body.velocity
            for name in self.names:
                body = self.bodies[name]
                body.velocity = body.velocity + 0.5 * dt * self.acceleration(name)
        miss = self.bodies["earth"].position - np.array([0.8, 0.6])
        return np.sqrt(miss @ miss)


made("solar_system", lambda: SolarSystem().distance, [0.5, 6.1])


@program([0.1, 0.3])
def kepler_orbit(elements):
    """Kepler's equation by Newton's method, until it stops."""
    e, m0 = elements
    radii = []
    for k in range(5):
        M = m0 + 2 * math.pi * k / 5
        E = M
        for _ in range(50):
            step = (E - e * np.sin(E) - M) / (1 - e * np.cos(E))
            E = E - step
            if abs(step) < 1e-12:
                break
        radii.append(1 - e * np.cos(E))
    return np.var(radii)


def robertson(y, k):
    r1, r2, r3 = k[0] * y[0], k[1] * y[1] * y[2], k[2] * y[1] ** 2
    return np.array([-r1 + r2, r1 - r2 - r3, r3])


@program([0.4, 1.0, 3.0])
def implicit_kinetics(k):
    """Backward Euler; each step is solved by Newton's method."""
    y = np.array([1.0, 0.0, 0.0])
    dt = 0.1
    for _ in range(5):
        new = y.copy()
        for _ in range(4):
            jac = np.zeros((3, 3))
            jac[0] = [-k[0], k[1] * new[2], k[1] * new[1]]
            jac[2, 1] = 2 * k[2] * new[1]
            jac[1] = -jac[0] - jac[2]
            residual = new - y - dt * robertson(new, k)
            new = new - np.linalg.solve(np.eye(3) - dt * jac, residual)
        y = new
    return (y[2] - 0.05) ** 2 + y[1]


class Measure(Enum):
    NONE = 1.0
    MASKS = 0.7
    LOCKDOWN = 0.3


POLICY = {0: Measure.NONE, 5: Measure.MASKS, 10: Measure.LOCKDOWN}
REPORTED = np.array([1, 2, 2, 3, 5, 8, 9, 11, 10, 9, 8, 6, 5, 3, 2]) * 1e-3


@program([0.9, 0.3], compartments=("S", "I", "R"))
def epidemic(p, compartments):
    """SIR with measures that begin on days."""
    beta, gamma = p
    state = dict.fromkeys(compartments, 0.0)
    state["S"], state["I"] = 0.999, 0.001
    measure = Measure.NONE
    loss = 0.0
    for day, reported in enumerate(REPORTED):
        measure = POLICY.get(day, measure)
        infections = beta * measure.value * state["S"] * state["I"]
        recoveries = gamma * state["I"]
        state["S"] -= infections
        state["I"] += infections - recoveries
        state["R"] += recoveries
        loss += (infections - reported) ** 2
    return 1e4 * loss + state["R"]


class PID:
    def __init__(self, gains, limit=2.0):
        self.kp, self.ki, self.kd = gains
        self.limit = limit
        self.integral = 0.0
        self.previous = None

    def __call__(self, error, dt):
        self.integral += error * dt
        rate = 0.0 if self.previous is None else (error - self.previous) / dt
        self.previous = error
        u = self.kp * error + self.ki * self.integral + self.kd * rate
        return max(-self.limit, min(self.limit, u))


@program([1.5, 0.3, 0.1])
def controlled_pendulum(gains):
    """A controller made inside, with saturation."""
    controller = PID(gains)
    angle, speed, dt, cost = 0.5, 0.0, 0.05, 0.0
    for _ in range(30):
        u = controller(-angle, dt)
        speed += dt * (9.81 / 10 * math.sin(angle) + u - 0.1 * speed)
        angle += dt * speed
        cost += dt * (angle**2 + 0.01 * u**2)
    return cost


@program([1.0, 0.2])
def riccati_gain(weights):
    """A regulator's cost, from Riccati's equation, iterated."""
    A = np.array([[1.0, 0.1], [0.0, 1.0]])
    B = np.array([[0.0], [0.1]])
    Q = np.diag([weights[0], 0.1])
    R = weights[1] * np.eye(1)
    P = Q
    for _ in range(10):
        K = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
        P = Q + A.T @ P @ (A - B @ K)
    return np.trace(P)


def step_lorenz(state, dt, sigma, rho, beta):
    x, y, z = state
    return state + dt * np.array([sigma * (y - x), x * (rho - z) - y, x * y - beta * z])


@program([10.0, 28.0, 8 / 3])
def lorenz_climate(p):
    """Statistics of a trajectory, with a step that is partly applied."""
    sigma, rho, beta = p
    step = partial(step_lorenz, dt=0.01, sigma=sigma, rho=rho, beta=beta)
    state = np.array([1.0, 1.0, 1.0])
    path = np.empty((20, 3))
    for i in range(20):
        state = step(state)
        path[i, :] = state
    return path[:, 2].mean() + path[10:].std(axis=0).sum()


@program(np.sin(np.linspace(0, np.pi, 16)), courant=0.5)
def wave_on_ring(u0, courant, n_steps=12):
    """A wave on a ring, with the last two levels swapped."""
    previous, current = u0.copy(), u0.copy()
    energy = []
    for n in range(n_steps):
        laplacian = np.roll(current, 1) - 2 * current + np.roll(current, -1)
        new = 2 * current - previous + courant**2 * laplacian
        previous, current = current, new
        if n % 4 == 0:
            energy.append(np.sum((current - previous) ** 2))
    return sum(energy) / len(energy) + current[3] ** 2


class Diffusion:
    """Fluxes in arrays that are made once, and kept from step to step."""

    def __init__(self, n=12):
        self.flux, self.rate = np.zeros(n + 1), np.empty(n)
        self.u = np.exp(-(np.linspace(-2.0, 2.0, n) ** 2))

    def energy(self, dt):
        self.flux[:] = 0.0
        inner = 0.3 * (self.u[1:] - self.u[:-1])
        np.concatenate(([0.0], inner, [0.0]), out=self.flux)
        np.subtract(self.flux[1:], self.flux[:-1], out=self.rate)
        new = self.u + dt * self.rate
        self.u = self.u + 0.01 * self.rate
        return np.sum(new**2)


made("diffusion_with_buffers", lambda: Diffusion().energy, 0.2)


@program([0.8, 0.3])
def van_der_pol_adaptive(p):
    """Steps whose size the error decides, in a while loop."""
    mu, x0 = p
    f = lambda y: np.array([y[1], mu * (1 - y[0] ** 2) * y[1] - y[0]])  # noqa: E731
    t, h, y = 0.0, 0.1, np.array([x0, 0.0])
    while t < 1.0:
        h = min(h, 1.0 - t)
        k1 = f(y)
        k2 = f(y + h * k1)
        error = float(np.max(np.abs(0.5 * h * (k2 - k1))))
        if error < 5e-2:
            y = y + 0.5 * h * (k1 + k2)
            t += h
            h *= 1.2
        else:
            h *= 0.5
    return y @ y
