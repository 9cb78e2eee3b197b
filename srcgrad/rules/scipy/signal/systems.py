"""Rules for ``scipy.signal``: linear systems, their states and their responses.

A system is a tuple: two polynomials, zeros with poles and a gain, or four matrices.
"""

import math

import numpy as np
from scipy import linalg, signal

from srcgrad.facts import Operation
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.libraries import reaching
from srcgrad.rules.scipy.signal.filter_forms import normalize, tf2zpk, zpk2tf
from srcgrad.rules.scipy.signal.filters import freqz, freqz_zpk

expm = reaching(linalg.expm)
solve = reaching(linalg.solve)
block_diag = reaching(linalg.block_diag)
findfreqs = reaching(signal.findfreqs)


# ----- From one form to another -----
def abcd_normalize(A=None, B=None, C=None, D=None):
    """``scipy.signal.abcd_normalize``"""
    given = [M is not None for M in (A, B, C, D)]
    if not any(given[:3]) or not (given[3] or (given[1] and given[2])):
        raise ValueError("Dimensions are undefined for the parameters that are None!")
    none = np.zeros((0, 0))
    A, B, C, D = (none if M is None else np.atleast_2d(M) for M in (A, B, C, D))
    n = np.shape(A)[0] or np.shape(B)[0] or np.shape(C)[1]
    p, q = np.shape(B)[1] or np.shape(D)[1], np.shape(C)[0] or np.shape(D)[0]
    shapes = (n, n), (n, p), (q, n), (q, p)
    out = []
    for name, M, shape in zip("ABCD", (A, B, C, D), shapes, strict=True):
        M = M if np.size(M) else np.zeros(shape)
        if np.shape(M) != shape:
            raise ValueError(
                f"Parameter {name} has shape {np.shape(M)} but should be {shape}!"
            )
        out.append(M)
    return tuple(out)


def tf2ss(num, den):
    """``scipy.signal.tf2ss``: the controller canonical form."""
    num, den = normalize(num, den)
    num, size = np.atleast_2d(num), np.shape(den)[0]
    more = size - np.shape(num)[1]
    if more < 0:
        raise ValueError("Improper transfer function. `num` is longer than `den`.")
    num = np.pad(num, ((0, 0), (more, 0)))
    D = num[:, :1]
    if size == 1:
        return np.zeros((1, 1)), np.zeros((1, 1)), np.zeros((np.shape(D)[0], 1)), D
    A = np.concatenate([-den[None, 1:], np.eye(size - 2, size - 1)])
    return A, np.eye(size - 1, 1), num[:, 1:] - np.outer(num[:, 0], den[1:]), D


def ss2tf(A, B, C, D, input=0):
    """``scipy.signal.ss2tf``: characteristic polynomials."""
    A, B, C, D = abcd_normalize(A, B, C, D)
    if input >= np.shape(D)[1]:
        raise ValueError("System does not have the input specified.")
    B, D = B[:, input : input + 1], D[:, input : input + 1]
    den = np.poly(A)
    rows = []
    for k in range(np.shape(D)[0]):
        rows.append(np.poly(A - B @ C[k : k + 1]) + (D[k] - 1.0) * den)
    return np.stack(rows), den


def zpk2ss(z, p, k):
    """``scipy.signal.zpk2ss``"""
    return tf2ss(*zpk2tf(z, p, k))


def ss2zpk(A, B, C, D, input=0):
    """``scipy.signal.ss2zpk``"""
    return tf2zpk(*ss2tf(A, B, C, D, input))


def state_space(system):
    """The four matrices of a system in any form."""
    if hasattr(system, "to_ss"):
        system = system.to_ss()
        return system.A, system.B, system.C, system.D
    return TO_MATRICES[len(system)](*system)


TO_MATRICES: dict[int, Operation] = {2: tf2ss, 3: zpk2ss, 4: abcd_normalize}
FROM_MATRICES: dict[int, Operation] = {2: ss2tf, 3: ss2zpk, 4: abcd_normalize}


# ----- Steps of time -----
def generalized(a, b, c, d, dt, alpha):
    """The generalized bilinear transformation."""
    unit = np.eye(np.shape(a)[0])
    inner = unit - alpha * dt * a
    ad = solve(inner, unit + (1.0 - alpha) * dt * a)
    bd = solve(inner, dt * b)
    return ad, bd, solve(inner.T, c.T).T, d + alpha * (c @ bd)


def zero_order_hold(a, b, c, d, dt):
    n, m = np.shape(b)
    moved = expm(np.pad(np.concatenate([a, b], axis=1), ((0, m), (0, 0))) * dt)[:n]
    return moved[:, :n], moved[:, n:], c, d


def first_order_hold(a, b, c, d, dt):
    n, m = np.shape(b)
    upper = block_diag(np.concatenate([a, b], axis=1) * dt, np.eye(m))
    moved = expm(np.pad(upper, ((0, m), (0, 0))))
    first, second, third = (
        moved[:n, :n],
        moved[:n, n : n + m],
        moved[:n, n + m :],
    )
    return first, second - third + first @ third, c, d + c @ third


