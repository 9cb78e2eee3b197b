"""``scipy.signal.ShortTimeFFT``: transforms of pieces of a signal, and back.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import signal
>>> x = srcgrad.Variable(np.sin(np.arange(32.0)), requires_grad=True)
>>> pieces = signal.ShortTimeFFT(np.hanning(8), hop=4, fs=1.0)
>>> pieces.spectrogram(x).sum().backward()
>>> x.grad.shape
(32,)
"""

import functools
from typing import Any

import numpy as np
from scipy import signal

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import REPLACEMENTS, replacement_of
from srcgrad.scipy.parameters import refuse
from srcgrad.updates import scatter

PADDING: dict[str, dict[str, Any]] = {
    "zeros": {"mode": "constant"},
    "edge": {"mode": "edge"},
    "even": {"mode": "reflect", "reflect_type": "even"},
    "odd": {"mode": "reflect", "reflect_type": "odd"},
}

original = signal.ShortTimeFFT


def stft_detrend(
    self: Any,
    x: Any,
    detr: Any,
    p0: Any = None,
    p1: Any = None,
    *,
    k_offset: int = 0,
    padding: str = "zeros",
    axis: int = -1,
) -> Any:
    if first_variable(x) is None:
        options = {"k_offset": k_offset, "padding": padding, "axis": axis}
        return original.stft_detrend(self, x, detr, p0, p1, **options)
    # SciPy's errors, and which pieces there are.
    original.stft(self, np.zeros(np.shape(x), x.dtype), p0, p1, axis=axis)
    x = np.moveaxis(x, axis, -1)
    n = np.shape(x)[-1]
    p0, p1 = self.p_range(n, p0, p1)
    first = p0 * self.hop - self.m_num_mid + k_offset
    last = first + (p1 - p0) * self.hop + self.m_num
    inner = x[..., max(first, 0) : min(last, n)]
    beside = (-min(first, 0), max(last - n, 0))
    widths = [(0, 0)] * (np.ndim(x) - 1) + [beside]
    whole = np.pad(inner, widths, **PADDING[padding])
    starts = np.arange(0, (p1 - p0) * self.hop, self.hop)
    pieces = whole[..., starts[:, None] + np.arange(self.m_num)]
    if detr is not None:
        way = replacement_of(signal.detrend)
        pieces = way(pieces, type=detr) if isinstance(detr, str) else detr(pieces)
    found = np.swapaxes(spectra(self, pieces * np.conj(self.win)), -1, -2)
    if np.ndim(x) == 1:
        return found
    return np.moveaxis(found, -2, axis if axis >= 0 else axis - 1)


def spectra(self: Any, x: Any) -> Any:
    """The spectrum of each piece, turned as the object has it."""
    if self.phase_shift is not None:
        widths = [(0, 0)] * (np.ndim(x) - 1) + [(0, self.mfft - np.shape(x)[-1])]
        turn = (self.phase_shift + self.m_num_mid) % self.m_num
        x = np.roll(np.pad(x, widths), -turn, axis=-1)
    if self.fft_mode in ("twosided", "centered"):
        found = np.fft.fft(x, n=self.mfft)
        return found if self.fft_mode == "twosided" else np.fft.fftshift(found, -1)
    return np.fft.rfft(x, n=self.mfft) * doubled(self)


def doubled(self: Any) -> Any:
    """What frequencies count that have a negative twin."""
    factors = np.ones(self.mfft // 2 + 1)
    if self.fft_mode == "onesided2X":
        end = -1 if self.mfft % 2 == 0 else None
        factors[1:end] = np.sqrt(2.0) if self.scaling == "psd" else 2.0
    return factors


def stft(
    self: Any,
    x: Any,
    p0: Any = None,
    p1: Any = None,
    *,
    k_offset: int = 0,
    padding: str = "zeros",
    axis: int = -1,
) -> Any:
    return stft_detrend(
        self, x, None, p0, p1, k_offset=k_offset, padding=padding, axis=axis
    )


def spectrogram(
    self: Any,
    x: Any,
    y: Any = None,
    detr: Any = None,
    p0: Any = None,
    p1: Any = None,
    **options: Any,
) -> Any:
    one = stft_detrend(self, x, detr, p0, p1, **options)
    if y is None or y is x:
        return one.real**2 + one.imag**2
    return one * np.conj(stft_detrend(self, y, detr, p0, p1, **options))


def istft(
    self: Any,
    S: Any,
    k0: int = 0,
    k1: Any = None,
    *,
    f_axis: int = -2,
    t_axis: int = -1,
) -> Any:
    # SciPy's errors, and how long the signal is.
    zeros = np.zeros(np.shape(raw_of(S)), complex)
    shape = original.istft(self, zeros, k0, k1, f_axis=f_axis, t_axis=t_axis).shape
    if first_variable(S) is None:
        return original.istft(self, S, k0, k1, f_axis=f_axis, t_axis=t_axis)
    if np.ndim(S) > 2:
        refuse("signal.ShortTimeFFT.istft", "of more than two dimensions")
    n = shape[0]
    k1 = k0 + n
    S = np.moveaxis(S, (f_axis, t_axis), (-2, -1))
    first = k0 // self.hop + (self.p_min if k0 >= 0 else 0)
    last = min(self.p_max(k1), np.shape(S)[-1] + self.p_min)
    numbers = np.arange(first, last)
    pieces = signals(self, S[:, numbers - self.p_min].T) * self.dual_win
    places = numbers[:, None] * self.hop - self.m_num_mid + np.arange(self.m_num) - k0
    inside = np.nonzero((places >= 0) & (places < n))
    return scatter(pieces[inside], (places[inside],), (n,))


def signals(self: Any, spectrum: Any) -> Any:
    """The piece of each spectrum."""
    if self.fft_mode in ("twosided", "centered"):
        if self.fft_mode == "centered":
            spectrum = np.fft.ifftshift(spectrum, -1)
        found: Any = np.fft.ifft(spectrum, n=self.mfft)
    else:
        found = np.fft.irfft(spectrum / doubled(self), n=self.mfft)
    if self.phase_shift is not None:
        turn = (self.phase_shift + self.m_num_mid) % self.m_num
        found = np.roll(found, turn, axis=-1)
    return found[..., : self.m_num]


METHODS = (stft_detrend, stft, spectrogram, istft)

# Objects made elsewhere are SciPy's own.
for _own in METHODS:
    _method = getattr(original, _own.__name__)
    REPLACEMENTS[_method] = functools.wraps(_method)(_own)

DOC = "``scipy.signal.ShortTimeFFT``, of Variables too: all is as it is told there."
ShortTimeFFT = type(
    "ShortTimeFFT",
    (original,),
    {**{own.__name__: own for own in METHODS}, "__doc__": DOC},
)
REPLACEMENTS[original] = ShortTimeFFT
