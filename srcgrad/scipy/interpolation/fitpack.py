"""``scipy.interpolate``: what is named after FITPACK."""

import functools

import numpy as np
from scipy import interpolate

from srcgrad.protocols import raw_of
from srcgrad.rules.compositions import bound
from srcgrad.rules.libraries import LOOKING, REPLACEMENTS
from srcgrad.scipy.interpolation.bsplines import (
    BSpline,
    Curve,
    apart,
    knots_through,
    nearest_to,
    through,
)
from srcgrad.scipy.interpolation.pieces import (
    Differentiable,
    floats,
    in_first,
    polished,
)
from srcgrad.scipy.interpolation.smoothing import lengths_along, smoothed
from srcgrad.scipy.parameters import refuse
from srcgrad.scipy.replacing import (
    OfVariables,
    is_plain,
    names_of,
    of_variables,
    replace_class,
    replaces,
)

OBJECTS = (interpolate.BSpline, Differentiable)


def padded(curve):
    """A curve as FITPACK has it: as many coefficients as knots."""
    c = curve.coefficients
    zeros = np.zeros((curve.k + 1, *np.shape(c)[1:]))
    return curve.knots, np.concatenate([c, zeros]), curve.k


def curve_of(tck):
    t, c, k = tck
    c = np.asarray(c) if is_plain(c) else c
    return Curve(t, c[: np.shape(t)[0] - k - 1], k)


# ----- Splines of data -----
@replaces(interpolate.splrep)
def splrep(found, x, y, w, xb, xe, k, s, t, full_output, per):
    if full_output or per:
        refuse("interpolate.splrep", "with `per` or `full_output`")
    knots = found[0]
    if t is not None:
        if not is_plain(t):
            knots = np.concatenate([knots[: k + 1], t, knots[-k - 1 :]])
        return padded(nearest_to(x, y, knots, k, w))
    n = np.shape(x)[0]
    s = (0 if w is None else n - np.sqrt(2.0 * n)) if s is None else s
    if np.any(raw_of(s)):
        return padded(smoothed(x, y, w, s, found, "splrep"))
    return padded(on_box("splrep", x, y, (xb, xe), k))


def on_box(name, x, y, ends, k):
    """Through the data."""
    check_ends(name, ends)
    return through(x, y, k, knots_through(x, k, has_ends=False))


def check_ends(name, ends):
    if any(end is not None for end in ends):
        refuse(f"interpolate.{name}", "through the data with ends of its own")


@replaces(interpolate.splprep)
def splprep(found, x, w, u, ub, ue, k, task, s, t, full_output, nest, per):
    is_known = all(item is None for item in (ub, ue, t, nest))
    if not is_known or task or full_output or per:
        refuse("interpolate.splprep", "with others than `u`, `k`, `s` and `w`")
    points = np.stack(list(x), axis=1)
    u = lengths_along(points) if u is None else u
    n = np.shape(points)[0]
    s = n - np.sqrt(2.0 * n) if s is None else s
    if np.any(raw_of(s)):
        t, c, _ = found[0]
        found = t, np.stack(c, axis=1), k
        curve = smoothed(u, points, w, s, found, "splprep")
    else:
        curve = through(u, points, k, knots_through(u, k, has_ends=False))
    return (curve.knots, [*curve.coefficients.T], k), u


# ----- What is asked of them -----
def of_tck(original, of_object=None, in_space=True):
    """Register a formula of a curve in place of a function of FITPACK's ``tck``.

    ``of_object`` is the same of a BSpline; each coordinate of a curve in space has the
    formula of its own.
    """

    def register(formula):
        @functools.wraps(original)
        def replacement(*args, **kwargs):
            given = bound(original, args, kwargs)
            tck = given["tck"]
            if isinstance(tck, OBJECTS) and of_object is not None:
                return of_object(**given)
            if is_plain(*args, *kwargs.values()):
                return original(*args, **kwargs)
            t, c, k = tck
            if in_space and (isinstance(c, (list, tuple)) or np.ndim(c) > 1):
                return [replacement(**{**given, "tck": (t, each, k)}) for each in c]
            own = {name: given[name] for name in names_of(formula)[1:]}
            return formula(curve_of(tck), **own)

        REPLACEMENTS[original] = replacement
        LOOKING.add(replacement)  # for a BSpline of Variables
        return formula

    return register


@of_tck(interpolate.splev, lambda x, tck, der, ext: tck(x, der, extrapolate=ext == 0))
def at(curve, x, der, ext):
    """The value at each point; beyond the ends as ``ext`` has it."""
    x = floats(x)
    low, high = curve.breaks
    is_out = (raw_of(x) < raw_of(low)) | (raw_of(x) > raw_of(high))
    if ext in (2, "raise") and np.any(is_out):
        raise ValueError("A x value in the input is out of bounds.")
    if ext in (3, "const"):
        x = np.clip(x, low, high)
    out = curve(x, der)
    return np.where(is_out, 0.0, out) if ext in (1, "zeros") else out


@of_tck(interpolate.splder, lambda tck, n: tck.derivative(n), in_space=False)
def splder(curve, n):
    return padded(curve.derivative(n))


@of_tck(interpolate.splantider, lambda tck, n: tck.antiderivative(n), in_space=False)
def splantider(curve, n):
    return padded(curve.antiderivative(n))


