"""Rules for ``np.fft``: the gradient of a transform is a transform the other way.

``ADJOINT`` names its norm. Where the input is real, the engine takes the real part.
"""

from typing import Any

import numpy as np

from srcgrad.rules.complexes import conj
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.registry import deflinear, defvjp

# The conjugate transpose of a transform with one norm is its inverse with the other.
ADJOINT: dict[str | None, Any] = {
    None: "forward",
    "backward": "forward",
    "ortho": "ortho",
    "forward": "backward",
}


def fitted(g, shape):
    """Cut a cotangent, or fill it up with zeros: what the transform did to its input.

    >>> fitted(np.ones((2, 3)), (2, 1)).shape, fitted(np.ones(2), (4,))
    ((2, 1), array([1., 1., 0., 0.]))
    """
    pairs = list(zip(shape, g.shape, strict=True))
    if any(n < m for n, m in pairs):
        g = g[tuple(slice(n) if n < m else slice(None) for n, m in pairs)]
    if any(n > m for n, m in pairs):
        g = np.pad(g, tuple([(0, max(n - m, 0)) for n, m in pairs]))
    return g


# ----- Along one axis -----
def fft_back(g, a_shape, axis, norm):
    return fitted(np.fft.ifft(g, axis=axis, norm=ADJOINT[norm]), a_shape)


def ifft_back(g, a_shape, axis, norm):
    return fitted(np.fft.fft(g, axis=axis, norm=ADJOINT[norm]), a_shape)


def rfft_back(g, a_shape, n, axis, norm):
    n = a_shape[axis] if n is None else n
    half = g / multiplicity(g, n, axis)
    return fitted(np.fft.irfft(half, n, axis, norm=ADJOINT[norm]), a_shape)


def irfft_back(g, a_shape, axis, norm):
    spectrum = np.fft.rfft(g, axis=axis, norm=ADJOINT[norm])
    return fitted(multiplicity(spectrum, g.shape[axis], axis) * spectrum, a_shape)


def multiplicity(spectrum, n, axis):
    """For how many frequencies each stands: but for 0 and the highest, for two.

    >>> multiplicity(np.ones(3), 4, 0), multiplicity(np.ones(3), 5, 0)
    (array([1., 2., 1.]), array([1., 2., 2.]))
    """
    shape = [1] * spectrum.ndim
    shape[axis] = n // 2 + 1
    own = np.arange(n // 2 + 1) * 2 % n == 0
    return np.where(own, 1.0, 2.0).astype(spectrum.real.dtype).reshape(shape)


def hfft(a, n=None, axis=-1, norm=None, out=None):
    """``np.fft.hfft``: the input is the half of a spectrum, or so to say."""
    return np.fft.irfft(conj(a), n, axis, ADJOINT[norm])


def ihfft(a, n=None, axis=-1, norm=None, out=None):
    """``np.fft.ihfft``: the inverse of ``hfft``."""
    return np.conjugate(np.fft.rfft(a, n, axis, ADJOINT[norm]))


defvjp(np.fft.fft, a=fft_back)
defvjp(np.fft.ifft, a=ifft_back)
defvjp(np.fft.rfft, a=rfft_back)
defvjp(np.fft.irfft, a=irfft_back)
defined_as(np.fft.hfft, hfft)
defined_as(np.fft.ihfft, ihfft)


# ----- Along several axes -----
def transformed(shape, s, axes):
    """The axes of a transform, counted from 0, and the lengths that they get."""
    axes, s = (v if v is None or np.iterable(v) else (v,) for v in (axes, s))
    if axes is None:
        axes = range(-len(shape if s is None else s), 0)
    axes = tuple([axis % len(shape) for axis in axes])
    if len(set(axes)) < len(axes):
        raise NotImplementedError(
            f"srcgrad has no derivative of a transform along axes={axes}, which takes "
            "one of them twice: call it once for each time"
        )
    pairs = zip(axes, (None,) * len(axes) if s is None else s, strict=True)
    return axes, tuple([shape[i] if n in (None, -1) else n for i, n in pairs])


def fftn_back(g, a_shape, s, axes, norm):
    axes, _ = transformed(a_shape, s, axes)
    return fitted(np.fft.ifftn(g, axes=axes, norm=ADJOINT[norm]), a_shape)


def ifftn_back(g, a_shape, s, axes, norm):
    axes, _ = transformed(a_shape, s, axes)
    return fitted(np.fft.fftn(g, axes=axes, norm=ADJOINT[norm]), a_shape)


def rfftn_back(g, a_shape, s, axes, norm):
    axes, s = transformed(a_shape, s, axes)
    half = g / multiplicity(g, s[-1], axes[-1])
    return fitted(np.fft.irfftn(half, s, axes, norm=ADJOINT[norm]), a_shape)


def irfftn_back(g, a_shape, s, axes, norm):
    axes, _ = transformed(a_shape, s, axes)
    spectrum = np.fft.rfftn(g, axes=axes, norm=ADJOINT[norm])
    twice = multiplicity(spectrum, g.shape[axes[-1]], axes[-1])
    return fitted(twice * spectrum, a_shape)


for function in (np.fft.fftn, np.fft.fft2):
    defvjp(function, a=fftn_back)
for function in (np.fft.ifftn, np.fft.ifft2):
    defvjp(function, a=ifftn_back)
for function in (np.fft.rfftn, np.fft.rfft2):
    defvjp(function, a=rfftn_back)
for function in (np.fft.irfftn, np.fft.irfft2):
    defvjp(function, a=irfftn_back)

for function in (np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft):
    deflinear(function, "a")
for function in (np.fft.fftn, np.fft.ifftn, np.fft.rfftn, np.fft.irfftn):
    deflinear(function, "a")
for function in (np.fft.fft2, np.fft.ifft2, np.fft.rfft2, np.fft.irfft2):
    deflinear(function, "a")

# ----- The order of the frequencies -----
defvjp(np.fft.fftshift, x=lambda g, axes: np.fft.ifftshift(g, axes))
defvjp(np.fft.ifftshift, x=lambda g, axes: np.fft.fftshift(g, axes))
