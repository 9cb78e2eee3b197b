"""Models fitted to data: spectra, decays, calibrations, splines."""

import math
from collections import namedtuple
from dataclasses import dataclass, field

import numpy as np
from scipy.special import logsumexp

from tests.scientific.programs import made, program

TIMES = np.linspace(0.0, 2.0, 9)
DATA = 2.0 * np.exp(-1.3 * TIMES) + 0.5
WAVELENGTHS = np.linspace(0.0, 5.0, 40)
COUNTS = np.random.default_rng(1).poisson(20 + 10 * np.cos(WAVELENGTHS))


@program([0.6, 0.4, 0.9])
def exponential_fit(p):
    """Residuals of a model, one after the other, in a list."""
    amplitude, rate, offset = p
    residuals = []
    for t, y in zip(TIMES, DATA, strict=True):
        residuals.append(amplitude * math.exp(-rate * t) + offset - y)
    return np.mean(np.square(residuals))


@program([0.6, 0.4, 0.9])
def lorentzian_peaks(p):
    """A spectrum that is filled peak by peak."""
    grid = np.linspace(-1.0, 1.0, 15)
    spectrum = np.zeros_like(grid)
    for centre, width in ((p[0], p[1]), (p[2], 0.3)):
        spectrum += width / np.pi / ((grid - centre) ** 2 + width**2)
    spectrum /= spectrum.max()
    return np.sum((spectrum - np.cos(grid)) ** 2)


@program([0.6, 0.4, 0.9])
def autoregression(p):
    """A residual for each step, from a window of the last two."""
    window = [0.1, 0.2]
    total = 0.0
    for t in range(8):
        predicted = p[0] * window[-1] + p[1] * window[-2]
        predicted = predicted / math.hypot(1.0, predicted)
        observed = math.sin(t) * p[2]
        total += (observed - predicted) ** 2
        window.append(predicted)
        window = window[1:]
    return math.sqrt(total / 8)


Peak = namedtuple("Peak", "height centre width")


@dataclass
class SpectrumConfig:
    n_peaks: int = 2
    background: str = "linear"
    bounds: tuple = (0.0, 5.0)
    penalty: dict = field(default_factory=lambda: {"width": 0.1, "height": 0.0})


class SpectrumFit:
    """Peaks on a background, with everything that is fixed in attributes."""

    def __init__(self, x, y, config):
        self.x = x
        self.y = y
        self.config = config
        self.weights = 1.0 / np.sqrt(np.maximum(y, 1))
        self.history = []

    def unpack(self, theta):
        n = self.config.n_peaks
        peaks = [Peak(*theta[3 * i : 3 * i + 3]) for i in range(n)]
        return peaks, theta[3 * n :]

    def model(self, theta):
        peaks, rest = self.unpack(theta)
        if self.config.background == "linear":
            low, high = self.config.bounds
            total = rest[0] + rest[1] * (self.x - low) / (high - low)
        else:
            total = np.full_like(self.x, rest[0])
        for peak in peaks:
            total = total + peak.height * np.exp(
                -0.5 * ((self.x - peak.centre) / peak.width) ** 2
            )
        return total

    def chi2(self, theta):
        r = (self.model(theta) - self.y) * self.weights
        value = np.sum(r**2)
        peaks, _ = self.unpack(theta)
        for peak in peaks:
            for name, strength in self.config.penalty.items():
                value += strength * getattr(peak, name) ** 2
        self.history.append(float(value))
        return value


made(
    "spectrum_fit",
    lambda: SpectrumFit(WAVELENGTHS, COUNTS, SpectrumConfig()).chi2,
    [12.0, 0.3, 0.9, 8.0, 4.6, 1.1, 15.0, 2.0],
)


@program([1.2, 0.7], TIMES, DATA + 0.2, robust=True)
def michaelis_menten(p, s, v, robust=False, delta=0.1):
    """Rates of an enzyme, with a robust loss that keywords choose."""
    vmax, km = p
    residual = vmax * s / (km + s) - v
    if robust:
        absolute = np.abs(residual)
        loss = np.where(
            absolute < delta, 0.5 * residual**2, delta * (absolute - delta / 2)
        )
    else:
        loss = 0.5 * residual**2
    return loss.sum() / len(s)


KNOTS = np.linspace(0, 2, 6)


@program([0.3, 0.9, -0.2, 0.4, 0.1, 0.6], TIMES)
def natural_spline(values, at):
    """A natural cubic spline: a tridiagonal system, by Thomas's algorithm."""
    n = len(KNOTS)
    h = np.diff(KNOTS)
    a, b, c, d = np.zeros(n), np.ones(n), np.zeros(n), np.zeros(n)
    for i in range(1, n - 1):
        a[i], b[i], c[i] = h[i - 1], 2 * (h[i - 1] + h[i]), h[i]
    d = np.zeros(n)
    for i in range(1, n - 1):
        d[i] = 6 * (
            (values[i + 1] - values[i]) / h[i] - (values[i] - values[i - 1]) / h[i - 1]
        )
    cp, dp = np.zeros(n), np.zeros(n)
    cp[0], dp[0] = c[0] / b[0], d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * cp[i - 1]
        cp[i] = c[i] / m
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m
    second = np.zeros(n)
    second[-1] = dp[-1]
    for i in range(n - 2, -1, -1):
        second[i] = dp[i] - cp[i] * second[i + 1]
    energy = 0.0
    for t in at:
        i = min(int(np.searchsorted(KNOTS, t, side="right")) - 1, n - 2)
        u = t - KNOTS[i]
        slope = (values[i + 1] - values[i]) / h[i] - h[i] / 6 * (
            2 * second[i] + second[i + 1]
        )
        s = values[i] + slope * u + second[i] / 2 * u**2
        s += (second[i + 1] - second[i]) / (6 * h[i]) * u**3
        energy += (s - np.sin(t)) ** 2
    return energy


@program([0.4, -0.3, 0.2, 0.8])
def mixture_of_gaussians(theta):
    """A likelihood of two components, summed in logarithms."""
    mu, log_sigma = theta[:2], theta[2:]
    sigma = np.exp(log_sigma)
    x = np.sin(3 * TIMES)
    log_weights = np.log([0.3, 0.7])
    log_p = -0.5 * ((x[:, None] - mu) / sigma) ** 2 - log_sigma
    log_p = log_p - 0.5 * np.log(2 * np.pi) + log_weights
    return -logsumexp(log_p, axis=1).mean()


@program([0.5, 1.5], degree=3)
def polynomial_baseline(p, degree):
    """A scale in the axis, the polynomial in it by least squares."""
    x = (TIMES - p[0]) / p[1]
    design = np.vander(x, degree + 1, increasing=True)
    normal = design.T @ design + 1e-3 * np.eye(degree + 1)
    coefficients = np.linalg.solve(normal, design.T @ DATA)
    fitted = np.polyval(coefficients[::-1], x)
    return np.linalg.norm(fitted - DATA) ** 2


@program({"gain": np.array([1.1, 0.9, 1.0]), "offset": np.array(0.1), "gamma": 1.2})
def sensor_calibration(params):
    """Sensors that should agree; parameters by name."""
    truth = np.linspace(0.2, 1.0, 7)
    readings = np.outer([0.9, 1.1, 1.0], truth) ** 1.1
    estimates = params["gain"][:, None] * readings + params["offset"]
    estimates = np.clip(estimates, 1e-6, None) ** params["gamma"]
    consensus = estimates.mean(axis=0, keepdims=True)
    loss = ((estimates - consensus) ** 2).mean()
    return loss + 0.1 * ((consensus - truth) ** 2).mean()