def held_impulse(a, b, c, d, dt):
    if not np.allclose(d, 0):
        raise ValueError("Impulse method is only applicable to strictly proper systems")
    moved = expm(a * dt)
    return moved, moved @ b * dt, c, c @ b * dt


HOLDS: dict[str, Operation]
HOLDS = {"zoh": zero_order_hold, "foh": first_order_hold, "impulse": held_impulse}
ALPHAS = {"bilinear": 0.5, "tustin": 0.5, "euler": 0.0, "forward_diff": 0.0}
ALPHAS["backward_diff"] = 1.0


def cont2discrete(system, dt, method="zoh", alpha=None):
    """``scipy.signal.cont2discrete``"""
    a, b, c, d = system if len(system) == 4 else state_space(system)
    if method in HOLDS:
        matrices = HOLDS[method](a, b, c, d, dt)
    elif method == "gbt" and alpha is None:
        raise ValueError(
            "Alpha parameter must be specified for the generalized bilinear "
            "transform (gbt) method"
        )
    elif method == "gbt" or method in ALPHAS:
        matrices = generalized(a, b, c, d, dt, ALPHAS.get(method, alpha))
    else:
        raise ValueError(f"Unknown transformation method '{method}'")
    back = FROM_MATRICES[len(system)]
    return (*back(*matrices), dt)


# ----- Responses in time -----
def lsim(system, U, T, X0=None, interp=True):
    """``scipy.signal.lsim``"""
    A, B, C, D = state_space(system)
    T = np.atleast_1d(T)
    n, m = np.shape(B)
    is_free = U is None or (isinstance(U, (int, float)) and U == 0.0)
    U = np.zeros((np.size(T), m)) if is_free else np.atleast_1d(U)
    U = U[:, None] if np.ndim(U) == 1 else U
    if np.shape(U) != (np.size(T), m):
        raise ValueError("U must have a row for each element of T, and all inputs.")
    x = np.zeros(n) if X0 is None else X0
    if T[0] < 0:
        raise ValueError("Initial time must be nonnegative")
    states = [x @ expm(A.T * T[0]) if T[0] > 0 else x]
    if np.size(T) > 1:
        if not np.allclose(np.diff(T), T[1] - T[0]):
            raise ValueError("Time steps are not equally spaced.")
        step, now, later = stepping(A, B, T[1] - T[0], interp)
        given = U[:-1] @ now if later is None else U[:-1] @ now + U[1:] @ later
        for i in range(np.size(T) - 1):
            states.append(states[-1] @ step + given[i])
    x = np.stack(states)
    return T, np.squeeze(x @ C.T) + np.squeeze(U @ D.T), np.squeeze(x)


def stepping(A, B, dt, interp):
    """What a state, an input and the one after it add to the next state."""
    n, m = np.shape(B)
    parts = np.concatenate([A, B], axis=1) * dt
    if not interp:
        moved = expm(np.pad(parts, ((0, m), (0, 0))).T)
        return moved[:n, :n], moved[n:, :n], None
    parts = np.pad(parts, ((0, 2 * m), (0, m)))
    moved = expm((parts + np.eye(n + 2 * m, k=m) * (np.arange(n + 2 * m) >= n + m)).T)
    later = moved[n + m :, :n]
    return moved[:n, :n], moved[n : n + m, :n] - later, later


def response_times(A, N):
    """Seven times the longest time constant."""
    rate = np.min(np.abs(np.real(np.linalg.eigvals(A))))
    return np.linspace(0.0, 7.0 / (1.0 if rate == 0.0 else rate), N)


def impulse(system, X0=None, T=None, N=None):
    """``scipy.signal.impulse``"""
    A, B, C, D = state_space(system)
    start = np.squeeze(B if X0 is None else B + X0)
    T = response_times(A, 100 if N is None else N) if T is None else T
    return lsim((A, B, C, D), 0.0, T, np.atleast_1d(start), interp=False)[:2]


def step(system, X0=None, T=None, N=None):
    """``scipy.signal.step``"""
    A, B, C, D = state_space(system)
    T = response_times(A, 100 if N is None else N) if T is None else T
    return lsim((A, B, C, D), np.ones(np.shape(T)), T, X0, interp=False)[:2]


def dlsim(system, u, t=None, x0=None):
    """``scipy.signal.dlsim``"""
    is_object = hasattr(system, "to_ss")
    dt = system.dt if is_object else system[-1]
    A, B, C, D = state_space(system if is_object else system[:-1])
    u = np.atleast_1d(u)
    u = u[:, None] if np.ndim(u) == 1 else u
    stop = (np.shape(u)[0] - 1) * dt if t is None else t[-1]
    size = np.shape(u)[0] if t is None else int(np.floor(stop / dt)) + 1
    times = np.linspace(0.0, stop, num=size)
    if t is not None:
        columns = [np.interp(times, t, u[:, k]) for k in range(np.shape(u)[1])]
        u = np.stack(columns, axis=1)
    states, given = [np.zeros(np.shape(A)[1]) if x0 is None else x0 + 0.0], u @ B.T
    for i in range(size - 1):
        states.append(A @ states[-1] + given[i])
    x = np.stack(states)
    y = x @ C.T + u @ D.T
    of_states = hasattr(system, "A") if is_object else len(system) == 5
    return (times, y, x) if of_states else (times, y)


