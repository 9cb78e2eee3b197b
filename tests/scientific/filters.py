"""States behind signals: Kalman filters, particles, hidden chains."""

import math
from dataclasses import dataclass

import numpy as np

from tests.scientific.programs import made, program

RNG = np.random.default_rng(7)
NOISE = RNG.normal(size=(12, 2)) * 0.1
BEARINGS = np.arctan2(np.linspace(0.5, 2, 10), np.linspace(2, 1, 10))


@program([0.6, 0.4, 0.9])
def kalman_filter(p):
    """Position and velocity from positions; every estimate is kept."""
    q, r, dt = p[0], p[1], p[2]
    transition = np.array([[1.0, dt], [0.0, 1.0]])
    observe = np.array([[1.0, 0.0]])
    noise = q * np.array([[dt**3 / 3, dt**2 / 2], [dt**2 / 2, dt]])
    states = np.zeros((len(NOISE), 2))
    covariance = np.eye(2)
    state = np.zeros(2)
    log_likelihood = 0.0
    for k in range(len(NOISE)):
        state = transition @ state
        covariance = transition @ covariance @ transition.T + noise
        innovation = math.sin(0.3 * k) + NOISE[k, 0] - (observe @ state)[0]
        s = (observe @ covariance @ observe.T)[0, 0] + r
        gain = (covariance @ observe.T)[:, 0] / s
        state = state + gain * innovation
        covariance = (np.eye(2) - np.outer(gain, observe[0])) @ covariance
        states[k] = state
        log_likelihood -= 0.5 * (math.log(2 * math.pi * s) + innovation**2 / s)
    return log_likelihood + 1e-2 * np.sum(states[:, 1] ** 2)


@program([0.6, 0.4, 0.9])
def hidden_markov(p):
    """The forward algorithm in logarithms, with a table that is filled."""
    stay = 1.0 / (1.0 + math.exp(-p[0]))
    table = np.log(np.array([[stay, 1 - stay], [1 - stay, stay]]))
    means = np.array([p[1], p[2]])
    signal = np.sin(np.arange(6.0))
    alpha = np.empty((len(signal), 2))
    alpha[0] = np.log(0.5) - 0.5 * (signal[0] - means) ** 2
    for t in range(1, len(signal)):
        for j in range(2):
            terms = alpha[t - 1] + table[:, j]
            top = max(terms)
            alpha[t, j] = top + math.log(sum(math.exp(v - top) for v in terms))
            alpha[t, j] -= 0.5 * (signal[t] - means[j]) ** 2
    return -np.logaddexp(*alpha[-1])


class ExtendedKalmanFilter:
    """The state and its covariance are attributes that each step rebinds."""

    def __init__(self, dt=0.1):
        self.dt = dt
        self.F = np.array([[1.0, dt, 0, 0], [0, 1, 0, 0], [0, 0, 1, dt], [0, 0, 0, 1]])
        self.reset()

    def reset(self):
        self.x = np.array([2.0, -1.0, 0.4, 1.5])
        self.P = np.eye(4)

    def predict(self, q):
        self.x = self.F @ self.x
        self.P = self.F @ self.P @ self.F.T + q * np.eye(4)

    def update(self, bearing, r):
        px, _, py, _ = self.x
        d2 = px**2 + py**2
        H = np.array([[-py / d2, 0.0, px / d2, 0.0]])
        innovation = bearing - np.arctan2(py, px)
        S = H @ self.P @ H.T + r
        K = self.P @ H.T / S
        self.x = self.x + (K * innovation).ravel()
        self.P = (np.eye(4) - K @ H) @ self.P
        return 0.5 * (innovation**2 / S[0, 0] + np.log(S[0, 0]))

    def __call__(self, log_params):
        q, r = np.exp(log_params)
        self.reset()
        nll = 0.0
        for bearing in BEARINGS:
            self.predict(q)
            nll += self.update(bearing, r)
        return nll


made("extended_kalman_filter", ExtendedKalmanFilter, [-3.0, -4.0])


@program([0.7, -0.2], n_particles=16, seed=5)
def particle_filter(theta, n_particles, seed):
    """Weights of particles that are drawn anew at each call, with one seed."""
    rng = np.random.default_rng(seed)
    phi, log_noise = theta
    particles = rng.normal(size=n_particles)
    log_evidence = 0.0
    for y in NOISE[:, 0] * 5:
        particles = phi * particles + 0.5 * rng.standard_normal(n_particles)
        log_w = -0.5 * ((y - particles) / np.exp(log_noise)) ** 2 - log_noise
        top = log_w.max()
        w = np.exp(log_w - top)
        log_evidence += top + np.log(w.mean())
        # Soft resampling: towards the weighted mean.
        particles = 0.9 * particles + 0.1 * np.sum(w * particles) / w.sum()
    return log_evidence


@dataclass(frozen=True)
class Window:
    kind: str
    length: int

    @property
    def taps(self):
        n = np.arange(self.length)
        if self.kind == "hann":
            return 0.5 - 0.5 * np.cos(2 * np.pi * n / (self.length - 1))
        return np.ones(self.length)


WINDOW = Window("hann", 8)


@program([0.2, -0.1, 0.5, 0.3])
def matched_filter(taps):
    """A filter's response, against what is wanted, by FFT and by convolution."""
    signal = np.sin(np.linspace(0, 6, 24)) + NOISE[:, :1].repeat(2, axis=1).ravel()
    filtered = np.convolve(signal, taps, mode="same")
    response = np.abs(np.fft.rfft(np.concatenate([taps, np.zeros(12)]))) ** 2
    cut = np.arange(len(response)) > 3
    smooth = np.convolve(filtered, WINDOW.taps / WINDOW.taps.sum(), mode="valid")
    return response[cut].sum() + np.mean((smooth - smooth.mean()) ** 2)


@program([0.3, 0.6])
def exponential_smoothing(p):
    """Holt's trend, with tuples of state."""
    a, b = p
    series = np.cumsum(NOISE[:, 1]) + 0.1 * np.arange(12)
    level, trend = series[0], series[1] - series[0]
    errors = []
    for y in series[1:]:
        forecast = level + trend
        errors.append(y - forecast)
        level, trend = (
            a * y + (1 - a) * forecast,
            b * (a * y + (1 - a) * forecast - level) + (1 - b) * trend,
        )
    return np.sqrt(np.mean(np.array(errors) ** 2))
