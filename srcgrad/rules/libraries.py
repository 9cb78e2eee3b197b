"""Functions of libraries that most programs do not call: SciPy's, mostly.

The chapters of their rules are imported when they are asked for and the library's own
module is there already (``late.Chapters``), so ``import srcgrad`` neither needs SciPy
nor pays for it.

Most of SciPy's functions turn their arguments into ndarrays before NumPy's protocols
could tell that there is a Variable. ``replacement_of`` gives what to call instead:

>>> import scipy.special
>>> import srcgrad
>>> softmax = replacement_of(scipy.special.softmax)
>>> softmax(srcgrad.Variable(np.zeros(2), requires_grad=True)).grad_fn.name()
'SoftmaxBackward'
>>> softmax(np.zeros(2))
array([0.5, 0.5])
"""

import functools
import importlib
import sys
from collections.abc import Callable, Collection
from types import MethodType
from typing import Any

import numpy as np

from srcgrad.facts import Operation, declare
from srcgrad.function_parameters import parameters_of
from srcgrad.late import Chapters
from srcgrad.protocols import ArrayProtocol, first_variable, raw_of
from srcgrad.pytree import flatten
from srcgrad.rules.compositions import COMPOSITIONS
from srcgrad.rules.registry import PRIMITIVES, defconstant, name_of
from srcgrad.rules.scipy import without
from srcgrad.tracebacks import trim
from srcgrad.updates import cast


def chapters_of(room: str, names: str) -> tuple[str, ...]:
    return tuple(f"srcgrad.{room}.{name}" for name in names.split())


# The modules of libraries, each with the chapters on its functions; of NumPy those on
# functions that few programs call.
CHAPTERS: dict[str, tuple[str, ...]] = {
    "numpy": chapters_of(
        "rules",
        "binning mapping padding polynomial_sources ranges scimath sets windows",
    ),
    "statistics": chapters_of("rules", "python_statistics"),
    "numpy.polynomial": chapters_of("rules", "polynomial_families polynomial_objects"),
    "scipy.special": (
        *chapters_of(
            "rules.scipy.special",
            "gammas incomplete error_functions entropies bessel parabolic "
            "hypergeometric orthogonal gauss_rules elliptic probability noncentral "
            "noncentral_t characteristic harmonics sequences counting ellipsoidal",
        ),
        *chapters_of("scipy", "orthogonal_polynomials"),
    ),
    "scipy.fft": chapters_of("rules.scipy", "transforms cosines"),
    "scipy.linalg": chapters_of(
        "rules.scipy.linalg",
        "linear_equations factorizations symmetric_pairs other_factors bands schur "
        "cossin qr_updates matrix_functions special_matrices stacks",
    ),
    "scipy.integrate": (
        *chapters_of("rules.scipy", "quadrature"),
        *chapters_of(
            "scipy.integration",
            "integrals weighted_integrals elementwise_integrals boxes "
            "multiple_integrals flows boundary_values",
        ),
    ),
    "scipy.interpolate": chapters_of(
        "scipy.interpolation",
        "bsplines splines hermites smoothing fitpack surfaces knot_placement lagrange "
        "rational tensors grids radial scattered clough_tocher made_before",
    ),
    "scipy.ndimage": chapters_of(
        "rules.scipy.ndimage",
        "images warps neighbourhoods measurements generic_filters distance_maps",
    ),
    "scipy.optimize": (
        *chapters_of("rules.scipy", "programs"),
        *chapters_of(
            "scipy.optimization",
            "implicit minima fits programming finite_differences bracketing",
        ),
    ),
    "scipy.signal": (
        *chapters_of(
            "rules.scipy.signal",
            "signals filters spectral_densities spectrograms zooms waveforms "
            "filter_forms partial_fractions prototypes designs filter_orders peaks "
            "systems restoring mirrored_filters dual_windows",
        ),
        *chapters_of("scipy.signals", "pole_placement graduation exchange"),
    ),
    "scipy.signal.windows": chapters_of("rules.scipy.signal", "signal_windows"),
    "scipy.cluster.vq": chapters_of("rules.scipy", "clusters"),
    "scipy.cluster.hierarchy": chapters_of("rules.scipy", "clusters linkages"),
    "scipy.constants": chapters_of("rules.scipy", "units"),
    "scipy.stats.contingency": chapters_of("rules.scipy.stats", "discrepancies"),
    "scipy.stats.qmc": chapters_of("rules.scipy.stats", "discrepancies"),
    "scipy.sparse": (
        *chapters_of("rules.scipy", "sparse_products"),
        *chapters_of(
            "scipy.sparse_matrices",
            "arrays making linear_operators blocks solvers eigenpairs functions",
        ),
    ),
    "scipy.sparse.linalg": (),
    "scipy.spatial": (
        *chapters_of("rules.scipy", "geometry"),
        *chapters_of("scipy.geometry", "hulls spherical_cells"),
    ),
    "scipy.spatial.transform": chapters_of("scipy.geometry", "rotations"),
    "scipy.spatial.distance": chapters_of("rules.scipy", "distances"),
    "scipy.stats": (
        *chapters_of(
            "rules.scipy.stats",
            "distributions counts moments multivariate matrix_variates "
            "multivariate_moments orthants descriptive order_statistics hypotheses "
            "correlations correlation_intervals goodness counted_tests comparisons "
            "bins probability_plots transport",
        ),
        *chapters_of(
            "scipy.statistics",
            "distribution_quantiles normalising kernel_densities frozen covariances "
            "random_variables mixtures derived_variables histograms likelihoods "
            "expectations anderson_darling empirical resampling",
        ),
    ),
}

