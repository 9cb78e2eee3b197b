"""``scipy.interpolate``: what is named after FITPACK.

>>> import numpy as np
>>> import srcgrad
>>> from srcgrad.scipy import interpolate
>>> y = srcgrad.Variable(np.arange(5.0) ** 2, requires_grad=True)
>>> tck = interpolate.splrep(np.arange(5.0), y)
>>> interpolate.splint(0.0, 4.0, tck).backward()
>>> y.grad.data.round(6)
array([0.333333, 1.333333, 0.666667, 1.333333, 0.333333])
"""

from typing import Any

import numpy as np
from scipy import interpolate

from srcgrad.protocols import first_variable, raw_of
from srcgrad.rules.libraries import LOOKING, REPLACEMENTS
from srcgrad.scipy.interpolation.bsplines import (
    BSpline,
    Curve,
    apart,
    knots_through,
    nearest_to,
    through,
)
from srcgrad.scipy.interpolation.pieces import Differentiable, polished
from srcgrad.scipy.interpolation.smoothing import lengths_along, smoothed
from srcgrad.scipy.parameters import refuse


def padded(curve: Curve) -> tuple[Any, Any, int]:
    """A curve as FITPACK has it: as many coefficients as knots."""
    c = curve.coefficients
    zeros = np.zeros((curve.k + 1, *np.shape(c)[1:]))
    return curve.knots, np.concatenate([c, zeros]), curve.k


def curve_of(tck: Any) -> Curve:
    t, c, k = tck
    c = c if first_variable(c) is not None else np.asarray(c)
    return Curve(t, c[: np.shape(t)[0] - k - 1], k)


def of_each(function: Any, tck: Any) -> list[Any] | None:
    """The same of each coordinate of a curve in space; None if it is in none."""
    t, c, k = tck
    if isinstance(c, (list, tuple)) or np.ndim(c) > 1:
        return [function((t, each, k)) for each in c]
    return None


# ----- Splines of data -----
def splrep(
    x: Any,
    y: Any,
    w: Any = None,
    xb: Any = None,
    xe: Any = None,
    k: int = 3,
    task: int = 0,
    s: Any = None,
    t: Any = None,
    full_output: Any = 0,
    per: Any = 0,
    quiet: Any = 1,
) -> Any:
    """``scipy.interpolate.splrep``"""
    rest = raw_of(w), xb, xe, k, task, raw_of(s), raw_of(t), full_output, per, quiet
    found = interpolate.splrep(raw_of(x), raw_of(y), *rest)
    if first_variable((x, y, w, s, t)) is None:
        return found
    if full_output or per:
        refuse("interpolate.splrep", "with `per` or `full_output`")
    knots = found[0]
    if t is not None:
        if first_variable(t) is not None:
            knots = np.concatenate([knots[: k + 1], t, knots[-k - 1 :]])
        return padded(nearest_to(x, y, knots, k, w))
    n = np.shape(x)[0]
    s = (0 if w is None else n - np.sqrt(2.0 * n)) if s is None else s
    if np.any(raw_of(s)):
        return padded(smoothed(x, y, w, s, found, "splrep"))
    check_ends("splrep", (xb, xe))
    if first_variable(x) is not None:
        knots = knots_through(x, k, has_ends=False)
    return padded(through(x, y, k, knots))


def check_ends(name: str, ends: Any) -> None:
    if any(end is not None for end in ends):
        refuse(f"interpolate.{name}", "through the data with ends of its own")


def splprep(x: Any, *args: Any, **kwargs: Any) -> Any:
    """``scipy.interpolate.splprep``"""
    if first_variable((x, args, kwargs)) is None:
        return interpolate.splprep(x, *args, **kwargs)
    if args or set(kwargs) - {"u", "k", "s", "w"}:
        refuse("interpolate.splprep", "with others than `u`, `k`, `s` and `w`")
    k, s, w = kwargs.get("k", 3), kwargs.get("s"), kwargs.get("w")
    points = np.stack(list(x), axis=1)
    u = kwargs["u"] if kwargs.get("u") is not None else lengths_along(points)
    n = np.shape(points)[0]
    s = n - np.sqrt(2.0 * n) if s is None else s
    if np.any(raw_of(s)):
        options = {key: raw_of(item) for key, item in kwargs.items()}
        (t, c, _), _ = interpolate.splprep(list(raw_of(points).T), **options)
        found = t, np.stack(c, axis=1), k
        curve = smoothed(u, points, w, s, found, "splprep")
    else:
        curve = through(u, points, k, knots_through(u, k, has_ends=False))
    return (curve.knots, [*curve.coefficients.T], k), u


# ----- What is asked of them -----
def splev(x: Any, tck: Any, der: int = 0, ext: int = 0) -> Any:
    """``scipy.interpolate.splev``"""
    if isinstance(tck, (interpolate.BSpline, Differentiable)):
        return tck(x, der, extrapolate=ext == 0)
    if first_variable((x, tck)) is None:
        return interpolate.splev(x, tck, der, ext)
    each = of_each(lambda own: splev(x, own, der, ext), tck)
    return at(curve_of(tck), x, der, ext) if each is None else each


