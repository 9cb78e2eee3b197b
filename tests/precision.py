"""Values and slopes held to mpmath, over the whole range of a dtype.

A table is a list of Rows, and one test that calls ``misses`` on each:

    ROWS = [
        Row(np.tanh, mpmath.tanh),  # the whole line
        Row(np.arcsin, mpmath.asin, within(-1.0, 1.0)),
        Row(np.hypot, mpmath.hypot, pairs(LINE, LINE)),
    ]

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @pytest.mark.parametrize("row", ROWS, ids=str)
    @pytest.mark.seeds(2)
    def test_precision(row, dtype, seed):
        assert not misses(row, dtype, seed)

To add a function is to add a Row: the function, mpmath's (of ``mpf``, as many digits as
``mpmath.mp`` says), and where it is looked at. `within(low, high, *around)` gives
points in an interval, its finite ends, 0 and other places ``around`` approached as far
as the dtype allows; `pairs` joins such places, one for each argument. A function with
arguments that are not differentiated is a lambda (give it a ``name``). ``orders`` is
how often it is differentiated.

Each slope is right to ``TOLERANCE`` wherever it is a normal number of the dtype, and
tiny where it is less: on the tape, compiled for arrays, and for Python's floats.
"""

import functools
import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import mpmath
import numpy as np

import srcgrad

TOLERANCE = 1e-6

# So many digits, and the steps of differences so small: more until two of them agree.
ROUNDS, AGREEMENT = (20, 60, 180, 540, 1620), 1e-12

# Beyond all dtypes, by far.
HUGE = mpmath.mpf(10) ** 2000


# ----- Where functions are looked at -----
def within(low=-np.inf, high=np.inf, *around, step=1):
    """Points between two ends, many close to these, to 0 and to what is given.

    One of so many (``step``) is looked at: mpmath takes its time for some functions.
    """
    places = {0.0, *around, *(end for end in (low, high) if np.isfinite(end))}

    def points(dtype, rng):
        limits = np.finfo(dtype)
        least, most = np.log10(float(limits.tiny)), np.log10(float(limits.max))
        whole = np.linspace(least, most, 14) + rng.uniform(0.0, 3.0, 14)
        usual = np.linspace(np.log10(float(limits.eps)) - 1.0, 3.0, 24)
        powers = np.concatenate([whole, usual + rng.uniform(0.0, 0.5, 24)])
        sizes = 10.0 ** powers[powers < most]
        every = [place + sign * sizes for place in places for sign in (1.0, -1.0)]
        found = np.concatenate([*every, rng.uniform(-6.0, 6.0, 12)]).astype(dtype)
        found = np.unique(found[(found > low) & (found < high) & np.isfinite(found)])
        return found[int(rng.integers(step)) :: step]

    return points


LINE, POSITIVE = within(), within(0.0)


def pairs(*places, count=30):
    """Points of several arguments, each at one of its places; a half not far out."""

    def points(dtype, rng):
        every = [place(dtype, rng) for place in places]
        each = [rng.choice(found, count) for found in every]
        ones = [np.abs(found) < 1e3 for found in every]
        usual = [
            rng.choice(found[(np.abs(found) > 1e-3) & near], count)
            for found, near in zip(every, ones, strict=True)
        ]
        return tuple(map(np.concatenate, zip(each, usual, strict=True)))

    return points


class Row(NamedTuple):
    """A function and what mpmath calls it; where, how often differentiated, its name.

    ``units``: a slope may be as far off as if the arguments were so many units in their
    last place; near its zeros no slope is better. ``of_arrays``: or of numbers alone.
    """

    function: Callable[..., Any]
    exact: Callable[..., Any]
    points: Callable[..., Any] = LINE
    orders: int = 2
    name: str | None = None
    units: float = 0.0
    of_arrays: bool = True

    def __str__(self):
        return self.name or self.function.__name__


# ----- What is right -----
def exact_slope(exact, xs, orders):
    """A derivative as mpmath has it, by differences; None where there is none.

    >>> float(exact_slope(mpmath.tanh, (20.0,), (1,)))
    1.6993417021166355e-17
    """
    with mpmath.workdps(50):
        value = difference(exact, xs, [0] * len(xs), 50)
        if value is None or abs(value) > HUGE or not any(orders):
            return value
        if 0 < abs(value) < 1 / HUGE:
            return mpmath.mpf(0)  # and so is what changes it, but for a hair
    found = None
    for digits in ROUNDS:
        before, found = found, difference(exact, xs, orders, digits)
        if found is None:
            return None
        if before and abs(found - before) <= AGREEMENT * abs(found):
            return found
    return found if found == before == 0 else None


