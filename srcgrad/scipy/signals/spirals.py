"""``scipy.signal``: the chirp z-transform as an object, by its spiral and its signals.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import signal
>>> x = srcgrad.Variable(np.array([1.0, 2.0, 4.0]), requires_grad=True)
>>> (abs(signal.CZT(3)(x)) ** 2).sum().backward()
>>> x.grad.data.round(6)
array([ 6., 12., 24.])
"""

import math
from typing import Any

import numpy as np
from scipy import signal

from srcgrad.protocols import first_variable
from srcgrad.rules.libraries import REPLACEMENTS, replacement_of
from srcgrad.tape.operands import unwrap


class OfVariables:
    """What these share: they are SciPy's without Variables."""

    given: Any = ()
    n: int
    m: int

    def __call__(self, x: Any, *, axis: int = -1) -> Any:
        if first_variable((x, self.given)) is None:
            return super().__call__(x, axis=axis)  # type: ignore[misc]
        if np.shape(x)[axis] != self.n:
            raise ValueError(
                f"CZT defined for length {self.n}, not {np.shape(x)[axis]}"
            )
        return self.transformed(x, axis)

    def points(self) -> Any:
        if first_variable(self.given) is None:
            return super().points()  # type: ignore[misc]
        return replacement_of(signal.czt_points)(self.m, *self.spiral())

    def transformed(self, x: Any, axis: int) -> Any:
        raise NotImplementedError

    def spiral(self) -> Any:
        """The ratio of its points, and the first."""
        raise NotImplementedError


class CZT(OfVariables, signal.CZT):  # type: ignore[misc]
    """``scipy.signal.CZT``"""

    def __init__(self, n: int, m: Any = None, w: Any = None, a: Any = 1 + 0j) -> None:
        super().__init__(n, m, unwrap(w), unwrap(a))
        self.given = w, a

    def transformed(self, x: Any, axis: int) -> Any:
        w, a = self.given
        return replacement_of(signal.czt)(x, self.m, w, a, axis=axis)

    def spiral(self) -> Any:
        w, a = self.given
        return self.w if w is None else w, a


class ZoomFFT(OfVariables, signal.ZoomFFT):  # type: ignore[misc]
    """``scipy.signal.ZoomFFT``"""

    def __init__(
        self, n: int, fn: Any, m: Any = None, *, fs: Any = 2, endpoint: bool = False
    ) -> None:
        super().__init__(n, unwrap(fn), m, fs=unwrap(fs), endpoint=endpoint)
        self.given, self.endpoint = (fn, fs), endpoint

    def transformed(self, x: Any, axis: int) -> Any:
        fn, fs = self.given
        options = {"fs": fs, "endpoint": self.endpoint, "axis": axis}
        return replacement_of(signal.zoom_fft)(x, fn, self.m, **options)

    def spiral(self) -> Any:
        fn, fs = self.given
        low, high = (0.0, fn) if np.size(unwrap(fn)) == 1 else (fn[0], fn[1])
        step = (high - low) / fs / (self.m - 1 if self.endpoint else self.m)
        turn = 2j * math.pi
        return np.exp(-turn * step), np.exp(turn * (low / fs))


for _own in (CZT, ZoomFFT):
    REPLACEMENTS[getattr(signal, _own.__name__)] = _own