# Older ones have no rules: `linalg.inv` has other arguments, for one.
OLDEST = 1, 17

# What runs in place of a function that takes Variables where nobody sees them: hidden
# in an object, or in what the function calls.
REPLACEMENTS: dict[Operation, Operation] = {}

# Those of them that may find Variables in objects, and so look for them themselves.
LOOKING: set[Operation] = set()

# Those whose replacements may run while a function is recorded: all that they do with
# arrays is recorded, or refused.
RECORDED: set[Operation] = set()

# Kinds of objects that are called, each with what makes of one what takes Variables.
OBJECTS: dict[type, Callable[[Any], Callable[..., Any]]] = {}

# What runs in place of an operator where one operand is a sparse matrix.
OPERATORS: dict[Operation, Operation] = {}

# NumPy's functions that turn their arguments into ndarrays, as SciPy's do.
UNREACHED: set[Operation] = set()

# What has no derivative, with the reason, which the error gives.
REFUSED: dict[Operation, str] = {}


def _enter(modules: list[str]) -> None:
    """Import the chapters on some modules: each needs its library."""
    of_users = PRIMITIVES.copy(), COMPOSITIONS.copy()
    parameters_of.cache_clear()  # the chapters give ufuncs SciPy's names for theirs
    for module in filter(_is_known, modules):
        for chapter in CHAPTERS[module]:
            importlib.import_module(chapter)
        _declare_those_without(module)
    # A rule that the user has given before stays.
    PRIMITIVES.update(of_users[0])
    COMPOSITIONS.update(of_users[1])


_chapters = Chapters(_enter)


def load_chapters() -> bool:
    """Import the chapters on what the program has imported; whether there are new ones.

    A module that is imported by another thread right now is waited for.
    """
    return _chapters.enter_new(CHAPTERS)


def _declare_those_without(module: str) -> None:
    """Enter what has no derivative; a name that this SciPy has not is passed over."""

    def found(names: str) -> list[Any]:
        members = vars(sys.modules[module])
        return [members[name] for name in names.split() if name in members]

    for about, names in without.ABOUT.get(module, {}).items():
        for function in found(names):
            declare(function, effect="acts", calls=True, raises=True, about=about)
    for function in found(without.STEPS.get(module, "")):
        defconstant(function)
        is_any = function.__name__ in without.OF_ANY_LENGTH
        declare(function, raises=True, shape_by_value=is_any)
    for why, names in without.REFUSED.get(module, {}).items():
        for function in found(names):
            REFUSED[function] = why
            REPLACEMENTS[function] = _refusing(function, why)
            if module.startswith("scipy.sparse"):
                LOOKING.add(REPLACEMENTS[function])  # for a SparseArray


def _refusing(function: Operation, why: str) -> Operation:
    @functools.wraps(function, updated=())
    def refused(*args: Any, **kwargs: Any) -> Any:
        leaves = flatten((args, kwargs))[0]
        if any(getattr(leaf, "requires_grad", False) for leaf in leaves):
            without.refuse(name_of(function), why)
        plain = {key: raw_of(arg) for key, arg in kwargs.items()}
        return function(*map(raw_of, args), **plain)

    return refused


def _is_known(module: str) -> bool:
    """Whether it is of a version that the rules are for."""
    package = module.partition(".")[0]
    return package != "scipy" or is_known_version(sys.modules[package].__version__)


def is_known_version(version: str) -> bool:
    """Whether SciPy's functions take the arguments that the rules know.

    >>> is_known_version("1.16.3"), is_known_version("1.17.0"), is_known_version("2.0")
    (False, True, True)
    """
    return tuple(map(int, version.split(".")[:2])) >= OLDEST


