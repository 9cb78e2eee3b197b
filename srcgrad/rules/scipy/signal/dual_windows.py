"""Rules for ``scipy.signal``: windows that undo a short-time Fourier transform."""

import numpy as np
from scipy import signal

from srcgrad.facts import declare
from srcgrad.protocols import dispatched
from srcgrad.rules.compositions import defined_as
from srcgrad.rules.registry import defconstant


@dispatched
def accepted(win, hop, desired_dual, scaled):
    """Whether SciPy takes the windows: it raises where it does not."""
    signal.closest_STFT_dual_window(win, hop, desired_dual, scaled=scaled)
    return True


defconstant(accepted)
declare(accepted, raises=True)


def closest_dual_window(win, hop, desired_dual=None, *, scaled=True):
    """``scipy.signal.closest_STFT_dual_window``"""
    accepted(win, hop, desired_dual, scaled)
    desired = np.ones_like(win) if desired_dual is None else desired_dual
    places = np.arange(np.size(win))
    overlapping = (places[:, None] - places) % hop == 0
    canonical = win / (overlapping @ (np.real(win) ** 2 + np.imag(win) ** 2))
    shared = canonical * (overlapping @ (np.conj(win) * desired))
    if not scaled:
        return canonical + desired - shared, 1.0
    squares = np.sum(np.real(shared) ** 2 + np.imag(shared) ** 2)
    scale = np.sum(np.conj(shared) * canonical) / squares
    return canonical + scale * (desired - shared), scale


defined_as(signal.closest_STFT_dual_window, closest_dual_window)