@of_tck(
    interpolate.splint,
    lambda a, b, tck, full_output: tck.integrate(a, b, extrapolate=False),
)
def integral(curve, a, b, full_output=0):
    """The spline is zero beyond its ends."""
    if full_output:
        refuse("interpolate.splint", "with `full_output`")
    whole = curve.antiderivative()
    low, high = curve.breaks
    return whole(np.clip(b, low, high)) - whole(np.clip(a, low, high))


@of_tck(interpolate.spalde)
def spalde(curve, x):
    """All derivatives at one point, or at some."""
    if np.ndim(x):
        return [spalde(curve, point) for point in x]
    return np.stack([curve(x, nu) for nu in range(curve.k + 1)])


def roots_of(tck, mest):
    return REPLACEMENTS[interpolate.sproot]((tck.t, tck.c, tck.k), mest)


@of_tck(interpolate.sproot, roots_of)
def sproot(curve, mest=10):
    t, c, k = padded(curve)
    return polished(curve, interpolate.sproot((raw_of(t), raw_of(c), k), mest), 0.0)


def insert_into(x, tck, m, per):
    if not getattr(tck, "has_variables", False) and is_plain(x):
        return interpolate.insert(x, tck, m, per)
    t, c, k = REPLACEMENTS[interpolate.insert](x, (tck.t, tck.c, tck.k), m, per)
    return BSpline(t, c[: np.shape(t)[0] - k - 1], k, tck.extrapolate)


@of_tck(interpolate.insert, insert_into, in_space=False)
def insert(curve, x, tck, m, per):
    """Boehm's way."""
    if per or isinstance(tck[1], (list, tuple)):
        refuse("interpolate.insert", "with `per`, or into a curve in space")
    t, c, k = padded(curve)
    interpolate.insert(raw_of(x), (raw_of(t), raw_of(c), k), m)  # its errors
    for _ in range(m):
        curve = with_knot(curve, x)
    return padded(curve)


def with_knot(curve, x):
    """The same curve with one more knot."""
    t, c, k = curve.knots, curve.coefficients, curve.k
    n = np.shape(c)[0]
    last = min(int(np.searchsorted(raw_of(t), raw_of(x), "right")) - 1, n - 1)
    i = np.arange(last - k + 1, last + 1)
    share = (x - t[i]) / apart(t[i], t[i + k])
    share = in_first(share, c)
    between = share * c[i] + (1.0 - share) * c[i - 1]
    parts = c[: last - k + 1], between, c[last:]
    knot = np.reshape(x, (1,))
    knots = np.concatenate([t[: last + 1], knot, t[last + 1 :]])
    return Curve(knots, np.concatenate(parts), k)


# ----- The same as objects -----
class Fitted(OfVariables):
    """What the splines of one variable share."""

    MEMBERS = {"get_residual": "of a spline's residual: it is a sum of squares"}

    def keep(self, make):
        """SciPy's curve, or what is made of Variables."""
        self.curve = make() if self.has_variables else curve_of(self._eval_args)
        self.beyond = self.ext

    @of_variables
    def __call__(self, x, nu=0, ext=None):
        return at(self.curve, x, nu, self.beyond if ext is None else ext)

    @of_variables
    def integral(self, a, b):
        return integral(self.curve, a, b)

    @of_variables
    def derivatives(self, x):
        return spalde(self.curve, x)

    @of_variables
    def set_smoothing_factor(self, s):
        refuse("interpolate", "of a spline that is changed: make it with that `s`")

    @of_variables
    def roots(self):
        return sproot(self.curve)

    def get_coeffs(self):
        return self.curve.coefficients

    def get_knots(self):
        t, k = self.curve.knots, self.curve.k
        return t[k : np.shape(t)[0] - k]

    def derivative(self, n=1):
        return self.with_curve("derivative", n)

    def antiderivative(self, n=1):
        return self.with_curve("antiderivative", n)

    def with_curve(self, name, n):
        found = getattr(interpolate.UnivariateSpline, name)(self, n)
        found.__class__ = UnivariateSpline
        found.has_variables, found.beyond = self.has_variables, self.beyond
        found.curve = getattr(self.curve, name)(n)
        return found


@replace_class(interpolate)
class UnivariateSpline(Fitted, interpolate.UnivariateSpline):
    """``scipy.interpolate.UnivariateSpline``"""

    def hold(self, x, y, w, bbox, k, s):
        s = np.shape(x)[0] if s is None else s
        if np.any(raw_of(s)):
            found = self._eval_args
            self.keep(lambda: smoothed(x, y, w, s, found, "UnivariateSpline"))
        else:
            self.keep(lambda: on_box("UnivariateSpline", x, y, bbox, k))


@replace_class(interpolate)
class InterpolatedUnivariateSpline(Fitted, interpolate.InterpolatedUnivariateSpline):
    """``scipy.interpolate.InterpolatedUnivariateSpline``"""

    def hold(self, x, y, bbox, k):
        self.keep(lambda: on_box("InterpolatedUnivariateSpline", x, y, bbox, k))


@replace_class(interpolate)
class LSQUnivariateSpline(Fitted, interpolate.LSQUnivariateSpline):
    """``scipy.interpolate.LSQUnivariateSpline``"""

    def hold(self, x, y, t, w, bbox, k):
        def make():
            check_ends("LSQUnivariateSpline", bbox)
            knots = np.concatenate([x[:1]] * (k + 1) + [t] + [x[-1:]] * (k + 1))
            return nearest_to(x, y, knots, k, w)

        self.keep(make)
