"""Rules for ``np.pad``, in every mode but a function of the user's.

Modes that copy elements, or put in values, have a rule; those that compute are done
axis after axis, as NumPy does them.
"""

import numpy as np

from srcgrad.rules.broadcasting import along
from srcgrad.rules.compositions import as_array, defined_as
from srcgrad.rules.registry import defvjp
from srcgrad.updates import scatter

COPYING = ("edge", "wrap", "symmetric", "reflect")
STATISTICS = {
    "maximum": np.max,
    "minimum": np.min,
    "mean": np.mean,
    "median": np.median,
}


def pad_widths(pad_width, ndim):
    """The widths before and after each axis."""
    if isinstance(pad_width, dict):
        widths = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            widths[axis] = tuple(np.broadcast_to(width, 2).tolist())
        return widths
    return np.broadcast_to(pad_width, (ndim, 2)).tolist()


# ----- Modes with a rule -----
def unpadded(shape, pad_width):
    """The index of the array in the padded one."""
    widths = pad_widths(pad_width, len(shape))
    return tuple(
        slice(before, before + n) for n, (before, _) in zip(shape, widths, strict=True)
    )


def padded_back(g, array_shape, pad_width, mode):
    if mode in ("constant", "empty"):
        return g[unpadded(array_shape, pad_width)]
    for axis, widths in enumerate(pad_widths(pad_width, len(array_shape))):
        if any(widths):
            n = array_shape[axis]
            copied = np.pad(np.arange(n), widths, mode)
            shape = (*g.shape[:axis], n, *g.shape[axis + 1 :])
            g = scatter(g, along(axis, copied), shape)
    return g


def pad_values_back(g, array_shape, pad_width):
    """Sum the margins: those of an axis span the margins of the axes before it."""
    inside = unpadded(array_shape, pad_width)
    sums = []
    for axis, part in enumerate(inside):
        rows = g[(slice(None),) * axis + (slice(None), *inside[axis + 1 :])]
        margins = slice(None, part.start), slice(part.stop, None)
        sums += [np.sum(rows[along(axis, margin)]) for margin in margins]
    return np.reshape(np.stack(sums), (-1, 2))


defvjp(np.pad, array=padded_back, constant_values=pad_values_back)


# ----- Modes that compute -----
def pad(array, pad_width, mode="constant", **kwargs):
    array = as_array(array)
    is_odd = mode in COPYING and kwargs.get("reflect_type", "even") == "odd"
    has_rule = mode in ("constant", "empty") or (mode in COPYING and not is_odd)
    if has_rule or array.ndim == 0:
        return NotImplemented  # np.pad has a rule for it
    if not (is_odd or mode in STATISTICS or mode == "linear_ramp"):
        raise NotImplementedError(
            f"srcgrad has no derivative of np.pad with mode={mode!r}: it knows the "
            "modes that NumPy has a name for"
        )
    lengths = (
        pad_widths(kwargs.get("stat_length"), array.ndim)
        if (kwargs.get("stat_length") is not None)
        else [(None, None)] * array.ndim
    )
    end_values = np.broadcast_to(kwargs.get("end_values", 0), (array.ndim, 2))
    for axis, widths in enumerate(pad_widths(pad_width, array.ndim)):
        if not array.shape[axis] and any(widths):
            raise ValueError(
                f"can't extend empty axis {axis} using modes other than 'constant' or "
                "'empty'"
            )
        if is_odd:
            array = mirrored(array, axis, widths, mode)
        elif any(widths):
            margins = (
                ramps(array, axis, widths, end_values[axis])
                if mode == "linear_ramp"
                else statistics(array, axis, widths, lengths[axis], STATISTICS[mode])
            )
            array = np.concatenate([margins[0], array, margins[1]], axis)
    return array


def ramps(array, axis, widths, values):
    """From the end values to the edges of the array."""
    edges = array[along(axis, 0)], array[along(axis, -1)]
    before, after = (
        np.linspace(value, edge, width, endpoint=False, axis=axis, dtype=array.dtype)
        for value, edge, width in zip(values, edges, widths, strict=True)
    )
    return before, np.flip(after, axis)


def statistics(array, axis, widths, lengths, statistic):
    """A value of the elements near each edge, repeated."""
    n = array.shape[axis]
    near = [n if length is None else min(length, n) for length in lengths]
    parts = slice(None, near[0]), slice(n - near[1], None)
    return [
        np.repeat(
            statistic(array[along(axis, part)], axis=axis, keepdims=True), width, axis
        )
        for part, width in zip(parts, widths, strict=True)
    ]


def mirrored(array, axis, widths, mode):
    """Reflect at the edges as points: a linear map of the elements, whose matrix is."""
    n = array.shape[axis]
    unit = np.eye(n, dtype=array.dtype)
    matrix = np.pad(unit, [widths, (0, 0)], mode, reflect_type="odd")
    return np.moveaxis(np.tensordot(matrix, array, (1, axis)), 0, axis)


defined_as(np.pad, pad)
