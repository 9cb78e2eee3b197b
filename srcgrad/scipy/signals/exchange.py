"""``scipy.signal.remez``: filters whose largest errors are all alike.

Which frequencies of the grid have them is a step of the data; there, the amplitude is
that wanted, but for an error of alternating sign: linear equations for the filter.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import signal
>>> desired = srcgrad.Variable(np.array([1.0, 0.0]), requires_grad=True)
>>> h = signal.remez(5, [0.0, 0.1, 0.3, 0.5], desired)
>>> h.sum().backward()
>>> (desired.grad.data @ desired.data - h.data.sum()).round(12) + 0.0  # it is linear
np.float64(0.0)
"""

from typing import Any

import numpy as np
from scipy import signal

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import REPLACEMENTS
from srcgrad.scipy.parameters import as_array, refuse
from srcgrad.tape.operands import unwrap


def remez(
    numtaps: int,
    bands: Any,
    desired: Any,
    *,
    weight: Any = None,
    type: str = "bandpass",
    maxiter: int = 25,
    grid_density: int = 16,
    fs: Any = None,
) -> Any:
    """``scipy.signal.remez``"""
    given = bands, desired, weight, fs
    raws = unwrap(given)
    options = {
        "weight": raws[2],
        "type": type,
        "fs": None if fs is None else float(raws[3]),
    }
    options |= {"maxiter": maxiter, "grid_density": grid_density}
    found = signal.remez(numtaps, *raws[:2], **options)
    if first_variable(given) is None:
        return found
    bands, desired = as_array(bands), as_array(desired)
    edges = np.reshape(bands, (-1, 2)) / (1.0 if fs is None else fs)
    weight = np.ones(len(raws[1])) if weight is None else as_array(weight)
    count = numtaps // 2 + (numtaps % 2 if type == "bandpass" else 0)
    step = 0.5 / (grid_density * count)
    grid, band = grid_of(edges, step, numtaps, type)
    wanted, counts = desired[band], weight[band]
    if type == "differentiator":
        counts = np.where(raw_of(wanted) >= 1e-4, counts / grid, counts)
        wanted = wanted * grid
    off = waves(raw_of(grid), numtaps, type) @ half_of(found, numtaps, type)
    off = raw_of(counts) * (raw_of(wanted) - off)
    extremes = alternating(off)
    if len(extremes) != count + 1:
        refuse("signal.remez", "of a filter with an error more, or less, than it needs")
    grid, wanted, counts = grid[extremes], wanted[extremes], counts[extremes]
    signs = np.resize([1.0, -1.0], count + 1)
    matrix = np.concatenate(
        [waves(grid, numtaps, type), np.reshape(signs / counts, (-1, 1))], axis=1
    )
    out = whole_of(np.linalg.solve(matrix, wanted)[:-1], numtaps, type)
    if not np.allclose(raw_of(out), found, 0.0, 1e-6 * np.max(np.abs(found))):
        refuse("signal.remez", "that has not come to its end: give it `maxiter`")
    return out


def grid_of(edges: Any, step: float, numtaps: int, type: str) -> Any:
    """The frequencies that SciPy looks at, and the band of each."""
    is_odd = type != "bandpass"
    places, bands = [], []
    for band, (start, stop) in enumerate(raw_of(edges)):
        first = edges[band, 0]
        if is_odd and not band and start < step:
            first = start = step
        count = 1
        while start + step * count <= stop:
            count += 1
        inner = first + step * np.arange(count - 1)
        places += [inner, np.reshape(edges[band, 1], 1)]
        bands += [band] * count
    grid = np.concatenate(places)
    if is_odd == bool(numtaps % 2) and raw_of(grid)[-1] > 0.5 - step:
        return grid[:-1], np.array(bands[:-1])
    return grid, np.array(bands)


def alternating(off: Any) -> list[int]:
    """Where the largest errors are, one of each run of one sign."""
    found: list[int] = []
    size = np.max(np.abs(off))
    for i in np.flatnonzero(np.abs(off) > (1.0 - 1e-5) * size).tolist():
        if not found or off[i] * off[found[-1]] < 0.0:
            found.append(i)
        elif abs(off[i]) > abs(off[found[-1]]):
            found[-1] = i
    return found


# ----- Filters as amplitudes -----
def waves(frequencies: Any, numtaps: int, type: str) -> Any:
    """Of which the amplitude is made: a row for each frequency."""
    turns = 2.0 * np.pi * np.reshape(frequencies, (-1, 1))
    if type == "bandpass":
        return np.cos(turns * (np.arange((numtaps + 1) // 2) + shift(numtaps)))
    return np.sin(turns * (np.arange(numtaps // 2) + 1.0 - shift(numtaps)))


def shift(numtaps: int) -> float:
    return 0.0 if numtaps % 2 else 0.5


def half_of(h: Any, numtaps: int, type: str) -> Any:
    """How much of each there is in a filter."""
    half = h[: numtaps // 2][::-1]
    if type == "bandpass" and numtaps % 2:
        return np.concatenate([h[numtaps // 2 :][:1], 2.0 * half])
    return 2.0 * half


def whole_of(amounts: Any, numtaps: int, type: str) -> Any:
    """The filter with these amounts."""
    if type == "bandpass" and numtaps % 2:
        half = 0.5 * amounts[1:]
        return np.concatenate([half[::-1], amounts[:1], half])
    half = 0.5 * amounts
    if type == "bandpass":
        return np.concatenate([half[::-1], half])
    return np.concatenate([half[::-1], np.zeros(numtaps % 2), -half])


REPLACEMENTS[signal.remez] = remez