def difference(exact, xs, orders, digits):
    """A central difference with so small a step, of numbers that are long enough."""
    sizes = [abs(float(x)) or 1.0 for x in xs]
    lost = sum(
        n * (digits + abs(np.log10(s))) for n, s in zip(orders, sizes, strict=True)
    )
    with mpmath.workdps(int(30 + digits + 2 * lost)):
        steps = [mpmath.mpf(size) / mpmath.mpf(10) ** digits for size in sizes]
        total = mpmath.mpf(0)
        stencils = (STENCILS[n] for n in orders)
        for chosen in itertools.product(*stencils):
            at = [
                mpmath.mpf(float(x)) + offset * step
                for x, (offset, _), step in zip(xs, chosen, steps, strict=True)
            ]
            try:
                value = exact(*at)
            except (ValueError, ZeroDivisionError, OverflowError):
                return None  # outside of where it is defined
            if not (isinstance(value, mpmath.mpf) and mpmath.isfinite(value)):
                return None
            weight = mpmath.mpf(1)
            for (_, each), step, n in zip(chosen, steps, orders, strict=True):
                weight *= each / step**n
            total += weight * value
        return +total


# The offsets and weights of central differences, in steps.
STENCILS = {
    0: ((0, 1.0),),
    1: ((1, 0.5), (-1, -0.5)),
    2: ((1, 1.0), (0, -2.0), (-1, 1.0)),
    3: ((2, 0.5), (1, -1.0), (-1, 1.0), (-2, -0.5)),
}


# ----- What is found -----
def slopes(function, argnums):
    for argnum in argnums:
        function = srcgrad.elementwise_grad(function, argnum)
    return function


def on_the_tape(function, argnums, points):
    with srcgrad.set_stance("tape"):
        return slopes(function, argnums)(*points)


def compiled(function, argnums, points):
    again = slopes(function, argnums)
    for _ in range(3):
        found = again(*points)
    return found


def floats_on_the_tape(function, argnums, points):
    with srcgrad.set_stance("tape"):
        return of_floats(function, argnums, points)


def of_floats(function, argnums, points):
    again = slopes(function, argnums)
    numbers = list(zip(*(each.tolist() for each in points), strict=True))
    again(*numbers[0])
    return np.array([again(*each) for each in numbers])


def misses(row, dtype, seed=0, tolerance=TOLERANCE):
    """Where a function is not precise: texts that say how, one for each derivative."""
    points = row.points(dtype, np.random.default_rng(seed))
    points = points if isinstance(points, tuple) else (points,)
    ways = [on_the_tape, compiled, *([of_floats] if dtype == np.float64 else [])]
    ways = ways if row.of_arrays else [floats_on_the_tape, of_floats]
    told = []
    for order in range(row.orders + 1):
        every = itertools.combinations_with_replacement(range(len(points)), order)
        for argnums in every if order else [()]:
            orders = tuple(map(argnums.count, range(len(points))))
            right = functools.partial(exact_slope, row.exact, orders=orders)
            wanted = [right(xs) for xs in zip(*points, strict=True)]
            for way in ways if order else ways[:1]:
                with np.errstate(all="ignore"):
                    found = way(row.function, argnums, points)
                assert found.dtype == dtype
                off = list(off_by(row, found, wanted, points, right, tolerance))
                if off:
                    told.append(
                        f"{row}, order {orders}, {way.__name__}: {len(off)} of "
                        f"{len(found)}, as {'; '.join(off[:: -(-len(off) // 4)])}"
                    )
    return told


def off_by(row, found, wanted, points, right, tolerance):
    limits = np.finfo(found.dtype)
    tiny, most = float(limits.tiny), float(limits.max)
    for got, want, *xs in zip(found, wanted, *points, strict=True):
        if want is None or abs(want) > most:
            continue
        error = abs(mpmath.mpf(float(got)) - want) if np.isfinite(got) else mpmath.inf
        if error <= tolerance * abs(want) or (abs(want) < tiny and error <= 2 * tiny):
            continue
        if row.units and error <= moved(want, xs, right, row.units * limits.eps):
            continue
        at = ", ".join(f"{float(x)!r}" for x in xs)
        yield f"({at}): {got}, not {mpmath.nstr(want, 10)}"


def moved(want, xs, right, part):
    """How far a slope moves with its arguments by a part of them."""
    total = 0.0
    for i, x in enumerate(xs):
        beside = [*xs[:i], mpmath.mpf(float(x)) * (1.0 + float(part)), *xs[i + 1 :]]
        there = right(beside)
        total += 0.0 if there is None else abs(there - want)
    return total