def at(curve: Curve, x: Any, der: int, ext: Any) -> Any:
    """The value at each point; beyond the ends as ``ext`` has it."""
    if first_variable(x) is None:
        x = np.asarray(x, float)
    low, high = curve.breaks
    is_out = (raw_of(x) < raw_of(low)) | (raw_of(x) > raw_of(high))
    if ext in (2, "raise") and np.any(is_out):
        raise ValueError("A x value in the input is out of bounds.")
    if ext in (3, "const"):
        x = np.clip(x, low, high)
    out = curve(x, der)
    return np.where(is_out, 0.0, out) if ext in (1, "zeros") else out


def splder(tck: Any, n: int = 1) -> Any:
    """``scipy.interpolate.splder``"""
    if isinstance(tck, (interpolate.BSpline, Differentiable)):
        return tck.derivative(n)
    if first_variable(tck) is None:
        return interpolate.splder(tck, n)
    return padded(curve_of(tck).derivative(n))


def splantider(tck: Any, n: int = 1) -> Any:
    """``scipy.interpolate.splantider``"""
    if isinstance(tck, (interpolate.BSpline, Differentiable)):
        return tck.antiderivative(n)
    if first_variable(tck) is None:
        return interpolate.splantider(tck, n)
    return padded(curve_of(tck).antiderivative(n))


def splint(a: Any, b: Any, tck: Any, full_output: Any = 0) -> Any:
    """``scipy.interpolate.splint``: the spline is zero beyond its ends."""
    if isinstance(tck, (interpolate.BSpline, Differentiable)):
        return tck.integrate(a, b, extrapolate=False)
    if first_variable((a, b, tck)) is None or full_output:
        return interpolate.splint(a, b, tck, full_output)
    each = of_each(lambda own: splint(a, b, own), tck)
    return integral(curve_of(tck), a, b) if each is None else each


def integral(curve: Curve, a: Any, b: Any) -> Any:
    whole = curve.antiderivative()
    low, high = curve.breaks
    return whole(np.clip(b, low, high)) - whole(np.clip(a, low, high))


def spalde(x: Any, tck: Any) -> Any:
    """``scipy.interpolate.spalde``: all derivatives at one point, or at some."""
    if first_variable((x, tck)) is None:
        return interpolate.spalde(x, tck)
    if (each := of_each(lambda own: spalde(x, own), tck)) is not None:
        return each
    curve = curve_of(tck)
    if np.ndim(x):
        return [spalde(point, tck) for point in x]
    return np.stack([curve(x, nu) for nu in range(curve.k + 1)])


def sproot(tck: Any, mest: int = 10) -> Any:
    """``scipy.interpolate.sproot``"""
    if isinstance(tck, (interpolate.BSpline, Differentiable)):
        tck = tck.t, tck.c, tck.k
    if first_variable(tck) is None:
        return interpolate.sproot(tck, mest)
    if (each := of_each(lambda own: sproot(own, mest), tck)) is not None:
        return each
    found = interpolate.sproot((raw_of(tck[0]), raw_of(tck[1]), tck[2]), mest)
    return polished(curve_of(tck), found, 0.0)


def insert(x: Any, tck: Any, m: int = 1, per: Any = 0) -> Any:
    """``scipy.interpolate.insert``: Boehm's way"""
    if isinstance(tck, (interpolate.BSpline, Differentiable)):
        if not getattr(tck, "has_variables", False) and first_variable(x) is None:
            return interpolate.insert(x, tck, m, per)
        t, c, k = insert(x, (tck.t, tck.c, tck.k), m, per)
        return BSpline(t, c[: np.shape(t)[0] - k - 1], k, tck.extrapolate)
    if first_variable((x, tck)) is None:
        return interpolate.insert(x, tck, m, per)
    if per or isinstance(tck[1], (list, tuple)):
        refuse("interpolate.insert", "with `per`, or into a curve in space")
    curve = curve_of(tck)
    interpolate.insert(raw_of(x), (raw_of(tck[0]), raw_of(padded(curve)[1]), tck[2]), m)
    for _ in range(m):
        curve = with_knot(curve, x)
    return padded(curve)


def with_knot(curve: Curve, x: Any) -> Curve:
    """The same curve with one more knot."""
    t, c, k = curve.knots, curve.coefficients, curve.k
    n = np.shape(c)[0]
    last = min(int(np.searchsorted(raw_of(t), raw_of(x), "right")) - 1, n - 1)
    i = np.arange(last - k + 1, last + 1)
    share = (x - t[i]) / apart(t[i], t[i + k])
    share = np.reshape(share, (-1,) + (1,) * (np.ndim(c) - 1))
    between = share * c[i] + (1.0 - share) * c[i - 1]
    parts = c[: last - k + 1], between, c[last:]
    knot = np.reshape(x, (1,))
    knots = np.concatenate([t[: last + 1], knot, t[last + 1 :]])
    return Curve(knots, np.concatenate(parts), k)


