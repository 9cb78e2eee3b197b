"""``scipy.signal.lti``, ``dlti`` and their forms: linear systems that hold Variables.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import signal
>>> rate = srcgrad.Variable(np.array(2.0), requires_grad=True)
>>> system = signal.lti([1.0], np.stack([1.0, rate]))
>>> system.bode(np.array([2.0]))[2].sum().backward()  # -45 degrees, there
>>> round(rate.grad.item(), 4)
14.3239
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg, signal

from srcgrad.protocols import first_variable
from srcgrad.rules.libraries import LOOKING, REPLACEMENTS, reaching
from srcgrad.rules.scipy.signal import systems
from srcgrad.rules.scipy.signal.filter_forms import normalize, tf2zpk, zpk2tf

NAMES = {"tf": ("num", "den"), "zpk": ("zeros", "poles", "gain"), "ss": tuple("ABCD")}
discretised: Callable[..., Any] = systems.cont2discrete
sampled: Callable[..., Any] = systems.sampled
KINDS = {len(names): kind for kind, names in NAMES.items()}
CONVERSIONS: dict[tuple[str, str], Callable[..., Any]] = {
    ("tf", "zpk"): tf2zpk,
    ("tf", "ss"): systems.tf2ss,
    ("zpk", "tf"): zpk2tf,
    ("zpk", "ss"): systems.zpk2ss,
    ("ss", "tf"): systems.ss2tf,
    ("ss", "zpk"): systems.ss2zpk,
}
PREPARED: dict[str, Callable[..., Any]] = {
    "tf": normalize,
    "zpk": lambda z, p, k: (np.atleast_1d(z), np.atleast_1d(p), k),
    "ss": systems.abcd_normalize,
}


class System:
    """A linear system in one form: polynomials, roots, or matrices; see SciPy's."""

    __array_ufunc__ = None  # its operators come before those of arrays

    def __init__(self, kind: str, parts: Any, dt: Any = None) -> None:
        self._kind, self.dt = kind, dt
        vars(self).update(zip(NAMES[kind], PREPARED[kind](*parts), strict=True))

    @property
    def parts(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in NAMES[self._kind])

    def __getattr__(self, name: str) -> Any:
        if name in ("zeros", "poles"):
            return getattr(self.to_zpk(), name)
        raise AttributeError(f"a linear system as {self._kind} has no {name!r}")

    def __repr__(self) -> str:
        return f"<srcgrad's linear system {self.parts}, dt: {self.dt}>"

    def _in_form(self, kind: str, **options: Any) -> "System":
        parts = self.parts
        if kind != self._kind:
            parts = CONVERSIONS[self._kind, kind](*parts, **options)
        return System(kind, parts, self.dt)

    def to_tf(self, **options: Any) -> "System":
        return self._in_form("tf", **options)

    def to_zpk(self, **options: Any) -> "System":
        return self._in_form("zpk", **options)

    def to_ss(self) -> "System":
        return self._in_form("ss")

    def to_discrete(self, dt: Any, method: str = "zoh", alpha: Any = None) -> "System":
        parts = discretised(self.parts, dt, method, alpha)[:-1]
        return System(self._kind, parts, dt)

    # ----- Responses -----
    def _run(self, continuous: str, discrete: str, *args: Any, **options: Any) -> Any:
        name = continuous if self.dt is None else discrete
        return RESPONSES[name](self, *args, **options)

    def impulse(self, *args: Any, **options: Any) -> Any:
        return self._run("impulse", "dimpulse", *args, **options)

    def step(self, *args: Any, **options: Any) -> Any:
        return self._run("step", "dstep", *args, **options)

    def output(self, *args: Any, **options: Any) -> Any:
        return self._run("lsim", "dlsim", *args, **options)

    def bode(self, *args: Any, **options: Any) -> Any:
        return self._run("bode", "dbode", *args, **options)

    def freqresp(self, *args: Any, **options: Any) -> Any:
        return self._run("freqresp", "dfreqresp", *args, **options)

    # ----- One after the other, side by side: of matrices, as SciPy has it -----
    def __mul__(self, other: Any) -> Any:
        (a, b, c, d), scaled = self._matrices(), matrices_of(other, self.dt)
        if scaled is None:
            return self._with(a, b @ of_rows(other, b), c, d @ of_rows(other, d))
        A, B, C, D = scaled
        below = np.zeros((np.shape(A)[0], np.shape(a)[0]))
        whole = np.concatenate(
            [np.concatenate([a, b @ C], axis=1), np.concatenate([below, A], axis=1)]
        )
        return self._with(
            whole,
            np.concatenate([b @ D, B]),
            np.concatenate([c, d @ C], axis=1),
            d @ D,
        )

    def __rmul__(self, other: Any) -> Any:
        if (first := matrices_of(other, self.dt)) is not None:
            return self._with(*first) * self
        a, b, c, d = self._matrices()
        scale = other if np.ndim(other) == 2 else other * np.eye(np.shape(c)[0])
        return self._with(a, b, scale @ c, scale @ d)

    def __neg__(self) -> Any:
        a, b, c, d = self._matrices()
        return self._with(a, b, -c, -d)

    def __add__(self, other: Any) -> Any:
        (a, b, c, d), added = self._matrices(), matrices_of(other, self.dt)
        if added is None:
            if np.shape(np.atleast_2d(other)) != np.shape(d):
                raise ValueError("Cannot add systems with incompatible dimensions")
            return self._with(a, b, c, d + other)
        A, B, C, D = added
        return self._with(
            reaching(linalg.block_diag)(a, A),
            np.concatenate([b, B]),
            np.concatenate([c, C], axis=1),
            d + D,
        )

    def __radd__(self, other: Any) -> Any:
        first = matrices_of(other, self.dt)
        return self + other if first is None else self._with(*first) + self

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return (-self).__radd__(other)

    def __truediv__(self, other: Any) -> Any:
        if np.ndim(other) or matrices_of(other, self.dt) is not None:
            raise ValueError("Cannot divide StateSpace by what is no number")
        return self * (1.0 / other)

    def _matrices(self) -> tuple[Any, ...]:
        if self._kind != "ss":
            raise TypeError("only systems as matrices (to_ss) are added and multiplied")
        return self.parts

    def _with(self, *matrices: Any) -> "System":
        return System("ss", matrices, self.dt)