def sampled(kind):
    """The responses to an impulse and to a step, of each input."""

    def response(system, x0=None, t=None, n=None):
        is_object = hasattr(system, "to_ss")
        dt = system.dt if is_object else system[-1]
        m = np.shape(state_space(system if is_object else system[:-1])[1])[1]
        n = 100 if n is None else n
        t = np.linspace(0, n * dt, n, endpoint=False) if t is None else t
        size, found = np.shape(t)[0], []
        shape = np.ones(size) if kind == "dstep" else np.arange(size) == 0
        for i in range(m):
            u = np.outer(shape, np.arange(m) == i) * 1.0
            times, y, *_ = dlsim(system, u, t, x0)
            found.append(y)
        return times, tuple(found)

    return response


# ----- Responses by frequency -----
def freqs(b, a, worN=200, plot=None):
    """``scipy.signal.freqs``; its own choice of frequencies is a step."""
    w = points(worN, b, a, "ba")
    h = np.polyval(b, 1j * w) / np.polyval(a, 1j * w)
    if plot is not None:
        plot(w, h)
    return w, h


def points(worN, b, a, kind):
    if worN is None or isinstance(worN, (int, np.integer)):
        return findfreqs(b, a, 200 if worN is None else worN, kind)
    return np.atleast_1d(worN)


def freqs_zpk(z, p, k, worN=200):
    """``scipy.signal.freqs_zpk``"""
    z, p = np.atleast_1d(z), np.atleast_1d(p)
    w = points(worN, z, p, "zp")
    s = 1j * w[:, None]
    return w, k * np.prod(s - z, axis=-1) / np.prod(s - p, axis=-1)


def fractions(system):
    """A system of one input and one output as polynomials, or by its roots."""
    if hasattr(system, "to_zpk"):
        system = system.to_zpk()
        return system.zeros, system.poles, system.gain
    if len(system) == 4:
        b, a = ss2tf(*system)
        system = b[0], a
    return system


def freqresp(system, w=None, n=10000):
    """``scipy.signal.freqresp``"""
    form, w = fractions(system), n if w is None else w
    if len(form) == 2:
        b, a = form
        return freqs(b, a, w)
    z, p, k = form
    return freqs_zpk(z, p, k, w)


def bode(system, w=None, n=100):
    """``scipy.signal.bode``"""
    w, y = freqresp(system, w, n)
    return w, 20.0 * np.log10(np.abs(y)), np.unwrap(np.angle(y)) * (180.0 / math.pi)


def dfreqresp(system, w=None, n=10000, whole=False):
    """``scipy.signal.dfreqresp``"""
    form = fractions(system if hasattr(system, "to_zpk") else system[:-1])
    w = n if w is None else w
    if len(form) == 3:
        z, p, k = form
        return freqz_zpk(z, p, k, w, whole)
    b, a = (np.atleast_1d(each) for each in form)
    size = max(np.size(b), np.size(a))
    b, a = (np.pad(each, (size - np.size(each), 0)) for each in (b, a))
    return freqz(b, a, w, whole)


def dbode(system, w=None, n=100):
    """``scipy.signal.dbode``"""
    w, y = dfreqresp(system, w, n)
    dt = system.dt if hasattr(system, "dt") else system[-1]
    return w / dt, 20.0 * np.log10(np.abs(y)), np.rad2deg(np.unwrap(np.angle(y)))


def group_delay(system, w=512, whole=False, fs=2.0 * math.pi):
    """``scipy.signal.group_delay``"""
    b, a = (np.atleast_1d(each) for each in system)
    if w is None or isinstance(w, (int, np.integer)):
        end = 2.0 * math.pi if whole else math.pi
        w = np.linspace(0.0, end, 512 if w is None else w, endpoint=False)
    else:
        w = 2.0 * math.pi * np.atleast_1d(w) / fs
    c = np.convolve(b, np.conjugate(a[::-1]))
    z = np.exp(-1j * w)
    num = np.polyval((c * np.arange(np.size(c)))[::-1], z)
    delay = np.real(num / np.polyval(c[::-1], z)) - np.size(a) + 1.0
    return w * (fs / (2.0 * math.pi)), np.where(np.isfinite(delay), delay, 0.0)


for _own in (abcd_normalize, tf2ss, ss2tf, zpk2ss, ss2zpk, cont2discrete, lsim):
    defined_as(getattr(signal, _own.__name__), _own)
for _own in (impulse, step, dlsim, freqs, freqs_zpk, freqresp, bode, dfreqresp):
    defined_as(getattr(signal, _own.__name__), _own)
for _own in (dbode, group_delay):
    defined_as(getattr(signal, _own.__name__), _own)
for _name in ("dstep", "dimpulse"):
    defined_as(getattr(signal, _name), sampled(_name))