# ----- The same as objects -----
class Fitted:
    """What the splines of one variable share: they are SciPy's without Variables."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raw = [raw_of(arg) for arg in args]
        super().__init__(*raw, **{key: raw_of(arg) for key, arg in kwargs.items()})
        self.has_variables = first_variable((args, kwargs)) is not None
        t, c, k = self._eval_args  # type: ignore[attr-defined]
        self.curve = Curve(t, c[: len(t) - k - 1], k)
        self.beyond = self.ext  # type: ignore[attr-defined]
        if self.has_variables:
            self.curve = self.fitted(*args, **kwargs)

    def __call__(self, x: Any, nu: int = 0, ext: Any = None) -> Any:
        if not self.has_variables and first_variable(x) is None:
            return super().__call__(x, nu, ext)  # type: ignore[misc]
        return at(self.curve, x, nu, self.beyond if ext is None else ext)

    def integral(self, a: Any, b: Any) -> Any:
        if not self.has_variables and first_variable((a, b)) is None:
            return super().integral(a, b)  # type: ignore[misc]
        return integral(self.curve, a, b)

    def derivatives(self, x: Any) -> Any:
        if not self.has_variables and first_variable(x) is None:
            return super().derivatives(x)  # type: ignore[misc]
        return spalde(x, padded(self.curve))

    def get_coeffs(self) -> Any:
        return self.curve.coefficients

    def get_knots(self) -> Any:
        t, k = self.curve.knots, self.curve.k
        return t[k : np.shape(t)[0] - k]

    def get_residual(self) -> Any:
        if self.has_variables:
            refuse("interpolate", "of a spline's residual: it is a sum of squares")
        return super().get_residual()  # type: ignore[misc]

    def set_smoothing_factor(self, s: Any) -> None:
        if self.has_variables or first_variable(s) is not None:
            refuse("interpolate", "of a spline that is changed: make it with that `s`")
        super().set_smoothing_factor(s)  # type: ignore[misc]

    def roots(self) -> Any:
        if not self.has_variables:
            return super().roots()  # type: ignore[misc]
        return sproot(padded(self.curve))

    def derivative(self, n: int = 1) -> Any:
        return self.with_curve("derivative", n)

    def antiderivative(self, n: int = 1) -> Any:
        return self.with_curve("antiderivative", n)

    def with_curve(self, name: str, n: int) -> Any:
        found = getattr(interpolate.UnivariateSpline, name)(self, n)
        found.__class__ = UnivariateSpline
        found.has_variables, found.beyond = self.has_variables, self.beyond
        found.curve = getattr(self.curve, name)(n)
        return found

    def fitted(self, *args: Any, **kwargs: Any) -> Curve:
        raise NotImplementedError


class UnivariateSpline(Fitted, interpolate.UnivariateSpline):  # type: ignore[misc]
    """``scipy.interpolate.UnivariateSpline``"""

    def fitted(
        self,
        x: Any,
        y: Any,
        w: Any = None,
        bbox: Any = (None, None),
        k: int = 3,
        s: Any = None,
        **options: Any,
    ) -> Curve:
        s = np.shape(x)[0] if s is None else s
        if not np.any(raw_of(s)):
            return on_box(x, y, bbox, k)
        return smoothed(x, y, w, s, self._eval_args, "UnivariateSpline")


def on_box(x: Any, y: Any, bbox: Any, k: int) -> Curve:
    check_ends("UnivariateSpline", bbox)
    return through(x, y, k, knots_through(x, k, has_ends=False))


class InterpolatedUnivariateSpline(
    UnivariateSpline,
    interpolate.InterpolatedUnivariateSpline,  # type: ignore[misc]
):
    """``scipy.interpolate.InterpolatedUnivariateSpline``"""

    def fitted(
        self,
        x: Any,
        y: Any,
        w: Any = None,
        bbox: Any = (None, None),
        k: int = 3,
        *rest: Any,
        **options: Any,
    ) -> Curve:
        return on_box(x, y, bbox, k)


class LSQUnivariateSpline(
    Fitted,
    interpolate.LSQUnivariateSpline,  # type: ignore[misc]
):
    """``scipy.interpolate.LSQUnivariateSpline``"""

    def fitted(
        self,
        x: Any,
        y: Any,
        t: Any,
        w: Any = None,
        bbox: Any = (None, None),
        k: int = 3,
        *rest: Any,
        **options: Any,
    ) -> Curve:
        check_ends("LSQUnivariateSpline", bbox)
        knots = np.concatenate([x[:1]] * (k + 1) + [t] + [x[-1:]] * (k + 1))
        return nearest_to(x, y, knots, k, w)


for _own in (
    *(splrep, splprep, splev, splder, splantider, splint, spalde, sproot, insert),
    *(UnivariateSpline, InterpolatedUnivariateSpline, LSQUnivariateSpline),
):
    REPLACEMENTS[getattr(interpolate, _own.__name__)] = _own
for _own in (splev, splder, splantider, splint, sproot, insert):
    LOOKING.add(_own)  # for a BSpline of Variables
