"""
An optimised shape: a lens
==========================

Parallel rays fall on a piece of glass. Where do its two surfaces have to be, so that
all rays meet in one point? A ray tracer in NumPy follows the rays; SciPy moves the
surfaces, by the gradient of how far the rays miss the point.
"""

# %%
# The ray tracer
# --------------
# Each surface is a polynomial in the square of the height. A ray meets it where
# Newton's method says, and is bent there by Snell's law.

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import least_squares

import srcgrad

GLASS = 1.5
FOCUS = np.array([10.0, 0.0])
PLACES = 0.0, 1.2  # of the surfaces on the axis, before they are bent


def surface(c, h):
    """Return where a surface stands at a height, and its slope there."""
    s = (h / 2.0) ** 2
    slope = 0.5 * h * (c[0] + s * (2.0 * c[1] + s * 3.0 * c[2]))
    return s * (c[0] + s * (c[1] + s * c[2])), slope


def meet(c, place, start, direction):
    """Return where rays meet a surface, and the normal of the surface there."""
    t = (place - start[0]) / direction[0]
    for _ in range(6):
        point = start + t * direction
        bend, slope = surface(c, point[1])
        gap = point[0] - place - bend
        t = t - gap / (direction[0] - slope * direction[1])
    point = start + t * direction
    _, slope = surface(c, point[1])
    normal = np.stack([np.ones_like(slope), -slope]) / np.sqrt(1.0 + slope**2)
    return point, normal


def refract(direction, normal, ratio):
    """Return the directions of rays after a surface: Snell's law."""
    cosine = np.sum(direction * normal, axis=0)
    under = 1.0 - ratio**2 * (1.0 - cosine**2)
    return ratio * direction + (np.sqrt(under) - ratio * cosine) * normal


def trace_rays(lens, heights):
    """Return the points of each ray: start, first and second surface, direction."""
    start = np.stack([np.full_like(heights, -2.0), heights])
    direction = np.stack([np.ones_like(heights), np.zeros_like(heights)])
    first, normal = meet(lens[:3], PLACES[0], start, direction)
    direction = refract(direction, normal, 1.0 / GLASS)
    second, normal = meet(lens[3:], PLACES[1], first, direction)
    return start, first, second, refract(direction, normal, GLASS)


# %%
# The loss
# --------
# How far from the focus each ray passes. The sum of the squares is to be small, so this
# is for ``least_squares``, which takes the derivatives of all rays as a matrix.

HEIGHTS = np.linspace(-2.0, 2.0, 41)


def miss(lens):
    _, _, point, direction = trace_rays(lens, HEIGHTS)
    to_focus = FOCUS[:, None] - point
    return to_focus[0] * direction[1] - to_focus[1] * direction[0]


start = np.array([0.25, 0.0, 0.0, -0.25, 0.0, 0.0])
found = least_squares(miss, start, jac=srcgrad.jacobian(miss), xtol=1e-12)
for name, lens in ("before", start), ("after", found.x):
    print(f"{name:7} the worst ray misses by {np.max(np.abs(miss(lens))):.1e}")

# %%
# The picture
# -----------
# Above the lens that we started with, below the one that was found.

figure, panels = plt.subplots(2, 1, figsize=(8, 6.5), sharex=True, layout="constrained")
for axes, lens, title in zip(
    panels, (start, found.x), ("before", "after"), strict=True
):
    h = np.linspace(-2.2, 2.2, 200)
    left, right = (
        place + surface(c, h)[0]
        for place, c in zip(PLACES, (lens[:3], lens[3:]), strict=True)
    )
    axes.fill_betweenx(h, left, right, color="tab:blue", alpha=0.25)
    begin, first, second, direction = trace_rays(lens, HEIGHTS[::4])
    end = second + direction * (13.0 - second[0]) / direction[0]
    paths = np.stack([begin, first, second, end])
    axes.plot(paths[:, 0], paths[:, 1], color="tab:orange", linewidth=0.9)
    axes.plot(*FOCUS, "k+", markersize=12)
    axes.set(title=title, xlim=(-2, 13), ylim=(-2.6, 2.6), aspect="equal")
plt.show()