def of_rows(factor: Any, matrix: Any) -> Any:
    """What a number, or a matrix, does to the inputs."""
    return factor if np.ndim(factor) == 2 else factor * np.eye(np.shape(matrix)[1])


def matrices_of(other: Any, dt: Any) -> tuple[Any, ...] | None:
    """Those of another system as matrices; none of a number or an array."""
    if not isinstance(other, (System, signal.StateSpace)):
        return None
    if other.dt != dt:
        raise TypeError("Cannot combine systems with different `dt`.")
    return other.A, other.B, other.C, other.D


# ----- What makes them -----
def holding(original: Any, kind: str | None = None) -> Callable[..., Any]:
    """One of SciPy's classes, which gives a ``System`` where there are Variables."""

    @functools.wraps(original, updated=())
    def make(*parts: Any, **options: Any) -> Any:
        if len(parts) == 1 and isinstance(parts[0], System):
            return getattr(parts[0], f"to_{kind}")()
        if first_variable((*parts, *options.values())) is None:
            return original(*parts, **options)
        if len(parts) not in KINDS:
            raise ValueError("`system` needs to have 2, 3 or 4 arguments.")
        default = True if original is signal.dlti else None
        return System(kind or KINDS[len(parts)], parts, options.get("dt", default))

    return make


for _class, _kind in (
    (signal.lti, None),
    (signal.dlti, None),
    (signal.TransferFunction, "tf"),
    (signal.ZerosPolesGain, "zpk"),
    (signal.StateSpace, "ss"),
):
    REPLACEMENTS[_class] = holding(_class, _kind)


# ----- What is asked of them -----
def of_systems(original: Any, composed: Callable[..., Any]) -> Callable[..., Any]:
    """A function of a system: a ``System`` may hold Variables where none is seen."""
    plain = reaching(original)

    @functools.wraps(original)
    def respond(system: Any, *args: Any, **options: Any) -> Any:
        run = composed if isinstance(system, System) else plain
        return run(system, *args, **options)

    return respond


def to_discrete(system: System, *args: Any, **options: Any) -> Any:
    return system.to_discrete(*args, **options)


RESPONSES: dict[str, Callable[..., Any]] = {
    name: getattr(systems, name)
    for name in "lsim impulse step dlsim freqresp bode dfreqresp dbode".split()
}
RESPONSES |= {name: sampled(name) for name in ("dstep", "dimpulse")}
for _name, _composed in (*RESPONSES.items(), ("cont2discrete", to_discrete)):
    _function = getattr(signal, _name)
    REPLACEMENTS[_function] = _respond = of_systems(_function, _composed)
    LOOKING.add(_respond)