def about_old_scipy() -> str:
    """What errors say of a SciPy that the program has, and no rules are for; or ""."""
    version = getattr(sys.modules.get("scipy"), "__version__", None)
    if version is None or is_known_version(version):
        return ""
    oldest = ".".join(map(str, OLDEST))
    return (
        f"the rules for SciPy need SciPy {oldest} or newer, on Python 3.11 or newer "
        f"(this is SciPy {version})"
    )


def replacement_of(function: Operation) -> Operation:
    """What to call instead of a function, with the same arguments, Variables or not.

    It is the function itself if that knows a Variable when it meets one (NumPy's do,
    and all ufuncs), or if nothing is known of it.
    """
    if isinstance(function, np.ufunc):
        return function
    if not _is_in(function, "scipy") and not _is_in(function, "numpy.polynomial"):
        return reaching(function) if is_unreached(function) else function
    load_chapters()
    if isinstance(function, MethodType):
        found = _replacement_of(function.__func__)
        return function if found is None else MethodType(found, function.__self__)
    if type(function) in OBJECTS:
        return functools.partial(_called, function)
    found = _replacement_of(function)
    return function if found is None else found


def is_unreached(function: Operation) -> bool:
    """Whether it is one of NumPy's that turn their arguments into ndarrays."""
    if _is_in(function, "numpy.polynomial"):
        load_chapters()
    return _is_in(function, "numpy") and _is_among(function, UNREACHED)


def _called(item: Any, *args: Any, **kwargs: Any) -> Any:
    """A call of an object of a library's, made before anyone knew of Variables."""
    if first_variable((args, kwargs)) is None:
        return item(*args, **kwargs)
    return OBJECTS[type(item)](item)(*args, **kwargs)


def operator_of(function: Operation, operand: Any) -> Operation | None:
    """What runs in place of a ufunc with an operand that is a sparse matrix."""
    if not _is_in(type(operand), "scipy.sparse"):
        return None
    load_chapters()
    if function not in OPERATORS:
        without.refuse(f"{name_of(function)} on a sparse matrix", "use `.toarray()`")
    return OPERATORS[function]


def is_looking(replacement: Operation) -> bool:
    """Whether a replacement is to run even where no argument is a Variable."""
    return getattr(replacement, "__func__", replacement) in LOOKING


def is_recorded(function: Operation) -> bool:
    """Whether it, or what runs in place of it, may be recorded."""
    if not _is_in(function, "scipy.sparse"):
        return False
    load_chapters()
    return _is_among(function, RECORDED)


def has_replacement(function: Operation) -> bool:
    """Whether something else is to be called where there may be Variables."""
    return replacement_of(function) is not function


def _is_in(function: Operation, package: str) -> bool:
    module = getattr(function, "__module__", None)
    return isinstance(module, str) and f"{module}.".startswith(f"{package}.")


def _is_among(function: Operation, functions: Collection[Operation]) -> bool:
    """Whether it is one of these; an object that cannot be hashed is none."""
    try:
        return function in functions
    except TypeError:
        return False


def _replacement_of(function: Operation) -> Operation | None:
    if _is_among(function, REPLACEMENTS):
        return REPLACEMENTS[function]
    is_known = _is_among(function, PRIMITIVES) or _is_among(function, COMPOSITIONS)
    return reaching(function) if is_known else None


@functools.cache
def reaching(function: Operation) -> Operation:
    """Make a library's function reach the Variables among its arguments."""

    @functools.wraps(function)
    def reached(*args: Any, **kwargs: Any) -> Any:
        try:
            for arg in (*args, *kwargs.values()):
                if (variable := first_variable(arg)) is not None:
                    args, kwargs = _keeping(overwriting, args, kwargs)
                    if is_lapacks:
                        args = tuple(map(_fitted, args))
                    return variable._call(function, args, kwargs)
            return function(*args, **kwargs)
        except Exception as error:
            trim(error)
            raise

    is_lapacks = _is_in(function, "scipy.linalg")
    overwriting = {
        name: place
        for place, name in enumerate(parameters_of(function)[0])
        if name.startswith("overwrite")
    }
    return reached


def _fitted(arg: Any) -> Any:
    """An array in a form that LAPACK knows: in machine order, single at least."""
    if isinstance(arg, ArrayProtocol) and arg.dtype.kind in "fc":
        dtype = np.result_type(arg.dtype.newbyteorder("="), np.float32)
        return arg if arg.dtype == dtype else cast(arg, dtype)
    return arg


def _keeping(overwriting: dict[str, int], args: Any, kwargs: Any) -> tuple[Any, Any]:
    """The arguments, with leave to overwrite some taken back: they are Variables'."""
    places = overwriting.values()
    kept = tuple(False if i in places else arg for i, arg in enumerate(args))
    return kept, {key: kwargs[key] for key in kwargs if key not in overwriting}
