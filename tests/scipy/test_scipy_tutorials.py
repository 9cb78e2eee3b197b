"""Programs as SciPy's tutorials write them, under SciPy's own names, differentiated."""

import numpy as np
import pytest
from scipy import integrate, interpolate, optimize, signal
from scipy.spatial.transform import Rotation

import srcgrad

T = np.linspace(0.0, 1.0, 60, endpoint=False)
X = np.linspace(0.0, 10.0, 9)


# ----- Signals -----
def denoised(p):
    """How much of a wave is left by a filter from both ends."""
    cutoff, gain = p
    noisy = np.sin(2 * np.pi * 3 * T) + 0.5 * np.sin(2 * np.pi * 20 * T)
    b, a = signal.butter(3, cutoff, "low", fs=60)
    sos = signal.butter(3, cutoff, "low", output="sos", fs=60)
    kept = gain * signal.filtfilt(b, a, noisy) + signal.sosfiltfilt(sos, noisy)
    return np.sum((kept - np.sin(2 * np.pi * 3 * T)) ** 2)


def spectral_centre(p):
    frequency, amplitude = p
    x = amplitude * np.sqrt(2) * np.sin(2 * np.pi * frequency * T) + 0.1 * np.cos(
        70 * T
    )
    f, power = signal.welch(x, fs=60, nperseg=32, scaling="spectrum")
    return np.sum(f * power) / np.sum(power)


def masked(p):
    """A spectrum over time, its small parts taken out, and back."""
    x = np.sin(p[0] * T) + p[1] * T
    pieces = signal.ShortTimeFFT(np.hanning(12), hop=4, fs=60, mfft=16)
    spectrum = pieces.stft(x)
    loud = np.abs(spectrum) > 0.1 * np.max(np.abs(spectrum))
    return np.sum(pieces.istft(np.where(loud, spectrum, 0.0), k1=len(x)) ** 2)


# ----- Interpolation -----
def splines(y):
    points = np.linspace(0.1, 9.8, 7)
    cubic, akima = interpolate.CubicSpline(X, y), interpolate.Akima1DInterpolator(X, y)
    slope = interpolate.make_interp_spline(X, y, k=3).derivative()
    return np.sum(cubic(points) * akima(points) + slope(points)) + cubic.integrate(0, 5)


def fitpack(y):
    tck = interpolate.splrep(X, y, s=0)
    spline = interpolate.InterpolatedUnivariateSpline(X, y)
    at = interpolate.splev([1.0, 2.0], tck, der=1)
    return np.sum(at) * spline([1.5, 2.5])[0] + interpolate.splint(0, 3, tck)


def curve_in_the_plane(phase):
    turn = np.linspace(0, 2 * np.pi, 9)
    r = 0.5 + np.cos(turn + phase)
    tck, _ = interpolate.splprep([r * np.cos(turn), r * np.sin(turn)], s=0)
    x, y = interpolate.splev(np.linspace(0, 1, 8), tck)
    return np.sum(x**2 * y)


# ----- Optimisation -----
def fitted(y):
    def decay(x, a, b, c):
        return a * np.exp(-b * x) + c

    best, spread = optimize.curve_fit(decay, X, y, p0=(2.5, 0.5, 0.5))
    return np.sum(best**2) + np.sum(np.sqrt(np.diag(spread)))


def held(p):
    """Rosenbrock's function, as the tutorial constrains it."""

    def rosen(x):
        return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (p - x[:-1]) ** 2)

    found = optimize.minimize(
        rosen,
        np.array([0.5, 0.0]),
        method="SLSQP",
        bounds=optimize.Bounds([0, -0.5], [1.0, 2.0]),
        constraints=[
            optimize.LinearConstraint([[1, 2]], -np.inf, 1),
            optimize.LinearConstraint([[2, 1]], 1, 1),
            optimize.NonlinearConstraint(
                lambda x: [x[0] ** 2 + x[1], x[0] ** 2 - x[1]], -np.inf, 1
            ),
        ],
        options={"ftol": 1e-14},
    )
    return found.fun + found.x[0]


def root_of_two(p):
    def equations(x):
        return [x[0] * np.cos(x[1]) - p, x[1] * x[0] - x[1] - 5]

    return np.sum(optimize.root(equations, [1, 1], tol=1e-12).x ** 2)


# ----- Others -----
def predators(p):
    def lotka_volterra(t, z):
        x, y = z
        return [p[0] * x - p[1] * x * y, -3 * y + x * y]

    found = integrate.solve_ivp(
        lotka_volterra, [0, 1], [10, 5], dense_output=True, rtol=1e-9, atol=1e-9
    )
    return np.sum(found.sol(np.linspace(0, 1, 3)) ** 2)


def turned(p):
    turn = Rotation.from_euler("zyx", p) * Rotation.from_rotvec(p)
    return turn.apply([1.0, 2.0, 3.0])[0] + np.sum(turn.inv().as_quat())


PROGRAMS = [
    (denoised, [8.0, 0.9], 1e-5),
    (spectral_centre, [9.3, 1.2], 1e-5),
    (masked, [30.0, 0.3], 1e-5),
    (splines, np.sin(X), 1e-5),
    (fitpack, np.sin(X), 1e-5),
    (curve_in_the_plane, 0.3, 1e-5),
    (fitted, 2.5 * np.exp(-0.5 * X) + 0.5 + 0.05 * np.cos(9 * X), 1e-3),
    (held, 1.2, 1e-4),
    (root_of_two, 4.0, 1e-5),
    (predators, [1.5, 1.0], 1e-5),
    (turned, [0.3, 0.4, 0.5], 1e-5),
]


@pytest.mark.parametrize(
    ("program", "x", "step"), PROGRAMS, ids=[row[0].__name__ for row in PROGRAMS]
)
def test_a_gradient_is_that_of_differences(program, x, step):
    """Along one direction; steps are long where SciPy stops early."""
    x = np.asarray(x, float)
    direction = np.cos(np.arange(1.0, x.size + 1.0)).reshape(x.shape)
    ends = [program(x + sign * step * direction) for sign in (1.0, -1.0)]
    found = np.sum(srcgrad.grad(program)(x) * direction)
    assert found == pytest.approx((ends[0] - ends[1]) / (2.0 * step), rel=2e-3)
